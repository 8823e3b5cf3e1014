"""Steps too coarse for the motion: the discrete equations have other roots far away, which no step may take.

Either the run goes on with errors that belong to its dt, or it ends with an error; it never gives the absurd.
"""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough import gallery
from support.mechanisms import CHAIN, closed_chain, pendulum

# links, dt, method: how far the energy may be off, in J, and how far a joint may turn in one step, in rad
WHIPS = {
    (5, 0.005, "midpoint"): (0.003, 0.07),
    (5, 0.01, "midpoint"): (0.012, 0.14),
    (5, 0.02, "midpoint"): (0.05, 0.28),
    (10, 0.005, "midpoint"): (0.42, 0.24),
    (10, 0.01, "midpoint"): (1.5, 0.5),
    (10, 0.02, "midpoint"): (4.0, 1.0),
    (20, 0.005, "midpoint"): (46.0, 0.7),
    (20, 0.01, "midpoint"): (180.0, 1.6),
    (20, 0.02, "midpoint"): (510.0, 3.1),
    (5, 0.005, "trapezoidal"): (0.003, 0.07),
    (5, 0.01, "trapezoidal"): (0.012, 0.14),
    (5, 0.02, "trapezoidal"): (0.05, 0.28),
    (10, 0.005, "trapezoidal"): (3.5, 0.24),
    (10, 0.01, "trapezoidal"): (12.0, 0.5),
    (10, 0.02, "trapezoidal"): (35.0, 0.85),
    (20, 0.005, "trapezoidal"): (630.0, 0.55),
    (20, 0.01, "trapezoidal"): (1800.0, 0.9),
    (20, 0.02, "trapezoidal"): (3400.0, 1.3),
}


@pytest.mark.parametrize(("links", "dt", "method"), WHIPS)
def test_whip(links: int, dt: float, method: str) -> None:
    """A rolled-up chain lets go: its end moves by up to two radians in each step.

    For scale: 20 links give away up to 4120 J by falling from their highest to their lowest configuration.
    """
    energy_bound, turn_bound = WHIPS[links, dt, method]
    run = bough.simulate(pendulum(links), np.full(links, 0.4), duration=5.0, dt=dt, integrator=method)
    assert run.status == "finished"
    energy = run.energy()
    assert np.max(np.abs(energy - energy[0])) < energy_bound
    assert np.max(np.abs(np.diff(run.q, axis=0))) < turn_bound


def oscillator() -> bough.Model:
    """10 rad/s, a little harder than linear: linear equations have one root only."""
    system = bough.System("oscillator", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.NonlinearConfigurationSpring("x", polynomial=(0, 100, 0, 0.001)))
    return system.build()


def test_a_coarse_step_is_warned_about() -> None:
    """A spring that swings through half a period in each step."""
    text = (
        r"^1 of 10 steps of 'oscillator' ended far from where the motion led:"
        r" dt = 0\.3 is too long for what happens there; compare with a smaller dt$"
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
    with pytest.warns(bough.CoarseStepWarning, match="^18 of 20 steps of 'spring' ended far from where"):
        run = bough.simulate(model, dt=0.21, **start)
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
        r"^the energy of 'scissor_lift' changed by \d+% of its largest kinetic energy in 1000 steps with \d+"
        r" halvings: dt = 0\.01 is too long for what happens there; compare with a smaller dt$"
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
        r"^the energy of 'damped' rose, which its forces cannot do, by \d+% of its largest kinetic energy in"
        r" 20 steps: dt = 5 is too long for what happens there; compare with a smaller dt$"
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
