"""One step of the papers' variational integrator, written down literally: the slow truth for the core.

[JM09] eq. 44-46 in position-momentum form, with the discrete forces fd- = fd+ = dt f / 2 (the print lost dt):

    p0 + D1 Ld(q0, q1) + fd- - Dh(q0)^T mu = 0,    h(q1) = 0,    p1 = D2 Ld(q0, q1) + fd+

The Lagrangian comes from the papers' recursion; springs, damping, forces and constraints are spelled out here
from the poses of their frames. The equations are solved by Newton's method with a dense Jacobian taken by
finite differences, until the residual no longer falls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import bough
from bough.model.flatten import flatten
from support.paper_recursion import PaperRecursion
from support.transforms import Array


class PaperStep:
    """The discrete equations of a system, its elements included.

    Parameters
    ----------
    system
        With springs, damping, forces on variables, point and distance constraints.
    method
        "midpoint" or "trapezoidal".
    alpha
        Of the midpoint rule.
    """

    def __init__(self, system: bough.System, method: str = "midpoint", alpha: float = 0.5) -> None:
        flat = flatten(system)
        self.paper = PaperRecursion(flat.arrays)
        self.nq, self.nd = self.paper.nv, self.paper.nd
        self.method, self.alpha = method, alpha
        self.frame = {label: k for k, label in enumerate(flat.frame_labels)}
        self.variable = {name: a for a, name in enumerate(flat.variable_names)}
        self.elements = list(system.elements)
        self.inputs: list[str] = []
        for element in self.elements:
            if isinstance(element, bough.ConfigurationForce) and isinstance(element.value, str):
                self.inputs += [element.value] * (element.value not in self.inputs)

    # --- the elements ---

    def between(self, element: Any) -> tuple[Array, Array]:
        """x_a - x_b and its derivative, (nq, 3), at the configuration of the recursion."""
        a, b = self.frame[element.a], self.frame[element.b]
        x = self.paper.pose(a)[:3, 3] - self.paper.pose(b)[:3, 3]
        return x, self.paper.pose_dq(a)[:, :3, 3] - self.paper.pose_dq(b)[:, :3, 3]

    def spring_forces(self) -> Array:
        """-dV/dq of the springs."""
        force = np.zeros(self.nq)
        for element in self.elements:
            if isinstance(element, bough.LinearSpring):
                x, dx = self.between(element)
                length = np.linalg.norm(x)
                if length > 0.0:  # no direction, no force
                    force -= element.stiffness * (length - element.rest_length) * dx @ x / length
            if isinstance(element, bough.ConfigurationSpring):
                a = self.variable[element.variable]
                force[a] -= element.stiffness * (self.paper.q[a] - element.rest)
        return force

    def forces(self, v: Array, u: Array) -> Array:
        """Damping and forces on variables."""
        force = np.zeros(self.nq)
        for element in self.elements:
            if isinstance(element, bough.Damping):
                for name, a in self.variable.items():
                    c = element.coefficient
                    if a < self.nd:
                        force[a] -= (c.get(name, 0.0) if isinstance(c, dict) else c) * v[a]
            if isinstance(element, bough.ConfigurationForce):
                value = element.value
                force[self.variable[element.variable]] += (
                    u[self.inputs.index(value)] if isinstance(value, str) else value
                )
        return force

    def constraints(self, q: Array) -> tuple[Array, Array]:
        """h and Dh, (nc, nq)."""
        self.paper.at(q)
        h, Dh = [], []
        for element in self.elements:
            if isinstance(element, bough.PointConstraint):
                axis = np.array(element.axis) / np.linalg.norm(element.axis)
                x, dx = self.between(element)
                h.append(axis @ x)
                Dh.append(dx @ axis)
            if isinstance(element, bough.DistanceConstraint):
                x, dx = self.between(element)
                distance, slope = np.linalg.norm(x), np.zeros(self.nq)
                length: Any = element.length
                if not isinstance(length, float):
                    a = self.variable[length.name]
                    length, slope[a] = q[a], 1.0
                h.append(distance - length)
                Dh.append(dx @ x / distance - slope)
        return np.array(h).reshape(-1), np.array(Dh).reshape(-1, self.nq)

    # --- the discrete Lagrangian and the discrete forces ---

    def gradient(self, q: Array, v: Array) -> tuple[Array, Array]:
        """dL/dq and dL/dv, springs included."""
        self.paper.at(q, v)
        return self.paper.L_dq() + self.spring_forces(), self.paper.L_dv()

    def slopes(self, q0: Array, q1: Array, dt: float, u: Array) -> tuple[Array, Array]:
        """D1 Ld + fd- and D2 Ld + fd+, for all variables."""
        v = (q1 - q0) / dt
        fd = 0.5 * dt * self.forces(v, u)
        if self.method == "midpoint":
            L_q, L_v = self.gradient((1.0 - self.alpha) * q0 + self.alpha * q1, v)
            return (1.0 - self.alpha) * dt * L_q - L_v + fd, self.alpha * dt * L_q + L_v + fd
        (L_q0, L_v0), (L_q1, L_v1) = self.gradient(q0, v), self.gradient(q1, v)
        mean = 0.5 * (L_v0 + L_v1)
        return 0.5 * dt * L_q0 - mean + fd, 0.5 * dt * L_q1 + mean + fd

    # --- the step ---

    def step(
        self, q0: Array, p0: Array, dt: float, k1: Array, u: Array, guess: Array
    ) -> tuple[Array, Array, Array]:
        """q1, p1 and mu. `guess` are the dynamic variables at the end, nearly."""
        nd = self.nd
        Dh0 = self.constraints(q0)[1][:, :nd]

        def residual(x: Array) -> Array:
            q1 = np.concatenate([x[:nd], k1])
            f = p0 + self.slopes(q0, q1, dt, u)[0][:nd] - Dh0.T @ x[nd:]
            return np.concatenate([f, self.constraints(q1)[0]])

        x = newton(residual, np.concatenate([guess, np.zeros(len(Dh0))]))
        q1 = np.concatenate([x[:nd], k1])
        return q1, self.slopes(q0, q1, dt, u)[1][:nd], x[nd:]


def newton(residual: Callable[[Array], Array], x: Array) -> Array:
    """The root nearest to x: finite-difference Jacobian, renewed while far away, until nothing is gained.

    Rows are measured by the size of their derivatives, so that f / scale is as a change of x.
    """
    f, scale = residual(x), np.ones(len(x))
    jacobian: Array | None = None
    for _ in range(60):
        if jacobian is None:
            # good to 1e-9: each further iteration gains nine digits
            jacobian = np.array([(residual(x + d) - residual(x - d)) / 2e-5 for d in 1e-5 * np.eye(len(x))]).T
            scale = np.max(np.abs(jacobian), axis=1)
        trial = x - np.linalg.lstsq(jacobian / scale[:, None], f / scale, rcond=1e-13)[0]
        f_trial = residual(trial)
        before, after = np.linalg.norm(f / scale), np.linalg.norm(f_trial / scale)
        if after >= before:
            break
        if after > 1e-3 * before and after > 1e-12:
            jacobian = None
        x, f = trial, f_trial
    assert np.linalg.norm(f / scale) < 1e-10, (
        f"the reference did not converge: {np.linalg.norm(f / scale):.1e}"
    )
    return x
