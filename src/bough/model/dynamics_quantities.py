"""Energy, momentum, the Lagrangian and its derivatives, dynamics, constraints and forces of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough import validate
from bough._core import core
from bough.arguments import Array, Vector, batch, vector
from bough.description.element import Constraint, Potential
from bough.errors import ModelError
from bough.model.configurations import refuse_balls
from bough.model.evaluation import Evaluation, is_time, one_time, times_of
from bough.model.motor_force import motor_force

#: The gains of constraints that are not stabilised.
NO_GAINS = (0.0, 0.0)

#: The potentials of bough that have a third derivative.
WITH_THIRD = (
    "CentralGravity",
    "ConfigurationSpring",
    "GearSpring",
    "Gravity",
    "LinearSpring",
    "NonlinearConfigurationSpring",
    "NonlinearSpring",
)


class LagrangianDerivatives(NamedTuple):
    """All first and second derivatives of the Lagrangian; `dqdv[i, j]` is d²L/dq_i dv_j."""

    dq: Array
    dv: Array
    dqdq: Array
    dqdv: Array
    dvdv: Array


class DynamicsQuantities(Evaluation):
    """The quantities of the system as a whole."""

    # --- energy and momentum ---

    def kinetic_energy(self, q: Vector, v: Vector) -> Array:
        """T, of the batch's shape."""
        return self._evaluate(core.kinetic_energy, (), q=q, v=v)

    def potential_energy(self, q: Vector) -> Array:
        """V, of the batch's shape; gravity's is zero at the world origin."""
        return self._evaluate(core.potential_energy, (), q=q)

    def potential_energy_dqdqdq(self, q: Vector) -> Array:
        """d³V/dq dq dq, (..., nv, nv, nv), symmetric.

        `TorsionSpring`, `BeamElement` and users' potentials have none: a model with one of them raises.

        Examples
        --------
        >>> import bough, numpy as np
        >>> system = bough.System("pendulum", gravity=(0, 0, -10.0))
        >>> bob = system.world.ry("angle").tz(-2.0, name="bob", mass=1.0)
        >>> third = system.build().potential_energy_dqdqdq([0.5])  # of V = -20 cos(angle)
        >>> bool(abs(third[0, 0, 0] + 20 * np.sin(0.5)) < 1e-14)
        True
        """
        refuse_balls(
            self, "potential_energy_dqdqdq", "take differences of L_dqdq at rest, along model.integrate"
        )
        do = f"take differences of L_dqdq at rest, or use potentials that have one: {', '.join(WITH_THIRD)}"
        missing = core.potentials_without_third(self._core)
        self._check_third("potential_energy_dqdqdq", Potential, missing, do)
        return self._evaluate(core.potential_energy_dqdqdq, (self.nv,) * 3, q=q)

    def energy(self, q: Vector, v: Vector) -> Array:
        """T + V."""
        return self.kinetic_energy(q, v) + self.potential_energy(q)

    def lagrangian(self, q: Vector, v: Vector) -> Array:
        """L = T - V."""
        return self.kinetic_energy(q, v) - self.potential_energy(q)

    def momentum(self, q: Vector, v: Vector) -> Array:
        """The generalised momentum dL/dv = M v, (..., nv)."""
        return self.L_dv(q, v)

    def _momentum(self, q: Array, v: Array) -> Array:
        """The momentum of one state that is checked: an array (nq,) with unit quaternions, and one (nv,)."""
        p = np.empty(self.nv)
        _first(1)(self._core, q, v, p)
        return p

    def center_of_mass(self, q: Vector) -> Array:
        """The centre of all masses in the world, (..., 3)."""
        if self.total_mass == 0.0:
            raise ModelError(
                asked=f"centre of mass of {self._where}", found="no mass", do="give a frame a mass"
            )
        return self._evaluate(core.center_of_mass, (3,), q=q)

    def linear_momentum(self, q: Vector, v: Vector) -> Array:
        """The total linear momentum, (..., 3)."""
        return self._evaluate(core.spatial_momentum, (6,), q=q, v=v)[..., 3:]

    def angular_momentum(self, q: Vector, v: Vector) -> Array:
        """The total angular momentum about the world origin, (..., 3)."""
        return self._evaluate(core.spatial_momentum, (6,), q=q, v=v)[..., :3]

    # --- derivatives of the Lagrangian ---

    def lagrangian_derivatives(self, q: Vector, v: Vector) -> LagrangianDerivatives:
        """All first and second derivatives of L in one call."""
        shape, (qs, vs) = batch(self._vector(q, "q"), self._vector(v, "v"))
        rows, n = vs.shape
        first = [np.empty((rows, n)) for _ in range(2)]
        second = [np.empty((rows, n, n)) for _ in range(3)]
        core.lagrangian_gradient(self._core, qs, vs, *first)
        core.lagrangian_hessians(self._core, qs, vs, *second)
        return LagrangianDerivatives(*(a.reshape(*shape, *a.shape[1:]) for a in (*first, *second)))

    def L_dq(self, q: Vector, v: Vector) -> Array:
        """dL/dq, (..., nv)."""
        return self._evaluate(_first(0), (self.nv,), q=q, v=v)

    def L_dv(self, q: Vector, v: Vector) -> Array:
        """dL/dv, (..., nv): the momentum."""
        return self._evaluate(_first(1), (self.nv,), q=q, v=v)

    def L_dqdq(self, q: Vector, v: Vector) -> Array:
        """d²L/dq_i dq_j, (..., nv, nv)."""
        return self._evaluate(_second(0), (self.nv, self.nv), q=q, v=v)

    def L_dqdv(self, q: Vector, v: Vector) -> Array:
        """d²L/dq_i dv_j, (..., nv, nv)."""
        return self._evaluate(_second(1), (self.nv, self.nv), q=q, v=v)

    def L_dvdv(self, q: Vector, v: Vector) -> Array:
        """d²L/dv_i dv_j, (..., nv, nv): the mass matrix."""
        return self._evaluate(_second(2), (self.nv, self.nv), q=q, v=v)

    # --- dynamics ---

    def mass_matrix(self, q: Vector) -> Array:
        """M, (..., nv, nv), symmetric; rows and columns of kinematic variables included."""
        return self._evaluate(core.mass_matrix, (self.nv, self.nv), q=q)

    def inverse_dynamics(self, q: Vector, v: Vector, a: Vector) -> Array:
        """The generalised forces d/dt dL/dv - dL/dq that produce accelerations a, (..., nv)."""
        return self._evaluate(core.inverse_dynamics, (self.nv,), q=q, v=v, a=a)

    def bias(self, q: Vector, v: Vector) -> Array:
        """The generalised forces that keep the velocities v, (..., nv): those of no acceleration.

        With M the mass matrix, M a + bias are the forces that accelerations a need: Coriolis and centrifugal
        forces, gravity, and the gradients of all other potentials.
        """
        return self.inverse_dynamics(q, v, np.zeros(self.nv))

    def acceleration(
        self,
        q: Vector,
        v: Vector,
        u: Vector | None = None,
        *,
        ak: Vector | None = None,
        force: Vector | None = None,
        baumgarte: tuple[float, float] = NO_GAINS,
        t: npt.ArrayLike = 0.0,
    ) -> Array:
        """The accelerations of all variables, (..., nv), constraints held ([JM09] eq. 36).

        Stops, strings and contacts are ignored: they act in steps only, and a taut string does not pull here.

        Parameters
        ----------
        u : inputs, by default zero
        ak : accelerations of the kinematic variables, (..., nk), by default zero
        force : further generalised forces on the variables, (..., nv)
        baumgarte : gains (g1, g2): constraint rows obey ḧ + 2 g1 ḣ + g2² h = 0
        t : time, of the batch's shape, if forces or constraints depend on it
        """
        return self.acceleration_and_multipliers(q, v, u, ak=ak, force=force, baumgarte=baumgarte, t=t)[0]

    def acceleration_and_multipliers(
        self,
        q: Vector,
        v: Vector,
        u: Vector | None = None,
        *,
        ak: Vector | None = None,
        force: Vector | None = None,
        baumgarte: tuple[float, float] = NO_GAINS,
        t: npt.ArrayLike = 0.0,
    ) -> tuple[Array, Array]:
        """The accelerations, (..., nv), and the constraint forces lam, (..., nc), as in `acceleration`."""
        u = np.zeros(self.nu) if u is None else u
        force = np.zeros(self.nv) if force is None else force
        if (
            ak is None
            and is_time(t)
            and core.are_vectors(self._plain, q, v, force)
            and core.are_vectors(self.nu, u)
        ):
            gains = NO_GAINS if baumgarte is NO_GAINS else _gains(baumgarte, self._where)
            a, lam = np.zeros(self.nv), np.empty(self.nc)
            failed = core.acceleration(self._core, q, v, force, u, one_time(t), *gains, a, lam)  # type: ignore[arg-type]  # vectors
            self._check_singular("acceleration", failed, ())
            return a, lam
        shape, (qs, vs, us, forces, aks) = batch(
            self._vector(q, "q"),
            self._vector(v, "v"),
            vector(u, self.inputs, "u", self._where, "inputs"),
            self._vector(force, "force"),
            np.zeros(self.nk)
            if ak is None
            else vector(ak, self.kinematic, "ak", self._where, "kinematic variables"),
        )
        out = np.zeros_like(vs)
        out[:, self.nd :] = aks
        lam = np.empty((len(qs), self.nc))
        times = times_of(t, shape, self._where)
        gains = _gains(baumgarte, self._where)
        failed = core.acceleration(self._core, qs, vs, forces, us, times, *gains, out, lam)
        self._check_singular("acceleration", failed, shape)
        return out.reshape((*shape, self.nv)), lam.reshape((*shape, self.nc))

    def velocity(self, q: Vector, p: Vector, vk: Vector | None = None, t: npt.ArrayLike = 0.0) -> Array:
        """The velocities of all variables, (..., nv), from momenta, projected onto the constraints.

        Parameters
        ----------
        p : momenta of the dynamic variables, (..., nd)
        vk : velocities of the kinematic variables, by default zero
        t : time, of the batch's shape, if constraints depend on it
        """
        vk = np.zeros(self.nk) if vk is None else vk
        if (
            is_time(t)
            and core.are_vectors(self._plain, q)
            and core.are_vectors(self.nd, p)
            and core.are_vectors(self.nk, vk)
        ):
            v = np.zeros(self.nv)
            v[self.nd :] = np.asarray(vk)
            failed = core.velocity_from_momentum(self._core, q, p, one_time(t), v)  # type: ignore[arg-type]  # vectors
            self._check_singular("velocity", failed, ())
            return v
        shape, (qs, ps, vks) = batch(
            self._vector(q, "q"),
            vector(p, self.dynamic, "p", self._where, "dynamic variables"),
            vector(vk, self.kinematic, "vk", self._where, "kinematic variables"),
        )
        out = np.zeros((len(qs), self.nv))
        out[:, self.nd :] = vks
        failed = core.velocity_from_momentum(self._core, qs, ps, times_of(t, shape, self._where), out)
        self._check_singular("velocity", failed, shape)
        return out.reshape((*shape, self.nv))

    # --- constraints ---

    def constraint(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """h(q, t), (..., nc): zero if the constraints hold; t of the batch's shape, or one for all.

        Rows that hold velocities alone, of `Rolling` and `Skate`, are zero.
        """

        def quantity(model: Any, q: Array, t: Array, out: Array) -> None:
            core.constraint(model, q, t, out, np.empty_like(out))

        return self._of_constraints(quantity, (self.nc,), q, t)

    def constraint_scale(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """The size of the terms that cancel in h, (..., nc), which is the scale of its round-off."""

        def quantity(model: Any, q: Array, t: Array, out: Array) -> None:
            core.constraint(model, q, t, np.empty_like(out), out)

        return self._of_constraints(quantity, (self.nc,), q, t)

    def constraint_dq(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """dh/dq, (..., nc, nv); A(q) for rows that hold velocities alone, A v = 0."""
        return self._of_constraints(core.constraint_dq, (self.nc, self.nv), q, t)

    def constraint_dt(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """dh/dt at fixed q, (..., nc): zero unless a constraint depends on time."""
        return self._of_constraints(core.constraint_dt, (self.nc,), q, t)

    def constraint_dqdq(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """d²h/dq dq, (..., nc, nv, nv); dA_i/dq_j, not symmetric, for rows that hold velocities alone."""
        return self._of_constraints(core.constraint_dqdq, (self.nc, self.nv, self.nv), q, t)

    def constraint_dqdqdq(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """d³h/dq dq dq, (..., nc, nv, nv, nv), symmetric in q; users' constraints, Rolling and Skate have none."""
        refuse_balls(self, "constraint_dqdqdq", "take differences of constraint_dqdq along model.integrate")
        do = "take differences of constraint_dqdq, or use other constraints of bough, which have one"
        missing = core.constraints_without_third(self._core)
        self._check_third("constraint_dqdqdq", Constraint, missing, do)
        return self._of_constraints(core.constraint_dqdqdq, (self.nc, *(self.nv,) * 3), q, t)

    # --- forces ---

    def generalized_force(
        self, q: Vector, v: Vector, u: Vector | None = None, t: npt.ArrayLike = 0.0
    ) -> Array:
        """The generalised force of all force elements, (..., nv), without the potentials.

        t is of the batch's shape, or one for all.
        """
        return self._of_forces(core.generalized_force, (self.nv,), q, v, u, t)

    def generalized_force_dq(
        self, q: Vector, v: Vector, u: Vector | None = None, t: npt.ArrayLike = 0.0
    ) -> Array:
        """df_i/dq_j of the generalised force, (..., nv, nv)."""
        return self._of_forces(core.generalized_force_dq, (self.nv, self.nv), q, v, u, t)

    def generalized_force_du(
        self, q: Vector, v: Vector, u: Vector | None = None, t: npt.ArrayLike = 0.0
    ) -> Array:
        """df_i/du_j of the generalised force by the inputs, (..., nv, nu)."""
        return self._of_forces(core.generalized_force_du, (self.nv, self.nu), q, v, u, t)

    def generalized_force_dv(
        self, q: Vector, v: Vector, u: Vector | None = None, t: npt.ArrayLike = 0.0
    ) -> Array:
        """df_i/dv_j of the generalised force, (..., nv, nv)."""
        return self._of_forces(core.generalized_force_dv, (self.nv, self.nv), q, v, u, t)

    def motor_force(self, q: Vector, v: Vector, u: Vector | None = None) -> Array:
        """What the motors of each variable apply, (..., nv): N m on angles, N on distances; without motors zero.

        Motors are forces on a variable that an input commands, after gear and effort limit, and servos.
        """
        inputs = vector(np.zeros(self.nu) if u is None else u, self.inputs, "u", self._where, "inputs")
        return motor_force(self, self._variables_of(self.configuration(q)), self._vector(v, "v"), inputs)


def _gains(baumgarte: Any, where: str) -> tuple[float, float]:
    """Two finite numbers."""
    try:
        g1, g2 = baumgarte
    except (TypeError, ValueError):
        raise ModelError(
            asked=f"baumgarte={validate.shown(baumgarte)} in acceleration() of {where}",
            found="not two gains",
            do="give (g1, g2) in 1/s, such as baumgarte=(10.0, 10.0)",
        ) from None
    of = f"baumgarte of {where}"
    return validate.real(g1, "g1", of), validate.real(g2, "g2", of)


def _first(which: int) -> Callable[..., None]:
    def quantity(model: Any, q: Array, v: Array, out: Array) -> None:
        other = np.empty(out.shape)
        core.lagrangian_gradient(model, q, v, *((other, out) if which else (out, other)))

    return quantity


def _second(which: int) -> Callable[..., None]:
    def quantity(model: Any, q: Array, v: Array, out: Array) -> None:
        outputs = [np.empty((0, 0, 0))] * 3
        outputs[which] = out
        core.lagrangian_hessians(model, q, v, *outputs)

    return quantity
