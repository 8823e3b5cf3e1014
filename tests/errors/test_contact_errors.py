"""Messages about contacts, stops and strings: what is given, where a motion starts, and where it can not go on."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bough
from support.messages import Case, check_message

TETRAHEDRON = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
NEAREST = "start where all gaps are open: model.assemble(q=...) finds the nearest q (simulate: assemble=True)"
CONVEX = "give a closed convex surface, or one contact for each of bough.convex_parts(mesh)"


def ball(shape: bough.Geometry | None = None, **options: Any) -> bough.Model:
    system = bough.System("ball")
    system.world.tz("z", name="ball", mass=1.0)
    system.add(bough.Contact("ball", shape or bough.Sphere(0.1), name="floor", **options))
    return system.build()


def dropped(height: float = 0.5, options: dict[str, Any] | None = None, **run: Any) -> bough.Trajectory:
    return bough.simulate(ball(**(options or {})), q=[height], duration=0.5, dt=0.01, **run)


def mesh(vertices: Any, faces: Any) -> bough.Model:
    return ball(bough.Mesh(vertices=vertices, faces=faces))


def one_body() -> None:
    system = bough.System("one body")
    body = system.world.tz("z", name="body", mass=1.0)
    body.tx(0.1, name="side")
    system.add(bough.Contact("body", bough.Sphere(0.1), against=("side", bough.Sphere(0.1))))


def no_joint() -> None:
    system = bough.System("no joint")
    system.world.tx(0.1, name="post")
    system.add(bough.Contact("post", bough.Sphere(0.1)))


def string(length: float, **options: Any) -> None:
    system = bough.System("string")
    system.world.tx("x").tz("z", name="bob", mass=1.0)
    system.world.tx(2.0, name="far")
    system.add(bough.String("bob", "far", length, **options))


def arm(start: float) -> None:
    system = bough.System("arm")
    system.world.ry("elbow").tz(-1.0, name="hand", mass=1.0)
    system.add(bough.JointLimit("elbow", 0.0, 1.0, name="stop"))
    bough.simulate(system.build(), q=[start], duration=0.1, dt=0.01)


def resting_arm() -> bough.Model:
    system = bough.System("arm")
    system.world.ry("elbow").tz(-1.0, name="hand", mass=1.0)
    system.add(bough.JointLimit("elbow", 0.5, 1.0, name="stop"))
    return system.build()


class Slit(bough.UnilateralConstraint):
    """Two gaps, of which the class says nothing."""

    def value(self, at: bough.Instant) -> Any:
        return [at.q["z"], 1.0 - at.q["z"]]


def slit() -> None:
    system = bough.System("slit")
    system.world.tz("z", mass=1.0)
    system.add(Slit())
    system.build().gap([0.5])


def rolling(frame: str) -> None:
    system = bough.System("sled")
    system.world.tx("x").tz("z", name="sled", mass=1.0)
    system.add(bough.Rolling(frame, 0.1, name="floor"))


def pulley(x: float = -0.1, **options: Any) -> bough.Model:
    """Two weights over a wheel of 0.1 m, the left of which is x beside its middle."""
    system = bough.System("pulley")
    system.world.tx(x).tz("left", name="left", mass=1.0)
    system.world.tx(0.1).tz("right", name="right", mass=3.0)
    wheel = system.world.frame("wheel")
    system.add(bough.String("left", "right", via=[wheel], radius=0.1, name="rope", **options))
    return system.build()


CASES: dict[str, Case] = {
    "beyond": (
        lambda: dropped(0.05),
        "start of a simulation of model 'ball'",
        "q is beyond 1 contact: 'floor' by 0.05 m",
        NEAREST,
    ),
    "limit": (
        lambda: arm(-0.2),
        "start of a simulation of model 'arm'",
        "q is beyond 1 contact: 'stop[lower]' by 0.2 rad",
        NEAREST,
    ),
    "friction": (
        lambda: ball(friction=-0.1),
        "friction=-0.1 in PlaneContact 'floor'",
        "friction is negative",
        "give the ratio of the largest tangential force to the normal one, zero or more",
    ),
    "friction-nan": (
        lambda: ball(friction=np.nan),
        "friction in PlaneContact(...)",
        "friction is nan",
        "give friction in finite numbers",
    ),
    "restitution": (
        lambda: ball(restitution=1.5),
        "restitution=1.5 in PlaneContact 'floor'",
        "not between 0 and 1",
        "give 0 for a contact that does not bounce, 1 for one that loses nothing",
    ),
    "friction-infinite": (
        lambda: ball(friction=np.inf),
        "friction in PlaneContact(...)",
        "friction is inf",
        "give friction in finite numbers",
    ),
    "restitution-negative": (
        lambda: ball(restitution=-0.5),
        "restitution=-0.5 in PlaneContact 'floor'",
        "less than zero",
        "give 0 for a contact that does not bounce, 1 for one that loses nothing",
    ),
    "bounds": (
        lambda: bough.JointLimit("elbow", 1.0, 0.5),
        "lower=1 and upper=0.5 in JointLimit",
        "the lower bound is not below the upper one",
        "exchange them, or leave one out; a variable that may not move needs no joint",
    ),
    "short": (
        lambda: string(1.0, via=["world"]),
        "length=1 in String",
        "its parts between frames that do not move against each other are 2 m, as long as the string or longer",
        "give a longer string",
    ),
    "one-body": (
        one_body,
        "ShapeContact of 'body' with 'side'",
        "both are on one body: no joint is between them, so that the gaps never change",
        "give frames that move relative to each other",
    ),
    "no-joint": (
        no_joint,
        "PlaneContact of 'post' with a plane of 'world'",
        "both are on one body: no joint is between them, so that the gaps never change",
        "give frames that move relative to each other",
    ),
    "normal": (
        lambda: ball(normal=(0, 0, 0)),
        "normal in PlaneContact 'floor'",
        "normal is (0, 0, 0), which has no direction",
        "give normal a component other than zero; its length does not matter",
    ),
    "open-mesh": (
        lambda: mesh(TETRAHEDRON, [(0, 2, 1), (0, 1, 3), (0, 3, 2)]),
        "shape of ShapeContact 'floor'",
        "a mesh whose surface is not closed",
        CONVEX,
    ),
    "hollow-mesh": (
        lambda: mesh(
            [*TETRAHEDRON, (0.1, 0.1, 0.1)],
            [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4)],
        ),
        "shape of ShapeContact 'floor'",
        "a mesh whose surface is not convex",
        CONVEX,
    ),
    "not-located": (
        lambda: dropped(options={"restitution": 0.5}, locate=False),
        "locate=False in MidpointVI of model 'ball'",
        "contact 'floor' with restitution 0.5",
        "leave locate out, so that impacts are located, or build the system with restitution=0",
    ),
    "shape-without-frame": (
        lambda: ball(against=bough.Box((1, 1, 1))),
        "against=Box(size=(1.0, 1.0, 1.0)) in Contact 'floor'",
        "a shape without the frame that it is fixed to",
        'give both as a pair, such as against=("world", bough.Box(...))',
    ),
    "height": (
        lambda: bough.Cylinder(0.1, height=0.2),  # type: ignore[call-arg]
        "Cylinder(0.1, height=0.2)",
        "missing a required argument: 'length'",
        "give bough.Cylinder(radius, length)",
    ),
    "diameter": (
        lambda: bough.Sphere(0.1, diameter=0.2),  # type: ignore[call-arg]
        "Sphere(0.1, diameter=0.2)",
        "got an unexpected keyword argument 'diameter'",
        "give bough.Sphere(radius)",
    ),
    "three-sizes": (
        lambda: bough.Box(1, 1, 1),  # type: ignore[call-arg, arg-type]
        "Box(1, 1, 1)",
        "too many positional arguments",
        "give bough.Box(size)",
    ),
    "misspelt-length": (
        lambda: bough.String("bob", "far", lenght=1.0),  # type: ignore[call-arg]
        "String('bob', 'far', lenght=1.0)",
        "no argument is called 'lenght'; the nearest is 'length'",
        "give bough.String(a, b, length, name=, via=, radius=, axis=, drum=, restitution=)",
    ),
    "misspelt-bound": (
        lambda: bough.JointLimit("elbow", lowr=0.0),  # type: ignore[call-arg]
        "JointLimit('elbow', lowr=0.0)",
        "no argument is called 'lowr'; the nearest is 'lower'",
        "give bough.JointLimit(variable, lower, upper, name=, restitution=)",
    ),
    "misspelt-friction": (
        lambda: bough.PlaneContact("ball", fricton=0.5),  # type: ignore[call-arg]
        "PlaneContact('ball', fricton=0.5)",
        "no argument is called 'fricton'; the nearest is 'friction'",
        "give bough.PlaneContact(frame, against, name=, points=, radius=, normal=, origin=, friction=, restitution=)",
    ),
    "no-second-end": (
        lambda: bough.String("bob"),  # type: ignore[call-arg]
        "String('bob')",
        "missing a required argument: 'b'",
        "give bough.String(a, b, length, name=, via=, radius=, axis=, drum=, restitution=)",
    ),
    "length-by-name": (
        lambda: string("out"),  # type: ignore[arg-type]
        "length='out' in String",
        "length is neither a number nor a function of bough",
        'give a number, bough.Sinusoid(...) or bough.PiecewisePolynomial(...), or bough.kinematic("name")'
        " for what a run prescribes",
    ),
    "endless-bound": (
        lambda: bough.JointLimit("elbow", lower=-np.inf, upper=1.0),
        "lower=-inf in JointLimit(...)",
        "a bound that is never reached",
        "leave lower= out",
    ),
    "gaps-not-counted": (
        slit,
        "value of Slit",
        "shape (2,)",
        "return a number; a class of several gaps says how many: contacts = 2",
    ),
    "nothing-turns": (
        lambda: rolling("sled"),
        "Rolling 'floor'",
        "no joint turns 'sled', so that it cannot roll",
        "give a frame on a body that turns: one after ry(...), ball(...) or floating(...)",
    ),
    "inside-pulley": (
        lambda: bough.simulate(pulley(0.0, length=3.0), q=[0.05, -1.0], duration=0.1, dt=0.01),
        "start of a simulation of model 'pulley'",
        "string 'rope': 'left' is 0.05 m from the axis of pulley 'wheel', whose radius is 0.1 m",
        "start with the ends of strings outside their pulleys, or give smaller pulleys",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_message(name: str) -> None:
    check_message(*CASES[name])


def test_a_rest_beyond_a_stop_is_refused() -> None:
    check_message(
        lambda: resting_arm().equilibrium({"elbow": 0.8}),
        "equilibrium() of model 'arm'",
        "the forces cancel only beyond 'stop[lower]', by 0.5 rad: equilibrium() ignores stops, strings and contacts",
        "let it come to rest by simulate() with some damping, or replace what holds it there by a constraint",
        bough.ConvergenceError,
    )


@pytest.mark.parametrize("options", [{"order": 4}, {"integrator": "rk4"}, {"integrator": "dop853"}])
def test_methods_without_contacts(options: dict[str, Any]) -> None:
    with pytest.raises(bough.ModelError, match="contacts, 'floor', which this method does not keep"):
        dropped(**options)


def test_an_end_on_the_rim_of_its_pulley_is_outside() -> None:
    gap = pulley(-0.1 + 1e-14, length=3.0).gap({"left": 0.0, "right": -1.0})
    assert gap[0] == pytest.approx(3.0 - 1.0 - 0.1 * np.pi, abs=1e-7)


class Wall(bough.UnilateralConstraint, ABC):
    """A contact of a user, of a class of their own."""

    def __init__(self, place: float) -> None:
        super().__init__()
        self._set("place", float(place))

    def value(self, at: bough.Instant) -> Any:
        return at.q["x"] - self.place  # type: ignore[attr-defined]


def test_arguments_of_a_users_element() -> None:
    with pytest.raises(bough.ModelError, match=r"found: .*'placed'.*'place'\n  do: give Wall\(place\)"):
        Wall(placed=1.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError):  # of what it does itself
        Wall(None)  # type: ignore[arg-type]


# --- motions that have no end ---


def crushed() -> bough.Trajectory:
    """A ball between the floor and a press that comes down on it."""
    system = bough.System("press")
    system.world.tz("z", name="ball", mass=1.0)
    system.world.tz(bough.kinematic("press"), name="press")
    system.add(bough.Contact("ball", bough.Sphere(0.1), name="floor"))
    system.add(bough.Contact("ball", bough.Sphere(0.1), "press", normal=(0, 0, -1), name="top"))
    k = {"press": lambda t: 0.3 - t}
    return bough.simulate(system.build(), {"z": 0.1, "press": 0.3}, k=k, duration=0.5, dt=0.01)


def hauled() -> bough.Trajectory:
    """A load on a rope of kinematic length, which is zero in the end."""
    system = bough.System("winch")
    system.world.tz("load", name="load", mass=1.0)
    system.add(bough.String("world", "load", length=bough.kinematic("out"), name="rope"))
    k = {"out": lambda t: 1.0 - t}
    return bough.simulate(system.build(), {"load": -1.0, "out": 1.0}, k=k, duration=1.5, dt=0.01)


def wound() -> bough.Trajectory:
    """A load that a torque on a drum winds up."""
    system = bough.System("drum")
    system.world.ry("turn", name="drum", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.world.tz("load", name="load", mass=1.0)
    system.add(bough.String("world", "load", length=1.0, drum={"turn": 0.1}, name="rope"))
    system.add(bough.ConfigurationForce("turn", "torque"))
    return bough.simulate(system.build(), {"load": -1.0}, u={"torque": -20.0}, duration=3.5, dt=0.01)


def drawn() -> bough.Trajectory:
    """A light weight that a heavy one draws up to the wheel between them."""
    return bough.simulate(pulley(-0.05, length=2.0), {"left": -1.0, "right": -0.5}, duration=3.0, dt=0.01)


WINCH = "end the run earlier, or stop what draws the string in: a JointLimit on the variable of the load or of its drum"
PRESS = (
    "take a smaller dt; if kinematic variables close the room that a body has between its contacts, let them"
    " stop before: no force moves it out of their way"
)


@pytest.mark.parametrize(
    ("run", "found", "do"),
    [
        (crushed, "'floor', 'top' touch there", PRESS),
        (hauled, r"string 'rope' has only \S+ m left between 'world' and 'load'", WINCH),
        (wound, r"string 'rope' has only \S+ m left between 'world' and 'load'", WINCH),
        (drawn, r"string 'rope' has only \S+ m left between 'left' and 'wheel'", WINCH),
    ],
)
def test_motions_that_do_not_go_on(run: Callable[[], bough.Trajectory], found: str, do: str) -> None:
    with pytest.raises(bough.ConvergenceError, match=found) as caught:
        run()
    assert str(caught.value).endswith(f"\n  do: {do}")
    assert caught.value.trajectory is not None
