"""Lines that would be flat beside others have a plot of their own."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.view._page_plots import REST, page_plots
from bough.view.plots import by_scale, panels_of

T = np.linspace(0.0, 1.0, 50)


@pytest.mark.parametrize(
    ("size", "apart"), [(0.5, False), (2e-2, False), (5e-3, True), (1e-5, True), (1e-8, False)]
)
def test_a_line_is_set_apart_if_it_moves_little_and_more_than_round_off(size: float, apart: bool) -> None:
    lines = {
        "large": 3.0 * np.sin(9.0 * T),
        "other": 100.0 + 3.0 * size * np.sin(9.0 * T),
        "held": np.full(50, 7.0),
    }
    large, small = by_scale(lines)
    assert list(small) == (["other"] if apart else [])
    assert list(large) == [name for name in lines if name not in small]


def test_lines_without_values_stay() -> None:
    lines = {"large": T, "none": np.full(50, np.nan)}
    assert list(by_scale(lines)[0]) == ["large", "none"]
    assert by_scale({}) == ({}, {})


def test_a_fine_drive_beside_a_coarse_one() -> None:
    """Two slides, of 1 m and of 1 mm: a panel each, with the same unit."""
    system = bough.System("stage", gravity=None)
    system.world.tx("coarse", mass=1.0).ty("fine", mass=1.0)
    run = bough.simulate(system.build(), v={"coarse": 1.0, "fine": 1e-3}, duration=1.0, dt=0.1)
    panels = panels_of(run, "configuration")
    assert [(panel.title, panel.label, list(panel.lines)) for panel in panels] == [
        ("distances", "q [m]", ["coarse"]),
        ("distances, the small ones", "q [m]", ["fine"]),
    ]
    assert len(run.plot("configuration").axes) == 2


def test_friction_is_drawn_and_round_off_looks_still() -> None:
    """A box that slides and stops: mu m g, then nothing; it never turns, but for round-off."""
    system = bough.System("sliding box")
    system.world.tx("x").tz("z").ry("r", name="box", mass=1.0, inertia=(0.01, 0.01, 0.01))
    bed = system.world.tz(-0.05, name="bed")
    system.add(bough.Contact("box", bough.Box((0.1, 0.1, 0.1)), against=bed, name="floor", friction=0.4))
    run = bough.simulate(system.build(), v={"x": 1.0}, duration=0.5, dt=0.005)
    friction = next(panel for panel in panels_of(run, "contact") if panel.title == "friction of contacts")
    total = sum(friction.lines.values())
    np.testing.assert_allclose(total[10:40], 0.4 * 9.81, rtol=1e-9)
    np.testing.assert_allclose(total[60:], 0.0, atol=1e-9)
    angle = run.plot("configuration").axes[0]
    assert angle.get_title(loc="left") == "angles"
    assert angle.get_ylim() == pytest.approx((-0.05, 0.05))


def test_a_page_names_what_it_colours_and_lets_round_off_stand_still() -> None:
    """Twelve lines in a page: as many colours as names, and the number of the others; a tilt of 1e-17 is none."""
    t = np.linspace(0.0, 1.0, 50)
    system = bough.System("twelve", gravity=None)
    frame = system.world
    for i in range(12):
        frame = frame.tx(f"x{i}", mass=1.0)
    frame.ry("tilt", mass=1.0, inertia=(0.1, 0.1, 0.1))
    q = np.outer(t, np.arange(13.0))
    q[:, -1] = 1e-17 * np.sin(40.0 * t)
    run = bough.Trajectory(system.build(), t, q)
    angles, distances = page_plots(run, "configuration", "a test")
    named = [line for line in distances["lines"] if line["color"] != REST]
    assert [line["name"] for line in named] == [f"x{i}" for i in range(5, 12)]
    assert len({line["color"] for line in named}) == len(named)
    assert distances["others"] == "5 others, which move less"
    assert distances["span"] is None
    assert angles["others"] == ""
    assert angles["span"] == pytest.approx((-0.05, 0.05))
