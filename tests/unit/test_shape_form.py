"""`(shape ...)` in model files: every kind of shape, and its messages."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.io.system_file import parse_system, system_text

POSE = np.eye(4)
POSE[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
POSE[:3, 3] = [0.1, 0.2, -0.3]
SHAPES = {
    "sphere": bough.Sphere(0.1),
    "box": bough.Box((0.1, 0.2, 0.3)),
    "ellipsoid": bough.Ellipsoid((0.1, 0.2, 0.3)),
    "cylinder": bough.Cylinder(0.1, 0.5),
    "capsule": bough.Capsule(0.1, 0.5),
    "plane": bough.Plane(),
    "mesh": bough.Mesh(vertices=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], faces=[[0, 1, 2], [0, 2, 3]]),
    "mesh of one triangle": bough.Mesh(vertices=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces=[[0, 1, 2]]),
    "mesh of a file": bough.Mesh("part.stl", scale=(0.001, 0.001, 0.002)),
}


def pendulum() -> bough.System:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    return system


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("pose", [None, POSE])
@pytest.mark.parametrize("color", [None, (0.2, 0.4, 0.6, 0.5), "orange"])
def test_every_kind_reads_back(kind: str, pose: object, color: object) -> None:
    system = pendulum()
    system.shape("bob", SHAPES[kind], pose=pose, color=color)  # type: ignore[arg-type]
    again = parse_system(system_text(system))
    assert again.to_dict() == system.to_dict()
    assert again.shapes == system.shapes


def test_shapes_keep_their_order_and_may_stand_before_their_frame() -> None:
    text = """(system (shape "bob" "sphere" (size 0.1)) (let ((r 0.2))
      (shape "world" "sphere" (size (* 2 r)))) (ry "angle" (tz -1 (name "bob") (mass 1))))"""
    assert [(shape.frame, shape.geometry) for shape in parse_system(text).shapes] == [
        ("bob", bough.Sphere(0.1)),
        ("world", bough.Sphere(0.4)),
    ]


MESSAGES = {
    "unknown kind": (
        '"bob" "capsul" (size 1)',
        "text:1:61: kind of shape 'capsul' in a description",
        "no kind of shape has this name; the nearest is 'capsule'",
        "correct the spelling",
    ),
    "unknown frame": (
        '"bbo" "sphere" (size 1)',
        "text:1:55: frame 'bbo' in shape on frame 'bbo'",
        "no frame has this name; the nearest is 'bob'",
        "correct the spelling",
    ),
    "no kind": ('"bob"', "text:1:48: shape", "no kind", "give (kind ...) as well"),
    "unknown field": (
        '"bob" "sphere" (size 1) (colour 1 1 1)',
        "text:1:80: field 'colour' in shape",
        "there is no such field; the nearest is 'color'",
        "correct the spelling",
    ),
    "sizes of another kind": (
        '"bob" "sphere" (size 1 2)',
        "text:1:49: sphere of a description",
        "size [1.0, 2.0]",
        "give size as [radius]",
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_message(case: str) -> None:
    shape, asked, found, do = MESSAGES[case]
    with pytest.raises(bough.ParseError) as caught:
        parse_system(f'(system (ry "a" (tz -1 (name "bob") (mass 1))) (shape {shape}))')
    lines = str(caught.value).splitlines()
    assert lines[0] == asked
    assert lines[-2:] == [f"  found: {found}", f"  do: {do}"]
