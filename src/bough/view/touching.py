"""The pictures of contacts: the planes, as far as bodies come, and what touches them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.arguments import Array
from bough.description.heightfield import Heightfield, Point
from bough.description.hulls import convex_hull
from bough.description.shapes import Box, Capsule, Geometry, Plane, Sphere
from bough.elements.contacts import PlaneContact
from bough.elements.shape_contact import ShapeContact
from bough.view.bodies import rotation_to, translation
from bough.view.surfaces import corners

if TYPE_CHECKING:
    from bough.view.elements import Maker

PLANE = 0.6  # the least edge of a plane, relative to the size
BEYOND = 0.3  # how far a plane goes beyond what touches it in a motion, relative to the size
FAR = 4.0  # the same if the motion is not known yet
DOT = 0.005  # the radius of a point, relative to the size
FLAT = 1e-9  # the thickness, relative to the extent, below which points have no hull


def plane_contact(make: Maker, element: PlaneContact, name: str) -> None:
    """The plane, and what touches it if the body has no shape: the solid of its points, or the points."""
    pose = translation(np.array(element.origin))
    pose[:3, :3] = rotation_to(np.array(element.normal))
    points = np.array(element.points)
    plane_below(make, name, str(element.against), str(element.frame), pose, points, element.radius)
    solid = _solid(points, element.radius)
    if solid is not None and not make.covering.solid(str(element.frame), *solid):
        make.solids.add(str(element.frame))
        make.add("shape", f"{name} of {element.frame}", str(element.frame), *solid)
    if solid is not None or element.frame in make.covered:
        return
    for i, point in enumerate(points):
        radius = element.radius or DOT * make.size
        make.add("pin", f"{name} {i}", str(element.frame), translation(point), Sphere(radius))


def shape_contacts(make: Maker, element: ShapeContact, name: str) -> None:
    """Both shapes, unless a shape of the body hides them."""
    one = (element.frame, element._geometry("shape"), element.pose)
    two = (element.against, element._geometry("against_shape"), element.against_pose)
    for (frame, geometry, pose), (other, touching, at_other) in ((one, two), (two, one)):
        if isinstance(geometry, Plane):
            points = np.array(touching.position)[None] if isinstance(touching, Point) else corners(touching)
            there = np.array(at_other)
            plane_below(
                make, name, str(frame), str(other), np.array(pose), points @ there[:3, :3].T + there[:3, 3]
            )
        elif (isinstance(geometry, Heightfield) or not _hidden(make, str(frame), geometry, pose)) and (
            (str(frame), pose, geometry.kind) not in make.touching
        ):
            make.touching.add((str(frame), pose, geometry.kind))
            if not isinstance(geometry, Point | Heightfield):
                make.solids.add(str(frame))
            drawn = Sphere(DOT * make.size) if isinstance(geometry, Point) else geometry
            at = np.array(pose)
            if isinstance(geometry, Point):
                at = at @ translation(np.array(geometry.position))
            make.add("shape", f"{name} of {frame}", str(frame), at, drawn)


def _hidden(make: Maker, frame: str, geometry: Geometry, pose: Any) -> bool:
    """Whether a solid that touches is not seen, or shown by the shapes of its body; of points, if it has any."""
    if isinstance(geometry, Point):
        return frame in make.covered
    return make.covering.solid(frame, np.array(pose), geometry)


def plane_below(
    make: Maker, name: str, frame: str, body: str, pose: Array, points: Array, radius: float = 0.0
) -> None:
    """A plane of a frame, in the middle of the path along it of points (n, 3) of a body, and larger than the path."""
    world, moving = make.paths(frame) @ pose, make.paths(body)
    places = points @ moving[:, :3, :3].swapaxes(1, 2) + moving[:, None, :3, 3]
    along = np.einsum("rij,rni->rnj", world[:, :3, :2], places - world[:, None, :3, 3]).reshape(-1, 2)
    low, high = along.min(axis=0) - radius, along.max(axis=0) + radius
    least, beyond = PLANE * make.size, make.beyond * make.size
    edges = np.maximum(high - low + 2.0 * beyond, least)
    reach = 0.5 * (edges - beyond)
    inside = (-low <= reach) & (high <= reach)  # the path stays near the origin
    shift = np.zeros(3)
    shift[:2] = np.where(inside, 0.0, (low + high) / 2.0)
    _add_plane(make, name, frame, pose @ translation(shift), edges)


def _add_plane(make: Maker, name: str, frame: str, pose: Array, edges: Array) -> None:
    """Add a plane; if there is one already that it lies in, as below each foot of a robot, make that one as large."""
    for i, part in enumerate(make.rigid):
        if part.role != "plane" or part.frame != frame or not isinstance(part.geometry, Plane):
            continue
        there = np.linalg.inv(part.pose) @ pose
        if there[2, 2] < 1.0 - FLAT or abs(there[2, 3]) > FLAT * make.size:
            continue
        half = 0.5 * np.array([[x, y] for x in (-edges[0], edges[0]) for y in (-edges[1], edges[1])])
        places = half @ there[:2, :2].T + there[:2, 3]
        own = 0.5 * np.asarray(part.geometry.size)
        low, high = np.minimum(places.min(axis=0), -own), np.maximum(places.max(axis=0), own)
        middle = np.append(0.5 * (low + high), 0.0)
        make.rigid[i] = replace(
            part, pose=part.pose @ translation(middle), geometry=Plane((high - low).tolist())
        )
        return
    make.add("plane", name, frame, pose, Plane(edges.tolist()), opacity=0.4)


def _solid(points: Array, radius: float) -> tuple[Array, Geometry] | None:
    """The pose and the form of what has balls of a radius about points; None if it is drawn by these balls."""
    if len(points) == 2 and radius > 0.0:
        way = points[1] - points[0]
        pose = translation(points.mean(axis=0))
        pose[:3, :3] = rotation_to(way / np.linalg.norm(way))
        return pose, Capsule(radius, float(np.linalg.norm(way)))
    if len(points) == 1 and radius > 0.0:
        return translation(points[0]), Sphere(radius)
    if len(points) < 4 or radius > 0.0:
        return None
    box = _box(points)
    if box is not None:
        return box
    thick = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return None if thick[2] <= FLAT * thick[0] else (np.eye(4), convex_hull(points))


def _box(points: Array) -> tuple[Array, Geometry] | None:
    """The box that has these corners, in the order in which `Contact` gives them; None if they are no such box."""
    if len(points) != 8:
        return None
    edges = points[[4, 2, 1]] - points[0]
    sizes = np.linalg.norm(edges, axis=1)
    bits = np.array([(i >> 2 & 1, i >> 1 & 1, i & 1) for i in range(8)])
    off = np.abs(points[0] + bits @ edges - points).max()
    if sizes.min() == 0.0 or off > FLAT * sizes.max():
        return None
    axes = (edges / sizes[:, None]).T
    if np.abs(axes.T @ axes - np.eye(3)).max() > FLAT or np.linalg.det(axes) < 0.0:
        return None
    pose = translation(points.mean(axis=0))
    pose[:3, :3] = axes
    return pose, Box(sizes.tolist())
