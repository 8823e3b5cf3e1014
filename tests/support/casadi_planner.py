"""The least-acceleration turn of a floating body in CasADi, solved by IPOPT: the planner's oracle.

Nothing is shared with the planner: the connection comes from the kinetic energy of a list of bodies,
differentiated by CasADi; shapes, velocities and rotation matrices of all nodes are unknowns, and the steps
are equality constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

Array = np.ndarray


class Body(NamedTuple):
    """A body at pose(r) of the base, 4x4, its mass at the origin of the pose with these principal moments."""

    mass: float
    moments: Sequence[float]
    pose: Callable[[Any], Any]


def rotation(axis: int, angle: Any) -> Any:
    """A 4x4 rotation about x, y or z."""
    c, s = ca.cos(angle), ca.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    g = ca.SX.eye(4)
    g[i, i], g[j, j], g[i, j], g[j, i] = c, c, -s, s
    return g


def translation(x: float, y: float, z: float) -> Any:
    """A 4x4 translation."""
    g = ca.SX.eye(4)
    g[0, 3], g[1, 3], g[2, 3] = x, y, z
    return g


def coefficients(bodies: Sequence[Body], n: int) -> Any:
    """I(r), A(r), S(r) as a CasADi function: from T at base twist (w, v) and shape velocity u."""
    r, u, twist = ca.SX.sym("r", n), ca.SX.sym("u", n), ca.SX.sym("twist", 6)
    kinetic = 0
    for body in bodies:
        g = body.pose(r)
        R, x = g[:3, :3], g[:3, 3]
        dx, dR = ca.jtimes(x, r, u), ca.reshape(ca.jtimes(ca.reshape(R, 9, 1), r, u), 3, 3)
        velocity = twist[3:] + ca.cross(twist[:3], x) + dx
        turning = R.T @ dR
        rate = R.T @ twist[:3] + ca.vertcat(turning[2, 1], turning[0, 2], turning[1, 0])
        kinetic += 0.5 * body.mass * ca.dot(velocity, velocity)
        kinetic += 0.5 * ca.dot(rate, ca.DM(body.moments) * rate)
    momentum = ca.gradient(kinetic, twist)
    locked, coupling = ca.jacobian(momentum, twist), ca.jacobian(momentum, u)
    A = ca.solve(locked, coupling)
    return ca.Function("coefficients", [r], [locked, A, ca.hessian(kinetic, u)[0] - coupling.T @ A])


def connection(bodies: Sequence[Body], n: int) -> Any:
    """The angular rows of A(r) as a CasADi function."""
    r = ca.SX.sym("r", n)
    return ca.Function("A", [r], [coefficients(bodies, n)(r)[1][:3, :]])


def solve(
    A: Any,
    start: Array,
    end: Array,
    target: Array,
    duration: float,
    steps: int,
    bounds: tuple[float, float] | None,
    guess: Array | None = None,
) -> tuple[float, Array]:
    """The least sum of h/2 a² and the shapes (steps + 1, n), from a straight line.

    Parameters
    ----------
    bounds : lower and upper limit of all joint variables, or None
    guess : shapes to begin with, in place of the straight line
    """
    n, h = len(start), duration / steps
    opti = ca.Opti()
    r, v, a = opti.variable(n, steps + 1), opti.variable(n, steps + 1), opti.variable(n, steps)
    R = [opti.variable(3, 3) for _ in range(steps + 1)]
    opti.minimize(0.5 * h * ca.sumsqr(a))
    for k in range(steps):
        opti.subject_to(v[:, k + 1] == v[:, k] + h * a[:, k])
        opti.subject_to(r[:, k + 1] == r[:, k] + 0.5 * h * (v[:, k] + v[:, k + 1]))
        w = -0.5 * (A(r[:, k]) + A(r[:, k + 1])) @ (r[:, k + 1] - r[:, k])
        half = 0.5 * ca.skew(w)
        opti.subject_to(ca.vec(R[k + 1] @ (ca.MX.eye(3) - half) - R[k] @ (ca.MX.eye(3) + half)) == 0)
    for node, shape, attitude in ((0, start, np.eye(3)), (steps, end, None)):
        opti.subject_to(r[:, node] == shape)
        opti.subject_to(v[:, node] == 0)
        if attitude is not None:
            opti.subject_to(ca.vec(R[node]) == ca.vec(attitude))
    turned = ca.DM(target).T @ R[steps]
    opti.subject_to(
        ca.vertcat(turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]) == 0
    )
    if bounds is not None:
        for k in range(1, steps):
            opti.subject_to(opti.bounded(bounds[0], r[:, k], bounds[1]))
    s = np.linspace(0.0, 1.0, steps + 1)
    opti.set_initial(r, (start[:, None] + (end - start)[:, None] * (3 * s**2 - 2 * s**3)))
    opti.set_initial(v, (end - start)[:, None] * (6 * s - 6 * s**2) / duration)
    for node in R:
        opti.set_initial(node, np.eye(3))
    if guess is not None:
        _begin(opti, A, r, v, a, R, guess, h)
    opti.solver(
        "ipopt", {"print_time": False}, {"print_level": 0, "tol": 1e-10, "sb": "yes", "max_iter": 1000}
    )
    solution = opti.solve()
    return float(solution.value(0.5 * h * ca.sumsqr(a))), np.asarray(solution.value(r)).reshape(
        n, steps + 1
    ).T


def _begin(opti: Any, A: Any, r: Any, v: Any, a: Any, R: list[Any], guess: Array, h: float) -> None:
    """Begin at a motion: its velocities at the nodes, accelerations and attitudes."""
    opti.set_initial(r, guess.T)
    speed, attitude = np.zeros(guess.shape[1]), np.eye(3)
    for k in range(len(guess) - 1):
        mean = (guess[k + 1] - guess[k]) / h
        opti.set_initial(v[:, k], speed)
        opti.set_initial(a[:, k], 2.0 * (mean - speed) / h)
        opti.set_initial(R[k], attitude)
        half = -0.25 * h * np.array(A(guess[k]) + A(guess[k + 1])) @ mean
        half = np.array([[0, -half[2], half[1]], [half[2], 0, -half[0]], [-half[1], half[0], 0]])
        attitude = attitude @ (np.eye(3) + half) @ np.linalg.inv(np.eye(3) - half)
        speed = 2.0 * mean - speed
    opti.set_initial(R[-1], attitude)
