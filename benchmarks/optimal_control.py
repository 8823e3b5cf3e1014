"""Optimal control of any model: whole searches, and CasADi with IPOPT on the same steps from the same guess.

The swing-up of a cart-pole beside IPOPT with exact Hessians; a marionette that tracks a motion, eight
iterations of 500 steps on one thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import bough
from benchmarks.harness import Contender, Row, interleave, require_equal
from bough.control import Effort, Step, Track, optimize

SWING: dict[str, Any] = {
    "q": {"angle": np.pi},
    "duration": 2.0,
    "dt": 0.025,
    "cost": [Effort(0.05), Track({"x": 0.0}, weight=0.1)],
    "end": {"x": 0.0, "angle": 0.0},
    "threads": 1,
    "progress": False,
}


def rows() -> Iterator[Row]:
    yield _swing_up()
    yield _marionette()


def _swing_up() -> Row:
    model = bough.gallery.cart_pole().build()
    ipopt = _ipopt(Step(model, 0.025), optimize(model, **SWING))
    contenders = [Contender("bough", lambda: optimize(model, **SWING), 1), Contender("IPOPT", ipopt, 1)]
    timings = interleave(contenders, seconds=6.0, rounds=(3, 10))
    return Row("optimal_control", "cart-pole", "swing-up", timings, ours="bough", peer="IPOPT", target=None)


def _ipopt(step: Step, run: bough.Trajectory) -> Any:
    """A function that solves the swing-up by IPOPT from no input, where bough begins too, to the same minimum."""
    import casadi

    from bough.control.adapters.casadi import casadi_step

    f, steps, expected = casadi_step(step), len(run) - 1, run.statistics["cost"]
    X, C = casadi.MX.sym("X", 4, steps + 1), casadi.MX.sym("C", 1, steps)
    start = step.state({"angle": np.pi})
    rows = [X[:, 0] - start, X[:, -1]] + [X[:, k + 1] - f(X[:, k], C[:, k]) for k in range(steps)]
    total = sum(0.0125 * (0.05 * C[0, k] ** 2 + 0.1 * X[0, k + 1] ** 2) for k in range(steps))
    flat = casadi.vertcat(casadi.vec(X), casadi.vec(C))
    quiet = {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes", "ipopt.tol": 1e-9}
    solver = casadi.nlpsol("solver", "ipopt", {"x": flat, "f": total, "g": casadi.vertcat(*rows)}, quiet)
    guess = np.concatenate([np.tile(start, steps + 1), np.zeros(steps)])

    def once(kept: Any = f) -> float:  # CasADi does not keep the function that its graph calls
        found = float(solver(x0=guess, lbg=0.0, ubg=0.0)["f"])
        if not solver.stats()["success"]:
            raise RuntimeError(f"IPOPT ended with {solver.stats()['return_status']}")
        return found

    require_equal("cost", np.array([once()]), np.array([expected]), 1e-6)
    return once


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
        "marionette",
        "iteration of 500 steps",
        timings,
        ours="bough",
        peer=None,
        target=None,
    )
