"""Velocities that are given by name: they are kept, the others follow, and what cannot be kept is told."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import bough

GUESS = {"crank": 0.3, "coupler": -0.6, "rocker": -1.6}


def four_bar(**start: Any) -> bough.Model:
    system = bough.System("four-bar")
    crank = system.world.ry("crank").tx(0.3, mass=0.2)
    coupler = crank.ry("coupler").tx(1.0, name="coupler end", mass=0.5)
    rocker = system.world.tx(1.0).ry("rocker").tx(0.7, name="rocker end", mass=0.4)
    system.add(bough.PointConstraint(coupler, rocker, axes=((1, 0, 0), (0, 0, 1)), name="pin"))
    if start:
        system.start = bough.Start(**start)
    return system.build()


def two_loops() -> bough.Model:
    """The four-bar with a pendulum on its coupler: two degrees of freedom."""
    system = bough.System("two freedoms")
    crank = system.world.ry("crank").tx(0.3, mass=0.2)
    coupler = crank.ry("coupler").tx(1.0, name="coupler end", mass=0.5)
    rocker = system.world.tx(1.0).ry("rocker").tx(0.7, name="rocker end", mass=0.4)
    coupler.ry("bob").tz(-0.2, mass=0.3)
    system.add(bough.PointConstraint(coupler, rocker, axes=((1, 0, 0), (0, 0, 1)), name="pin"))
    return system.build()


def by_ratio(model: bough.Model, q: Any, name: str, rate: float) -> Any:
    """The velocities of a loop of one degree of freedom, from the null space of its constraints."""
    null = np.linalg.svd(model.constraint_dq(q))[2][-1]
    return null * rate / null[model.index(name)]


@pytest.mark.parametrize("name", GUESS)
@pytest.mark.parametrize("assemble", [False, True])
def test_one_named_velocity_of_a_loop_gives_all(name: str, assemble: bool) -> None:
    """The projection of a crank that turns alone would make it turn the other way."""
    model = four_bar()
    start = model.assemble(GUESS, hold=("crank",))
    problem = bough.Problem(model, q=start.q, v={name: 8.0}, duration=0.01, dt=0.01, assemble=assemble)
    assert problem.v[model.index(name)] == 8.0
    np.testing.assert_allclose(problem.v, by_ratio(model, start.q, name, 8.0), rtol=1e-12)
    np.testing.assert_allclose(problem.run().v[0], problem.v, rtol=1e-13)  # by its momenta
    begin = bough.MidpointVI(model, 0.01).start(start.q, {name: 8.0})
    assert (begin.v == problem.v).all()


def test_the_velocity_of_the_start_of_a_system_is_kept() -> None:
    q = dict(zip(GUESS, four_bar().assemble(GUESS, hold=("crank",)).q.tolist(), strict=True))
    model = four_bar(q=q, v={"crank": 8.0})
    run = bough.simulate(model, duration=0.01, dt=0.01)
    np.testing.assert_allclose(run.v[0], by_ratio(model, run.q[0], "crank", 8.0), rtol=1e-12)
    assert (bough.MidpointVI(model, 0.01).start().v == bough.Problem(model, duration=0.01).v).all()
    run = bough.simulate(model, v={"rocker": 1.0}, duration=0.01, dt=0.01)  # which goes before
    np.testing.assert_allclose(run.v[0], by_ratio(model, run.q[0], "rocker", 1.0), rtol=1e-12)


def test_velocities_that_do_not_fit_are_told() -> None:
    """The first is kept."""
    model = four_bar()
    start = model.assemble(GUESS, hold=("crank",))
    fitting = by_ratio(model, start.q, "crank", 8.0)
    rocker = fitting[model.index("rocker")]
    with pytest.warns(bough.BoughWarning) as told:
        run = bough.simulate(model, q=start.q, v={"crank": 8.0, "rocker": 3.0}, duration=0.01, dt=0.01)
    assert str(told[0].message) == (
        f"v of a simulation of model 'four-bar', by name: the constraints turn the velocity 3 of 'rocker' into"
        f" {rocker:.6g}, which follows from 'crank'; name fewer velocities: those left out follow;"
        " v=model.assemble(q, v).v takes the nearest to all of them, as after an impact"
    )
    np.testing.assert_allclose(run.v[0], fitting, rtol=1e-12)
    with pytest.warns(bough.BoughWarning, match="velocity 0 of 'rocker' into"):
        bough.MidpointVI(model, 0.01).start(start.q, {"crank": 8.0, "rocker": 0.0})


def test_others_move_by_the_metric_of_kinetic_energy() -> None:
    """With two degrees of freedom, a named velocity leaves one open: the one nearest to what was given."""
    model = two_loops()
    q = model.assemble(GUESS, hold=("crank",)).q
    v = bough.Problem(model, q, {"crank": 8.0}, duration=0.0).v
    assert v[model.index("crank")] == 8.0
    M, null = model.mass_matrix(q), np.linalg.svd(model.constraint_dq(q))[2][2:]
    still = null[1] * null[0, 0] - null[0] * null[1, 0]  # a motion in which the crank stands
    change = v - [8.0, 0.0, 0.0, 0.0]
    assert abs(still @ M @ change) < 1e-12 * np.abs(M @ change).max()
    both = bough.Problem(model, q, {"crank": 8.0, "bob": -1.0}, duration=0.0).v
    assert (both[0], both[model.index("bob")]) == (8.0, -1.0)


def test_what_fits_is_not_told() -> None:
    """Nor are velocities written to four digits, those of a whole state, and those of a tree."""
    model = four_bar()
    start = model.assemble(GUESS, v={"crank": 8.0}, hold=("crank",))
    fitting = dict(zip(model.variables, start.v.tolist(), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = bough.simulate(model, q=start, duration=0.01, dt=0.01)
        named = bough.simulate(model, q=start.q, v=fitting, duration=0.01, dt=0.01)
        written = {name: float(f"{rate:.4g}") for name, rate in fitting.items()}
        typed = bough.simulate(model, q=start.q, v=written, duration=0.01, dt=0.01)
    assert run.v[0, 0] == pytest.approx(8.0, rel=1e-14)  # the projection on the loop rounds
    np.testing.assert_allclose(named.v[0], start.v, rtol=1e-12)
    np.testing.assert_allclose(typed.v[0], start.v, rtol=1e-12)  # the first name decides


def test_velocities_by_name_change_those_of_a_state() -> None:
    """In a simulation as in a study; the others are its own, as near as they fit."""
    model = two_loops()
    state = model.assemble(GUESS, {"crank": 2.0, "bob": 5.0}, hold=("crank", "bob"))
    run = bough.simulate(model, state, {"crank": 4.0}, duration=0.1, dt=0.01)
    assert run.v[0, 0] == pytest.approx(4.0, rel=1e-13)
    study = bough.ensemble(bough.Problem(model, state, duration=0.1, dt=0.01), {"v.crank": [4.0]})
    assert (study.q[0] == run.q).all()
    begin = bough.MidpointVI(model, 0.01).start(state.q, {"crank": 4.0})
    assert run.v[0, model.index("bob")] > begin.v[model.index("bob")]  # that of the state is not forgotten
    p = bough.simulate(model, state, p={"bob": 0.5}, duration=0.1, dt=0.01)
    expected = dict(zip(model.dynamic, model.momentum(state.q, state.v), strict=True)) | {"bob": 0.5}
    assert p == bough.simulate(model, state.q, p=expected, duration=0.1, dt=0.01)
    later = bough.State(3.0, state.q, state.v)
    again = bough.simulate(model, later, later.v, duration=0.1, dt=0.01)  # an array replaces them
    assert again.t[0] == 3.0
    np.testing.assert_allclose(again.v[0], state.v, rtol=0, atol=1e-13)
