"""Contacts of a run by name, and impacts as they are printed."""

from __future__ import annotations

import pytest

import bough


@pytest.fixture(scope="module")
def run() -> bough.Trajectory:
    """A bar of two feet that falls flat, with a gap of its own for each foot."""
    system = bough.System("bar")
    bar = system.world.tz("z").ry("tilt", name="bar", mass=1.0, inertia=(0.01, 0.01, 0.01))
    feet = [(x, 0.0, 0.0) for x in (-0.3, -0.2, -0.1, 0.1, 0.2, 0.3)]
    system.add(bough.PlaneContact(bar, points=feet, restitution=0.5, name="feet"))
    return bough.simulate(system.build(), q={"z": 0.1}, duration=0.2, dt=0.01)


def test_the_name_of_several_contacts_says_how_to_add_them_up(run: bough.Trajectory) -> None:
    with pytest.raises(bough.ModelError) as caught:
        run.contact_force("feet")
    assert caught.value.asked == "contact 'feet' in model 'bar'"
    assert caught.value.found.startswith("an element with 6 contacts: 'feet[0]', 'feet[1]'")
    expression = caught.value.do.partition("force: ")[2]
    total = eval(expression, {"run": run, "model": run.model})
    assert total.shape == (len(run), 3)


def test_a_name_that_no_contact_has_lists_the_nearest(run: bough.Trajectory) -> None:
    with pytest.raises(bough.ModelError, match="no contact has this name; the nearest are 'feet"):
        run.contact_force("fleet[0]")


def test_an_impact_is_printed_in_one_line(run: bough.Trajectory) -> None:
    first = run.events[0]
    assert str(first) == repr(first)
    assert str(first) == (
        "<Impact at t = 0.142784 s: feet[0], feet[1], feet[2], feet[3], ...; bounce, 0.736 J lost>"
    )  # sqrt(0.2 / g), and three quarters of m g h


def test_the_name_of_several_contacts_takes_all_their_gaps(run: bough.Trajectory) -> None:
    gaps = run.gaps()
    assert gaps["feet"].shape == (len(run), 6)
    assert (gaps["feet"][:, 4] == gaps["feet[4]"]).all()
    assert gaps["feet"][0] == pytest.approx(0.1)
