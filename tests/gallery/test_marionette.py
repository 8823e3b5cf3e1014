"""The marionette: a figure of human shape, held and moved by its strings alone."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bough
from bough import gallery

MOTIONS = ("walk", "wave", "bow")


@pytest.fixture(scope="module")
def model() -> bough.Model:
    return gallery.marionette().build()


@pytest.fixture(scope="module")
def runs(model: bough.Model) -> dict[str, bough.Trajectory]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        moved = {name: bough.simulate(model, k=gallery.marionette_motion(name)) for name in MOTIONS}
        return {"rest": bough.simulate(model), **moved}


def place(run: bough.Trajectory, frame: str) -> np.ndarray:
    return run.pose(frame)[:, :3, 3]


def test_size(model: bough.Model) -> None:
    assert (model.nd, model.nk, model.nc) == (43, 13, 7)
    assert model.total_mass == pytest.approx(1.2)


def test_it_stands_like_a_person(model: bough.Model) -> None:
    h = 0.6
    q = {"pelvis_tz": 0.53 * h}
    height = {name: model.pose(name, q)[2, 3] / h for name in ("left ankle", "left knee", "neck", "head")}
    assert height == pytest.approx(
        {"left ankle": 0.04, "left knee": 0.285, "neck": 0.85, "head": 0.925}, abs=1e-3
    )
    hand = model.pose("left hand", q)[:3, 3] / h
    assert 0.35 < hand[2] < 0.5  # at the thigh
    left, right = model.pose("left shoulder", q)[:3, 3], model.pose("right shoulder", q)[:3, 3]
    np.testing.assert_allclose(left * [1, -1, 1], right, atol=1e-15)
    M = model.mass_matrix(model.configuration(model.start.q))[: model.nd, : model.nd]
    assert np.linalg.eigvalsh(M).min() > 0.0


@pytest.mark.parametrize("name", ["rest", *MOTIONS])
def test_ten_seconds(name: str, runs: dict[str, bough.Trajectory]) -> None:
    run = runs[name]
    assert run.status == "finished"
    assert run.statistics["halvings"] == 0
    assert np.abs(run.constraint_error()).max() < 1e-12
    # the strings have the lengths prescribed, and pull: h = distance - length, so a pull is negative
    for element in run.model.system.elements:
        if isinstance(element, bough.DistanceConstraint):
            apart = np.linalg.norm(place(run, str(element.a)) - place(run, str(element.b)), axis=1)
            np.testing.assert_allclose(apart, run[element.length.name], rtol=0, atol=1e-12)
    assert run.lam[:-1].max() < 0.0
    # far from the singular positions of its joints
    middle = [i for i, v in enumerate(run.model.dynamic) if v.endswith("_rx") and "pelvis" not in v]
    assert np.abs(run.q[:, middle]).max() < 1.2


def test_it_comes_to_rest_at_the_equilibrium(runs: dict[str, bough.Trajectory]) -> None:
    run = runs["rest"]
    rest = run.model.equilibrium(run.q[-1])
    assert rest.stable
    np.testing.assert_allclose(run.q[-1], rest.q, rtol=0, atol=0.02)
    assert run.kinetic_energy()[-1] < 1e-3 * run.kinetic_energy().max()
    # the pull at rest is the weight
    up = sum(
        run.lam[-1][i] * ((place(run, f"{s} hook")[-1] - place(run, e)[-1]) / run[f"{s}_string"][-1])[2]
        for i, (s, e) in enumerate(
            (str(element.a).removesuffix(" hook"), str(element.b))
            for element in run.model.system.elements
            if isinstance(element, bough.DistanceConstraint)
        )
    )
    assert -up == pytest.approx(1.2 * 9.81, rel=1e-2)


def test_walk(runs: dict[str, bough.Trajectory]) -> None:
    run = runs["walk"]
    assert place(run, "root")[-1, 0] > 1.5
    left, right = place(run, "left knee")[:, 2], place(run, "right knee")[:, 2]
    late = run.t > 2.0
    assert np.ptp(left[late]) > 0.03
    assert np.corrcoef(left[late], right[late])[0, 1] < 0.0  # one after the other
    assert place(run, "head")[:, 2].min() > place(run, "root")[:, 2].max()


def test_wave(runs: dict[str, bough.Trajectory]) -> None:
    run = runs["wave"]
    up = (run.t > 3.0) & (run.t < 7.0)
    right, left = place(run, "right hand")[:, 2], place(run, "left hand")[:, 2]
    shoulder = place(run, "right shoulder")[:, 2]
    assert (right[up] > shoulder[up]).all()
    assert (left < shoulder).all()
    rising = np.diff(right[up]) > 0
    assert np.count_nonzero(rising[1:] & ~rising[:-1]) >= 3  # waves
    assert right[-1] < shoulder[-1]


def test_bow(runs: dict[str, bough.Trajectory]) -> None:
    run = runs["bow"]
    trunk = place(run, "neck") - place(run, "root")
    lean = np.arctan2(trunk[:, 0], trunk[:, 2])
    assert lean[run.t == 4.5] > 0.8
    assert abs(lean[-1]) < 0.1


@pytest.mark.parametrize("name", MOTIONS)
def test_scripts_begin_at_the_start_and_at_rest(name: str, model: bough.Model) -> None:
    for variable, motion in gallery.marionette_motion(name).items():
        assert motion(0.0) == pytest.approx(model.start.q.get(variable, 0.0), abs=1e-15)
        values = np.array([motion(t) for t in np.linspace(0.0, 10.0, 2001)])
        speed = np.diff(values) / 0.005
        assert abs(speed[0]) < 1e-3
        assert np.abs(np.diff(speed)).max() / 0.005 < 20.0  # m/s^2: no jerks


def test_scripts_follow_the_size_of_the_puppet() -> None:
    large = gallery.marionette(height=1.2, mass=9.6)
    motion = gallery.marionette_motion("walk", large)
    assert motion["control_tx"](10.0) == pytest.approx(
        2 * gallery.marionette_motion("walk")["control_tx"](10.0)
    )
    with pytest.warns(bough.SlackWarning):  # as quick as the small one: strings push
        run = bough.simulate(large.build(), k=motion, duration=3.0)
    assert run.status == "finished"
