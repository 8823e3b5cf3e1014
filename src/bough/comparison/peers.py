"""Runge and Kutta's method of fourth order in other engines, as a row of a comparison."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from bough.arguments import Array
from bough.errors import ModelError
from bough.motion.trajectory import Trajectory
from bough.peers import mujoco, pinocchio
from bough.problem import Problem

Advance = Callable[[int], tuple[Array, Array]]


def run_peer(problem: Problem, name: str, dt: float, every: int, duration: float) -> Trajectory:
    """The motion of a problem by another engine; its processor time is that of the steps alone."""
    steps = round(duration / dt)
    advance = (_mujoco if name == "mujoco-rk4" else _pinocchio)(problem, dt)
    q, v, node = [problem.q], [problem.v], 0
    used = 0.0
    while node < steps:
        count = min(every, steps - node)
        begin = time.process_time()
        configuration, velocity = advance(count)
        used += time.process_time() - begin
        node += count
        q.append(configuration)
        v.append(velocity)
    nodes = np.minimum(np.arange(len(q)) * every, steps)
    return Trajectory(
        problem.model,
        problem.grid.t0 + nodes * dt,
        np.array(q),
        v=np.array(v),
        u=np.zeros((len(q), problem.model.nu)),
        settings={"integrator": name, "dt": dt},
        statistics={"steps": steps, "cpu_time": used, "wall_time": used},
    )


def _mujoco(problem: Problem, dt: float) -> Advance:
    if mujoco.installed_version() is None:
        raise _missing("MuJoCo", "mujoco")
    engine = mujoco.MuJoCo(
        problem.model, problem.q, dt=dt, integrator="RK4", time_constant=max(0.002, 2.0 * dt)
    )
    engine.set(problem.q, problem.v)

    def advance(count: int) -> tuple[Array, Array]:
        engine.step(count)
        return engine.q.copy(), engine.v.copy()

    return advance


def _pinocchio(problem: Problem, dt: float) -> Advance:
    if pinocchio.installed_version() is None:
        raise _missing("Pinocchio", "pin")
    if problem.model.system.elements:
        raise ModelError(
            asked=f"a comparison of model {problem.model.name!r} with Pinocchio",
            found=f"{type(problem.model.system.elements[0]).__name__}, and RK4 of trees without elements",
            do="leave pinocchio-rk4 out",
        )
    engine = pinocchio.Pinocchio(problem.model)
    q, v = problem.q.copy(), problem.v.copy()

    def advance(count: int) -> tuple[Array, Array]:
        engine.runge_kutta("local", count, dt, q, v)
        return q.copy(), v.copy()

    return advance


def _missing(engine: str, package: str) -> ModelError:
    return ModelError(
        asked=f"a comparison with {engine}",
        found="it is not installed",
        do=f"install the package {package!r}, or leave it out",
    )
