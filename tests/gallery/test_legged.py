"""The quadruped stands and trots on feet that stick; the falling humanoid comes to lie still."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from bough import gallery
from bough.gallery.legged import FOOT, LEGS, LINK, TALL, Gait
from support import console
from support.messages import check_message


def slips(run: Any) -> np.ndarray:
    """How far the material point of each foot that touches the floor moves along it, step by step (steps, feet)."""
    down, found = np.array([0.0, 0.0, -FOOT]), []
    for i, foot in enumerate(run.model.gaps):
        pose = run.pose(foot)
        turned = np.einsum("kij,klj,l->ki", pose[1:, :3, :3], pose[:-1, :3, :3], down)
        moved = np.diff(pose[:, :3, 3], axis=0) + turned - down
        closed = run.contact_status[:, i] != "open"
        found.append(np.where(closed[1:] & closed[:-1], np.hypot(moved[:, 0], moved[:, 1]), 0.0))
    return np.stack(found, axis=1)


def test_it_stands_still() -> None:
    run = bough.simulate(gallery.quadruped().build())
    still = run.t > 4.0  # what its servos swing has died out
    assert np.ptp(run.q[still], axis=0).max() < 1e-11
    assert np.abs(run.v[still]).max() < 1e-11
    assert np.asarray(run.gaps()).min() > -1e-12
    forces = sum(run.contact_force(name).normal[-2] for name in run.model.gaps)
    assert forces == pytest.approx(15.0 * 9.81, rel=1e-9)


def test_it_trots() -> None:
    """Forward at 2 stride / period, level, on two feet at a time, which slip by less than a hundredth of the way."""
    run = bough.simulate(gallery.quadruped().build(), k=gallery.quadruped_motion("trot"))
    assert run.statistics["coarse"] == run.statistics["halvings"] == 0
    assert np.asarray(run.gaps()).min() > -1e-12
    trunk, going = run.pose("trunk"), run.t >= 2.0
    way = trunk[-1, 0, 3] - trunk[going, 0, 3][0]
    assert trunk[-1, 0, 3] > 5.0
    assert way == pytest.approx(0.6 * 8.0, rel=0.05)
    assert abs(trunk[-1, 1, 3]) < 0.1
    assert np.abs(trunk[going][:, 2, :2]).max() < 0.03  # the tilt, rad
    assert slips(run)[going[1:]].sum(axis=0).max() < 0.01 * way
    closed = run.contact_status[going] != "open"
    pairs = closed[:, [0, 3]].all(axis=1) & ~closed[:, [1, 2]].any(axis=1)
    others = closed[:, [1, 2]].all(axis=1) & ~closed[:, [0, 3]].any(axis=1)
    assert pairs.mean() > 0.3
    assert others.mean() > 0.3


def test_it_moves_as_far_with_a_shorter_step() -> None:
    ends = [
        bough.simulate(gallery.quadruped().build(), k=gallery.quadruped_motion("trot"), duration=4.0, dt=dt)[
            "trunk_tx"
        ][-1]
        for dt in (0.005, 0.0025)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=0.03)


def test_too_little_friction_slips() -> None:
    """The test of slipping tells ice from a floor."""
    run = bough.simulate(
        gallery.quadruped(friction=0.1).build(), k=gallery.quadruped_motion("trot"), duration=4.0
    )
    assert slips(run).sum(axis=0).max() > 0.1


@pytest.mark.parametrize("leg", LEGS)
def test_feet_go_where_the_gait_says(leg: str) -> None:
    """Legs that are held in the air, at the angles of a script: their feet are where the gait puts them."""
    model = gallery.quadruped(motors="torque", trunk="held").build()
    script, gait = gallery.quadruped_motion("trot", stride=0.1, lift=0.04, period=0.5), Gait(0.1, 0.04, 0.5)
    name = f"{leg.replace('_', ' ')} foot"
    stands = model.pose(name, model.neutral())[:3, 3]
    assert stands[2] == pytest.approx(FOOT, abs=1e-15)
    for t in np.linspace(1.5, 2.5, 23):
        q = {f"{leg}_{joint}": script[f"{leg}_{joint}_target"](t) for joint in ("hip", "knee")}
        x, z = gait.foot(t, leg)
        assert model.pose(name, q)[:3, 3] - stands == pytest.approx([x, 0.0, z], abs=1e-14)
    before, after = gait.foot(1.75 - 1e-9, leg), gait.foot(1.75 + 1e-9, leg)
    assert before == pytest.approx(after, abs=1e-8)
    assert TALL < 2.0 * LINK


def test_the_command_line_trots() -> None:
    code, text, error = console.run("bough simulate gallery:quadruped --duration 2 --json")
    assert (code, error) == (0, "")
    assert '"motion": "trot"' in text
    assert console.run("bough simulate gallery:quadruped --motion stand --duration 0.5")[0] == 0


def test_the_humanoid_lies_still() -> None:
    run = bough.simulate(gallery.falling_humanoid().build())
    still = run.t > 7.0
    assert np.ptp(run.q[still], axis=0).max() / 3.0 < 1e-10  # m/s or rad/s
    assert np.abs(run.v[still]).max() < 1e-10
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-12
    assert np.diff(run.energy()).max() < 1e-9
    assert run.pose("head")[-1, 2, 3] < 0.15 < 1.4 < run.pose("head")[0, 2, 3]
    names = {name for impact in run.impacts for name in impact.contacts}
    assert "right elbow stop[upper]" in names
    assert any(name.startswith("touch") for name in names)


MESSAGES: dict[str, tuple[Any, str, str, str]] = {
    "other motors": (
        lambda: gallery.quadruped(motors="hydraulic"),
        "motors='hydraulic' in gallery.quadruped()",
        "neither 'servo' nor 'torque'",
        "give one of these",
    ),
    "another motion": (
        lambda: gallery.quadruped_motion("gallop"),
        "motion 'gallop' in quadruped_motion()",
        "no motion has this name; the names are 'trot', 'stand'",
        "use one of these names",
    ),
    "a foot too high": (
        lambda: gallery.quadruped_motion("trot", lift=0.3),
        "lift=0.3 in quadruped_motion()",
        "feet above the middle of the trunk, which is 0.278683 m high",
        "give a lift of at most 0.25 m",
    ),
    "a period of zero": (
        lambda: gallery.quadruped_motion("trot", period=0.0),
        "period=0.0 in quadruped_motion()",
        "period is not above zero",
        "give period above zero, in s",
    ),
    "a stride out of reach": (
        lambda: gallery.quadruped_motion("trot", stride=1.0),
        "stride=1.0 in quadruped_motion()",
        "feet that the legs do not reach: they are 0.4 m long, and the trunk is 0.278683 m high",
        "give a stride of at most 0.52 m",
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_message(case: str) -> None:
    check_message(*MESSAGES[case])
