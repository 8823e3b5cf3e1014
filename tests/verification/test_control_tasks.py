"""The benchmark tasks of optimal control: ends, first-order conditions, replay, and the minima of IPOPT."""

from __future__ import annotations

import time

import numpy as np
import pytest

import bough
from bough.control import Effort, Step, Track, lqr, optimize
from support.control_models import (
    closed_chain,
    double_pendulum_cart,
    driven_pendulum,
    four_bar,
    raised_lift,
)
from support.ipopt_control import solved

pytestmark = pytest.mark.verify

SWING = {
    "q": {"angle": np.pi},
    "duration": 2.0,
    "dt": 0.025,
    "cost": [Effort(0.05), Track({"x": 0.0}, weight=0.1)],
    "end": {"x": 0.0, "angle": 0.0},
    "lower": {"x": -1.0},
    "upper": {"x": 1.0},
    "effort": {"force": 20.0},
}


def check(run):
    """What every task asks for; how far the same inputs lead in continuous time is told."""
    assert run.statistics["first_order"] < 1e-8
    assert run == run.rerun()
    if not run.model.nk:
        print(f"{run.model.name}: the same inputs in dop853 end {replayed(run):.2g} off")


def replayed(run):
    """How far the end of the same inputs in continuous time is from the end of a run."""
    again = bough.simulate(
        run.model,
        q=run.q[0],
        v=run.v[0],
        u=np.asarray(run.u)[:-1],
        duration=float(run.t[-1]),
        dt=float(run.t[1]),
        integrator="dop853",
    )
    return float(np.abs(again.q[-1] - run.q[-1]).max())


def test_swing_up_and_ipopt():
    model = bough.gallery.cart_pole().build()
    begin = time.process_time()
    run = optimize(model, **SWING)
    own = time.process_time() - begin
    check(run)
    assert np.abs(run.q[-1]).max() < 1e-3
    begin = time.process_time()
    least, _ = solved(
        Step(model, 0.025),
        run,
        lambda x, c, x1: 0.0125 * (0.05 * c[0] ** 2 + 0.1 * x1[0] ** 2),
        end=lambda x: x,
        bounds={0: (-1.0, 1.0), 4: (-20.0, 20.0)},
    )
    print(f"cart-pole: {own:.3f} s, IPOPT from the solution {time.process_time() - begin:.3f} s")
    assert run.statistics["cost"] == pytest.approx(least, rel=1e-6)


def test_swing_up_from_random_guesses():
    model = bough.gallery.cart_pole().build()
    rng = np.random.default_rng(0)
    reached = 0
    for _ in range(20):
        guess = np.repeat(rng.normal(size=(16, 1)), 5, axis=0) * 5.0
        try:
            run = optimize(model, guess=guess, **SWING)
        except bough.ConvergenceError:
            continue
        reached += bool(np.abs(run.q[-1]).max() < 1e-3)
    print(f"{reached} of 20 random guesses lead to a swing-up")
    assert reached >= 15


@pytest.mark.parametrize("task", ["cart-pole", "double pendulum on a cart"])
def test_swing_ups_and_crocoddyl(task):
    """Upright at rest, beside FDDP of crocoddyl on the same steps with the end as a cost; both from no inputs."""
    crocoddyl = pytest.importorskip("crocoddyl")
    from bough.control.adapters.crocoddyl import action_model

    model, dt, steps, start, effort = {
        "cart-pole": (bough.gallery.cart_pole().build(), 0.025, 80, {"angle": np.pi}, 0.05),
        "double pendulum on a cart": (double_pendulum_cart(), 0.025, 160, {"lower": np.pi}, 0.1),
    }[task]
    begin = time.process_time()
    end = dict.fromkeys(model.variables, 0.0)
    run = optimize(model, q=start, duration=steps * dt, dt=dt, cost=Effort(effort), end=end)
    own = time.process_time() - begin
    check(run)
    assert np.abs(run.q[-1]).max() < 1e-3
    step = Step(model, dt)
    last = action_model(None, states=2 * model.nq, controls=1, Q=200.0)
    shooting = crocoddyl.ShootingProblem(step.state(start), [action_model(step, R=dt * effort)] * steps, last)
    solver = crocoddyl.SolverFDDP(shooting)
    begin = time.process_time()
    solver.solve([], [], 500)
    theirs = time.process_time() - begin
    missed = float(np.abs(np.array(solver.xs)[-1][: model.nq]).max())
    print(
        f"{task}: bough {own:.3f} s, {run.statistics['iterations']} iterations; crocoddyl {theirs:.3f} s,"
        f" {solver.iter} iterations, {missed:.2g} off the end; ratio {own / theirs:.2f}"
    )


