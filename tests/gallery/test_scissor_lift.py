"""The scissor lift of [JM09] VI.C: its energies, its exact motion, its run through the singular position."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import bough
from bough import gallery
from support.transforms import Array

STARTS = pytest.mark.parametrize("theta", [0.6, np.pi / 2 - 0.2])


def mass_and_slope(theta: float, segments: int) -> tuple[float, float, float]:
    """M of T = M rate^2 / 2, its derivative, and -V' of docs/theory/errata.md, of unit masses."""
    n = np.arange(1, segments + 1) - 0.5
    s, c = np.sin(theta), np.cos(theta)
    M = 2.0 * (n**2 * c**2 + s**2 / 4 + 0.01).sum() + s**2
    M_dq = 4.0 * s * c * (0.25 - n**2).sum() + 2.0 * s * c
    return M, M_dq, 2.0 * 9.81 * n.sum() * c


def test_energies_are_those_of_one_degree_of_freedom() -> None:
    theta, rate, segments = 0.7, -1.3, 4
    system = gallery.scissor_lift(segments, theta=theta)
    model = system.build()
    assert (model.nd, model.nc) == (8, 7)
    q = model.configuration(system.start.q)
    step = 1e-6
    beside = [gallery.scissor_lift(segments, theta=theta + d).start.q for d in (-step, step)]
    v = rate * (model.configuration(beside[1]) - model.configuration(beside[0])) / (2.0 * step)
    M, _, _ = mass_and_slope(theta, segments)
    assert model.kinetic_energy(q, v) == pytest.approx(0.5 * M * rate**2, rel=1e-9)
    n = np.arange(segments) + 0.5
    assert model.potential_energy(q) == pytest.approx(-2.0 * 9.81 * n.sum() * np.sin(theta), rel=1e-12)
    assert model.mobility(q) == 1


@STARTS
@pytest.mark.parametrize("segments", [1, 5, 20])
def test_exact_motion(theta: float, segments: int) -> None:
    def rate(t: float, y: Array) -> list[float]:
        M, M_dq, slope = mass_and_slope(y[0], segments)
        return [y[1], (slope - 0.5 * M_dq * y[1] ** 2) / M]

    t = np.linspace(0.0, 10.0, 101)
    exact = gallery.scissor_lift_angle(t, segments, theta=theta)
    integrated = solve_ivp(rate, (0, 10), (theta, 0), "DOP853", t, rtol=1e-13, atol=1e-14).y[0]
    np.testing.assert_allclose(exact, integrated, rtol=0, atol=1e-11)
    # energy and period, far out
    far = 1e4 + t
    fine = 1e-4
    speed = (
        gallery.scissor_lift_angle(far + fine, segments, theta=theta)
        - gallery.scissor_lift_angle(far - fine, segments, theta=theta)
    ) / (2.0 * fine)
    angle = gallery.scissor_lift_angle(far, segments, theta=theta)
    kinetic = [0.5 * mass_and_slope(a, segments)[0] * w**2 for a, w in zip(angle, speed, strict=True)]
    weight = 2.0 * 9.81 * (np.arange(segments) + 0.5).sum()
    np.testing.assert_allclose(kinetic, weight * (np.sin(angle) - np.sin(theta)), rtol=0, atol=1e-4 * weight)


def test_exact_motion_passes_the_singular_position_nine_times() -> None:
    t = np.linspace(0.0, 10.0, 10001)
    side = np.sign(gallery.scissor_lift_angle(t) - np.pi / 2)
    crossings = t[np.flatnonzero(np.diff(side))]
    assert len(crossings) == 9
    assert crossings[0] == pytest.approx(0.58, abs=0.005)


@STARTS
def test_the_run_converges_to_the_exact_motion(theta: float) -> None:
    """On its branch through theta = pi/2, with the second order of the method."""
    model = gallery.scissor_lift(theta=theta).build()
    errors = []
    for dt in (0.01, 0.005):
        run = bough.simulate(model, dt=dt)
        errors.append(np.abs(run["theta"] - gallery.scissor_lift_angle(run.t, theta=theta)).max())
        assert np.abs(run.constraint_error()).max() < 1e-12
        np.testing.assert_allclose(run.pose("slider")[:, 0, 3], np.cos(run["theta"]), rtol=0, atol=1e-7)
    assert errors[0] < 0.04
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)
