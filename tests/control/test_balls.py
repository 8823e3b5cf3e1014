"""Control, estimation and identification of models with balls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from bough.control import Effort, Shooting, Track
from support.finite_difference import slope
from support.transforms import Array

TURN = Rotation.from_rotvec([0.4, 1.2, -0.8])


def camera(**damping: float) -> bough.System:
    """A body on a ball with torques about its three axes, and an arm on it."""
    system = bough.System("camera", gravity=(0.0, 0.0, -9.81))
    mass = system.parameter("mass", 0.5)
    length = system.parameter("length", 0.4)
    hull = system.world.ball("base").tz(0.2, name="hull", mass=2.0, inertia=(0.04, 0.05, 0.03))
    arm = hull.tx(0.3).ry("elbow").tz(length, name="hand", mass=mass, inertia=(0.01, 0.01, 0.02))
    for axis in "xyz":
        system.add(bough.ConfigurationForce(f"base_w{axis}", f"t{axis}"))
    system.add(bough.ConfigurationForce("elbow", "bend"))
    if damping:
        system.add(bough.Damping(damping))
    del arm
    return system


@pytest.fixture(scope="module")
def model() -> bough.Model:
    return camera().build()


@pytest.fixture(scope="module")
def aim(model: bough.Model) -> Array:
    """A pose of the body."""
    return model.pose("hull", model.configuration({"base": TURN}))


def test_feedback_at_a_pose(model: bough.Model) -> None:
    """`lqr` in three lines; from a large turn back to the pose."""
    q = {"base": (1.0, 0.0, 0.0, 0.0), "elbow": 0.3}
    assert bough.control.controllability(model, q).complete
    feedback = bough.control.lqr(model, q=q, Q=1.0, R=0.1, dt=0.02)
    run = bough.simulate(model, {"base": TURN, "elbow": 0.8}, u=feedback, duration=8.0, dt=0.02)
    assert np.abs(model.difference(model.configuration(q), run.q[-1])).max() < 2e-3
    loose = bough.simulate(model, {"base": TURN, "elbow": 0.8}, u=feedback.c[0], duration=8.0, dt=0.02)
    assert np.abs(model.difference(model.configuration(q), loose.q[-1])).max() > 0.5


def test_feedback_along_a_run(model: bough.Model, aim: Array) -> None:
    run = bough.control.optimize(
        model, q={"elbow": 0.2}, duration=1.0, dt=0.025, cost=Effort(1.0), end={"hull": aim, "elbow": 0.5}
    )
    feedback = bough.control.lqr(run, Q=10.0, R=0.01)
    start = {"base": Rotation.from_rotvec([0.05, -0.08, 0.06]), "elbow": 0.15}

    def missed(u: Any) -> float:
        other = bough.simulate(model, start, u=u, duration=1.0, dt=0.025)
        return float(np.abs(model.difference(run.q[-1], other.q[-1])).max())

    assert missed(feedback) < 0.1 * missed(np.asarray(run.u)[:-1])


@pytest.mark.parametrize(
    "end",
    [{"hull": "aim"}, {"base": TURN}, {"elbow": 0.3}, {"v.base_wx": 0.2}, {"v.base": (0.1, 0, 0.2)}, None],
)
def test_derivatives_of_a_cost(model: bough.Model, aim: Array, end: dict[str, Any] | None) -> None:
    """The first and second by the controls, against differences."""
    given = (
        None
        if end is None
        else {name: aim if isinstance(value, str) else value for name, value in end.items()}
    )
    cost = [
        Effort(1.0),
        Track({"hand": (0.3, 0.2, 0.1), "elbow": 0.1}, v={"elbow": 0.3}),
        Track({"base": TURN.inv()}, weight={"base": (0.7, 2.0, 0.4)}),
    ]
    problem = Shooting(
        model,
        duration=0.5,
        dt=0.05,
        cost=cost,
        end=given,
        end_weight=None if end is None else 10.0,
        rest=False,
    )
    random = np.random.default_rng(0)
    x, d, h = random.normal(size=problem.x0.size), random.normal(size=problem.x0.size), 1e-4
    assert float(problem.jac(x) @ d) == pytest.approx(
        float(slope(lambda s: problem.fun(x + s * d), h)), rel=1e-8
    )
    change = slope(lambda s: problem.jac(x + s * d), h)
    assert np.abs(problem.hessp(x, d) - change).max() < 1e-7 * np.abs(change).max()


@pytest.mark.parametrize("limits", [{}, {"effort": 3.9}])
def test_optimal_motion(model: bough.Model, aim: Array, limits: dict[str, Any]) -> None:
    run = bough.control.optimize(
        model,
        q={"elbow": 0.2},
        duration=1.0,
        dt=0.025,
        cost=Effort(1.0),
        end={"hull": aim, "elbow": 0.5},
        **limits,
    )
    assert run.statistics["first_order"] < 1e-8
    assert np.abs(model.pose("hull", run.q[-1]) - aim).max() < 1e-9
    assert np.abs(run.v[-1]).max() < 1e-9
    assert np.array_equal(run.rerun().q, run.q)
    largest = float(np.abs(run.u).max())
    assert largest == pytest.approx(3.9, abs=1e-4) if limits else largest > 4.0


def test_estimate(model: bough.Model) -> None:
    """A turned body, seen by the positions of two of its frames."""
    truth = bough.simulate(model, {"base": TURN, "elbow": 0.4}, duration=1.0, dt=0.01)
    estimator = bough.control.kalman(
        model,
        measure=["hull", "hand"],
        noise=1e-6,
        disturbance=1e-8,
        uncertainty=0.3,
        q={"base": TURN * Rotation.from_rotvec([0.2, -0.1, 0.15]), "elbow": 0.3},
        dt=0.01,
    )
    before = np.sqrt(np.diag(estimator.covariance)[: model.nv])
    for q in truth.q[1:]:
        estimator.predict()
        estimator.update(np.concatenate([model.pose(name, q)[:3, 3] for name in ("hull", "hand")]))
    after = np.sqrt(np.diag(estimator.covariance)[: model.nv])
    assert (after < 0.01 * before).all()
    assert (np.abs(model.difference(truth.q[-1], estimator.q)) < 4.0 * after).all()


def test_identify() -> None:
    """A mass and a length from the motion of a hand, without noise."""
    model = camera(base=0.1, elbow=0.05).build()
    start = {"base": TURN, "elbow": 0.4}
    truth = model.with_parameters(mass=0.62, length=0.33)
    run = bough.simulate(truth, start, duration=1.0, dt=0.01)
    places = np.array([truth.pose("hand", q)[:3, 3] for q in run.q])
    data = {"t": run.t, **{f"hand.{axis}": places[:, i] for i, axis in enumerate("xyz")}}
    data |= {name: np.zeros(len(run)) for name in model.inputs}
    fit = bough.control.identify(model, data, parameters=["mass", "length"], q=start, fit_start=False)
    assert fit.values["mass"] == pytest.approx(0.62, rel=1e-8)
    assert fit.values["length"] == pytest.approx(0.33, rel=1e-8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lower": {"base_wx": -1.0}}, "'base_wx', which belongs to a ball"),
        ({"velocity": 3.0}, "'base_wx', which belongs to a ball"),
        ({"end": {"base_wx": 0.0}}, "a part of the ball 'base', whose rotation is given whole"),
        ({"end": {"base": (0.0, 0.0)}}, r"(w, x, y, z)"),
        ({"end": {"base": np.eye(4)}}, "for a ball"),
        ({"end": {"bass": 0.0}}, "'base'"),
        (
            {"end": {"base": TURN}, "end_weight": {"bass": 1.0}},
            "no weight has this name; the nearest",
        ),
        (
            {"end": {"base": TURN}, "end_weight": {"base": (1.0, 2.0)}},
            r"shape \(2,\) for 3 weights: base.turn_x",
        ),
        ({"end": {"elbow": "up"}}, "'up', which is no number"),
        ({"cost": Track({"elbow": "up"})}, "'up', which is no number"),
        ({"free_start": "elbow"}, r"free_start of control.optimize\(\)(.|\n)*balls"),
        ({"cost": Track({"base_wz": 0.0})}, "a part of the ball 'base'"),
        ({"cost": Track({"base": TURN}, v=1.0)}, "the rates of balls are not weighed"),
        (
            {"cost": Track({"base": TURN, "elbow": 0.0}, v={"base": 1.0})},
            "the rates of balls are not weighed",
        ),
        ({"cost": Track({"base": [TURN.as_quat(scalar_first=True)] * 2})}, "2 rotations for 3 nodes"),
        ({"cost": Track({"base": TURN}, weight={"base": (1.0, 2.0)})}, "'base', which is a ball"),
        ({"guess": {"q": np.zeros((3, 5))}}, "configurations as guess"),
        ({"end": np.zeros(4)}, "4 numbers, one for each variable of v"),
    ],
)
def test_refusals(model: bough.Model, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(bough.ModelError, match=message):
        bough.control.optimize(model, duration=0.2, dt=0.1, **{"cost": Effort(1.0), **arguments})


def test_no_message_names_the_model_twice(model: bough.Model) -> None:
    for arguments in (
        {"cost": bough.control.Cost(lambda t, q, v, u: 0.0)},
        {"guess": {"q": np.zeros((3, 5))}},
    ):
        with pytest.raises(bough.ModelError) as caught:
            bough.control.optimize(model, duration=0.2, dt=0.1, **{"cost": Effort(1.0), **arguments})
        assert caught.value.asked.count("'camera'") == 1


FORMS = {
    "rotation": TURN,
    "vector": TURN.as_rotvec(),
    "quaternion": TURN.as_quat(scalar_first=True),
    "minus the quaternion": -TURN.as_quat(scalar_first=True),
    "matrix": TURN.as_matrix(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_rotation_as_an_end(model: bough.Model, aim: Array, form: str) -> None:
    """The ball by name, in any form, is the same end as the pose of the body on it."""
    other = reached(model, {"hull": aim, "elbow": 0.5})
    run = reached(
        model, {"base": FORMS[form], "elbow": 0.5}, guess=other
    )  # the problem has many local minima
    assert run.statistics["iterations"] <= 2
    assert np.abs(model.pose("hull", run.q[-1]) - aim).max() < 1e-9
    assert np.abs(run.v[-1]).max() < 1e-9
    assert run.statistics["cost"] == pytest.approx(other.statistics["cost"], rel=1e-8)
    assert np.abs(np.asarray(run.u) - np.asarray(other.u)).max() < 1e-6


def reached(model: bough.Model, end: Any, **more: Any) -> bough.Trajectory:
    return bough.control.optimize(
        model, q={"elbow": 0.2}, duration=1.0, dt=0.025, cost=Effort(1.0), end=end, **more
    )


def test_a_state_and_all_of_q_as_an_end(model: bough.Model) -> None:
    there = model.configuration({"base": TURN, "elbow": 0.5})
    by_name = reached(model, {"base": TURN, "elbow": 0.5})
    for end in (there, bough.State(0.0, there, np.zeros(model.nv))):
        assert np.abs(np.asarray(reached(model, end).u) - np.asarray(by_name.u)).max() < 1e-6
        assert np.abs(model.difference(by_name.q[-1], there)).max() < 1e-9
    moving = reached(model, bough.State(0.0, there, np.array([0.1, -0.2, 0.3, 0.4])))
    assert np.abs(moving.v[-1] - [0.1, -0.2, 0.3, 0.4]).max() < 1e-8


def test_weights_of_a_rotation_as_an_end(model: bough.Model) -> None:
    """A turn that hardly counts is hardly made, one that counts much is made."""

    def missed(weight: float) -> float:
        run = reached(model, {"base": TURN}, end_weight={"base": weight, "v.base": 1.0, "v.elbow": 0.0})
        return float(np.linalg.norm(model.difference(run.q[-1], model.configuration({"base": TURN}))[:3]))

    assert missed(1e-3) > 1.0 > 1e-2 > missed(1e4)


def test_a_rotation_that_is_followed(model: bough.Model, aim: Array) -> None:
    """A motion of the same model is followed, with its balls; so are rotations, one for each node."""
    goal = reached(model, {"hull": aim, "elbow": 0.5})
    cost = [Effort(1e-6), Track(goal, weight=1e3)]
    near = bough.simulate(model, {"elbow": 0.2}, u=0.8 * np.asarray(goal.u)[:-1], duration=1.0, dt=0.025)
    assert np.abs(model.difference(goal.q, near.q)).max() > 0.1
    start = {"q": {"elbow": 0.2}, "duration": 1.0, "guess": near}
    run = bough.control.optimize(model, dt=0.025, cost=cost, **start)
    assert np.abs(model.difference(goal.q, run.q)).max() < 1e-3
    fine = bough.control.optimize(model, dt=0.0125, cost=cost, **start)
    assert np.abs(model.difference(goal.q, fine.q[::2])).max() < 1e-2  # between the rows along geodesics
    rotations = Rotation.from_quat(goal["base"], scalar_first=True)
    cost = [Effort(1e-6), Track({"base": rotations, "elbow": goal["elbow"]}, weight=1e3)]
    again = bough.control.optimize(model, dt=0.025, cost=cost, **start)
    assert np.abs(model.difference(run.q, again.q)).max() < 1e-6


def test_weights_of_a_feedback_by_the_name_of_a_ball(model: bough.Model) -> None:
    """A ball stands for its three turns, or its three rates."""
    q = {"elbow": 0.3}
    names = {f"base_w{axis}": weight for axis, weight in zip("xyz", (1.0, 2.0, 3.0), strict=True)}
    rates = {f"v.{name}": 0.5 for name in names}
    given = bough.control.lqr(model, q=q, Q={"base": (1.0, 2.0, 3.0), "v.base": 0.5, "elbow": 1.0})
    expected = bough.control.lqr(model, q=q, Q={**names, **rates, "elbow": 1.0})
    assert np.array_equal(given.K, expected.K)
    with pytest.raises(bough.ModelError, match="'base', which is a ball"):
        bough.control.lqr(model, q=q, Q={"base": (1.0, 2.0)})


def test_a_ball_and_a_frame_of_one_name() -> None:
    """The name is the ball's; three numbers, which may be a position too, are refused; a pose is the frame's."""
    system = bough.System("hull", gravity=None)
    system.world.floating("hull", name="hull", mass=2.0, inertia=(0.2, 0.3, 0.4))
    for axis in "xyz":
        system.add(bough.ConfigurationForce(f"hull_t{axis}", f"f{axis}"))
        system.add(bough.ConfigurationForce(f"hull_w{axis}", f"t{axis}"))
    model = system.build()
    still = {"hull_tx": 0.0, "hull_ty": 0.0, "hull_tz": 0.0}
    for target in (TURN, TURN.as_matrix(), TURN.as_quat(scalar_first=True)):
        run = bough.control.optimize(
            model, duration=1.0, dt=0.1, cost=Effort(1.0), end={"hull": target, **still}
        )
        assert (run.rotation("hull")[-1] * TURN.inv()).magnitude() < 1e-8
    pose = np.eye(4)
    pose[:3, 3] = (0.1, 0.2, 0.3)
    run = bough.control.optimize(model, duration=1.0, dt=0.1, cost=Effort(1.0), end={"hull": pose})
    assert np.abs(run.pose("hull")[-1] - pose).max() < 1e-8
    for arguments in (
        {"end": {"hull": (0.0, 0.0, 1.5)}},
        {"cost": [Effort(1.0), Track({"hull": (0.0, 0.0, 1.5)})]},
    ):
        with pytest.raises(bough.ModelError, match="'hull' names a ball and a frame"):
            bough.control.optimize(model, duration=1.0, dt=0.1, **{"cost": Effort(1.0), **arguments})
