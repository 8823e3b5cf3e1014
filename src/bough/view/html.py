"""`bough.export_html`: a trajectory as one file that plays in any browser, without a network."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bough import validate
from bough.errors import BoughError, ModelError, unknown_name
from bough.motion.trajectory import Trajectory
from bough.view._recording import DATA, SIDES, Look, Recording, record
from bough.view._sampling import check_drawable, check_followed
from bough.view.player import fill
from bough.view.shared_client import share_client
from bough.write import write_text

HERE = Path(__file__).parent
PLOTS = "34%"  # height of the plots in the window


def export_html(
    run: Trajectory | Mapping[str, Trajectory],
    path: str | os.PathLike[str],
    *,
    fps: float = 30.0,
    title: str | None = None,
    follow: str | None = None,
    plots: str | Sequence[str] | None = None,
    forces: bool = False,
    camera: str | None = None,
    client: str = "inside",
    progress: bool | None = None,
) -> Path:
    """Write a trajectory as one HTML file that plays without a network; returns its path.

    The page has play, pause, scrub and speed, cameras that hold the whole motion from several sides, a list of
    frames to follow, and keys for all of it, which "?" lists.

    Parameters
    ----------
    run : Trajectory, or a dictionary of several by name
        Of several, the page has a button for each.
    path : the file; `.html` is added to a name without a suffix
    fps : float
        Pictures per second. Of a run that is long or has many bodies there are fewer, so that the file is
        written in seconds and stays below 10 MB.
    title : shown in the page, by default the name of the model
    follow : a frame that the camera moves with, by default none; the page has a list of them
    plots : names of plots under the picture, as in `Trajectory.plot`
        "configuration", "velocity", "energy", "constraint", "multiplier", "input". A line moves through them with
        the motion, and a click in one of them goes to that time.
    forces : bool
        Whether strings, and the bodies they pull, are coloured by the force in them, contacts have arrows of
        their forces, in proportion to the weight of the system, and impacts flash.
    camera : "oblique", "front", "side" or "top"
        Where the camera looks from at first; by default oblique, or face-on to a planar motion.
    client : "inside" or "shared"
        Shared, the script that draws the page (0.8 MB) is a file `viser-client.js` beside it, one for all pages
        of a folder: for sites with many of them.
    progress : bool or None
        Whether to show a progress bar, by default in a terminal and after a second.

    Examples
    --------
    >>> import bough, os, tempfile
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> run = bough.simulate(system.build(), q={"angle": 0.5}, duration=1.0, dt=0.01)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = bough.export_html(run, os.path.join(folder, "run.html"), plots=["configuration", "energy"])
    ...     os.path.getsize(file) < 2e6
    True
    """
    runs = _runs(run)
    first = next(iter(runs.values()))
    where = f"export_html of {first.model.name!r}"
    look = Look(validate.positive(fps, "fps", where), follow, plots, bool(forces), camera)
    if client not in ("inside", "shared"):
        raise ModelError(
            asked=f"client={validate.shown(client)} in {where}",
            found="neither 'inside' nor 'shared'",
            do="leave it out for a page that holds everything, or give 'shared'",
        )
    if camera is not None and camera not in SIDES:
        raise unknown_name("camera", str(camera), tuple(SIDES), where)
    file = html_file(path, where)
    if not file.parent.is_dir():
        raise BoughError(
            asked=f"{os.fspath(path)!r} in {where}",
            found=f"there is no folder {str(file.parent)!r}",
            do="make the folder, or give another path",
        )
    for each in runs.values():
        check_drawable(each, where)
        check_followed(each.model, follow, where)
    recordings = {name: record(each, look, file.name, where, progress) for name, each in runs.items()}
    page = _with_motions(recordings)
    if client == "shared":
        page = share_client(page, file.parent, where)
    write_text(file, _with_frame(page, first.model.name if title is None else title, recordings))
    return file


def _runs(run: Any) -> dict[str, Trajectory]:
    """The motions of a page by name; a single one has the empty name."""
    runs = {str(name): each for name, each in run.items()} if isinstance(run, Mapping) else {"": run}
    wrong = [each for each in runs.values() if not isinstance(each, Trajectory)]
    if wrong or not runs:
        raise ModelError(
            asked=f"export_html({validate.shown(run)}, ...)",
            found=f"an object of type {type(wrong[0]).__name__}" if wrong else "no trajectory in it",
            do="give a trajectory, made by bough.simulate or bough.load_trajectory, or several by name",
        )
    return runs


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


def _with_motions(recordings: Mapping[str, Recording]) -> str:
    """A page of viser that plays the motion named after # in its address, or the first one."""
    names = list(recordings)
    data = {name: recording.data for name, recording in recordings.items()}
    settings = {name: recording.settings for name, recording in recordings.items()}
    script = (
        f"{(HERE / 'page_head.js').read_text(encoding='utf-8')}"
        f"window.boughSettings={_in_script(settings)};const boughData={_in_script(data)};"
        "window.boughMotion=Object.keys(boughData).find(name=>'#'+encodeURIComponent(name)===location.hash)"
        f"??{_in_script(names[0])};"
        "window.__VISER_EMBED_DATA__=boughData[window.boughMotion];"
    )
    return DATA.sub(lambda _: script, recordings[names[0]].page, count=1)


def _in_script(data: Any) -> str:
    """Data for a script, which ends at the first closing tag, even inside a string."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _with_frame(page: str, title: str, recordings: Mapping[str, Recording]) -> str:
    """The page with a title, in its tab and in itself, cameras, and plots under the picture."""
    text = html.escape(title)
    page = re.sub(r"<title>.*?</title>", lambda _: f"<title>{text}</title>", page, count=1, flags=re.DOTALL)
    plotted = any(recording.settings["plots"] for recording in recordings.values())
    parts = {
        "title": text,
        "plots": PLOTS if plotted else "0px",
        "script": (HERE / "page.js").read_text(encoding="utf-8"),
    }
    frame = fill((HERE / "page.html").read_text(encoding="utf-8"), parts)
    end = page.rindex("</body>")
    return page[:end] + frame + page[end:]
