"""Random heaps of boxes, spheres and capsules with friction, dropped and left alone."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bough
from support.scenes import heap, moments

# s: what has been hit spins at up to 50 rad/s, an eighth of a radian in such a step. In twice as long ones, the error
# of the midpoint rule gives three in a thousand up to 0.2 J of 20 J, where forces of fifty weights end within one.
DT = 0.0025


def left_alone(
    seed: int, duration: float = 10.0, dt: float = DT, damping: float | None = None
) -> bough.Trajectory:
    """A random heap after a time: nothing sinks into anything, and nothing gains energy."""
    model, q = heap(seed, 3 + seed % 3, damping=damping, friction=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.CoarseStepWarning)
        run = bough.simulate(model, q=q, duration=duration, dt=dt)
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-10, seed
    assert np.diff(run.energy()).max() < 1e-12, seed
    return run


def fastest(run: bough.Trajectory) -> float:
    """The largest velocity in the last second [m/s, rad/s], of those reported and of the motion."""
    second = run.t >= run.t[-1] - 1.0
    return float(max(np.abs(run.v[second]).max(), np.ptp(run.q[second], axis=0).max()))


@pytest.mark.parametrize("seed", range(8))
def test_heaps_come_to_rest(seed):
    assert fastest(left_alone(seed)) < 1e-9


@pytest.mark.verify
@pytest.mark.parametrize("first", range(0, 1000, 50))
def test_a_thousand_heaps_come_to_rest(first):
    for seed in range(first, first + 50):
        assert fastest(left_alone(seed)) < 1e-9, seed


def damped(seed: int, duration: float = 10.0) -> bough.Trajectory:
    return left_alone(seed, duration, dt=0.005, damping=6.0)


@pytest.mark.parametrize("seed", [11, 55, 80, 169, 197, 276])
def test_damped_heaps_come_to_rest(seed):
    """Axes of capsules cross others, or edges of boxes, at small angles.

    The place where they touch runs along them within a step.
    """
    assert fastest(damped(seed)) < 1e-9


def test_reported_velocities_are_those_that_the_forces_hold():
    """Bodies that lean on each other at rest: momenta and Coulomb's law alone would also allow 3 mm/s."""
    assert fastest(damped(371, 6.0)) < 1e-9


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


def test_axes_whose_crossing_leaves_one_of_them_within_a_step_gain_nothing():
    """It runs by twice the length of a capsule, though its nearest place on the axis moves by a centimetre: 0.19 J."""
    system = bough.System("crossing")
    for name, shape, mass in (
        ("lower", bough.Capsule(0.041, 0.209), 0.78),
        ("upper", bough.Capsule(0.056, 0.247), 0.63),
    ):
        body = system.world.floating(f"{name} at", name=name, mass=mass, inertia=moments(shape, mass))
        system.shape(body, shape)
    system.shape("world", bough.Plane())
    system.add(bough.ContactGroup(["lower", "upper", "world"], friction=0.5))
    model = system.build()
    lower = (-0.008, -0.025, 0.041013, -0.220017, -0.430136, -0.561178, -0.672052)
    upper = (-0.09, -0.117, 0.146, -0.180034, 0.761142, 0.093017, 0.616115)
    v = (0.05, -0.08, 0.0, 0.0, 0.0, 2.31, -0.47, -0.62, -1.12, 1.85, 8.36, 0.38)
    run = bough.simulate(model, q=(*lower, *upper), v=v, duration=0.05, dt=0.005)
    assert np.diff(run.energy()).max() < 1e-12


def test_a_feature_that_comes_down_on_shapes_that_touch_already_is_hit():
    """An edge of a box that rocks on another meets it within their polygon of contact; the rest keeps its forces."""
    run = damped(455, 0.9)
    assert np.diff(run.energy()).max() < 1e-12
    weight = run.contact_force("contacts[1]").normal[153:158]
    np.testing.assert_allclose(weight, weight[0], rtol=1e-6)


@pytest.mark.parametrize(("seed", "duration"), [(379, 0.6), (398, 0.7)])
def test_features_whose_gap_jumps_by_centimetres_do_not_end_a_motion(seed, duration):
    """Edges become parallel within a step: a search that expects the gap to be continuous finds no end."""
    damped(seed, duration)
