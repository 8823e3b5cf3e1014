"""The three ways to start agree: configuration and velocity, or momentum, or two configurations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from support.random_systems import Moving, random_system

SYSTEMS: dict[str, dict[str, Any]] = {
    "tree": {"kinematic": False},
    "kinematic variables": {},
    "constraints": {"constraints": 3, "driven_length": True},
}
METHODS = pytest.mark.parametrize("method", [bough.MidpointVI, bough.TrapezoidalVI])


def continued(vi: Any, moving: Moving, state: bough.State, first: int, last: int) -> bough.State:
    for n in range(first, last):
        state = vi.step(state, u=moving.u, k=moving.k(vi.dt * (n + 1)))
    return state


@METHODS
@pytest.mark.parametrize("kind", SYSTEMS)
def test_momenta_and_velocities(kind: str, method: Any) -> None:
    moving = random_system(1, 7, **SYSTEMS[kind])
    model, vi = moving.model, method(moving.model, 0.005)
    by_v = vi.start(moving.q, moving.v)
    assert np.allclose(model.constraint_dq(by_v.q) @ by_v.v, 0.0, atol=1e-13)
    by_p = vi.start(moving.q, p=by_v.p)
    np.testing.assert_array_equal(by_p.p, by_v.p)
    a, b = (continued(vi, moving, state, 0, 40) for state in (by_v, by_p))
    # the momenta are the same; only the first guess, which knows the velocities, is not
    np.testing.assert_allclose(b.q, a.q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(b.p, a.p, rtol=0, atol=1e-9)


@METHODS
@pytest.mark.parametrize("kind", SYSTEMS)
def test_two_configurations(kind: str, method: Any) -> None:
    moving = random_system(1, 7, **SYSTEMS[kind])
    vi = method(moving.model, 0.005)
    begin = vi.start(moving.q, moving.v)
    first = continued(vi, moving, begin, 0, 1)
    again = vi.start_from_configurations(begin.q, first.q, u=moving.u)
    assert again.t == first.t
    np.testing.assert_array_equal(again.q, first.q)
    # p1 = D2 Ld(q0, q1) + fd+: equal up to what the solver left of its equations, 1e-12 of the momenta
    size = np.max(np.abs(first.p))
    np.testing.assert_allclose(again.p, first.p, rtol=0, atol=1e-11 * size)
    a, b = (continued(vi, moving, state, 1, 40) for state in (first, again))
    np.testing.assert_allclose(b.q, a.q, rtol=0, atol=1e-10)


@METHODS
@pytest.mark.parametrize("kind", SYSTEMS)
def test_simulate_and_steps_by_hand(kind: str, method: Any) -> None:
    moving = random_system(1, 7, **SYSTEMS[kind])
    vi = method(moving.model, 0.005)
    run = bough.simulate(moving.model, **moving.start, duration=0.2, integrator=vi)
    state = continued(vi, moving, vi.start(moving.q, moving.v), 0, 40)
    np.testing.assert_allclose(state.q, run.q[-1], rtol=0, atol=1e-12)
    middle = run.state(20)
    rest = bough.simulate(
        moving.model,
        middle,
        duration=0.1,
        integrator=vi,
        u=moving.u,
        **({"k": lambda t: moving.k(np.asarray(t))} if moving.model.nk else {}),
    )
    np.testing.assert_allclose(rest.q[-1], run.q[-1], rtol=0, atol=1e-10)
    assert rest.t[-1] == pytest.approx(0.2)


def test_velocities_off_the_constraints_are_projected() -> None:
    """The nearest velocity by the metric of kinetic energy: no other one that is allowed is nearer."""
    moving = random_system(1, 7, constraints=3)
    model, nd = moving.model, moving.model.nd
    rng = np.random.default_rng(2)
    v = np.concatenate([rng.normal(size=nd), np.zeros(model.nk)])
    state = bough.MidpointVI(model, 0.01).start(moving.q, v)
    M, Dh = model.mass_matrix(moving.q)[:nd, :nd], model.constraint_dq(moving.q)[:, :nd]
    null = np.linalg.svd(Dh)[2][len(Dh) :].T
    best = null @ np.linalg.solve(null.T @ M @ null, null.T @ M @ v[:nd])
    np.testing.assert_allclose(state.v[:nd], best, rtol=0, atol=1e-12)


def test_start_that_no_configuration_can_meet() -> None:
    """A rod longer than the mechanism reaches: said by name and amount, before anything moves."""
    system = bough.System("reach")
    system.world.ry("a").tz(-1.0).ry("b").tz(-1.0, name="tip", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.world.tx(3.0, name="far")
    system.add(bough.DistanceConstraint("tip", "far", length=0.5, name="rod"))
    model = system.build()
    for begin in (lambda: bough.simulate(model, duration=1.0), lambda: bough.MidpointVI(model, 0.01).start()):
        with pytest.raises(bough.ModelError) as caught:
            begin()
        assert "rod" in caught.value.found
        assert "assemble" in caught.value.do
    with pytest.raises(bough.BoughError) as caught:
        bough.simulate(model, duration=1.0, assemble=True)
    assert "rod" in str(caught.value)
