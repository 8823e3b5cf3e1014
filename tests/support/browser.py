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
        self._context = browser.new_context(viewport={"width": 1100, "height": 640}, offline=offline)
        self.page = self._context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(url)
        self.page.wait_for_function("window.__viserMutable !== undefined", timeout=60_000)

    def close(self) -> None:
        """Close the page."""
        self._context.close()

    def wait_for(self, node: str) -> None:
        """Wait until a node is drawn."""
        self.page.wait_for_function(
            "name => window.__viserMutable.nodeRefFromName[name] != null", arg=node, timeout=60_000
        )

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
        self.page.screenshot(path=path)
        return path
