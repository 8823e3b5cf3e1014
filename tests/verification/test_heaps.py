"""Random heaps of boxes, spheres and capsules with friction, dropped and left alone."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bough
from support.scenes import heap

PATIENCE = 80.0  # s: what rocks in a shallow hollow slows down as exp(-t/2), in one heap as exp(-t/14)


def left_alone(seed: int, duration: float = 10.0) -> bough.Trajectory:
    """A random heap after a time: nothing sinks into anything, and nothing gains energy but for an error of the step.

    What tips over an edge or a side has the error of the midpoint rule, of third order in a step.
    """
    model, q = heap(seed, 3 + seed % 3, friction=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.CoarseStepWarning)
        run = bough.simulate(model, q=q, duration=duration, dt=0.005)
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-10, seed
    assert np.diff(run.energy()).max() < 1e-7, seed
    return run


def fastest(run: bough.Trajectory) -> float:
    """The largest velocity in the last second [m/s, rad/s], of those reported and of the motion."""
    second = run.t >= run.t[-1] - 1.0
    return float(max(np.abs(run.v[second]).max(), np.ptp(run.q[second], axis=0).max()))


def rests(run: bough.Trajectory) -> bool:
    return fastest(run) < 1e-9


@pytest.mark.parametrize("seed", [*range(8), 11, 55, 80, 169, 197, 276])
def test_heaps_come_to_rest(seed):
    """In some of them, axes of capsules cross others, or edges of boxes, at small angles.

    The place where they touch runs along them within a step.
    """
    assert rests(left_alone(seed))


def test_reported_velocities_are_those_that_the_forces_hold():
    """Bodies that lean on each other at rest: momenta and Coulomb's law alone would also allow 3 mm/s."""
    assert rests(left_alone(371, 6.0))


@pytest.mark.verify
@pytest.mark.parametrize("first", range(0, 1000, 50))
def test_many_heaps_come_to_rest(first):
    """Nearly all within ten seconds; the others slow down."""
    late = {}
    for seed in range(first, first + 50):
        run = left_alone(seed)
        if not rests(run):
            late[seed] = fastest(run)
    assert len(late) <= 5
    for seed, speed in late.items():
        assert fastest(left_alone(seed, PATIENCE)) < 0.02 * speed, seed  # exp(-70/14) = 0.007


def turning(seed: int, duration: float) -> float:
    """The most that a heap gains in a step where only the turning of its bodies is damped."""
    model, q = heap(seed, 3 + seed % 3, turning=0.1, friction=0.5)
    return float(np.diff(bough.simulate(model, q=q, duration=duration, dt=0.005).energy()).max())


def test_a_capsule_that_passes_an_edge_with_its_end_gains_nothing():
    """It is pressed on the edge until its end is there: half a step of that force must not be left in its momenta."""
    assert turning(333, 0.6) < 1e-12


@pytest.mark.parametrize(("seed", "duration"), [(242, 1.6), (576, 0.6)])
def test_no_heap_gains_energy_where_a_contact_lets_go(seed, duration):
    """A corner of a box that slides lets go as it turns; the force of the end of a capsule on an edge jumps to none."""
    assert turning(seed, duration) < 1e-12


def test_a_feature_that_comes_down_on_shapes_that_touch_already_is_hit():
    """An edge of a box that rocks on another meets it within their polygon of contact; the rest keeps its forces."""
    run = left_alone(455, 0.9)
    assert np.diff(run.energy()).max() < 1e-12
    weight = run.contact_force("contacts[1]").normal[153:158]
    np.testing.assert_allclose(weight, weight[0], rtol=1e-6)


@pytest.mark.parametrize(("seed", "duration"), [(379, 0.6), (398, 0.7)])
def test_features_whose_gap_jumps_by_centimetres_do_not_end_a_motion(seed, duration):
    """Edges become parallel within a step: a search that expects the gap to be continuous finds no end."""
    left_alone(seed, duration)
