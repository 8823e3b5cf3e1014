"""A run as the recording of a page: every picture, cameras from all sides, and plots."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.errors import BoughError
from bough.motion.trajectory import Trajectory
from bough.progress import Progress
from bough.view._page import LOCALHOST, quiet_server, quietly
from bough.view._page_plots import page_plots
from bough.view._sampling import sampled, thinned
from bough.view.camera import ASIDE

FRAMED = 200  # number of instants that the camera is framed on
ASPECT = 1.5  # width over height of the scene before the window is known
ASPECTS = (0.4, 0.6, 0.8, 1.0, 1.5, 2.5)  # those for which cameras are placed; a page interpolates
TILT = 1e-3  # of all cameras, from above: what looks straight down has no other way to know its up
FINE = 2e-5  # rounding of positions, relative to the size of the scene
MESSAGES = 200_000  # largest number of node changes in one file: some seconds to write, some megabytes
BATCH = 256  # number of pictures whose poses are computed at once
#: Where the camera looks from, by name: x is forward, y to the left, z up.
SIDES: dict[str, Array] = {
    "oblique": ASIDE / np.linalg.norm(ASIDE),
    "front": np.array((1.0, 0.0, 0.0)),
    "side": np.array((0.0, -1.0, 0.0)),
    "top": np.array((0.0, 0.0, 1.0)),
}
DATA = re.compile(r'window\.__VISER_EMBED_DATA__="([^"]*)";')


class Look(NamedTuple):
    """What is shown of a run."""

    fps: float
    follow: str | None
    plots: str | Sequence[str] | None
    forces: bool
    camera: str | None


class Recording(NamedTuple):
    """A page that plays a run, its recording alone, and the settings of the script of the page."""

    page: str
    data: str
    settings: dict[str, Any]


def record(run: Trajectory, look: Look, name: str, where: str, progress: bool | None) -> Recording:
    """All pictures of a run; the progress bar has this name."""
    from bough.view._loads import Loads
    from bough.view._stage import Places, Stage

    plots = page_plots(run, look.plots, where)
    server = quiet_server(LOCALHOST, 0)
    try:
        recorder = server.get_scene_serializer()
        framed = thinned(len(run), FRAMED)
        q, u = run.q[framed], run.u[framed]
        stage = Stage(server, run.model, q, u, aspect=ASPECT, follow=look.follow, fine=FINE)
        loads = Loads(server.scene, stage, run) if look.forces else None
        rows = pictures(run, look.fps, stage.messages + (loads.messages if loads else 0))
        pauses = np.append(np.diff(run.t[rows]), 1.0 / look.fps)
        total = float(run.t[-1] - run.t[0]) or 1.0
        # no browser is connected yet: one batch is three times faster than single messages
        with Progress(name, total, progress, len(rows), "pictures") as bar, server.atomic():
            for first in range(0, len(rows), BATCH):
                chunk = slice(first, first + BATCH)
                now = rows[chunk]
                places = stage.places(run.q[now], run.u[now], run.t[now])
                for row, *place, pause in zip(now, *places, pauses[chunk], strict=True):
                    stage.put(Places(*place))
                    if loads is not None:
                        loads.show(int(row))
                    recorder.insert_sleep(float(pause))
                bar.update(float(run.t[now[-1]] - run.t[0]))
        page = recorder.as_html()
        settings = _settings(stage, look) | {
            "begin": float(run.t[0]),
            "step": 1.0 / look.fps,
            "plots": plots,
            "largest": loads.largest if loads is not None else 0.0,
        }
        return Recording(page, _data(page, where), settings)
    finally:
        with quietly():
            server.stop()


def _settings(stage: Any, look: Look) -> dict[str, Any]:
    """Cameras and frames for the script of a page."""
    sides: dict[str, Array | None] = {} if stage.scene.plane is None else {"plane": None}
    sides |= SIDES
    first = stage.first
    return {
        "distance": float(np.linalg.norm(first.position - first.target)),
        "cameras": {side: _camera(stage, towards) for side, towards in sides.items()},
        "camera": look.camera or next(iter(sides)),
        "frames": stage.nodes(),
        "follow": look.follow,
    }


def _camera(stage: Any, towards: Array | None) -> dict[str, Any]:
    """Where a camera looks, from which direction, and from how far in windows of several widths over heights."""
    framed = stage.framed(*ASPECTS, towards=towards)
    away = framed[0].position - framed[0].target
    away = away / np.linalg.norm(away) - TILT * framed[0].up
    return {
        "to": framed[0].target.tolist(),
        "towards": (away / np.linalg.norm(away)).tolist(),
        "distances": [float(np.linalg.norm(each.position - each.target)) for each in framed],
        "aspects": ASPECTS,
    }


def pictures(run: Trajectory, fps: float, messages: int) -> npt.NDArray[np.int64]:
    """The rows that are shown."""
    wanted = math.ceil((run.t[-1] - run.t[0]) * fps * (1.0 - 1e-9)) + 1
    return sampled(run.t, max(2, min(wanted, MESSAGES // max(messages, 1))))


def _data(page: str, where: str) -> str:
    found = DATA.search(page)
    if found is None:
        raise BoughError(
            asked=where,
            found="a page of viser without its recording: this viser lays out its pages differently",
            do="install the viser that bough is tested with, 1.1",
        )
    return found[1]
