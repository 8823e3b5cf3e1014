"""The walk through the house: the functions that `simulate` of a double pendulum passes through."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import bough

MOST = 35  # functions
HOUSE = Path(bough.__file__).parent
CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


def double_pendulum() -> bough.Model:
    system = bough.System("double pendulum")
    upper = system.world.ry("upper").tz(-1.0, name="elbow", mass=1.0)
    upper.ry("lower").tz(-1.0, name="hand", mass=1.0)
    return system.build()


def walk() -> list[str]:
    """The functions of bough in the order in which they are first called, as package/module.function."""
    model, seen = double_pendulum(), {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        path = Path(code.co_filename)
        comprehension = code.co_name.startswith("<") and code.co_name != "<lambda>"
        if event == "call" and path.is_relative_to(HOUSE) and not comprehension:
            seen[f"{path.relative_to(HOUSE).with_suffix('')}.{code.co_name}"] = None

    bough.simulate(model, q={"upper": 0.5}, duration=0.1, dt=0.01)  # imports and what a model keeps
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        bough.simulate(model, q={"upper": 0.5}, duration=0.1, dt=0.01)
    finally:
        sys.setprofile(before)
    return list(seen)


def test_simulate_passes_through_few_functions():
    assert 20 < len(walk()) <= MOST


def test_contributing_lists_them():
    text = CONTRIBUTING.read_text(encoding="utf-8")
    section = text.split("## A walk through the house")[1].split("\n## ")[0]
    assert re.findall(r"^    ([a-z_/]+\.[a-z_]+)(?:  |$)", section, re.MULTILINE) == walk()
