"""Controllers that are unstable because their output is held for a step: the error names the input."""

from __future__ import annotations

import numpy as np
import pytest

import bough


def slide() -> bough.Model:
    """An arm whose joint is driven by a torque."""
    system = bough.System("arm")
    system.world.ry("shoulder").tz(-0.5, mass=1.0).ry("elbow").tz(-0.5, mass=1.0)
    system.add(bough.ConfigurationForce("shoulder", "shoulder torque"))
    system.add(bough.ConfigurationForce("elbow", "elbow torque"))
    return system.build()


@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")
def test_a_loop_that_grows_is_blamed() -> None:
    """kd dt / M is 7 and more: each step multiplies the velocity."""
    target = np.array([0.5, 0.2])
    with pytest.raises(bough.ConvergenceError) as caught:
        bough.simulate(
            slide(),
            u=lambda t, state: 2000.0 * (target - state.q) - 200.0 * state.v,
            duration=2.0,
            dt=0.01,
        )
    error = caught.value
    assert "; before it, feedback drove input " in error.found
    assert error.found.endswith(
        "inputs are held for a step, and a loop whose gains are high for dt = 0.01 grows until a step fails"
    )
    assert error.do.startswith(
        "lower the gains or take a smaller dt; or let bough.Servo(variable, kp, kd, ...)"
    )
    sizes = np.abs(error.trajectory.u).max(axis=1)
    assert sizes[-1] > 10.0 * sizes[0]


def test_a_failure_without_growth_is_not() -> None:
    """The same failure from inputs that are large from the start, or not from feedback at all."""
    for u in (lambda t, state: [1e7, -1e7], [1e7, -1e7]):
        with pytest.raises(bough.ConvergenceError) as caught:
            bough.simulate(slide(), u=u, duration=2.0, dt=0.01, max_halvings=0)
        assert "feedback" not in caught.value.found
        assert "Servo" not in caught.value.do
