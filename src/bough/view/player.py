"""Motions that play on a canvas, in a few lines of script: in reports of comparisons and in notebooks."""

from __future__ import annotations

import base64
import html
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from bough.arguments import Array
from bough.description.shapes import Cylinder, Mesh, Plane, Sphere
from bough.motion.trajectory import Trajectory
from bough.view.camera import ASIDE
from bough.view.parts import Axes, Prism, Rigid, Thread
from bough.view.plane import upright
from bough.view.scene import Scene
from bough.view.simplify import simplified
from bough.view.surfaces import surface

HERE = Path(__file__).parent
RATE = 20.0  # stored pictures per second; the player interpolates between them
PICTURES = 1200  # largest number of pictures of an animation
NUMBERS = 1_000_000  # largest count of numbers in all motions together: a file of 6 MB
POINTS = 40  # largest number of points of the hull of a shape
TRIANGLES = 400  # largest number of triangles of a mesh
MARGIN = 1.08
FRAME = (
    '<iframe title="{title}" srcdoc="{page}" sandbox="allow-scripts" width="100%" height="{height}" '
    'style="border:0;min-width:20em"></iframe>'
)


class Motion(NamedTuple):
    """A run with a caption, and the colour and style of its frame."""

    run: Trajectory
    label: str = ""
    color: str = "#0072b2"
    whole: bool = True


def fill(template: str, parts: dict[str, str]) -> str:
    """A template with its parts filled in at once, so that placeholders inside a part are left alone."""
    return re.sub(r"\$([a-z]+)", lambda found: parts[found[1]], template)


def fragment(data: dict[str, Any], aspect: str = "1") -> str:
    """A piece of HTML that plays the data of `animation`."""
    parts = {
        # a script ends at the first closing tag, even inside a string
        "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        "script": (HERE / "player.js").read_text(encoding="utf-8"),
        "aspect": aspect,
    }
    return fill((HERE / "player.html").read_text(encoding="utf-8"), parts)


def inline(run: Trajectory, height: int = 420) -> str:
    """A run as a self-contained iframe, to embed in another page."""
    scene = Scene(run.model, run.q)
    times = pictured(run.t[0], run.t[-1], len(run), 12 * len(scene.frames))
    data = animation(scene, run.q, times, [Motion(run)], playing=False)
    body = "margin:0;font:14px/1.4 system-ui,sans-serif;color:#22282e;background:#fff"
    fitted = f"#players{{display:block!important}}#players canvas{{height:{height - 60}px}}"
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><body style="{body}">'
        f"{fragment(data, 'auto')}<style>{fitted}</style></body></html>"
    )
    return FRAME.format(title=html.escape(run.model.name), page=html.escape(page), height=height)


