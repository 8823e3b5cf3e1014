"""The engines that stand beside bough in the figures, as far as they are installed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from bough.model import Model
from bough.peers import mujoco, ode

PEERS: dict[str, tuple[Any, Callable[..., Any]]] = {
    "ODE": (ode, lambda model, dt: ode.OpenDynamicsEngine(model, dt=dt)),
    "MuJoCo": (mujoco, lambda model, dt: mujoco.MuJoCo(model, dt=dt)),
    "MuJoCo RK4": (mujoco, lambda model, dt: mujoco.MuJoCo(model, dt=dt, integrator="RK4")),
}


def engines(model: Model, dt: float, names: tuple[str, ...], notes: list[str]) -> Iterator[tuple[str, Any]]:
    """The model at its start in each engine of the list; a note for one that is not installed."""
    for name in names:
        module, build = PEERS[name]
        if module.installed_version() is None:
            notes.append(f"{name}: {module.MISSING}")
        else:
            yield name, build(model, dt)


def seconds(run: Callable[[], object]) -> float:
    """The processor time of a call."""
    begin = time.process_time()
    run()
    return time.process_time() - begin
