"""Impacts one after the other: shortly after another one, on top of each other, and none at rest."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import bough
from bough import gallery

G = 9.81


def hurried(system: bough.System) -> dict[str, Callable[[float], float]]:
    """The walk of the marionette, twice as fast."""

    def twice(change: Callable[[float], float]) -> Callable[[float], float]:
        return lambda t: change(2.0 * t)

    return {name: twice(change) for name, change in gallery.marionette_motion("walk", system).items()}


def test_nothing_is_gained_between_impacts_that_follow_each_other_closely() -> None:
    """Between two impacts a puppet on strings gains what gravity and its strings give, however short that time is.

    They give some 1.5 W. Flights of less than 5e-6 s between impacts are not made: such contacts are closed at once,
    see the test below. Momenta from differences of q over 1e-11 s, or hooks that move at another speed in a step
    than in an impact, would give megawatts.
    """
    system = gallery.string_marionette()
    model = system.build()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.CoarseStepWarning)  # limbs jerked through a turn in a step
        run = bough.simulate(model, k=hurried(system), duration=6.0, dt=0.01)
    close = 0
    for one, next_one in itertools.pairwise(run.impacts):
        time = next_one.t - one.t
        if not time < 1e-4:
            continue
        close += 1
        before = model.kinetic_energy(np.array(one.q), np.array(one.v_after))
        after = model.kinetic_energy(np.array(next_one.q), np.array(next_one.v_before))
        assert abs(after - before) < 5.0 * time + 1e-12
    assert close > 20


def test_a_contact_that_hardly_leaves_disturbs_nothing() -> None:
    """A slider leaves its stop and is back after 1e-4 to 1e-12 s; a bar on two strings beside it swings as without it.

    A step in two parts is another step of second order: of what is left between them, no more than their first part.
    """
    system = bough.System("bar and slider")
    bar = system.world.tx("x").tz("z").ry("tilt", name="bar", mass=1.0, inertia=(0.1, 0.1, 0.1))
    for side in (-1.0, 1.0):
        hook = system.world.tx(0.5 * side).tz(1.0, name=f"hook {side}")
        system.add(bough.String(bar.tx(0.3 * side, name=f"eye {side}"), hook, 1.2, name=f"string {side}"))
    bar.tx(0.3).ry("arm").tz(-0.4, name="hand", mass=0.3)
    system.world.ty(1.0).tz("slider", name="slider", mass=0.5)
    system.add(bough.JointLimit("slider", lower=0.001, name="stop"))
    model = system.build()
    start = {"z": 1.0 - np.sqrt(1.2**2 - 0.2**2), "arm": 0.3}

    def swing(time: float, gap: float) -> bough.Trajectory:
        v = {"arm": 2.0, "slider": 0.5 * G * time}
        return bough.simulate(model, q=start | {"slider": 0.001 + gap}, v=v, duration=0.1, dt=0.01)

    alone = swing(0.0, 0.0)
    for decade, gap in itertools.product(range(4, 13), (0.0, 1e-16)):
        run = swing(10.0**-decade, gap)
        assert len(run.impacts) <= 2
        assert run.q[:, :4] == pytest.approx(alone.q[:, :4], abs=2e-3 * max(10.0**-decade, 1e-8) + 1e-14)
        assert run.gaps().min() > -1e-14


def test_each_box_of_a_stack_lands_once() -> None:
    """Box k lands after sqrt(2 k d / g) with all that are above it, and loses k m g d; then nothing is hit any more."""
    n, apart = 5, 0.02
    run = bough.simulate(gallery.stack(n=n, apart=apart).build(), duration=2.0, dt=0.004)
    k = np.arange(1, n + 1)
    assert [impact.t for impact in run.impacts] == pytest.approx(np.sqrt(2.0 * k * apart / G), rel=1e-12)
    assert [impact.energy_lost for impact in run.impacts] == pytest.approx(k * G * apart, rel=1e-12)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8])
def test_a_body_at_rest_is_not_hit(restitution: float) -> None:
    system = bough.System("box")
    body = system.world.tx("x").tz("z").ry("tilt", name="box", mass=1.0, inertia=(0.01, 0.01, 0.01))
    system.add(
        bough.Contact(
            body, bough.Box((0.2, 0.3, 0.1)), against="world", friction=0.5, restitution=restitution
        )
    )
    model = system.build()
    run = bough.simulate(model, q={"z": 0.4, "tilt": 0.3}, v={"x": 0.5}, duration=10.0, dt=0.01)
    assert 0 < len(run.impacts) < 100
    assert run.impacts[-1].t < 5.0
    assert bough.simulate(model, q={"z": 0.05}, duration=10.0, dt=0.01).impacts == ()
