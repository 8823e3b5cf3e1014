"""The gaps of one-sided elements, as quantities of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bough._core import core
from bough.arguments import Array, Vector
from bough.model.evaluation import Evaluation


class ContactQuantities(Evaluation):
    """The part of `Model` that evaluates gaps."""

    def gap(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """The gaps phi(q, t), (..., gaps): zero where a contact is closed, negative where it is penetrated.

        Dry friction has none: its value here is zero, and infinite in the gaps of a run.
        """

        def quantity(model: Any, q: Array, t: Array, out: Array) -> None:
            core.gap(model, q, t, out, np.empty_like(out))

        return self._of_constraints(quantity, (len(self.gaps),), q, t)

    def gap_scale(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """The size of the terms that cancel in the gaps, (..., gaps), which is the scale of their round-off."""

        def quantity(model: Any, q: Array, t: Array, out: Array) -> None:
            core.gap(model, q, t, np.empty_like(out), out)

        return self._of_constraints(quantity, (len(self.gaps),), q, t)

    def gap_dq(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """dphi/dq, (..., gaps, nv)."""
        return self._of_constraints(core.gap_dq, (len(self.gaps), self.nv), q, t)

    def gap_dt(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """dphi/dt at fixed q, (..., gaps): zero unless a gap depends on time."""
        return self._of_constraints(core.gap_dt, (len(self.gaps),), q, t)
