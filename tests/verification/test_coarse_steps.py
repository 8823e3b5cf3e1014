"""Steps too coarse for the motion: the discrete equations have other roots far away, which no step may take.

Either the run goes on with errors that belong to its dt, or it ends with an error; it never gives the absurd.
"""

from __future__ import annotations

import numpy as np
import pytest

import bough
from support.mechanisms import pendulum


@pytest.mark.parametrize("method", ["midpoint", "trapezoidal"])
@pytest.mark.parametrize("links", [5, 10, 20])
@pytest.mark.parametrize("dt", [0.005, 0.01, 0.02])
def test_whip(links: int, dt: float, method: str) -> None:
    """A rolled-up chain lets go: its end moves by up to a radian in each step."""
    model = pendulum(links)
    run = bough.simulate(
        model, np.full(links, 0.4), duration=5.0, dt=dt, integrator=method, on_failure="stop"
    )
    energy = run.energy()
    # what the chain can give away by falling from its highest to its lowest configuration
    reach = 9.81 * links * (links + 1)
    assert np.max(np.abs(energy - energy[0])) < reach, f"{run.status} at t = {run.t[-1]:.3g}"
    # no step turns a joint more than once round, let alone thousands of times
    assert np.max(np.abs(np.diff(run.q, axis=0))) < 2.0 * np.pi


def oscillator() -> bough.Model:
    """10 rad/s, a little harder than linear: linear equations have one root only."""
    system = bough.System("oscillator", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.NonlinearConfigurationSpring("x", polynomial=(0, 100, 0, 0.001)))
    return system.build()


def test_a_coarse_step_is_warned_about() -> None:
    """A spring that swings through half a period in each step."""
    text = (
        r"^1 of 10 steps of 'oscillator' ended far from where the motion led:"
        r" dt = 0\.3 is too long for what happens there; compare with a smaller dt$"
    )
    with pytest.warns(bough.CoarseStepWarning, match=text):
        run = bough.simulate(oscillator(), [1.0], duration=3.0, dt=0.3)
    assert run.status == "finished"
    assert run.statistics["coarse"] == 1


def test_a_fine_step_is_not_warned_about(recwarn: pytest.WarningsRecorder) -> None:
    run = bough.simulate(oscillator(), [1.0], duration=3.0, dt=0.02)
    assert run.statistics["coarse"] == 0
    assert not recwarn.list
