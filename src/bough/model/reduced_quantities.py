"""Kinetic energy of a free-floating tree: locked inertia, connection, shape metric, with derivatives.

    T = 1/2 w^T I(r) w + 1/2 u^T S(r) u,    w = x + A(r) u,    S = m - A^T I A

x is the twist of the base in its own axes, (angular, linear), and u = dr/dt.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bough import validate
from bough._core import core
from bough.arguments import Array, Vector, batch, vector
from bough.errors import ModelError
from bough.model.configurations import refuse_balls
from bough.model.evaluation import Evaluation


class Reduced(NamedTuple):
    """Locked inertia, shape metric, connection and reduced shape metric, with derivatives by r.

    `A_dr[j]` is dA/dr_j, `A_drdr[j, l]` the second derivative; arrays of a higher order than asked are empty.
    """

    I: Array
    m: Array
    A: Array
    S: Array
    I_dr: Array
    m_dr: Array
    A_dr: Array
    S_dr: Array
    I_drdr: Array
    m_drdr: Array
    A_drdr: Array
    S_drdr: Array


class ReducedQuantities(Evaluation):
    """The quantities of a model whose base is a free body, as functions of its shape r, or of q."""

    @cached_property
    def _layout(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The six variables of the free base, and those of the shape."""
        base, shape = core.reduced_layout(self._core)
        return tuple(base), tuple(shape)

    @cached_property
    def _lock_angle(self) -> int:
        """The middle angle of the free base, -1 if no base is free."""
        base = self._layout[0]
        return base[4] if base else -1

    @property
    def base_variables(self) -> tuple[str, ...]:
        """The six variables of the free base, as `Frame.free` makes them; none if no base is free."""
        return tuple(self.variables[i] for i in self._layout[0])

    @property
    def shape_variables(self) -> tuple[str, ...]:
        """The variables of the shape r: all but those of the base."""
        return tuple(self.variables[i] for i in self._layout[1])

    def locked_inertia(self, r: Vector) -> Array:
        """I(r), (..., 6, 6): the inertia of the whole with its joints locked, in the axes of the base."""
        return self.reduced(r, order=0).I

    def shape_metric(self, r: Vector) -> Array:
        """m(r), (..., nr, nr): the mass matrix of the shape variables with the base held."""
        return self.reduced(r, order=0).m

    def connection(self, r: Vector) -> Array:
        """A(r), (..., 6, nr): at zero momentum the base moves with the twist -A dr/dt."""
        return self.reduced(r, order=0).A

    def reduced(self, r: Vector, order: int = 2) -> Reduced:
        """I, m, A and S = m - A^T I A with their derivatives by r, up to this order, in one call.

        Parameters
        ----------
        r : shape (..., nr), or configuration (..., nq), or values by name
        order : 0, 1 or 2
        """
        refuse_balls(
            self,
            "reduced quantities",
            "use mass_matrix(), or free(name) and spherical(name) in place of balls",
        )
        if not self._layout[0]:
            raise ModelError(
                asked=f"reduced quantities of {self._where}",
                found="no free base: no tree of it begins with the six variables that world.free() makes",
                do="add the base with system.world.free(...), or use mass_matrix()",
            )
        if isinstance(order, bool) or order not in (0, 1, 2):
            raise ModelError(
                asked=f"order={validate.shown(order)} of the reduced quantities of {self._where}",
                found="derivatives of another order than 0, 1 or 2",
                do="give order=0, 1 or 2",
            )
        shape, (rows,) = batch(self._shape_vector(r))
        n, count = len(self._layout[1]), len(rows)
        blocks = ((6, 6), (n, n), (6, n), (n, n))
        out = [np.zeros((count, *(n,) * k, *block)) for k in range(order + 1) for block in blocks]
        singular = core.reduced_tensors(self._core, order, rows, out)
        if singular >= 0:
            at = f" in row {singular} of the batch" if shape else ""
            raise ModelError(
                asked=f"connection of {self._where}",
                found=f"the locked inertia is singular{at}: with its joints locked, the body can turn or"
                " move without moving mass",
                do="give the base a mass and an inertia, or move the masses off one line",
            )
        out += [np.empty((count, *(0,) * k, *block)) for k in range(order + 1, 3) for block in blocks]
        return Reduced(*(array.reshape(*shape, *array.shape[1:]) for array in out))

    def _shape_vector(self, r: Vector) -> Array:
        names = self.shape_variables
        if isinstance(r, Mapping):
            return vector(
                {k: v for k, v in r.items() if k not in self.base_variables}, names, "r", self._where
            )
        if np.shape(r)[-1:] == (self.nv,):
            return np.ascontiguousarray(self._vector(r, "q")[..., list(self._layout[1])])
        return vector(r, names, "r", self._where, "shape variables")
