"""How a comparison is shown: text, live table, JSON, figure, and the report with its animation."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

import bough
from bough.comparison import table
from bough.comparison.report import animated
from bough.view.player import placed
from bough.view.scene import Scene
from support.browser import chromium
from support.formulations import CASES
from support.mechanisms import closed_chain

START = {"J": 0.5, "H": -0.3, "A": 0.5}  # of the closed chain, near which it can be assembled


@pytest.fixture(scope="module")
def example() -> bough.Comparison:
    return bough.compare(
        closed_chain(),
        START,
        assemble=True,
        duration=2.0,
        integrators=["midpoint", "semi-implicit-euler"],
        effort=0.2,
    )


def test_text(example: bough.Comparison) -> None:
    title, head, first, second, empty, *captions = str(example).splitlines()
    assert title == "closed_chain: 2 s with dt = 0.01 s"
    assert head.split("  ")[1] == "integrator"
    assert [name for name in table.headings(example) if name in head] == [
        "integrator",
        "formulation",
        "run time",
        "energy drift",
        "trend",
        "constraints",
        "error",
        "time to 0.001 m",
        "",
    ]
    assert first.split()[:2] == ["midpoint", "variational"]
    assert second.split()[:2] == ["semi-implicit-euler", "generalised"]
    assert empty == ""
    assert [line.split()[0] for line in captions] == ["reference", "error", "energy", "momentum"]
    assert captions[-1] == "  momentum   none is conserved"


def test_live_table(example: bough.Comparison) -> None:
    from rich.console import Console

    console = Console(width=160, record=True, file=io.StringIO())
    console.print(table.live(example.updated(doing="rk4: run with dt = 0.01 s")))
    text = console.export_text()
    assert "midpoint" in text
    assert "... rk4: run with dt = 0.01 s" in text


def test_data_is_plain(example: bough.Comparison) -> None:
    found = json.loads(json.dumps(example.data()))
    assert found["model"] == "closed_chain"
    assert found["rows"][0]["label"] == "midpoint"
    assert found["rows"][0]["steps"] == 200
    assert found["rows"][0]["attempts"][0]["setting"] == 0.01
    assert found["reference"]["until"] > 0.5
    assert found["conserved"]["energy"] is True


def test_plot(example: bough.Comparison) -> None:
    import matplotlib.pyplot as plt

    figure = example.plot()
    titles = [axis.get_title(loc="left") for axis in figure.axes if axis.axison]
    assert titles == [
        "energy less that of the start, in parts of the largest kinetic energy",
        "distance from the reference [m]",
        "largest |h| of a constraint",
        "error [m] over run time [s]",
    ]
    energy = {line.get_label(): np.asarray(line.get_ydata()) for line in figure.axes[0].lines}
    run = example["midpoint"].run
    assert run is not None
    assert example.conserved is not None
    np.testing.assert_allclose(
        energy["midpoint"], (run.energy() - run.energy()[0]) / example.conserved.kinetic
    )
    plt.close(figure)


def test_animation_has_the_poses_of_the_model(example: bough.Comparison) -> None:
    data = animated(example)
    run = example["midpoint"].run
    assert run is not None
    scene = Scene(example.model, q=run.q)
    shape = (data["runs"][0]["rows"], data["frames"], 3, 4)
    poses = np.frombuffer(base64.b64decode(data["runs"][0]["poses"]), "<f4").reshape(shape)
    rows = np.round(np.array(data["times"]) / 0.01).astype(int)
    for frame in ("G", "O2"):
        exact = example.model.pose(frame, run.q[rows])[:, :3]
        np.testing.assert_allclose(poses[:, scene.place[frame]], exact, atol=1e-6)
    assert max(data["view"]["half"]) > 1.0
    assert np.cross(data["view"]["right"], data["view"]["up"]) == pytest.approx(data["view"]["towards"])


def test_animation_shows_joints_that_come_apart() -> None:
    """In maximal coordinates frames are where their bodies are, not where the recovered variables are."""
    case = CASES["double pendulum"]()
    run = bough.simulate(case.model, case.q, case.v, duration=1.0, integrator="velocity")
    assert run.bodies is not None
    scene, rows = Scene(case.model, q=run.q), np.arange(0, 101, 5)
    poses = placed(scene, run, rows)
    apart = []
    for body, name in enumerate(run.bodies.names):  # with the centre of mass at the origin of its frame
        where = poses[:, scene.place[name], :3, 3]
        np.testing.assert_allclose(where, run.bodies.position[rows, body], atol=1e-12)
        recovered = case.model.pose(name, run.q[rows])
        apart.append(np.abs(where - recovered[:, :3, 3]).max())
        turn = np.einsum("tij,tik->tjk", recovered[:, :3, :3], poses[:, scene.place[name], :3, :3])
        assert np.abs(turn - np.eye(3)).max() < 1e-2
    drift = run.bodies.drift[rows, :, 0].max()
    assert 0.1 * drift < max(apart) < 3.0 * drift


def test_report_is_one_file_that_plays_without_network(example: bough.Comparison, tmp_path: Path) -> None:
    path = example.save_html(tmp_path / "report.html")
    text = path.read_text(encoding="utf-8")
    assert "http" not in re.sub(r'"poses":"[^"]*"|base64,[^"]*', "", text)
    assert "$" not in re.sub(r"\$\{[^}]*\}|base64,[^\"]*", "", text)
    painted = """() => [...document.querySelectorAll('canvas')].map(canvas => {
        const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return data.filter((value, i) => i % 4 === 3 && value > 0).length; })"""
    with chromium() as opened:
        page = opened.new_context(offline=True).new_page()
        said: list[str] = []
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda message: said.append(message.text))
        page.goto(path.as_uri())
        page.wait_for_function("document.getElementById('now').textContent > 't = 0.10 s'")
        counts = page.evaluate(painted)
        captions = page.eval_on_selector_all("figcaption", "all => all.map(one => one.textContent)")
    assert said == []
    assert captions == ["midpoint", "semi-implicit-euler"]
    assert all(count > 1000 for count in counts)
