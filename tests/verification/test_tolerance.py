"""Steps chosen by a tolerance.

Truths: energies and the angular momentum that a motion keeps, its way back, the closed form of an orbit, and a
run with a hundred times smaller tolerance.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough._core import core
from bough.integrators.density_run import DensityRun, pairs
from support.messages import check_message
from support.transforms import Array

ECCENTRICITY = 0.9


@cache
def kepler() -> bough.Model:
    system = bough.System("kepler", gravity=None)
    body = system.world.tx("x").ty("y", name="planet", mass=1.0)
    system.add(bough.CentralGravity("world", body, mu=1.0))
    return system.build()


@cache
def double_pendulum(damping: float = 0.0) -> bough.Model:
    system = bough.System("double pendulum")
    elbow = system.world.ry("upper").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("lower").tz(-1.0, name="tip", mass=1.0)
    if damping:
        system.add(bough.Damping(damping))
    return system.build()


def orbit(orbits: float, **options: Any) -> bough.Trajectory:
    """From the farthest point, with a half axis of one: a period of 2 pi."""
    e = ECCENTRICITY
    start = {"q": [1.0 + e, 0.0], "v": [0.0, np.sqrt((1.0 - e) / (1.0 + e))]}
    return bough.simulate(kepler(), **start, duration=2.0 * np.pi * orbits, **options)


PLACES = np.linspace(-0.5, 0.5, 40)  # of the means of forty parts of a run


def means(values: Array) -> Array:
    return np.array([part.mean() for part in np.array_split(values, len(PLACES))])


def slope(values: Array) -> float:
    """The change over a run by a straight line through it."""
    return float(PLACES @ means(values) / (PLACES @ PLACES))


def trend(run: bough.Trajectory) -> float:
    """The change of the energy over a run, in standard errors."""
    energy = run.energy()
    left = means(energy) - means(energy).mean() - slope(energy) * PLACES
    return abs(slope(energy)) / float(left.std(ddof=2) / np.sqrt(PLACES @ PLACES))


@pytest.mark.parametrize("orbits", [60, pytest.param(3000, marks=pytest.mark.verify)])
def test_orbit_keeps_its_energy(orbits: int) -> None:
    run = orbit(orbits, tol=1e-8, every=7)
    energy = run.energy()
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-7
    assert trend(run) < 3.0
    assert run.statistics["resets"] == 0
    steps = np.diff(orbit(1, tol=1e-8).t)[:-1]
    assert steps.max() / steps.min() > 20.0  # longest far away, shortest near by
    momentum = run.angular_momentum()[:, 2]
    assert np.abs(momentum / momentum[0] - 1.0).max() < 1e-11
    assert run.settings["control"] == "reversible"


@pytest.mark.parametrize("duration", [100.0, pytest.param(2000.0, marks=pytest.mark.verify)])
def test_chaotic_double_pendulum_keeps_its_energy(duration: float) -> None:
    run = bough.simulate(double_pendulum(), q=[2.0, 1.0], duration=duration, tol=1e-8)
    change = np.abs(run.energy() - run.energy()[0]) / run.kinetic_energy().max()
    assert change.max() < 1e-7
    assert run.statistics["resets"] == 0  # (SD4)


@pytest.mark.verify
def test_a_slowest_rate_that_is_too_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers of (SD4) in docs/theory/variational.md: too small a w0 loses the density where bodies turn back."""
    found = {}
    reference = {"kinetic": 1.0, "speed": 1.0}
    for rate in (0.7, 2.5):
        monkeypatch.setattr(
            DensityRun, "_pilot", lambda _, rate=rate: {"epsilon": 0.15, "rate": rate, **reference}
        )
        run = bough.simulate(double_pendulum(), q=[2.0, 1.0], duration=2000.0, tol=1e-8)
        change = np.abs(run.energy() - run.energy()[0]).max() / run.kinetic_energy().max()
        found[rate] = run.statistics["steps"], run.statistics["resets"], change
    assert found[0.7][1] > 10
    assert found[0.7][2] > 1e-6
    assert found[2.5][1] == 0
    assert found[2.5][2] < 1e-9


@pytest.mark.verify
def test_energy_of_chaotic_motions_walks_either_way() -> None:
    """The energy of a chaotic motion takes a random walk: its change has no sign over many starts."""
    changes = []
    for start in np.random.default_rng(5).uniform(-2.5, 2.5, (24, 2)):
        run = bough.simulate(double_pendulum(), q=start, duration=2000.0, tol=1e-8)
        energy = run.energy() / run.kinetic_energy().max()
        assert np.abs(energy - energy[0]).max() < 1e-6
        changes.append(slope(energy))
    assert abs(np.mean(changes)) < 3.0 * np.std(changes, ddof=1) / np.sqrt(len(changes))


