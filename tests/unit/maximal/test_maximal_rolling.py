"""Rolling and skates in maximal coordinates, and starts that obey them."""

from __future__ import annotations

import numpy as np
import pytest

import bough

I = (0.1, 0.12, 0.15)
G = 9.81


def test_a_ball_rolls_down_a_slope() -> None:
    """A solid ball on a slope accelerates by 5/7 g sin(slope)."""
    slope = 0.3
    system = bough.System("slope", gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    system.world.tz(0.2).free("b", name="ball", mass=3.0, inertia=3.0 * 0.4 * 0.04 * np.ones(3))
    run = bough.simulate(
        system.build(),
        duration=1.0,
        dt=0.01,
        integrator="velocity",
        contacts=bough.Rolling("ball", radius=0.2),
    )
    assert np.abs(run.v[:, 0] - 5.0 / 7.0 * G * np.sin(slope) * run.t).max() < 1e-11
    assert np.abs(run.q[:, 2]).max() < 1e-12
    assert run.bodies is not None
    spin = run.v[-1, 0] / 0.2
    assert abs(abs(run.v[-1, 4]) - spin) < 1e-9


def test_a_wheel_rolls() -> None:
    """A disc that rolls upright: v = omega r, with a push at its axle a = F / (m + I / r^2)."""
    system = bough.System("wheel")
    wheel = system.world.tz(0.5).tx("x").ry("spin", name="wheel", mass=2.0, inertia=(0.13, 0.25, 0.13))
    system.add(bough.SpatialWrench(wheel, fx=4.0))
    run = bough.simulate(
        system.build(),
        duration=1.0,
        dt=0.01,
        integrator="velocity",
        contacts=[bough.Rolling(wheel, radius=0.5, axis=(0, 1, 0), name="road")],
    )
    assert np.abs(run.v[1:, 0] - 0.5 * run.v[1:, 1]).max() < 1e-12


def test_a_skate_goes_round_in_a_circle() -> None:
    """A blade under the centre of mass of a body that turns: constant speed along the blade, and a circle."""
    system = bough.System("skater", gravity=(0, 0, 0))
    system.world.tx("x").ty("y").rz("turn", name="blade", mass=1.0, inertia=I)
    model = system.build()
    errors = []
    for dt in (0.01, 0.005):
        run = bough.simulate(
            model,
            v={"x": 2.0, "turn": 1.0},
            duration=3.0,
            dt=dt,
            integrator="velocity",
            contacts=[bough.Skate("blade", across=(0, 1, 0))],
        )
        circle = 2.0 * np.stack([np.sin(run.t), 1.0 - np.cos(run.t)], axis=-1)
        errors.append(np.abs(run.q[:, :2] - circle).max())
        speed = np.linalg.norm(run.v[1:, :2], axis=1)
        assert np.abs(speed - 2.0).max() < 4.0 * dt
    assert errors[0] < 0.1
    assert 1.8 < errors[0] / errors[1] < 2.2


def test_a_start_is_made_to_roll() -> None:
    system = bough.System("ball", gravity=(0, 0, 0))
    system.world.free("b", name="ball", mass=1.0, inertia=(0.4, 0.4, 0.4))
    engine = bough.MaximalEngine(system.build(), dt=0.01, contacts=[bough.Rolling("ball", 1.0, height=-1.0)])
    state = engine.start(v={"b_tx": 1.0})
    # the impulse of the ground makes v = omega r of m v r = (I + m r^2) omega
    assert abs(state.v[0] - 1.0 / 1.4) < 1e-12
    assert abs(state.v[4] - 1.0 / 1.4) < 1e-9


def test_a_run_starts_with_velocities_that_roll_and_can_be_repeated() -> None:
    """The road leaves a disc two thirds of its speed: m v r = (I + m r^2) omega, I = m r^2 / 2."""
    system = bough.System("disc")
    system.world.tz(0.5).tx("x").ry("spin", name="wheel", mass=2.0, inertia=(0.13, 0.25, 0.13))
    road = bough.Rolling("wheel", radius=0.5, axis=(0, 1, 0))
    run = bough.simulate(
        system.build(), v={"x": 1.0}, duration=0.1, dt=0.01, integrator="velocity", contacts=road
    )
    assert np.abs(run.v - (2.0 / 3.0, 4.0 / 3.0)).max() < 1e-12
    assert run.rerun() == run


@pytest.mark.parametrize("heading", [0.3, 0.9, 1.8, 2.4, 5.1])
def test_a_run_that_starts_sideways_can_be_repeated(heading: float) -> None:
    """The blade takes all of the velocity: round-off is left, which slips as much as it glides."""
    system = bough.System("skater", gravity=(0, 0, 0))
    system.world.tx("x").ty("y").rz("turn", name="blade", mass=1.0, inertia=I)
    run = bough.simulate(
        system.build(),
        q={"turn": heading},
        v={"x": -np.sin(heading), "y": np.cos(heading)},
        duration=0.1,
        dt=0.01,
        integrator="velocity",
        contacts=[bough.Skate("blade", across=(0, 1, 0))],
    )
    assert np.abs(run.v).max() < 1e-15
    assert run.rerun() == run


@pytest.mark.parametrize("how", ["disable", "break_above"])
def test_an_engine_starts_in_the_air_while_its_contact_is_off(how: str) -> None:
    system = bough.System("ball")
    system.world.free("b", name="ball", mass=1.0, inertia=(0.4, 0.4, 0.4))
    engine = bough.MaximalEngine(system.build(), dt=0.01, contacts=[bough.Rolling("ball", 1.0, name="floor")])
    if how == "disable":
        engine.disable("floor")
    else:
        engine.break_above("floor", 1.0)  # it carries 9.81 N
        engine.start(q={"b_tz": 1.0})
        engine.step()
        assert engine.events == ((0.01, "floor"),)
    state = engine.start(q={"b_tz": 5.0}, v={"b_tx": 1.0})
    assert np.array_equal(state.v, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert abs(engine.step().v[2] + 0.01 * G) < 1e-12  # velocities are recovered from places at 5 m
