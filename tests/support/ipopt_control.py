"""The problems of `bough.control.optimize` written for CasADi and solved by IPOPT: states and controls of all steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bough.control import Step
from support.transforms import Array


def solved(
    step: Step,
    run: Any,
    cost: Callable[[Any, Any, Any], Any],
    end: Callable[[Any], Any] | None = None,
    end_cost: Callable[[Any], Any] | None = None,
    bounds: dict[int, tuple[float, float]] | None = None,
) -> tuple[float, Array]:
    """The least cost and the states, from a guess `run`: Σ cost(x, c, x1) + end_cost(x_N), end(x_N) = 0.

    bounds : of entries of z = (x, c) of all steps
    """
    import casadi

    from bough.control.adapters.casadi import casadi_step

    f = casadi_step(step)
    nx, nc, steps = len(step.states), len(step.controls), len(run) - 1
    X, C = casadi.MX.sym("X", nx, steps + 1), casadi.MX.sym("C", nc, steps)
    model = step.model
    x_guess = np.concatenate([run.q, run.p], axis=1)
    c_guess = np.concatenate([run.u[:-1], run.q[1:, model.nd :]], axis=1)
    rows = [X[:, 0] - x_guess[0]] + [X[:, k + 1] - f(X[:, k], C[:, k]) for k in range(steps)]
    total = sum(cost(X[:, k], C[:, k], X[:, k + 1]) for k in range(steps))
    if end is not None:
        rows.append(end(X[:, -1]))
    if end_cost is not None:
        total = total + end_cost(X[:, -1])
    low, high = np.full((nx + nc, steps + 1), -np.inf), np.full((nx + nc, steps + 1), np.inf)
    for i, (least, largest) in (bounds or {}).items():
        low[i, 1:] = least
        high[i, 1:] = largest
        if i >= nx:
            low[i, 0], high[i, 0] = least, largest
    flat = casadi.vertcat(casadi.vec(X), casadi.vec(C))
    limits = [np.concatenate([b[:nx].ravel(order="F"), b[nx:, :-1].ravel(order="F")]) for b in (low, high)]
    solver = casadi.nlpsol(
        "solver",
        "ipopt",
        {"x": flat, "f": total, "g": casadi.vertcat(*rows)},
        {"ipopt.print_level": 0, "print_time": False, "ipopt.tol": 1e-9, "ipopt.sb": "yes"},
    )
    start = np.concatenate([x_guess.ravel(), c_guess.ravel()])
    found = solver(x0=start, lbx=limits[0], ubx=limits[1], lbg=0.0, ubg=0.0)
    assert solver.stats()["success"], solver.stats()["return_status"]
    states = np.array(found["x"]).ravel()[: nx * (steps + 1)].reshape(steps + 1, nx)
    return float(found["f"]), states
