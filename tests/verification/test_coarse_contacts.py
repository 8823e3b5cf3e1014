"""No random mechanism with contacts shows a false energy in silence, and hardly any is warned about without reason."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import bough
from bough.motion.contact_trajectory import ContactTrajectory
from support.coarse_contacts import counts, energy_errors
from support.coarse_mechanisms import documented

PAGE = Path(__file__).parents[2] / "docs" / "theory" / "coarse_steps.md"
FIRST, NUMBER = 20000, 1000  # of seeds that no number in the check was chosen by


def test_a_thousand_mechanisms_with_contacts() -> None:
    """Counts as the page has them, but for a few that other round-off leads elsewhere."""
    found, wrong = counts(range(FIRST, FIRST + NUMBER))
    assert found["silent"] == 0, wrong
    assert found["false alarm"] <= 10, wrong
    assert found["told twice"] == 0
    page = documented(PAGE.read_text(encoding="utf-8"), FIRST, NUMBER)
    for what in ("with impacts", "large error", "told", "false alarm"):
        assert abs(found[what] - page[what]) <= 3, what


def rope(start: dict[str, float], dt: float, length: float | bough.Sinusoid = 1.0) -> list[str]:
    """What is warned of in the motion of a bob that falls into a string."""
    system = bough.System("rope")
    system.world.tx("x").tz("z", name="bob", mass=1.0)
    system.add(bough.String("bob", "world", length))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bough.simulate(system.build(), start, duration=3.0, dt=dt)
    return [str(warning.message) for warning in caught]


def test_a_string_in_long_steps_is_told() -> None:
    start = {"x": 0.6, "z": 0.2}
    assert rope(start, 0.05) == []
    (text,) = rope(start, 0.3)
    assert text.startswith("the energy of 'rope' is off by 89% of its largest kinetic energy")


def test_a_string_that_is_pulled_does_work() -> None:
    """Whose energy changes with reason."""
    pulled = bough.Sinusoid(amplitude=0.3, frequency=8.0, mean=1.0)
    assert rope({"z": -0.99}, 0.005, pulled) == []


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("dt", np.linspace(0.05, 0.7, 14))
def test_a_ball_that_bounces_in_few_steps_is_right(dt: float, restitution: float) -> None:
    """Its chords show little of its motion, and its energy is exact."""
    system = bough.System("ball")
    system.world.tx("x").tz("z", name="ball", mass=1.0)
    system.add(bough.Contact("ball", bough.Point(), restitution=restitution))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bough.simulate(system.build(), {"z": 0.44}, duration=40 * dt, dt=dt)
    assert [text for text in map(str, (w.message for w in caught)) if "kinetic energy" in text] == []


@pytest.mark.parametrize("dt", [0.002, 0.01, 0.03])
def test_bodies_that_touch_each_other(dt: float) -> None:
    """Their statuses have features beside them; the energy with the losses is right."""
    system = bough.System("stack")
    system.world.tx("x").tz("z").ry("turn", name="upper", mass=1.0, inertia=(0.02, 0.02, 0.02))
    system.world.tz("low", name="lower", mass=1.0)
    lower = bough.Box((0.4, 0.4, 0.2))
    system.add(bough.Contact("lower", lower))
    system.add(bough.Contact("upper", bough.Box((0.3, 0.3, 0.2)), ("lower", lower), friction=0.4))
    start = {"z": 0.4, "turn": 0.3, "low": 0.1}
    run = bough.simulate(system.build(), start, {"x": 0.3}, duration=0.6, dt=dt)  # a warning is an error
    assert isinstance(run, ContactTrajectory)
    off, _ = energy_errors(run)
    assert off.max() < 0.02
    assert run.impacts


def test_an_impact_at_the_start_is_after_the_first_row() -> None:
    system = bough.System("ball")
    system.world.tz("z", name="ball", mass=1.0)
    system.add(bough.Contact("ball", bough.Point(), restitution=0.5))
    run = bough.simulate(system.build(), {"z": 0.0}, {"z": -2.0}, duration=0.1)  # a warning is an error
    assert run.kinetic_energy()[0] == pytest.approx(2.0)
    assert run.kinetic_energy()[1] < 0.5
