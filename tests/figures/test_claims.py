"""What each figure shows, on shortened runs. Peers that are not installed are left out with a reason."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from bough.figures import figure, work_precision
from bough.figures.pendulum_runtime import LiteralStep
from bough.gallery import pendulum, scissor_lift, scissor_lift_angle
from bough.peers import mujoco, ode
from bough.simulate import simulate

# figures that compare methods take steps that are too long on purpose
pytestmark = pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")

needs_ode = pytest.mark.skipif(ode.installed_version() is None, reason=f"ODE {ode.MISSING}")
needs_mujoco = pytest.mark.skipif(mujoco.installed_version() is None, reason=f"MuJoCo {mujoco.MISSING}")


@cache
def short(name: str) -> dict[str, Any]:
    return figure(name).data(True)


def trend(t: np.ndarray, x: np.ndarray) -> float:
    """The change over the run of the line through x."""
    return float(np.polyfit(t, x, 1)[0] * (t[-1] - t[0]))


# --- [NM] Fig. 1-3 ---


def test_explicit_euler_gains_energy_while_the_variational_integrator_keeps_its_amplitude() -> None:
    data = short("pendulum_methods")
    assert np.abs(data["euler_fine"]).max() > 1.4  # from 1 rad, within 10 s
    assert np.abs(data["variational_fine"]).max() <= 1.0 + 1e-12
    assert np.abs(data["variational_fine"] - data["exact"]).max() < 2e-3
    # coarse steps: phase shifted, of full amplitude to the end
    assert np.abs(data["variational_coarse"] - data["exact"][::20]).max() > 0.1
    assert 0.95 < np.abs(data["variational_coarse"][-12:]).max() < 1.001


def test_orders_of_the_methods() -> None:
    data = short("pendulum_methods")
    ratio = np.log(data["step"][-2] / data["step"][-1])
    for name, order in (("euler", 1.0), ("variational", 2.0)):
        coarse, fine = data[f"{name}_error"][-2:]
        assert np.log(coarse / fine) / ratio == pytest.approx(order, abs=0.1)


# --- [JM09] Fig. 1 and 8 ---


def test_energy_of_the_pendulum_has_no_trend() -> None:
    data = short("pendulum_energy")
    for band in data["bough"].T:
        assert np.abs(band).max() < 2e-5  # of the energy released
        assert abs(trend(data["t"], band)) < 1e-9


@needs_ode
def test_ode_loses_the_energy_of_the_pendulum() -> None:
    data = short("pendulum_energy")
    greatest = data["ODE"][:, 1]
    assert np.all(np.diff(greatest) < 0.0)
    assert greatest[-1] < -0.15  # after 250 s


def test_energy_of_the_closed_chain_is_bounded() -> None:
    data = short("closed_chain_energy")
    above = data["bough"] - data["rest"]
    assert np.abs(above / above[0] - 1.0).max() < 0.02
    assert data["constraint"].max() < 1e-12


@needs_ode
@needs_mujoco
def test_ode_and_mujoco_damp_the_closed_chain() -> None:
    data = short("closed_chain_energy")
    start = data["bough"][0] - data["rest"]
    for name, left in (("ODE", 0.5), ("MuJoCo RK4", 0.95)):
        assert (data[name][-1] - data["rest"]) / start < left  # after 20 s


# --- [JM09] Fig. 11-13 ---


def test_the_lift_follows_the_exact_motion_through_the_singularity() -> None:
    data = short("scissor_lift_motion")
    error = np.abs(data["bough 0.01"] - data["exact"])
    assert data["bough 0.01"].max() > np.pi / 2 + 0.9  # it passed through and went on
    assert error.max() < 1e-2


@pytest.mark.parametrize("amplitude", [0.2, np.pi / 2 - 0.6])
def test_the_lift_over_ten_seconds(amplitude: float) -> None:
    """The midpoint rule's own error is one of phase, of second order; composed to order 4 it is small."""
    theta = np.pi / 2 - amplitude
    model = scissor_lift(5, theta=theta).build()
    errors = {}
    for dt, order in ((0.01, 2), (0.005, 2), (0.01, 4)):
        run = simulate(model, duration=10.0, dt=dt, order=order)
        errors[dt, order] = np.abs(run["theta"] - scissor_lift_angle(run.t, 5, theta=theta)).max()
        assert np.abs(model.constraint(run.q)).max() < 1e-12
    assert errors[0.01, 2] / errors[0.005, 2] == pytest.approx(4.0, rel=0.1)
    assert errors[0.01, 4] < (1e-3 if amplitude == 0.2 else 1e-2)


def test_the_lift_keeps_amplitude_and_shape_for_long() -> None:
    data = short("scissor_lift_long")
    assert data["constraint"] < 1e-12
    # the instants of 0.01 s miss the extremes by at most half a step: a = 3 rad/s^2, 3 (0.005 s)^2 / 2
    assert np.abs(data["least"] - 0.6).max() < 1e-3
    assert np.abs(data["greatest"] - (np.pi - 0.6)).max() < 1e-3
    # shape: moved in time, a period of it is that of the exact motion
    t, period = data["t"], 2.33
    shift = _phase(t, data["bough"]) - _phase(t, data["exact"])
    one = np.abs(t - _phase(t, data["bough"])) < period / 2
    assert np.abs(data["bough"] - scissor_lift_angle(t - shift, 5))[one].max() < 1e-2


