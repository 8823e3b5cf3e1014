"""The flat arrays handed to the core."""

from __future__ import annotations

import numpy as np
import pytest

from bough import System, kinematic
from bough.model.flatten import flatten
from support.counting import Name, calls
from support.random_trees import random_tree

REALS = ("value", "ratio", "offset", "pose", "screw", "mass", "com", "inertia", "gravity")
INTEGERS = ("parent", "kind", "variable")


def test_all_arrays_of_a_small_tree() -> None:
    system = System("small", gravity=(1, 2, 3))
    rail = system.world.tx(kinematic("rail"))  # 1
    hook = system.world.tz(0.5, name="hook", mass=3.0)  # 4
    rail.ry("swing", ratio=-2.0, offset=0.1).tz(-1.0, mass=1.0, com=(1, 2, 3), inertia=(1, 2, 3))  # 2, 3
    pose = np.eye(4)
    pose[:3, 3] = (7, 8, 9)
    hook.fixed(pose).twist((0, 0, 1, 0, 0, 2), "spin", name="nut")  # 5, 6
    flat = flatten(system)
    a = flat.arrays
    assert flat.variable_names == ("swing", "spin", "rail")
    assert flat.frame_names == ("world", None, None, None, "hook", None, "nut")
    assert flat.frame_labels == ("world", "#1", "#3", "#4", "hook", "#5", "nut")
    assert (a["n_dynamic"], a["n_variables"]) == (2, 3)
    assert a["parent"].tolist() == [-1, 0, 1, 2, 0, 4, 5]
    assert a["kind"].tolist() == [0, 1, 5, 3, 3, 0, 7]
    assert a["variable"].tolist() == [-1, 2, 0, -1, -1, -1, 1]
    assert a["value"].tolist() == [0, 0, 0, -1.0, 0.5, 0, 0]
    assert a["ratio"].tolist() == [1, 1, -2.0, 1, 1, 1, 1]
    assert a["offset"].tolist() == [0, 0, 0.1, 0, 0, 0, 0]
    assert a["mass"].tolist() == [0, 0, 0, 1.0, 3.0, 0, 0]
    assert a["com"].tolist() == [[0, 0, 0]] * 3 + [[1, 2, 3]] + [[0, 0, 0]] * 3
    assert np.array_equal(a["inertia"][3], np.diag([1.0, 2.0, 3.0]))
    assert not np.delete(a["inertia"], 3, axis=0).any()
    assert np.array_equal(a["pose"][5], pose)
    assert (np.delete(a["pose"], 5, axis=0) == np.eye(4)).all()
    assert a["screw"].tolist() == [[0] * 6] * 6 + [[0, 0, 1, 0, 0, 2]]
    assert a["gravity"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("seed", range(5))
def test_types_shapes_and_order(seed: int) -> None:
    system = random_tree(seed, 20).system()
    flat = flatten(system)
    a = flat.arrays
    count = len(system.frames)
    assert set(a) == {*REALS, *INTEGERS, "n_dynamic", "n_variables"}
    assert all(a[key].dtype == np.int32 for key in INTEGERS)
    assert all(a[key].dtype == np.float64 for key in REALS)
    assert all(a[key].flags.c_contiguous for key in (*REALS, *INTEGERS))
    shapes = {
        "pose": (count, 4, 4),
        "screw": (count, 6),
        "com": (count, 3),
        "inertia": (count, 3, 3),
        "gravity": (3,),
    }
    assert all(a[key].shape == shapes.get(key, (count,)) for key in (*REALS, *INTEGERS))
    assert (a["parent"][1:] < np.arange(1, count)).all()
    assert flat.variable_names == system.variables
    assert len(set(flat.frame_labels)) == count
    assert all(
        system.frame(label) is frame for label, frame in zip(flat.frame_labels, system.frames, strict=True)
    )


def test_arrays_do_not_change_with_the_system() -> None:
    system = System()
    body = system.world.rz("a", mass=1.0, inertia=(1, 1, 1))
    flat = flatten(system)
    body.mass = 5.0
    body.inertia = (2, 2, 2)
    flat.arrays["inertia"][1, 0, 0] = 99.0
    assert flat.arrays["mass"][1] == 1.0
    assert body.inertia[0, 0] == 2.0


def test_a_system_without_variables_flattens() -> None:
    flat = flatten(System())
    assert (flat.arrays["n_variables"], flat.frame_names) == (0, ("world",))


@pytest.mark.parametrize("deep", [True, False])
def test_work_is_linear_in_the_number_of_frames(deep: bool) -> None:
    """Ten times the frames are ten times the work; a search through the names would be a hundred."""

    def work(count: int) -> int:
        system = System()
        frame = system.world
        for index in range(count):
            frame = (frame if deep else system.world).rz(Name(f"q{index}"), mass=1.0)
        assert all(type(name) is Name for name in system.variables)  # whose comparisons are counted
        return calls(lambda: flatten(system))

    assert work(2000) < 10.1 * work(200)
