"""Pictures of models and motions with matplotlib."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bough.arguments import Array, Vector, vector
from bough.description.system import System
from bough.errors import ModelError
from bough.model.model import Model
from bough.motion.trajectory import Trajectory
from bough.plain_text import in_figure
from bough.validate import counted
from bough.view.camera import camera as framed
from bough.view.colors import COLORS, RED
from bough.view.labels import Label, write
from bough.view.picture import Picture
from bough.view.projection import Projection
from bough.view.scene import Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

SIZE = (8.0, 6.0)  # default size of a figure, in inches
NARROWEST = 0.3  # smallest ratio of the shorter side of a picture to the longer
FADED = 0.8  # paleness of the first of several instants, from 0 to 1


def draw(
    model: Model | System,
    q: Vector | None = None,
    *,
    u: Vector | None = None,
    t: float = 0.0,
    frames: bool = False,
    labels: bool = False,
    figsize: tuple[float, float] = SIZE,
    figure: Figure | None = None,
) -> Figure:
    """A matplotlib figure of a model in one configuration: flat and face-on if it moves in a plane.

    Parameters
    ----------
    model : Model or System
    q : configuration
        By default the start of the system, or, if there are constraints, the nearest configuration that
        meets them; if none is found, the start itself, with the constraints violated.
    u : inputs
        The lengths of the arrows of forces are in proportion to them; by default they show directions.
    t : float
        The time, for constraints that depend on it.
    frames : bool
        Whether to draw the axes of all frames.
    labels : bool
        Whether to write the names of frames and elements beside them.
    figsize : width and height in inches
    figure : an empty matplotlib figure or subfigure to draw into, by default a new one

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> figure = bough.draw(system, {"angle": 0.5})
    """
    if isinstance(model, System):
        model = model.build()
    if not isinstance(model, Model):
        raise ModelError(
            asked=f"draw({model!r})",
            found="not a model",
            do="use run.strobe(), or draw(run.model, run.q[0])"
            if isinstance(model, Trajectory)
            else "give a model or a system, such as bough.load(path)",
        )
    configuration = _at_rest(model, t) if q is None else model.configuration(q)
    if configuration.ndim != 1:
        raise ModelError(
            asked=f"draw({model.name!r}) with q of shape {configuration.shape}",
            found="more than one configuration",
            do="give one, or use run.strobe() for a motion",
        )
    inputs = None if u is None else vector(u, model.inputs, "u", model._where, "inputs")
    scene = Scene(model, configuration, inputs, frames=frames)
    stage = Stage(
        figure or _figure(figsize), scene, configuration[None], None if inputs is None else inputs[None]
    )
    stage.picture().update(configuration, inputs, t)
    stage.plot.set_title(in_figure(model.name))
    if labels:
        stage.labels(configuration)
    return stage.figure


def strobe(
    run: Trajectory,
    count: int = 8,
    *,
    trace: str | Iterable[str] | None = None,
    figsize: tuple[float, float] = SIZE,
    figure: Figure | None = None,
) -> Figure:
    """A matplotlib figure of several instants of a motion at once: see `Trajectory.strobe`."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ModelError(
            asked=f"strobe(count={count!r}) of a trajectory of {run.model.name!r}",
            found="not a number of instants",
            do="give a whole number above zero",
        )
    count = min(count, len(run))
    scene = Scene(run.model, run.q, run.u)
    stage = Stage(figure or _figure(figsize), scene, run.q, run.u)
    names = [_furthest(run, scene)] if trace is None else [trace] if isinstance(trace, str) else list(trace)
    for name in names:
        places, _ = stage.projection(run.model.pose(name, run.q)[:, :3, 3])
        stage.plot.plot(*places.T, color=RED, linewidth=0.9, alpha=0.7)
    stage.picture(only="standing").update(run.q[0], run.u[0], float(run.t[0]))
    times = np.linspace(run.t[0], run.t[-1], count)
    rows = nearest_rows(run.t, times)
    for k, row in enumerate(rows):
        fade = FADED * (1.0 - k / max(count - 1, 1))
        picture = stage.picture(fade if count > 1 else 0.0, only="moving")
        picture.update(run.q[row], run.u[row], float(run.t[row]))
    title = f"{run.model.name}, {counted(count, 'instant')} from {run.t[0]:g} to {run.t[-1]:g} s"
    stage.plot.set_title(in_figure(title))
    return stage.figure


