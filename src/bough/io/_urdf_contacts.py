"""The collision shapes of a URDF file as contacts with the floor."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough import validate
from bough.description.frame import Frame
from bough.description.hulls import convex_hull
from bough.description.mesh_file import UnreadableMesh, mesh_triangles
from bough.description.shapes import Geometry, Mesh
from bough.description.system import System
from bough.elements.contact import Contact
from bough.elements.joint_limit import checked_friction
from bough.errors import ModelError
from bough.io._report import Report


def checked_contacts(contacts: Any, friction: Any, where: str) -> float | None:
    """The friction of contacts, None if there are to be none."""
    if not contacts:
        return None
    if friction is None:
        raise ModelError(
            asked=f"contacts={validate.shown(contacts)} in {where}",
            found="no friction: URDF files do not say how rough bodies are",
            do="give friction as well, such as friction=0.8",
        )
    return checked_friction(friction, where)


def add_floor(
    system: System, shapes: list[tuple[Frame, Geometry, Any, str]], friction: float, report: Report
) -> None:
    """A contact of each shape, of a mesh its hull, with the plane z = 0 of the world, named after its link."""
    from scipy.spatial import QhullError

    count: dict[str, int] = {}
    for frame, shape, origin, link in shapes:
        try:
            solid = convex_hull(mesh_triangles(shape)[0]) if isinstance(shape, Mesh) else shape
        except UnreadableMesh:
            report.unused("collision meshes that cannot be read", link)
            continue
        except QhullError:
            report.unused("collision meshes that are flat", link)
            continue
        number = count[link] = count.get(link, 0) + 1
        name = f"{link} floor" if number == 1 else f"{link} floor {number}"
        pose = np.eye(4) if origin is None else origin
        system.add(Contact(frame, solid, at=pose, friction=friction, name=name))
    if shapes:
        report.note(
            "collision shapes touch the plane z = 0 of the world; contacts of links with each other are left out"
        )
