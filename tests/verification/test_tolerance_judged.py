"""Steps chosen by a tolerance where the density of steps does not see, or hardly sees, what comes.

Truths: Kepler's equation, the energy, and DOP853 with steps so short that none jumps into a stop.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import bough
from bough.integrators import density_run
from support.coarse_mechanisms import mechanism
from support.messages import check_message
from support.transforms import Array

MU, HALF_AXIS = 2.0, 1.5
PERIOD = 2.0 * np.pi * np.sqrt(HALF_AXIS**3 / MU)
LOCKED = 5020  # the seed of a mechanism that rods hold, in which not even a pilot moves
STOP = ((-1.0, 0.0), (0.0, 0.0), (1.0, 0.0), (1.1, 1e5), (2.0, 1e6))  # rad or m, N m or N


@cache
def attracted() -> bough.Model:
    system = bough.System("comet", gravity=None)
    body = system.world.tx("x").ty("y", name="comet", mass=1.0)
    system.add(bough.CentralGravity("world", body, mu=MU))
    return system.build()


@cache
def stopped(turning: bool) -> bough.Model:
    """A pendulum, or a mass on a rail, that meets a stiff stop at 1."""
    system = bough.System("stopped")
    if turning:
        system.world.ry("a").tz(-1.0, mass=1.0)
    else:
        system.world.tx("a", mass=1.0)
    system.add(bough.NonlinearConfigurationSpring("a", table=STOP, interpolation="linear"))
    return system.build()


def place(eccentricity: float, t: float) -> Array:
    """Where a comet is that starts at its farthest point: by Kepler's equation."""
    anomaly = (np.pi + 2.0 * np.pi * t / PERIOD) % (2.0 * np.pi)
    e = brentq(lambda x: x - eccentricity * np.sin(x) - anomaly, 0.0, 2.0 * np.pi, xtol=1e-15)
    return -HALF_AXIS * np.array([np.cos(e) - eccentricity, np.sqrt(1.0 - eccentricity**2) * np.sin(e)])


@pytest.mark.parametrize("eccentricity", [0.9, 0.995, 0.999, 0.9995, 0.99999])
@pytest.mark.parametrize("tol", [1e-4, 1e-8])
def test_orbits_that_pass_close_to_their_centre(eccentricity: float, tol: float) -> None:
    speed = np.sqrt(MU / HALF_AXIS * (1.0 - eccentricity) / (1.0 + eccentricity))
    start = {"q": [HALF_AXIS * (1.0 + eccentricity), 0.0], "v": [0.0, speed]}
    run = bough.simulate(attracted(), **start, duration=3.3 * PERIOD, tol=tol)
    assert np.abs(run.q[-1] - place(eccentricity, 3.3 * PERIOD)).max() < 2.0 * tol
    assert run.statistics["resets"] == 0
    assert run.statistics["halved"] == 0


def test_a_bound_comet_stays_bound() -> None:
    run = bough.simulate(attracted(), q=[1.0, 0.0], v=[0.0, 1e-3], duration=3.0, tol=1e-6)
    assert np.abs(run.energy()[-1] / run.energy()[0] - 1.0) < 1e-6
    assert np.abs(run.energy() - run.energy()[0]).max() < 1e-6 * run.kinetic_energy().max()


@pytest.mark.parametrize("turning", [True, False])
@pytest.mark.parametrize("tol", [1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13])
def test_stops_that_no_stage_of_a_step_sees(turning: bool, tol: float) -> None:
    start: dict[str, Any] = (
        {"q": [-1.3], "v": [-0.2], "duration": 3.0} if turning else {"q": [0.0], "v": [1.0], "duration": 3.0}
    )
    run = bough.simulate(stopped(turning), **start, tol=tol)
    change = np.abs(run.energy() - run.energy()[0]).max() / run.kinetic_energy().max()
    allowed = max(min(1e3 * tol, 1e-5), tol)  # of a step; two or three of them meet a stop
    assert change < 5.0 * allowed
    fine = bough.simulate(stopped(turning), **start, integrator="dop853", rtol=1e-13, max_step=1e-4)
    assert abs(run["a"][-1] - fine["a"][-1]) < 10.0 * allowed
    assert run.statistics["halved"] > 5
    assert run.statistics["unresolved"] == 0
    assert run.settings["steps"] == run.statistics["steps"] == len(run.t) - 1
    assert run.settings["dt"] is None


def test_nodes_of_halved_steps_are_nodes_of_the_run(tmp_path: Path) -> None:
    """Events, chosen instants, dense output, reruns and files of a run that meets a stop."""
    options: dict[str, Any] = {"q": [-1.3], "v": [-0.2], "duration": 3.0, "tol": 1e-10}
    fine = bough.simulate(
        stopped(True),
        q=[-1.3],
        v=[-0.2],
        duration=3.0,
        integrator="dop853",
        rtol=1e-13,
        max_step=1e-4,
        events=["a = 1"],
    )
    run = bough.simulate(stopped(True), **options, events=["a = 1"])
    assert len(run.events) == 4  # it goes in and comes out, twice
    assert [event.t for event in run.events] == pytest.approx([event.t for event in fine.events], abs=1e-6)
    assert run.rerun() == run
    run.save(tmp_path / "run.npz")
    loaded = bough.load_trajectory(tmp_path / "run.npz")
    assert loaded.settings == run.settings
    assert loaded.rerun() == run
    ended = bough.simulate(stopped(True), **options, events=["a = 1 falling terminal"])
    assert ended.t[-1] == run.events[1].t
    assert ended.rerun() == ended
    within = np.linspace(run.events[0].t, run.events[1].t, 5)[1:-1]
    chosen = bough.simulate(stopped(True), **options, t_eval=within)
    dense = bough.simulate(stopped(True), **options, dense=True)
    exact = bough.simulate(
        stopped(True),
        q=[-1.3],
        v=[-0.2],
        duration=3.0,
        integrator="dop853",
        rtol=1e-13,
        max_step=1e-4,
        t_eval=within,
    )
    assert np.abs(chosen.q - exact.q).max() < 1e-6
    assert np.abs(dense.at(within).q - exact.q).max() < 1e-6


