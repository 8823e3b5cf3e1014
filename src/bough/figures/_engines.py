"""The engines shown beside bough in the figures, if they are installed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from bough.model.model import Model
from bough.peers import mujoco, ode
from bough.peers.compiler import PeerError

PEERS: dict[str, tuple[Any, Callable[..., Any]]] = {
    "ODE": (ode, lambda model, dt: ode.OpenDynamicsEngine(model, dt=dt)),
    "MuJoCo": (mujoco, lambda model, dt: mujoco.MuJoCo(model, dt=dt)),
    "MuJoCo RK4": (mujoco, lambda model, dt: mujoco.MuJoCo(model, dt=dt, integrator="RK4")),
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
