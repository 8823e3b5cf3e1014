"""The nearest configuration that meets the constraints and is beyond no contact.

Of the gaps phi >= 0 some are zero at the nearest configuration, and these push: with y as in assemble.py,

    y = J^T lam + J_A^T nu,   nu >= 0,   phi_A = 0,   phi >= 0                                               (CT8)

The set A is found step by step: contacts that are penetrated are added, contacts that would pull are left out, and the
others held at zero like constraints.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.elements.derivatives import differences
from bough.model.model import Model

ROUNDS = 50
PENETRATED = 1e-13  # of the terms that cancel in a gap


class HeldContacts:
    """A model in which some contacts are constraints too: what assembling reads of it."""

    def __init__(self, model: Model, held: list[int]) -> None:
        self._model = model
        self.held = held
        self.constraints = (*model.constraints, *(model.gaps[i] for i in held))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    @property
    def nc(self) -> int:
        """The number of rows."""
        return len(self.constraints)

    def constraint(self, q: Array, t: npt.ArrayLike = 0.0) -> Array:
        """The constraints, then the gaps that are held."""
        return self._rows(self._model.constraint(q, t), self._model.gap(q, t))

    def constraint_scale(self, q: Array, t: npt.ArrayLike = 0.0) -> Array:
        """The size of what cancels in them."""
        return self._rows(self._model.constraint_scale(q, t), self._model.gap_scale(q, t))

    def constraint_dq(self, q: Array, t: npt.ArrayLike = 0.0) -> Array:
        """Their gradients."""
        return self._rows(self._model.constraint_dq(q, t), self._model.gap_dq(q, t))

    def constraint_dqdq(self, q: Array, t: npt.ArrayLike = 0.0) -> Array:
        """Their second derivatives, those of gaps by differences."""
        model, q = self._model, np.asarray(q)
        bend = differences(lambda move: model.gap_dq(model.integrate(q, move), t), np.zeros(model.nv))
        return self._rows(self._model.constraint_dqdq(q, t), bend)

    def _rows(self, of_constraints: Array, of_gaps: Array) -> Array:
        return np.concatenate([of_constraints, of_gaps[self.held]])


def penetrated(model: Model, q: Array, t: float) -> list[int]:
    """The contacts that a configuration is beyond."""
    return [int(i) for i in np.flatnonzero(model.gap(q, t) < -PENETRATED * model.gap_scale(q, t))]


def pulling(rows: Array, y: Array, first: int) -> list[int]:
    """Which of the rows from `first` on would pull, by (CT8): counted from there."""
    nu = np.linalg.lstsq(rows.T, y, rcond=None)[0][first:]
    least = -1e-9 * np.abs(nu).max(initial=0.0)
    return [int(i) for i in np.flatnonzero(nu < least)]
