"""The engines shown beside bough in the figures, if they are installed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from bough.arguments import Array
from bough.model.model import Model
from bough.peers import mujoco, ode, pinocchio
from bough.peers.compiler import PeerError
from bough.peers.links import start_of


class PinocchioRungeKutta:
    """RK4 on Pinocchio's `aba`, with the interface of the other engines; trees without elements."""

    def __init__(self, model: Model, dt: float) -> None:
        if model.system.elements:
            kind = type(model.system.elements[0]).__name__
            raise PeerError(
                asked=f"model {model.name!r} in Pinocchio",
                found=f"{kind}, and RK4 of trees without elements",
                do="leave this engine out",
                reason=f"RK4 on aba takes trees alone, not {kind}",
            )
        self.model, self.dt = model, dt
        self._engine = pinocchio.Pinocchio(model)
        self.reset()

    def reset(self) -> None:
        """Return to the start."""
        self._q, self._v = (x.copy() for x in start_of(self.model, None, None))

    def step(self, steps: int = 1) -> None:
        """Make steps of dt."""
        self._engine.runge_kutta("world", steps, self.dt, self._q, self._v)

    def pose(self, frame: str) -> Array:
        """The pose of a frame now."""
        return self.model.pose(frame, self._q)


PEERS: dict[str, tuple[Any, Callable[..., Any]]] = {
    "ODE": (ode, lambda model, dt: ode.OpenDynamicsEngine(model, dt=dt)),
    "MuJoCo": (mujoco, lambda model, dt: mujoco.MuJoCo(model, dt=dt)),
    "MuJoCo RK4": (mujoco, lambda model, dt: mujoco.MuJoCo(model, dt=dt, integrator="RK4")),
    "Pinocchio RK4": (pinocchio, PinocchioRungeKutta),
}


def engines(model: Model, dt: float, names: tuple[str, ...], notes: list[str]) -> Iterator[tuple[str, Any]]:
    """The model at its start in each engine of the list, or a note why an engine is missing."""
    for name in names:
        module, build = PEERS[name]
        if module.installed_version() is None:
            note(notes, name, module.MISSING)
            continue
        try:
            engine = build(model, dt)
        except PeerError as error:
            note(notes, name, error.reason)
            continue
        yield name, engine


def note(notes: list[str], name: str, why: str) -> None:
    """Say once why an engine is left out."""
    if f"{name}: {why}" not in notes:
        notes.append(f"{name}: {why}")


def seconds(run: Callable[[], object]) -> float:
    """The processor time of a call."""
    begin = time.process_time()
    run()
    return time.process_time() - begin
