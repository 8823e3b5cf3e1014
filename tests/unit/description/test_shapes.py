"""Shapes on frames: what they hold, where they are kept, and what cannot be one."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough import ModelError
from bough.io.system_file import parse_system
from support.messages import Case

TRIANGLE: Any = {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "faces": [[0, 1, 2]]}
GEOMETRIES = (
    bough.Box((0.1, 0.2, 0.3)),
    bough.Sphere(0.1),
    bough.Ellipsoid((0.1, 0.2, 0.3)),
    bough.Cylinder(0.1, 0.5),
    bough.Capsule(0.1, 0.5),
    bough.Plane(),
    bough.Plane((1.0, 2.0)),
    bough.Mesh("arm.stl", (1.0, 2.0, -1.0)),
    bough.Mesh(**TRIANGLE),
)


def pendulum() -> bough.System:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    return system


def with_shapes() -> bough.System:
    system = pendulum()
    pose = np.eye(4)
    pose[:3, 3] = (1.0, 2.0, 3.0)
    for geometry in GEOMETRIES:
        system.shape("bob", geometry, pose=pose, color=(1.0, 0.5, 0.0))
    system.shape("#1", bough.Sphere(1.0))
    return system


def test_descriptions_models_and_pickles_keep_shapes():
    system = with_shapes()
    assert len(system.shapes) == 10
    assert system.shapes[0].color == (1.0, 0.5, 0.0, 1.0)
    assert system.shapes[-1].frame == "#1"
    model = system.build()
    assert model.shapes == system.shapes
    again = bough.System.from_dict(json.loads(json.dumps(system.to_dict())))
    assert again.shapes == system.shapes
    assert model.system.shapes == system.shapes
    assert pickle.loads(pickle.dumps(model)).shapes == system.shapes


def test_a_saved_run_keeps_shapes(tmp_path: Path):
    run = bough.simulate(with_shapes().build(), duration=0.1, dt=0.05)
    run.save(tmp_path / "run.npz")
    assert bough.load_trajectory(tmp_path / "run.npz").model.shapes == run.model.shapes


def test_files_keep_shapes(tmp_path: Path):
    system = with_shapes()
    bough.save(system, tmp_path / "pendulum.sexp")
    assert bough.load(tmp_path / "pendulum.sexp").shapes == system.shapes


PENDULUM = '(system (ry "angle" (tz -1 (name "bob") (mass 1)))\n  '


def test_shapes_in_files(tmp_path: Path):
    text = """
  (shape "bob" "sphere" (size 0.1) (color "red"))
  (shape "bob" "box" (size 0.1 0.2 0.3) (color 1 0 0))
  (shape "bob" "plane")
  (shape "bob" "mesh" (path "meshes/arm.stl") (scale 0.001)
    (pose (1 0 0 0) (0 1 0 0) (0 0 1 2) (0 0 0 1))))
