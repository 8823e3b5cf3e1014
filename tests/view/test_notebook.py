"""What Jupyter shows of systems, models, trajectories, figures and comparisons."""

from __future__ import annotations

import base64
import html
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import bough
import bough.gallery
from support.browser import OUTPUT
from support.mechanisms import closed_chain


def cells(page: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", page)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def picture(page: str) -> Image.Image:
    (data,) = re.findall(r'src="data:image/png;base64,([^"]+)"', page)
    return Image.open(io.BytesIO(base64.b64decode(data)))


def test_a_model_shows_its_picture_and_variables():
    system = bough.System("a <b> & c")
    system.world.tx(bough.kinematic("rail")).ry("angle").tz(-1.0, name="bob", mass=1.5)
    system.add(bough.BodyWrench("bob", fx="thrust"))
    model = system.build()
    page = model._repr_html_()
    assert cells(page) == [
        ["variable", "kind", "unit"],
        ["angle", "dynamic", "rad"],
        ["rail", "kinematic", "m"],
    ]
    assert (
        "<b>a &lt;b&gt; &amp; c</b>: 1 dynamic and 1 kinematic variables, mass 1.5 kg, inputs thrust" in page
    )
    assert len(np.unique(np.asarray(picture(page).convert("RGB")).reshape(-1, 3), axis=0)) > 10
    assert model._repr_png_().startswith(b"\x89PNG")


def test_a_trajectory_shows_a_player_and_ranges():
    model = closed_chain()
    run = bough.simulate(model, q=model.assemble().q, duration=0.2, dt=0.01)
    page = run._repr_html_()
    table = cells(page)
    assert table[0] == ["variable", "least", "greatest", "unit"]
    assert [row[0] for row in table[1:]] == list(model.variables)
    assert float(table[1][1]) == float(f"{run['J'].min():.4g}")
    assert "21 instants, t = 0 to 0.2 s, finished; energy" in page
    assert "largest error of a constraint" in page
    assert run._repr_png_().startswith(b"\x89PNG")
    (frame,) = re.findall(r'<iframe [^>]*srcdoc="([^"]*)"', page)
    assert 'sandbox="allow-scripts"' in page
    assert "http" not in re.sub(r'"poses":"[^"]*"', "", html.unescape(frame))  # it needs no network
    assert len(page) < 100_000


def test_a_system_shows_its_tree_and_its_picture():
    system = bough.System("arm <1>")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip & end", mass=2.0)
    page = system._repr_html_()
    assert "<b>arm &lt;1&gt;</b>: 5 frames, 2 dynamic and 0 kinematic variables, mass 3" in page
    assert "\n└─ ry(shoulder)\n   └─ tz(-1)  &#x27;elbow&#x27;  mass 1\n" in page
    assert "&#x27;tip &amp; end&#x27;  mass 2" in page
    assert len(np.unique(np.asarray(picture(page).convert("RGB")).reshape(-1, 3), axis=0)) > 10


def test_a_system_that_is_not_complete_shows_its_tree_and_why():
    system = bough.System("no mass")
    system.world.ry("angle").tz(-1.0, name="bob")
    page = system._repr_html_()
    assert "<pre" in page
    assert "cannot be built: " in page
    assert "<img" not in page


def test_a_comparison_is_one_line_and_a_table():
    model = bough.gallery.pendulum().build()
    found = bough.compare(model, duration=0.1, dt=0.01, integrators=["midpoint", "rk4"], effort=0.05)
    assert repr(found) == "<Comparison of 'pendulum': 2 integrators, 0.1 s with dt = 0.01 s>"
    rows = [row for row in re.findall(r"<tr>(.*?)</tr>", found._repr_html_()) if "<td>" in row]
    assert [re.sub(r"<[^>]*>", " ", row).split()[0] for row in rows] == ["midpoint", "rk4"]
    assert "array(" not in found._repr_html_()


NOTEBOOK = """
import bough
run = bough.simulate(bough.gallery.pendulum().build(), duration=0.5)
run.plot()
---
figure = run.plot("energy")
---
figure
---
figures = [run.strobe(2), run.plot("energy")]
---
bough.draw(run.model)
---
run
---
bough.gallery.pendulum()
"""


def test_cells_of_a_notebook_show_each_figure_once(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Executed by Jupyter, and as the page that nbconvert makes: its player plays without a network."""
    nbformat = pytest.importorskip(
        "nbformat", reason="the packages nbconvert and ipykernel are not installed"
    )
    convert = pytest.importorskip("nbconvert", reason="the package nbconvert is not installed")
    pytest.importorskip("ipykernel", reason="the package ipykernel is not installed")
    from nbconvert.preprocessors import ExecutePreprocessor

    monkeypatch.delenv("MPLBACKEND", raising=False)  # so that the kernel takes its own
    node = nbformat.v4.new_notebook()
    node.cells = [nbformat.v4.new_code_cell(cell.strip()) for cell in NOTEBOOK.split("---")]
    ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(node, {})
    images = [sum("image/png" in out.get("data", {}) for out in cell.outputs) for cell in node.cells]
    # the last two show HTML, with a picture for what cannot show that
    assert images[:5] == [1, 1, 1, 2, 1]
    assert "text/html" in node.cells[5].outputs[0].data
    page, _ = convert.HTMLExporter(embed_images=True).from_notebook_node(node)
    path = tmp_path / "notebook.html"
    path.write_text(page, encoding="utf-8")
    opened = browser.new_context(offline=True).new_page()
    opened.goto(path.as_uri(), wait_until="commit")
    player = opened.frame_locator("iframe").first
    opened.locator("iframe").first.scroll_into_view_if_needed()
    assert player.locator("#now").inner_text() == "t = 0.00 s"
    player.get_by_role("button", name="Play").click()
    player.get_by_role("button", name="Pause").wait_for()
    for _ in range(50):  # pictures are few on a busy machine
        opened.wait_for_timeout(200)
        if player.locator("#now").inner_text() > "t = 0.00 s":
            break
    player.get_by_role("button", name="Pause").click()
    assert player.locator("#now").inner_text() > "t = 0.00 s"
    painted = player.locator("canvas").evaluate(
        "canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)"
        ".data.filter((value, i) => i % 4 === 3 && value > 0).length"
    )
    assert painted > 500
    opened.screenshot(path=OUTPUT / "notebook.png", full_page=True)
    opened.context.close()


def test_no_figure_stays_open():
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    closed_chain()._repr_html_()
    assert plt.get_fignums() == before


def test_long_tables_are_cut():
    system = bough.System("chain")
    frame = system.world
    for i in range(33):
        frame = frame.ry(f"q{i}").tz(-0.1, mass=0.1)
    assert cells(system.build()._repr_html_())[-1] == ["... and 3 more"]


def test_an_ensemble_shows_its_axes_numbers_and_failures():
    system = bough.System("a <b> pendulum")
    length = system.parameter("length", 1.0)
    system.world.ry("angle").tz(-length, name="bob", mass=1.0)
    problem = bough.Problem(system.build(), duration=0.2, dt=0.01)

    def highest(run: bough.Trajectory) -> dict[str, float]:
        if run["angle"][0] > 2.0:
            raise ValueError("too <far>")
        return {"highest": float(run["angle"].max())}

    study = bough.ensemble(problem, {"q.angle": [0.5, 1.0, 3.0]}, keep=highest)
    page = study._repr_html_()
    assert "<b>a &lt;b&gt; pendulum</b>: 3 runs, 2 finished, 1 failed" in page
    assert cells(page) == [
        ["axis", "values", "from", "to"],
        ["q.angle", "3", "0.5", "3"],
        ["number", "mean", "std", "min", "max"],
        ["highest", "0.75", "0.25", "0.5", "1"],
    ]
    assert "too &lt;far&gt;" in page
