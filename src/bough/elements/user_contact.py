"""The adapter through which the core calls one-sided elements written in Python."""

from __future__ import annotations

from bough.description.element import Element, UnilateralConstraint
from bough.elements.joint_limit import checked_restitution
from bough.elements.user import UserConstraint, UserElement
from bough.errors import ModelError


def user_contact(element: Element) -> UserElement | None:
    """The adapter for a user's contact; None for an element of another kind, or without a formula."""
    if not isinstance(element, UnilateralConstraint) or not callable(getattr(type(element), "value", None)):
        return None
    return UserUnilateral(element)


class UserUnilateral(UserConstraint):
    """phi(q, t) >= 0."""

    kind = "unilateral"

    def __init__(self, element: UnilateralConstraint) -> None:
        UserElement.__init__(self, element)
        self.rows = int(element.contacts)
        self.restitution = checked_restitution(getattr(element, "restitution", 0.0), element._text())
        self._timed = False
        self._last = None

    def _wrong(self, method: str, found: str, shape: tuple[int, ...]) -> ModelError:
        error = super()._wrong(method, found, shape)
        if method != "value":
            return error
        do = f"{error.do}; a class of several gaps says how many: contacts = 2"
        return ModelError(asked=error.asked, found=error.found, do=do)
