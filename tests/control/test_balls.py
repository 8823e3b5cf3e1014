"""Control, estimation and identification of models with balls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from bough.control import Effort, Shooting, Track
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


@pytest.mark.parametrize("end", [{"hull": "aim"}, {"elbow": 0.3}, {"v.base_wx": 0.2}, None])
def test_derivatives_of_a_cost(model: bough.Model, aim: Array, end: dict[str, Any] | None) -> None:
    """The first and second by the controls, against differences."""
    given = None if end is None else {name: aim if value == "aim" else value for name, value in end.items()}
    cost = [Effort(1.0), Track({"hand": (0.3, 0.2, 0.1), "elbow": 0.1}, v={"elbow": 0.3})]
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
    ends = [problem.fun(x + s * h * d) for s in (1.0, -1.0, 2.0, -2.0)]
    slope = (8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12.0 * h)
    assert float(problem.jac(x) @ d) == pytest.approx(slope, rel=1e-8)
    one, minus, two, back = (problem.jac(x + s * h * d) for s in (1.0, -1.0, 2.0, -2.0))
    change = (8.0 * (one - minus) - (two - back)) / (12.0 * h)
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
    fit = bough.control.identify(model, data, parameters=["mass", "length"], q=start, fit_start=False)
    assert fit.values["mass"] == pytest.approx(0.62, rel=1e-8)
    assert fit.values["length"] == pytest.approx(0.33, rel=1e-8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lower": {"base_wx": -1.0}}, "'base_wx', which belongs to a ball"),
        ({"velocity": 3.0}, "'base_wx', which belongs to a ball"),
        ({"end": {"base_wx": 0.0}}, "base_wx"),
        ({"free_start": "elbow"}, r"free_start of control.optimize\(\)(.|\n)*balls"),
        ({"cost": Track({"base_wz": 0.0})}, "base_wz"),
        ({"guess": {"q": np.zeros((3, 5))}}, "configurations as guess"),
        ({"end": [0.0, 0.0, 0.0, 0.0, 0.0]}, "all variables as end"),
    ],
)
def test_refusals(model: bough.Model, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(bough.ModelError, match=message):
        bough.control.optimize(model, duration=0.2, dt=0.1, **{"cost": Effort(1.0), **arguments})
