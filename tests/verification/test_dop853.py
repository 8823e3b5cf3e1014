"""The method of Dormand and Prince in the core.

Truths: SciPy's implementation of the same formulas, step for step; the harmonic oscillator and the order of
the dense output; the elliptic integral of the pendulum.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import bough
from support.random_systems import Moving, random_system, with_all_transforms

CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "tree": ({"springs": False, "damping": False, "inputs": False}, {}),
    "springs, damping, inputs": ({}, {}),
    "constraints": ({"constraints": 3, "driven_length": True}, {}),
    "projected": ({"constraints": 3, "driven_length": True}, {"stabilization": "projection"}),
    "Baumgarte": ({"constraints": 3}, {"stabilization": ("baumgarte", 5.0, 5.0)}),
    "short steps": ({}, {"max_step": 0.005, "first_step": 1e-4}),
}


@cache
def system(case: str) -> Moving:
    return random_system(with_all_transforms(40, 9), 9, **CASES[case][0])


def both(model: bough.Model, start: dict[str, Any], **options: Any) -> list[bough.Trajectory]:
    """The run in the core and that of SciPy."""
    return [bough.simulate(model, **start, **options, integrator=name) for name in ("dop853", "scipy-dop853")]


@pytest.mark.parametrize("case", CASES)
def test_steps_of_scipy(case: str) -> None:
    """The same steps, accepted and evaluated alike: differences are those of round-off."""
    moving = system(case)
    options = {"duration": 0.5, "dt": 0.02, "rtol": 1e-9, "atol": 1e-11, **CASES[case][1]}
    own, scipy = both(moving.model, moving.start, **options)
    if options.get("stabilization") != "projection":  # SciPy's run ends a step at every instant
        assert own.statistics["steps"] == scipy.statistics["steps"]
        assert own.statistics["evaluations"] == scipy.statistics["evaluations"]
    scale = np.abs(scipy.v).max()
    assert np.abs(own.q - scipy.q).max() < 1e-8 * scale
    assert np.abs(own.v - scipy.v).max() < 1e-7 * scale
    if "stabilization" not in options:
        assert np.abs(own.q - scipy.q).max() < 1e-11 * scale
    if options.get("stabilization") == "projection":
        assert np.abs(own.constraint_error()).max() < 1e-13


def oscillator(spring: float = 4.0) -> bough.Model:
    built = bough.System("oscillator", gravity=(0.0, 0.0, 0.0))
    built.world.tx("x", name="mass", mass=1.0)
    built.add(bough.ConfigurationSpring("x", stiffness=spring))
    built.add(bough.ConfigurationForce("x", "push"))
    return built.build()


def test_order_of_a_step_and_of_the_dense_output() -> None:
    """One step of length h, tolerances out of the way: error h⁹ at its end, h⁸ within."""
    model, ends, within = oscillator(), [], []
    for h in (0.4, 0.2):
        options = {"rtol": 1e3, "atol": 1e3, "first_step": h, "max_step": h}
        run = bough.simulate(model, q=[1.0], duration=h, dt=h / 8, integrator="dop853", **options)
        assert run.statistics["steps"] == 1
        errors = (run["x"] - np.cos(2.0 * run.t), 0.5 * run["v.x"] + np.sin(2.0 * run.t))
        error = np.abs(errors).max(axis=0)
        ends.append(error[-1])
        within.append(error[1:-1].max())
    assert np.log2(ends[0] / ends[1]) == pytest.approx(9.0, abs=0.2)
    assert np.log2(within[0] / within[1]) == pytest.approx(8.0, abs=0.2)


def test_pendulum_against_the_elliptic_integral() -> None:
    built = bough.System("pendulum")
    built.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    run = bough.simulate(
        built.build(), q=[2.0], duration=10.0, dt=0.01, integrator="dop853", rtol=1e-12, atol=1e-14
    )
    modulus = np.sin(1.0) ** 2
    sn = ellipj(ellipk(modulus) - np.sqrt(9.81) * run.t, modulus)[0]
    assert np.abs(run["angle"] - 2.0 * np.arcsin(np.sin(1.0) * sn)).max() < 1e-10


@pytest.mark.parametrize(
    "u", [[0.7], np.linspace(0.0, 1.0, 50)[:, None], lambda t: [np.sin(t)], lambda t, state: [-state.v[0]]]
)
@pytest.mark.filterwarnings(r"ignore:u of '\w+' is held during each dt")  # by both
def test_inputs(u: Any) -> None:
    own, scipy = both(oscillator(), {"q": [1.0], "u": u}, duration=1.0, dt=0.02)
    assert np.abs(own.q - scipy.q).max() < 1e-12
    assert np.abs(own.u - scipy.u).max() < 1e-12


def test_kinematic_variables() -> None:
    """Their spline in the core is that of SciPy, value, rate and acceleration."""
    built = bough.System("driven")
    built.world.tx(bough.kinematic("x")).ry("angle").tz(-1.0, mass=1.0)
    start = {"q": {"angle": 0.4}, "k": {"x": lambda t: 0.3 * np.sin(3.0 * t)}}
    dt = 0.05
    own, scipy = both(built.build(), start, duration=0.5, dt=dt, every=3, rtol=1e-13, atol=1e-15)
    assert np.abs(own.q - scipy.q).max() < 1e-13
    round_off = (
        0.3 * np.finfo(float).eps / dt**2
    )  # of k, in the acceleration of its spline, which acts for ten steps
    assert np.abs(own.v - scipy.v).max() < 10.0 * round_off


def test_only_kinematic_variables() -> None:
    built = bough.System("moved")
    built.world.tx(bough.kinematic("x"), name="slide", mass=1.0)
    run = bough.simulate(
        built.build(), k={"x": lambda t: t**2}, duration=1.0, dt=0.1, integrator="dop853", rtol=1e-9
    )
    assert np.allclose(run["x"], run.t**2, atol=1e-14)
    assert np.allclose(run["v.x"], 2.0 * run.t, atol=1e-12)


def test_repeats_bit_for_bit_after_a_failure() -> None:
    """A run that ended early is repeated with the same steps, not with one cut short at its end."""
    built = bough.System("mass", gravity=(0.0, 0.0, 0.0))
    built.world.tx("x", mass=1.0)
    built.add(bough.ConfigurationForce("x", "push"))
    model = built.build()

    def push(t: float, state: bough.State) -> list[float]:
        if t > 0.7:
            raise RuntimeError("stop")
        return [state.q[0]]

    with pytest.raises(RuntimeError) as stopped:
        bough.simulate(model, q=[1.0], u=push, duration=1.0, dt=0.1, integrator="dop853")
    run = stopped.value.trajectory  # type: ignore[attr-defined]
    assert len(run) == 8
    assert run.rerun() == run


def test_tolerance_below_round_off_warns() -> None:
    with pytest.warns(bough.BoughWarning, match="below round-off"):
        bough.simulate(oscillator(), q=[1.0], duration=0.1, integrator="dop853", rtol=1e-16, atol=1e-18)


@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-12])
def test_tolerance_is_followed(rtol: float) -> None:
    run = bough.simulate(
        oscillator(), q=[1.0], duration=20.0, dt=0.5, integrator="dop853", rtol=rtol, atol=rtol
    )
    assert np.abs(run["x"] - np.cos(2.0 * run.t)).max() < 100.0 * rtol
