"""Robots of dm_control, dropped: they come to rest on the floor, to round-off."""

from __future__ import annotations

import warnings
from importlib import util
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import null_space

import bough
from support.finite_difference import derivative


def dropped(name: str, height: float, lean: float = 0.0) -> tuple[bough.Model, np.ndarray]:
    """A robot, and with it every other body that floats, lifted by a height; the robot leans forward by an angle."""
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
    at = model.coordinates.index("root_qw")
    q[at : at + 4] = (np.cos(0.5 * lean), 0.0, np.sin(0.5 * lean), 0.0)
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


def rows_of_the_ground(model: bough.Model, q: np.ndarray, touching: list[tuple]) -> np.ndarray:
    """Velocities of the points where spheres touch the floor, by v: three rows for each."""
    rows = []
    for frame, centre, radius in touching:
        J, pose = model.jacobian(frame, q, kind="hybrid"), model.pose(frame, q)
        arm = pose[:3, :3] @ centre - (0.0, 0.0, radius)
        rows.append(J[3:] + np.cross(J[:3].T, arm).T)
    return np.vstack(rows)


def decay_at_rest(model: bough.Model, q: np.ndarray, limits: np.ndarray) -> float:
    """The slowest rate at which a small motion about a rest decays that slips on no point of the floor.

    A rest holds f(q, v) + J(q)' r = 0 at v = 0, with the rows J of the points on the floor, found from spheres
    and ends of capsules, and of joints at their limits. With N the motions that these allow, J N = 0, what is
    near the rest follows

        N'M N a + N'C N v + N'K N x = 0 ,   K = -d(f + J(q)' r)/dq ,   C = -df/dv .
    """
    touching = []
    for shape in model.system.shapes:
        ends = getattr(shape.geometry, "length", 0.0) / 2.0 * np.array([-1.0, 1.0])
        for end in () if isinstance(shape.geometry, bough.Plane) else set(ends):
            centre = np.asarray(shape.pose)[:3] @ (0.0, 0.0, end, 1.0)
            height = (model.pose(shape.frame, q) @ np.append(centre, 1.0))[2]
            if abs(height - shape.geometry.radius) < 1e-9:
                touching.append((shape.frame, centre, shape.geometry.radius))

    def rows(q: np.ndarray) -> np.ndarray:
        return np.vstack([rows_of_the_ground(model, q, touching), limits])

    def force(q: np.ndarray) -> np.ndarray:
        return model.L_dq(q, still) + model.generalized_force(q, still)

    still = np.zeros(model.nv)
    J = rows(q)
    r = np.linalg.lstsq(J.T, -force(q), rcond=1e-10)[0]
    np.testing.assert_allclose(J.T @ r, -force(q), atol=1e-9)  # it is a rest
    assert r[2 : 3 * len(touching) : 3].min() > 0.0
    assert r[3 * len(touching) :].min() > 0.0

    def left(dq: np.ndarray) -> np.ndarray:
        there = model.integrate(q, dq)
        return force(there) + rows(there).T @ r

    K = -derivative(left, still, step=0.01)[0].T
    C = -model.generalized_force_dv(q, still)
    N = null_space(J, rcond=1e-8)
    m, c, k = (N.T @ matrix @ N for matrix in (model.mass_matrix(q), C, K))
    first_order = np.block([[np.zeros_like(m), np.eye(len(m))], [-np.linalg.solve(m, np.hstack([k, c]))]])
    return float(-np.linalg.eigvals(first_order).real.max())


@pytest.mark.verify
@pytest.mark.parametrize("lean", [0.3, 0.5, 1.2])  # upright, round-off decides whether it falls
def test_a_humanoid_comes_to_lie_still(lean):
    model, q = dropped("humanoid", 1.5, lean)
    run = bough.simulate(model, q=q, duration=12.0, dt=0.005, every=20)
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-12
    still = run.t >= 10.0
    assert np.ptp(run.q[still], axis=0).max() / 2.0 < 1e-10  # m/s or rad/s
    assert np.abs(run.v[still]).max() < 1e-10
    assert np.diff(run.energy()).max() < 1e-9


@pytest.mark.verify
def test_a_humanoid_on_its_back_relaxes_as_its_stiffness_says():
    """Its slowest motion is that of springs and dampers in its joints, by a factor of twenty in two seconds."""
    model, q = dropped("humanoid", 1.5, -0.3)
    run = bough.simulate(model, q=q, duration=28.0, dt=0.005, every=20)
    limits = []
    for name, status in zip(model.gaps, run.contact_status[-1], strict=True):
        joint, is_limit, bound = name.partition(" limit")
        if is_limit and status != "open":
            limits.append((1.0 if bound == "[lower]" else -1.0) * np.eye(model.nv)[model.index(joint)])
    relaxes = (run.t > 8.0) & (run.t < 13.0)
    speed = np.abs(run.v[relaxes]).max(axis=1)
    observed = -np.polyfit(run.t[relaxes], np.log(speed), 1)[0]
    assert observed == pytest.approx(decay_at_rest(model, run.q[-1], np.array(limits)), rel=1e-3)
    assert observed == pytest.approx(np.log(20.0) / 2.0, rel=0.05)
    still = run.t >= 26.0
    assert np.abs(run.v[still]).max() < 1e-13


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
