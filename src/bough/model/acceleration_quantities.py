"""Derivatives of accelerations and constraint forces, as quantities of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from bough.arguments import Array, Vector, batch, vector
from bough.model.acceleration_derivatives import AccelerationDerivatives, acceleration_derivatives
from bough.model.dynamics_quantities import NO_GAINS, DynamicsQuantities
from bough.model.evaluation import times_of

if TYPE_CHECKING:
    from bough.model.model import Model


class AccelerationQuantities(DynamicsQuantities):
    """The quantities of the system as a whole, with derivatives of its accelerations."""

    def acceleration_derivatives(
        self,
        q: Vector,
        v: Vector,
        u: Vector | None = None,
        *,
        ak: Vector | None = None,
        force: Vector | None = None,
        baumgarte: tuple[float, float] = NO_GAINS,
        t: npt.ArrayLike = 0.0,
    ) -> AccelerationDerivatives:
        """The derivatives of `acceleration_and_multipliers` by q, v and u, at fixed ak and force.

        By q they are along moves of `model.integrate`: of a ball, along its axes. If constraints depend on each
        other, those of the constraint forces are not determined: they are the least.

        Examples
        --------
        >>> import bough
        >>> system = bough.System("pendulum", gravity=(0, 0, -10))
        >>> bob = system.world.ry("angle").tz(-2.0, name="bob", mass=1.0)
        >>> model = system.build()
        >>> round(float(model.acceleration_dq([0.0], [0.3])[0, 0]), 9)
        -5.0
        """
        model = cast("Model", self)
        given: dict[str, Any] = {"ak": ak, "force": force, "baumgarte": baumgarte, "t": t}
        a, lam = self.acceleration_and_multipliers(q, v, u, **given)
        inputs = np.zeros(self.nu) if u is None else u
        shape, (qs, vs, us, accelerations) = batch(
            self._vector(q, "q"),
            self._vector(v, "v"),
            vector(inputs, self.inputs, "u", self._where, "inputs"),
            a,
        )
        times = times_of(t, shape, self._where)
        forces = np.broadcast_to(lam, (*shape, self.nc)).reshape(len(qs), self.nc)
        rows = [
            acceleration_derivatives(model, q, v, u, a, lam, float(t), baumgarte)
            for q, v, u, a, lam, t in zip(qs, vs, us, accelerations, forces, times, strict=True)
        ]
        return AccelerationDerivatives(
            *(np.array(block).reshape(*shape, *block[0].shape) for block in zip(*rows, strict=True))
        )

    def acceleration_dq(self, q: Vector, v: Vector, u: Vector | None = None, **given: Any) -> Array:
        """da/dq, (..., nv, nv); further arguments as of `acceleration`."""
        return self.acceleration_derivatives(q, v, u, **given).dq

    def acceleration_dv(self, q: Vector, v: Vector, u: Vector | None = None, **given: Any) -> Array:
        """da/dv, (..., nv, nv)."""
        return self.acceleration_derivatives(q, v, u, **given).dv

    def acceleration_du(self, q: Vector, v: Vector, u: Vector | None = None, **given: Any) -> Array:
        """da/du, (..., nv, nu)."""
        return self.acceleration_derivatives(q, v, u, **given).du

    def multipliers_dq(self, q: Vector, v: Vector, u: Vector | None = None, **given: Any) -> Array:
        """The derivative of the constraint forces by q, (..., nc, nv)."""
        return self.acceleration_derivatives(q, v, u, **given).lam_dq

    def multipliers_dv(self, q: Vector, v: Vector, u: Vector | None = None, **given: Any) -> Array:
        """The derivative of the constraint forces with respect to v, (..., nc, nv)."""
        return self.acceleration_derivatives(q, v, u, **given).lam_dv

    def multipliers_du(self, q: Vector, v: Vector, u: Vector | None = None, **given: Any) -> Array:
        """The derivative of the constraint forces by u, (..., nc, nu)."""
        return self.acceleration_derivatives(q, v, u, **given).lam_du
