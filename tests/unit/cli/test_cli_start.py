"""Where a run of the command line starts when the configuration asked for does not meet the constraints."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
import bough.cli.compare
from bough.cli._summary import Summary
from support import console
from support.mechanisms import closed_chain
from support.small_systems import write_all

HEAD = "  start              assembled: the configuration given was off the constraints by"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with models: a ball on a wire of one metre, which starts below the origin, and others."""
    monkeypatch.chdir(tmp_path)
    write_all(tmp_path)
    system = bough.System("ball")
    ball = system.world.tx("x").tz("z", name="ball", mass=1.0)
    system.add(bough.DistanceConstraint(ball, "world", 1.0, name="wire"))
    system.start = bough.Start(q={"z": -1.0}, v={"x": 0.1}, duration=0.1)
    Path("ball.json").write_text(json.dumps(system.to_dict()))


def data(command: str) -> dict[str, Any]:
    code, stdout, stderr = console.run(f"{command} --json")
    assert code == 0, stderr
    return json.loads(stdout)


def lines(command: str) -> list[str]:
    """The lines of the summary about the start."""
    code, stdout, stderr = console.run(command)
    assert code == 0, stderr
    return [line for line in stdout.splitlines() if line.startswith("  start ")]


def test_summary_says_that_the_start_was_assembled() -> None:
    code, text, stderr = console.run("bough simulate closed_chain.json --duration 1")
    assert code == 0, stderr
    expected = bough.simulate(closed_chain(), duration=1.0, assemble=True)
    drift = np.abs(expected.energy() - expected.energy()[0]).max()
    iterations = expected.statistics["iterations"] / 100
    moved = [
        f"{name} 0 became {value:.4g}"
        for name, value in zip(expected.model.variables, expected.q[0], strict=True)
    ]
    assert f"  Newton iterations  {iterations:.2f} per step\n" in text
    # with all angles zero, G is 1.5 m beside G2 and 1.75 m above it
    assert console.masked(text) == (
        "closed_chain: finished at t = 1 s, 100 steps of 0.01 s, integrator midpoint\n"
        "  start              assembled: the configuration given was off the constraints by 1.75\n"
        f"  start              {', '.join(moved[:6])}, and 1 more\n"
        "  run time           ...\n"
        f"  energy drift       {drift:.2g} J at most, {drift / expected.kinetic_energy().max():.2g}"
        " of the largest kinetic energy\n"
        "  constraint error   ...\n"
        "  Newton iterations  ...\n"
    )


def test_what_q_gives_is_kept() -> None:
    found = data("bough simulate ball.json --q x=0.6")
    assert found["start"]["q"]["x"] == 0.6
    assert found["start"]["q"]["z"] == pytest.approx(-0.8, abs=1e-15)
    # the velocity that the start names, and what follows along the circle, whose direction is (0.8, 0.6)
    assert found["start"]["v"] == pytest.approx({"x": 0.1, "z": 0.075}, abs=1e-15)
    assert found["moved"] == [{"name": "z", "given": -1.0, "became": found["start"]["q"]["z"]}]
    off = math.hypot(0.6, 1.0) - 1.0
    assert lines("bough simulate ball.json --q x=0.6") == [
        f"{HEAD} {off:.3g}",
        "  start              z -1 became -0.8",
    ]


def test_of_what_cannot_all_be_kept_the_first_is() -> None:
    """With x = 0.6 the wire puts z at -0.8, with z = -0.6 it puts x at 0.8."""
    assert lines("bough simulate ball.json --q x=0.6 --q z=-0.6")[1:] == [
        "  start              z -0.6 became -0.8"
    ]
    assert lines("bough simulate ball.json --q z=-0.6 --q x=0.6")[1:] == [
        "  start              x 0.6 became 0.8"
    ]


def test_what_q_gives_and_cannot_be_kept_is_said() -> None:
    length = math.hypot(1.2, 1.0)  # two equal masses: the nearest point of the circle
    command = "bough simulate ball.json --q x=1.2"
    found = data(command)
    assert found["start"]["q"] == pytest.approx({"x": 1.2 / length, "z": -1.0 / length}, abs=1e-12)
    assert [row["name"] for row in found["moved"]] == ["x", "z"]
    assert lines(command) == [
        f"{HEAD} {abs(length - 1.0):.3g}",
        f"  start              x 1.2 became {1.2 / length:.4g}, z -1 became {-1.0 / length:.4g}",
    ]


def test_a_start_that_meets_the_constraints_is_kept_without_a_word() -> None:
    found = data("bough simulate ball.json --q x=0.6 --q z=-0.8")
    assert (found["assembled"], found["moved"]) == (False, [])
    assert found["start"]["q"] == {"x": 0.6, "z": -0.8}
    assert lines("bough simulate ball.json") == []


def test_the_variables_that_q_named_come_first_and_only_some_are_listed() -> None:
    model = closed_chain()
    motion = bough.simulate(model, duration=0.1, assemble=True)
    given = motion.q[0] - 1.0
    summary = Summary(motion, given=given, named=("M", "E"))
    order = ["M", "E", "J", "H", "K", "A", "C"]
    assert [row["name"] for row in summary.moved()] == order
    start = dict(zip(model.variables, motion.q[0], strict=True))
    texts = [f"{name} {start[name] - 1.0:.4g} became {start[name]:.4g}" for name in order]
    assert f"  start              {', '.join(texts[:6])}, and 1 more\n" in summary.text()


def test_changes_too_small_to_be_read_are_not_listed() -> None:
    motion = bough.simulate(closed_chain(), duration=0.1, assemble=True)
    summary = Summary(motion, given=motion.q[0] * (1.0 + 1e-7))
    assert len(summary.moved()) == np.count_nonzero(motion.q[0])
    assert summary.text().count("  start ") == 1


def test_a_comparison_keeps_what_q_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = []

    def spied(model: bough.Model, q: Any, **settings: Any) -> Any:
        starts.append(q)
        return bough.compare(model, q, **settings)

    monkeypatch.setattr("bough.cli.compare.compare", spied)
    data("bough compare ball.json --q x=0.6 --integrators midpoint,rk4 --effort 0.01")
    assert starts[0]["x"] == 0.6
    assert starts[0]["z"] == pytest.approx(-0.8, abs=1e-15)
