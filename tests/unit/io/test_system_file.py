"""What files of s-expressions mean."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough.io.system_file import parse_system, system_text
from support.mechanisms import listing_1

LISTING_1 = """(mechanical-system (gravity 0 0 -9.81)
(ry "J" (Name "J")
(tz -0.5 (Name "I") (Mass 1))
(tz -1.0
(ry "H" (Name "H")
(tz -1.0 (Name "G") (Mass 1))
(tz -2.0 (Name "O2")))))
(tx -1.5
(ry "K" (Name "K")
(tz -1.0 (Name "L") (Mass 1))
(tz -2.0
(ry "M" (Name "M")
(tz -0.5 (Name "N") (Mass 1))
(tz -1.0 (Name "O"))))))
(tx 1.5
(ry "A" (Name "A")
(tz -1.0 (Name "B") (Mass 1))
(tz -2.0
(ry "C" (Name "C")
(tz -0.375 (Name "D") (Mass 1))
(tz -0.75
(ry "E" (Name "E")
(tz -0.5 (Name "F") (Mass 1))
(tz -1.0 (Name "G2"))))))))
(point-constaint "G" "G2" (1 0 0))
(point-constaint "G" "G2" (0 0 1))
(point-constaint "O" "O2" (1 0 0))
(point-constaint "O" "O2" (0 0 1)))
"""


def same(text: str, other: bough.System | str, **parameters: Any) -> None:
    """Both describe one system, frame for frame."""
    first = parse_system(text, path="system.sexp", **parameters)
    second = parse_system(other, path="system.sexp") if isinstance(other, str) else other
    assert first.to_dict() == second.to_dict()


def test_listing_1_as_printed(tmp_path: Path) -> None:
    (tmp_path / "closed_chain.sexp").write_text(LISTING_1)
    assert bough.load(tmp_path / "closed_chain.sexp").to_dict() == listing_1().to_dict()


def test_the_example_is_listing_1() -> None:
    example = Path(__file__).parents[3] / "examples" / "closed_chain.sexp"
    text = "".join(line for line in example.read_text().splitlines(True) if not line.startswith(";"))
    assert text.split() == LISTING_1.split()


def test_table_2() -> None:
    same(
        '(SYSTEM (GRAVITY 0 0 -1) (TX 0.1 TY 0.2 RZ "a" (MASS 2 1 1 1) (NAME "x") (TZ (D "b") (MASS "3")))'
        ' (POINT-CONSTRAINT "x" "world" 1 0 0 (NAME "pin")))',
        "(system (gravity (0 0 -1))"
        ' (tx 0.1 (ty 0.2 (rz "a" (mass 2) (inertia 1 1 1) (name "x") (tz "b" (mass 3)))))'
        ' (point-constraint "x" "world" (axis 1 0 0) (name "pin")))',
    )


def test_without_gravity_nothing_falls() -> None:
    assert parse_system('(system (tz "z" (mass 1)))').gravity == (0.0, 0.0, 0.0)


def test_name_of_a_system(tmp_path: Path) -> None:
    assert parse_system('(system (name "crane") (tz 1))').name == "crane"
    assert parse_system("(system (tz 1))", path="some/where/arm.sexp").name == "arm"


def test_every_transform() -> None:
    system = bough.System("system", gravity=None)
    world = system.world
    pose = np.eye(4)
    pose[2, 3] = 0.5
    world.tx(bough.kinematic("k"), name="cart").ry("q", ratio=2.0, offset=0.1)
    world.frame("anchor", mass=1.0)
    world.fixed(pose, name="base", mass=2.0, inertia=[[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]], com=(0, 0, 1))
    world.twist((0, 0, 1, 0.5, 0, 0), "t")
    world.revolute("a", (0, -1, 0))
    world.revolute("b", (1, 1, 0)).prismatic("c", (0, 0, 1))
    world.cylindrical("d", "e", (1, 0, 0))
    world.helical("f", (0, 0, 1), pitch=0.01)
    world.spherical("hip").planar(("x", "y", "r"))
    world.free(bough.kinematic("hand"))
    same(
        """(system
          (tx (K "k") (name "cart") (ry "q" (ratio 2) (offset 0.1)))
          (frame "anchor" (mass 1))
          (fixed ((1 0 0 0) (0 1 0 0) (0 0 1 0.5) (0 0 0 1)) (name "base")
            (mass 2) (inertia (1 0.1 0) (0.1 1 0) (0 0 1)) (com 0 0 1))
          (twist (0 0 1 0.5 0 0) "t")
          (revolute "a" (axis 0 -1 0))
          (revolute "b" (axis (1 1 0)) (prismatic "c"))
          (cylindrical "d" "e" (axis 1 0 0))
          (helical "f" (pitch 0.01))
          (spherical "hip" planar ("x" "y" "r"))
          (free (K "hand")))""",
        system,
    )


def test_elements_may_come_before_their_frames() -> None:
    same(
        '(system (linear-spring "world" "bob" 20 0.5) (tz "z" (name "bob") (mass 1)))',
        '(system (tz "z" (name "bob") (mass 1))'
        ' (linear-spring "world" "bob" (rest-length 0.5) (STIFFNESS 20)))',
    )


@pytest.mark.parametrize(
    ("text", "element"),
    [
        ("(damping 0.1)", bough.Damping(0.1)),
        ('(damping ("x" 0.1))', bough.Damping({"x": 0.1})),
        ('(damping ("x" 0.1) ("y" 0.2))', bough.Damping({"x": 0.1, "y": 0.2})),
        ('(damping (coefficient ("x" 1) ("y" 2)) (name "d"))', bough.Damping({"x": 1, "y": 2}, name="d")),
        ('(damping (coefficient (("x" 0.1))))', bough.Damping({"x": 0.1})),
        ('(damping (map ("x" 0.1)))', bough.Damping({"x": 0.1})),
        ('(gear-constraint ("x" 1) ("y" -2))', bough.GearConstraint({"x": 1, "y": -2})),
        ('(equality-constraint "x" "y")', bough.EqualityConstraint(("x", "y"))),
        ('(equality-constraint (variables "x" "y"))', bough.EqualityConstraint(("x", "y"))),
        ('(body-wrench "a" (fx "thrust") (tx 3))', bough.BodyWrench("a", fx="thrust", tx=3.0)),
        ('(point-constraint "a" "b")', bough.PointConstraint("a", "b")),
        ('(point-constraint "a" "b" (axes (1 0 0)))', bough.PointConstraint("a", "b", axes=[(1, 0, 0)])),
        ('(plane-constraint "a" "b" 0 0 1 0 0 2)', bough.PlaneConstraint("a", "b", (0, 0, 1), (0, 0, 2))),
        ('(distance-constraint "a" "b" (K "l"))', bough.DistanceConstraint("a", "b", bough.kinematic("l"))),
        (
            '(distance-constraint "a" "b" (sinusoid (amplitude 0.1) (frequency 2) (mean 1)))',
            bough.DistanceConstraint("a", "b", bough.Sinusoid(0.1, 2.0, mean=1.0)),
        ),
        ('(nonlinear-spring "a" "b" (polynomial 5))', bough.NonlinearSpring("a", "b", polynomial=[5])),
        ('(drag "a" 0.5 "gust" 0 0)', bough.Drag("a", 0.5, ("gust", 0, 0))),
        ('(beam-element "a" "b" 1 2 (3 4))', bough.BeamElement("a", "b", 1.0, 2.0, (3.0, 4.0))),
        ('(beam-element "a" "b" 1 2 (bending 3 4))', bough.BeamElement("a", "b", 1.0, 2.0, (3.0, 4.0))),
        ('(gravity (vector 0 0 1) (frames "a"))', bough.Gravity((0, 0, 1), "a")),
        ('(gravity 0 0 1 (name "up"))', bough.Gravity((0, 0, 1), name="up")),
    ],
)  # fmt: skip
def test_elements(text: str, element: Any) -> None:
    tree = '(tx "x" (name "a") (mass 1)) (ty "y" (name "b") (mass 1))'
    read = parse_system(f"(system {tree} {text})")
    assert read.elements == (parse_system(f"(system {tree})").add(element),)


def test_classes_of_users_come_for_free() -> None:
    class SoftMagnet(bough.Potential):
        def __init__(self, strength: float) -> None:
            super().__init__()
            self._set("pole_strength", strength)

    system = parse_system('(system (tx "x" (mass 1)) (soft-magnet (pole-strength 3)))')
    assert type(system.elements[0]) is SoftMagnet
    assert system.elements[0].pole_strength == 3.0  # type: ignore[attr-defined]
    assert parse_system(system_text(system)).to_dict() == system.to_dict()


def test_parameters() -> None:
    text = """
    (let ((L 0.5) (half (/ L 2)) (joint "knee") (n -2))
      (system (rx joint (com-of-nothing)) ))
    """.replace("(com-of-nothing)", "(tz (- half) (mass (* 2 L) (+ 0.1 0.1) 0.2 0.2)) (tx (sqrt 4)) (ty n)")
    same(text, '(system (rx "knee" (tz -0.25 (mass 1 0.2 0.2 0.2)) (tx 2) (ty -2)))')
    same(text, '(system (rx "hip" (tz -2 (mass 8 0.2 0.2 0.2)) (tx 2) (ty -2)))', L=4, joint="hip")


def test_parameters_end_with_their_let() -> None:
    text = "(system (let ((L 1)) (tz L) (let ((L 2)) (tz L)) (tz L)) (let ((L 3)) (tz L)))"
    same(text, "(system (tz 1) (tz 2) (tz 1) (tz 3))")
    same(text, "(system (tz 7) (tz 7) (tz 7) (tz 7))", L=7)


def test_a_hyphen_in_a_parameter_is_an_underscore_outside() -> None:
    same("(let ((arm-length 1)) (system (tz arm-length)))", "(system (tz 2))", arm_length=2)


def test_constants() -> None:
    assert parse_system("(system (rz pi))").frames[1].parameter == math.pi


def test_at() -> None:
    same(
        '(system (tx 1 (name "a")) (ty 1) (at "a" (tz 1) (tz 2)) (at "#2" (rz 1)))',
        '(system (tx 1 (name "a")) (ty 1) (at "a" (tz 1) (tz 2) (at "#2" (rz 1))))',
    )
    assert [f.kind for f in parse_system('(system (tx 1 (name "a")) (ty 1) (at "a" (tz 1)))').frames] == [
        "world", "tx", "tz", "ty",
    ]  # fmt: skip


def test_include(tmp_path: Path) -> None:
    (tmp_path / "leg.sexp").write_text("(let ((L 1)) (ry hip (tz (- L) (mass 1))))\n(damping 0.1)")
    main = tmp_path / "robot.sexp"
    main.write_text(
        '(system (let ((hip "left")) (include "leg.sexp")) (tx 1 (let ((hip "right")) (include "leg.sexp"))))'
    )
    legs = '(ry "left" (tz -2 (mass 1))) (tx 1 (ry "right" (tz -2 (mass 1))))'
    expected = f"(system {legs} (damping 0.1) (damping 0.1))"
    assert bough.load(main, L=2).to_dict() == parse_system(expected, path="robot.sexp").to_dict()


def test_encodings(tmp_path: Path) -> None:
    path = tmp_path / "x.sexp"
    path.write_bytes('\ufeff(system\r\n (tz "Höhe" (name "Fuß")))\r\n'.encode())
    assert bough.load(str(path)).variables == ("Höhe",)


def test_save(tmp_path: Path) -> None:
    system = listing_1()
    bough.save(system, tmp_path / "x.sexp")
    assert bough.load(tmp_path / "x.sexp").to_dict() == system.to_dict()


def test_written_text_is_readable() -> None:
    assert system_text(parse_system(LISTING_1, path="device.sexp")) == (
        """(system (name "device")
  (gravity 0 0 -9.81)
  (ry "J" (name "J")
    (tz -0.5 (name "I") (mass 1))
    (tz -1 ry "H" (name "H")
      (tz -1 (name "G") (mass 1))
      (tz -2 (name "O2"))))
  (tx -1.5 ry "K" (name "K")
    (tz -1 (name "L") (mass 1))
    (tz -2 ry "M" (name "M")
      (tz -0.5 (name "N") (mass 1))
      (tz -1 (name "O"))))
  (tx 1.5 ry "A" (name "A")
    (tz -1 (name "B") (mass 1))
    (tz -2 ry "C" (name "C")
      (tz -0.375 (name "D") (mass 1))
      (tz -0.75 ry "E" (name "E")
        (tz -0.5 (name "F") (mass 1))
        (tz -1 (name "G2")))))
  (point-constraint "G" "G2" (axis 1 0 0))
  (point-constraint "G" "G2" (axis 0 0 1))
  (point-constraint "O" "O2" (axis 1 0 0))
  (point-constraint "O" "O2" (axis 0 0 1)))
"""
    )


def test_linear_at_any_depth() -> None:
    """A chain of 20 000 frames inside each other, and its text."""
    count = 10_000
    chain = "".join(f'(ry "q{i}" (name "n{i}") (tz -1 (name "m{i}") (mass 1)) ' for i in range(count))
    system = parse_system(f"(system {chain}{')' * (count + 1)}", path="chain.sexp")
    assert len(system.frames) == 2 * count + 1
    text = system_text(system)
    assert len(text) < 150 * 2 * count
    assert parse_system(text).to_dict() == system.to_dict()