def _phase(t: np.ndarray, theta: np.ndarray) -> float:
    """When theta first passes pi/2 upwards."""
    x = theta - np.pi / 2
    i = int(np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))[0])
    return float(t[i] - x[i] * (t[i + 1] - t[i]) / (x[i + 1] - x[i]))


@needs_ode
def test_ode_damps_the_lift() -> None:
    data = short("scissor_lift_motion")
    assert np.abs(data["ODE 0.01"] - data["exact"]).max() > 0.1
    away = [np.abs(data[name] - data["exact"]).max() for name in ("ODE 0.01", "ODE 0.001")]
    assert away[1] < 0.2 * away[0]  # it converges, but with first order


@needs_ode
def test_ode_needs_smaller_steps_for_the_same_error() -> None:
    data = short("scissor_lift_runtime")
    ours, theirs = np.array(data["bough"]), np.array(data["ODE"])
    assert np.all(theirs[:, 0] > 3.0 * ours[:, 0])
    assert theirs[1, 0] / theirs[0, 0] > 2.0 * ours[1, 0] / ours[0, 0]  # and scales worse


# --- [JM08] Fig. 3, [JM09] Fig. 7 ---


def test_the_literal_step_is_the_step_of_the_core() -> None:
    system = pendulum(3, inertia=0.1)
    run = simulate(system.build(), duration=0.05, dt=0.01)
    for cache_on in (True, False):
        literal = LiteralStep(system, cache_on)
        for _ in range(5):
            literal.step()
        assert np.abs(literal.q - run.q[-1]).max() < 1e-12
        assert np.abs(literal.p - run.p[-1]).max() < 1e-11


def test_the_recursion_without_caching_grows_fastest() -> None:
    """In calls of equations rather than seconds: with caching O(n^3) products a step, without O(n^4)."""
    counts = {}
    for n in (8, 16):
        for cache_on in (True, False):
            literal = LiteralStep(pendulum(n, inertia=0.1), cache_on)
            counts[n, cache_on] = _products(literal)
    assert counts[16, True] / counts[8, True] < 8.0
    assert counts[16, False] / counts[8, False] > 12.0
    assert counts[16, False] > 4.0 * counts[16, True]


def _products(literal: LiteralStep) -> int:
    """How often the transform of a frame is asked for in one evaluation of L_dqdq: once for each product."""
    paper, count = literal.paper, 0
    original = type(paper).g

    def counted(*arguments: Any) -> Any:
        nonlocal count
        count += 1
        return original(paper, *arguments)

    paper.g = counted  # type: ignore[method-assign]
    paper.at(literal.q, np.ones_like(literal.q))
    paper.L_dqdq()
    return count


# --- [NM] Fig. 4-6 ---


def test_the_cable_keeps_its_length() -> None:
    data = short("cable_snapshots")
    links = np.linalg.norm(np.diff(data["shapes"], axis=1), axis=2)
    assert np.abs(links - 0.2).max() < 1e-14
    assert np.abs(data["energy_change"]).max() < 0.03


def test_the_ends_of_the_elastic_cable_stay() -> None:
    data = short("elastic_cable")
    assert data["error"].max() < 1e-13
    assert np.abs(data["shapes"][:, -1] - (1.05, 0.0)).max() < 1e-13
    assert data["shapes"][-1, 5, 1] < -0.01  # it sags


# --- our own ---


def test_work_and_precision() -> None:
    data = short("work_precision")
    (case,) = data["cases"]
    errors = {
        key.partition("|")[2]: np.array(rows)[:, 0] for key, rows in data.items() if key.startswith(case)
    }
    for name in ("midpoint", "trapezoidal"):
        assert errors[name][0] / errors[name][1] == pytest.approx(4.0, rel=0.05)  # the steps are halved
    for name in ("ODE", "MuJoCo"):
        if name in errors:
            assert errors[name][-1] > 10.0 * errors["midpoint"][-1]


def test_work_and_precision_says_which_runs_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Point masses, which penalties do not take."""
    points = pendulum(1, angle=1.0).build()
    case = work_precision.Case(points, points, 0.5, ("bob1",), lambda: np.zeros((50, 1, 3)))
    monkeypatch.setattr(work_precision, "cases", lambda: {"points": case})
    monkeypatch.setattr(work_precision, "PEERS", ())
    data = work_precision.data(True)
    why = (
        "body 'bob1' has no rotational inertia about some axis, so that a spring at its joint would turn it"
        " infinitely fast"
    )
    lost = ["penalty-explicit", "penalty-implicit"]
    assert data["failures"] == [f"points|{name}: {why}" for name in lost for _ in range(2)]
    assert data["notes"] == [f"points: no {name}, because {why}" for name in lost]
    assert "points|midpoint" in data


def test_energy_of_the_marionette() -> None:
    data = short("marionette_energy")
    above = (data["bough"] - data["rest"]) / (data["bough"][0] - data["rest"])
    assert np.abs(above - 1.0).max() < 2e-3
    assert data["constraint"].max() < 1e-12


@needs_ode
def test_ode_loses_the_energy_of_the_marionette() -> None:
    data = short("marionette_energy")
    above = (data["ODE"] - data["rest"]) / (data["ODE"][0] - data["rest"])
    assert above[-1] < 0.95  # after 20 s
