"""Variables that move several frames: only where that is asked for, and said where a model is printed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from bough.io.system_file import parse_system, system_text
from support.messages import check_message

DO = (
    "choose another name for a motion of its own; or give shared=True, in a file (shared), if both are to"
    " move together"
)


def two(**options: Any) -> bough.System:
    """Two hanging rods with a variable of one name."""
    system = bough.System("rods")
    system.world.ry("a", name="first").tz(-1.0, mass=1.0)
    system.world.tx(1.0).ry("a", name="second", **options).tz(-1.0, mass=1.0)
    return system


def test_equal_names_are_refused() -> None:
    check_message(
        lambda: two(),
        "variable 'a' in ry('a', name='second') on frame #3",
        "'a' already moves ry(a) on world, and one variable would move both",
        DO,
    )
    system = bough.System("rods")
    system.world.tx(bough.kinematic("k"), mass=1.0)
    check_message(
        lambda: system.world.ty(bough.kinematic("k")),
        "variable 'k' in ty(kinematic('k')) on world",
        "'k' already moves tx(kinematic k) on world, and one variable would move both",
        DO,
    )
    assert len(system.frames) == 2  # nothing was added


def test_within_one_joint_too() -> None:
    check_message(
        lambda: bough.System("s").world.planar(("x", "x", "turn")),
        "variable 'x' in planar(('x', 'x', 'turn')) on world",
        "'x' already moves another part of this joint, and one variable would move both",
        DO,
    )
    frame = bough.System("s").world.planar(("x", "x", "turn"), shared=True, mass=1.0, inertia=(1, 1, 1))
    assert frame.system.variables == ("x", "turn")


@pytest.mark.parametrize("options", [{"shared": True}, {"ratio": -1.0}, {"offset": 0.2}, {"ratio": 2.0}])
def test_what_asks_for_it(options: dict[str, Any]) -> None:
    model = two(**options).build()
    assert model.variables == ("a",)
    angle = options.get("ratio", 1.0) * 0.3 + options.get("offset", 0.0)
    pose = model.pose("second", {"a": 0.3})
    assert np.allclose(pose[:3, 2], [np.sin(angle), 0.0, np.cos(angle)])


def test_printed_models_say_it() -> None:
    lines = str(two(shared=True).build()).splitlines()
    assert "  0  a         dynamic  ry first, ry second (shared by 2)" in lines
    single = bough.System("one")
    single.world.ry("a").tz(-1.0, mass=1.0)
    assert "shared" not in str(single.build())


def test_only_true_and_false() -> None:
    check_message(
        lambda: two(shared="yes"),
        "shared='yes' in ry('a', name='second') on frame #3",
        "neither True nor False",
        "give True or False",
    )


FILE = """(system
  (ry "a" (name "first") (tz -1 (mass 1)))
  (tx 1 (ry "a"%s (name "second") (tz -1 (mass 1)))))
"""


def test_files_ask_for_it_too() -> None:
    for word in (" (shared)", " (ratio 2)", " (offset 1)"):
        assert parse_system(FILE % word).variables == ("a",)
    with pytest.raises(bough.ParseError) as caught:
        parse_system(FILE % "", path="rods.sexp")
    found = "'a' already moves ry(a) on world, and one variable would move both"
    assert str(caught.value).endswith(f"found: {found}\n  do: {DO}")
    assert str(caught.value).startswith("rods.sexp:3:13:")
    text = FILE % " (shared 1)"
    with pytest.raises(bough.ParseError) as caught:
        parse_system(text, path="rods.sexp")
    assert str(caught.value).endswith("found: the number 1 after the word\n  do: write (shared)")


@pytest.mark.parametrize("options", [{"shared": True}, {"ratio": -1.0}, {"offset": 0.2}])
def test_written_files_and_descriptions_read_back(options: dict[str, Any]) -> None:
    system = two(**options)
    assert ("(shared)" in system_text(system)) == ("shared" in options)
    assert parse_system(system_text(system)).to_dict() == system.to_dict()
    assert bough.System.from_dict(system.to_dict()).to_dict() == system.to_dict()
    assert system.build().system.to_dict() == system.to_dict()
