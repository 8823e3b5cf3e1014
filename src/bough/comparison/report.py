"""A comparison as one HTML file: table, plots, and all motions side by side. It needs no network."""

from __future__ import annotations

import base64
import html
import io
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from bough._write import write_text
from bough.arguments import Array
from bough.comparison.plots import look
from bough.comparison.result import Comparison
from bough.comparison.table import captions, cells, headings, title
from bough.shapes import Cylinder, Plane, Sphere
from bough.trajectory import Trajectory
from bough.view.parts import Axes, Rigid
from bough.view.plane import upright
from bough.view.scene import Scene
from bough.view.surfaces import surface

HERE = Path(__file__).parent
RATE = 20.0  # pictures in a second; the player draws those between
PICTURES = 1200  # of an animation at most
NUMBERS = 1_000_000  # in all motions together at most: a file of 6 MB
POINTS = 40  # of the hull of a shape at most
MARGIN = 1.08
ASIDE = np.array((0.55, -1.0, 0.45))  # from where spatial systems are looked at


def save_html(comparison: Comparison, path: str | os.PathLike[str]) -> Path:
    """Write the report."""
    parts = {
        "title": html.escape(title(comparison)),
        "table": _table(comparison),
        "captions": "".join(
            f"<dt>{html.escape(name)}</dt><dd>{html.escape(words)}</dd>"
            for name, words in captions(comparison)
        ),
        "figure": _figure(comparison),
        "data": json.dumps(animation(comparison), separators=(",", ":")).replace("</", "<\\/"),
        "player": (HERE / "player.js").read_text(encoding="utf-8"),
    }
    text = (HERE / "report.html").read_text(encoding="utf-8")
    for name, value in parts.items():
        text = text.replace(f"${name}", value, 1) if name != "title" else text.replace("$title", value)
    target = Path(path)
    write_text(target, text)
    return target


def _table(comparison: Comparison) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in headings(comparison))
    lines = []
    for place, row in enumerate(comparison.rows):
        first, *others = (html.escape(text) for text in cells(comparison, row))
        color, style = look(place)
        dot = f'<span class="dot{"" if style == "-" else " ring"}" style="color:{color}"></span>'
        rest = "".join(f"<td>{text}</td>" for text in others)
        failed = ' class="failed"' if row.failure is not None else ""
        lines.append(f"<tr{failed}><td>{dot}{first}</td>{rest}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _figure(comparison: Comparison) -> str:
    """The plots as a PNG in base64."""
    import matplotlib.pyplot as plt

    figure, room = comparison.plot(), io.BytesIO()
    figure.savefig(room, format="png", dpi=110)
    plt.close(figure)
    return base64.b64encode(room.getvalue()).decode()


# --- the animation ---


def animation(comparison: Comparison) -> dict[str, Any]:
    """What the player draws, in plain values: things in frames, and the poses of the frames in base64."""
    runs = [(place, row) for place, row in enumerate(comparison.rows) if row.run is not None]
    reference = comparison.reference
    typical = (
        reference.run
        if reference is not None
        else next((row.run for _, row in runs if not row.failure), None)
    )
    q = comparison.problem.q[None] if typical is None else typical.q
    scene = Scene(comparison.model, q=q)
    each = 12 * len(scene.frames) * (len(runs) + (reference is not None))
    grid = comparison.problem.grid
    wanted = max(2, math.ceil(RATE * grid.duration) + 1)
    count = min(wanted, PICTURES, max(2, NUMBERS // max(each, 1)), grid.rows)
    times = np.linspace(grid.t0, grid.t0 + grid.duration, count)
    moving = [link for link in scene.links if link.force is None]
    view = _view(scene, q)
    far = 100.0 * view["extent"]
    return {
        "frames": len(scene.frames),
        "times": times.tolist(),
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
            for link in moving
        ],
        "runs": [
            {
                "label": row.label,
                "color": look(place)[0],
                "whole": look(place)[1] == "-",
                **_poses(scene, row.run, times, far),
            }
            for place, row in runs
            if row.run is not None
        ],
        "reference": None if reference is None else _poses(scene, reference.run, times, far),
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

    In maximal coordinates a frame is where its body is, so that joints that come apart are seen. With B the
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
    """The places of the frames whose pose in a frame does not depend on q."""
    model = scene.model
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (3, model.nq))
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
    extent = MARGIN * float((high - low)[:2].max()) / 2.0
    names = ("right", "up", "towards")
    return {
        **dict(zip(names, axes.tolist(), strict=True)),
        "target": (0.5 * (low + high) @ axes).tolist(),
        "extent": extent if extent > 0.0 else 1.0,
    }


def _drawn(part: Rigid) -> bool:
    return not isinstance(part.geometry, Axes | Plane)


def _part(scene: Scene, part: Rigid) -> dict[str, Any]:
    """A ball, a bar between two points, or the hull of some points."""
    geometry, radius = part.geometry, 0.0
    if isinstance(geometry, Sphere):
        kind, local, radius = "ball", np.zeros((1, 3)), geometry.radius
    elif isinstance(geometry, Cylinder) and geometry.length > 2.0 * geometry.radius:
        kind, radius = "bar", geometry.radius
        local = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]) * geometry.length
    else:
        assert not isinstance(geometry, Axes)
        kind, local = "solid", _outermost(np.asarray(surface(geometry)[0]))
    points = local @ part.pose[:3, :3].T + part.pose[:3, 3]
    return {
        "kind": kind,
        "frame": scene.place[part.frame],
        "points": points.tolist(),
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