def test_tolerance_is_followed() -> None:
    """Errors after two orbits fall with the tolerance, of order 2s in eps: ten-fold with ten-fold."""
    errors = []
    for tol in (1e-7, 1e-8, 1e-9):
        run = orbit(2.0, tol=tol, order=6)
        errors.append(np.hypot(run.q[-1, 0] - (1.0 + ECCENTRICITY), run.q[-1, 1]))
    slopes = np.log10(np.array(errors[:-1]) / errors[1:])
    assert np.abs(slopes - 1.0).max() < 0.25, errors
    chosen = [orbit(0.1, tol=tol, order=6).settings["epsilon"] for tol in (1e-7, 1e-8)]
    assert np.log10(chosen[0] / chosen[1]) == pytest.approx(1.0 / 6.0, rel=1e-6)


def test_there_and_back() -> None:
    """50 steps, velocities turned, the density kept: back at the start."""
    model = double_pendulum()
    vi = bough.MidpointVI(model, 0.01, order=6)
    stepper = vi.new_stepper()
    density = core.StepDensity(model._core, pairs(model), 0.1, 1.0)
    q0 = np.array([2.0, 1.0])
    p0 = model.momentum(q0, [0.3, -0.5])
    buffers = (np.empty(50), np.empty((50, 2)), np.empty((50, 2)))
    stepper.start(0.0, q0, p0, np.zeros(0))
    assert density.run(stepper, 50, np.inf, np.zeros(0), *buffers)[1] == 50
    t, q, p = buffers[0][-1], buffers[1][-1].copy(), buffers[2][-1].copy()
    density.length(t, q, p, np.zeros(0), 2, 2)  # the density of the step that would follow
    stepper.start(0.0, q, -p, np.zeros(0))
    assert density.run(stepper, 50, np.inf, np.zeros(0), *buffers)[1] == 50
    assert buffers[0][-1] == pytest.approx(t, abs=1e-11)
    assert np.abs(buffers[1][-1] - q0).max() < 1e-11
    assert np.abs(buffers[2][-1] + p0).max() < 1e-11


def test_reruns_files_events_and_instants(tmp_path: Path) -> None:
    options: dict[str, Any] = {"q": [1.0, 0.5], "duration": 3.0, "tol": 1e-9}
    for more in (
        {"every": 3},
        {"events": ["upper falling"], "t_eval": [0.5, 1.25, 2.9]},
        {"events": ["pose tip x = 0 rising terminal"]},
    ):
        run = bough.simulate(double_pendulum(), **options, **more)
        assert run.settings["order"] == 8
        assert run.rerun() == run
        run.save(tmp_path / "run.npz")
        loaded = bough.load_trajectory(tmp_path / "run.npz")
        assert loaded == run
        assert loaded.rerun() == run
    assert run.status == "event"
    assert abs(double_pendulum().pose("tip", run.q[-1])[0, 3]) < 1e-14
    fine = bough.simulate(double_pendulum(), **{**options, "tol": 1e-12}, t_eval=[0.5, 1.25, 2.9])
    chosen = bough.simulate(double_pendulum(), **options, t_eval=[0.5, 1.25, 2.9])
    assert np.abs(chosen.q - fine.q).max() < 1e-6
    assert np.array_equal(chosen.t, [0.5, 1.25, 2.9])


@pytest.mark.parametrize("every", [1, 3])
def test_dense_runs_have_the_full_order(every: int, tmp_path: Path) -> None:
    """Between nodes of the run's own choice, as the chosen instants of the same run; also after loading."""
    options: dict[str, Any] = {"q": [1.0, 0.5], "duration": 3.0, "tol": 1e-9}
    times = np.array([0.0, 0.5, 1.25, 2.9])
    run = bough.simulate(double_pendulum(), **options, dense=True, every=every)
    chosen = bough.simulate(double_pendulum(), **options, t_eval=times)
    run.save(tmp_path / "run.npz")
    limit = 1e-12 if every == 1 else 1e-8  # the same steps, or others of such lengths
    for dense in (run, bough.load_trajectory(tmp_path / "run.npz")):
        assert np.abs(dense.at(times).q - chosen.q).max() < limit
        assert np.abs(dense.at(times).v - chosen.v).max() < 10.0 * limit
    plain = bough.simulate(double_pendulum(), **options, every=every)
    assert np.abs(plain.at(times).q - chosen.q).max() > 1e-7  # the cubic


def test_a_system_at_rest_stays_there() -> None:
    run = bough.simulate(double_pendulum(), duration=2.0, tol=1e-8)
    assert run.t[-1] == 2.0
    assert np.abs(run.q).max() == 0.0


