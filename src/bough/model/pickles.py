"""Whether an element that a user wrote can be sent to another process."""

from __future__ import annotations

import hashlib
import pickle

from bough.description.element import Element
from bough.errors import ModelError


def check_pickle(element: Element, where: str) -> None:
    """Raise if an element cannot be pickled."""
    try:
        pickle.dumps(element)
    except Exception as error:
        raise ModelError(
            asked=f"pickle of {where}",
            found=f"{element._text()} cannot be pickled: {error}",
            do="define its class, and the functions it uses, at the top level of a module",
        ) from error


def fingerprint(element: Element) -> str:
    """Equal for elements of equal content; for those that cannot be pickled, only for the same one."""
    try:
        return hashlib.sha256(pickle.dumps(element)).hexdigest()
    except Exception:
        return f"{id(element):x}"
