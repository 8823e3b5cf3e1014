"""Robots of URDF files, dropped with all joints loose: they fall over their limits and come down on the floor."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from support.robot_files import quietly, urdf_file

ANYMAL = "anymal_c_simple_description/urdf/anymal.urdf"  # cylinders in one line, placed to 12 digits
GO2 = "go2_description/urdf/go2.urdf"
G1 = "g1_description/urdf/g1_29dof_rev_1_0.urdf"  # hulls of detailed meshes, many corners near the floor


def dropped(name: str, seed: int) -> tuple[bough.Model, np.ndarray]:
    """A robot 5 cm above the floor: as its file has it, or turned, with its joints bent within their limits."""
    system = quietly(bough.load, urdf_file(name), floating=True, contacts=True, friction=0.7)
    model = system.build()
    random = np.random.default_rng(seed)
    q = model.neutral()
    for limit in system.elements:
        if isinstance(limit, bough.JointLimit):
            at, within = model.coordinates.index(limit.variable), 0.02 * (limit.upper - limit.lower)
            bent = q[at] + (0.2 * random.standard_normal() if seed else 0.0)
            q[at] = np.clip(bent, limit.lower + within, limit.upper - within)
    if seed:
        at = model.coordinates.index("root_qw")
        q[at : at + 4] = Rotation.random(random_state=seed).as_quat()[[3, 0, 1, 2]]
    above = [gap for name, gap in zip(model.gaps, model.gap(q), strict=True) if " floor" in name]
    q[model.coordinates.index("root_tz")] += 0.05 - min(above)
    return model, q


def falls(name: str, seed: int, duration: float) -> bool:
    """Whether all steps are solved. Nothing enters the floor, and nothing gains energy by the fall."""
    model, q = dropped(name, seed)
    with warnings.catch_warnings():  # loose legs whirl, for which this dt is long
        warnings.simplefilter("ignore", bough.CoarseStepWarning)
        run = bough.simulate(model, q=q, duration=duration, dt=0.005, on_failure="stop")
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-10
    energy = run.energy()
    assert energy.max() <= energy[0] + 1e-9 * abs(energy[0])
    return run.status == "finished"


@pytest.mark.parametrize(("name", "seed"), [(ANYMAL, 0), (ANYMAL, 2), (GO2, 1), (G1, 1)])
def test_a_robot_falls(name, seed):
    assert falls(name, seed, 1.5)


@pytest.mark.verify
@pytest.mark.parametrize("name", [ANYMAL, GO2])
@pytest.mark.parametrize("seed", range(10))
def test_robots_fall(name, seed):
    assert falls(name, seed, 2.0)


@pytest.mark.verify
def test_hardly_any_fall_on_detailed_hulls_fails():
    """With steps of 5 ms a loose wrist turns by 0.2 rad in each, and one fall in ten has a step that is not solved."""
    assert sum(not falls(G1, seed, 1.5) for seed in range(10)) <= 2