def test_energy_that_is_not_kept_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without (SD5), the run through the stop gains energy, and says so."""
    monkeypatch.setattr(density_run, "JUDGED", 1e300)
    monkeypatch.setattr(density_run, "MOST_JUDGED", 1e300)
    with pytest.warns(
        bough.CoarseStepWarning, match=r"the energy of 'stopped' changes by .* take a smaller tol"
    ):
        bough.simulate(stopped(True), q=[-1.3], v=[-0.2], duration=3.0, tol=1e-12)


def test_a_potential_with_noise_does_not_stall() -> None:
    """A potential that is known to 1e-9 only: halving steps gains nothing."""

    class Rough(bough.Potential):
        def energy(self, at: Any) -> float:
            return float(np.round(-9.81 * np.cos(at.q[0]), 9))

        def gradient(self, at: Any) -> Array:
            return np.array([9.81 * np.sin(at.q[0])])

    system = bough.System("rough", gravity=None)
    system.world.ry("a").tz(-1.0, mass=1.0)
    system.add(Rough())
    run = bough.simulate(system.build(), q=[1.0], duration=10.0, tol=1e-13)
    assert run.statistics["unresolved"] > 0
    assert run.statistics["steps"] < 5000


def test_points_that_meet() -> None:
    """A fall into the centre of an attraction ends with words of what happens there."""
    end = np.pi / np.sqrt(8.0 * MU)  # from rest at a distance of one
    with pytest.raises(bough.ConvergenceError, match="as where points meet that attract") as raised:
        bough.simulate(attracted(), q=[1.0, 0.0], v=[0.0, 0.0], duration=3.0, tol=1e-6)
    assert raised.value.time == pytest.approx(end, abs=1e-6)
    run = raised.value.trajectory
    assert run is not None
    assert raised.value.step == len(run.t) - 1
    assert "of 300" not in str(raised.value)


def closed(damping: float) -> bough.Model:
    system = bough.System("rod")
    system.world.tx("x").tz("z", name="b", mass=2.0)
    system.add(bough.DistanceConstraint("b", "world", length=1.0))
    system.add(bough.Damping({"x": damping}))
    return system.build()


def test_damped_mechanisms_stay_on_their_constraints() -> None:
    model = closed(0.02)
    run = bough.simulate(model, q=[0.8, -0.6], duration=200.0, tol=1e-6)
    assert run.settings["control"] == "ordinary"
    assert run.settings["stabilization"] == "projection"
    assert np.abs(model.constraint(run.q)).max() < 1e-13
    other = bough.simulate(
        model, q=[0.8, -0.6], duration=1.0, tol=1e-6, stabilization=("baumgarte", 1.0, 1.0)
    )
    assert other.settings["stabilization"] == ["baumgarte", 1.0, 1.0]
    bough.simulate(model, q=[0.8, -0.6], duration=2000.0, tol=1e-4)


def test_problems_change_between_steps_and_tolerances() -> None:
    model, start = attracted(), {"q": [1.0, 0.0], "v": [0.0, 1.0]}
    problem = bough.Problem(model, **start, duration=1.0, dt=0.05, tol=None)
    chosen = problem.replace(tol=1e-8)
    assert "1 s in steps by tol = 1e-08" in repr(chosen)
    assert chosen.run() == bough.simulate(model, **start, duration=1.0, tol=1e-8)
    assert chosen.replace(dt=0.05) == problem
    assert chosen.replace(tol=None).settings["dt"] == 0.01
    assert chosen.replace(dt=0.02, integrator="rk4").settings["dt"] == 0.02
    check_message(
        lambda: chosen.replace(integrator="rk4"),
        "replace(integrator='rk4') of a problem of model 'comet' with tol=1e-08",
        "steps that the tolerance chooses, and no dt",
        "give dt too, such as dt=0.01",
    )


def test_contacts_are_refused() -> None:
    system = bough.System("ball")
    system.world.tz("z", name="b", mass=1.0)
    system.add(bough.JointLimit("z", lower=0.0))
    check_message(
        lambda: bough.simulate(system.build(), q=[1.0], duration=1.0, tol=1e-6),
        "tol=1e-06 in a simulation of model 'ball'",
        "contacts, whose impacts no chosen step of higher order keeps",
        "leave tol out and give dt, or build the system without contacts",
    )


def test_random_mechanisms_keep_their_energy() -> None:
    """Trees, loops and springs: no warning, no halves without end."""
    chosen = [mechanism(seed) for seed in range(5000, 5040) if seed != LOCKED]
    undriven = [found for found in chosen if found.forces == "none"]
    assert len(undriven) > 20
    for found in undriven:
        run = bough.simulate(found.model, found.q, found.v, duration=1.0, tol=1e-8)
        change = np.abs(run.energy() - run.energy()[0]).max()
        assert change < 1e-5 * run.kinetic_energy().max(), found.seed
        assert run.statistics["unresolved"] == 0, found.seed
        assert run.statistics["halved"] < run.statistics["steps"] / 2, found.seed