def test_damped_motions_take_ordinary_control() -> None:
    model = double_pendulum(0.3)
    options: dict[str, Any] = {"q": [1.0, 0.5], "duration": 3.0}
    run = bough.simulate(model, **options, tol=1e-8)
    assert run.settings["control"] == "ordinary"
    fine = bough.simulate(model, **options, integrator="dop853", rtol=1e-13, atol=1e-15)
    assert 1e-11 < np.abs(run.q - fine.q).max() < 1e-6
    assert run.rerun() == run


def test_a_system_without_turns() -> None:
    system = bough.System("falling")
    system.world.tz("z", mass=1.0)
    run = bough.simulate(system.build(), duration=1.0, tol=1e-6)
    assert run["z"][-1] == pytest.approx(-9.81 / 2.0, rel=1e-12)
    assert np.diff(run.t)[:-2].std() < 1e-12


WHERE = "a simulation of model 'double pendulum'"
MESSAGES: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "small": (
        {"tol": 1e-15},
        f"tol=1e-15 in {WHERE}",
        "a tolerance that is not above 1e-14 and below 1",
        "give the error that is allowed, in rad or parts of the size of the system, such as tol=1e-8",
    ),
    "step": (
        {"tol": 1e-6, "dt": 0.1},
        f"tol=1e-06 and dt=0.1 in {WHERE}",
        "both a step and a tolerance that chooses it",
        "leave dt out, or give dt without tol",
    ),
    "method": (
        {"tol": 1e-6, "integrator": "rk4"},
        f"tol=1e-06 with integrator 'rk4' in {WHERE}",
        "a tolerance chooses the method too",
        "leave integrator out; 'dop853' and SciPy's methods take rtol and atol",
    ),
    "order": (
        {"tol": 1e-6, "order": 2},
        f"tol=1e-06 and order=2 in {WHERE}",
        "an order for which a step is not chosen",
        "leave order out, or give 4, 6 or 8",
    ),
    "large": (
        {"tol": 1},
        f"tol=1 in {WHERE}",
        "a tolerance that is not above 1e-14 and below 1",
        "give the error that is allowed, in rad or parts of the size of the system, such as tol=1e-8",
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_message(name: str) -> None:
    options, *message = MESSAGES[name]
    check_message(lambda: bough.simulate(double_pendulum(), q=[1.0, 0.5], duration=1.0, **options), *message)


@cache
def driven() -> bough.Model:
    system = bough.System("driven")
    system.world.tx(bough.kinematic("cart")).ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque"))
    return system.build()


@pytest.mark.parametrize("method", [{"tol": 1e-6}, {"integrator": "dop853"}, {"integrator": "rk45"}])
def test_functions_of_time_are_warned_of(method: dict[str, Any]) -> None:
    """They are held during each dt; what the warning advises follows them, and then the error is gone."""
    with pytest.warns(
        bough.BoughWarning, match="which r?tol does not see; give integrator='midpoint' with dt"
    ):
        run = bough.simulate(driven(), duration=1.0, u={"torque": np.sin}, **method)
    exact = bough.simulate(driven(), duration=1.0, u={"torque": np.sin}, dt=0.01, order=8)
    finer = bough.simulate(driven(), duration=1.0, u={"torque": np.sin}, dt=0.005, order=8)
    assert abs(run["angle"][-1] - exact["angle"][-1]) > 1e-5
    assert abs(finer["angle"][-1] - exact["angle"][-1]) < 1e-12


@pytest.mark.parametrize("method", [{"tol": 1e-6}, {"integrator": "dop853"}])
@pytest.mark.parametrize(
    "drive",
    [{"u": {"torque": 0.3}}, {"k": {"cart": 0.3}}, {"u": lambda t: 0.3}, {"u": lambda t, state: 0.1 * t}],
    ids=["number", "kinematic", "constant", "feedback"],
)
def test_drives_that_are_what_they_say_are_not_warned_of(method: Any, drive: Any) -> None:
    """Numbers and functions that are constant, and feedback, which is held by definition."""
    bough.simulate(driven(), duration=0.2, **drive, **method)


def test_functions_that_move_variables_are_warned_of() -> None:
    with pytest.warns(bough.BoughWarning, match="k of 'cart' follows a spline through its values every dt"):
        bough.simulate(driven(), duration=0.2, k={"cart": np.sin}, tol=1e-6)


def test_lengths_are_in_sizes_of_the_system() -> None:
    """A crane that is ten times as large moves in the same way, slower by the square root, in the same steps."""
    runs = []
    for size in (1.0, 10.0):
        system = bough.System("crane")
        cart = system.world.tx("x")
        cart.tz(0.0, mass=1.0)
        cart.ry("a").tz(-size, mass=1.0)
        runs.append(bough.simulate(system.build(), q=[0.0, 1.0], duration=5.0 * np.sqrt(size), tol=1e-6))
    small, large = runs
    assert large.statistics["steps"] == small.statistics["steps"]
    np.testing.assert_allclose(large.q[-1] / [10.0, 1.0], small.q[-1], rtol=0.0, atol=1e-11)
