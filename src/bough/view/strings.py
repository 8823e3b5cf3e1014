"""What is slack of the strings of a scene."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.description.element import Element, UnilateralConstraint
from bough.model.model import Model
from bough.view.parts import Between


def slack(model: Model, links: Sequence[Between], ends: Array, q: Array, t: npt.ArrayLike) -> Array:
    """How much longer each link is than the distance of its ends, (..., links); NaN if it has no length.

    The parts of a string over pulleys share what is slack by their lengths.
    """
    start, end = np.moveaxis(ends, -2, 0)
    apart = np.linalg.norm(end - start, axis=-1)
    out = np.full(start.shape[:-1], np.nan)
    for i, link in enumerate(links):
        if link.length_variable is not None:
            out[..., i] = q[..., link.length_variable] - apart[..., i]
        elif link.length is not None:
            wanted = link.length if isinstance(link.length, float) else link.length(t)
            out[..., i] = wanted - apart[..., i]
    of_gaps = {link.gap for link in links if link.gap is not None}
    if not of_gaps:
        return out
    gaps = model.gap(q, t)
    for gap in of_gaps:
        parts = [i for i, link in enumerate(links) if link.gap == gap]
        whole = apart[..., parts].sum(axis=-1, keepdims=True)
        out[..., parts] = gaps[..., gap, None] * apart[..., parts] / np.where(whole > 0.0, whole, 1.0)
    return out


def first_gaps(elements: Iterable[tuple[str, Element]]) -> dict[str, int]:
    """The index in `model.gap(q)` of the first gap of each one-sided element, by its name in the scene."""
    found: dict[str, int] = {}
    count = 0
    for name, element in elements:
        if isinstance(element, UnilateralConstraint):
            found[name] = count
            count += element.contacts
    return found
