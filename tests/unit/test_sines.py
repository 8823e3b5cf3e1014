"""Sines and cosines of joint angles, in all quadrants and beyond the range of the polynomials."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from support.transforms import Array

STEP = 2.0**-53  # half the distance of doubles around 1: the error of rounding a sine


def sines(angles: Array) -> tuple[Array, Array]:
    """Sines and cosines as the poses of one model have them, a joint for each angle."""
    system = bough.System("fan")
    for i in range(len(angles)):
        system.world.rz(f"q{i}", name=f"f{i}", mass=1.0, inertia=(1, 1, 1))
    model = system.build()
    poses = np.array([model.pose(f"f{i}", angles) for i in range(len(angles))])
    return poses[:, 1, 0], poses[:, 0, 0]


def exact(angles: Array) -> tuple[Array, Array]:
    wide = angles.astype(np.longdouble)
    return np.sin(wide).astype(float), np.cos(wide).astype(float)


@pytest.mark.parametrize("size", [1e-9, 1.0, 30.0, 9e5, 1e9])
def test_random_angles(size: float) -> None:
    angles = np.random.default_rng(3).uniform(-size, size, 61)
    for here, there in zip(sines(angles), exact(angles), strict=True):
        assert np.abs(here - there).max() <= 2 * STEP


def test_quadrants_side_by_side() -> None:
    """Neighbours of one register in different quadrants, on both sides of every boundary."""
    edges = np.arange(-9, 10) * (np.pi / 4)
    angles = np.concatenate([edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)])
    for here, there in zip(sines(angles), exact(angles), strict=True):
        assert np.abs(here - there).max() <= 2 * STEP


@pytest.mark.parametrize("far", [1e6, -3e7, 1e22])
@pytest.mark.parametrize("place", range(7))
def test_far_angle_among_near_ones(far: float, place: int) -> None:
    """A far angle goes to the C library, whichever lane it has; the others keep their bits."""
    angles = np.linspace(-2.0, 3.0, 7)
    near = sines(angles)
    angles[place] = far
    others = np.arange(7) != place
    for here, before, there in zip(sines(angles), near, (np.sin(far), np.cos(far)), strict=True):
        assert here[place] == pytest.approx(there, abs=2 * STEP)
        np.testing.assert_array_equal(here[others], before[others])
