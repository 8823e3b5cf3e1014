"""`bough.control.linearize`: the derivatives of all steps of a run, and a run as states and controls."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.control._step import Step
from bough.errors import ModelError
from bough.integrators.contact_run import contact_run
from bough.integrators.gauss_run_derivatives import check_held
from bough.integrators.linearization import check_differentiable
from bough.integrators.variational import VARIATIONAL
from bough.motion.trajectory import Trajectory
from bough.repeat import plan_of


class Stages(NamedTuple):
    """A run as states x (rows, nx), controls c (rows - 1, nc) and the step that made it."""

    step: Step
    t: Array
    x: Array
    c: Array


def linearize(run: Trajectory) -> tuple[Array, Array]:
    """A = dx1/dx (steps, nx, nx) and B = dx1/dc (steps, nx, nc) of all steps of a run, exact.

    x = (q, p) has all variables and the momenta of the dynamic ones, c = (u, k) the inputs during a step and
    the kinematic variables at its end, as of `bough.control.Step`; A and B are by its moves.

    Parameters
    ----------
    run : Trajectory
        Made by `simulate` or `optimize` with a variational integrator; all steps recorded.

    Examples
    --------
    >>> import bough
    >>> model = bough.gallery.cart_pole().build()
    >>> run = bough.simulate(model, q={"angle": 0.1}, duration=1.0, dt=0.02)
    >>> A, B = bough.control.linearize(run)
    >>> A.shape, B.shape
    ((50, 4, 4), (50, 4, 1))
    """
    stages = stages_of(run, "control.linearize()", contacts=True)
    if run.model.gaps:
        vi = stages.step.integrator
        return contact_run(run, vi, np.full(len(stages.c), vi.dt), stages.c).blocks
    return stages.step.jacobians(stages.x[:-1], stages.c, stages.t[:-1], x1=stages.x[1:])


def stages_of(run: Trajectory, where: str, *, contacts: bool = False) -> Stages:
    """The states and controls of a run; raises if its steps have no derivatives.

    contacts : whether those of steps with contacts may depend on the steps before them
    """
    if not isinstance(run, Trajectory):
        raise ModelError(
            asked=where, found=f"{type(run).__name__}", do="give the Trajectory that simulate() returned"
        )
    settings = run.settings
    check_method(settings.get("integrator"), f"{where} of a run of model {run.model.name!r}")
    if len(run) < 2 or settings.get("every", 1) != 1 or settings.get("t_eval"):
        raise ModelError(
            asked=f"{where} of a run of model {run.model.name!r}",
            found="a run that does not record every step",
            do="simulate with every=1, and without t_eval",
        )
    lengths = np.diff(run.t)
    if np.ptp(lengths) > 1e-6 * lengths[0]:
        raise ModelError(
            asked=f"{where} of a run of model {run.model.name!r}",
            found=f"steps from {lengths.min():.3g} to {lengths.max():.3g} s",
            do="simulate with a dt that divides the duration",
        )
    options = {
        name: settings[name]
        for name in ("order", "alpha", "tolerance", "constraint_tolerance", "max_iterations", "max_halvings")
        if settings.get(name) is not None
    }
    if settings["integrator"] != "midpoint":
        options.pop("alpha", None)
    step = Step(run.model, settings["dt"], settings["integrator"], **options)
    check_differentiable(
        step.integrator, where, "derivatives along a run" if run.model.gaps and not contacts else ""
    )
    if step.integrator._staged:
        check_held(plan_of(run, where), step.integrator.order, where)
    kinematic = run.model.nq - run.model.nk
    x = np.concatenate([run.q, run.p], axis=1)
    c = np.concatenate([run.u[:-1], run.q[1:, kinematic:]], axis=1)
    return Stages(step, np.asarray(run.t), np.ascontiguousarray(x), np.ascontiguousarray(c))


def check_method(integrator: Any, where: str) -> None:
    """Raise unless steps of this method have derivatives."""
    if integrator in VARIATIONAL:
        return
    found = f"integrator={integrator!r}, whose steps have no derivatives yet"
    raise ModelError(asked=where, found=found, do='use integrator="midpoint" or "trapezoidal"')
