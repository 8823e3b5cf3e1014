"""Controllers that are unstable because their output is held for a step: the error names the input."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.motion.feedback import grown_inputs
from bough.motion.inputs import Inputs


def slide() -> bough.Model:
    """An arm whose joint is driven by a torque."""
    system = bough.System("arm")
    system.world.ry("shoulder").tz(-0.5, mass=1.0).ry("elbow").tz(-0.5, mass=1.0)
    system.add(bough.ConfigurationForce("shoulder", "shoulder torque"))
    system.add(bough.ConfigurationForce("elbow", "elbow torque"))
    return system.build()


@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")
def test_a_loop_that_grows_is_blamed() -> None:
    """kd dt / M is 7 and more: each step multiplies the velocity."""
    target = np.array([0.5, 0.2])
    with pytest.raises(bough.ConvergenceError) as caught:
        bough.simulate(
            slide(),
            u=lambda t, state: 2000.0 * (target - state.q) - 200.0 * state.v,
            duration=2.0,
            dt=0.01,
        )
    error = caught.value
    assert "; before it, feedback drove input " in error.found
    assert error.found.endswith(
        "inputs are held for a step, and a loop whose gains are high for dt = 0.01 grows until a step fails"
    )
    assert error.do.startswith(
        "lower the gains or take a smaller dt; or let bough.Servo(variable, kp, kd, ...)"
    )
    sizes = np.abs(error.trajectory.u).max(axis=1)
    assert sizes[-1] > 10.0 * sizes[0]


@pytest.mark.parametrize(
    ("kp", "kd", "dt"),
    [
        pytest.param(1e4, 100.0, 0.01, id="the second step fails"),
        pytest.param(1e3, 30.0, 0.01, id="the third step fails"),
        pytest.param(1e3, 200.0, 0.001, id="limited for most of the run"),
        pytest.param(200.0, 20.0, 0.01, id="grows to the end"),
    ],
)
def test_every_loop_that_grows_is_blamed(kp: float, kd: float, dt: float) -> None:
    system = bough.System("arm")
    link, pose = system.world, np.array([0.9, -0.6, 0.4])
    for i in range(3):
        link = link.ry(f"joint{i}").tz(-0.4, mass=1.0, inertia=(0.02, 0.02, 0.002))
        system.add(bough.ConfigurationForce(f"joint{i}", f"torque{i}"))
    with pytest.raises(bough.ConvergenceError, match="inputs are held for a step"):
        bough.simulate(
            system.build(),
            u=lambda t, state: kp * (pose - state.q) - kd * state.v,
            duration=3.0,
            dt=dt,
        )


def test_inputs_that_rise_once_and_keep_their_sign_are_not_blamed() -> None:
    """A target that moves makes inputs a hundred times larger, of a loop that is stable."""
    rows = np.concatenate([np.full((4, 1), 0.1), np.full((16, 1), 10.0)])
    feedback = Inputs(rows, function=lambda t, state: rows[0])
    assert grown_inputs(["torque"], feedback, 19) == []
    rows[4:] *= (-1.0) ** np.arange(16)[:, None]
    assert grown_inputs(["torque"], feedback, 19) == [("torque", 0.1, 10.0, True)]


def test_a_failure_without_growth_is_not() -> None:
    """The same failure from inputs that are large from the start, or not from feedback at all."""
    for u in (lambda t, state: [1e7, -1e7], [1e7, -1e7]):
        with pytest.raises(bough.ConvergenceError) as caught:
            bough.simulate(slide(), u=u, duration=2.0, dt=0.01, max_halvings=0)
        assert "feedback" not in caught.value.found
        assert "Servo" not in caught.value.do


def two_joints() -> bough.Model:
    system = bough.System("arm", gravity=None)
    upper = system.world.ry("shoulder").tz(-0.5, mass=1.0, inertia=(0.02, 0.02, 0.002))
    upper.ry("elbow").tz(-0.5, mass=1.0, inertia=(0.02, 0.02, 0.002))
    system.add(bough.ConfigurationForce("shoulder", "shoulder torque"))
    system.add(bough.ConfigurationForce("elbow", "elbow torque"))
    return system.build()


def gains(unstable: int) -> tuple[np.ndarray, np.ndarray]:
    """Of two stable loops, one with a damping a hundred times what dt = 0.01 allows."""
    kp, kd = np.array([5.0, 2.0]), np.array([1.0, 0.3])
    kd[unstable] *= 300.0
    return kp, kd


@pytest.mark.parametrize("start", [(0.3, 0.2), (0.0, 0.2), (0.3, 0.0)])
@pytest.mark.parametrize("unstable", [0, 1])
def test_the_unstable_input_is_named(unstable: int, start: tuple[float, float]) -> None:
    """The other one, stable by itself, is driven through the coupling and may grow by a larger factor.

    Round-off decides whether a step of the motion that tumbles by then fails, or the run ends far off its energy.
    """
    kp, kd = gains(unstable)
    with pytest.raises((bough.ConvergenceError, bough.CoarseStepWarning)) as caught:
        bough.simulate(
            two_joints(), start, u=lambda t, state: -kp * state.q - kd * state.v, duration=3.0, dt=0.01
        )
    name = ("shoulder torque", "elbow torque")[unstable]
    assert f"feedback drove input {name!r} from " in str(caught.value)
    assert "; or let bough.Servo(variable, kp, kd, ...) hold the variable" in str(caught.value)


def test_a_loop_that_grew_and_then_tumbles_is_blamed() -> None:
    """Its sign changes while it grows, and no more in the motion that it comes to; a moved target does not do that."""
    grown = 0.1 * (-9.0) ** np.arange(8)
    rows = np.concatenate([grown, np.full(40, grown[-1])])[:, None]
    (found,) = grown_inputs(["torque"], Inputs(rows, function=lambda t, state: rows[0]), 47)
    assert (found.before, found.now, found.alternates) == (0.1, abs(grown[-1]), True)
    rows = np.abs(rows)
    assert grown_inputs(["torque"], Inputs(rows, function=lambda t, state: rows[0]), 47) == []


@pytest.mark.parametrize("unstable", [0, 1])
@pytest.mark.parametrize("kind", ["step", "runner", "reduced"])
def test_single_steps_speak_of_held_inputs(kind: str, unstable: int) -> None:
    model, (kp, kd) = two_joints(), gains(unstable)
    if kind == "reduced":
        vi: bough.ReducedVI | bough.MidpointVI = bough.ReducedVI(model, 0.01, max_halvings=0)
    else:
        vi = bough.MidpointVI(model, 0.01, max_halvings=0)
    state = vi.start(q=[0.3, 0.2])
    runner = vi.runner(state) if isinstance(vi, bough.MidpointVI) else None

    def go_on() -> None:
        nonlocal state
        for _ in range(300):
            if kind == "runner":
                assert runner is not None
                runner.step(-kp * runner.q - kd * runner.v)
            else:
                state = vi.step(state, -kp * state.q - kd * state.v)

    with pytest.raises(bough.ConvergenceError) as caught:
        go_on()
    name = ("shoulder torque", "elbow torque")[unstable]
    assert f"; input {name!r} = " in caught.value.found
    assert " is held for the step, in which alone it gives " in caught.value.found
    assert "if u is feedback, lower its gains, or let bough.Servo(" in caught.value.do


@pytest.mark.parametrize("kind", ["step", "simulate"])
def test_inputs_of_a_model_with_a_ball_are_blamed_too(kind: str) -> None:
    """q of a ball has more numbers than v."""
    system = bough.System("top", gravity=None)
    system.world.ball("top", name="top", mass=1.0, inertia=(0.1, 0.2, 0.15)).tx(0.3).ry("wheel").tx(
        0.2, mass=0.3, inertia=(0.01, 0.01, 0.01)
    )
    system.add(bough.ConfigurationForce("wheel", "motor"))
    system.add(bough.ConfigurationForce("top_wx", "spin"))
    model = system.build()
    start = {"wheel": 0.3}

    def drive(state: bough.State) -> np.ndarray:
        return np.array([-400.0 * state.q["wheel"] - 90.0 * state.v["wheel"], 0.1])

    def by_hand() -> None:
        vi = bough.MidpointVI(model, 0.02)
        state = vi.start(q=start)
        for _ in range(300):
            state = vi.step(state, drive(state))

    def simulated() -> None:
        bough.simulate(model, start, u=lambda t, state: drive(state), duration=6.0, dt=0.02)

    with pytest.raises(bough.ConvergenceError) as caught:
        {"step": by_hand, "simulate": simulated}[kind]()
    assert "input 'motor'" in caught.value.found


def test_a_step_that_fails_without_inputs_does_not_speak_of_them() -> None:
    vi = bough.MidpointVI(two_joints(), 1.0, max_halvings=0, max_iterations=1)
    state = vi.start(q=[0.3, 0.2], v=[300.0, -500.0])
    for u in (None, [1e-3, 1e-3]):
        with pytest.raises(bough.ConvergenceError) as caught:
            vi.step(state, u)
        assert "held" not in caught.value.found
        assert "Servo" not in caught.value.do
