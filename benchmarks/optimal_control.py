"""Optimal control of any model: whole searches beside IPOPT and crocoddyl, all from no inputs on one thread.

IPOPT solves the same steps, written in CasADi with its exact Hessians (`discrete_casadi`); where both end at the same
minimum, it is compared to 1e-6, and otherwise the costs stand beside the times. crocoddyl has Euler steps of the same
length and ends as costs (`crocoddyl_euler`), which the cart-pole of bough has too; its gains are those of one pass over
fifty steps of an upright pendulum of twenty links. Last, a marionette that tracks a motion: iterations of 500 steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec

import numpy as np

import bough
from benchmarks.control_models import driven_pendulum
from benchmarks.harness import Contender, Row, Timing, interleave, require_equal
from bough.control import Effort, Track, lqr, optimize

ONE = {"threads": 1, "progress": False}


def rows() -> Iterator[Row]:
    yield from _beside_ipopt()
    if find_spec("crocoddyl") is not None:
        yield from _beside_crocoddyl()
    yield _marionette()


def _row(system: str, unit: str, timings: Mapping[str, Timing], peer: str | None, **notes: str) -> Row:
    return Row("optimal_control", system, unit, timings, ours="bough", peer=peer, target=None, notes=notes)


def _beside_ipopt() -> Iterator[Row]:
    from benchmarks import control_tasks as tasks

    for make in (tasks.swing_up, tasks.double_swing_up, tasks.turned_four_bar, tasks.chain_between_poses):
        task = make()
        ipopt, found = task.ipopt(), task.solve(**ONE).statistics["cost"]
        theirs, _ = ipopt()
        if make is not tasks.double_swing_up:  # which has several minima
            require_equal("cost", np.array([found]), np.array([theirs]), 1e-6)
        contenders = [
            Contender("bough", lambda task=task: task.solve(**ONE), 1),
            Contender("IPOPT", lambda ipopt=ipopt: ipopt(), 1),
        ]
        timings = interleave(contenders, seconds=5.0, rounds=(3, 10))
        yield _row(
            task.name, "search", timings, "IPOPT", bough=f"cost {found:.5g}", IPOPT=f"cost {theirs:.5g}"
        )


def _beside_crocoddyl() -> Iterator[Row]:
    from benchmarks import control_tasks as tasks
    from benchmarks.crocoddyl_euler import chain, fddp, gains, problem

    cart, pole, rod = ("slide", 0.0, 1.0, 0.0, 0.0), ("hinge", 0.0, 0.1, 0.5, 0.1 / 12.0), (0.2, 0.3, 0.006)
    chains = {
        tasks.swing_up: chain([cart, pole]),
        tasks.double_swing_up: chain([cart, ("hinge", 0.0, *rod), ("hinge", 0.6, *rod)]),
    }
    for make, planar in chains.items():
        task = make()
        name, goal, given = task.name, task.control, task.given
        if make is tasks.swing_up:  # without limits, and with the end that crocoddyl has
            name, given = f"{name}, soft end", {**tasks.swing_up(limits=False).given, "end_weight": 200.0}
        x, weights = np.concatenate([goal.start, np.zeros(planar.nv)]), np.zeros(2 * planar.nv)
        for i, weight in goal.track.items():
            weights[i] = weight
        dt = goal.duration / goal.steps
        solve = fddp(
            problem(planar, x, 0.0 * x, dt, goal.steps, effort=goal.effort, track=weights, end=200.0)
        )
        run, theirs = optimize(task.model, **given, **ONE), solve()
        notes = {
            "bough": _ended(run.statistics["iterations"], np.abs(run.q[-1]).max()),
            "crocoddyl": _ended(theirs.iter, np.abs(np.array(theirs.xs)[-1][: planar.nv]).max()),
        }
        contenders = [
            Contender("bough", lambda task=task, given=given: optimize(task.model, **given, **ONE), 1),
            Contender("crocoddyl", solve, 1),
        ]
        timings = interleave(contenders, seconds=5.0, rounds=(3, 10))
        yield _row(name, "search", timings, "crocoddyl", **notes)
    model = driven_pendulum(20)
    planar = chain([("hinge", -1.0 if i else 0.0, 1.0, -1.0, 0.1) for i in range(20)])
    x = np.concatenate([[np.pi], np.zeros(39)])
    still = bough.simulate(model, q=x[:20], u=np.zeros((50, 20)), duration=1.0, dt=0.02)
    upright = problem(planar, x, x, 0.02, 50, effort=1e-3, track=1.0, end=1.0, full=True)
    contenders = [
        Contender("bough", lambda: lqr(still, Q=1.0, R=1e-3), 50),
        Contender("crocoddyl", gains(upright), 50),
    ]
    yield _row("twenty links", "gain", interleave(contenders, seconds=3.0, rounds=(5, 50)), "crocoddyl")


def _ended(iterations: int, off: float) -> str:
    return f"{iterations} it., {off:.0e} off"


def _marionette() -> Row:
    model = bough.gallery.marionette().build()
    motion = bough.gallery.marionette_motion("wave")
    late = {name: (lambda t, f=f: f(max(t - 0.1, 0.0))) for name, f in motion.items()}
    wanted = bough.simulate(model, k=motion, duration=5.0, dt=0.01)
    guess = bough.simulate(model, q=wanted.q[0], k=late, duration=5.0, dt=0.01)

    def once() -> None:
        try:
            optimize(
                model,
                q=wanted.q[0],
                duration=5.0,
                dt=0.01,
                cost=[Track(wanted, 100.0), Effort(1e-4)],
                guess=guess,
                max_iterations=8,
                tolerance=1e-14,
                threads=1,
                progress=False,
            )
        except bough.ConvergenceError:
            return

    timings = interleave([Contender("bough", once, 8)], seconds=20.0, rounds=(2, 4))
    return Row(
        "optimal_control",
        "marionette, 500 steps",
        "iteration",
        timings,
        ours="bough",
        peer=None,
        target=None,
    )
