"""The shapes of a model as parts of a scene, and as much of what is large and stands as cameras look at."""

from __future__ import annotations

import numpy as np

from bough.arguments import Array
from bough.description.mesh_file import UnreadableMesh
from bough.description.shapes import Box, Geometry, Plane, Shape
from bough.errors import BoughWarning, warn
from bough.view.colors import COLORS
from bough.view.parts import Rigid
from bough.view.surfaces import corners

ENDLESS = 6.0  # edge of a plane without an end, relative to the size
NEAR = 0.5  # distance to a motion up to which cameras look at the surroundings, relative to the size


def readable(shapes: tuple[Shape, ...]) -> list[tuple[Shape, Geometry]]:
    """Shapes with what is drawn for them: a mesh that cannot be read becomes a box, with one warning."""
    result: list[tuple[Shape, Geometry]] = []
    missing: list[str] = []
    boxes: list[int] = []
    for shape in shapes:
        try:
            corners(shape.geometry)
            result.append((shape, shape.geometry))
        except UnreadableMesh as error:
            missing.append(str(error))
            boxes.append(len(result))
            result.append((shape, shape.geometry))
    if missing:
        known = [corners(geometry) for i, (_, geometry) in enumerate(result) if i not in boxes]
        edge = 0.3 * float(np.median([np.ptp(box, axis=0).max() for box in known])) if known else 0.1
        for i in boxes:
            result[i] = (result[i][0], Box((edge, edge, edge)))
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        warn(f"mesh shown as a box: {missing[0]}{more}", BoughWarning)
    return result


def shape_part(shape: Shape, geometry: Geometry, index: int, size: float, role: str) -> Rigid:
    red, green, blue, opacity = shape.color or (*COLORS[role], 1.0)
    if isinstance(geometry, Plane):
        geometry = Plane([edge or ENDLESS * size for edge in geometry.size])
    name, pose = f"shape/{shape.frame} {index}", np.array(shape.pose)
    return Rigid(name, role, shape.frame, pose, geometry, (red, green, blue), opacity)


def beside(seen: Array, around: Array, most: float) -> Array:
    """The points of a box that are nearest to a motion, (n, 3), of none if it is farther than `most`.

    Both are given by points, `seen` (n, 3) and `around` (m, 3). Along each axis it is what the two have in common,
    or the side of the box that is turned to the motion: of a floor the piece below a body.
    """
    low, high = around.min(axis=0), around.max(axis=0)
    least, largest = seen.min(axis=0), seen.max(axis=0)
    ends = np.stack([np.clip(least, low, high), np.clip(largest, low, high)])
    away = np.maximum(np.maximum(low - largest, least - high), 0.0)
    return ends if float(np.linalg.norm(away)) <= most else ends[:0]
