"""Which contacts of a model are dry friction: they have no gap."""

from __future__ import annotations

from bough.description.element import UnilateralConstraint
from bough.elements.contacts import DryFriction
from bough.model.model import Model


def dry_friction(model: Model) -> set[str]:
    """The names of dry friction among the gaps of a model."""
    found, first = set(), 0
    for element in model._elements:
        if not isinstance(element, UnilateralConstraint):
            continue
        if isinstance(element, DryFriction):
            found.add(model.gaps[first])
        first += element.contacts
    return found
