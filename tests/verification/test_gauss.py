"""order=4, 6, 8: order of q, v and lam, constraints, momentum, energy, elements of every kind, bad input."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough import gallery
from bough.description.element import Element
from bough.errors import BoughWarning, ModelError
from support.finite_difference import slope
from support.higher_order import CASES, Case
from support.motions import FURTHER, MOTIONS, Motion
from support.random_systems import random_system
from support.transforms import Array

ORDERS = (4, 6, 8)
DURATION, PARTS = 2.0, 8  # errors are the largest at nine instants

# Steps in a part with errors from 5e-4 down to 4e-12, as far as the next power of dt is small.
STEPS = {
    4: {
        "pendulum_of_five": (4, 8, 16, 32, 64, 128, 256),
        "slider_crank": (6, 12, 24, 48, 96, 192),
        "four_bar": (6, 12, 24, 48, 96, 192),
        "driven_arm": (12, 24, 48, 96, 192),
        "moving_constraint": (6, 12, 24, 48, 96),
    },
    6: {
        "pendulum_of_five": (8, 12, 16, 24, 32),
        "slider_crank": (8, 12, 16),
        "four_bar": (2, 3, 4, 6, 8, 12),
        "driven_arm": (8, 12, 16, 24, 32),
        "moving_constraint": (2, 3, 4, 6, 8),
    },
    8: {
        "pendulum_of_five": (8, 9, 10),
        "slider_crank": (4, 6, 8),
        "four_bar": (2, 3, 4),
        "driven_arm": (9, 10, 12),
        "moving_constraint": (2, 3, 4),
    },
}


@cache
def case(name: str) -> Case:
    return CASES[name]()


def run_of(name: str, order: int, steps: int) -> bough.Trajectory:
    """Nine instants of a run with so many steps in each part."""
    it = case(name)
    dt = DURATION / PARTS / steps
    return bough.simulate(it.model, **it.start, duration=DURATION, dt=dt, every=steps, order=order)


@cache
def fine(name: str) -> bough.Trajectory:
    return run_of(name, 8, 64)


@pytest.mark.parametrize("name", CASES)
def test_limit_is_the_continuous_motion(name: str) -> None:
    """Against DOP853 on the accelerations, which keeps some 1e-13 itself."""
    truth = case(name).truth(np.linspace(0.0, DURATION, PARTS + 1))
    np.testing.assert_allclose(fine(name).q, truth, rtol=0, atol=3e-13)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", CASES)
def test_order(name: str, order: int) -> None:
    counts = np.array(STEPS[order][name])
    runs, exact = [run_of(name, order, n) for n in counts], fine(name)
    for what in ("q", "lam") if exact.model.nc else ("q", "v"):
        errors = np.array([np.abs(getattr(run, what) - getattr(exact, what)).max() for run in runs])
        slopes = np.log(errors[:-1] / errors[1:]) / np.log(counts[1:] / counts[:-1])
        allowed = 0.1 if what == "q" else 0.2
        assert np.abs(slopes - order).max() < allowed, f"{what}: errors {errors}, slopes {slopes}"
    for run in runs:
        h, scale = run.constraint_error(), run.model.constraint_scale(run.q, run.t)
        assert (np.abs(h) <= 1e-14 * scale).all()


@pytest.mark.parametrize("name", CASES)
def test_order_8_reaches_round_off(name: str) -> None:
    steps = 24 if name == "driven_arm" else 16  # its cart is driven by a sine of 2 rad/s
    assert np.abs(run_of(name, 8, steps).q - fine(name).q).max() < 1e-13


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("make", MOTIONS + FURTHER, ids=lambda make: make.__name__)
def test_elements_of_every_kind(make: Callable[[], Motion], order: int) -> None:
    motion = make()
    model, driven = motion.system.build(), {"u": motion.u, "k": motion.k, "duration": 0.2}
    settings = {"rtol": 1e-12, "atol": 1e-13, "stabilization": "projection" if model.nc else None}
    truth = bough.simulate(
        model, motion.q, motion.v, dt=0.001, every=50, integrator="dop853", **settings, **driven
    )
    run = bough.simulate(model, motion.q, motion.v, dt=0.0025, every=20, order=order, **driven)
    # DOP853 takes prescribed motion from a spline through instants 1 ms apart
    atol = {4: 1e-9, 6: 3e-11, 8: 3e-11}[order]  # dt^4 leaves 5e-10 in the motion of the beam
    np.testing.assert_allclose(run.q, truth.q, rtol=0, atol=atol)
    assert run.statistics["halvings"] == 0


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(3))
def test_random_systems(seed: int, order: int) -> None:
    """Springs, damping, inputs, shared and prescribed variables, loops: with half the step, less by 2^order."""
    moving = random_system(40 + seed, 7, constraints=2, driven_length=True)
    runs = [
        bough.simulate(moving.model, **moving.start, duration=0.2, dt=0.2 / n, every=n, order=order)
        for n in (5, 10, 80)
    ]
    first, second = (np.abs(run.q[-1] - runs[-1].q[-1]).max() for run in runs[:2])
    assert second < 1e-12 or first / second > 0.8 * 2**order


def chain() -> tuple[bough.Model, Array, Array]:
    """Free in a plane, with springs in its joints, and turning slowly."""
    system = bough.System("chain", gravity=(0, 0, 0))
    link = system.world.tx("x").tz("z").ry("a0")
    link.tz(-0.5, mass=1.0, inertia=(0.1, 0.1, 0.1))
    for name in ("a1", "a2", "a3"):
        link = link.tz(-1.0).ry(name)
        link.tz(-0.5, mass=1.0, inertia=(0.1, 0.1, 0.1))
        system.add(bough.ConfigurationSpring(name, 4.0))
    model, q = system.build(), np.array([0, 0, 0.2, 0.5, -0.4, 0.6])
    p = model.momentum(q, np.array([0, 0, 0.01, 0.3, -0.8, 0.4]))
    p[:3] = 0.0, 0.0, 0.05
    return model, q, p


def conservation(order: int, steps: int) -> None:
    model, q, p = chain()
    run = bough.simulate(model, q, p=p, duration=0.01 * steps, dt=0.01, order=order, every=steps // 1000)
    momentum = run.p[:, 2] + run.q[:, 1] * run.p[:, 0] - run.q[:, 0] * run.p[:, 1]
    assert np.abs(momentum - momentum[0]).max() < 1e-13
    assert np.abs(run.p[:, :2]).max() == 0.0
    energy = run.energy() - run.energy()[0]
    (slope, _), covariance = np.polyfit(run.t, energy, 1, cov=True)
    assert abs(slope) < 3.0 * np.sqrt(covariance[0, 0])


@pytest.mark.parametrize("order", ORDERS)
def test_momentum_and_energy(order: int) -> None:
    conservation(order, 20_000)


@pytest.mark.verify
@pytest.mark.parametrize("order", ORDERS)
def test_momentum_and_energy_of_long_runs(order: int) -> None:
    conservation(order, 100_000)


@pytest.mark.parametrize("order", ORDERS)
def test_symplectic(order: int) -> None:
    """The Jacobian of the step map leaves the canonical form as it is."""
    system = bough.System("double pendulum")
    system.world.ry("a").tz(-1.0, mass=1.0).ry("b").tz(-1.0, mass=1.0)
    vi = bough.MidpointVI(system.build(), 0.1, order=order)
    J = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])

    def step(z: Array) -> Array:
        state = vi.step(vi.start(q=z[:2], p=z[2:]))
        return np.concatenate([state.q, state.p])

    z, h = np.array([0.4, -0.7, 0.8, 0.3]), 1e-3
    D = np.column_stack([slope(lambda s, e=e: step(z + s * e), h) for e in np.eye(4)])
    assert np.max(np.abs(D.T @ J @ D - J)) < 1e-9


@pytest.mark.parametrize(("theta", "bound"), [(np.pi / 2 - 0.2, 1e-6), (0.6, 1e-4)])
def test_scissor_lift(theta: float, bound: float) -> None:
    """Through the configuration where all loops lose rank, on the exact motion ([JM09] Fig. 11)."""
    run = bough.simulate(gallery.scissor_lift(5, theta=theta).build(), duration=10.0, dt=0.01, order=4)
    assert np.max(np.abs(run["theta"] - gallery.scissor_lift_angle(run.t, 5, theta=theta))) < bound
    assert (np.abs(run.constraint_error()) <= 2e-14 * run.model.constraint_scale(run.q)).all()


@pytest.mark.parametrize("order", ORDERS)
def test_constraint_forces_are_those_of_the_motion(order: int) -> None:
    """A bob on a wire of length 1: the wire carries m (v^2 - g z)."""
    system = bough.System("wire")
    bob = system.world.tx("x").tz("z", name="bob", mass=2.0)
    system.add(bough.DistanceConstraint(bob, system.world.frame("hook"), 1.0))
    start = {"x": np.sin(0.9), "z": -np.cos(0.9)}
    run = bough.simulate(system.build(), start, duration=2.0, dt=0.01, order=order)
    tension = 2.0 * (np.sum(run.v**2, axis=1) - 9.81 * run["z"])
    np.testing.assert_allclose(run.lam[:, 0], -tension, rtol=0, atol=1e-12 * tension.max())


@pytest.mark.parametrize("order", ORDERS)
def test_stiff_springs_take_newtons_method(order: int) -> None:
    """A spring of 300 rad/s in steps of 0.02 s: (GL7) does not contract; the slow motion is that of no spring."""

    def run(stiffness: float | None) -> bough.Trajectory:
        system = bough.System("stiff")
        arm = system.world.ry("a").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
        if stiffness is not None:
            arm = arm.tz("z")
            system.add(bough.ConfigurationSpring("z", stiffness))
        arm.tz(-0.5, mass=1.0)
        return bough.simulate(system.build(), {"a": 0.5}, duration=1.0, dt=0.02, order=order)

    stiff, rigid = run(1e5), run(None)
    assert stiff.statistics["halvings"] == 0
    assert np.abs(stiff["a"] - rigid["a"]).max() < 1e-3


def test_held_inputs_and_feedback() -> None:
    """Arrays and feedback hold for a step; a function that is constant there gives the same."""
    it = case("driven_arm")
    start = {**it.start, "duration": 1.0, "dt": 0.05, "order": 6}
    times = 0.05 * np.arange(20)
    table = bough.simulate(it.model, **{**start, "u": np.sin(times)[:, None]})
    feedback = bough.simulate(it.model, **{**start, "u": lambda t, state: [np.sin(t)]})
    stairs = bough.simulate(
        it.model, **{**start, "u": {"torque": lambda t: np.sin(0.05 * np.floor(t / 0.05 + 1e-9))}}
    )
    np.testing.assert_allclose(feedback.q, table.q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(stairs.q, table.q, rtol=0, atol=1e-13)


def test_functions_in_single_steps() -> None:
    it = case("driven_arm")
    run = bough.simulate(it.model, **it.start, duration=0.5, dt=0.05, order=8)
    vi = bough.MidpointVI(it.model, 0.05, order=8)
    state = vi.start(run.q[0], p=run.p[0])
    for _ in range(10):
        state = vi.step(state, u=it.u, k=lambda t: it.k(t)[0])
    np.testing.assert_allclose(state.q, run.q[-1], rtol=0, atol=1e-13)
    np.testing.assert_allclose(state.p, run.p[-1], rtol=0, atol=1e-13)


def test_rerun_and_files(tmp_path: Path) -> None:
    it = case("driven_arm")
    run = bough.simulate(it.model, **it.start, duration=0.5, dt=0.03, order=6, every=2)
    assert run.rerun() == run
    again = bough.load_trajectory(run.save(tmp_path / "run.npz"))
    assert again == run
    assert again.rerun() == run
    assert run.u[-1, 0] == pytest.approx(2.0 * np.sin(3.0 * 0.5))


def test_a_state_holds_all_that_the_next_step_needs() -> None:
    it = case("four_bar")
    vi = bough.MidpointVI(it.model, 0.02, order=6)
    run = bough.simulate(it.model, **it.start, duration=0.4, dt=0.02, order=6)
    state = vi.start(it.start["q"])
    for _ in range(20):
        state = vi.step(state)
    assert np.array_equal(state.q, run.q[-1])
    np.testing.assert_allclose(state.lam, run.lam[-1], rtol=1e-12)


def test_arrays_of_kinematic_values_are_of_second_order() -> None:
    it = case("driven_arm")
    times = 0.1 * np.arange(11)
    with pytest.warns(BoughWarning, match="is an array, and linear between the instants"):
        bough.simulate(
            it.model, it.start["q"], k={"cart": 0.3 * np.sin(2.0 * times)}, duration=1.0, dt=0.1, order=4
        )


@pytest.mark.parametrize(
    ("settings", "found", "do"),
    [
        ({"order": 3}, "order 3 is not available", "give order=2, 4, 6 or 8"),
        ({"order": 5}, "order 5 is not available", "give order=2, 4, 6 or 8"),
        ({"order": 10}, "order 10 is not available", "give order=2, 4, 6 or 8"),
        ({"order": "4"}, "order '4' is not available", "give order=2, 4, 6 or 8"),
        ({"order": True}, "order True is not available", "give order=2, 4, 6 or 8"),
        (
            {"order": 6, "alpha": 0.4},
            "a rule that is not symmetric, of first order, of which no higher order is made",
            "leave alpha at 0.5, which has order 6, or order at 2",
        ),
        ({"order": 10, "integrator": "trapezoidal"}, "order 10 is not available", "give order=2, 4, 6 or 8"),
        (
            {"order": 4, "integrator": "reduced", "alpha": 0.4},
            "a rule that is not symmetric, of first order, of which no higher order is made",
            "leave alpha at 0.5, which has order 4, or order at 2",
        ),
        ({"order": 6, "dt": -0.1}, "dt is negative", "dt"),
    ],
)
def test_bad_input(settings: dict[str, Any], found: str, do: str) -> None:
    with pytest.raises(ModelError) as caught:
        bough.simulate(case("pendulum_of_five").model, **{"duration": 1.0, "dt": 0.1, **settings})
    assert caught.value.found.startswith(found)
    assert do in caught.value.do
    assert caught.value.asked


def test_a_variable_that_moves_no_mass() -> None:
    system = bough.System("massless")
    system.world.ry("a").tz(-1.0, mass=1.0).ry("idle")
    with pytest.raises(ModelError, match="idle"):
        bough.simulate(system.build(), {"a": 0.3}, duration=1.0, dt=0.1, order=6)


def test_two_configurations_are_no_start() -> None:
    vi = bough.MidpointVI(case("pendulum_of_five").model, 0.1, order=6)
    with pytest.raises(ModelError, match="two configurations tell the momenta to second order only"):
        vi.start_from_configurations(np.zeros(5), np.zeros(5))


def test_no_kind_of_element_is_left_out() -> None:
    def kinds(of: type) -> set[type]:
        return (
            {of} if not of.__subclasses__() else set().union(*(kinds(kind) for kind in of.__subclasses__()))
        )

    known = {kind for kind in kinds(Element) if kind.__module__.startswith("bough.")}
    used = {type(e) for make in (*MOTIONS, *FURTHER) for e in make().system.build()._elements}
    used |= {bough.PointConstraint, bough.Gravity}  # of the loops above; that of a system itself
    refused = {bough.Rolling, bough.Skate} | kinds(bough.UnilateralConstraint)  # by name: tests/errors
    assert known - used - refused == set()
