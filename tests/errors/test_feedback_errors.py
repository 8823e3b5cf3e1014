"""Controllers that are unstable because their output is held for a step: the error names the input."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.motion.inputs import Inputs, grown_input


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


@pytest.mark.parametrize(
    ("kp", "kd", "dt"),
    [
        pytest.param(1e4, 100.0, 0.01, id="the second step fails"),
        pytest.param(1e3, 30.0, 0.01, id="the third step fails"),
        pytest.param(1e3, 200.0, 0.001, id="limited for most of the run"),
        pytest.param(200.0, 20.0, 0.01, id="grows to the end"),
    ],
)
def test_every_loop_that_grows_is_blamed(kp: float, kd: float, dt: float) -> None:
    system = bough.System("arm")
    link, pose = system.world, np.array([0.9, -0.6, 0.4])
    for i in range(3):
        link = link.ry(f"joint{i}").tz(-0.4, mass=1.0, inertia=(0.02, 0.02, 0.002))
        system.add(bough.ConfigurationForce(f"joint{i}", f"torque{i}"))
    with pytest.raises(bough.ConvergenceError, match="inputs are held for a step"):
        bough.simulate(
            system.build(),
            u=lambda t, state: kp * (pose - state.q) - kd * state.v,
            duration=3.0,
            dt=dt,
        )


def test_inputs_that_rise_once_and_keep_their_sign_are_not_blamed() -> None:
    """A target that moves makes inputs a hundred times larger, of a loop that is stable."""
    rows = np.concatenate([np.full((4, 1), 0.1), np.full((16, 1), 10.0)])
    feedback = Inputs(rows, function=lambda t, state: rows[0])
    assert grown_input(["torque"], feedback, 19) is None
    rows[4:] *= (-1.0) ** np.arange(16)[:, None]
    assert grown_input(["torque"], feedback, 19) == ("torque", 0.1, 10.0)


def test_a_failure_without_growth_is_not() -> None:
    """The same failure from inputs that are large from the start, or not from feedback at all."""
    for u in (lambda t, state: [1e7, -1e7], [1e7, -1e7]):
        with pytest.raises(bough.ConvergenceError) as caught:
            bough.simulate(slide(), u=u, duration=2.0, dt=0.01, max_halvings=0)
        assert "feedback" not in caught.value.found
        assert "Servo" not in caught.value.do
