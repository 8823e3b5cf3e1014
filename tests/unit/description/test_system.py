"""The editable description: order of frames and variables, printing, and its form as plain data."""

from __future__ import annotations

import copy
import gc
import json
import pickle

import numpy as np
import pytest

from bough import BoughError, ModelError, System, kinematic
from bough.errors import nearest
from support.random_trees import random_tree

DEEP = 50_000


def branched() -> System:
    """A tree with every kind of transform and option."""
    system = System("branched", gravity=(0, 1, -9.81))
    arm = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0, com=(0, 0, 0.5))
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, (1, 2, 3)
    arm.fixed(pose, name="plate", mass=2.0, inertia=[[2, 0.1, 0], [0.1, 2, 0], [0, 0, 3]])
    system.world.tx(kinematic("rail"), ratio=2.0, offset=-0.1).twist((0, 0, 1, 0.5, 0, 0), "screw", ratio=-1)
    arm.ry("forearm").tz(-1.5, mass=1.0, inertia=(1, 1, 2))
    arm.ry("shoulder", offset=0.25)
    return system


def chain(depth: int) -> System:
    system = System("chain")
    frame = system.world
    for index in range(depth):
        frame = frame.rz(f"q{index}", mass=1.0)
    return system


def test_defaults() -> None:
    system = System()
    assert (system.name, system.gravity) == ("system", (0.0, 0.0, -9.81))
    assert System(gravity=None).gravity == (0.0, 0.0, 0.0)
    assert (system.frames, system.variables, system.elements) == ([system.world], (), ())


def test_name_and_gravity_can_be_changed() -> None:
    system = System()
    system.name = "moon"
    system.gravity = np.array([0, 0, -1.62])
    assert (system.name, system.gravity) == ("moon", (0.0, 0.0, -1.62))
    system.gravity = None
    assert system.gravity == (0.0, 0.0, 0.0)


def test_frames_are_depth_first_with_children_in_order_of_creation() -> None:
    system = System()
    a, b = system.world.frame("a"), system.world.frame("b")
    b.frame("b1")
    a.frame("a1").frame("a11")
    a.frame("a2")
    assert [frame.name for frame in system.frames] == ["world", "a", "a1", "a11", "a2", "b", "b1"]


def test_variables_are_dynamic_first_in_order_of_appearance() -> None:
    system = System()
    left, right = system.world.frame("left"), system.world.frame("right")
    right.rx("late").ry(kinematic("k2"))
    left.rx(kinematic("k1")).ry("early").rz("late", shared=True)
    assert system.dynamic == ("early", "late")
    assert system.kinematic == ("k1", "k2")
    assert system.variables == ("early", "late", "k1", "k2")


def test_a_frame_is_found_by_name_label_or_itself() -> None:
    system = branched()
    elbow = system.frame("elbow")
    assert elbow.name == "elbow"
    assert system.frame(elbow) is elbow
    assert system.frame("world") is system.world
    assert all(system.frame(frame.label) is frame for frame in system.frames)


def test_a_frame_may_have_the_name_of_a_variable() -> None:
    system = System()
    assert system.world.ry("J", name="J").parameter == "J"
    assert system.frame("J").name == "J"


def test_print() -> None:
    assert str(branched()) == (
        "branched: 9 frames, 3 dynamic and 1 kinematic variables, mass 4 kg\n"
        "world\n"
        "├─ ry(shoulder)\n"
        "│  └─ tz(-1)  'elbow'  mass 1  com (0, 0, 0.5)\n"
        "│     ├─ fixed  'plate'  mass 2  inertia (2, 2, 3) and products\n"
        "│     ├─ ry(forearm)\n"
        "│     │  └─ tz(-1.5)  mass 1  inertia (1, 1, 2)\n"
        "│     └─ ry(shoulder + 0.25)\n"
        "└─ tx(2 kinematic rail - 0.1)\n"
        "   └─ twist(-screw)"
    )
    assert repr(branched()) == "<System 'branched': 9 frames, 4 variables>"
    assert str(System()) == "system: 1 frame, 0 dynamic and 0 kinematic variables, mass 0 kg\nworld"


def test_print_of_a_deep_tree_says_how_many_levels_are_left_out() -> None:
    lines = str(chain(30)).splitlines()
    assert lines[2] == "└─ rz(q0)  mass 1"
    assert lines[25] == 69 * " " + "└─ rz(q23)  mass 1"
    assert lines[26] == "⋯1 " + 69 * " " + "└─ rz(q24)  mass 1"
    assert lines[31] == "⋯6 " + 69 * " " + "└─ rz(q29)  mass 1"


