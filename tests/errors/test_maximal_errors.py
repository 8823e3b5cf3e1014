"""Bad input to the integrators in maximal coordinates, by the exact text of the message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import bough
from support.messages import Case, check_message

I = (0.1, 0.1, 0.1)


def rod() -> bough.Model:
    system = bough.System("rod")
    system.world.ry("a").tz(-1.0, name="b", mass=1.0, inertia=I)
    system.add(bough.ConfigurationForce("a", "torque"))
    return system.build()


def points() -> bough.Model:
    system = bough.System("points")
    system.world.ry("a").tz(-1.0, name="bob", mass=1.0)
    return system.build()


def fork() -> bough.Model:
    system = bough.System("fork")
    fork = system.world.rx("u", name="fork")
    fork.ry("y").tz(-0.5, name="b", mass=1.0, inertia=I)
    fork.rz("z").tx(0.5, name="c", mass=1.0, inertia=I)
    return system.build()


def run(model: bough.Model, integrator: str = "velocity", **options: Any) -> Callable[[], Any]:
    return lambda: bough.simulate(model, duration=1.0, integrator=integrator, **options)


def engine() -> bough.MaximalEngine:
    return bough.MaximalEngine(rod(), dt=0.01)


def enable(variable: str, disable: bool = False) -> Callable[[], None]:
    """With an arm whose elbow breaks in the first step."""

    def call() -> None:
        system = bough.System("arm")
        upper = system.world.ry("shoulder").tz(-1.0, mass=1.0, inertia=I)
        upper.ry("elbow").tz(-1.0, mass=1.0, inertia=I)
        broken = bough.MaximalEngine(system.build(), dt=0.01, break_above={"elbow": 5.0})
        broken.start()
        broken.step()
        if disable:
            broken.disable(variable)
        broken.enable(variable)

    return call


STAYS = (
    "a broken joint stays broken: add a constraint between its frames, such as bough.PointConstraint or"
    " bough.WeldConstraint, with add(), or make another engine"
)
CASES: dict[str, Case] = {
    "point mass": (
        run(points(), "penalty-explicit"),
        "integrator='penalty-explicit' in a simulation of model 'points'",
        "body 'bob' has no rotational inertia about some axis, so that a spring at its joint would turn it"
        " infinitely fast",
        "give frame 'bob' inertia=(Ixx, Iyy, Izz), all above zero; or smallest_inertia=1e-3 (in kg m², added"
        " to such bodies, which changes the motion); or use integrator='velocity'",
    ),
    "massless fork": (
        run(fork(), "penalty-implicit"),
        "integrator='penalty-implicit' in a simulation of model 'fork'",
        "several bodies hang from frame 'fork', which has no mass that a spring could move",
        "give frame 'fork' a mass and inertia, or use integrator='velocity'",
    ),
    "too stiff": (
        run(rod(), "penalty-explicit", stiffness=1e8, angular_stiffness=1e8, damping=0.0),
        "dt=0.01 in a simulation of model 'rod' with integrator 'penalty-explicit'",
        "springs of 1e+08 N/m and 1e+08 N m/rad at the joints, which explode at this step: the largest stable"
        " dt is 4.42e-05 s",
        "take dt=3e-05 or a lower stiffness, or use integrator='penalty-implicit'",
    ),
    "unknown option": (
        run(rod(), stiffness=3.0),
        "option 'stiffness' in a simulation of model 'rod' with integrator 'velocity'",
        "an option of 'penalty-explicit', 'penalty-implicit'; those of 'velocity' are 'gyroscopic',"
        " 'break_above', 'beta', 'contacts'",
        "leave stiffness out, or use integrator='penalty-explicit'",
    ),
    "enable a joint that broke": (
        enable("elbow"),
        "enable('elbow') of MaximalEngine of model 'arm'",
        "a variable, whose joint broke at t = 0.01 s, when its force exceeded 5 N",
        STAYS,
    ),
    "enable a joint that was disabled": (
        enable("shoulder", disable=True),
        "enable('shoulder') of MaximalEngine of model 'arm'",
        "a variable, whose joint was broken by disable() at t = 0.01 s",
        STAYS,
    ),
    "enable a joint that is whole": (
        enable("shoulder"),
        "enable('shoulder') of MaximalEngine of model 'arm'",
        "a variable, whose joint is whole",
        "leave this out: enable() is for constraints and contacts",
    ),
    "beta": (
        run(rod(), beta=1.5),
        "beta=1.5 in a simulation of model 'rod'",
        "beta is 1.5",
        "give beta as a number from 0 to 1",
    ),
    "stiffness": (
        run(rod(), "penalty-explicit", stiffness=0.0),
        "stiffness=0.0 in a simulation of model 'rod'",
        "stiffness is 0",
        "give stiffness as a number above zero",
    ),
    "baumgarte": (
        run(rod(), stabilization=("baumgarte", 1.0, 1.0)),
        "stabilization=('baumgarte', 1.0, 1.0) in a simulation of model 'rod'",
        "the integrator 'velocity' takes drift back by beta, or projects it away",
        "give beta= between 0 and 1, or stabilization='projection'",
    ),
    "stabilised springs": (
        run(rod(), "penalty-implicit", stabilization="projection"),
        "stabilization='projection' in a simulation of model 'rod'",
        "the springs of 'penalty-implicit' pull the joints together",
        "leave stabilization out; give stiffness= and damping=, or use integrator='velocity'",
    ),
    "alpha": (
        run(rod(), alpha=0.5),
        "alpha=0.5 in a simulation of model 'rod'",
        "the integrator 'velocity' has no alpha",
        "leave alpha out, or use integrator='midpoint'",
    ),
    "break what": (
        run(rod(), break_above={"wire": 1.0}),
        "constraint or variable of a joint 'wire' in a simulation of model 'rod'",
        "no constraint or variable of a joint has this name; the names are 'a'",
        "use one of these names",
    ),
    "break at what": (
        run(rod(), break_above={"a": -1.0}),
        "break_above['a']=-1.0 in a simulation of model 'rod'",
        "a negative force",
        "give the size of the force, zero or more",
    ),
    "break": (
        run(rod(), break_above=3.0),
        "break_above=3.0 in a simulation of model 'rod'",
        "not a mapping from names to forces",
        "give break_above={'wire': 50.0}: names of constraints, or of variables for their joints",
    ),
    "contact": (
        run(rod(), contacts=["b"]),
        "contacts in a simulation of model 'rod'",
        "'b', which is no contact",
        "give a list of bough.Rolling(frame, radius=...) and bough.Skate(frame, across=...)",
    ),
    "contact of the world": (
        run(rod(), contacts=[bough.Rolling("world", radius=1.0)]),
        "Rolling of frame 'world' in a simulation of model 'rod'",
        "the frame is fixed to the world, or to a link without mass",
        "give a frame that is fixed to a link with mass",
    ),
    "radius": (
        lambda: bough.Rolling("b", radius=-1.0),
        "radius=-1.0 in Rolling",
        "radius is -1",
        "give a radius above zero, in m",
    ),
    "across": (
        lambda: bough.Skate("b", across=(0, 0, 0)),
        "across in Skate",
        "across is (0, 0, 0), which has no direction",
        "give across a component other than zero; its length does not matter",
    ),
    "off the ground": (
        run(rod(), contacts=[bough.Rolling("b", radius=0.5, height=-2.0)]),
        "start of a simulation of model 'rod'",
        "what rolls with frame 'b' does not touch its plane: its lowest point is 0.5 m above it",
        "start with it on the plane, or give height=-1.5",
    ),
    "in the ground": (
        lambda: bough.MaximalEngine(rod(), 0.01, contacts=[bough.Rolling("b", radius=0.5)]).start(),
        "start of MaximalEngine of model 'rod'",
        "what rolls with frame 'b' does not touch its plane: its lowest point is 1.5 m below it",
        "start with it on the plane, or give height=-1.5",
    ),
    "flat wheel": (
        run(rod(), contacts=[bough.Rolling("b", radius=0.5, axis=(0, 0, 1), height=-1.0)]),
        "start of a simulation of model 'rod'",
        "the wheel of frame 'b' lies flat on its plane, so that no point of it is lowest",
        "tilt it, or choose another axis= or normal=",
    ),
    "no start": (
        lambda: engine().step(),
        "step() of MaximalEngine of model 'rod'",
        "no start",
        "call start(q=..., v=...) first",
    ),
    "no constraint": (
        lambda: engine().enable("wire"),
        "constraint 'wire' in MaximalEngine of model 'rod'",
        "there is no constraint",
        "add a constraint first",
    ),
    "added": (
        lambda: engine().add(3.0),  # type: ignore[arg-type]
        "add(3.0) to MaximalEngine of model 'rod'",
        "neither a constraint nor a contact",
        "give a constraint such as bough.DistanceConstraint(a, b, 1.0), or bough.Rolling(...)",
    ),
    "engine of": (
        lambda: bough.MaximalEngine(rod(), 0.01, "euler"),
        "integrator 'euler' in MaximalEngine of model 'rod'",
        "no integrator has this name; the names are 'velocity', 'penalty-explicit', 'penalty-implicit'",
        "use one of these names",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_message(name: str) -> None:
    check_message(*CASES[name])


def test_contacts_need_velocities() -> None:
    penalty = bough.MaximalEngine(rod(), 0.01, "penalty-implicit")
    with pytest.raises(bough.ModelError) as caught:
        penalty.add(bough.Skate("b", across=(1, 0, 0)))
    assert caught.value.found == "contacts act on velocities, penalty springs on positions"


def test_a_force_that_is_not_finite_ends_the_run_with_what_there_is() -> None:
    with pytest.raises(bough.ConvergenceError) as caught:
        bough.simulate(rod(), duration=1.0, dt=0.1, integrator="velocity", u={"torque": 1e308})
    assert caught.value.found == "the velocities are not finite"
    assert caught.value.trajectory is not None
    assert len(caught.value.trajectory) >= 1


def test_a_smallest_inertia_lets_penalties_run_point_masses() -> None:
    run = bough.simulate(
        points(),
        {"a": 0.5},
        duration=0.5,
        dt=1e-3,
        integrator="penalty-implicit",
        smallest_inertia=1e-4,
    )
    reference = bough.simulate(points(), {"a": 0.5}, duration=0.5, dt=0.1, integrator="dop853")
    assert abs(run["a"][-1] - reference["a"][-1]) < 2e-3
