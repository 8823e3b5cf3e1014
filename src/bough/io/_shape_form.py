"""Shapes in files of s-expressions: `(shape "tip" "sphere" (size 0.1) (color "orange"))`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bough.description.shapes import geometry_from_dict
from bough.description.system import System


@dataclass(frozen=True)
class Shape:
    """The fields of a shape in a file: those of `bough.Shape.to_dict`."""

    frame: str
    kind: str
    size: tuple[float, ...] | None = None
    path: str | None = None
    scale: tuple[float, ...] | None = None
    vertices: tuple[tuple[float, ...], ...] | None = None
    faces: tuple[tuple[float, ...], ...] | None = None
    x: tuple[float, ...] | None = None
    y: tuple[float, ...] | None = None
    z: tuple[tuple[float, ...], ...] | None = None
    pose: tuple[tuple[float, ...], ...] | None = None
    color: tuple[float, ...] | str | None = None


def add_shape(system: System, data: dict[str, Any], folder: Path | None) -> None:
    """Add the shape of a file; the path of a mesh is relative to the folder of the file."""
    given = {name: value for name, value in data.items() if value is not None}
    if isinstance(given.get("path"), str) and folder is not None:
        given["path"] = str(folder / given["path"])
    if isinstance(given.get("scale"), list) and len(given["scale"]) == 1:
        given["scale"] = given["scale"][0]
    system.shape(given["frame"], geometry_from_dict(given), pose=given.get("pose"), color=given.get("color"))