"""
    (tmp_path / "pendulum.sexp").write_text(PENDULUM + text)
    ball, box, plane, arm = bough.load(tmp_path / "pendulum.sexp").shapes
    assert ball.geometry == bough.Sphere(0.1)
    assert ball.color == box.color == (1.0, 0.0, 0.0, 1.0)
    assert box.geometry == bough.Box((0.1, 0.2, 0.3))
    assert plane.geometry == bough.Plane()
    assert arm.geometry == bough.Mesh(tmp_path / "meshes" / "arm.stl", 0.001)
    assert arm.pose[2] == (0.0, 0.0, 1.0, 2.0)


FILES = {
    '(shape "bab" "sphere" (size 1))': (
        "2:10: frame 'bab' in shape",
        "no frame has this name; the nearest is 'bob'",
        "correct the spelling",
    ),
    '(shape "bob" "bax" (size 1 1 1))': (
        "2:16: kind of shape 'bax' in a description",
        "no kind of shape has this name; the nearest is 'box'",
        "correct the spelling",
    ),
    '(shape "bob" "sphere" (size 1 2))': (
        "2:4: sphere of a description",
        "size [1.0, 2.0]",
        "give size as [radius]",
    ),
    '(shape "bob")': ("2:3: shape", "no kind", "give (kind ...) as well"),
    '(shape "bob" "mesh" (path 3))': (
        "2:23: path=3.0 in Mesh(...)",
        "not the path of a file",
        "give path as a string, such as 'arm.stl'",
    ),
    '(shape "bob" "mesh" (vertices (0 0 0) (1 0)) (faces (0 1 2)))': (
        "2:23: vertices in Mesh(...)",
        "vertices has rows of different lengths",
        "give vertices as an array of shape (n, 3)",
    ),
    '(shape "bob" "box" (size 1 1 1) (color 255 0 0))': (
        "2:35: color=[255.0, 0.0, 0.0] in shape on frame 'bob'",
        "255, which is not from 0 to 1",
        "give color as 3 or 4 numbers from 0 to 1, or a name such as 'orange'",
    ),
}


@pytest.mark.parametrize("text", FILES)
def test_mistakes_in_files(text: str):
    place, found, do = FILES[text]
    with pytest.raises(bough.ParseError) as caught:
        parse_system(f"{PENDULUM}{text})", path="m.sexp")
    lines = str(caught.value).splitlines()
    assert lines[0] == f"m.sexp:{place}"
    assert lines[-2:] == [f"  found: {found}", f"  do: {do}"]


def test_shapes_have_no_part_in_the_mechanics():
    assert with_shapes().build() == pendulum().build()
    assert "shapes" not in pendulum().to_dict()


def test_colors_by_name():
    shape = pendulum().shape("bob", bough.Sphere(0.1), color="red")
    assert shape.color == (1.0, 0.0, 0.0, 1.0)


def test_the_path_of_a_mesh_does_not_depend_on_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert bough.Mesh("arm.stl").path == str(tmp_path / "arm.stl")


def test_meshes_compare_by_content():
    assert bough.Mesh(**TRIANGLE) == bough.Mesh(**TRIANGLE)
    assert bough.Mesh(**TRIANGLE) != bough.Mesh(**TRIANGLE, scale=2.0)


MESSAGES: dict[str, Case] = {
    "box": (
        lambda: bough.Box((1.0, 0.0, 1.0)),
        "size=(1.0, 0.0, 1.0) in Box(...)",
        "size is not above zero in each direction",
        "give size as 3 numbers above zero, in m",
    ),
    "box of two": (
        lambda: bough.Box((1.0, 1.0)),
        "size in Box(...)",
        "size has shape (2,)",
        "give size as 3 numbers above zero, in m",
    ),
    "sphere": (
        lambda: bough.Sphere(-1.0),
        "radius=-1.0 in Sphere(...)",
        "radius is negative",
        "give radius above zero, in m",
    ),
    "cylinder": (
        lambda: bough.Cylinder(0.1, 0.0),
        "length=0.0 in Cylinder(...)",
        "length is zero",
        "give length above zero, in m",
    ),
    "mesh": (
        lambda: bough.Mesh(),
        "Mesh(...)",
        "neither a file nor vertices with faces",
        "give path=, or vertices= and faces=",
    ),
    "faces": (
        lambda: bough.Mesh(vertices=TRIANGLE["vertices"], faces=[[0, 1, 3]]),
        "faces of Mesh(...)",
        "3, but there are 3 vertices",
        "number the corners from 0 to 2",
    ),
    "vertices": (
        lambda: bough.Mesh(vertices=[[0, 0]], faces=[[0, 0, 0]]),
        "vertices in Mesh(...)",
        "vertices has shape (1, 2)",
        "give vertices as an array of shape (n, 3)",
    ),
    "not a shape": (
        lambda: pendulum().shape("bob", (0.1, 0.2, 0.3)),
        "shape on frame 'bob'",
        "(0.1, 0.2, 0.3), which is not a shape",
        "give a shape, such as bough.Box((0.1, 0.2, 0.3))",
    ),
    "frame": (
        lambda: pendulum().shape("bab", bough.Sphere(0.1)),
        "frame 'bab' in shape on frame 'bab'",
        "no frame has this name; the nearest is 'bob'",
        "correct the spelling",
    ),
    "color": (
        lambda: pendulum().shape("bob", bough.Sphere(0.1), color=(255, 0, 0)),
        "color=(255, 0, 0) in shape on frame 'bob'",
        "255, which is not from 0 to 1",
        "give color as 3 or 4 numbers from 0 to 1, or a name such as 'orange'",
    ),
    "name of a color": (
        lambda: pendulum().shape("bob", bough.Sphere(0.1), color="orang"),
        "color 'orang' in shape on frame 'bob'",
        "no color has this name; the nearest are 'orange', 'orangered', 'darkorange'",
        "correct the spelling",
    ),
    "kind": (
        lambda: bough.System.from_dict(
            pendulum().to_dict() | {"shapes": [{"frame": "bob", "kind": "bax", "size": [1, 1, 1]}]}
        ),
        "kind of shape 'bax' in a description",
        "no kind of shape has this name; the nearest is 'box'",
        "correct the spelling",
    ),
    "size": (
        lambda: bough.System.from_dict(
            pendulum().to_dict() | {"shapes": [{"frame": "bob", "kind": "cylinder", "size": [1]}]}
        ),
        "cylinder of a description",
        "size [1]",
        "give size as [radius, length]",
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_message(case: str):
    make, asked, found, do = MESSAGES[case]
    with pytest.raises(ModelError) as caught:
        make()
    assert (caught.value.asked, caught.value.found, caught.value.do) == (asked, found, do)


def test_a_frame_takes_a_shape_as_its_system_does():
    """The same shape, with the same checks."""
    one, two = bough.System("body"), bough.System("body")
    pose = np.diag([1.0, -1.0, -1.0, 1.0])
    frame = one.world.tx("x", name="body", mass=1.0)
    two.world.tx("x", name="body", mass=1.0)
    made = frame.shape(bough.Sphere(0.2), pose=pose, color="orange")
    assert made == two.shape("body", bough.Sphere(0.2), pose=pose, color="orange")
    assert one.to_dict() == two.to_dict()
    assert one.world.shape(bough.Plane()).frame == "world"
    with pytest.raises(bough.ModelError, match="shape on frame 'body'"):
        frame.shape("ball")
