"""Chromium without a window, and what it has drawn of a scene of viser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.transforms import Array

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)
OUTPUT = Path(__file__).parents[1] / "output"  # screenshots stay here, to be looked at

# the pose of a node in the world of the model: three.js has its own world, in which y is up
POSE = """name => {
  const nodes = window.__viserMutable.nodeRefFromName;
  const node = nodes[name], root = nodes[''];
  node.updateWorldMatrix(true, false);
  root.updateWorldMatrix(true, false);
  return root.matrixWorld.clone().invert().multiply(node.matrixWorld).elements;
}"""

# without a graphics card drawing is slow; only pictures need it, the scene moves all the same
DRAW = """window.__draw = true;
for (const name of ['drawElements', 'drawArrays', 'drawElementsInstanced', 'drawArraysInstanced']) {
  const draw = WebGL2RenderingContext.prototype[name];
  WebGL2RenderingContext.prototype[name] = function (...values) {
    if (window.__draw) draw.apply(this, values);
  };
}"""


def program() -> str:
    """The browser, or a reason to skip."""
    pytest.importorskip("playwright", reason="the package playwright is not installed")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        pytest.skip("no browser: install chromium, or give its path in CHROMIUM")
    return found


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser of playwright."""
    path = program()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class Drawn:
    """A page with a scene of viser."""

    def __init__(self, browser: Any, url: str, offline: bool = False) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._loaded = False
        self._context = browser.new_context(viewport={"width": 960, "height": 560}, offline=offline)
        self.page = self._context.new_page()
        self.page.add_init_script(DRAW)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(url)
        self.page.wait_for_function("window.__viserMutable !== undefined", timeout=60_000)

    def close(self) -> None:
        """Close the page."""
        self._context.close()

    def node(self, ending: str) -> str:
        """The full name of the node whose name ends like this, as soon as it is drawn."""
        found = self.page.wait_for_function(
            """ending => Object.entries(window.__viserMutable.nodeRefFromName)
            .filter(([name, node]) => name.endsWith(ending) && node != null)[0]?.[0]""",
            arg=ending,
            timeout=60_000,
        )
        if not self._loaded:
            self.page.wait_for_timeout(1000)
            self.page.evaluate("() => { window.__draw = false; }")
            self._loaded = True
        return str(found.json_value())

    def text(self) -> str:
        """All text of the page."""
        return str(self.page.inner_text("body"))

    def play_time(self) -> float:
        """The time that an exported page shows."""
        return float(self.page.locator("input").first.input_value())

    def seek(self, time: float) -> None:
        """Go to a time in an exported page."""
        self.page.locator("input").first.fill(f"{time:g}")

    def tick(self, label: str) -> None:
        """Tick a box. The panel draws it anew after the click, and what moves while a folder opens can lose a click."""
        box = self.page.get_by_label(label)
        for _ in range(3):
            box.click()
            for _ in range(50):
                if box.is_checked():
                    return
                self.page.wait_for_timeout(100)
        raise AssertionError(f"three clicks did not tick the box {label!r}")

    def slider_value(self, index: int) -> float:
        """What one of the sliders of a panel shows."""
        return float(self.page.get_by_role("slider").nth(index).get_attribute("aria-valuenow"))

    def drag(self, index: int, start: float, end: float, steps: int = 4) -> Iterator[float]:
        """Drag one of the sliders with the mouse, from and to these parts of its length, in steps."""
        thumb = self.page.get_by_role("slider").nth(index)
        thumb.wait_for()
        track = thumb.locator("xpath=..").bounding_box()
        y = track["y"] + track["height"] / 2
        self.page.mouse.move(track["x"] + start * track["width"], y)
        self.page.mouse.down()
        for at in np.linspace(start, end, steps + 1)[1:]:
            self.page.mouse.move(track["x"] + at * track["width"], y)
            self.page.wait_for_timeout(150)
            yield float(at)
        self.page.mouse.up()
        self.page.wait_for_timeout(500)

    def pose(self, node: str) -> Array:
        """The pose of a node as it is drawn, (4, 4)."""
        return np.array(self.page.evaluate(POSE, node)).reshape(4, 4).T

    def until(self, node: str, pose: Array, atol: float) -> None:
        """Wait until a node is drawn at a pose, and say where it is otherwise."""
        for _ in range(100):
            drawn = self.pose(node)
            if np.allclose(drawn, pose, rtol=0.0, atol=atol):
                return
            self.page.wait_for_timeout(100)
        np.testing.assert_allclose(drawn, pose, rtol=0.0, atol=atol)

    def screenshot(self, name: str) -> Path:
        """Keep a picture of the page."""
        OUTPUT.mkdir(exist_ok=True)
        path = OUTPUT / f"{name}.png"
        for close in self.page.locator(".mantine-Notification-closeButton").all():
            if close.is_visible():
                close.click()  # a note that there is no graphics card
        self.page.evaluate("() => { window.__draw = true; window.__viserMutable.requestRender(); }")
        self.page.wait_for_timeout(1000)
        self.page.screenshot(path=path)
        self.page.evaluate("() => { window.__draw = false; }")
        return path
