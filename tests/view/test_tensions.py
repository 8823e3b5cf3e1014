"""Colours of strings by the force in them, in pages and in films."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bough
from bough.view.colors import GREY, RED
from bough.view.scene import Scene
from bough.view.tensions import HIGHEST, LEVELS, Tensions


def hung(exact: bool) -> bough.Trajectory:
    """A ball that swings on a string: a constraint, or a contact that only pulls."""
    system = bough.System("hung")
    ball = system.world.tx("x").tz("z", name="ball", mass=2.0)
    system.shape(ball, bough.Sphere(0.1))
    hook = system.world.tz(1.0, name="hook")
    if exact:
        system.add(bough.String(hook, ball, length=1.0, name="string"))
    else:
        system.add(bough.DistanceConstraint(hook, ball, 1.0, name="string"))
    start = {"x": 0.8, "z": 0.4}
    return bough.simulate(system.build(), start, duration=1.0, dt=0.01)


@pytest.mark.parametrize("exact", [False, True])
def test_tensions_are_the_forces_of_the_strings(exact: bool) -> None:
    """Where the ball is lowest, the string holds its weight and turns it: m (g + v^2), with v^2 = 2 g h."""
    run = hung(exact)
    found = Tensions(Scene(run.model, run.q, run.u), run)
    ((place, column),) = found.strings.items()
    (body,) = found.bodies
    assert "ball" in body
    lowest = int(run["z"].argmin())
    assert found.forces[lowest, column] == pytest.approx(2.0 * 9.81 * (1.0 + 2.0 * 0.4), rel=1e-2)
    assert found.largest == np.percentile(found.forces, HIGHEST)
    assert found.levels(lowest) == {place: LEVELS, body: LEVELS}
    assert found.color(place, LEVELS) == RED
    assert found.color(place, 0) == GREY
    assert found.levels(0)[place] < 12  # it hangs at an angle there


def test_both_kinds_of_strings_have_the_same_colours() -> None:
    runs = [hung(exact) for exact in (False, True)]
    first, second = (Tensions(Scene(run.model, run.q, run.u), run) for run in runs)
    assert np.allclose(first.forces[:-1], second.forces[:-1], rtol=1e-6, atol=1e-6)


def test_a_film_shows_the_colours(tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    run = hung(False)[40:60]  # through the lowest place
    pictures = []
    for forces in (False, True):
        path = bough.export_video(run, tmp_path / f"{forces}.gif", fps=10.0, size=(240, 180), forces=forces)
        with pillow.open(path) as opened:
            picture = np.asarray(opened.convert("RGB")).astype(int)
        pictures.append(int(np.count_nonzero((picture[..., 0] > 150) & (picture[..., 2] < 90))))
    plain, coloured = pictures
    assert plain == 0
    assert coloured > 50  # the ball, and the string above it, are orange to red
