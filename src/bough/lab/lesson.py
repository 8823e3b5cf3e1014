"""The parts of a lesson."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bough.arguments import Array
from bough.motion.trajectory import Trajectory


class Slider(NamedTuple):
    """A number that is chosen by hand."""

    low: float
    high: float
    step: float
    value: float


class Curve(NamedTuple):
    """A plot: lines over the time of the run, or over another number.

    Attributes
    ----------
    title : what is plotted, with its unit
    x : array (n,)
    lines : from names to arrays (n,)
    over : the name of x; None if it is the time of the run
    """

    title: str
    x: Array
    lines: Mapping[str, Array]
    over: str | None = None


class Shown(NamedTuple):
    """What a lesson comes to for some values of its sliders.

    Attributes
    ----------
    run : the motion in the picture; a single instant if it does not move
    curves : the plots
    numbers : what is read off
    """

    run: Trajectory
    curves: tuple[Curve, ...]
    numbers: Mapping[str, str]


@dataclass(frozen=True)
class Lesson:
    """A lesson: what it is about, what can be changed, and what follows from it."""

    name: str
    title: str
    text: str
    sliders: Mapping[str, Slider]
    compute: Callable[[Mapping[str, float]], Shown]

    def start(self) -> dict[str, float]:
        """The values of the sliders at first."""
        return {name: slider.value for name, slider in self.sliders.items()}
