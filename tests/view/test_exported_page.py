"""In Chromium: an exported page switches motions, plots them, looks from all sides, follows, and obeys keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough import gallery
from bough.view import Scene
from bough.view._nodes import node_name, rgb
from bough.view.tensions import LEVELS, ramp
from support.browser import Drawn
from view.test_camera_in_browser import SEEN, until

# the time at which each plot has its vertical line
PLOTTED = "() => [...document.querySelectorAll('#bough-plots canvas')].map(each => Number(each.dataset.time))"
COLOR = """ending => {
  const all = window.__viserMutable.nodeRefFromName;
  const name = Object.keys(all).find(each => each.endsWith(ending));
  let found = null;
  all[name].traverse(each => { found ??= each.material?.color?.getHexString(); });
  return found;
}"""


@pytest.fixture(scope="module")
def runs() -> dict[str, bough.Trajectory]:
    model = gallery.marionette().build()
    return {
        name: bough.simulate(model, k=gallery.marionette_motion(name), duration=duration)
        for name, duration in (("walk", 3.0), ("bow", 1.0))
    }


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[[Path], Drawn]]:
    pages: list[Drawn] = []

    def show(path: Path) -> Drawn:
        pages.append(Drawn(browser, path.as_uri(), offline=True))
        pages[-1].node("/grid")
        pages[-1].page.get_by_role("button", name="Fit").wait_for()
        return pages[-1]

    yield show
    for page in pages:
        page.close()


def outermost(run: bough.Trajectory, held: str | None) -> np.ndarray:
    """Corners of the box around a motion, as seen with a frame held."""
    place = None if held is None else (held, run.model.pose(held, run.q[0])[:3, 3])
    points = Scene(run.model, run.q).points(run.q, None, place)
    angles = np.random.default_rng(0).normal(size=(40, 3))
    return points[np.unique(np.argmax(points @ angles.T, axis=0))]


def test_a_page_of_several_motions(
    opened: Callable[[Path], Drawn], runs: dict[str, bough.Trajectory], tmp_path: Path
) -> None:
    path = bough.export_html(
        runs, tmp_path / "puppet.html", follow="root", plots=["energy", "multiplier"], forces=True
    )
    page = opened(path)
    keyboard = page.page.keyboard
    keyboard.press("Space")
    page.seek(2.0)

    # the plots are where the motion is, and a click in one of them goes there
    assert until(page, lambda: np.allclose(page.page.evaluate(PLOTTED), [2.0, 2.0], atol=1e-3))
    box = page.page.locator("#bough-plots canvas").first.bounding_box()
    middle = box["x"] + 52 + 0.5 * (box["width"] - 60)
    page.page.mouse.click(middle, box["y"] + 20)
    assert until(page, lambda: np.allclose(page.page.evaluate(PLOTTED), [1.5, 1.5], atol=0.02))

    # keys: one picture on, the start, a camera
    before = page.page.evaluate(PLOTTED)[0]
    keyboard.press(".")
    assert until(page, lambda: page.page.evaluate(PLOTTED)[0] > before)
    assert page.page.evaluate(PLOTTED)[0] == pytest.approx(before + 1.0 / 30.0, abs=2e-3)
    keyboard.press("Home")
    assert until(page, lambda: page.page.evaluate(PLOTTED)[0] == 0.0)
    points = outermost(runs["walk"], "root")
    for key in "1234":
        keyboard.press(key)
        assert until(page, lambda: 0.6 < np.abs(page.page.evaluate(SEEN, points.tolist())).max() <= 1.0), key

    # strings have the colour of their force
    page.seek(3.0)
    run, name = runs["walk"], "left_head string"
    row = run.model.constraints.index(name)
    pull = np.abs(run.lam)
    largest = np.percentile(pull, 98.0)
    level = min(int(LEVELS * pull[-1, row] / largest), LEVELS)
    expected = "{:02x}{:02x}{:02x}".format(*rgb(ramp(level / LEVELS)))
    assert until(page, lambda: page.page.evaluate(COLOR, f"string|{name}") == expected), (
        page.page.evaluate(COLOR, f"string|{name}"),
        expected,
    )
    page.screenshot("puppet_page")

    # another motion, from the same file
    page.page.get_by_role("button", name="bow").click()
    page.page.wait_for_function(
        "window.boughMotion === 'bow' && document.querySelector('#root [role=slider]')"
    )
    assert float(page.page.locator("#root [role=slider]").first.get_attribute("aria-valuemax")) < 1.1
    assert page.errors == []
    assert set(page.requests) <= {path.as_uri(), f"{path.as_uri()}#bow"}


@pytest.mark.verify
def test_a_frame_is_followed_on_demand(
    opened: Callable[[Path], Drawn], runs: dict[str, bough.Trajectory], tmp_path: Path
) -> None:
    run = runs["walk"]
    page = opened(bough.export_html(run, tmp_path / "walk.html"))
    page.page.keyboard.press("Space")
    page.seek(0.0)
    head = page.node(node_name("head"))

    def across() -> float:
        """Where the head is in the picture, from left to right."""
        point = page.pose(head)[:3, 3]
        return float(page.page.evaluate(SEEN, [point.tolist()])[0][0])

    first = across()
    page.seek(3.0)
    assert until(page, lambda: abs(across() - first) > 0.1)
    page.page.get_by_label("follow").select_option("head")
    page.seek(0.5)
    page.page.wait_for_timeout(500)
    there = across()
    page.seek(2.9)
    page.page.wait_for_timeout(500)
    assert until(page, lambda: abs(across() - there) < 0.02), (across(), there)


def test_a_page_spares_a_machine_without_a_graphics_card(
    runs: dict[str, bough.Trajectory], opened: Callable[[Path], Drawn], tmp_path: Path
) -> None:
    """Few pixels and 30 pictures a second while it plays, smooth edges at rest, no note above the buttons."""
    drawn = opened(bough.export_html(runs, tmp_path / "run.html"))
    assert drawn.page.evaluate("() => window.boughSoftware")
    context = (
        "() => document.querySelector('#root canvas').getContext('webgl2').getContextAttributes().antialias"
    )
    assert drawn.page.evaluate(context) is False
    assert drawn.page.evaluate("() => window.devicePixelRatio") <= 0.8
    assert not any(note.is_visible() for note in drawn.page.locator("[class*=mantine-Notification]").all())
    drawn.page.get_by_role("button", name="bow").click(timeout=5000)  # nothing lies above it
    drawn.page.wait_for_function("() => window.boughMotion === 'bow'")
    drawn.page.get_by_role("button", name="Fit").wait_for()
    counted = """() => new Promise((found) => {
        let calls = 0, pictures = 0;
        const timer = window.setInterval(() => { calls += 1; }, 1);
        const picture = () => { pictures += 1; window.requestAnimationFrame(picture); };
        window.requestAnimationFrame(picture);
        window.setTimeout(() => { window.clearInterval(timer); found([calls, pictures]); }, 1000);
    })"""
    assert max(drawn.page.evaluate(counted)) <= 1000 / 28 + 1

    pixels = """() => {
        const canvas = document.querySelector('#root canvas[data-engine]');
        return canvas.width / canvas.clientWidth;
    }"""
    assert until(drawn, lambda: drawn.page.evaluate(pixels) <= 0.8)
    drawn.page.keyboard.press("Space")
    assert until(drawn, lambda: drawn.page.evaluate(pixels) == pytest.approx(2.0, abs=0.01))
    # the texts of viser's shaders that are replaced are there
    programs = """() => {
        const gl = document.querySelector('#root canvas[data-engine]').getContext('webgl2');
        return window.__viserTestpoints.rendererInfo.programs.map((each) => gl.getShaderSource(each.fragmentShader));
    }"""
    sources = drawn.page.evaluate(programs)
    assert any("#define RE_Direct plainDirect" in each for each in sources)
    assert not any("define RE_IndirectSpecular" in each for each in sources)
    assert any("sqrt(cellColor" in each for each in sources)


def test_a_motion_that_is_repeated_keeps_its_lights(
    runs: dict[str, bough.Trajectory], opened: Callable[[Path], Drawn], tmp_path: Path
) -> None:
    """viser goes back to its own lights when it goes back in time; all materials would be compiled for them, twice."""
    page = opened(bough.export_html(runs["bow"], tmp_path / "bow.html"))
    page.page.keyboard.press("Space")
    page.seek(0.9)
    lights = """() => {
      const found = [];
      window.__viserMutable.scene.traverse((each) => { if (each.isLight) found.push(each.uuid); });
      return found;
    }"""
    before = page.page.evaluate(lights)
    page.page.evaluate("""() => {
      window.compiled = 0;
      window.__draw = true;
      const compile = WebGL2RenderingContext.prototype.compileShader;
      WebGL2RenderingContext.prototype.compileShader = function (...values) {
        window.compiled += 1;
        return compile.apply(this, values);
      };
    }""")
    for time in (0.5, 0.0):
        page.seek(time)
        page.page.wait_for_timeout(500)
    assert page.page.evaluate(lights) == before
    assert page.page.evaluate("window.compiled") == 0
    assert page.page.evaluate("window.__viserMutable.scene.environment") is None
