"""A problem is a value: it does not change, equals by content, and runs as `simulate` does."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import bough
from support.mechanisms import closed_chain
from support.messages import check_message


def arm() -> bough.Model:
    system = bough.System("arm")
    system.world.ry("shoulder").tz(-1.0, mass=1.0).ry("elbow").tz(-0.5, name="tip", mass=0.5)
    system.add(bough.ConfigurationForce("shoulder", "torque"))
    system.add(bough.Damping(0.1))
    return system.build()


def feedback(t: float, state: bough.State) -> list[float]:
    return [-2.0 * state.q[0]]


METHODS: list[dict[str, Any]] = [
    {},
    {"alpha": 0.7},
    {"order": 6},
    {"integrator": "trapezoidal"},
    {"integrator": "rk4"},
    {"integrator": "dop853", "rtol": 1e-8},
    {"integrator": "velocity"},
]


@pytest.mark.parametrize("options", METHODS, ids=str)
@pytest.mark.parametrize("u", [None, {"torque": 0.3}, feedback], ids=["free", "held", "feedback"])
def test_a_problem_makes_the_run_of_simulate_bit_for_bit(options: dict[str, Any], u: Any) -> None:
    arguments = {"q": {"elbow": 0.4}, "v": [0.1, 0.0], "u": u, "duration": 0.2, "dt": 0.01, **options}
    problem = bough.Problem(arm(), **arguments)
    run = bough.simulate(arm(), **arguments)
    assert problem.run() == run
    assert problem.run() == run  # feedback leaves nothing behind
    assert {**problem.settings, "steps": 20} == run.settings
    again = pickle.loads(pickle.dumps(problem))
    assert again == problem
    assert hash(again) == hash(problem)
    assert again.run() == run


def test_problems_with_the_same_content_are_equal() -> None:
    model = arm()
    one = bough.Problem(model, q={"elbow": 0.4}, duration=1.0, dt=0.01)
    same = bough.Problem(arm(), q=np.array([0.0, 0.4]), v=[0.0, 0.0], duration=1, dt=0.01, alpha=0.5)
    assert one == same
    assert hash(one) == hash(same)
    others: list[dict[str, Any]] = [
        {"q": {"elbow": 0.5}},
        {"v": {"elbow": 0.5}},
        {"u": {"torque": 1.0}},
        {"u": feedback},
        {"duration": 2.0},
        {"dt": 0.02},
        {"integrator": "rk4"},
        {"order": 4},
        {"every": 2},
        {"t0": 1.0},
    ]
    for change in others:
        assert one.replace(**change) != one, change
    assert len({one, same, *(one.replace(**change) for change in others)}) == 1 + len(others)


def test_names_change_single_values_and_arrays_replace() -> None:
    problem = bough.Problem(arm(), q=[0.1, 0.2], u={"torque": 1.0}, duration=0.1, dt=0.01)
    assert problem.replace(q={"shoulder": 0.7}).q.tolist() == [0.7, 0.2]
    assert problem.replace(q=[0.3, 0.3]).q.tolist() == [0.3, 0.3]
    assert problem.replace(q={"elbow": 0.7}).replace(q={"shoulder": -1.0}).q.tolist() == [-1.0, 0.7]
    state = problem.run()[-1]
    after = problem.replace(q=state).replace(q={"elbow": 0.0})
    assert after.q.tolist() == [state.q[0], 0.0]
    assert after.v.tolist() == state.v.tolist()  # which the state has too
    assert after.settings["t0"] == state.t
    faster = problem.replace(q=state).replace(v={"elbow": 3.0})
    assert (faster.q.tolist(), faster.v.tolist()) == (state.q.tolist(), [state.v[0], 3.0])
    pushed = problem.replace(q=state).replace(p={"elbow": 3.0})
    assert pushed.p.tolist() == [state.p[0], 3.0]
    assert problem.replace(u=[2.0]).run().u[0, 0] == 2.0


def test_another_integrator_leaves_the_options_of_the_first() -> None:
    problem = bough.Problem(arm(), duration=0.1, dt=0.01, order=4)
    assert problem.replace(integrator="rk4").settings["integrator"] == "rk4"
    assert problem.replace(integrator="midpoint").settings["order"] == 2
    assert problem.replace(dt=0.005).settings["order"] == 4


def test_a_problem_keeps_its_own_numbers() -> None:
    q, u = np.array([0.1, 0.2]), np.ones((10, 1))
    problem = bough.Problem(arm(), q=q, u=u, duration=0.1, dt=0.01)
    before = problem.run()
    q[:], u[:] = 5.0, 5.0
    assert problem.run() == before
    assert problem.replace(every=1).run() == before
    with pytest.raises(AttributeError, match=r"problem\.replace\(model=\.\.\.\) gives another one"):
        problem.model = arm()
    with pytest.raises(TypeError):
        problem.settings["dt"] = 1.0  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        problem.arguments["q"][0] = 1.0


def test_a_problem_is_checked_when_it_is_made() -> None:
    check_message(
        lambda: bough.Problem(3), "Problem(3, ...)", "not a model", "give a model, made by system.build()"
    )
    with pytest.raises(bough.ModelError, match="elbo"):
        bough.Problem(arm(), q={"elbo": 1.0}, duration=1.0)
    with pytest.raises(bough.ModelError, match="does not meet constraint"):
        bough.Problem(closed_chain(), q={"J": 1.0}, duration=1.0)
    with pytest.raises(bough.ModelError, match="on_failure"):
        bough.Problem(arm(), duration=1.0).run(on_failure="ignore")


def test_a_rerun_is_the_problem_of_its_run() -> None:
    run = bough.simulate(arm(), q=[0.1, 0.2], u=feedback, duration=0.3, dt=0.01, every=3)
    assert run.rerun() == run


def satellite() -> bough.Model:
    system = bough.System("satellite", gravity=None)
    system.world.free("base", mass=10.0, inertia=(1, 2, 3)).rz("joint").tx(1.0, mass=1.0)
    return system.build()


@pytest.mark.parametrize("kind", [bough.MidpointVI, bough.TrapezoidalVI, bough.ReducedVI])
def test_a_problem_with_an_integrator_object_is_pickled(kind: Any) -> None:
    model = satellite()
    problem = bough.Problem(model, v={"joint": 0.3}, duration=0.1, integrator=kind(model, 0.02))
    again = pickle.loads(pickle.dumps(problem))
    assert again == problem
    assert hash(again) == hash(problem)
    assert again.run() == problem.run()


def test_feedback_beside_arrays_is_compared_by_content() -> None:
    system = bough.System("arm")
    system.world.ry("shoulder").tz(-1.0, mass=1.0).ry("elbow").tz(-0.5, mass=0.5)
    for name in ("shoulder", "elbow"):
        system.add(bough.ConfigurationForce(name, name))
    model = system.build()

    def problem(last: float) -> bough.Problem:
        u = {"shoulder": single_feedback, "elbow": np.array([0.1, 0.2, last])}
        return bough.Problem(model, u=u, duration=0.03, dt=0.01)

    assert problem(0.3) == problem(0.3)
    assert problem(0.3) != problem(0.4)
    assert pickle.loads(pickle.dumps(problem(0.3))) == problem(0.3)


def single_feedback(t: float, state: bough.State) -> float:
    return -2.0 * float(state.q[0])


def test_problems_that_begin_at_other_poses_differ() -> None:
    model = satellite()
    vi = bough.ReducedVI(model, 0.01)
    first = vi.start(xi=(0.1, 2.0, 0, 0, 0, 0))
    other = vi.start(xi=(0.1, 2.0 + 1e-15, 0, 0, 0, 0))
    make = [bough.Problem(model, q=q, duration=0.1, integrator="reduced") for q in (first, first, other)]
    assert make[0] == make[1]
    assert make[0] != make[2]


def test_a_model_is_found_again_by_its_digest() -> None:
    model = arm()
    problem = bough.Problem(model, q={"elbow": 0.4}, duration=0.1)
    runs = [pickle.loads(pickle.dumps(problem)) for _ in range(3)]
    assert all(again.model is model for again in runs)
    assert pickle.loads(pickle.dumps(model)) is model


def test_models_of_other_shapes_are_not_taken_for_each_other() -> None:
    system = bough.System("pendulum")
    bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    plain = system.build()
    text = pickle.dumps(plain)
    system.shape(bob, bough.Sphere(0.1))
    round_bob = system.build()
    assert round_bob.digest == plain.digest
    assert pickle.loads(pickle.dumps(round_bob)).shapes == round_bob.shapes
    assert pickle.loads(text).shapes == ()


def test_a_model_that_nothing_holds_is_built_again() -> None:
    text = pickle.dumps(arm())
    again = pickle.loads(text)
    assert again == arm()
    assert pickle.loads(text) is again