def test_twenty_links_settle_and_crocoddyl():
    """Upright, one torque per joint, five degrees off; the gains of a run beside one pass of crocoddyl."""
    model = driven_pendulum(20)
    upright = {"q0": np.pi}
    begin = time.process_time()
    hold = lqr(model, q=model.equilibrium(upright), Q=1e5, R=1e-3, dt=0.02)
    spent = time.process_time() - begin
    run = bough.simulate(model, q={"q0": np.pi + np.radians(5.0)}, u=hold, duration=6.0, dt=0.02)
    off = float(np.abs(run.q[-1] - model.configuration(upright)).max())
    print(f"twenty links: gains in {spent:.3f} s, {off:.2g} rad off after 6 s")
    assert off < 1e-3
    crocoddyl = pytest.importorskip("crocoddyl")
    from bough.control.adapters.crocoddyl import action_model

    step, steps = Step(model, 0.02), 50
    still = bough.simulate(model, q=upright, u=np.zeros((steps, 20)), duration=1.0, dt=0.02)
    begin = time.process_time()
    lqr(still, Q=1.0, R=1e-3)
    own = time.process_time() - begin
    x = step.state(upright)
    nodes = [action_model(step, Q=0.02, R=2e-5, target=x)] * steps
    last = action_model(None, states=40, controls=20, Q=1.0, target=x)
    solver = crocoddyl.SolverDDP(crocoddyl.ShootingProblem(x, nodes, last))
    solver.setCandidate([x] * (steps + 1), [np.zeros(20)] * steps, False)
    begin = time.process_time()
    solver.computeDirection(True)
    theirs = time.process_time() - begin
    print(
        f"gains of {steps} steps: bough {1e3 * own:.1f} ms, crocoddyl {1e3 * theirs:.1f} ms, ratio {own / theirs:.2f}"
    )
    assert np.isfinite(np.array(solver.K)).all()


def test_double_pendulum_and_ipopt():
    model = double_pendulum_cart()
    run = optimize(
        model,
        q={"lower": np.pi},
        duration=4.0,
        dt=0.025,
        cost=Effort(0.1),
        end={"x": 0.0, "lower": 0.0, "upper": 0.0},
    )
    check(run)
    assert np.abs(run.q[-1]).max() < 1e-3
    least, _ = solved(Step(model, 0.025), run, lambda x, c, x1: 0.00125 * c[0] ** 2, end=lambda x: x)
    assert run.statistics["cost"] == pytest.approx(least, rel=1e-6)


def test_four_bar_in_full_coordinates_and_with_a_superfluous_row():
    costs = []
    for superfluous in (False, True):
        model, start = four_bar(superfluous=superfluous)
        run = optimize(
            model,
            q=start,
            duration=1.5,
            dt=0.02,
            cost=Effort(1.0),
            end={"crank": start[0] + 2.0},
            end_weight=100.0,
        )
        check(run)
        assert np.abs(run.constraint_error()).max() < 1e-9
        costs.append(run.statistics["cost"])
    assert costs[1] == pytest.approx(costs[0], rel=1e-8)