def test_description() -> None:
    system = System("arm")
    system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    system.world.tx(kinematic("x"), ratio=2.0, offset=0.5)
    system.world.twist((0, 0, 1, 0, 0, 0), "q", mass=1, inertia=(1, 1, 2), com=(0, 0, 1))
    system.world.frame("anchor")
    assert system.to_dict() == {
        "bough": 1,
        "name": "arm",
        "gravity": [0.0, 0.0, -9.81],
        "frames": [
            {"parent": 0, "transform": "ry", "parameter": "shoulder"},
            {"parent": 1, "transform": "tz", "parameter": -1.0, "name": "elbow", "mass": 1.0},
            {"parent": 0, "transform": "tx", "parameter": {"kinematic": "x"}, "ratio": 2.0, "offset": 0.5},
            {
                "parent": 0,
                "transform": "twist",
                "parameter": "q",
                "xi": [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
                "mass": 1.0,
                "com": [0.0, 0.0, 1.0],
                "inertia": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]],
            },
            {"parent": 0, "transform": "fixed", "pose": np.eye(4).tolist(), "name": "anchor"},
        ],
        "elements": [],
    }


def test_description_may_leave_out_what_has_a_default() -> None:
    system = System.from_dict({"name": "arm", "frames": [{"parent": 0, "transform": "rz", "parameter": "a"}]})
    assert system.gravity == (0.0, 0.0, -9.81)
    assert System.from_dict({"name": "arm", "frames": [], "gravity": None}).gravity == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_description_goes_through_json_without_loss(seed: int) -> None:
    for system in (branched(), random_tree(seed, 12).system()):
        data = system.to_dict()
        again = System.from_dict(json.loads(json.dumps(data)))
        assert again.to_dict() == data
        assert str(again) == str(system)


def test_equal_systems_have_equal_descriptions() -> None:
    one, two = System(), System(gravity=(-0.0, 0, -9.81))
    one.world.rz(0.0).tx("a", mass=1.0)
    two.world.rz(-0.0, ratio=1, offset=0).tx("a", mass=1, com=(0, -0.0, 0), inertia=np.zeros((3, 3)))
    assert json.dumps(one.to_dict()) == json.dumps(two.to_dict())


def test_copy_and_pickle() -> None:
    system = branched()
    for twin in (copy.deepcopy(system), pickle.loads(pickle.dumps(system))):
        assert twin.to_dict() == system.to_dict()
        twin.world.rz("new", name="only here")
        assert len(twin.frames) == len(system.frames) + 1
        assert twin.frame("only here").system is twin
        assert "new" not in system.variables


def test_a_tree_nested_tens_of_thousands_deep() -> None:
    system = chain(DEEP)
    assert len(system.frames) == DEEP + 1
    assert system.variables == tuple(f"q{index}" for index in range(DEEP))
    assert len(str(system).splitlines()) == DEEP + 2
    assert len(str(system)) < 150 * DEEP
    again = System.from_dict(json.loads(json.dumps(system.to_dict())))
    assert len(pickle.loads(pickle.dumps(system)).frames) == DEEP + 1
    assert len(copy.deepcopy(again).frames) == DEEP + 1
    del system, again
    gc.collect()


def test_a_system_is_unchanged_by_an_error() -> None:
    system = branched()
    before, text = system.to_dict(), str(system)
    elbow = system.frame("elbow")
    mistakes = [
        lambda: elbow.free(("a", "b", "c", "d", "e", float("nan"))),
        lambda: elbow.free(("a", "b", "c", "d", "e", kinematic("a"))),
        lambda: elbow.free("new", name="plate"),
        lambda: elbow.cylindrical("new", None),
        lambda: elbow.cylindrical("new", "rail"),
        lambda: elbow.rz("new", mass=-1.0),
        lambda: elbow.rz("new", mass=1.0, inertia=(1, 1, 3)),
        lambda: setattr(elbow, "mass", -1.0),
        lambda: setattr(elbow, "com", (0, 0)),
        lambda: setattr(elbow, "inertia", (1, 1, 3)),
        lambda: setattr(system, "gravity", 9.81),
        lambda: setattr(system, "name", ""),
        lambda: system.add(elbow),
    ]
    for mistake in mistakes:
        with pytest.raises(ModelError):
            mistake()
        assert system.to_dict() == before
        assert str(system) == text
    assert elbow.rz(kinematic("new")).parameter == kinematic(
        "new"
    )  # the failed uses of the name left no trace


def test_errors_have_three_parts_and_survive_pickling() -> None:
    error = ModelError(asked="a", found="b", do="c")
    assert isinstance(error, BoughError)
    assert str(error) == "a\n  found: b\n  do: c"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is ModelError
    assert (again.asked, again.found, again.do, str(again)) == ("a", "b", "c", str(error))


def test_nearest() -> None:
    names = ["shoulder", "elbow", "Wrist", "wrist2", "tip"]
    assert nearest("wrist", names) == ["Wrist", "wrist2"]
    assert nearest("sholder", names) == ["shoulder"]
    assert nearest("qqq", names) == []
    assert nearest("a", ["a", "A", "ab"], count=1) == ["a"]
