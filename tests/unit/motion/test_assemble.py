"""`model.assemble` and `model.mobility`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import bough
from bough.gallery import marionette
from bough.motion.assemble import Space
from support.mechanisms import closed_chain


def arm(height: float | None = -1.0) -> bough.Model:
    """Two links of 1 m whose tip is pinned at a height below the shoulder."""
    system = bough.System("arm")
    elbow = system.world.ry("a").tz(-1.0, mass=1.0)
    elbow.ry("b").tz(-1.0, name="tip", mass=1.0)
    pin = system.world.tz(height, name="pin")
    for name, axis in (("x", (1, 0, 0)), ("z", (0, 0, 1))):
        system.add(bough.PointConstraint("tip", pin, axis=axis, name=name))
    return system.build()


def slider() -> bough.Model:
    """A crank and a rod; the slider runs along x through the origin, where all terms of h are zero."""
    system = bough.System("crank-slider")
    crank = system.world.ry("crank").tx(1.0, mass=1.0)
    crank.ry("rod").tx(2.0, name="slider", mass=1.0)
    system.add(bough.PointConstraint("slider", "world", axis=(0, 0, 1), name="rail"))
    return system.build()


def chain(links: int, span: float) -> bough.Model:
    """A chain hanging between two hooks."""
    system = bough.System("chain")
    frame = system.world
    for n in range(links):
        frame = frame.ry(f"q{n}").tx(1.0, name=f"m{n}", mass=1.0)
    hook = system.world.tx(span, name="hook")
    for axis in ((1, 0, 0), (0, 0, 1)):
        system.add(bough.PointConstraint(frame, hook, axis=axis))
    return system.build()


def winch() -> bough.Model:
    system = bough.System("winch")
    system.world.tx("x").tz("z", name="load", mass=2.0)
    system.add(bough.DistanceConstraint("load", "world", bough.kinematic("wire"), name="rope"))
    return system.build()


def distance(model: bough.Model, guess: object, q: np.ndarray) -> float:
    """From the guess, by the metric of kinetic energy there."""
    change = q - model.configuration(guess)
    return float(np.sqrt(change @ model.mass_matrix(guess) @ change))


def met(model: bough.Model, state: bough.State, tolerance: float = 1e-15) -> bool:
    """Constraints and their rates hold to round-off."""
    rates = model.constraint_dq(state.q) @ state.v
    size = 1.0 + np.abs(model.constraint_dq(state.q)).sum()
    assert np.abs(model.constraint(state.q)).max(initial=0.0) <= tolerance * size
    assert np.abs(rates).max(initial=0.0) <= tolerance * size * (1.0 + np.abs(state.v).max())
    return True


# --- configurations ---


@pytest.mark.parametrize("hold", [(), ("J",), ("J", "K"), "A"])
@pytest.mark.parametrize("guess", [{}, {"J": 0.3}, {"J": 1e-9}, {"J": 2.0}, {"K": 0.4, "A": -0.4, "C": 1.0}])
def test_closed_chain_of_the_paper(guess: dict[str, float], hold: tuple[str, ...]):
    model = closed_chain()
    state = model.assemble(guess, v={"J": 1.0}, hold=hold)
    assert met(model, state)
    assert model.mobility(state.q) == 3
    for name in (hold,) if isinstance(hold, str) else hold:
        assert state.q[model.index(name)] == guess.get(name, 0.0)
        assert state.v[model.index(name)] == (1.0 if name == "J" else 0.0)


def test_what_is_met_stays_as_it_is():
    model = closed_chain()
    state = model.assemble({"J": 0.3}, v={"H": 0.5})
    again = model.assemble(state.q, v=state.v)
    assert np.array_equal(again.q, state.q)
    assert np.allclose(again.v, state.v, rtol=0, atol=1e-14)


def test_same_answer_every_time():
    assert closed_chain().assemble() == closed_chain().assemble()


@pytest.mark.parametrize("guess", [{"J": 0.3}, {"J": -0.2, "K": 0.5, "C": 0.7, "E": 0.4}])
def test_nearest_configuration(guess: dict[str, float]):
    model = closed_chain()
    state = model.assemble(guess)
    q0, metric = model.configuration(guess), model.mass_matrix(guess)
    # the offset is normal to the constraints: M (q - q0) = Dh^T lam
    offset = metric @ (state.q - q0)
    rows = model.constraint_dq(state.q)
    left = offset - rows.T @ np.linalg.lstsq(rows.T, offset, rcond=None)[0]
    assert np.abs(left).max() < 1e-9
    # and no configuration around is nearer, by a solver that knows nothing of this one
    other = minimize(
        lambda q: (q - q0) @ metric @ (q - q0),
        state.q + 0.02,
        jac=lambda q: 2.0 * metric @ (q - q0),
        constraints={"type": "eq", "fun": model.constraint, "jac": model.constraint_dq},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 200},
    )
    assert other.success
    assert distance(model, guess, state.q) <= np.sqrt(other.fun) + 1e-7


def test_point_on_a_circle():
    system = bough.System("bead")
    system.world.tx("x").tz("z", name="bead", mass=3.0)
    system.add(bough.DistanceConstraint("bead", "world", 1.0))
    model = system.build()
    state = model.assemble([3.0, 4.0], v=[1.0, 0.0])
    assert np.allclose(state.q, [0.6, 0.8], rtol=0, atol=1e-15)
    assert np.allclose(state.v, [0.64, -0.48], rtol=0, atol=1e-15)
    assert met(model, model.assemble())  # from the centre, where no direction is better than another


@pytest.mark.parametrize("height", [-0.5, -1.0, -1.9999])
def test_straight_arm(height: float):
    model = arm(height)
    angle = np.arccos(-height / 2.0)
    state = model.assemble()
    assert met(model, state)
    assert np.allclose(np.abs(state.q), [angle, 2.0 * angle], rtol=0, atol=1e-9)
    assert np.allclose(model.assemble({"a": 0.1}).q, [angle, -2.0 * angle], rtol=0, atol=1e-9)
    assert np.allclose(model.assemble({"a": -0.1}).q, [-angle, 2.0 * angle], rtol=0, atol=1e-9)


def test_solution_at_a_singular_configuration():
    model = arm(-2.0)
    assert np.array_equal(model.assemble().q, [0.0, 0.0])
    state = model.assemble({"a": 0.5})
    assert np.abs(model.constraint(state.q)).max() < 1e-12
    assert np.allclose(state.q, 0.0, rtol=0, atol=1e-5)


def test_terms_of_a_constraint_that_are_all_zero():
    model = slider()
    state = model.assemble({"crank": 0.7}, hold="crank")
    assert state.q[0] == 0.7
    assert state.q[1] == pytest.approx(-np.arcsin(np.sin(0.7) / 2.0) - 0.7, abs=1e-15)


@pytest.mark.parametrize("links", [10, 40])
@pytest.mark.parametrize("straight", [True, False])
def test_long_chain(links: int, straight: bool):
    model = chain(links, 0.7 * links)
    guess = np.zeros(links) if straight else np.linspace(-0.2, 0.3, links)
    state = model.assemble(guess)
    assert met(model, state, 1e-14)
    assert model.mobility(state.q) == links - 2


def test_redundant_rows():
    model = arm()
    system = model.system
    system.add(bough.PointConstraint("tip", "pin", axis=(1, 0, 1)))
    system.add(bough.PointConstraint("tip", "pin", axis=(0, 1, 0)))
    redundant = system.build()
    state = redundant.assemble({"a": 0.3})
    assert met(redundant, state)
    assert np.allclose(state.q, model.assemble({"a": 0.3}).q, rtol=0, atol=1e-12)
    assert redundant.mobility(state.q) == 0


def test_kinematic_variables_are_held():
    model = winch()
    state = model.assemble({"x": 0.1, "z": -1.0, "wire": 2.0}, v={"x": 0.5, "wire": 0.25})
    assert state.q[2] == 2.0
    assert state.v[2] == 0.25
    assert np.hypot(*state.q[:2]) == pytest.approx(2.0, abs=1e-15)
    direction = state.q[:2] / 2.0
    assert direction @ state.v[:2] == pytest.approx(0.25, abs=1e-15)
    across = np.array([direction[1], -direction[0]])
    assert across @ state.v[:2] == pytest.approx(across @ [0.5, 0.0], abs=1e-15)


def test_masses_of_very_different_size():
    system = bough.System("unequal")
    elbow = system.world.ry("a").tz(-1.0, mass=1e6)
    elbow.ry("b").tz(-1.0, name="tip", mass=1e-6)
    system.add(bough.PointConstraint("tip", system.world.tz(-1.5, name="level"), axis=(0, 0, 1)))
    model = system.build()
    state = model.assemble({"a": 0.2, "b": 0.3})
    assert met(model, state)
    assert state.q[0] == pytest.approx(0.2, abs=1e-9)  # the heavy link stays, the light one moves


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_systems_of_any_size(size: float):
    system = bough.System("scaled")
    system.world.tx("x").tz("z", name="bead", mass=1.0)
    system.add(bough.DistanceConstraint("bead", "world", size))
    model = system.build()
    state = model.assemble({"x": 3.0 * size, "z": 4.0 * size})
    assert np.allclose(state.q / size, [0.6, 0.8], rtol=0, atol=1e-15)
    assert np.hypot(*model.assemble().q) == pytest.approx(size, rel=1e-14)


def test_without_constraints():
    system = bough.System("free")
    system.world.tx("x", mass=1.0)
    model = system.build()
    state = model.assemble({"x": 1.0}, v={"x": 2.0})
    assert (state.q.tolist(), state.v.tolist()) == ([1.0], [2.0])
    assert model.mobility([1.0]) == 1


@given(st.lists(st.floats(-3.0, 3.0), min_size=7, max_size=7))
def test_from_anywhere(guess: list[float]):
    model = closed_chain()
    assert met(model, model.assemble(guess, v=np.ones(7)))


# --- velocities ---


def test_velocities_are_projected_by_the_mass_metric():
    model = closed_chain()
    wanted = np.array([1.0, -0.5, 0.3, 0.2, 0.7, -0.1, 0.4])
    state = model.assemble({"J": 0.3}, v=wanted)
    rows, M = model.constraint_dq(state.q), model.mass_matrix(state.q)
    assert np.abs(rows @ state.v).max() < 1e-15
    change = M @ (state.v - wanted)  # an impulse of the constraints alone
    assert np.abs(change - rows.T @ np.linalg.lstsq(rows.T, change, rcond=None)[0]).max() < 1e-14
    assert np.allclose(state.v, model.velocity(state.q, M @ wanted), rtol=0, atol=1e-14)


def test_a_row_that_the_motion_does_not_touch_is_kept_as_well_as_round_off_lets_it():
    model = marionette().build()
    state = model.assemble(
        dict(model.start.q), {"pelvis_ty": 0.5}
    )  # straight across to the string of the back
    assert np.abs(model.constraint_dq(state.q) @ state.v).max() < 1e-15


# --- mobility ---


def test_mobility():
    assert arm().mobility({"a": np.pi / 3, "b": -2 * np.pi / 3}) == 0
    assert arm().mobility([0.0, 0.0]) == 1  # straight: one row counts for nothing
    assert arm().mobility([[0.0, 0.0], [1.0, 0.5]]).tolist() == [1, 0]
    assert winch().mobility({"x": 1.0, "wire": 1.0}) == 1


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_mobility_where_a_row_is_round_off(size: float):
    system = bough.System("wire along a link")
    system.world.ry("angle").tz(-size, name="bob", mass=1.0)
    system.add(bough.DistanceConstraint("bob", "world", size))
    model = system.build()
    assert {model.mobility([angle]) for angle in np.linspace(-3.0, 3.0, 41)} == {1}
    assert np.array_equal(model.assemble([0.7], v=[1.0]).v, [1.0])


# --- simulate ---


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "dop853"])
def test_simulate_assembles(integrator: str):
    model = closed_chain()
    settings = {"v": {"J": 0.5}, "duration": 0.2, "integrator": integrator}
    run = bough.simulate(model, {"J": 0.3}, assemble=True, **settings)
    state = model.assemble({"J": 0.3}, v={"J": 0.5}, hold="J")
    assert run.q[0, model.index("J")] == 0.3
    assert np.array_equal(run.q[0], state.q)
    assert run.v[0, model.index("J")] == pytest.approx(0.5, rel=1e-14)  # that of the name stays too
    assert np.allclose(run.v[0], state.v, rtol=0, atol=1e-13)
    assert run.settings["assemble"] is True
    assert run.rerun() == run
    assert bough.simulate(model, state, duration=0.2).settings["assemble"] is False


def test_simulate_with_kinematic_length_assembles():
    settings = {"k": {"wire": lambda t: 1.0 + 0.1 * t}, "duration": 0.5, "assemble": True}
    with pytest.warns(bough.BoughWarning, match="move 'z' from -1 to -0.994987 to fit 'x', named before it"):
        run = bough.simulate(winch(), {"x": 0.1, "z": -1.0}, **settings)
    assert np.abs(run.constraint_error()).max() < 1e-12
    assert all(later > before for before, later in pairwise(np.hypot(*run.q[:, :2].T)))


def test_integrators_start_from_an_assembled_state():
    model = closed_chain()
    state = model.assemble({"J": 0.3}, v={"J": 0.5})
    vi = bough.MidpointVI(model, 0.01)
    assert vi.step(state).t == pytest.approx(0.01)
    run = bough.simulate(model, state, duration=0.01)
    assert np.allclose(vi.step(state).q, run.q[1], rtol=0, atol=1e-14)


def test_slider_on_a_rail_through_the_origin_starts():
    model = slider()
    state = model.assemble({"crank": 0.7})
    run = bough.simulate(model, state, duration=0.5, integrator="dop853", stabilization="projection")
    assert np.abs(run.constraint_error()).max() < 1e-13  # the tolerance of the projection at a size of metres


# --- contacts of balls ---


def dropped(points: list[tuple[float, float, float]]) -> bough.Model:
    """A floating body whose points stay above the floor."""
    system = bough.System("dropped")
    system.world.floating("body", name="body", mass=2.0, inertia=(0.02, 0.05, 0.04))
    system.add(bough.PlaneContact("body", points=points, name="floor"))
    return system.build()


def test_a_floating_body_is_lifted_out_of_the_floor() -> None:
    """One point at the middle: straight up, without a turn, as the metric of kinetic energy says."""
    model = dropped([(0.0, 0.0, 0.0)])
    guess = model.configuration({"body": (0.3, -0.2, 0.5), "body_tx": 0.4, "body_tz": -0.2})
    found = model.assemble(guess).q
    assert np.abs(model.difference(guess, found) - [0.0, 0.0, 0.2, 0.0, 0.0, 0.0]).max() < 1e-12


def test_a_floating_box_finds_the_nearest_place_on_the_floor() -> None:
    """Against SciPy's minimum of the distance over displacements along the tangent, gaps not negative."""
    corners = [(x, y, z) for x in (-0.3, 0.3) for y in (-0.1, 0.1) for z in (-0.15, 0.15)]
    model = dropped(corners)
    guess = model.configuration({"body": (0.5, 0.3, -0.4), "body_tz": 0.05})
    assert model.gap(guess).min() < -0.1
    M = model.mass_matrix(guess)
    state = model.assemble(guess, v={"body": (1.0, 0.0, 0.0)})
    move = model.difference(guess, state.q)
    best = minimize(
        lambda x: float(x @ M @ x),
        move + 0.05,
        jac=lambda x: 2.0 * M @ x,
        constraints={"type": "ineq", "fun": lambda x: np.asarray(model.gap(model.integrate(guess, x)))},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert best.success
    assert model.gap(state.q).min() > -1e-13
    assert move @ M @ move == pytest.approx(best.fun, rel=1e-6)
    assert np.abs(move - best.x).max() < 1e-4


# --- constraints of balls ---


def test_the_nearest_pose_of_balls_is_found_by_newtons_method() -> None:
    """The curvature by rotation vectors is that of differences, and few steps lead to the nearest pose."""
    system = bough.System("leg and a free body")
    shin = system.world.ball("hip").tz(-0.5, name="shin", mass=2.0, inertia=(0.1, 0.12, 0.03))
    shin.ball("knee").tz(-0.4, name="foot", mass=1.0, inertia=(0.05, 0.06, 0.01))
    system.world.tx(1.0).floating("free", name="free", mass=1.0, inertia=(0.1, 0.2, 0.25))
    system.add(bough.DistanceConstraint("foot", "free", 1.2))
    model = system.build()
    guess = model.configuration({"hip": (0.3, 0.2, 0.1)})
    space = Space(model, guess, np.arange(model.nv), 0.0)
    y, step = np.random.default_rng(0).normal(scale=0.3, size=model.nv), 1e-5
    rows = [(space.rows(y + e) - space.rows(y - e))[0] / (2 * step) for e in step * np.eye(model.nv)]
    assert np.abs(space.curvature(y, np.ones(1)) - np.array(rows)).max() < 1e-7
    state = model.assemble(guess)
    assert met(model, state)
    own = space.from_free(model.difference(guess, state.q))
    J = space.rows(own)[0]
    assert np.linalg.norm(own - J * (J @ own) / (J @ J)) < 1e-10 * np.linalg.norm(own)
