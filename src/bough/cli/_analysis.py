"""The analysis of the constraints of a model, for commands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from bough.arguments import Array
from bough.errors import ModelError
from bough.model.model import Model
from bough.model.projection import relative_rows
from bough.motion.assemble import RANK
from bough.motion.consistent_start import consistent
from bough.motion.named_start import assemble_named


class Mobility(NamedTuple):
    """The constraints at a configuration that meets them.

    Attributes
    ----------
    q : the configuration, or the closest one if none was found
    unmet : the reason if none was found
    assembled : whether q differs from the configuration given
    redundant : the rows that depend on those before them
    """

    q: Array
    unmet: ModelError | None
    assembled: bool
    redundant: tuple[str, ...]
    freedom: int

    @property
    def mobility(self) -> int | None:
        """The number of dynamic variables minus the rank of the constraints."""
        return None if self.unmet else self.freedom


def meets_constraints(model: Model, q: Array) -> bool:
    """Whether a motion can start at a configuration without assembling it."""
    try:
        consistent(model, q, "", 0.0)
    except ModelError:
        return False
    return True


def assembled(model: Model, q: Array, hold: Iterable[str]) -> dict[str, float]:
    """The nearest configuration on the constraints; of `hold`, as many of the first as possible stay."""
    return dict(zip(model.coordinates, assemble_named(model, q, hold).tolist(), strict=True))


def mobility(model: Model, q: Array) -> Mobility:
    """The mobility at the assembled configuration nearest to q."""
    met = meets_constraints(model, q)
    unmet = None
    if not met:
        try:
            q = model.assemble(q=q).q
        except ModelError as error:
            if not hasattr(error, "closest"):
                raise  # a prescribed length is not above zero
            q, unmet = error.closest, error
    return Mobility(q, unmet, not met, _redundant(model, q), int(model.mobility(q)))


def _redundant(model: Model, q: Array) -> tuple[str, ...]:
    """The rows that add nothing to those before them."""
    basis = np.zeros((0, model.nd))
    dependent = []
    for label, row in zip(model.constraints, relative_rows(model, q)[:, : model.nd], strict=True):
        size = np.linalg.norm(row)
        left = row / size if size > 0.0 else row
        for _ in range(2):  # the second time for round-off
            left = left - basis.T @ (basis @ left)
        if np.linalg.norm(left) <= RANK:
            dependent.append(label)
        else:
            basis = np.vstack([basis, left / np.linalg.norm(left)])
    return tuple(dependent)
