"""States that cannot be assembled: the exact text of every message."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from bough import DistanceConstraint, Model, ModelError, PointConstraint, System, kinematic, simulate
from support.messages import Case, check_message

nan = float("nan")


def hanging(*lengths: float) -> Model:
    """A pendulum of length 1 on wires of other lengths."""
    system = System("hanging")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    for name, length in zip(("wire", "rope"), lengths, strict=False):
        system.add(DistanceConstraint("bob", "world", length, name=name))
    return system.build()


def arm(x: float, z: float) -> Model:
    """Two links of 1 m whose tip is pinned."""
    system = System("arm")
    elbow = system.world.ry("a").tz(-1.0, mass=1.0)
    elbow.ry("b").tz(-1.0, name="tip", mass=1.0)
    pin = system.world.tx(x).tz(z, name="pin")
    system.add(PointConstraint("tip", pin, axis=(1, 0, 0), name="across"))
    system.add(PointConstraint("tip", pin, axis=(0, 0, 1), name="up"))
    return system.build()


def winch() -> Model:
    system = System("winch")
    system.world.ry("angle").tz(-1.0, name="load", mass=2.0)
    hook = system.world.tx(1.0, name="hook")
    system.add(DistanceConstraint("load", hook, kinematic("wire"), name="rope"))
    return system.build()


def long_chain() -> Model:
    """Ten links of 1 m between hooks 11 m apart."""
    system = System("chain")
    frame = system.world
    for n in range(10):
        frame = frame.ry(f"q{n}").tx(1.0, name=f"m{n}", mass=1.0)
    system.add(DistanceConstraint("m9", "world", 11.0))
    return system.build()


# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "one constraint": (
        lambda: hanging(1.5).assemble(),
        "assemble() of model 'hanging'",
        "no configuration meets constraint 'wire'; at the closest one found, angle = 0,"
        " 'wire' is off by -0.5 m",
        "correct the constraint or the frames it connects, or start from a q nearer to a solution",
    ),
    "two constraints": (
        lambda: hanging(0.8, 1.5).assemble({"angle": 0.5}),
        "assemble() of model 'hanging'",
        "no configuration meets constraints 'rope', 'wire' together; at the closest one found, angle = 0.5,"
        " 'rope' is off by -0.5 m, 'wire' is off by 0.2 m",
        "correct the constraints or the frames they connect, or start from a q nearer to a solution",
    ),
    "out of reach, straight": (
        lambda: arm(0.0, -2.5).assemble(),
        "assemble() of model 'arm'",
        "no configuration meets constraint 'up'; at the closest one found, a = 0, b = 0,"
        " 'up' is off by 0.5 m",
        "correct the constraint or the frames it connects, or start from a q nearer to a solution",
    ),
    "out of reach": (
        lambda: arm(-2.0, -1.5).assemble({"a": 0.1}),
        "assemble() of model 'arm'",
        "no configuration meets constraints 'across', 'up' together; at the closest one found,"
        " a = 0.927295, b = 0, 'across' is off by 0.4 m, 'up' is off by 0.3 m",
        "correct the constraints or the frames they connect, or start from a q nearer to a solution",
    ),
    "held": (
        lambda: arm(-1.0, -1.0).assemble({"a": 1.0}, hold="a"),
        "assemble() of model 'arm'",
        "no configuration meets constraints 'up', 'across' together; at the closest one found,"
        " a = 1, b = -0.667916, 'up' is off by -0.486 m, 'across' is off by -0.167 m",
        "correct the constraints or the frames they connect, let go of 'a',"
        " or start from a q nearer to a solution",
    ),
    "everything held": (
        lambda: hanging(1.5).assemble({"angle": 0.5}, hold=["angle"]),
        "assemble() of model 'hanging'",
        "no configuration meets constraint 'wire'; at the closest one found, angle = 0.5,"
        " 'wire' is off by -0.5 m",
        "correct the constraint or the frames it connects, let go of 'angle',"
        " or start from a q nearer to a solution",
    ),
    "kinematic": (
        lambda: winch().assemble({"wire": 3.0}),
        "assemble() of model 'winch'",
        "no configuration meets constraint 'rope'; at the closest one found, angle = 1.5708, wire = 3,"
        " 'rope' is off by -1 m",
        "correct the constraint or the frames it connects, give 'wire' another value,"
        " or start from a q nearer to a solution",
    ),
    "kinematic length not given": (
        lambda: winch().assemble({"angle": 0.5}),
        "assemble() of model 'winch'",
        "'wire', the length of constraint 'rope', is 0 m",
        "give it above zero, such as q={'wire': 1.0}",
    ),
    "many variables": (
        lambda: long_chain().assemble(),
        "assemble() of model 'chain'",
        "no configuration meets constraint 'DistanceConstraint #0'; at the closest one found, q0 = 0, q1 = 0,"
        " q2 = 0, q3 = 0, q4 = 0, q5 = 0, q6 = 0, q7 = 0, ..., 'DistanceConstraint #0' is off by -1 m",
        "correct the constraint or the frames it connects, or start from a q nearer to a solution",
    ),
    "velocities of held variables": (
        lambda: winch().assemble({"angle": 0.0, "wire": 2**0.5}, v={"angle": 1.0}, hold="angle"),
        "v in assemble() of model 'winch'",
        "no velocities of the other variables keep constraint 'rope': it changes by 0.707 m/s",
        "give other velocities to the held and the kinematic variables, or hold fewer of them",
    ),
    "velocities of kinematic variables": (  # the wire is as long as it can be
        lambda: winch().assemble({"angle": 1.0, "wire": 2.0}, v={"wire": 1.0}),
        "v in assemble() of model 'winch'",
        "no velocities of the other variables keep constraint 'rope': it changes by -1 m/s,"
        " and the position is almost singular",
        "start farther from that position, give other velocities to the held and the kinematic variables,"
        " or hold fewer of them",
    ),
    "hold": (
        lambda: winch().assemble({"wire": 1.0}, hold=("angel",)),
        "variable 'angel' in hold of assemble() of model 'winch'",
        "no variable has this name; the nearest is 'angle'",
        "correct the spelling",
    ),
    "q": (
        lambda: winch().assemble([1.0]),
        "q of assemble() of model 'winch'",
        "shape (1,), but the model has 2 variables",
        "give 2 numbers, or a mapping from names to numbers",
    ),
    "q nan": (
        lambda: winch().assemble([nan, 1.0]),
        "q of assemble() of model 'winch'",
        "nan for 'angle'",
        "give finite numbers",
    ),
    "v": (
        lambda: winch().assemble([0.0, 1.0], v={"wir": 1.0}),
        "variable 'wir' in v of assemble() of model 'winch'",
        "no variable has this name; the nearest is 'wire'",
        "correct the spelling",
    ),
    "equilibrium": (
        lambda: hanging(1.5).equilibrium(),
        "equilibrium() of model 'hanging'",
        "no configuration meets constraint 'wire'; at the closest one found, angle = 0,"
        " 'wire' is off by -0.5 m",
        "correct the constraint or the frames it connects, or start from a q nearer to a solution",
    ),
    "q of equilibrium": (
        lambda: winch().equilibrium([1.0]),
        "q of equilibrium() of model 'winch'",
        "shape (1,), but the model has 2 variables",
        "give 2 numbers, or a mapping from names to numbers",
    ),
    "simulate": (
        lambda: simulate(hanging(1.5), duration=1.0, assemble=True),
        "assemble=True in a simulation of model 'hanging'",
        "no configuration meets constraint 'wire'; at the closest one found, angle = 0,"
        " 'wire' is off by -0.5 m",
        "correct the constraint or the frames it connects, or start from a q nearer to a solution",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])


def test_the_closest_configuration_comes_with_the_error() -> None:
    model = arm(-2.0, -1.5)
    with pytest.raises(ModelError) as caught:
        model.assemble({"a": 0.1})
    closest = caught.value.closest  # type: ignore[attr-defined]
    assert np.allclose(closest, [np.arctan2(2.0, 1.5), 0.0], rtol=0, atol=1e-7)
    assert np.linalg.norm(model.constraint(closest)) == pytest.approx(0.5, abs=1e-12)
    assert np.array_equal(pickle.loads(pickle.dumps(caught.value)).closest, closest)
