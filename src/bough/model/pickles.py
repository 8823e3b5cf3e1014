"""Models in pickles: what can be sent to another process, and which model a pickle stands for.

A model that was pickled or unpickled is found again by its digest as long as something else holds it, so that
ten thousand results of one model build it once.
"""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from bough.description.element import Element
from bough.errors import ModelError

if TYPE_CHECKING:
    from bough.model.model import Model

KNOWN: WeakValueDictionary[str, Any] = WeakValueDictionary()  # models of this process, by `known_by`


def sha256(data: bytes) -> str:
    """The hash of some bytes, in hexadecimal digits."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def known_by(model: Model) -> str:
    """The key under which a model is found again: its digest, and its shapes, which that leaves out."""
    shapes = json.dumps(model._formal.get("shapes"), sort_keys=True)
    key = f"{model.digest}:{sha256(shapes.encode())}"
    KNOWN[key] = model
    return key


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
        return sha256(pickle.dumps(element))
    except Exception:
        return f"{id(element):x}"
