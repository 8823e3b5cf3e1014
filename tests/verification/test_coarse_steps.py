"""Steps too coarse for the motion: the discrete equations have other roots far away, which no step may take.

Either the run goes on with errors that belong to its dt, or it ends with an error; it never gives the absurd.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import bough
from bough import gallery
from bough._core import core
from support.balls import chain
from support.mechanisms import CHAIN, closed_chain, pendulum


def whip(links: int, dt: float, method: str) -> tuple[float, float, float]:
    """A rolled-up chain lets go: the largest energy error, turn of a joint in a step, and rate of a joint."""
    run = bough.simulate(pendulum(links), np.full(links, 0.4), duration=5.0, dt=dt, integrator=method)
    assert run.status == "finished"
    energy = run.energy()
    turn = np.max(np.abs(np.diff(run.q, axis=0)))
    return float(np.max(np.abs(energy - energy[0]))), float(turn), float(np.max(np.abs(run.v)))


@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")
@pytest.mark.parametrize("method", ["midpoint", "trapezoidal"])
@pytest.mark.parametrize("dt", [0.005, 0.01, 0.02])
@pytest.mark.parametrize("links", [5, 10, 20])
def test_whip(links: int, dt: float, method: str) -> None:
    """The end moves by up to two radians in each step, and still the error is that of the order of the method.

    The energy error is dt² times that of a run at dt/8, or less if steps do not resolve the motion; they
    resolve that of five links to 2 %. No joint turns faster than in the fine run, up to the error of the
    coarse motion (7 % at most: 20 links, midpoint, 0.01 s). A single step to another root breaks both laws.
    """
    error, turn, _ = whip(links, dt, method)
    fine_error, _, fine_rate = whip(links, dt / 8.0, method)
    assert error < 1.02 * 64.0 * fine_error
    assert links > 5 or error > 0.98 * 64.0 * fine_error
    assert turn < 1.1 * dt * fine_rate


def oscillator() -> bough.Model:
    """10 rad/s, a little harder than linear: linear equations have one root only."""
    system = bough.System("oscillator", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.NonlinearConfigurationSpring("x", polynomial=(0, 100, 0, 0.001)))
    return system.build()


def test_a_coarse_step_is_warned_about() -> None:
    """A spring that swings through half a period in each step."""
    text = (
        r"^1 of 10 steps of 'oscillator' ended far from where the motion led, the first from t = 1\.5 s:"
        r" dt = 0\.3 is too long for what happens there; try dt = 0\.07$"
    )
    with pytest.warns(bough.CoarseStepWarning, match=text) as told:
        run = bough.simulate(oscillator(), [1.0], duration=3.0, dt=0.3)
    assert told[0].filename == __file__  # where a user can do something about it
    assert run.status == "finished"
    assert run.statistics["coarse"] == 1


def test_a_fine_step_is_not_warned_about(recwarn: pytest.WarningsRecorder) -> None:
    run = bough.simulate(oscillator(), [1.0], duration=3.0, dt=0.02)
    assert run.statistics["coarse"] == 0
    assert not recwarn.list


def test_an_explicit_step_beyond_its_limit_is_warned_about() -> None:
    """With a constant mass the trapezoidal rule is Stoermer and Verlet's, unstable beyond omega dt = 2.

    Its equations are linear and have one root, which no other way of solving them would replace.
    """
    system = bough.System("spring", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.ConfigurationSpring("x", 100.0))
    model = system.build()
    start = {"q": {"x": 1.0}, "duration": 4.0, "integrator": "trapezoidal"}
    with pytest.warns(bough.CoarseStepWarning, match="^the energy of 'spring' is off by 630% of its") as told:
        run = bough.simulate(model, dt=0.21, **start)
    assert len(told) == 1
    assert run.statistics["coarse"] == 18
    assert run.energy()[-1] > 1e6 * run.energy()[0]
    fine = bough.simulate(model, dt=0.02, **start)
    assert fine.statistics["coarse"] == 0
    assert np.ptp(fine.energy()) < 0.02 * fine.energy()[0]


@pytest.mark.parametrize("dt", [0.002, 0.005, 0.02])
def test_a_damped_loop_comes_to_rest(dt: float) -> None:
    """At rest all that moves is round-off, which leads anywhere: no step may be refused for it."""
    system = gallery.four_bar()
    system.add(bough.Damping(0.2))
    run = bough.simulate(system.build(), duration=100.0, dt=dt)
    assert run.status == "finished"
    assert run.statistics["halvings"] == 0
    assert np.max(np.abs(run.v[-1])) < 1e-9


def test_a_lift_that_snaps_through_is_warned_about() -> None:
    """Twenty segments pass the place where all loops lose rank within a step: halved steps lose energy."""
    text = (
        r"^the energy of 'scissor_lift' is off by \d+% of its largest kinetic energy"
        r" \(1\.4e\+03 J, 3\.1e\+03 J\) at t = 7\.99 s, by more than 5% from t = \S+ s on:"
        r" dt = 0\.01 is too long for what happens there; try dt = 0\.001$"
    )
    with pytest.warns(bough.CoarseStepWarning, match=text):
        bough.simulate(gallery.scissor_lift(20).build(), dt=0.01)


def damped(*forces: bough.Force, coefficient: float = 0.1) -> bough.Model:
    system = bough.System("damped")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    for force in (bough.Damping(coefficient), *forces):
        system.add(force)
    return system.build()


BRAKES = {
    "damping": (),
    "drag": (bough.Drag("bob", 0.1),),
    "damper": (bough.LinearDamper("bob", "world", 1.0),),
    "an input that is zero": (bough.ConfigurationForce("angle", "torque"),),
}


@pytest.mark.parametrize("forces", BRAKES)
@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "reduced"])
def test_energy_that_forces_cannot_give_is_not_shown_silently(integrator: str, forces: str) -> None:
    """A pendulum of 2 s period in steps of 5 s would gain energy, although all forces brake."""
    model, start = damped(*BRAKES[forces]), {"angle": 1.0}
    settings = {"duration": 100.0, "dt": 5.0, "integrator": integrator}
    if integrator == "midpoint" or (integrator, forces) == ("trapezoidal", "drag"):
        with pytest.raises(bough.ConvergenceError, match="a solution far from where the motion led") as error:
            bough.simulate(model, start, **settings)
        energy = error.value.trajectory.energy()
        assert energy.max() < energy[0] + 0.1
        return
    text = (
        r"^the energy of 'damped' is off by \S+ (of|times) its largest kinetic energy .* at t = 100 s, .*:"
        r" dt = 5 is too long for what happens there; try dt = 0\.2$"
    )
    with pytest.warns(bough.CoarseStepWarning, match=text):
        run = bough.simulate(model, start, **settings)
    assert run.energy().max() > run.energy()[0] + 1.0


@pytest.mark.parametrize(
    "force",
    [
        bough.ConfigurationForce("angle", 3.0),
        bough.Drag("bob", 1.0, wind=(3.0, 0.0, 0.0)),
        bough.FunctionForce("angle", lambda t, q, v: 3.0),
    ],
    ids=lambda force: type(force).__name__,
)
def test_energy_that_forces_give_is_not_warned_about(
    force: bough.Force, recwarn: pytest.WarningsRecorder
) -> None:
    run = bough.simulate(damped(force), duration=1.0)
    assert run.energy()[-1] > run.energy()[0] + 0.1
    assert not recwarn.list


def test_energy_that_an_input_or_a_motion_gives_is_not_warned_about(recwarn: pytest.WarningsRecorder) -> None:
    driven = bough.simulate(
        damped(bough.ConfigurationForce("angle", "torque")), u={"torque": 3.0}, duration=1.0
    )
    assert driven.energy()[-1] > driven.energy()[0] + 0.1
    system = bough.System("shaken")
    system.world.tx(bough.kinematic("rail")).ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.Damping(0.1))
    shaken = bough.simulate(system.build(), k={"rail": lambda t: np.sin(3.0 * t)}, duration=2.0)
    assert shaken.energy().max() > shaken.energy()[0] + 0.1
    assert not recwarn.list


def test_an_input_between_recorded_instants_is_seen(recwarn: pytest.WarningsRecorder) -> None:
    pulse = np.zeros((100, 1))
    pulse[2:6] = 30.0
    model = damped(bough.ConfigurationForce("angle", "torque"))
    run = bough.simulate(model, u=pulse, duration=1.0, dt=0.01, every=10)
    assert not run.u.any()
    assert run.energy()[-1] > run.energy()[0] + 0.1
    assert not recwarn.list


def test_rest_is_not_warned_about(recwarn: pytest.WarningsRecorder) -> None:
    """Of a motion that is all round-off, the energy is too."""
    system = bough.System("scales")
    system.world.tz("z", mass=1e3)
    system.add(bough.ConfigurationSpring("z", stiffness=3e5))
    system.add(bough.Damping(1.0))
    run = bough.simulate(system.build(), {"z": -9.81e3 / 3e5}, duration=100.0, dt=0.1)
    kinetic, energy = run.kinetic_energy(), run.energy()
    assert 0.0 < kinetic.max() < 1e-20
    assert energy.max() - energy[0] > 10.0 * kinetic.max()
    assert not recwarn.list


@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")
def test_lively_closed_chains_keep_their_energy() -> None:
    """Starts of [JM09] Listing 1 whose joints whip round in a few steps.

    The chain can fall by some 80 J; without a look at the energy of rough steps these gained 10^5 J and more.
    """
    model = closed_chain()
    rng = np.random.default_rng(5)
    for k in range(33):
        guess = {name: angle + 0.4 * rng.normal() for name, angle in CHAIN.items()}
        if k not in (15, 32):
            continue
        run = bough.simulate(model, model.assemble(q=guess).q, duration=60.0, dt=0.01)
        energy = run.energy()
        assert np.max(np.abs(energy - energy[0])) < 20.0


class Stiff(bough.Potential):
    """½ 10^6 z², 1000 rad/s with 1 kg."""

    def energy(self, at: bough.Instant) -> float:
        return 0.5e6 * at.q["z"] ** 2

    def gradient(self, at: bough.Instant) -> dict[str, float]:
        return {"z": 1e6 * at.q["z"]}

    def hessian(self, at: bough.Instant) -> dict[tuple[str, str], float]:
        return {("z", "z"): 1e6}


@pytest.mark.parametrize("integrator", ["midpoint", "implicit-midpoint"])
def test_a_motion_that_steps_jump_over_is_warned_about(integrator: str) -> None:
    """The nodes keep the energy of a linear spring in steps of any length, but the chords show 1/26 of it.

    That is 1 / (1 + (w dt / 2)²) with w dt = 10.
    """
    system = bough.System("stiff", gravity=None)
    system.world.tz("z", mass=1.0)
    system.add(Stiff())
    model = system.build()
    text = (
        r"^the steps of 'stiff' from t = 0 s on show 4% of its kinetic energy of up to 5e\+05 J: it swings by"
        r" about 9\.8 rad in each of them: dt = 0\.01 is too long for what happens there; try dt = 0\.0003$"
    )
    with pytest.warns(bough.CoarseStepWarning, match=text):
        run = bough.simulate(model, {"z": 1.0}, duration=1.0, dt=0.01, integrator=integrator)
    assert np.ptp(run.energy()) < 1e-6 * run.energy()[0]
    chords = 0.5 * (np.diff(run["z"]) / 0.01) ** 2
    assert chords.mean() / run.kinetic_energy().mean() == pytest.approx(1.0 / 26.0, rel=0.03)


def test_a_motion_that_steps_follow_is_not(recwarn: pytest.WarningsRecorder) -> None:
    system = bough.System("stiff", gravity=None)
    system.world.tz("z", mass=1.0)
    system.add(Stiff())
    bough.simulate(system.build(), {"z": 1.0}, duration=0.1, dt=0.0003)
    assert not recwarn.list


@pytest.mark.parametrize("dt", [5.0, 20.0, 1000.0])
def test_steps_of_many_periods_are_warned_about(dt: float) -> None:
    """A double pendulum with periods of 1.1 and 2.6 s."""
    system = bough.System("double-pendulum")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    with pytest.warns(bough.CoarseStepWarning, match="^the energy of 'double-pendulum' is off by") as told:
        bough.simulate(system.build(), {"shoulder": 0.8}, duration=100.0 * dt, dt=dt, on_failure="stop")
    assert len(told) == 1


@pytest.mark.parametrize("every", [1, 7, 1000])
@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_energy_is_checked_at_what_is_recorded(every: int, damping: float) -> None:
    """A whip of eight links loses energy for good; how often it is recorded does not matter.

    The motion is chaotic: from one of some twenty neighbouring starts, the error is small by chance at the end, the
    only row after the start if every 1000th is recorded. This start is not one of them.
    """
    system = bough.System("whip")
    frame = system.world
    for n in range(8):
        frame = frame.ry(f"q{n}").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add(bough.Damping(damping))
    with pytest.warns(bough.CoarseStepWarning, match="^the energy of 'whip' is off by") as told:
        bough.simulate(system.build(), np.full(8, 1.1), duration=50.0, dt=0.05, every=every)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("integrator", "order"),
    [("semi-implicit-euler", 1), ("midpoint", 2), ("rk4", 4)],
)
def test_the_proposed_step_helps(integrator: str, order: int) -> None:
    """It aims at an error of 1 %, by the order of the method, and is told with one digit."""
    model, start = pendulum(1), [2.0]
    settings = {"duration": 5.0, "integrator": integrator}
    dt = {"semi-implicit-euler": 0.06, "midpoint": 0.4, "rk4": 0.4}[integrator]
    with pytest.warns(bough.CoarseStepWarning) as told:
        run = bough.simulate(model, start, dt=dt, **settings)
    match = re.search(r"try dt = (.*)$", str(told[0].message))
    assert match is not None
    energy = run.energy()
    size = np.abs(energy - energy[0]).max() / run.kinetic_energy().max()
    assert float(match[1]) == pytest.approx(dt * (0.01 / size) ** (1.0 / order), rel=0.3)
    better = bough.simulate(model, start, dt=float(match[1]), **settings)
    assert np.abs(better.energy() - energy[0]).max() < 0.02 * better.kinetic_energy().max()


def test_work_along_the_chords() -> None:
    """(S6) of constant mass and damping explains the energy of a linear oscillator to round-off."""
    system = bough.System("oscillator", gravity=None)
    system.world.tx("x", mass=2.0)
    system.add(bough.ConfigurationSpring("x", 50.0))
    system.add(bough.Damping(3.0))
    model = system.build()
    vi = bough.MidpointVI(model, dt=0.1)
    stepper, buffers = vi.new_stepper(), vi.buffers(20)
    stepper.start(0.0, np.array([1.0]), np.array([0.0]), np.zeros(0))
    stepper.run(20, 0.1, np.zeros((0, 0)), np.zeros((1, 0)), 1, 0, *buffers, 0)
    work, q, p, *_ = buffers
    energy = p[:, 0] ** 2 / 4.0 + 25.0 * q[:, 0] ** 2
    np.testing.assert_allclose(work, energy - 25.0, rtol=0.0, atol=1e-11)
    assert work[-1] == stepper.work < -20.0


class Breaking(bough.Potential):
    """Its energy is not defined below z = -1, where its gradient still is until z = -2."""

    def energy(self, at: bough.Instant) -> float:
        if at.q["z"] < -1.0:
            raise RuntimeError("no energy")
        return 0.0

    def gradient(self, at: bough.Instant) -> dict[str, float]:
        if at.q["z"] < -2.0:
            raise ValueError("too deep")
        return {}

    def hessian(self, at: bough.Instant) -> dict[tuple[str, str], float]:
        return {}


def test_what_ends_a_run_is_said_before_what_the_check_meets() -> None:
    system = bough.System("fall")
    system.world.tz("z", mass=1.0)
    system.add(Breaking())
    with pytest.raises(ValueError, match="too deep") as error:
        bough.simulate(system.build(), duration=1.0, dt=0.01)
    assert error.value.trajectory["z"][-1] < -1.9


@pytest.mark.parametrize("balls", [False, True])
def test_the_roughest_rows_are_looked_at(balls: bool) -> None:
    """Momenta of one row that are wrong are found among 2001, of which those at equal distances are 42 or 43 apart."""
    model = chain(2).build() if balls else pendulum(3)
    start = model.integrate(model.neutral(), np.full(model.nv, 0.3))
    run = bough.simulate(model, start, duration=2.0, dt=0.001)
    p, nothing = np.array(run.p), np.zeros(0)
    p[777] *= 1.5
    arrays = (run.t, np.array(run.q), p, nothing, np.array(run.u), np.zeros(len(run)))
    kind, _, _, worst, first, _ = core.check_steps(
        model._core, *arrays, True, True, -1, nothing, nothing, nothing, nothing
    )
    assert (kind, worst, first) == (core.Coarse.energy, 777, 777)