def test_closed_chain_between_two_poses():
    """In all seven angles, at rest in both poses; by three angles that tell them, or by all; with a superfluous row."""
    goal = bough.gallery.closed_chain(J=0.2, H=0.1, A=0.35).start.q
    costs = []
    for names in (("J", "M", "E"), tuple(goal)):
        for superfluous in (False, True):
            run = optimize(
                closed_chain(superfluous=superfluous),
                duration=1.5,
                dt=0.02,
                cost=Effort(1.0),
                end={name: goal[name] for name in names},
            )
            check(run)
            assert max(abs(float(run[name][-1]) - goal[name]) for name in goal) < 1e-9
            assert np.abs(run.v[-1]).max() < 1e-9
            assert np.abs(run.constraint_error()).max() < 1e-12
            costs.append(run.statistics["cost"])
    assert costs == pytest.approx([costs[0]] * 4, rel=1e-8)
    print(f"closed chain: cost {costs[0]:.9g} in four statements of one task")


@pytest.mark.parametrize("task", ["swing_up", "turned_four_bar", "chain_between_poses"])
def test_minima_of_ipopt_on_equations_of_its_own(task):
    """In full coordinates; IPOPT has the steps written in CasADi and begins where the search does, at no inputs."""
    from benchmarks import control_tasks

    given = getattr(control_tasks, task)()
    begin = time.process_time()
    run = given.solve()
    own = time.process_time() - begin
    check(run)
    ipopt = given.ipopt()
    begin = time.process_time()
    least, q = ipopt()
    theirs = time.process_time() - begin
    print(f"{given.name}: {own:.3f} s, IPOPT {theirs:.3f} s, ratio {own / theirs:.2f}")
    assert run.statistics["cost"] == pytest.approx(least, rel=1e-6)
    np.testing.assert_allclose(run.q, q, atol=1e-5)


def test_marionette_tracks_better_than_its_guess():
    """The whole figure, 43 + 13 variables, by its strings, which pull all the time; the guess is late by 0.2 s."""
    model = bough.gallery.marionette().build()
    for name in ("wave", "walk"):
        late = {
            key: (lambda t, f=f: f(max(t - 0.2, 0.0)))
            for key, f in bough.gallery.marionette_motion(name).items()
        }
        wanted = bough.simulate(model, k=bough.gallery.marionette_motion(name), duration=1.0, dt=0.02)
        guess = bough.simulate(model, q=wanted.q[0], k=late, duration=1.0, dt=0.02)
        run = optimize(
            model,
            q=wanted.q[0],
            duration=1.0,
            dt=0.02,
            cost=[Track(wanted, 100.0), Effort(1e-4)],
            guess=guess,
            force={name: (None, 0.0) for name in model.constraints},
        )
        assert run == run.rerun()
        # "wave" is tracked to 1e-5 rad, so that the round-off of positions is 1e-7 of what is left: (CK2)
        assert run.statistics["first_order"] < (1e-8 if name == "walk" else 1e-6)
        assert np.asarray(run.lam)[1:].max() < 0.0
        before, after = (np.sum((one.q - wanted.q) ** 2) for one in (guess, run))
        print(
            f"{name}: tracking cost {before:.3g} of the guess, {after:.3g} found, {run.statistics['iterations']}"
        )
        assert after < 0.1 * before


def test_time_of_an_iteration_is_linear_in_the_number_of_steps():
    model = bough.gallery.cart_pole().build()
    times = []
    for dt in (0.01, 0.005, 0.0025):
        given = {**SWING, "dt": dt}
        for name in ("lower", "upper", "effort"):
            given.pop(name)
        best = np.inf
        for _ in range(3):
            begin = time.process_time()
            run = optimize(model, threads=1, **given)
            best = min(best, (time.process_time() - begin) / (run.statistics["iterations"] * len(run)))
        times.append(best)
    print("µs per iteration and step:", [round(1e6 * t, 1) for t in times])
    assert times[-1] < 1.3 * times[0]


