"""Constraints on velocities that no positions follow from, where they have no place."""

from __future__ import annotations

from bough.description.element import Constraint
from bough.errors import ModelError
from bough.model.model import Model


def need_holonomic(model: Model, where: str, found: str, do: str = "") -> None:
    """Raise if a model has rolling or skates; `found` says what they lack here."""
    if not model._velocity_rows:
        return
    first = next(e for e in model._elements if isinstance(e, Constraint) and e.nonholonomic)
    raise ModelError(
        asked=where,
        found=f"{first._text()}, a constraint on velocities, {found}",
        do=do or "use a model without it",
    )
