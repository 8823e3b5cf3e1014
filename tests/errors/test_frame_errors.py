"""Masses, poses, twists and axes that cannot be: the exact text of every message."""

from __future__ import annotations

import numpy as np
import pytest

from support.messages import Case, check_message
from support.small_systems import anchored_arm as arm
from support.transforms import Array

nan, inf = float("nan"), float("inf")


def pose(row: int, column: int, entry: float) -> Array:
    """The identity but for one entry."""
    matrix = np.eye(4)
    matrix[row, column] = entry
    return matrix


# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "negative mass": (
        lambda: arm().frame("elbow").tx(1.0, mass=-2.0),
        "mass=-2.0 in tx(1.0) on frame 'elbow'",
        "mass is negative",
        "give a mass of zero or more, in kilograms",
    ),
    "mass nan": (
        lambda: arm().frame("elbow").tx(1.0, mass=nan),
        "mass=nan in tx(1.0) on frame 'elbow'",
        "mass is not finite",
        "give mass as a finite number",
    ),
    "mass bool": (
        lambda: arm().frame("elbow").tx(1.0, mass=True),
        "mass=True in tx(1.0) on frame 'elbow'",
        "mass is not a number",
        "give mass as a real number",
    ),
    "mass string": (
        lambda: arm().frame("elbow").tx(1.0, mass="heavy"),
        "mass='heavy' in tx(1.0) on frame 'elbow'",
        "mass is not a number",
        "give mass as a real number",
    ),
    "negative mass assigned": (
        lambda: setattr(arm().frame("elbow"), "mass", -1),
        "mass=-1 in frame 'elbow'",
        "mass is negative",
        "give a mass of zero or more, in kilograms",
    ),
    "mass on world": (
        lambda: setattr(arm().world, "mass", 1),
        "mass of world",
        "the world does not move and carries no mass",
        "put the mass on a frame, such as system.world.frame('base', mass=1.0)",
    ),
    "inertia not symmetric": (
        lambda: arm().world.rz("a", name="disc", mass=1.0, inertia=[[1, 0.2, 0], [0.1, 1, 0], [0, 0, 1]]),
        "inertia in rz('a', name='disc') on world",
        "inertia is not symmetric: [0, 1] is 0.2 and [1, 0] is 0.1",
        "give a symmetric 3x3 inertia",
    ),
    "negative moment": (
        lambda: arm().world.rz("a", mass=1.0, inertia=(-1, 1, 1)),
        "inertia in rz('a') on world",
        "inertia is not positive semidefinite: its principal moments are (-1, 1, 1)",
        "give an inertia about the centre of mass with no negative principal moment",
    ),
    "indefinite inertia": (
        lambda: arm().world.rz("a", mass=1.0, inertia=[[1, 2, 0], [2, 1, 0], [0, 0, 1]]),
        "inertia in rz('a') on world",
        "inertia is not positive semidefinite: its principal moments are (-1, 1, 3)",
        "give an inertia about the centre of mass with no negative principal moment",
    ),
    "triangle inequality": (
        lambda: arm().world.rz("a", mass=1.0, inertia=(1, 1, 2.1)),
        "inertia in rz('a') on world",
        "inertia violates the triangle inequality: its principal moments are (1, 1, 2.1)",
        "give an inertia about the centre of mass whose largest principal moment is at most"
        " the sum of the other two",
    ),
    "triangle inequality, 3x3": (
        lambda: arm().world.rz("a", mass=1.0, inertia=np.diag([3.0, 1, 1])),
        "inertia in rz('a') on world",
        "inertia violates the triangle inequality: its principal moments are (1, 1, 3)",
        "give an inertia about the centre of mass whose largest principal moment is at most"
        " the sum of the other two",
    ),
    "inertia without mass": (
        lambda: arm().world.rz("a", inertia=(1, 1, 1)),
        "inertia in rz('a') on world",
        "an inertia without a mass",
        "give a mass above zero as well, or leave the inertia out",
    ),
    "inertia with mass zero": (
        lambda: arm().world.rz("a", mass=0, inertia=(1, 1, 1)),
        "inertia in rz('a') on world",
        "an inertia without a mass",
        "give a mass above zero as well, or leave the inertia out",
    ),
    "mass taken away": (
        lambda: setattr(arm().world.rz("a", mass=1.0, inertia=(1, 1, 1), name="disc"), "mass", 0.0),
        "inertia in frame 'disc'",
        "an inertia without a mass",
        "give a mass above zero as well, or leave the inertia out",
    ),
    "two moments": (
        lambda: arm().world.rz("a", mass=1.0, inertia=(1, 1)),
        "inertia in rz('a') on world",
        "inertia has shape (2,)",
        "give inertia as 3 principal moments or 3x3 numbers",
    ),
    "six numbers": (
        lambda: arm().world.rz("a", mass=1.0, inertia=(1, 0, 0, 1, 0, 1)),
        "inertia in rz('a') on world",
        "inertia has shape (6,)",
        "give inertia as 3 principal moments or 3x3 numbers",
    ),
    "inertia a number": (
        lambda: arm().world.rz("a", mass=1.0, inertia=1.0),
        "inertia in rz('a') on world",
        "inertia is a single number",
        "give inertia as 3 principal moments or 3x3 numbers",
    ),
    "ragged inertia": (
        lambda: arm().world.rz("a", mass=1.0, inertia=[[1, 0, 0], [0, 1]]),
        "inertia in rz('a') on world",
        "inertia has rows of different lengths",
        "give inertia as 3 principal moments or 3x3 numbers",
    ),
    "inertia of strings": (
        lambda: arm().world.rz("a", mass=1.0, inertia=("1", "1", "1")),
        "inertia=('1', '1', '1') in rz('a') on world",
        "inertia is not made of real numbers",
        "give inertia as 3 principal moments or 3x3 numbers",
    ),
    "inertia with None": (
        lambda: arm().world.rz("a", mass=1.0, inertia=(1, None, 1)),
        "inertia=(1, None, 1) in rz('a') on world",
        "inertia is not made of real numbers",
        "give inertia as 3 principal moments or 3x3 numbers",
    ),
    "inertia with nan": (
        lambda: arm().world.rz("a", mass=1.0, inertia=[[1, 0, 0], [0, 1, nan], [0, 0, 1]]),
        "inertia in rz('a') on world",
        "inertia[1, 2] is nan",
        "give inertia in finite numbers",
    ),
    "empty inertia": (
        lambda: arm().world.rz("a", mass=1.0, inertia=[]),
        "inertia in rz('a') on world",
        "inertia has shape (0,)",
        "give inertia as 3 principal moments or 3x3 numbers",
    ),
    "com without mass": (
        lambda: arm().world.rz("a", com=(0, 0, 1)),
        "com in rz('a') on world",
        "a centre of mass without a mass",
        "give mass= as well, or leave com out",
    ),
    "com with two numbers": (
        lambda: arm().world.rz("a", mass=1.0, com=(0, 1)),
        "com in rz('a') on world",
        "com has shape (2,)",
        "give com as 3 numbers, a point in the frame",
    ),
    "com nan": (
        lambda: arm().world.rz("a", mass=1.0, com=(0, 0, nan)),
        "com in rz('a') on world",
        "com[2] is nan",
        "give com in finite numbers",
    ),
    "com of bools": (
        lambda: arm().world.rz("a", mass=1.0, com=(True, False, True)),
        "com=(True, False, True) in rz('a') on world",
        "com is not made of real numbers",
        "give com as 3 numbers, a point in the frame",
    ),
    "3x3 pose": (
        lambda: arm().world.fixed(np.eye(3), name="plate"),
        "pose in fixed(name='plate') on world",
        "pose has shape (3, 3)",
        "give pose as 4x4 numbers, [[R, p], [0, 1]]",
    ),
    "last row of pose": (
        lambda: arm().world.fixed(pose(3, 0, 1.0)),
        "pose in fixed() on world",
        "the last row of pose is (1, 0, 0, 1)",
        "give a pose [[R, p], [0, 1]], whose last row is (0, 0, 0, 1)",
    ),
    "sheared pose": (
        lambda: arm().world.fixed(pose(0, 1, 0.1)),
        "pose in fixed() on world",
        "its 3x3 part R is not a rotation: R^T R differs from 1 by 0.1",
        "give a pose [[R, p], [0, 1]] with R orthonormal, written with at least 7 digits",
    ),
    "mirrored pose": (
        lambda: arm().world.fixed(np.diag([1.0, 1, -1, 1])),
        "pose in fixed() on world",
        "its 3x3 part R is a reflection: det R = -1",
        "give a pose [[R, p], [0, 1]] with det R = +1, without mirrored axes",
    ),
    "pose with nan": (
        lambda: arm().world.fixed(pose(2, 3, nan)),
        "pose in fixed() on world",
        "pose[2, 3] is nan",
        "give pose in finite numbers",
    ),
    "pose a string": (
        lambda: arm().world.fixed("identity"),
        "pose='identity' in fixed() on world",
        "pose is not made of real numbers",
        "give pose as 4x4 numbers, [[R, p], [0, 1]]",
    ),
    "pose None": (
        lambda: arm().world.fixed(None),
        "pose=None in fixed() on world",
        "pose is not made of real numbers",
        "give pose as 4x4 numbers, [[R, p], [0, 1]]",
    ),
    "zero twist": (
        lambda: arm().world.twist(np.zeros(6), "a"),
        "xi in twist('a') on world",
        "xi is zero: the frame would not move",
        "give a twist (angular, linear) other than zero, or use fixed(pose)",
    ),
    "twist of three numbers": (
        lambda: arm().world.twist((0, 0, 1), "a"),
        "xi in twist('a') on world",
        "xi has shape (3,)",
        "give xi as 6 numbers, a twist (angular, linear)",
    ),
    "infinite twist": (
        lambda: arm().world.twist((0, 0, 1, 0, inf, 0), "a"),
        "xi in twist('a') on world",
        "xi[4] is inf",
        "give xi in finite numbers",
    ),
    "arguments of twist swapped": (
        lambda: arm().world.twist("a", (0, 0, 1, 0, 0, 0)),
        "xi='a' in twist((0, 0, 1, 0, 0, 0)) on world",
        "xi is not made of real numbers",
        "give xi as 6 numbers, a twist (angular, linear)",
    ),
    "zero axis": (
        lambda: arm().world.revolute("a", (0, 0, 0)),
        "axis in revolute('a') on world",
        "axis is (0, 0, 0), which has no direction",
        "give axis a component other than zero; its length does not matter",
    ),
    "zero axis of prismatic": (
        lambda: arm().world.prismatic("a", (0, 0, 0)),
        "axis in prismatic('a') on world",
        "axis is (0, 0, 0), which has no direction",
        "give axis a component other than zero; its length does not matter",
    ),
    "axis of four numbers": (
        lambda: arm().world.cylindrical("a", "b", (0, 0, 1, 0)),
        "axis in cylindrical('a', 'b') on world",
        "axis has shape (4,)",
        "give axis as 3 numbers, such as (0, 0, 1)",
    ),
    "axis a letter": (
        lambda: arm().world.revolute("a", "z"),
        "axis='z' in revolute('a') on world",
        "axis is not made of real numbers",
        "give axis as 3 numbers, such as (0, 0, 1)",
    ),
    "axis with nan": (
        lambda: arm().world.helical("a", (0, 0, nan), 1.0),
        "axis in helical('a') on world",
        "axis[2] is nan",
        "give axis in finite numbers",
    ),
    "no pitch": (
        lambda: arm().world.helical("a"),
        "pitch=None in helical('a') on world",
        "pitch is not a number",
        "give pitch as a real number",
    ),
    "pitch nan": (
        lambda: arm().world.helical("a", pitch=nan),
        "pitch=nan in helical('a') on world",
        "pitch is not finite",
        "give pitch as a finite number",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])
