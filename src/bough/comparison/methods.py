"""The methods that are compared, and the motion that all of them compute."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough import validate
from bough.errors import CoarseStepWarning, GimbalLockWarning, ModelError
from bough.model.model import Model
from bough.motion.trajectory import Trajectory
from bough.problem import Problem
from bough.registry import FAMILIES, INTEGRATORS, Family, family_of

PROJECTION = "+projection"
ORDER = "+order"  # a number follows
ORDERS = (4, 6, 8)
PEERS = ("mujoco-rk4", "pinocchio-rk4")
ROWS = 20_000  # largest number of instants that are compared


_PEER = Family("another engine", PEERS, lambda name: {}, lambda choice: {}, lambda plan: None)  # type: ignore[arg-type,return-value]


@dataclass(frozen=True)
class Method:
    """An integrator, with or without projection onto the constraints, of its own order or of a higher one."""

    label: str
    name: str
    family: Family

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `simulate`."""
        more: dict[str, Any] = {}
        if self.label.endswith(PROJECTION):
            more["stabilization"] = "projection"
        if ORDER in self.label:
            more["order"] = int(self.label.rpartition(ORDER)[2])
        return {"integrator": self.name, **more}


def run_method(
    problem: Problem, method: Method, dt: float, every: int, duration: float | None = None, **options: Any
) -> Trajectory:
    """The motion of a problem by one integrator, as far as it comes."""
    length = problem.settings["duration"] if duration is None else duration
    if method.name in PEERS:
        from bough.comparison.peers import run_peer

        return run_peer(problem, method.name, dt, every, length)
    asked = problem.replace(dt=dt, every=every, duration=length, **method.options, **options)
    with warnings.catch_warnings():
        for kind in (CoarseStepWarning, GimbalLockWarning):  # errors and drifts show it
            warnings.simplefilter("ignore", kind)
        return asked.run(progress=False)


def constant_inputs(model: Model, u: Any, where: str) -> Any:
    """Inputs that are the same problem at every dt: one number each."""
    values: Sequence[Any] = list(u.values()) if isinstance(u, Mapping) else [u]
    if any(callable(value) or np.ndim(value) > (0 if isinstance(u, Mapping) else 1) for value in values):
        raise ModelError(
            asked=f"u in {where}",
            found="inputs that change: they are held for a step, which makes another motion of every dt",
            do="give one number for each input; what depends on time or state can be a force of your own",
        )
    return u


def prescribed_motion(model: Model, k: Any, where: str) -> Any:
    """Kinematic variables that are the same problem at every dt: numbers and functions of time."""
    values: Sequence[Any] = list(k.values()) if isinstance(k, Mapping) else [k]
    if any(not callable(value) and np.ndim(value) > (0 if isinstance(k, Mapping) else 1) for value in values):
        raise ModelError(
            asked=f"k in {where}",
            found="an array with a value for every step, of which there are different numbers here",
            do="give functions of t, such as k={'x': lambda t: ...}, or numbers",
        )
    return k


def methods(model: Model, integrators: str | Sequence[str] | None, where: str) -> tuple[Method, ...]:
    """The methods of a list of names.

    "rk4+projection" ends every step on the constraints, "midpoint+order8" is of eighth order. By default all of
    fixed step, two of them also with projection if there are constraints, the orders of "midpoint", and DOP853.
    """
    if integrators is None:
        projected = {"velocity", "rk4"} if model.nc else {"velocity"}
        fixed = [name for family in FAMILIES if not family.adaptive for name in family.names]
        pairs = [(name, name + PROJECTION) if name in projected else (name,) for name in fixed]
        integrators = [*(label for pair in pairs for label in pair), "dop853"]
        integrators[1:1] = [f"midpoint{ORDER}{order}" for order in ORDERS]
    elif isinstance(integrators, str):
        integrators = INTEGRATORS if integrators == "all" else [integrators]
    chosen: dict[str, Method] = {}
    for given in integrators:
        label = given.lower() if isinstance(given, str) else validate.shown(given)
        name = label.removesuffix(PROJECTION)
        if name in PEERS:
            chosen[label] = Method(label, name, _PEER)
            continue
        name, higher, order = name.partition(ORDER)
        if higher and order not in {str(known) for known in ORDERS}:
            raise ModelError(
                asked=f"integrator {label!r} in {where}",
                found=f"{order or 'nothing'} as an order",
                do=f"write {name}{ORDER}4, {name}{ORDER}6 or {name}{ORDER}8; without it, the order is 2",
            )
        family, name = family_of(name, where)
        chosen[label] = Method(label, name, family)
    if not chosen:
        raise ModelError(
            asked=f"integrators=[] in {where}",
            found="nothing to compare",
            do=f"name some of {', '.join(INTEGRATORS)}",
        )
    return tuple(chosen.values())
