"""`bough.control.Step` of the reduced integrator: states with the pose of a free base."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.arguments import Array, Vector
from bough.control import _reduced_second as second
from bough.control._step import Step
from bough.description import rotation
from bough.errors import ModelError
from bough.integrators.reduced import ReducedVI
from bough.integrators.reduced_linearization import reduced_kernel
from bough.model.model import Model
from bough.model.variation import variation
from bough.motion import reduced_base as base

POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")
SPATIAL = ("lx", "ly", "lz", "px", "py", "pz")


class ReducedStep(Step):
    """One step of `ReducedVI` as a pure function x1 = step(x, c), with exact first derivatives.

    Second derivatives and those by parameters are differences of fourth order of what is exact.

    A state x = (g, r, mu, p) has the pose g of the base, its position and its unit quaternion (w, x, y, z), the shape
    r, the spatial momentum mu (angular about the world origin, linear) and the momenta p of the shape. Derivatives
    are by moves dx = (twist of the base in its own axes, angular and linear, dr, dmu, dp), which
    `step.integrate(x, dx)` makes. Of a model without a free base x = (r, p).

    `bough.control.Step(model, dt, integrator="reduced", tau="exp")` makes one.

    Examples
    --------
    >>> import numpy as np
    >>> import bough
    >>> system = bough.System("satellite", gravity=None)
    >>> hull = system.world.free("hull", mass=10.0, inertia=(1, 2, 3))
    >>> arm = hull.tx(0.5).rz("joint").tx(1.0, name="tip", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> step = bough.control.Step(system.build(), dt=0.01, integrator="reduced")
    >>> x = step.state(v={"joint": 0.3, "hull_rz": 1.0})
    >>> A, B = step.jacobians(x)
    >>> len(x), A.shape
    (15, (14, 14))
    >>> bool(np.abs(A[7:13] - np.eye(14)[7:13]).max() < 1e-14)  # nothing changes the momentum
    True
    """

    integrator: ReducedVI  # type: ignore[assignment]

    def __init__(self, model: Model, dt: float, integrator: str = "reduced", **options: Any) -> None:
        if integrator != "reduced":
            raise ModelError(
                asked=f"ReducedStep with integrator={integrator!r}",
                found="steps of the reduced integrator alone",
                do="use bough.control.Step for steps of other integrators",
            )
        self._options = options
        self.integrator = ReducedVI(model, dt, **{"max_halvings": 0, **options})
        self._where = f"Step of model {model.name!r}"
        self.model, self.dt = model, self.integrator.dt
        momenta = [f"p.{name}" for name in model.shape_variables[: len(model.shape_variables) - model.nk]]
        shape = [f"r.{name}" for name in model.shape_variables]
        poses, moves, spatial = (
            [f"{of}.{name}" for name in names] if model.base_variables else []
            for of, names in (("g", POSE), ("g", TWIST), ("mu", SPATIAL))
        )
        self.states = (*poses, *shape, *spatial, *momenta)
        self.moves = (*moves, *shape, *spatial, *momenta)
        self.controls = (*model.inputs, *model.kinematic)
        self._local = threading.local()

    @property
    def _free(self) -> bool:
        return bool(self.model.base_variables)

    def state(  # type: ignore[override]
        self,
        q: Vector | None = None,
        v: Vector | None = None,
        *,
        g: npt.ArrayLike | None = None,
        r: Vector | None = None,
        xi: npt.ArrayLike | None = None,
    ) -> Array:
        """The state x at a start of `ReducedVI`: q and v, or g=, r= and xi= as there."""
        begin = self.integrator._begin(g, q, r, xi, v)
        if not self._free:
            return np.concatenate([begin.r, begin.p])
        Q = rotation.from_matrix(np.asarray(begin.g)[:3, :3], "g", self._where)
        return np.concatenate([np.asarray(begin.g)[:3, 3], Q, begin.r, begin.mu, begin.p])

    def pose(self, x: npt.ArrayLike) -> Array:
        """The pose g of the base, (..., 4, 4)."""
        rows = self._vector(x, self.states, "x")
        out = np.zeros((*rows.shape[:-1], 4, 4))
        out[..., 3, 3] = 1.0
        if self._free:
            out[..., :3, 3] = rows[..., :3]
            out[..., :3, :3] = rotation.to_matrix(rows[..., 3:7])
        else:
            out[..., :3, :3] = np.eye(3)
        return out

    def velocity(self, x: npt.ArrayLike, vk: Vector | None = None, t: npt.ArrayLike = 0.0) -> Array:
        """z = (xi, r'), (..., 6 + nr): the twist of the base in its axes and the rates of the shape."""
        rows = self._vector(x, self.states, "x")
        flat = np.ascontiguousarray(rows.reshape(-1, rows.shape[-1]))
        at, nr = (7 if self._free else 0), len(self.model.shape_variables)
        r, rest = flat[:, at : at + nr], flat[:, at + nr :]
        mu = rest[:, :6] if self._free else np.zeros((len(flat), 6))
        p = rest[:, 6:] if self._free else rest
        rates = np.zeros(self.model.nk) if vk is None else self._vector(vk, self.model.kinematic, "vk")
        r, mu, p = (np.ascontiguousarray(part) for part in (r, mu, p))
        z = base.velocities(self.model, self.pose(flat), r, mu, p, rates)
        return z.reshape(*rows.shape[:-1], z.shape[-1])

    def integrate(self, x: npt.ArrayLike, dx: npt.ArrayLike) -> Array:
        """The state after a move: x + dx, of the base turned and shifted in its own axes."""
        rows, moves = self._vector(x, self.states, "x"), self._vector(dx, self.moves, "dx")
        if not self._free:
            return np.asarray(rows + moves)
        Q = rotation.product(rows[..., 3:7], rotation.from_vector(moves[..., :3]))
        shift = np.einsum("...ij,...j->...i", rotation.to_matrix(rows[..., 3:7]), moves[..., 3:6])
        return np.concatenate(
            [
                rows[..., :3] + shift,
                Q / np.linalg.norm(Q, axis=-1, keepdims=True),
                rows[..., 7:] + moves[..., 6:],
            ],
            axis=-1,
        )

    def difference(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """The move that leads from a state to another."""
        a, b = self._vector(x0, self.states, "x0"), self._vector(x1, self.states, "x1")
        if not self._free:
            return np.asarray(b - a)
        turn = rotation.to_vector(rotation.product(rotation.conjugate(a[..., 3:7]), b[..., 3:7]))
        shift = np.einsum("...ji,...j->...i", rotation.to_matrix(a[..., 3:7]), b[..., :3] - a[..., :3])
        return np.concatenate([turn, shift, b[..., 7:] - a[..., 7:]], axis=-1)

    def hessian(
        self,
        x: npt.ArrayLike,
        c: Vector | None,
        w: npt.ArrayLike,
        t: npt.ArrayLike = 0.0,
        *,
        x1: npt.ArrayLike | None = None,
    ) -> Array:
        """The second derivatives of w·difference(x1, step(integrate(x, dx), c + dc)) by (dx, dc) at zero.

        They are differences of fourth order of the exact gradient (RH3), good to about 1e-9 of their largest entry,
        at the price of four `jacobians` for each entry of (dx, dc).
        """
        shape, (xs, cs, ws), times, _ = self._rows(x, c, t, x1, self._vector(w, self.moves, "w"))
        H = second.hessian(self, xs, cs, ws, times)
        return H.reshape(*shape, *H.shape[1:])

    def parameter_vjp(
        self,
        x: npt.ArrayLike,
        c: Vector | None,
        w: npt.ArrayLike,
        names: Iterable[str] | None = None,
        t: npt.ArrayLike = 0.0,
        *,
        x1: npt.ArrayLike | None = None,
    ) -> Array:
        """The gradient of w·x1 by parameters, (..., parameters): that of `parameter_jacobian`, at its price."""
        by = self._by_parameters(x, c, names, t, x1)
        return np.asarray(np.einsum("...ij,...i->...j", by, self._vector(w, self.moves, "w")))

    def _by_parameters(self, x: Any, c: Any, names: Iterable[str] | None, t: Any, x1: Any) -> Array:
        """By differences of fourth order of the step, (PG1): good to about 1e-9 of the largest entry."""
        end = self(x, c, t)

        def moved(model: Model) -> Array:
            other = ReducedStep(model, self.dt, **self._options)
            return self.difference(end, other(x, c, t))

        return variation(self.model, names, self._where).difference(moved)

    def _check_forces(self) -> None:
        """There are no constraints."""

    def _held(self, x: Array) -> Array:
        end = (7 if self._free else 0) + len(self.model.shape_variables)
        return x[..., end - self.model.nk : end]

    def _new_kernel(self) -> Any:
        return reduced_kernel(self.integrator)
