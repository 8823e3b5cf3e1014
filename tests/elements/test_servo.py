"""Servos: their law, their limits, loops of any gain, and the same loop integrated by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import bough
from bough import Servo, System
from bough.io.system_file import parse_system, system_text
from support.messages import Case, check_message

G, LENGTH, MASS = 9.81, 0.5, 2.0


def pendulum(**servo: Any) -> System:
    """A point mass on a rod; the load on the joint at angle q is m g l sin q."""
    system = System("pendulum", gravity=(0, 0, -G))
    system.world.ry("a").tz(-LENGTH, name="bob", mass=MASS)
    system.add(Servo("a", **servo))
    return system


def arm(links: int, seed: int, *, closed: bool = False, shared: bool = False, **servo: Any) -> System:
    """A chain that turns about changing axes, with a servo on every joint."""
    rng = np.random.default_rng(seed)
    system = System("arm")
    frame = system.world
    for i in range(links):
        joint = (frame.ry, frame.rx, frame.rz)[int(rng.integers(3))](f"a{i}")
        frame = joint.tz(-0.4, name=f"l{i}", mass=float(rng.uniform(0.3, 2.0)), inertia=(0.02, 0.03, 0.02))
        system.add(Servo(f"a{i}", target=f"r{i}", **servo))
    if closed:
        system.add(bough.ConfigurationSpring("a0", 3.0))
        system.add(bough.GearConstraint({"a1": 1.0, f"a{links - 1}": -1.0}))
    if shared:
        frame.ry("a1", ratio=0.5).tz(-0.3, mass=0.4, inertia=(0.02, 0.03, 0.02))
    return system


def test_the_law_and_its_limits() -> None:
    system = pendulum(kp=30.0, kd=2.0, target="r", effort=9.0, target_rate="s")
    system.world.tx("x", mass=1.0)
    model = system.build()
    assert model.inputs == ("r", "s")
    rng = np.random.default_rng(0)
    for _ in range(50):
        (q, v, r, s) = rng.normal(size=4)
        given = 30.0 * (r - q) + 2.0 * (s - v)
        force = model.generalized_force({"a": q}, {"a": v}, u=[r, s])
        assert force == pytest.approx([np.clip(given, -9.0, 9.0), 0.0], rel=1e-14)
        slope = float(abs(given) < 9.0)
        assert model.generalized_force_dq({"a": q}, {"a": v}, u=[r, s])[0, 0] == -30.0 * slope
        assert model.generalized_force_dv({"a": q}, {"a": v}, u=[r, s])[0, 0] == -2.0 * slope


def test_a_kinematic_target_brings_its_rate() -> None:
    model = pendulum(kp=30.0, kd=2.0, target=bough.kinematic("r")).build()
    q, v = {"a": 0.2, "r": 0.5}, {"a": -0.1, "r": 0.7}
    assert model.generalized_force(q, v)[0] == pytest.approx(30.0 * 0.3 + 2.0 * 0.8)
    assert model.generalized_force_dq(q, v)[0] == pytest.approx([-30.0, 30.0])
    assert model.generalized_force_dv(q, v)[0] == pytest.approx([-2.0, 2.0])
    still = pendulum(kp=30.0, kd=2.0, target=bough.kinematic("r"), target_rate=0.0).build()
    assert still.generalized_force(q, v)[0] == pytest.approx(30.0 * 0.3 + 2.0 * 0.1)
    assert still.generalized_force_dv(q, v)[0] == pytest.approx([-2.0, 0.0])


@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")  # a target that jumps is not resolved
@pytest.mark.parametrize("gains", [(1e8, 1e5), (1e5, 1e6), (1e12, 1e2), (1e4, 30.0), (300.0, 20.0)])
def test_any_gain_at_any_step_settles_where_the_load_is_carried(gains: tuple[float, float]) -> None:
    kp, kd = gains
    model = pendulum(kp=kp, kd=kd, target=1.0).build()
    run = bough.simulate(model, duration=max(4.0, 25.0 * kd / kp), dt=0.01)
    rest = run.q[-1, 0]
    load = MASS * G * LENGTH * np.sin(rest)
    # what q itself resolves is 1e-16: times kp, as a part of the load
    assert kp * (1.0 - rest) == pytest.approx(load, rel=1e-6 + 4e-16 * kp / load)
    resolved = 2.2e-16 * kp * 0.01 / (MASS * LENGTH**2)  # the velocity that a last digit of q is worth
    assert np.abs(run.v[-20:]).max() < 1e-6 + 2.0 * resolved
    assert np.abs(run.q).max() < 2.1  # of a step of the target by 1 rad


def test_chains_with_stiff_servos_hold_their_pose() -> None:
    for seed in range(6):
        targets = np.random.default_rng(seed).uniform(-0.8, 0.8, 5)
        for options in ({}, {"closed": True}, {"shared": True}):
            model = arm(5, seed, kp=1e8, kd=1e5, effort=400.0, **options).build()
            u = targets.copy()
            if "closed" in options:
                u[4] = u[1]  # the gear holds both at one angle
            run = bough.simulate(model, u=u, duration=4.0, dt=0.01)
            assert np.abs(run.q[-1] - u).max() < 400.0 / 1e8, (seed, options)
            assert np.abs(run.v[-1]).max() < 1e-3, (seed, options)


def test_the_effort_is_kept_to_the_last_digit() -> None:
    """Far from its target a servo is a constant force."""
    system, other = System("slide", gravity=None), System("slide", gravity=None)
    for made in (system, other):
        made.world.tx("x", mass=3.0)
    system.add(Servo("x", 40.0, 3.0, target=100.0, effort=7.0))
    other.add(bough.ConfigurationForce("x", 7.0))
    limited, constant = (bough.simulate(made.build(), duration=2.0, dt=0.01) for made in (system, other))
    assert np.abs(limited.q - constant.q).max() < 1e-13
    stiff = System("slide", gravity=None)
    stiff.world.tx("x", mass=3.0)
    stiff.add(Servo("x", 1e8, 1e5, target=100.0, effort=7.0))
    impulses = np.diff(bough.simulate(stiff.build(), duration=2.0, dt=0.01).p[:, 0])
    assert impulses[1:] == pytest.approx(7.0 * 0.01, rel=1e-12)


def closed_loop(kp: float, kd: float, effort: float, target: float, duration: float) -> np.ndarray:
    """The pendulum with its loop, written out and integrated by SciPy."""

    def rate(t: float, y: np.ndarray) -> list[float]:
        force = np.clip(kp * (target - y[0]) - kd * y[1], -effort, effort)
        return [y[1], (force - MASS * G * LENGTH * np.sin(y[0])) / (MASS * LENGTH**2)]

    times = np.linspace(0.0, duration, 11)
    out = solve_ivp(rate, (0.0, duration), [0.0, 0.0], "Radau", times, rtol=1e-10, atol=1e-12, max_step=1e-3)
    return np.asarray(out.y.T)


@pytest.mark.parametrize("loop", [(60.0, 6.0, 1e9), (400.0, 10.0, 12.0), (3000.0, 200.0, 15.0)])
def test_the_loop_of_a_small_step_is_the_one_integrated_by_hand(loop: tuple[float, float, float]) -> None:
    kp, kd, effort = loop
    expected = closed_loop(kp, kd, effort, 0.9, 1.0)
    model = pendulum(kp=kp, kd=kd, target=0.9, effort=effort).build()
    errors = []
    for dt in (0.002, 0.001, 0.0005):
        run = bough.simulate(model, duration=1.0, dt=dt, every=round(0.1 / dt))
        errors.append(np.abs(run.q - expected[:, :1]).max())
    assert errors[-1] < 1e-4
    # second order; a limit that is left within a step makes the error of single runs irregular
    assert errors[0] / errors[2] > (12.0 if effort > 1e6 else 6.0), errors


METHODS: dict[str, tuple[dict[str, Any], float]] = {
    "midpoint": ({}, 1e-4),
    "trapezoidal": ({}, 1e-4),
    "implicit-midpoint": ({}, 1e-4),
    "rk4": ({}, 2e-5),
    "semi-implicit-euler": ({}, 2e-2),
    "reduced": ({}, 1e-4),
    "dop853": ({}, 1e-7),
    "radau": ({}, 1e-6),
    "lsoda": ({}, 1e-6),
}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_the_servo(method: str) -> None:
    options, bound = METHODS[method]
    expected = closed_loop(400.0, 10.0, 12.0, 0.9, 1.0)
    model = pendulum(kp=400.0, kd=10.0, target=0.9, effort=12.0).build()
    run = bough.simulate(model, duration=1.0, dt=0.001, every=100, integrator=method, **options)
    assert np.abs(run.q - expected[:, :1]).max() < bound


@pytest.mark.parametrize(
    "method", ["trapezoidal", "reduced", "semi-implicit-euler", "rk4", "implicit-midpoint", "midpoint"]
)
def test_gains_that_only_the_midpoint_rule_takes_are_refused_elsewhere(method: str) -> None:
    """m = 0.5 kg m²: kd dt / 2m is one at dt = 0.01 s for 100 N m s."""
    options: dict[str, Any] = {"duration": 0.1, "integrator": method}
    if method == "midpoint":
        options["order"] = 4
    fine = bough.simulate(pendulum(kp=0.0, kd=99.0).build(), dt=0.01, **options)
    assert fine.status == "finished"
    words = "integrator='midpoint' of order 4" if method == "midpoint" else f"integrator={method!r}"
    with pytest.raises(bough.ModelError, match=r"too high for this step"):  # a gear of two: 400 at the joint
        bough.simulate(pendulum(kp=0.0, kd=99.0, gear=2.0).build(), dt=0.01, **options)
    check_message(
        lambda: bough.simulate(pendulum(kp=0.0, kd=200.0, name="motor").build(), dt=0.01, **options),
        f"{words} and dt=0.01 in a simulation of model 'pendulum'",
        "Servo 'motor' on 'a' has gains that are too high for this step: with this method it would chatter or"
        " grow above dt = 0.005",
        "use integrator='midpoint', of order 2, which is stable at any gain, or a smaller dt",
    )


@pytest.mark.parametrize("method", ["velocity", "penalty-implicit", "penalty-explicit"])
def test_maximal_coordinates_refuse_it_by_name(method: str) -> None:
    system = System("slide")
    system.world.ry("a").tz(-1.0, mass=1.0, inertia=(1, 1, 1))
    system.add(Servo("a", 1.0, 1.0, name="motor"))
    with pytest.raises(bough.ModelError, match=r"Servo 'motor' on 'a': maximal coordinates take forces"):
        bough.simulate(system.build(), duration=0.1, dt=0.01, integrator=method)


@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")  # a target that jumps is not resolved
@pytest.mark.parametrize("seed", range(40))
def test_newton_converges_wherever_servos_saturate(seed: int) -> None:
    """Random arms, gains over ten decades, limits that are met often, targets that jump every ten steps."""
    rng = np.random.default_rng([seed, 7])
    links, steps = int(rng.integers(1, 9)), 120
    kp, kd = 10.0 ** rng.uniform(1.0, 9.0), 10.0 ** rng.uniform(-1.0, 6.0)
    options = ({}, {"closed": True}, {"shared": True})[seed % 3] if links > 2 else {}
    model = arm(links, seed, kp=kp, kd=kd, effort=10.0 ** rng.uniform(-0.5, 2.0), **options).build()
    targets = np.repeat(rng.uniform(-1.0, 1.0, (steps // 10, links)), 10, axis=0)
    if "closed" in options:
        targets[:, links - 1] = targets[:, 1]
    run = bough.simulate(model, u=targets, duration=steps * 0.005, dt=0.005)
    assert run.status == "finished"
    assert run.statistics["halvings"] <= 3, run.statistics
    assert run.statistics["iterations"] < 12 * steps, run.statistics


def test_stepping_by_hand_is_the_run() -> None:
    """What a stiff servo keeps between steps is in the state."""
    model = arm(3, 1, kp=1e6, kd=1e3, effort=30.0).build()
    u = np.array([0.4, -0.3, 0.8])
    run = bough.simulate(model, u=u, duration=0.5, dt=0.01)
    vi = bough.MidpointVI(model, dt=0.01)
    state = vi.start(q=run.q[0], v=run.v[0])
    for row in range(1, len(run)):
        state = vi.step(state, u=u)
        assert np.abs(state.q - run.q[row]).max() < 1e-9  # of a tolerance relative to forces of kp
        assert np.abs(state.p - run.p[row]).max() < 1e-6


def test_files_hold_servos() -> None:
    system = pendulum(kp=30.0, kd=2.0, target="r", effort=9.0, name="motor")
    system.add(Servo("a", 1.0, 0.0, target=0.4, target_rate=2.0))
    system.add(Servo("a", 0.0, 1.0, target=bough.kinematic("lead")))
    text = system_text(system)
    assert '(servo "a" (name "motor") (kp 30) (kd 2) (target "r") (effort 9))' in text.replace("\n    ", " ")
    again = parse_system(text)
    assert again.to_dict()["elements"] == system.to_dict()["elements"]
    assert "Servo" in str(again.build())
    assert "motor" in str(again.build())


CASES: dict[str, Case] = {
    "negative gain": (
        lambda: Servo("a", -1.0, 0.0),
        "kp=-1.0 in Servo",
        "kp is negative",
        "give kp as zero or more, in N m/rad or N/m",
    ),
    "no gain": (
        lambda: Servo("a", 0.0, 0.0, name="idle"),
        "Servo 'idle'",
        "kp and kd are both zero, so that it does nothing",
        "give kp, kd or both above zero",
    ),
    "no effort": (
        lambda: Servo("a", 1.0, 0.0, effort=0.0),
        "effort=0.0 in Servo",
        "effort is not above zero",
        "give the largest force, in N m or N, or leave effort out for no limit",
    ),
    "target of a list": (
        lambda: Servo("a", 1.0, 0.0, target=[1.0]),  # type: ignore[arg-type]
        "target=[1.0] in Servo",
        "neither a number, the name of an input nor a kinematic variable",
        "give a number (constant), a string (input) or bough.kinematic('name')",
    ),
    "unknown variable": (
        lambda: pendulum(kp=1.0, kd=1.0).add(Servo("b", 1.0, 1.0)),
        "variable 'b' in field 'variable' of Servo",
        "no variable has this name; the names are 'a'",
        "use one of these names",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_messages(case: str) -> None:
    check_message(*CASES[case])
