"""The parts of `MidpointVI` that order 4, 6 and 8 do differently from order 2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import ModelError
from bough.model.model import Model
from bough.motion.state import State
from bough.validate import counted

if TYPE_CHECKING:
    from bough.integrators.variational import VariationalIntegrator

ORDERS = (4, 6, 8)
NO_VELOCITY_ROWS = ("which the midpoint rule of this order does not hold yet", "use order=2, which holds it")
LIMITS: dict[str, float] = {"tolerance": 0.0, "max_iterations": 50}  # tolerance 0: iterate to round-off


def of_stages(settings: Mapping[str, Any]) -> bool:
    """Whether the settings of a run are those of a rule with stages."""
    return (
        settings["integrator"] == "midpoint" and settings["order"] in ORDERS and not settings.get("composed")
    )


def new_stepper(model: Model, settings: Mapping[str, Any]) -> Any:
    """A stepper of the core for one run."""
    names = ("tolerance", "constraint_tolerance", "max_iterations", "max_halvings", "order")
    return core.GaussStepper(model._core, *(settings[name] for name in names))


def multipliers_of(model: Model, state: State) -> Array:
    """The constraint forces of a state, those of the continuous dynamics."""
    if model.nc == 0:
        return np.zeros(0)
    return model.acceleration_and_multipliers(state.q, state.v, state._memory.u, t=state.t)[1]


def failure_text(vi: VariationalIntegrator, status: int, residual: float, worst: int) -> str:
    """The reason, from the core, why a step failed."""
    name = vi.model.variables[worst]
    if status == core.StepStatus.singular:
        return f"the mass matrix is singular at variable {name!r}: it moves no mass there"
    return (
        f"the iteration of order {vi.order} did not converge in {counted(vi.max_iterations, 'iteration')}, nor after"
        f" {vi.max_halvings} halvings of the step; the last correction is {residual:.2g} of the largest rate,"
        f" of variable {name!r}"
    )


def no_configurations(vi: VariationalIntegrator, where: str) -> None:
    """Raise if a start of second order would spoil a motion of higher order."""
    if vi._staged:
        raise ModelError(
            asked=f"start_from_configurations() of {where}",
            found=f"order {vi.order}; two configurations tell the momenta to second order only",
            do="give start(q, v) or start(q, p=...), or use order=2",
        )
