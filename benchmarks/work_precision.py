"""Work against precision: processor time of one simulated second at every error from 1e-2 to 1e-10.

Pendulums of 5, 10 and 20 links over 2 s and 10 s, the closed chain of [JM09] and a slider crank over 2 s.
An error is the largest of the configuration at the end, against order 8 at a step of 1 ms. Every contender
runs at several steps (DOP853 at several tolerances); all of these are timed in turn, and the time at an error
is read off the straight line through the two neighbours in logarithms, for each round by itself. The cost of a
step of RK4 does not depend on dt and is timed at one dt; Pinocchio's in both of its conventions. Our orders,
`dop853` of the core and the peers are timed in their own loops, without Python; `simulate` adds the same fixed
part to runs of any length. The constraints of MuJoCo are soft: it does not reach the motion of a mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

import bough
from benchmarks import ours
from benchmarks.harness import Contender, Row, Timing, fastest, interleave
from benchmarks.systems import Array, pendulum
from bough._core import core
from bough.gallery import closed_chain
from bough.model.model import Model
from bough.peers import mujoco, with_inertia
from bough.peers.pinocchio import Convention, Pinocchio

ERRORS = tuple(10.0**-k for k in range(2, 11))
OURS = tuple(f"order {order}" for order in (2, 4, 6, 8))
PINOCCHIO: dict[str, Convention] = {"Pinocchio RK4": "local", "Pinocchio RK4 world": "world"}
PEERS = (*PINOCCHIO, "MuJoCo RK4")
EXPLICIT_STEPS = 200  # of a timed run with constant cost


@dataclass(frozen=True)
class Case:
    """A model, its start at rest, and its duration."""

    name: str
    model: Model
    q: Array
    duration: float


@dataclass(frozen=True)
class Point:
    """A contender at one step: its error, its steps, and what is timed."""

    error: float
    steps: int  # or digits of a tolerance
    timed: Contender


def rows() -> Iterator[Row]:
    for case in cases():
        yield from _rows(case)


def cases() -> Iterator[Case]:
    for n in (5, 10, 20):
        model = ours.build(pendulum(n))
        q = np.append(math.pi / 4, np.zeros(n - 1))
        for duration in (2.0, 10.0):
            yield Case(f"pendulum of {n}, {duration:g} s", model, q, duration)
    chain = with_inertia(closed_chain(), 0.01).build()
    yield Case("closed chain, 2 s", chain, np.asarray(bough.MidpointVI(chain, 0.01).start().q), 2.0)
    crank = slider_crank()
    start = crank.configuration({"crank": math.pi / 3, "rod": -2.0 * math.pi / 3})
    yield Case("slider crank, 2 s", crank, start, 2.0)


def slider_crank() -> Model:
    """Two links of 1 m and 1 kg with inertia 0.1, and the end of the second on a line."""
    system, inertia = bough.System("slider crank"), (0.1, 0.1, 0.1)
    end = system.world.ry("crank").tx(0.5, mass=1.0, inertia=inertia).tx(0.5)
    pin = end.ry("rod").tx(0.5, mass=1.0, inertia=inertia).tx(0.5, name="pin")
    system.add(bough.PlaneConstraint(pin, system.world.frame("ground"), normal=(0, 0, 1)))
    return system.build()


def _rows(case: Case) -> Iterator[Row]:
    notes: dict[str, str] = {}
    exact = _ours(case, round(1000 * case.duration), order=8)()
    points: dict[str, list[Point]] = {}
    for order in (2, 4, 6, 8):
        points[f"order {order}"] = _own(case, exact, order)
    projected = {"stabilization": "projection"} if case.model.nc else {}
    points["rk4 in the core"] = _own_explicit(case, exact, projected)
    points["dop853 in the core"] = _adaptive("dop853 in the core", case, exact, _own_dop853)
    points["SciPy DOP853"] = _adaptive("SciPy DOP853", case, exact, _scipy_dop853)
    if case.model.nc == 0:
        points |= {name: _pinocchio(name, case, exact) for name in PINOCCHIO}
    try:
        points["MuJoCo RK4"] = _mujoco(case, exact)
    except bough.ModelError as refused:
        notes["MuJoCo RK4"] = f"left out: {refused.found}"
    everything = {c.timed.name: c.timed for found in points.values() for c in found}
    timed = interleave(list(everything.values()), seconds=12.0, rounds=(5, 40))
    for error in ERRORS:
        timings = {}
        for name, found in points.items():
            at = _at(error, found, timed, case.duration)
            if at is None:
                notes[name] = f"does not reach {error:.0e}"
            else:
                timings[name] = at
        best, peer = fastest(timings, OURS), fastest(timings, PEERS)
        shown = {name: note for name, note in notes.items() if name not in timings}
        yield Row(
            "work_precision",
            f"{case.name}, {error:.0e}",
            "s",
            timings,
            best,
            peer,
            1.0 if peer else None,
            shown,
        )


def _at(error: float, points: Sequence[Point], timed: dict[str, Timing], duration: float) -> Timing | None:
    """The time of a simulated second at an error, from the cheapest pair of neighbours around it."""
    ladder = sorted((p for p in points if math.isfinite(p.error) and p.error > 0.0), key=lambda p: p.steps)
    for coarse, fine in pairwise(ladder):
        if not fine.error <= error or coarse.error <= fine.error:
            continue
        share = math.log(max(coarse.error, error) / error) / math.log(max(coarse.error, error) / fine.error)
        costs = [np.log(timed[p.timed.name].rounds * p.steps / duration) for p in (coarse, fine)]
        return Timing(np.exp((1.0 - share) * costs[0] + share * costs[1]))
    return None


def _ladder(first: int, count: int, factor: float = 2.0**0.5) -> list[int]:
    return [round(first * factor**k) for k in range(count)]


Run = Callable[[], Array]


def _ours(case: Case, steps: int, order: int) -> Run:
    """The configuration at the end, by the loop of the core."""
    model, dt = case.model, case.duration / steps
    vi = bough.MidpointVI(model, dt, order=order)
    p = model.momentum(case.q, np.zeros(model.nq))[: model.nd]
    stepper, buffers = vi.new_stepper(), vi.buffers(1)
    k, u = np.zeros((0, model.nk)), np.zeros((1, model.nu))

    def run() -> Array:
        stepper.start(0.0, case.q, p, np.zeros(model.nk))
        status, *_ = stepper.run(steps, dt, k, u, steps, 0, *buffers, 0)
        return np.array(buffers[1][0]) if status == 0 else np.full(model.nq, np.nan)

    return run


def _distance(q: Array, exact: Array) -> float:
    return float(np.max(np.abs(q - exact)))


def _own(case: Case, exact: Array, order: int) -> list[Point]:
    """Steps from where the rule is rough to where its error is below 1e-10, or a step takes too many."""
    first = {2: 15, 4: 8, 6: 5, 8: 4}[order] * round(case.duration)
    points = []
    for steps in _ladder(first, 26):
        run = _ours(case, steps, order)
        error = _distance(run(), exact)
        points.append(Point(error, steps, Contender(f"order {order}, {steps} steps", run, steps)))
        if error < ERRORS[-1] or steps > 4000 * case.duration:
            break
    return points


def _explicit(
    name: str, case: Case, exact: Array, run: Callable[[int, float], Array], empty: bool
) -> list[Point]:
    """Errors at many steps; the time of a step is that at one of them."""
    dt = case.duration / EXPLICIT_STEPS
    timed = Contender(
        name,
        lambda: run(EXPLICIT_STEPS, dt),
        EXPLICIT_STEPS,
        (lambda: run(1, dt)) if empty else None,
        1 if empty else 0,
    )
    points = []
    for steps in _ladder(round(8 * case.duration), 32):
        error = _distance(run(steps, case.duration / steps), exact)
        points.append(Point(error, steps, timed))
        if error < ERRORS[-1] or steps > 20_000 * case.duration:
            break
    return points


def _own_explicit(case: Case, exact: Array, options: dict[str, str]) -> list[Point]:
    def run(steps: int, dt: float) -> Array:
        return bough.simulate(
            case.model, case.q, duration=steps * dt, dt=dt, every=steps, integrator="rk4", **options
        ).q[-1]

    return _explicit("rk4 in the core", case, exact, run, empty=True)


def _pinocchio(name: str, case: Case, exact: Array) -> list[Point]:
    peer = Pinocchio(case.model)

    def run(steps: int, dt: float) -> Array:
        q, v = case.q.copy(), np.zeros(case.model.nq)
        peer.runge_kutta(PINOCCHIO[name], steps, dt, q, v)
        return q

    return _explicit(name, case, exact, run, empty=False)


def _mujoco(case: Case, exact: Array) -> list[Point]:
    made: dict[float, mujoco.MuJoCo] = {}

    def run(steps: int, dt: float) -> Array:
        if dt not in made:
            made[dt] = mujoco.MuJoCo(
                case.model, case.q, dt=dt, integrator="RK4", time_constant=max(0.002, 2.0 * dt)
            )
        made[dt].reset()
        made[dt].step(steps)
        return made[dt].q

    return _explicit("MuJoCo RK4", case, exact, run, empty=False)


def _own_dop853(case: Case, rtol: float) -> Run:
    """The configuration at the end, by the loop of the core."""
    model, end = case.model, np.array([case.duration])
    method = core.Dop853(model._core, rtol, rtol, math.inf, 0.0, (0.0, 0.0), model.nc > 0, [], [], [])
    rest, u = np.zeros(model.nv), np.zeros(model.nu)
    q, v = np.empty((1, model.nq)), np.empty((1, model.nv))

    def run() -> Array:
        method.start(0.0, case.q, rest)
        method.forget_rate()
        status, *_ = method.run(case.duration, u, 10**6, False, end, q, v, 0)
        return q[0].copy() if status == 0 else np.full(model.nq, np.nan)

    return run


def _scipy_dop853(case: Case, rtol: float) -> Run:
    kept = {"stabilization": "projection"} if case.model.nc else {}
    settings = {"integrator": "scipy-dop853", "rtol": rtol, "atol": rtol, **kept}
    return lambda: bough.simulate(case.model, case.q, duration=case.duration, dt=case.duration, **settings).q[
        -1
    ]


def _adaptive(name: str, case: Case, exact: Array, method: Callable[[Case, float], Run]) -> list[Point]:
    """Tolerances in place of steps: the whole run is what one point times."""
    points = []
    for k in range(2, 14):
        run = method(case, 10.0**-k)
        error = _distance(run(), exact)
        points.append(Point(error, k, Contender(f"{name}, {k} digits", run, k)))
        if error < ERRORS[-1]:
            break
    return points
