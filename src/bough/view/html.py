"""`bough.export_html`: a trajectory as one file that plays in any browser, without a network."""

from __future__ import annotations

import html
import math
import os
import re
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bough import validate
from bough.errors import BoughError, ModelError
from bough.motion.grid import positive
from bough.motion.trajectory import Trajectory
from bough.progress import Progress
from bough.view._page import LOCALHOST, quiet_server, quietly
from bough.view._sampling import check_drawable, check_followed, sampled, thinned
from bough.write import write_text

FRAMED = 200  # number of instants that the camera is framed on
ASPECT = 1.5  # width over height of the scene in the window
FINE = 2e-5  # rounding of positions, relative to the size of the scene
MESSAGES = 200_000  # largest number of node changes in one file: some seconds to write, some megabytes
BATCH = 256  # number of pictures whose poses are computed at once
BANNER = (
    '<div style="position:fixed;top:0.6em;left:0.9em;z-index:10;pointer-events:none;'
    'font:600 15px system-ui,sans-serif;color:#333b44">{title}</div>'
)
FIT = Path(__file__).with_name("fit.js")


def export_html(
    run: Trajectory,
    path: str | os.PathLike[str],
    *,
    fps: float = 30.0,
    title: str | None = None,
    follow: str | None = None,
    progress: bool | None = None,
) -> Path:
    """Write a trajectory as one HTML file that plays without a network; returns its path.

    The page has play, pause, scrub and speed, and a camera that holds the whole motion.

    Parameters
    ----------
    run : Trajectory
    path : the file; `.html` is added to a name without a suffix
    fps : float
        Pictures per second. Of a run that is long or has many bodies there are fewer, so that the file is
        written in seconds and stays below 10 MB.
    title : shown in the page, by default the name of the model
    follow : a frame that the camera moves with, by default none
    progress : bool or None
        Whether to show a progress bar, by default in a terminal and after a second.

    Examples
    --------
    >>> import bough, os, tempfile
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> run = bough.simulate(system.build(), q={"angle": 0.5}, duration=1.0, dt=0.01)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = bough.export_html(run, os.path.join(folder, "run.html"))
    ...     os.path.getsize(file) < 2e6
    True
    """
    if not isinstance(run, Trajectory):
        raise ModelError(
            asked=f"export_html({validate.shown(run)}, ...)",
            found=f"an object of type {type(run).__name__}",
            do="give a trajectory, made by bough.simulate or bough.load_trajectory",
        )
    where = f"export_html of {run.model.name!r}"
    rate = positive(fps, "fps", where)
    file = html_file(path, where)
    if not file.parent.is_dir():
        raise BoughError(
            asked=f"{os.fspath(path)!r} in {where}",
            found=f"there is no folder {str(file.parent)!r}",
            do="make the folder, or give another path",
        )
    check_drawable(run, where)
    text = run.model.name if title is None else title
    check_followed(run.model, follow, where)
    page, distance = _page_of_run(run, rate, file.name, progress, follow)
    write_text(file, _complete_page(page, text, distance))
    return file


def html_file(path: str | os.PathLike[str], where: str) -> Path:
    """The path of a page; one without a suffix gets it."""
    file = Path(path)
    if not file.suffix:
        file = file.with_name(file.name + ".html")
    if file.suffix.lower() not in (".html", ".htm"):
        raise BoughError(
            asked=f"{os.fspath(path)!r} in {where}",
            found=f"a name that ends in {file.suffix!r}",
            do="give a name that ends in .html",
        )
    return file


def _page_of_run(
    run: Trajectory, fps: float, name: str, progress: bool | None, follow: str | None
) -> tuple[str, float]:
    """The page with all pictures of a run, and the distance of its camera; the progress bar has this name."""
    from bough.view._stage import Places, Stage

    server = quiet_server(LOCALHOST, 0)
    try:
        record = server.get_scene_serializer()
        framed = thinned(len(run), FRAMED)
        q, u = run.q[framed], run.u[framed]
        stage = Stage(server, run.model, q, u, aspect=ASPECT, follow=follow, fine=FINE)
        rows = pictures(run, fps, stage.messages)
        pauses = np.append(np.diff(run.t[rows]), 1.0 / fps)
        total = float(run.t[-1] - run.t[0]) or 1.0
        # no browser is connected yet: one batch is three times faster than single messages
        with Progress(name, total, progress, len(rows), "pictures") as bar, server.atomic():
            for first in range(0, len(rows), BATCH):
                chunk = slice(first, first + BATCH)
                now = rows[chunk]
                places = stage.places(run.q[now], run.u[now], run.t[now])
                for *place, pause in zip(*places, pauses[chunk], strict=True):
                    stage.put(Places(*place))
                    record.insert_sleep(float(pause))
                bar.update(float(run.t[now[-1]] - run.t[0]))
        camera = stage.framed(ASPECT)
        return record.as_html(), float(np.linalg.norm(camera.position - camera.target))
    finally:
        with quietly():
            server.stop()


def pictures(run: Trajectory, fps: float, messages: int) -> npt.NDArray[np.int64]:
    """The rows that are shown."""
    wanted = math.ceil((run.t[-1] - run.t[0]) * fps * (1.0 - 1e-9)) + 1
    return sampled(run.t, max(2, min(wanted, MESSAGES // max(messages, 1))))


def _complete_page(page: str, title: str, distance: float) -> str:
    """The page with a title, in its tab and in itself, and a camera that sees everything in any window."""
    text = html.escape(title)
    page = re.sub(r"<title>.*?</title>", lambda _: f"<title>{text}</title>", page, count=1, flags=re.DOTALL)
    script = FIT.read_text(encoding="utf-8")
    call = f"<script>{script}fitted({distance!r}, {ASPECT!r});</script>"
    end = page.rindex("</body>")
    return page[:end] + BANNER.format(title=text) + call + page[end:]