def pictured(first: float, last: float, rows: int, numbers: int) -> Array:
    """The instants of a motion that are shown, with this many numbers in each."""
    wanted = max(2, math.ceil(RATE * (last - first)) + 1)
    count = min(wanted, PICTURES, max(2, NUMBERS // max(numbers, 1)), max(rows, 1))
    return np.linspace(first, last, count)


def animation(
    scene: Scene,
    q: Array,
    times: Array,
    motions: Sequence[Motion],
    reference: Trajectory | None = None,
    playing: bool = True,
) -> dict[str, Any]:
    """The data of the player, in plain values: parts in frames, and the poses of the frames in base64.

    The picture is framed on the configurations q.
    """
    view = _view(scene, q)
    far = 100.0 * max(view["half"])
    return {
        "frames": len(scene.frames),
        "times": times.tolist(),
        "playing": playing,
        "view": view,
        "parts": [_part(scene, part) for part in scene.rigid if _drawn(part)],
        "links": [
            {
                "start": {"frame": scene.place[link.start[0]], "point": list(link.start[1])},
                "end": {"frame": scene.place[link.end[0]], "point": list(link.end[1])},
                "radius": link.radius,
                "style": link.style,
                "color": _css(link.color),
            }
            for link in scene.links
            if link.force is None
        ],
        "runs": [
            {
                "label": motion.label,
                "color": motion.color,
                "whole": motion.whole,
                **_poses(scene, motion.run, times, far),
            }
            for motion in motions
        ],
        "reference": None if reference is None else _poses(scene, reference, times, far),
    }


def _poses(scene: Scene, run: Trajectory, times: Array, far: float) -> dict[str, Any]:
    """The upper three rows of all poses up to the end of a run; nothing is farther than `far`."""
    slack = 1e-9 * (times[-1] - times[0])
    reached = times[times <= run.t[-1] + slack]
    rows = np.searchsorted(run.t, reached - slack).clip(max=len(run) - 1)
    poses = np.clip(placed(scene, run, rows)[..., :3, :], -far, far).astype("<f4")
    return {"rows": len(rows), "poses": base64.b64encode(poses.tobytes()).decode()}


def placed(scene: Scene, run: Trajectory, rows: npt.NDArray[np.intp]) -> Array:
    """The poses of all frames in some rows, (rows, frames, 4, 4).

    In maximal coordinates a frame moves with its body, so that gaps at joints are visible. With B the
    pose of the body, whose frames are in place at the start: pose(t) = B(t) B(0)^-1 pose(0).
    """
    poses = scene.poses(run.q[rows])
    if run.bodies is None:
        return poses
    begin = scene.poses(run.q[:1])[0]
    for body, name in enumerate(run.bodies.names):
        B = np.tile(np.eye(4), (len(rows) + 1, 1, 1))
        chosen = np.append(0, rows)
        quaternions = run.bodies.quaternion[chosen, body]
        B[:, :3, :3] = Rotation.from_quat(quaternions[:, [1, 2, 3, 0]]).as_matrix()
        B[:, :3, 3] = run.bodies.position[chosen, body]
        moved = B[1:] @ np.linalg.inv(B[0])
        for place in _rigid_with(scene, name):
            poses[:, place] = moved @ begin[place]
    return poses


def _rigid_with(scene: Scene, name: str) -> list[int]:
    """The indices of the frames whose pose in a frame does not depend on q."""
    model = scene.model
    q = model._samples(3)
    relative = np.linalg.inv(model.pose(name, q))[:, None] @ scene.poses(q)
    same = np.abs(relative - relative[:1]).max(axis=(0, 2, 3)) < 1e-9 * (1.0 + scene.size)
    return [int(place) for place in np.flatnonzero(same)]


def _view(scene: Scene, q: Array) -> dict[str, Any]:
    """A picture without perspective that holds the whole motion."""
    towards = ASIDE / np.linalg.norm(ASIDE) if scene.plane is None else scene.plane
    up = upright(towards)
    axes = np.stack((np.cross(up, towards), up, towards))
    seen = scene.points(q) @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    half = MARGIN * (high - low)[:2] / 2.0
    names = ("right", "up", "towards")
    return {
        **dict(zip(names, axes.tolist(), strict=True)),
        "target": (0.5 * (low + high) @ axes).tolist(),
        "half": np.maximum(half, 0.05 * half.max() if half.any() else 1.0).tolist(),
    }


def _drawn(part: Rigid) -> bool:
    return not isinstance(part.geometry, Axes | Plane)


def _part(scene: Scene, part: Rigid) -> dict[str, Any]:
    """A ball, a bar between two points, the hull of some points, or triangles."""
    geometry, radius, faces = part.geometry, 0.0, None
    if isinstance(geometry, Sphere):
        kind, local, radius = "ball", np.zeros((1, 3)), geometry.radius
    elif isinstance(geometry, Cylinder) and geometry.length > 2.0 * geometry.radius:
        kind, radius = "bar", geometry.radius
        local = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]) * geometry.length
    elif isinstance(geometry, Mesh | Prism | Thread):
        kind = "mesh"
        local, faces = simplified(geometry, TRIANGLES)
    else:
        assert not isinstance(geometry, Axes)
        kind, local = "solid", _outermost(np.asarray(surface(geometry)[0]))
    points = local @ part.pose[:3, :3].T + part.pose[:3, 3]
    return {
        "kind": kind,
        "frame": scene.place[part.frame],
        "points": np.round(points, 6).tolist() if faces is not None else points.tolist(),
        "faces": None if faces is None else faces.tolist(),
        "radius": radius,
        "color": _css(part.color),
    }


def _outermost(vertices: Array) -> Array:
    """The vertices farthest out in some directions, spread evenly over the sphere."""
    if len(vertices) <= POINTS:
        return vertices
    n = np.arange(POINTS) + 0.5
    height, turn = 1.0 - 2.0 * n / POINTS, np.pi * (1.0 + 5.0**0.5) * n
    wide = np.sqrt(1.0 - height**2)
    directions = np.stack((wide * np.cos(turn), wide * np.sin(turn), height))
    return np.asarray(vertices[np.unique(np.argmax(vertices @ directions, axis=0))])


def _css(color: tuple[float, float, float]) -> str:
    red, green, blue = (round(255 * part) for part in color)
    return f"rgb({red},{green},{blue})"
