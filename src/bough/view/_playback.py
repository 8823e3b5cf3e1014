"""The panel of a trajectory: play it, with paths and plots."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.arguments import Array
from bough.motion.trajectory import Trajectory
from bough.view._charts import Chart
from bough.view._choices import Choices
from bough.view._page import Page
from bough.view._panel import Options, message, readout, said
from bough.view._sampling import thinned
from bough.view.touches import Touches

if TYPE_CHECKING:
    from bough.view._stage import Stage

SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4", "8")
FRAME = 1.0 / 30.0  # time between two pictures, in s
CHART = 0.1  # time between two positions of the line in the plots, in s
PATH = 2000  # largest number of points of a path
WIDTH = 340  # width of the plots, in pixels
FIRST = 3  # number of variables plotted by default


class PlaybackPanel:
    """Play, pause, scrub, speed, loop; paths of frames; plots of variables, energy and constraint error.

    Of a run with contacts their forces are arrows, and impacts flash; a box hides both.

    Attributes
    ----------
    now : float
        The time shown.
    playing : bool
    """

    def __init__(self, page: Page, stage: Stage, run: Trajectory, follow: str | None = None) -> None:
        from bough.view._loads import Marks

        self._page, self._stage, self.run = page, stage, run
        self.now, self.playing = float(run.t[0]), False
        self._clock = time.monotonic()
        self._charted = 0.0
        self._energy = run.energy()
        self._error = np.abs(run.constraint_error()).max(axis=1) if run.model.nc else None
        self._charts: dict[str, Chart] = {}
        self._marked = True
        self._marks = Marks(page.server.scene, Touches(stage.scene, run), stage.scene.size)
        self._controls(page.server.gui)
        self._lists(page, follow)
        page.failed = lambda error: message(self._message, said(error))
        page.tick = self._tick
        self._show()

    def _controls(self, gui: Any) -> None:
        page, t = self._page, self.run.t
        self._message = gui.add_html("", visible=False)
        if self.run.status != "finished":
            message(self._message, f"this run {_ENDS[self.run.status]} at t = {t[-1]:g} s")
        self._button = gui.add_button("Play")
        self._button.on_click(lambda event: page.post("play", self.toggle))
        span = float(t[-1] - t[0])
        step = span / 10_000 or 1.0
        self._slider = gui.add_slider(
            "t [s]", float(t[0]), float(t[-1]) if span else float(t[0]) + 1.0, step, float(t[0])
        )
        self._slider.on_update(self._on_scrub)
        self._speed = gui.add_dropdown("Speed", SPEEDS, initial_value="1")
        self._loop = gui.add_checkbox("Loop", initial_value=True)
        if self._marks.messages > 0:
            box = gui.add_checkbox("Forces and impacts", initial_value=True)
            box.on_update(lambda event: page.post("marks", lambda: self.mark(bool(event.target.value))))
        self._readout = gui.add_html("")

    def _lists(self, page: Page, follow: str | None) -> None:
        model, gui = self.run.model, page.server.gui
        plots = gui.add_panel()
        self._tab = plots.add_tab("Plots")
        plots.dock_left()
        plots.set_width(WIDTH)
        named = [name for name in model.frames if not name.startswith("#")]
        Choices(
            page.server,
            "Paths of frames",
            named,
            (),
            lambda names: page.post("paths", lambda: self._paths(names)),
        )
        first = model.variables[:FIRST]
        Choices(
            page.server,
            "Plotted variables",
            model.variables,
            first,
            lambda names: page.post("variables", lambda: self._plot_variables(names)),
        )
        Options(page, self._stage, lambda: (self.run.q, self.run.u if model.nu else None), follow)
        self._plot_variables(list(first))
        self._plot(
            "energy",
            f"E − E(0) [J],  E(0) = {self._energy[0]:.6g}",
            {"energy": self._energy - self._energy[0]},
        )
        if self._error is not None:
            floor = np.log10(np.maximum(self._error, 1e-18))
            self._plot("constraint", "log10 of the largest |h(q)|", {"error": floor})

    def _plot_variables(self, names: list[str]) -> None:
        self._plot("variables", "variables", {name: self.run[name] for name in names})

    def _plot(self, key: str, title: str, lines: dict[str, Array]) -> None:
        if key in self._charts:
            self._charts.pop(key).remove()
        if lines:
            with self._tab:
                self._charts[key] = Chart(self._page.server, title, self.run.t, lines, _ORDER.index(key))
                self._charts[key].show(self.now)

    def _paths(self, names: list[str]) -> None:
        rows = thinned(len(self.run), PATH)
        model, q = self.run.model, self.run.q[rows]
        self._stage.show_paths({name: model.pose(name, q)[:, :3, 3] for name in names})

    def mark(self, wanted: bool) -> None:
        """Show the forces of contacts and impacts, or not."""
        self._marked = wanted
        if not wanted:
            self._marks.hide()
        self._show()

    # --- time ---

    def toggle(self) -> None:
        """Play or pause."""
        self.playing = not self.playing
        if self.playing and self.now >= self.run.t[-1]:
            self.now = float(self.run.t[0])
        self._clock = time.monotonic()
        self._button.label = "Pause" if self.playing else "Play"
        self._show()

    def _on_scrub(self, event: Any) -> None:
        if event.client_id is not None:
            value = float(event.target.value)
            self._page.post("scrub", lambda: self.seek(value))

    def seek(self, value: float) -> None:
        """Pause at a time."""
        if self.playing:
            self.toggle()
        self.now = value
        self._show(scrubbed=True)

    def _tick(self) -> float | None:
        if not self.playing:
            return None
        clock = time.monotonic()
        self.now += (clock - self._clock) * float(self._speed.value)
        self._clock = clock
        first, last = float(self.run.t[0]), float(self.run.t[-1])
        if self.now >= last:
            if self._loop.value and last > first:
                self.now = first + (self.now - first) % (last - first)
            else:
                self.now = last
                self.toggle()
                return None
        self._show()
        return max(0.0, FRAME - (time.monotonic() - clock))

    def row(self) -> int:
        """The row that is shown: the last one at or before the present time."""
        return max(0, int(np.searchsorted(self.run.t, self.now, side="right")) - 1)

    def _show(self, scrubbed: bool = False) -> None:
        row = self.row()
        rows = {"t": f"{self.run.t[row]:.3f} s", "energy": f"{self._energy[row]:.6g} J"}
        if self._error is not None:
            rows["constraint error"] = f"{self._error[row]:.1e}"
        with self._page.server.atomic():
            if self._marked:
                self._marks.show(row)
            self._stage.show(self.run.q[row], self.run.u[row], float(self.run.t[row]))
            self._readout.content = readout(rows)
            if not scrubbed:
                self._slider.value = min(max(self.now, float(self.run.t[0])), float(self.run.t[-1]))
            if not self.playing or time.monotonic() - self._charted > CHART:
                self._charted = time.monotonic()
                for chart in self._charts.values():
                    chart.show(self.now)


_ORDER = ("variables", "energy", "constraint")
_ENDS = {"failed": "failed", "interrupted": "was interrupted"}
