"""The least-force motion of a floating body in CasADi, solved by IPOPT: the oracle of `bough.control.plan`.

Nothing is shared with the planner: the reduced Lagrangian comes from the kinetic energy of a list of bodies,
the momenta of a step from its discrete action, both differentiated by CasADi; shapes, momenta, forces, twists
and rotation matrices of all steps are unknowns, and the equations of the steps are equality constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from support.casadi_planner import Body, coefficients

Array = np.ndarray


class Problem(NamedTuple):
    """From (1, start) with a moment of momentum about the centre of mass, which rests, to (target, end)."""

    start: Array
    end: Array
    target: Array
    duration: float
    steps: int
    moment: Sequence[float] = (0.0, 0.0, 0.0)
    shape: float = np.inf  # largest size of the joint variables on the way
    velocity: float = np.inf
    force: float = np.inf


def step(bodies: Sequence[Body], n: int) -> Any:
    """The equations of one step as a CasADi function of (h, r0, r1, x, R, moment).

    Returns what the balance of momentum leaves (6), the momenta D1 and D2 of the action of the step (n each),
    and the Cayley vector w of the rotation of the step.
    """
    r0, r1, x, h = ca.SX.sym("r0", n), ca.SX.sym("r1", n), ca.SX.sym("x", 6), ca.SX.sym("h")
    R, moment = ca.SX.sym("R", 3, 3), ca.SX.sym("moment", 3)
    lag = coefficients(bodies, n)
    (I0, A0, S0), (I1, A1, S1) = lag(r0), lag(r1)
    u = (r1 - r0) / h
    omega = x + 0.5 * (A0 + A1) @ u
    action = 0.25 * h * (ca.bilin(I0 + I1, omega, omega) + ca.bilin(S0 + S1, u, u))
    mu = ca.gradient(action, x) / h
    y = ca.SX.sym("y", 6)
    carried = (ca.SX.eye(4) - 0.5 * h * _hat(x)) @ _hat(y) @ (ca.SX.eye(4) + 0.5 * h * _hat(x))
    pulled = ca.substitute(ca.gradient(ca.dot(mu, _vee(carried)), y), y, 0)
    left = pulled - ca.vertcat(R.T @ moment, ca.SX.zeros(3))
    D1, D2 = ca.gradient(action, r0), ca.gradient(action, r1)
    return ca.Function("step", [h, r0, r1, x, R, moment], [left, D1, D2, h * x[:3]])


def _hat(x: Any) -> Any:
    return ca.vertcat(ca.horzcat(ca.skew(x[:3]), x[3:]), ca.SX.zeros(1, 4))


def _vee(m: Any) -> Any:
    return ca.vertcat(m[2, 1], m[0, 2], m[1, 0], m[:3, 3])


def solve(
    bodies: Sequence[Body], task: Problem, guess: tuple[Array, Array, Array] | None = None
) -> tuple[float, Array]:
    """The least sum of h/2 f² and the shapes (steps + 1, n), from a straight line.

    Parameters
    ----------
    guess : shapes, poses and forces to begin with, (steps + 1, n), (steps + 1, 4, 4), (steps, n)
    """
    n, steps, h = len(task.start), task.steps, task.duration / task.steps
    equations, lag = step(bodies, n), coefficients(bodies, n)
    opti = ca.Opti()
    r, p, f = opti.variable(n, steps + 1), opti.variable(n, steps + 1), opti.variable(n, steps)
    x = opti.variable(6, steps)
    R = [opti.variable(3, 3) for _ in range(steps + 1)]
    opti.minimize(0.5 * h * ca.sumsqr(f))
    for k in range(steps):
        left, D1, D2, w = equations(h, r[:, k], r[:, k + 1], x[:, k], R[k], task.moment)
        half = 0.5 * ca.skew(w)
        opti.subject_to(left == 0)
        opti.subject_to(p[:, k] == -D1 - 0.5 * h * f[:, k])
        opti.subject_to(p[:, k + 1] == D2 + 0.5 * h * f[:, k])
        opti.subject_to(ca.vec(R[k + 1] @ (ca.MX.eye(3) - half) - R[k] @ (ca.MX.eye(3) + half)) == 0)
    for node, shape, attitude in ((0, task.start, np.eye(3)), (steps, task.end, task.target)):
        body = ca.vertcat(ca.DM(attitude).T @ ca.DM(task.moment), ca.DM.zeros(3))
        opti.subject_to(r[:, node] == shape)
        opti.subject_to(p[:, node] == lag(shape)[1].T @ body)
    opti.subject_to(ca.vec(R[0]) == ca.vec(ca.DM.eye(3)))
    turned = ca.DM(task.target).T @ R[steps]
    opti.subject_to(ca.inv_skew(turned) == 0)
    _limits(opti, task, r, f, h)
    for node in R:
        opti.set_initial(node, np.eye(3))
    if guess is None:
        s = np.linspace(0.0, 1.0, steps + 1)
        opti.set_initial(r, task.start[:, None] + np.outer(task.end - task.start, 3 * s**2 - 2 * s**3))
    else:
        _begin(opti, equations, task, (r, p, f, x, R), guess)
    options = {"print_level": 0, "tol": 1e-10, "sb": "yes", "max_iter": 2000}
    if guess is not None:
        # A motion along limits is judged where it is: IPOPT's first barrier, 0.1, would push it to another minimum.
        options |= {"mu_init": 1e-6, "bound_push": 1e-8, "bound_frac": 1e-8}
    opti.solver("ipopt", {"print_time": False, "expand": True}, options)
    solution = opti.solve()
    return float(solution.value(opti.f)), np.asarray(solution.value(r)).reshape(n, steps + 1).T


def _limits(opti: Any, task: Problem, r: Any, f: Any, h: float) -> None:
    u = (r[:, 1:] - r[:, :-1]) / h
    for values, bound in ((r[:, 1:-1], task.shape), (u, task.velocity), (f, task.force)):
        if np.isfinite(bound):
            opti.subject_to(opti.bounded(-bound, ca.vec(values), bound))


def _begin(opti: Any, equations: Any, task: Problem, unknowns: Any, guess: Any) -> None:
    """Begin at a motion: the twists and momenta of its steps follow from poses, shapes and forces."""
    (r, p, f, x, R), (shapes, poses, forces) = unknowns, guess
    h = task.duration / task.steps
    opti.set_initial(r, shapes.T)
    opti.set_initial(f, forces.T)
    for node, pose in zip(R, poses, strict=True):
        opti.set_initial(node, pose[:3, :3])
    for k in range(task.steps):
        moved = np.linalg.inv(poses[k]) @ poses[k + 1]
        twist = np.array(_vee(ca.DM(2.0 / h * (moved - np.eye(4)) @ np.linalg.inv(moved + np.eye(4)))))
        _, D1, D2, _ = equations(h, shapes[k], shapes[k + 1], twist, poses[k][:3, :3], task.moment)
        opti.set_initial(x[:, k], twist)
        opti.set_initial(p[:, k], -D1 - 0.5 * h * forces[k])
    opti.set_initial(p[:, -1], D2 + 0.5 * h * forces[-1])
