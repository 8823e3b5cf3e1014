"""Legends cover neither curves nor titles, however many lines there are and however long their names."""

from __future__ import annotations

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

import bough
import bough.gallery
from bough.figures._style import name_lines, panels
from bough.plain_text import shortened


def chain(count: int, name: str) -> Figure:
    """The plot of a run of so many variables."""
    system, rng = bough.System(f"chain of {name} {count}"), np.random.default_rng(0)
    frame = system.world
    for i in range(count):
        frame = frame.ry(f"{name}{i}").tz(-1.0, mass=1.0)
    model = system.build()
    t = np.linspace(0.0, 1.0, 50)
    return bough.Trajectory(model, t, rng.normal(size=(50, count)).cumsum(axis=0)).plot()


def compared() -> Figure:
    model = bough.gallery.pendulum().build()
    names = ["midpoint", "implicit-midpoint", "semi-implicit-euler", "trapezoidal", "rk4", "dop853", "rk45"]
    return bough.compare(model, duration=0.1, dt=0.01, integrators=names, effort=0.02).plot()


def figure_of_a_paper() -> Figure:
    figure, axes = panels("energy of a pendulum")
    for i in range(5):
        axes.plot([0.0, 1.0], [i, 4 - i], label=f"an engine, method {i}")
    axes.set_title("a title")
    name_lines(axes)
    return figure


CASES: dict[str, Callable[[], Figure]] = {
    "one": lambda: chain(1, "angle"),
    "six": lambda: chain(6, "a rather long name of an angle "),
    "many": lambda: chain(20, "joint with a name that is far too long for a legend of a figure "),
    "comparison": compared,
    "figure": figure_of_a_paper,
}


@pytest.mark.parametrize("case", CASES)
def test_a_legend_stands_apart(case: str) -> None:
    figure = CASES[case]()
    figure.canvas.draw()
    axes = [axis for axis in figure.axes if axis.axison]
    texts = [axis.title for axis in axes] + [axis._left_title for axis in axes]  # type: ignore[attr-defined]
    texts += [axis.xaxis.label for axis in axes]
    texts = [text for text in texts if text.get_text()]
    own = [(axis.get_legend(), axis) for axis in axes if axis.get_legend() is not None]
    legends = [legend for legend, _ in own] + list(figure.legends)
    assert legends
    for legend in legends:
        box = legend.get_window_extent()
        assert not any(box.overlaps(axis.get_window_extent()) for axis in axes)
        assert not any(box.overlaps(text.get_window_extent()) for text in texts)
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1
    assert min(axis.get_window_extent().width for axis in axes) > 0.3 * figure.bbox.width
    plt.close(figure)


def test_long_names_lose_their_middle() -> None:
    assert shortened("elbow", 5) == "elbow"
    assert shortened("left upper arm, elbow", 10) == "left u…bow"
    assert len(shortened("x" * 100, 28)) == 28
