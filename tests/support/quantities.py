"""Every quantity of a model: how it is asked for, what the papers say, and the size of its terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from support.cases import Case


@dataclass(frozen=True)
class Quantity:
    """`core(model, case, frame name, q, v)` against `paper(case, frame index)`; `size(case)` of its terms.

    `of_frame` is False where no frame is involved; the core function then ignores the name.
    """

    name: str
    core: Callable[..., Any]
    paper: Callable[[Case, int], Any]
    size: Callable[[Case], float]
    of_frame: bool = False


def _frame(name: str, size: Callable[[Case], float], velocity: bool = False, **options: Any) -> Quantity:
    label = name if not options else f"{name}-{'-'.join(options.values())}"
    if velocity:
        core = lambda model, case, frame, q, v: getattr(model, name)(frame, q, v, **options)  # noqa: E731
    else:
        core = lambda model, case, frame, q, v: getattr(model, name)(frame, q, **options)  # noqa: E731
    return Quantity(label, core, lambda case, k: getattr(case.paper, name)(k, *options.values()), size, True)


def _whole(name: str, size: Callable[[Case], float], velocity: bool = True) -> Quantity:
    if velocity:
        core = lambda model, case, frame, q, v: getattr(model, name)(q, v)  # noqa: E731
    else:
        core = lambda model, case, frame, q, v: getattr(model, name)(q)  # noqa: E731
    return Quantity(name, core, lambda case, k: getattr(case.paper, name)(), size)


def third_variables(case: Case) -> tuple[int, ...]:
    """Three variables above the last frame, the deepest twice."""
    chain = [case.flat["variable"][k] for k in sorted(case.paper.ancestors[case.frames[-1][0]])]
    moving = [int(a) for a in chain if a >= 0] or [0]
    return (moving[-1], moving[0], moving[-1])


def _names(case: Case) -> tuple[str, ...]:
    return tuple(case.variables[a] for a in third_variables(case))


def length(case: Case) -> float:
    return case.length * 4.0  # ratios up to 1.5, to the third power


FRAME_QUANTITIES = [
    _frame("pose", length),
    _frame("pose_dq", length),
    _frame("pose_dqdq", length),
    Quantity(
        "pose_derivative",
        lambda model, case, frame, q, v: model.pose_derivative(frame, q, variables=_names(case)),
        lambda case, k: case.paper.pose_derivative(k, third_variables(case)),
        length,
        True,
    ),
    _frame("jacobian", length, kind="body"),
    _frame("jacobian", length, kind="spatial"),
    _frame("jacobian", length, kind="hybrid"),
    _frame("body_velocity", lambda case: case.speed, velocity=True),
    _frame("body_velocity_dq", lambda case: case.speed, velocity=True),
    _frame("body_velocity_dv", length, velocity=True),
    _frame("body_velocity_dqdq", lambda case: case.speed, velocity=True),
    _frame("body_velocity_dqdv", length, velocity=True),
]

SYSTEM_QUANTITIES = [
    _whole("kinetic_energy", lambda case: case.energy),
    _whole("potential_energy", lambda case: case.energy, velocity=False),
    _whole("energy", lambda case: case.energy),
    _whole("lagrangian", lambda case: case.energy),
    _whole("momentum", lambda case: case.momentum),
    _whole("mass_matrix", lambda case: case.inertia, velocity=False),
    _whole("L_dq", lambda case: case.energy),
    _whole("L_dv", lambda case: case.momentum),
    _whole("L_dqdq", lambda case: case.energy),
    _whole("L_dqdv", lambda case: case.momentum),
    _whole("L_dvdv", lambda case: case.inertia),
    Quantity(
        "inverse_dynamics",
        lambda model, case, frame, q, v: model.inverse_dynamics(q, v, case.a),
        lambda case, k: case.paper.inverse_dynamics(case.a),
        lambda case: case.force,
    ),
    Quantity(
        "acceleration",
        lambda model, case, frame, q, v: model.acceleration(q, v, force=case.u),
        lambda case, k: case.paper.acceleration(case.u),
        lambda case: case.force * case.condition / case.inertia,
    ),
    _whole("center_of_mass", lambda case: case.length, velocity=False),
    _whole("linear_momentum", lambda case: case.paper.total_mass() * case.speed),
    _whole("angular_momentum", lambda case: case.paper.total_mass() * case.speed * case.length),
]

QUANTITIES = FRAME_QUANTITIES + SYSTEM_QUANTITIES


def core_value(quantity: Quantity, case: Case, frame: str, q: Any = None, v: Any = None) -> np.ndarray:
    """The quantity by the core, at the case's state unless another is given."""
    value = quantity.core(case.model, case, frame, case.q if q is None else q, case.v if v is None else v)
    return np.asarray(value)
