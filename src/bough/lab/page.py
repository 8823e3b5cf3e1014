"""The page of the lessons: a list of them, sliders, a picture that plays, plots and numbers."""

from __future__ import annotations

import time
import webbrowser
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from bough.errors import unknown_name
from bough.lab.lesson import Lesson, Shown
from bough.lab.lessons import LESSONS
from bough.view._charts import Chart
from bough.view._framing import Framing
from bough.view._page import LOCALHOST, Page, Served
from bough.view._panel import message, readout, said
from bough.view._sampling import thinned
from bough.view._stage import Stage
from bough.view.viewer import has_display, in_terminal

PORT = 8090
ASPECT = 0.8  # width over height of the scene beside the plots
FRAMED = 200  # number of instants that the camera is framed on
FRAME, CHART = 1.0 / 30.0, 0.1  # times between two pictures, and two positions of the line in the plots, in s
WIDTH = 380  # width of the plots, in pixels
ORDER = 100  # the sliders of a lesson stand below the text


class Lab(Served):
    """Lessons in the browser, until `stop()`. Made by `open_lab`.

    Attributes
    ----------
    lesson : Lesson
    values : dict
        The values of the sliders.
    shown : Shown
        What they come to.
    """

    def __init__(self, name: str, host: str, port: int, allowed_hosts: Sequence[str] = ()) -> None:
        self._page = page = Page(host, port, "bough lab", allowed_hosts)
        try:
            self._build(page)
            self._open(LESSONS[name])
        except BaseException:
            page.stop()
            raise
        page.failed = lambda error: message(self._message, said(error))
        page.tick = self._tick
        page.start()

    def _build(self, page: Page) -> None:
        gui = page.server.gui
        self._sliders: dict[str, Any] = {}
        self._charts: list[tuple[bool, Chart]] = []
        self._stage: Stage | None = None
        self._framing: Framing | None = None
        titles = {lesson.title: lesson for lesson in LESSONS.values()}
        self._choice: Any = gui.add_dropdown("Lesson", tuple(titles), initial_value=next(iter(titles)))

        def chosen(event: Any) -> None:
            lesson = titles[event.target.value]
            if event.client_id is not None:  # by the user, not by `_open`
                page.post("lesson", lambda: self._open(lesson))

        self._choice.on_update(chosen)
        self._text = gui.add_markdown("")
        self._message = gui.add_html("", visible=False)
        self._readout = gui.add_html("", order=ORDER + 50)
        self._fit = gui.add_button("Fit", order=ORDER + 51)
        plots = gui.add_panel()
        self._tab = plots.add_tab("Plots")
        plots.dock_left()
        plots.set_width(WIDTH)

    # --- lessons ---

    def _open(self, lesson: Lesson) -> None:
        """Begin a lesson."""
        self.lesson, self.values = lesson, lesson.start()
        self._choice.value = lesson.title
        self._text.content = lesson.text.strip()
        for slider in self._sliders.values():
            slider.remove()
        gui = self._page.server.gui
        self._sliders = {}
        for place, (name, each) in enumerate(lesson.sliders.items()):
            handle = gui.add_slider(name, each.low, each.high, each.step, each.value, order=ORDER + place)
            handle.on_update(partial(self._on_slider, name))
            self._sliders[name] = handle
        self._compute(framed=True)

    def _on_slider(self, name: str, event: Any) -> None:
        value = float(event.target.value)
        self._page.post(("slider", name), lambda: self.move(name, value))

    def move(self, name: str, value: float) -> None:
        """Set a slider."""
        if name in self.values and self.values[name] != value:
            self.values[name] = value
            self._compute(framed=False)

    def _compute(self, framed: bool) -> None:
        self.shown: Shown = self.lesson.compute(self.values)
        message(self._message, "")
        run, server = self.shown.run, self._page.server
        rows = thinned(len(run), FRAMED)
        with server.atomic():
            server.scene.reset()
            stage = Stage(server, run.model, run.q[rows], run.u[rows], aspect=ASPECT)
            if self._framing is None:
                self._framing = Framing(self._page, stage)
                self._fit.on_click(self._on_fit)
            self._framing.show(stage, again=framed)
            self._stage = stage
            self._readout.content = readout(self.shown.numbers)
            self._plot()
        self.now, self._clock, self._charted = float(run.t[0]), time.monotonic(), 0.0

    def _plot(self) -> None:
        for _, chart in self._charts:
            chart.remove()
        self._charts = []
        known = tuple(self.shown.curves[0].lines) if self.shown.curves else ()
        for order, curve in enumerate(self.shown.curves):
            with self._tab:
                over = curve.over or "t [s]"
                chart = Chart(self._page.server, curve.title, curve.x, curve.lines, order, over, known)
            self._charts.append((curve.over is None, chart))

    def _on_fit(self, event: Any) -> None:
        framing, run = self._framing, self.shown.run
        if event.client is not None and framing is not None:
            u = run.u if run.model.nu else None
            self._page.post("fit", lambda: framing.fit(event.client, run.q, u))

    # --- time ---

    def _tick(self) -> float | None:
        begin, run = time.monotonic(), self.shown.run
        first, last = float(run.t[0]), float(run.t[-1])
        if last <= first or self._stage is None:
            return None
        self.now = first + (self.now - first + begin - self._clock) % (last - first)
        self._clock = begin
        row = max(0, int(np.searchsorted(run.t, self.now, side="right")) - 1)
        with self._page.server.atomic():
            self._stage.show(run.q[row], run.u[row], float(run.t[row]))
            if begin - self._charted > CHART:
                self._charted = begin
                for moves, chart in self._charts:
                    if moves:
                        chart.show(self.now)
        return max(0.0, FRAME - (time.monotonic() - begin))


def open_lab(
    name: str = "energy",
    *,
    host: str = LOCALHOST,
    port: int = PORT,
    allowed_hosts: Sequence[str] = (),
    browser: bool | None = None,
    block: bool | None = None,
) -> Lab:
    """Open the lessons in the browser, with one of them first; the options are those of `bough.view`."""
    if name not in LESSONS:
        raise unknown_name("lesson", name, tuple(LESSONS), "bough lab")
    waits = in_terminal() if block is None else bool(block)
    lab = Lab(name, host, port, allowed_hosts)
    try:
        print(f"bough lab: {lab.url}{' (Ctrl-C ends)' if waits else ''}", flush=True)
        if (waits and has_display()) if browser is None else browser:
            webbrowser.open(lab.url)
        if waits:
            lab.wait()
            lab.stop()
    except KeyboardInterrupt:
        lab.stop()
        if not waits:
            raise
    return lab
