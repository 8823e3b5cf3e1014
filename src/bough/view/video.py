"""Films of motions, drawn by matplotlib, written by ffmpeg or Pillow."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.errors import BoughError, ModelError
from bough.motion.trajectory import Trajectory
from bough.plain_text import in_figure
from bough.progress import Progress
from bough.view._sampling import check_followed
from bough.view.colors import RED, Color
from bough.view.draw import Stage, nearest_rows
from bough.view.marks import Marks
from bough.view.scene import Scene
from bough.view.tensions import Tensions
from bough.write import replacing

Pixels: TypeAlias = "npt.NDArray[np.uint8]"

WIDTH = 8.0  # width of a picture in inches, so that letters and lines keep their relative size
SUFFIXES = (".mp4", ".gif", ".webp")


def export_video(
    run: Trajectory,
    path: str | os.PathLike[str],
    *,
    fps: float = 30.0,
    speed: float = 1.0,
    size: tuple[int, int] = (960, 720),
    trace: str | None = None,
    follow: str | None = None,
    forces: bool = False,
    progress: bool | None = None,
) -> Path:
    """Write a film of a motion; returns its path.

    Parameters
    ----------
    run : Trajectory
    path : str or path
        Ends in `.gif`, in `.webp`, which pages of a site show as a picture that moves, or in `.mp4`, which needs
        the program ffmpeg or the package imageio-ffmpeg.
    fps : float
        Pictures per second of the film; that of a GIF is the nearest of 50, 33, 25, 20, ...
    speed : float
        How fast it is shown: 0.5 is slow motion.
    size : width and height in pixels, even numbers
    trace : str
        A frame whose path so far is drawn.
    follow : str
        A frame that the camera moves with.
    forces : bool
        Whether strings, and the bodies they pull, are coloured by the force in them, contacts have arrows of
        their forces, in proportion to the weight of the system, and impacts flash.
    progress : bool or None
        Whether to show a bar; None shows it in a terminal if it takes long.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> model = system.build()
    >>> run = bough.simulate(model, {"angle": 0.5}, duration=0.5, dt=0.05)
    >>> bough.export_video(run, "swing.gif", fps=10.0, size=(160, 120)).name
    'swing.gif'
    """
    target = Path(path)
    where = f"export_video({os.fspath(path)!r})"
    for what, value in (("fps", fps), ("speed", speed)):
        if not isinstance(value, int | float) or not np.isfinite(value) or value <= 0.0:
            raise ModelError(
                asked=f"{what}={value!r} in {where}",
                found="not a number above zero",
                do="give a number above zero",
            )
    if len(size) != 2 or any(not isinstance(n, int) or n < 2 or n % 2 for n in size):
        raise ModelError(
            asked=f"size={size!r} in {where}",
            found="not two even numbers of pixels",
            do="give width and height, such as (1280, 720)",
        )
    if not isinstance(run, Trajectory):
        raise ModelError(
            asked=where,
            found=f"{run!r}, which is not a motion",
            do="give a trajectory, such as bough.simulate(...)",
        )
    write = _writer(target, where)
    if target.suffix.lower() == ".gif":
        fps = 100.0 / max(round(100.0 / fps), 2)  # a GIF counts in hundredths of a second
    rows = nearest_rows(run.t, frame_times(run.t, fps, speed))
    check_followed(run.model, follow, where)
    film = Film(run, size, trace, follow, forces)
    bar = Progress(target.name, float(run.t[-1] - run.t[0]) or 1.0, progress, len(rows), "pictures")
    with bar, replacing(target) as part:
        write(part, film.pictures(rows, bar), size, fps)
    return target


class Film:
    """The pictures of a motion; constant parts are drawn once."""

    def __init__(
        self,
        run: Trajectory,
        size: tuple[int, int],
        trace: str | None,
        follow: str | None = None,
        forces: bool = False,
    ) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self._run = run
        dpi = size[0] / WIDTH
        # slightly more, as fractional pixels are cut off
        figure = Figure(figsize=((size[0] + 0.01) / dpi, (size[1] + 0.01) / dpi), dpi=dpi)
        canvas: Any = FigureCanvasAgg(figure)
        self._stage = Stage(figure, Scene(run.model, run.q, run.u), run.q, run.u, follow)
        self._picture = self._stage.picture()
        self._tensions = Tensions(self._stage.scene, run) if forces else None
        self._title = self._stage.plot.set_title(in_figure(run.model.name))
        self._way = None if trace is None else run.model.pose(trace, run.q)[:, :3, 3]
        self._followed = None if follow is None else run.model.pose(follow, run.q)[:, :3, 3]
        (self._path,) = self._stage.plot.plot([], [], color=RED, linewidth=0.9)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # else pictures would wobble with the width of the title
        self._marks = Marks(self._stage, run) if forces else None
        self._moving = (
            self._path,
            self._picture.artist,
            *(self._marks.artists if self._marks else ()),
            self._title,
        )
        for artist in self._moving:
            artist.set_animated(True)
        canvas.draw()
        self._still = canvas.copy_from_bbox(figure.bbox)
        self._canvas = canvas

    def pictures(self, rows: list[int], bar: Progress) -> Iterator[Pixels]:
        """An array (height, width, 4) for each row."""
        run, plot = self._run, self._stage.plot
        for row in rows:
            if self._followed is not None:
                self._stage.shift(self._followed[row] - self._followed[0])
                self._canvas.draw()
                self._still = self._canvas.copy_from_bbox(self._canvas.figure.bbox)
            self._picture.update(run.q[row], run.u[row], float(run.t[row]), self._colors(row))
            if self._marks is not None:
                self._marks.show(row)
            self._title.set_text(f"{in_figure(run.model.name)}   t = {run.t[row]:.2f} s")
            if self._way is not None:
                self._path.set_data(*self._stage.projection(self._way[: row + 1])[0].T)
            self._canvas.restore_region(self._still)
            for artist in self._moving:
                plot.draw_artist(artist)
            yield np.asarray(self._canvas.buffer_rgba())
            bar.update(float(run.t[row] - run.t[0]))

    def _colors(self, row: int) -> dict[int | str, Color]:
        if self._tensions is None:
            return {}
        return {key: self._tensions.color(key, level) for key, level in self._tensions.levels(row).items()}


def frame_times(t: Array, fps: float, speed: float = 1.0) -> Array:
    """The instants of a motion that a film of so many pictures per second shows."""
    count = max(int(np.floor((t[-1] - t[0]) * fps / speed * (1.0 + 1e-12))), 0) + 1
    return np.asarray(t[0] + np.arange(count) * (speed / fps))


def _writer(target: Path, where: str) -> Callable[[Path, Iterator[Pixels], tuple[int, int], float], None]:
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise ModelError(
            asked=where, found=f"the suffix {target.suffix!r}", do=f"end the path in {' or '.join(SUFFIXES)}"
        )
    if not target.absolute().parent.is_dir():
        raise ModelError(
            asked=where,
            found=f"no folder {os.fspath(target.parent)!r}",
            do="make the folder first, or correct the path",
        )
    if suffix == ".gif":
        return _write_gif
    if suffix == ".webp":
        return _write_webp
    program = ffmpeg()
    if program is None:
        raise BoughError(
            asked=where,
            found="neither the program ffmpeg nor the package imageio-ffmpeg is installed",
            do="install one: pip install 'bough[video]'; or end the path in .gif or .webp",
        )
    return partial(_write_mp4, program, where)


def _write_gif(target: Path, pictures: Iterator[Pixels], size: tuple[int, int], fps: float) -> None:
    from PIL import Image

    images = (
        Image.fromarray(picture[..., :3]).quantize(64, dither=Image.Dither.NONE) for picture in pictures
    )
    first = next(images)
    duration = round(1000.0 / fps)
    first.save(target, save_all=True, append_images=images, duration=duration, loop=0, optimize=False)


def _write_webp(target: Path, pictures: Iterator[Pixels], size: tuple[int, int], fps: float) -> None:
    from PIL import Image

    # the colours of one buffer change from picture to picture: each image has its own
    images = (Image.fromarray(picture[..., :3].copy()) for picture in pictures)
    first = next(images)
    first.save(
        target,
        save_all=True,
        append_images=images,
        duration=round(1000.0 / fps),
        loop=0,
        quality=60,
        method=4,
    )


def _write_mp4(
    program: str, where: str, target: Path, pictures: Iterator[Pixels], size: tuple[int, int], fps: float
) -> None:
    given = ["-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{size[0]}x{size[1]}", "-r", f"{fps:g}", "-i", "-"]
    wanted = ["-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    command = [program, "-y", "-loglevel", "error", *given, *wanted, os.fspath(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            for picture in pictures:
                process.stdin.write(picture.tobytes())
            process.stdin.close()
        except BrokenPipeError:  # ffmpeg gave up: its message is read below
            pass
        said = process.stderr.read().decode(errors="replace").strip()
    if process.returncode != 0:
        raise BoughError(
            asked=where,
            found=f"ffmpeg failed: {said.splitlines()[-1] if said else f'exit code {process.returncode}'}",
            do="check that the path can be written, or end it in .gif",
        )


def ffmpeg() -> str | None:
    """The path of the program ffmpeg: that of the system, or of the package imageio-ffmpeg."""
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        import imageio_ffmpeg
    except ImportError:
        return None
    return str(imageio_ffmpeg.get_ffmpeg_exe())
