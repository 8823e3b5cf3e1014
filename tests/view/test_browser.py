"""In Chromium: what is drawn is where the model says, sliders move it, and pages play without a network."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough import gallery
from bough.view import Rigid, Scene
from bough.view._nodes import node_name
from bough.view._recording import pictures
from support import mechanisms
from support.browser import Drawn

PORT = 8500
CLOSE = 3e-5  # viser leaves out changes below 1e-5, relative


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Drawn]]:
    pages: list[Drawn] = []

    def show(url: str, **options: Any) -> Drawn:
        pages.append(Drawn(browser, url, **options))
        return pages[-1]

    yield show
    for page in pages:
        page.close()


def part(scene: Scene, name: str) -> Rigid:
    """A part of a scene by its name."""
    return next(rigid for rigid in scene.rigid if rigid.name == name)


def test_the_exported_marionette_plays_offline(opened: Callable[..., Drawn], tmp_path: Path) -> None:
    model = gallery.marionette().build()
    run = bough.simulate(model, k=gallery.marionette_motion("walk"), duration=10.0)
    path = bough.export_html(run, tmp_path / "marionette.html")
    page = opened(path.as_uri(), offline=True)
    scene = Scene(model, run.q)
    chosen = [rigid for rigid in scene.rigid if rigid.role == "shape"][::4]
    assert len(chosen) >= 3
    nodes = {rigid.name: page.node(node_name(rigid.name)) for rigid in chosen}

    first = page.play_time()
    page.page.wait_for_function("t => document.querySelector('input').value !== t", arg=f"{first:.1f}")
    page.page.keyboard.press("Space")
    rows = pictures(run, 30.0, 1)
    for time in (1.02, 5.51, 8.785):
        page.seek(time)
        row = rows[np.searchsorted(run.t[rows], time, side="right") - 1]
        for rigid in chosen:
            expected = model.pose(rigid.frame, run.q[row]) @ rigid.pose
            page.until(nodes[rigid.name], expected, atol=1e-4)
    page.screenshot("marionette")
    assert page.page.title() == "marionette"
    assert page.requests == [path.as_uri()]
    assert page.errors == []


def test_a_slider_moves_a_body(opened: Callable[..., Drawn]) -> None:
    model = mechanisms.pendulum(2)
    with bough.view(model, q={"q0": 0.4}, port=PORT) as viewer:
        page = opened(viewer.url)
        mass = part(Scene(model), "mass/m1")
        node = page.node(node_name("mass/m1"))
        page.until(node, model.pose("m1", [0.4, 0.0]) @ mass.pose, atol=CLOSE)
        for fraction in page.drag(1, 0.5, 0.75):
            assert fraction <= 0.76
        moved = viewer.panel.q
        assert 1.0 < moved[1] < 2.0
        page.until(node, model.pose("m1", moved) @ mass.pose, atol=CLOSE)
        assert "potential energy" in page.text()
        page.screenshot("pendulum_sliders")
        page.page.get_by_role("button", name="Reset").click()
        page.until(node, model.pose("m1", [0.4, 0.0]) @ mass.pose, atol=CLOSE)


def test_dragging_a_closed_chain_holds_its_constraints(opened: Callable[..., Drawn]) -> None:
    model = mechanisms.closed_chain()
    start = model.assemble(q={"J": 0.3}).q
    with bough.view(model, q=start, port=PORT) as viewer:
        page = opened(viewer.url)
        page.node(node_name("mass/I"))
        seen = []
        at = (start[0] + np.pi) / (2 * np.pi)
        for _ in page.drag(0, at, at + 0.08):
            seen.append(constraint_error(page))
            assert np.abs(model.constraint(viewer.panel.q)).max() < 1e-8
        assert max(seen) < 1e-8
        moved = viewer.panel.q
        assert abs(moved[0] - start[0]) > 0.2
        scene = Scene(model)
        for name in ("mass/I", "mass/G", "mass/N", "mass/F"):
            rigid = part(scene, name)
            page.until(page.node(node_name(name)), model.pose(rigid.frame, moved) @ rigid.pose, atol=CLOSE)
        page.screenshot("closed_chain_sliders")


def test_a_run_plays_with_plots_and_paths(opened: Callable[..., Drawn]) -> None:
    run = bough.simulate(mechanisms.pendulum(2), q={"q0": 1.5}, duration=8.0, dt=0.01)
    with bough.view(run, port=PORT) as viewer:
        page = opened(viewer.url)
        node = page.node(node_name("mass/m1"))
        page.page.wait_for_function("Object.keys(window.__viserTestpoints.uplots ?? {}).length === 2")
        page.page.get_by_role("button", name="Play").click()
        page.page.get_by_role("button", name="Pause").wait_for()
        page.page.wait_for_timeout(1500)
        page.page.get_by_role("button", name="Pause").click()
        page.page.get_by_role("button", name="Play").wait_for()
        assert viewer.panel.now > 0.0
        row = viewer.panel.row()
        mass = part(Scene(run.model, run.q), "mass/m1")
        page.until(node, run.model.pose("m1", run.q[row]) @ mass.pose, atol=CLOSE)
        page.page.get_by_text("Paths of frames").click()
        page.tick("m1")
        page.node("/paths/m1")
        lines = page.page.evaluate(NOW)
        np.testing.assert_allclose(lines, viewer.panel.now, atol=1e-9)
        page.screenshot("double_pendulum_run")
        assert page.errors == []


# the time at which each chart has its vertical line: where the last series has numbers
NOW = """() => Object.values(window.__viserTestpoints.uplots).map(({chart}) => {
  const line = chart.data[chart.data.length - 1];
  return chart.data[0][line.findIndex(value => !Number.isNaN(value))];
})"""


def test_a_live_simulation_is_driven_by_hand(opened: Callable[..., Drawn]) -> None:
    system = bough.System('a "crane"')
    trolley = system.world.tx(bough.kinematic("trolley"), name="trolley", mass=1.0)
    trolley.ry("swing").tz(-1.0, name="load", mass=1.0)
    with bough.view(system, live=True, q={"swing": 0.5}, port=PORT) as viewer:
        page = opened(viewer.url)
        page.page.wait_for_function("document.title === 'a \"crane\"'")
        node = page.node(node_name("mass/load"))
        for _ in page.drag(0, 0.5, 0.8):
            pass
        target = page.slider_value(0)
        page.page.wait_for_function("() => true")
        page.page.get_by_role("button", name="Pause").click()
        page.page.get_by_role("button", name="Run").wait_for()
        state = viewer.panel.state
        assert state.t > 0.1
        assert target > 0.1
        assert abs(state.q[1] - target) < 0.1
        mass = part(Scene(viewer.model), "mass/load")
        page.until(node, viewer.model.pose("load", state.q) @ mass.pose, atol=CLOSE)
        page.screenshot("crane_live")


def constraint_error(page: Drawn) -> float:
    """What the panel shows."""
    found = re.search(r"constraint error\s+([-+.e\d]+)", page.text())
    assert found is not None
    return float(found[1])


def test_a_page_with_a_shared_client_plays_from_the_disk(
    opened: Callable[..., Drawn], tmp_path: Path
) -> None:
    model = mechanisms.pendulum(2)
    run = bough.simulate(model, q={"q0": 0.4}, duration=0.5)
    path = bough.export_html(run, tmp_path / "pendulum.html", client="shared")
    page = opened(path.as_uri(), offline=True)
    page.node(node_name("mass/m1"))  # it is drawn
    assert page.requests == [path.as_uri(), (tmp_path / "viser-client.js").as_uri()]
    assert page.errors == []
