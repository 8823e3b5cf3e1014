"""The papers' Lagrangian and dynamics, written down literally over their recursions on the tree."""

from __future__ import annotations

import numpy as np

from bough.reference.transforms import Array, cross_matrix
from bough.reference.tree_recursion import TreeRecursion


class PaperRecursion(TreeRecursion):
    """All quantities of a tree at one state (q, v).

    Parameters
    ----------
    system
        A `bough.System`, or the mapping of flat arrays it compiles to.
    cache
        Keep intermediate results until `at` moves to another state.
    """

    # --- energies and the Lagrangian, eq. 11, 23-27, 30-32 ---

    def com_point(self, k: int) -> Array:
        return np.append(self.com[k], 1.0)

    def kinetic_energy(self) -> float:
        return float(
            sum(0.5 * self.body_velocity(k) @ self.inertia[k] @ self.body_velocity(k) for k in self.masses)
        )

    def potential_energy(self) -> float:
        """(30)"""
        return float(
            sum(-self.mass[k] * self.gravity @ (self.gs(k) @ self.com_point(k))[:3] for k in self.masses)
        )

    def potential_energy_dq(self) -> Array:
        """(31)"""
        return sum(
            (
                -self.mass[k] * (self.pose_dq(k) @ self.com_point(k))[..., :3] @ self.gravity
                for k in self.masses
            ),
            np.zeros(self.nv),
        )

    def potential_energy_dqdq(self) -> Array:
        """(32)"""
        return sum(
            (
                -self.mass[k] * (self.pose_dqdq(k) @ self.com_point(k))[..., :3] @ self.gravity
                for k in self.masses
            ),
            np.zeros((self.nv, self.nv)),
        )

    def energy(self) -> float:
        return self.kinetic_energy() + self.potential_energy()

    def lagrangian(self) -> float:
        """(11)"""
        return self.kinetic_energy() - self.potential_energy()

    def L_dq(self) -> Array:
        """(23)"""
        total = -self.potential_energy_dq()
        for k in self.masses:
            total = total + self.body_velocity_dq(k) @ self.inertia[k] @ self.body_velocity(k)
        return total

    def L_dqdq(self) -> Array:
        """(24)"""
        total = -self.potential_energy_dqdq()
        for k in self.masses:
            dq = self.body_velocity_dq(k)
            total = total + dq @ self.inertia[k] @ dq.T
            total = total + self.body_velocity_dqdq(k) @ self.inertia[k] @ self.body_velocity(k)
        return total

    def L_dv(self) -> Array:
        """(25)"""
        total = np.zeros(self.nv)
        for k in self.masses:
            total = total + self.body_velocity_dv(k) @ self.inertia[k] @ self.body_velocity(k)
        return total

    def L_dqdv(self) -> Array:
        """(26): [a, b] is d2L / dq_a dv_b"""
        total = np.zeros((self.nv, self.nv))
        for k in self.masses:
            total = total + self.body_velocity_dq(k) @ self.inertia[k] @ self.body_velocity_dv(k).T
            total = total + self.body_velocity_dqdv(k) @ self.inertia[k] @ self.body_velocity(k)
        return total

    def L_dvdv(self) -> Array:
        """(27); the second term is zero by (9)"""
        total = np.zeros((self.nv, self.nv))
        for k in self.masses:
            dv = self.body_velocity_dv(k)
            total = total + dv @ self.inertia[k] @ dv.T
        return total

    momentum = L_dv
    mass_matrix = L_dvdv

    # --- continuous dynamics, eq. 28-29 ---

    def inverse_dynamics(self, a: Array) -> Array:
        """(28) with a force on the right: d/dt L_dv - L_dq"""
        return self.L_dvdv() @ a + self.L_dqdv().T @ self.v - self.L_dq()

    def acceleration(self, u: Array | None = None, ak: Array | None = None) -> Array:
        """(29) for the dynamic variables; the kinematic ones have the accelerations `ak`."""
        a = np.zeros(self.nv)
        if ak is not None:
            a[self.nd :] = ak
        force = np.zeros(self.nd) if u is None else np.asarray(u)[: self.nd]
        M = self.L_dvdv()[: self.nd, : self.nd]
        a[: self.nd] = np.linalg.solve(M, force - self.inverse_dynamics(a)[: self.nd])
        return a

    # --- totals ---

    def total_mass(self) -> float:
        return float(sum(self.mass[k] for k in self.masses))

    def center_of_mass(self) -> Array:
        weighted = sum(self.mass[k] * (self.gs(k) @ self.com_point(k))[:3] for k in self.masses)
        return np.asarray(weighted / self.total_mass())

    def linear_momentum(self) -> Array:
        total = np.zeros(3)
        for k in self.masses:
            h = self.inertia[k] @ self.body_velocity(k)
            total = total + self.gs(k)[:3, :3] @ h[3:]
        return total

    def angular_momentum(self) -> Array:
        """About the world origin."""
        total = np.zeros(3)
        for k in self.masses:
            h = self.inertia[k] @ self.body_velocity(k)
            R, p = self.gs(k)[:3, :3], self.gs(k)[:3, 3]
            total = total + R @ h[:3] + cross_matrix(p) @ R @ h[3:]
        return total
