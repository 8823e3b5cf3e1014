"""In Chromium: everything is seen beside the panels, "Fit" brings it back, and a camera follows a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough.view import Scene
from support import mechanisms
from support.browser import Drawn

PORT = 8540
# where points of the model are on the canvas: x and y from -1 to 1 within it
SEEN = """points => {
  const { camera } = window.__viserMutable, root = window.__viserMutable.nodeRefFromName[''];
  camera.updateMatrixWorld();
  root.updateWorldMatrix(true, false);
  const Vector = camera.position.constructor;
  return points.map(p => {
    const seen = new Vector(...p).applyMatrix4(root.matrixWorld).project(camera);
    return [seen.x, seen.y];
  });
}"""


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Drawn]]:
    pages: list[Drawn] = []

    def show(url: str, **options: Any) -> Drawn:
        pages.append(Drawn(browser, url, **options))
        pages[-1].node("/grid")
        return pages[-1]

    yield show
    for page in pages:
        page.close()


def outermost(run: bough.Trajectory) -> np.ndarray:
    """The points of a motion that are farthest out in the plane of a picture."""
    points = Scene(run.model, run.q).points(run.q)
    angles = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    return points[np.argmax(points[:, [0, 2]] @ np.stack((np.cos(angles), np.sin(angles))), axis=0)]


def reach(page: Drawn, points: np.ndarray) -> float:
    """How far from the middle of the canvas points are: up to 1 they are seen."""
    return float(np.abs(page.page.evaluate(SEEN, points.tolist())).max())


def until(page: Drawn, condition: Callable[[], bool]) -> bool:
    for _ in range(100):
        if condition():
            return True
        page.page.wait_for_timeout(100)
    return False


def test_the_whole_motion_is_seen_beside_the_panels(opened: Callable[..., Drawn]) -> None:
    run = bough.simulate(mechanisms.pendulum(2), q={"q0": 1.5}, duration=8.0, dt=0.01)
    points = outermost(run)
    with bough.view(run, port=PORT) as viewer:
        page = opened(viewer.url)
        assert until(page, lambda: 0.7 < reach(page, points) <= 1.0), reach(page, points)
        page.page.set_viewport_size({"width": 1300, "height": 400})
        assert until(page, lambda: 0.7 < reach(page, points) <= 1.0), reach(page, points)
        page.page.wait_for_timeout(500)  # the last fit to the new size is drawn
        # moved by hand it stays, until somebody asks
        page.page.mouse.move(650, 200)
        page.page.mouse.wheel(0, -2500)
        assert until(page, lambda: reach(page, points) > 1.2), reach(page, points)
        page.page.wait_for_timeout(500)
        assert reach(page, points) > 1.2
        page.page.get_by_role("button", name="Fit").click()
        assert until(page, lambda: 0.7 < reach(page, points) <= 1.0), reach(page, points)
        page.screenshot("double_pendulum_fitted")


def sled() -> bough.Trajectory:
    """Something that slides away, with a pendulum on it."""
    system = bough.System("sled")
    body = system.world.tx("x", name="sled", mass=1.0)
    body.ry("angle").tz(-0.5, name="bob", mass=0.2)
    return bough.simulate(system.build(), q={"angle": 1.0}, v={"x": 3.0}, duration=4.0, dt=0.02)


def test_a_camera_follows(opened: Callable[..., Drawn]) -> None:
    run = sled()
    with bough.view(run, follow="sled", port=PORT) as viewer:
        page = opened(viewer.url)
        node = page.node("/mass|sled")
        home = run.model.pose("sled", run.q[0])
        viewer._page.do(lambda: viewer.panel.seek(3.0))  # type: ignore[union-attr]
        assert run.model.pose("sled", run.q[150])[0, 3] > 5.0
        page.until(node, home, atol=1e-4)
        viewer._page.do(lambda: viewer._stage.follow(None))
        page.until(node, run.model.pose("sled", run.q[150]), atol=1e-4)


@pytest.mark.parametrize("size", [(420, 700), pytest.param((900, 500), marks=pytest.mark.verify)])
def test_an_exported_page_fits_any_window(
    opened: Callable[..., Drawn], tmp_path: Path, size: tuple[int, int]
) -> None:
    run = bough.simulate(mechanisms.pendulum(2), q={"q0": 1.5}, duration=2.0, dt=0.01)
    path = bough.export_html(run, tmp_path / "run.html")
    points = outermost(run)
    page = opened(path.as_uri())
    page.page.set_viewport_size({"width": size[0], "height": size[1]})
    assert until(page, lambda: 0.6 < reach(page, points) <= 1.0), reach(page, points)
    page.page.mouse.move(size[0] / 2, 250)
    page.page.mouse.wheel(0, -2500)
    assert until(page, lambda: reach(page, points) > 1.2)
    page.page.get_by_role("button", name="Fit").click()
    assert until(page, lambda: 0.6 < reach(page, points) <= 1.0), reach(page, points)


@pytest.mark.verify
def test_a_followed_frame_stands_still_in_an_exported_page(
    opened: Callable[..., Drawn], tmp_path: Path
) -> None:
    run = sled()
    page = opened(bough.export_html(run, tmp_path / "sled.html", follow="sled").as_uri())
    node = page.node("/mass|sled")
    page.page.keyboard.press("Space")
    page.seek(3.0)
    bob = page.node("/mass|bob")
    row = int(np.searchsorted(run.t, 3.0, side="right")) - 1
    page.until(node, run.model.pose("sled", run.q[0]), atol=1e-3)
    assert abs(page.pose(bob)[0, 3]) < 0.51 < run.q[row, 0]
