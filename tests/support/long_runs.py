"""A million steps of systems of the gallery.

`PYTHONPATH=tests python -m support.long_runs` prints the table of docs/gallery.md.
"""

from __future__ import annotations

import math
import re
import warnings
from typing import NamedTuple

import numpy as np

import bough

HEAD = "| system | time | largest variable | constraint error |"
STEPS = 1_000_000
TURNING = ("slider_crank", "four_bar", "gear_train", "screw_jack", "cam_follower")


class Row(NamedTuple):
    """A system: how long a million steps are, its largest variable in the end, and its constraint error."""

    name: str
    time: float
    largest: float
    error: float


def run(name: str) -> bough.Trajectory:
    model = bough.load(f"gallery:{name}").build()
    dt = model.start.dt or 0.01
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.GimbalLockWarning)
        warnings.simplefilter("ignore", bough.CoarseStepWarning)  # chaos meets a rough step some day
        warnings.simplefilter("ignore", bough.SlackWarning)  # and a cable some day pushes
        return bough.simulate(model, duration=STEPS * dt, dt=dt, every=STEPS // 100)


def measured(name: str, found: bough.Trajectory) -> Row:
    error = float(np.abs(found.constraint_error()).max(initial=0.0))
    return Row(name, float(found.t[-1]), float(np.abs(found.q).max()), error)


def bound(value: float) -> float:
    """A round number above a measured one, with half of it more for the round-off of other machines."""
    size = 10.0 ** math.floor(math.log10(1.5 * value))
    return math.ceil(1.5 * value / size) * size


def line(row: Row) -> str:
    return f"| `{row.name}` | {row.time:.0f} s | {row.largest:.1g} | {row.error:.0e} |"


def read(page: str) -> list[Row]:
    """The rows of the table in a page."""
    cells = re.findall(r"^\| `(\w+)` \| (\d+) s \| (\S+) \| (\S+) \|$", page, re.MULTILINE)
    return [Row(name, float(time), float(largest), float(error)) for name, time, largest, error in cells]


if __name__ == "__main__":
    print(HEAD, "|---|---|---|---|", sep="\n")
    for name in TURNING:
        row = measured(name, run(name))
        print(line(row._replace(error=bound(row.error))))