class Stage:
    """A figure that is framed on a motion, for pictures of its instants."""

    def __init__(
        self, figure: Figure, scene: Scene, q: Array, u: Array | None, follow: str | None = None
    ) -> None:
        self.scene = scene
        held = None if follow is None else (follow, scene.model.pose(follow, q[0])[:3, 3])
        seen = scene.points(q, u, held)
        self.figure, self.plot = figure, figure.subplots()
        if figure.get_layout_engine() is None:
            figure.figure.set_layout_engine("constrained")  # a subfigure has none of its own
        aspect = float(figure.bbox.width / figure.bbox.height)
        camera = framed(seen, scene.plane, aspect)
        self.projection = Projection(scene.plane, camera)
        self.plot.set_aspect("equal")
        places, _ = self.projection(seen)
        if scene.plane is not None:
            self._flat(places)
        else:
            self._spatial(q, aspect)
        self._limits, self._target = (self.plot.get_xlim(), self.plot.get_ylim()), self.projection.target
        self._gravity()

    def shift(self, way: Array) -> None:
        """Move the camera by this displacement from its first position."""
        if self.projection.flat:
            x, y = self.projection.axes[:2] @ way
            (left, right), (low, high) = self._limits
            self.plot.set_xlim(left + x, right + x)
            self.plot.set_ylim(low + y, high + y)
            return
        self.projection.target = self._target + way
        self._grid.set_segments(self._lines())

    def picture(self, fade: float = 0.0, *, only: Literal["standing", "moving"] | None = None) -> Picture:
        """A new picture in the figure, to be updated: of everything, of what stands or of what moves."""
        return Picture(self.scene, self.plot, self.projection, fade, only)

    def labels(self, q: Array) -> list[Annotation]:
        """Write the names of frames in black, those of elements in their colours."""
        poses = self.scene.poses(q)
        places: dict[str, tuple[Array, Any]] = {}
        for part in self.scene.rigid:
            if not part.frame.startswith("#") and part.frame != "world":
                places.setdefault(part.frame, (poses[self.scene.place[part.frame], :3, 3], "black"))
        for label in self.scene.model.frames[1:]:
            if not label.startswith("#"):
                places.setdefault(label, (self.scene.model.pose(label, q)[:3, 3], "black"))
        for link, ends in zip(self.scene.links, self.scene.ends(poses), strict=True):
            name = link.name.partition("/")[2]
            if link.role != "rail" and " #" not in name:  # an element with a name of its own
                places[f"{link.role}/{name}"] = (ends.mean(axis=0), link.color)
        return write(
            self.plot,
            (
                Label(name.partition("/")[2] or name, tuple(self.projection(place)[0]), color)
                for name, (place, color) in places.items()
            ),
        )

    def _flat(self, places: Array) -> None:
        low, high = places.min(axis=0), places.max(axis=0)
        margin = 0.06 * max(float((high - low).max()), self.scene.size)
        half, middle = (high - low) / 2.0 + margin, (high + low) / 2.0
        half = np.maximum(half, NARROWEST * half.max())
        self.plot.set_xlim(middle[0] - half[0], middle[0] + half[0])
        self.plot.set_ylim(middle[1] - half[1], middle[1] + half[1])
        self.plot.grid(color=COLORS["grid"], linewidth=0.8)
        self.plot.set_axisbelow(True)
        for side in ("top", "right"):
            self.plot.spines[side].set_visible(False)
        right, up, _ = self.projection.axes
        self.plot.set_xlabel(_axis_name(right))
        self.plot.set_ylabel(_axis_name(up))

    def _spatial(self, q: Array, aspect: float) -> None:
        from matplotlib.collections import LineCollection

        half = self.projection.half
        self.plot.set_xlim(-aspect * half, aspect * half)
        self.plot.set_ylim(-half, half)
        self.plot.set_axis_off()
        self._ground = self.scene.grid(q)
        self._grid = LineCollection(self._lines(), colors=[COLORS["grid"]], linewidths=0.8, zorder=0)
        self.plot.add_collection(self._grid, autolim=False)
        note = f"grid {self._ground.spacing:g} m"
        self.plot.text(
            0.99, 0.01, note, transform=self.plot.transAxes, ha="right", fontsize="small", color="gray"
        )

    def _lines(self) -> list[Array]:
        """The grid of the ground in the picture."""
        ground = self._ground
        steps = np.arange(-ground.size / 2.0, ground.size / 2.0 + ground.spacing / 2.0, ground.spacing)
        return [
            self.projection(ground.origin + step * first + np.outer((-0.5, 0.5), ground.size * second))[0]
            for first, second in ((ground.right, ground.up), (ground.up, ground.right))
            for step in steps
        ]

    def _gravity(self) -> None:
        size = float(np.linalg.norm(self.scene.gravity))
        if size == 0.0:
            return
        x, y = self.projection.axes[:2] @ self.scene.gravity / size
        if np.hypot(x, y) < 0.1:
            return  # along the line of sight
        style = {"arrowstyle": "-|>", "color": COLORS["gravity"], "shrinkA": 0.0, "shrinkB": 0.0}
        x, y = 0.035 * x, 0.035 * y
        right = 1.02 if self.projection.flat else 0.96
        self.plot.annotate(
            "",
            (right + x, 0.93 + y),
            (right - x, 0.93 - y),
            xycoords="axes fraction",
            arrowprops=style,
            annotation_clip=False,
        )
        words: Any = {"color": COLORS["gravity"], "style": "italic", "va": "center"}
        self.plot.annotate("g", (right + 0.015, 0.93), xycoords="axes fraction", **words)


def nearest_rows(t: Array, times: Array) -> list[int]:
    """The row of t nearest to each time."""
    after = np.clip(np.searchsorted(t, times), 1, max(len(t) - 1, 1))
    if len(t) == 1:
        return [0] * len(times)
    earlier = times - t[after - 1] <= t[after] - times
    return [int(row) for row in np.where(earlier, after - 1, after)]


def _figure(size: tuple[float, float]) -> Figure:
    import matplotlib.pyplot as plt

    from bough.view.figure import NotebookFigure

    return plt.figure(figsize=size, FigureClass=NotebookFigure)


def _at_rest(model: Model, t: float) -> Array:
    start = model.configuration(model.start.q)
    if model.nc == 0:
        return start
    try:
        return model.assemble(start, t=t).q
    except ModelError:
        return start


def _furthest(run: Trajectory, scene: Scene) -> str:
    """The frame with a mass that travels farthest."""
    masses = [part.frame for part in scene.rigid if part.role == "mass"] or list(scene.frames)
    rows = run.q[:: max(1, len(run) // 500)]
    ways = [np.linalg.norm(np.diff(run.model.pose(f, rows)[:, :3, 3], axis=0), axis=1).sum() for f in masses]
    return masses[int(np.argmax(ways))]


def _axis_name(direction: Array) -> str:
    along = int(np.argmax(np.abs(direction)))
    if abs(direction[along]) < 1.0 - 1e-9:
        return "[m]"
    return f"{'-' if direction[along] < 0.0 else ''}{'xyz'[along]} [m]"
