"""`(shape "frame" "kind" ...)` in files: what is drawn on a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bough.io._kinds import kind_of
from bough.shapes import Shape, geometry_from_dict
from bough.system import System


@dataclass(frozen=True)
class ShapeForm:
    """The fields of a shape in a file; those of a description."""

    frame: str
    kind: str
    size: Sequence[float] | None = field(default=None, kw_only=True)
    path: str | None = field(default=None, kw_only=True)
    scale: Sequence[float] | None = field(default=None, kw_only=True)
    vertices: Sequence[Sequence[float]] | None = field(default=None, kw_only=True)
    faces: Sequence[Sequence[float]] | None = field(default=None, kw_only=True)
    pose: Sequence[Sequence[float]] | None = field(default=None, kw_only=True)
    color: Sequence[float] | None = field(default=None, kw_only=True)


SHAPE = kind_of(ShapeForm)._replace(word="shape")


def add_shape(system: System, data: dict[str, Any]) -> None:
    """Add the shape of the fields in a file."""
    given = {name: value for name, value in data.items() if value is not None}
    pose, color = given.pop("pose", None), given.pop("color", None)
    if "faces" in given:
        given["faces"] = np.asarray(given["faces"]).astype(int).tolist()
    system.shape(given.pop("frame"), geometry_from_dict(given), pose=pose, color=color)


def shape_fields(shape: Shape) -> dict[str, Any]:
    """The fields of a shape that differ from their defaults."""
    data = {name: value for name, value in shape.to_dict().items() if value is not None}
    if data["pose"] == np.eye(4).tolist():
        del data["pose"]
    return data