@pytest.mark.filterwarnings("ignore::bough.SlackWarning")  # strings of prescribed length, as in the paper
def test_disturbed_marionette_settles_faster_with_feedback():
    model = bough.gallery.marionette().build()
    still = bough.simulate(model, duration=0.5, dt=0.01)
    feedback = lqr(still, Q=1.0, R=1e-2)
    v = np.zeros(model.nq)
    v[model.index("left_elbow")] = 0.3
    closed = feedback.simulate(q=still.q[0], v=v, duration=0.5)
    opened = bough.simulate(model, q=still.q[0], v=v, duration=0.5, dt=0.01)
    off = [float(np.sum((one.v - still.v)[1:, : model.nd] ** 2)) for one in (opened, closed)]
    print(f"Σ of squares of velocities: {off[0]:.3g} without, {off[1]:.3g} with feedback")
    assert off[1] < 0.5 * off[0]


def winches():
    """A load on two ropes over pulleys six metres apart, each of a prescribed length."""
    system = bough.System("winches", gravity=(0, 0, -9.81))
    load = system.world.tx("x").tz("z", name="load", mass=20.0)
    for name, place in (("left", -3.0), ("right", 3.0)):
        pulley = system.world.tx(place, name=f"{name}_pulley")
        system.add(
            bough.DistanceConstraint(
                load, pulley, length=bough.kinematic(f"{name}_rope"), name=f"{name}_wire"
            )
        )
    return system.build()


def test_load_on_two_winches_ends_without_swing_and_stays_taut():
    """Two ropes hold the load in the plane; both pull all the time, and it stands at the end."""
    model = winches()
    start, goal = (np.array([x, z]) for x, z in ((-1.0, -2.0), (1.5, -3.0)))

    def lengths(p):
        return [float(np.hypot(p[0] + 3.0, p[1])), float(np.hypot(p[0] - 3.0, p[1]))]

    names = ("left_rope", "right_rope")
    q = {"x": start[0], "z": start[1], **dict(zip(names, lengths(start), strict=True))}
    run = optimize(
        model,
        q=q,
        duration=2.0,
        dt=0.02,
        cost=Effort(1.0),
        end=dict(zip(names, lengths(goal), strict=True)),
        rest=False,
        force={name: (None, -5.0) for name in model.constraints},
    )
    check(run)
    np.testing.assert_allclose(run.q[-1, :2], goal, atol=1e-6)
    assert np.asarray(run.lam)[1:-1].max() < -5.0 + 1e-3


def test_scissor_lift_is_raised_by_its_slider():
    """Sixty degrees of the first link, by a force on the slider alone, in time linear in the number of loops."""
    tasks = {loops: raised_lift(loops, 0.01, upper={"theta": 1.45}, threads=1) for loops in (5, 20)}
    for loops, (model, given, goal) in tasks.items():
        run = optimize(model, **given)
        check(run)
        assert run["theta"][-1] == pytest.approx(goal, abs=1e-6)
        assert np.abs(run.constraint_error()).max() < 1e-12
        assert run["theta"].max() < 1.45
        print(
            f"lift of {loops}: {run.statistics['iterations']} iterations, dop853 ends {replayed(run):.2g} off"
        )
    spent = {loops: [] for loops in tasks}
    for _ in range(5):
        for loops, (model, given, _) in tasks.items():
            begin = time.process_time()
            run = optimize(model, **given)
            spent[loops].append((time.process_time() - begin) / (run.statistics["iterations"] + 1))
    each = {loops: float(np.median(times)) for loops, times in spent.items()}
    print(f"lift: {1e3 * each[5]:.1f} ms an iteration with 5 loops, {1e3 * each[20]:.1f} with 20")
    assert each[20] < 1.3 * 4.0 * each[5]
