"""N-link pendulum: the variational integrator against force-balance engines, time and energy error of each.

Links of 1 m hang on hinges y with 1 kg and inertia 0.1 at their lower ends, straight at 45 degrees to the
vertical and at rest; 2000 steps of 0.01 s. The energy error is the largest deviation from the energy at the
start, relative to the energy that the pendulum can release (start minus hanging at rest).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import bough
from benchmarks import ours
from benchmarks.harness import Contender, Row, fastest, interleave, require_equal
from benchmarks.systems import GRAVITY, Array, pendulum, states
from bough.model.model import Model
from bough.peers import mujoco, ode
from bough.peers.pinocchio import Convention, Pinocchio, available_memory, memory_needed

SIZES = (1, 2, 5, 10, 20, 40, 80, 160, 320, 640)
DT = 0.01
STEPS = 2000
EVERY = 10  # number of steps between two energies
ANGLE = math.pi / 4
ROUND_SECONDS = 0.25  # largest time of a round: slower peers make fewer steps, whose cost is constant
ENERGY_SECONDS = 40.0  # largest time of 2000 steps for which the energy error is computed
STEP_SECONDS = 1.0  # largest time of a step; slower peers are left out


@dataclass(frozen=True)
class Engine:
    """An engine that can start over, step, and tell its energies during the 2000 steps."""

    name: str
    start: Callable[[], None]
    step: Callable[[int], None]
    energies: Callable[[], Array]


def rows() -> Iterator[Row]:
    for n in SIZES:
        yield _row(n)


def _row(n: int) -> Row:
    model = ours.build(pendulum(n))
    engines, notes = _peers(n, model)
    _verify(n, model)
    start = dict(zip(model.variables, _start(n), strict=True))
    run = bough.simulate(model, q=start, duration=STEPS * DT, dt=DT)
    notes["bough"] = _error(n, run.energy())
    contenders = [
        Contender("bough", lambda: bough.simulate(model, q=start, duration=STEPS * DT, dt=DT), STEPS)
    ]
    for engine in engines:
        seconds = _seconds_per_step(engine)
        if seconds > STEP_SECONDS:
            notes[engine.name] = f"left out: {seconds:.1f} s a step"
            continue
        notes[engine.name] = (
            _error(n, engine.energies()) if seconds * STEPS < ENERGY_SECONDS else "not computed"
        )
        steps = max(2, min(STEPS, int(ROUND_SECONDS / seconds)))
        contenders.append(Contender(engine.name, _from_start(engine, steps), steps))
    timings = interleave(contenders, seconds=6.0)
    best = fastest(timings, [engine.name for engine in engines])
    target = 0.75 if n >= 5 else None
    return Row("pendulum", f"N = {n}", "step", timings, ours="bough", peer=best, target=target, notes=notes)


def _peers(n: int, model: Model) -> tuple[list[Engine], dict[str, str]]:
    notes = {}
    engines = [
        _engine(f"MuJoCo {integrator}", mujoco.MuJoCo(model, _start(n), dt=DT, integrator=integrator))
        for integrator in mujoco.INTEGRATORS
    ]
    if memory_needed(n) < available_memory():
        peer = Pinocchio(model)
        engines += [_pinocchio(n, peer, "local"), _pinocchio(n, peer, "world")]
    else:
        notes["Pinocchio"] = f"left out: needs {memory_needed(n) / 1e9:.0f} GB"
    if ode.installed_version() is None:
        notes["ODE"] = ode.MISSING
    else:
        engines.append(_engine("ODE", ode.OpenDynamicsEngine(model, _start(n), dt=DT)))
    return engines, notes


def _engine(name: str, peer: mujoco.MuJoCo | ode.OpenDynamicsEngine) -> Engine:
    def energies() -> Array:
        peer.reset()
        return peer.energies(STEPS // EVERY, EVERY)

    return Engine(name, peer.reset, peer.step, energies)


def _pinocchio(n: int, peer: Pinocchio, convention: Convention) -> Engine:
    q, v = np.empty(n), np.empty(n)

    def start() -> None:
        q[:], v[:] = _start(n), 0.0

    def step(steps: int) -> None:
        peer.semi_implicit_euler(convention, steps, DT, q, v)

    def energies() -> Array:
        start()
        states = [(q.copy(), v.copy())]
        for _ in range(STEPS // EVERY):
            step(EVERY)
            states.append((q.copy(), v.copy()))
        rows = np.array(states)
        return pendulum_energy(rows[:, 0], rows[:, 1])

    return Engine(f"Pinocchio {convention}", start, step, energies)


def pendulum_energy(q: Array, v: Array) -> Array:
    """Kinetic and potential energy for rows of joint angles and rates."""
    angle, rate = np.cumsum(q, axis=1), np.cumsum(v, axis=1)
    height = -np.cumsum(np.cos(angle), axis=1)
    forward = np.cumsum(rate * np.cos(angle), axis=1)
    upward = np.cumsum(rate * np.sin(angle), axis=1)
    kinetic = 0.5 * (forward**2 + upward**2 + 0.1 * rate**2).sum(axis=1)
    return kinetic - GRAVITY[2] * height.sum(axis=1)


def _verify(n: int, model: Model) -> None:
    """All engines in joint coordinates give the same accelerations, and their energy is the model's."""
    q, v, _ = states(pendulum(n), 2)
    acceleration = model.acceleration(q, v)
    if n <= 160:  # beyond, a second pinocchio::Data would take too much memory
        pinocchio = Pinocchio(model).value("forward_dynamics", "local", q, v, np.zeros_like(q))
        require_equal(f"pendulum {n}: Pinocchio", acceleration, pinocchio)
    engine = mujoco.MuJoCo(model, dt=DT)
    # MuJoCo factors the mass matrix, and may lose as many digits as its condition number has
    lost = max(1e-9, float(np.finfo(float).eps * np.linalg.cond(model.mass_matrix(q[0]))))
    require_equal(f"pendulum {n}: MuJoCo", acceleration[0], engine.acceleration(q[0], v[0]), lost)
    require_equal(f"pendulum {n}: energy", model.energy(q, v), pendulum_energy(q, v))


def _start(n: int) -> Array:
    q = np.zeros(n)
    q[0] = ANGLE
    return q


def _error(n: int, energies: Array) -> str:
    """The relative energy error as text."""
    released = -GRAVITY[2] * (1.0 - math.cos(ANGLE)) * n * (n + 1) / 2
    error = np.max(np.abs(energies - energies[0])) / released
    return f"{error:.0e}" if error < 1e3 else "diverges"  # NaN compares false


def _seconds_per_step(engine: Engine) -> float:
    engine.start()
    engine.step(1)
    begin = time.perf_counter()
    engine.step(2)
    return (time.perf_counter() - begin) / 2


def _from_start(engine: Engine, steps: int) -> Callable[[], None]:
    def run() -> None:
        engine.start()
        engine.step(steps)

    return run
