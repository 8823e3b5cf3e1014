"""Robots of dm_control, dropped: they come to rest on the floor, to round-off."""

from __future__ import annotations

import warnings
from importlib import util
from pathlib import Path

import numpy as np
import pytest

import bough


def dropped(name: str, height: float) -> tuple[bough.Model, np.ndarray]:
    """A robot, and with it every other body that floats, lifted by a height."""
    found = util.find_spec("dm_control")
    if found is None or found.submodule_search_locations is None:
        pytest.skip("dm_control is not installed")
    with warnings.catch_warnings():  # of what MuJoCo's files say and bough does not use
        warnings.simplefilter("ignore", bough.BoughWarning)
        path = Path(found.submodule_search_locations[0]) / "suite" / f"{name}.xml"
        model = bough.load(path, contacts=True, rotation="ball").build()
    q = model.neutral()
    for i, coordinate in enumerate(model.coordinates):
        if coordinate.endswith("_tz"):
            q[i] += height
        if coordinate.endswith("_tx") and coordinate != "root_tx":
            q[i] += 2.0
    return model, q


@pytest.mark.verify  # its file has a terrain of 201 x 201 heights below the floor
def test_a_quadruped_comes_to_stand_still():
    model, q = dropped("quadruped", 0.8)
    run = bough.simulate(model, q=q, duration=10.0, dt=0.005, every=20)
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-12
    still = run.t > 5.0
    assert np.abs(run.v[still]).max() < 1e-10
    assert np.ptp(run.q[still], axis=0).max() / 5.0 < 1e-10  # m/s or rad/s
    assert np.diff(run.energy()).max() < 1e-9


@pytest.mark.verify  # it stands for four seconds before it falls
def test_a_humanoid_comes_to_lie_still():
    """Springs and dampers in its joints relax by a factor of twelve in two seconds; then all is at rest."""
    model, q = dropped("humanoid", 1.5)
    run = bough.simulate(model, q=q, duration=28.0, dt=0.005, every=20)
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-12
    still = run.t >= 26.0
    assert np.ptp(run.q[still], axis=0).max() / 2.0 < 1e-10  # m/s or rad/s
    assert np.abs(run.v[still]).max() < 1e-10
    assert np.diff(run.energy()).max() < 1e-9


@pytest.mark.verify
@pytest.mark.parametrize("seed", [0, 9, 17])
def test_a_humanoid_with_bent_joints_falls(seed):
    """Feet jam while joints come to their stops, and it lies on contacts that depend on each other but for 1e-5.

    What is not solved there halves the step, and velocities that are not projected show half a step of weight.
    """
    model, q = dropped("humanoid", float(np.linspace(1.3, 1.7, 20)[seed]))
    joints = [i for i, name in enumerate(model.coordinates) if not name.startswith("root_")]
    q[joints] += 0.02 * np.random.default_rng(seed).standard_normal(len(joints))
    run = bough.simulate(model, q=q, duration=10.0, dt=0.005)
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-12
    assert np.diff(run.energy()).max() < 1e-9
    assert run.statistics["halvings"] < 500
