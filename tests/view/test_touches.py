"""Arrows of contact forces and flashes of impacts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import bough
from bough import gallery
from bough.progress import Progress
from bough.view._loads import Marks
from bough.view.scene import Scene
from bough.view.touches import FADE, LENGTH, Touches
from bough.view.video import Film

G = 9.81


def dropped() -> bough.Trajectory:
    system = bough.System("ball")
    system.world.tx("x").tz("z", name="ball", mass=2.0)
    system.add(bough.Contact("ball", bough.Sphere(0.1), restitution=0.5, name="floor"))
    return bough.simulate(system.build(), q={"z": 0.6}, v={"x": 1.0}, duration=1.5, dt=0.01)


def touches(run: bough.Trajectory) -> Touches:
    return Touches(Scene(run.model, run.q), run)


def test_the_arrow_of_a_body_at_rest_is_that_of_the_weight() -> None:
    run = dropped()
    shown = touches(run)
    start, end = shown.arrows[-2, 0]
    assert start == pytest.approx([run["x"][-2], 0.0, 0.0], abs=1e-12)
    assert end - start == pytest.approx([0.0, 0.0, LENGTH * Scene(run.model, run.q).size], rel=1e-9)
    assert np.isnan(shown.arrows[0]).all()  # it falls


def test_an_impact_flashes_where_it_is_and_fades() -> None:
    run = dropped()
    shown, first = touches(run), run.impacts[0].t
    after = int(np.searchsorted(run.t, first))
    assert shown.flashes(after - 1) == []
    ((place, radius),) = shown.flashes(after)
    assert place == pytest.approx([first, 0.0, 0.0], abs=0.05)  # it moves by 1 m/s
    ((_, later),) = shown.flashes(after + 3)
    assert later / radius == pytest.approx((FADE - run.t[after + 3] + first) / (FADE - run.t[after] + first))
    assert shown.flashes(after + round(FADE / 0.01) + 1) == []


def test_strings_and_limits_flash_at_what_they_hold() -> None:
    system = bough.System("arm")
    system.world.ry("shoulder").tz(-1.0, name="elbow").ry("bend").tz(-1.0, name="hand", mass=1.0)
    system.add(bough.JointLimit("bend", -0.2, 0.2, name="stop"))
    system.add(bough.String("world", "hand", 1.999, name="string"))
    run = bough.simulate(system.build(), q={"shoulder": 0.6, "bend": 0.15}, duration=1.0, dt=0.01)
    shown = touches(run)
    assert np.isnan(shown.arrows).all()  # neither has a point
    for impact in run.impacts[:1]:
        row = int(np.searchsorted(run.t, impact.t))
        at = {"stop": "elbow", "string": "hand"}[impact.contacts[0].partition("[")[0]]
        place = run.model.pose(at, np.array(impact.q))[:3, 3]
        assert shown.flashes(row)[0][0] == pytest.approx(place, abs=1e-12)


def test_a_run_without_contacts_has_none() -> None:
    run = bough.simulate(gallery.pendulum().build(), duration=0.1, dt=0.01)
    shown = touches(run)
    assert shown.arrows.shape == (len(run), 0, 2, 3)
    assert not shown.any_flash
    assert shown.flashes(5) == []


@pytest.mark.parametrize("forces", [False, True])
def test_a_film_shows_them(forces: bool) -> None:
    run = dropped()
    rows = [int(np.searchsorted(run.t, run.impacts[0].t)), len(run) - 2]
    film = Film(run, (800, 600), None, None, forces)
    flash, rest = (
        np.array(picture) for picture in film.pictures(rows, Progress("", 1.0, False, 2, "pictures"))
    )
    yellow = (flash[..., 0] > 220) & (flash[..., 1] > 200) & (flash[..., 2] < 120)
    red = (abs(rest[..., 0] - 213.0) < 20) & (abs(rest[..., 1] - 94.0) < 20) & (rest[..., 2] < 30)
    assert (yellow.sum() > 10) == forces
    assert (red.sum() > 10) == forces


class Api:
    """The two nodes of viser that marks are made of."""

    def __init__(self) -> None:
        self.nodes: dict[str, Any] = {}

    def add_arrows(self, name: str, points: Any, color: Any, **more: Any) -> Any:
        self.nodes[name] = SimpleNamespace(points=points, **more)
        return self.nodes[name]

    def add_icosphere(self, name: str, **more: Any) -> Any:
        self.nodes[name] = SimpleNamespace(**more)
        return self.nodes[name]


def test_a_page_shows_them() -> None:
    run = dropped()
    api: Any = Api()
    marks = Marks(api, touches(run), 1.0)
    arrows, flash = api.nodes["/scene/contacts/forces"], api.nodes["/scene/contacts/impact 0"]
    marks.show(0)
    assert not arrows.visible
    assert not flash.visible
    marks.show(int(np.searchsorted(run.t, run.impacts[0].t)))
    assert flash.visible
    assert flash.scale > 0.0
    marks.show(len(run) - 2)
    assert arrows.visible
    assert arrows.points.shape == (1, 2, 3)
    assert not flash.visible
    marks.hide()
    assert not arrows.visible
    assert not flash.visible


def test_the_playback_of_a_run_shows_them() -> None:
    run = dropped()
    with bough.view(run, port=0) as viewer:

        def at(t: float, shown: bool = True) -> tuple[bool, bool]:
            def look() -> tuple[bool, bool]:
                panel: Any = viewer.panel
                panel.seek(t)
                panel.mark(shown)
                return bool(panel._marks._arrows.visible), bool(panel._marks._flashes[0].visible)

            seen: tuple[bool, bool] = viewer._page.do(look)
            return seen

        hit, rest = run.t[np.searchsorted(run.t, run.impacts[0].t)], run.t[-2]
        assert at(0.0) == (False, False)
        assert at(float(hit))[1]
        assert at(float(rest))[0]
        assert at(float(rest), shown=False) == (False, False)
