"""Offline pages: how many pictures, how large, and what is refused."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough import gallery
from bough.view._recording import MESSAGES, pictures
from support import mechanisms


def spinning(rows: int, dt: float) -> bough.Trajectory:
    """A double pendulum in some motion, not simulated."""
    t = dt * np.arange(rows)
    model = mechanisms.pendulum(2)
    return bough.Trajectory(model, t, np.stack([np.sin(3.1 * t), 2.0 * np.cos(1.7 * t + t**1.01)], axis=1))


def test_pictures_follow_the_frame_rate() -> None:
    run = spinning(1001, 0.01)
    rows = pictures(run, 30.0, 4)
    assert (rows[0], rows[-1], len(rows)) == (0, 1000, 301)
    assert set(np.diff(rows)) == {3, 4}
    assert len(pictures(run, 500.0, 4)) == 1001  # no more than there are
    assert len(pictures(run[:1], 30.0, 4)) == 1


def test_a_long_run_has_fewer_pictures() -> None:
    run = spinning(100_001, 0.01)
    assert len(pictures(run, 30.0, 2)) == 30_001
    assert len(pictures(run, 30.0, 100)) == MESSAGES // 100


def test_a_short_run_is_one_small_file(tmp_path: Path) -> None:
    run = spinning(201, 0.01)
    path = bough.export_html(run, tmp_path / "motion", title="<spin> & turn", progress=False)
    assert path == tmp_path / "motion.html"
    text = path.read_text(encoding="utf-8")
    assert "<title>&lt;spin&gt; &amp; turn</title>" in text
    assert "<spin>" not in text
    assert len(text) < 1.2e6


@pytest.mark.parametrize("fps", [2.0, pytest.param(30.0, marks=pytest.mark.verify)])
def test_100_000_steps_stay_below_10_megabytes(fps: float, tmp_path: Path) -> None:
    run = spinning(100_001, 0.01)
    path = bough.export_html(run, tmp_path / "long.html", fps=fps)
    most = 0.9e6 + 80.0 * len(pictures(run, fps, 4))  # the page, and what a picture of two bodies takes
    assert path.stat().st_size < min(most, 10e6)


def test_nothing_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bough.export_html(spinning(11, 0.01), tmp_path / "run.html")
    assert capfd.readouterr() == ("", "")


def test_what_is_refused(tmp_path: Path) -> None:
    run = spinning(11, 0.01)
    with pytest.raises(bough.ModelError) as error:
        bough.export_html(run.model, tmp_path / "run.html")  # type: ignore[arg-type]
    assert error.value.found == "an object of type Model"
    with pytest.raises(bough.BoughError) as named:
        bough.export_html(run, "run.mp4")
    assert str(named.value) == (
        "'run.mp4' in export_html of 'pendulum of 2'\n"
        "  found: a name that ends in '.mp4'\n"
        "  do: give a name that ends in .html"
    )
    with pytest.raises(bough.BoughError) as folder:
        bough.export_html(run, "none/run.html")
    assert folder.value.found == "there is no folder 'none'"
    with pytest.raises(bough.ModelError) as rate:
        bough.export_html(run, tmp_path / "run.html", fps=0.0)
    assert rate.value.asked == "fps=0.0 in export_html of 'pendulum of 2'"


def test_what_is_too_far_has_its_time(tmp_path: Path) -> None:
    run = spinning(11, 0.5)
    q = run.q.copy()
    q[7:, 1] = 1e300
    with pytest.raises(bough.ModelError) as error:
        bough.export_html(bough.Trajectory(run.model, run.t, q), tmp_path / "far.html")
    assert str(error.value) == (
        "export_html of 'pendulum of 2'\n"
        "  found: 'q1' is 1e+300 at t = 3.5 s, which is too far to be drawn\n"
        "  do: show the motion before it, run[:7]"
    )


def test_pages_of_a_folder_share_their_client(tmp_path: Path) -> None:
    run = spinning(21, 0.01)
    whole = bough.export_html(run, tmp_path / "whole.html")
    first = bough.export_html(run, tmp_path / "first.html", client="shared")
    client = tmp_path / "viser-client.js"
    written = client.stat().st_mtime_ns
    bough.export_html(run, tmp_path / "second.html", client="shared")
    assert client.stat().st_mtime_ns == written  # it is there already
    assert first.stat().st_size < 0.1 * whole.stat().st_size < client.stat().st_size
    with pytest.raises(bough.ModelError, match="client='nowhere'"):
        bough.export_html(run, tmp_path / "third.html", client="nowhere")


def settings_of(page: Path) -> dict[str, Any]:
    """What the script of a page is given, by motion."""
    found = re.search(r"window\.boughSettings=(\{.*?\});const boughData=", page.read_text(encoding="utf-8"))
    assert found is not None
    return dict(json.loads(found[1]))


def floats(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4")


def test_plots_hold_the_numbers_of_the_run(tmp_path: Path) -> None:
    run = bough.simulate(gallery.closed_chain().build(), duration=0.5, dt=0.01)
    page = bough.export_html(run, tmp_path / "run.html", plots=["energy", "multiplier", "constraint"])
    energy, *forces, error = settings_of(page)[""]["plots"]
    np.testing.assert_allclose(floats(energy["t"]), run.t, atol=1e-7)
    change = run.energy() - run.energy()[0]
    np.testing.assert_allclose(floats(energy["lines"][0]["values"]), change, atol=1e-6 * np.ptp(change))
    lines = {line["name"]: floats(line["values"]) for panel in forces for line in panel["lines"]}
    assert set(lines) == set(run.model.constraints)
    for i, name in enumerate(run.model.constraints):
        np.testing.assert_allclose(lines[name], run.lam[:, i], rtol=1e-6, atol=1e-6)
    assert error["log"]
    largest = np.abs(run.constraint_error()).max(axis=1)
    shown = floats(error["lines"][0]["values"])
    np.testing.assert_allclose(10.0 ** shown[largest > 0], largest[largest > 0], rtol=1e-5)


def test_several_motions_are_in_one_page(tmp_path: Path) -> None:
    runs = {"slow <b>": spinning(11, 0.01), "fast": spinning(21, 0.01)}
    one = bough.export_html(runs["fast"], tmp_path / "one.html")
    both = bough.export_html(runs, tmp_path / "both.html", camera="top")
    settings = settings_of(both)
    assert list(settings) == ["slow <b>", "fast"]
    assert {each["camera"] for each in settings.values()} == {"top"}
    assert (
        "<b>" not in both.read_text(encoding="utf-8").split("window.boughSettings=")[1].split("</script>")[0]
    )
    assert both.stat().st_size < 1.1 * one.stat().st_size  # the client is there once


def test_what_a_page_cannot_show(tmp_path: Path) -> None:
    run = spinning(11, 0.01)
    with pytest.raises(bough.ModelError, match="panel 'energie'"):
        bough.export_html(run, tmp_path / "run.html", plots=["energie"])
    with pytest.raises(bough.ModelError) as none:
        bough.export_html(run, tmp_path / "run.html", plots="multiplier")
    assert none.value.found == "nothing of this kind in the model"
    with pytest.raises(bough.ModelError, match="camera 'up'"):
        bough.export_html(run, tmp_path / "run.html", camera="up")
    with pytest.raises(bough.ModelError) as empty:
        bough.export_html({}, tmp_path / "run.html")
    assert empty.value.found == "no trajectory in it"
