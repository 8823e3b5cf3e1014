"""Optimal control of planar mechanisms in CasADi, solved by IPOPT: the peer of `bough.control.optimize`.

Nothing is shared with bough: the Lagrangian is that of a list of masses and rods, the discrete Lagrangian of the
midpoint rule and the derivatives of both are CasADi's, and the discrete Euler–Lagrange equations

    p_k + D1 L(q_k, q_k+1) + dt/2 f = Dh(q_k)ᵀ μ_k ,   p_k+1 = D2 L(q_k, q_k+1) + dt/2 f ,   h(q_k+1) = 0

are equality constraints on the configurations, inputs and multipliers of all steps. The momenta are eliminated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from benchmarks.systems import Array


@dataclass(frozen=True)
class Rod:
    """A mass at a place (x, z) that has a moment of inertia about its angle, both expressions in q."""

    mass: float
    place: Any
    angle: Any = 0.0
    inertia: float = 0.0


@dataclass(frozen=True)
class Mechanism:
    """Rods over variables q, driven by inputs at some of them, with the same damping at all, closed by rows."""

    q: Any
    rods: Sequence[Rod]
    driven: Sequence[int]
    damping: float = 0.0
    rows: Any = field(default_factory=lambda: ca.SX(0, 1))
    gravity: float = 9.81


@dataclass(frozen=True)
class Control:
    """From a configuration at rest, least Σ dt/2 (effort u² + weight of variables · q1²) plus the cost of the end.

    end : of (q, p) of the last node, rows that vanish there
    end_cost : of q of the last node
    """

    start: Array
    duration: float
    steps: int
    effort: float
    track: dict[int, float] = field(default_factory=dict)
    end: Callable[[Any, Any], Any] | None = None
    end_cost: Callable[[Any], Any] | None = None
    inputs: float = np.inf  # largest size
    variables: dict[int, float] = field(default_factory=dict)  # their largest sizes


def momenta(mechanism: Mechanism, dt: float) -> Any:
    """(−D1 − dt/2 f, D2 + dt/2 f) of a step as a CasADi function of (q0, q1, u)."""
    q, n = mechanism.q, mechanism.q.numel()
    v = ca.SX.sym("v", n)
    lagrangian = 0
    for rod in mechanism.rods:
        moved = ca.jtimes(rod.place, q, v)
        lagrangian += 0.5 * rod.mass * ca.dot(moved, moved) - rod.mass * mechanism.gravity * rod.place[1]
        if rod.inertia:
            lagrangian += 0.5 * rod.inertia * ca.jtimes(rod.angle, q, v) ** 2
    q0, q1, u = ca.SX.sym("q0", n), ca.SX.sym("q1", n), ca.SX.sym("u", len(mechanism.driven))
    mean, velocity = 0.5 * (q0 + q1), (q1 - q0) / dt
    action = dt * ca.substitute(lagrangian, ca.vertcat(q, v), ca.vertcat(mean, velocity))
    force = -mechanism.damping * velocity
    for i, at in enumerate(mechanism.driven):
        force[at] += u[i]
    half = 0.5 * dt * force
    return ca.Function(
        "momenta", [q0, q1, u], [-ca.gradient(action, q0) - half, ca.gradient(action, q1) + half]
    )


def solver(mechanism: Mechanism, task: Control, *, limit: int = 3000) -> Callable[[Any], tuple[float, Array]]:
    """A function that solves a task by IPOPT from a motion (steps + 1, n) with no inputs: the cost and the motion."""
    n, nu, steps, dt = mechanism.q.numel(), len(mechanism.driven), task.steps, task.duration / task.steps
    both = momenta(mechanism, dt)
    h = ca.Function("h", [mechanism.q], [mechanism.rows])
    m = mechanism.rows.numel()
    turned = ca.Function("Dh", [mechanism.q], [ca.jacobian(mechanism.rows, mechanism.q)])
    Q, U, MU = ca.SX.sym("Q", n, steps + 1), ca.SX.sym("U", nu, steps), ca.SX.sym("MU", m, steps)
    rows, cost, p = [Q[:, 0] - task.start], ca.SX(0), ca.SX.zeros(n)
    for k in range(steps):
        before, after = both(Q[:, k], Q[:, k + 1], U[:, k])
        pushed = turned(Q[:, k]).T @ MU[:, k] if m else 0
        rows += [p - before - pushed, h(Q[:, k + 1])]
        p = after
        cost += 0.5 * dt * task.effort * ca.sumsqr(U[:, k])
        cost += 0.5 * dt * sum(weight * Q[i, k + 1] ** 2 for i, weight in task.track.items())
    if task.end is not None:
        rows.append(task.end(Q[:, steps], p))
    if task.end_cost is not None:
        cost += task.end_cost(Q[:, steps])
    size = np.full((n, steps + 1), np.inf)
    for i, largest in task.variables.items():
        size[i, 1:] = largest
    bounds = np.concatenate(
        [size.ravel(order="F"), np.full(nu * steps, task.inputs), np.full(m * steps, np.inf)]
    )
    unknown = ca.vertcat(ca.vec(Q), ca.vec(U), ca.vec(MU))
    quiet = {"ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": False, "ipopt.tol": 1e-9}
    program = {"x": unknown, "f": cost, "g": ca.vertcat(*rows)}
    ipopt = ca.nlpsol("ipopt", "ipopt", program, {**quiet, "ipopt.max_iter": limit})

    def solve(motion: Any) -> tuple[float, Array]:
        guess = np.concatenate([np.asarray(motion).ravel(), np.zeros((nu + m) * steps)])
        found = ipopt(x0=guess, lbx=-bounds, ubx=bounds, lbg=0.0, ubg=0.0)
        if not ipopt.stats()["success"]:
            raise RuntimeError(f"IPOPT ended with {ipopt.stats()['return_status']}")
        return float(found["f"]), np.array(found["x"]).ravel()[: n * (steps + 1)].reshape(steps + 1, n)

    return solve
