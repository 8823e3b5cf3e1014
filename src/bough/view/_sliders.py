"""Sliders for the variables of a model, in groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from bough.arguments import Array
from bough.model.model import Model
from bough.model.units import variable_units

if TYPE_CHECKING:
    import viser

STEPS = 1000  # smallest number of positions of a slider
OPEN = 16  # largest number of sliders in a group that is shown open
TITLES = {"rad": "Angles [rad]", "m": "Distances [m]", "": "Other variables"}


class Sliders:
    """Sliders with names. Only changes by the user are reported, not those by `show`."""

    def __init__(self, server: viser.ViserServer, moved: Callable[[str, float], None]) -> None:
        self._gui = server.gui
        self._moved = moved
        self._handles: dict[str, Any] = {}

    def group(self, title: str, ranges: Mapping[str, tuple[float, float, float]]) -> None:
        """Add a folder with sliders; each with its least, largest and present value."""
        if not ranges:
            return
        with self._gui.add_folder(title, expand_by_default=len(ranges) <= OPEN):
            for name, (low, high, value) in ranges.items():
                step = 10.0 ** math.floor(math.log10((high - low) / STEPS))
                low, high = math.floor(low / step) * step, math.ceil(high / step) * step
                handle = self._gui.add_slider(name, low, high, step, value)
                handle.on_update(self._callback(name))
                self._handles[name] = handle

    def _callback(self, name: str) -> Callable[[Any], None]:
        def moved(event: Any) -> None:
            if event.client_id is not None:
                self._moved(name, float(event.target.value))

        return moved

    def show(self, values: Mapping[str, float]) -> None:
        """Set sliders; a value beyond the end of one stretches it."""
        for name, value in values.items():
            handle = self._handles[name]
            if value < handle.min:
                handle.min = value
            if value > handle.max:
                handle.max = value
            if abs(handle.value - value) > 0.5 * handle.step:
                handle.value = value

    def value(self, name: str) -> float:
        """What a slider shows."""
        return float(self._handles[name].value)


def variable_groups(
    model: Model, q: Array, size: float, names: tuple[str, ...]
) -> dict[str, dict[str, tuple[float, float, float]]]:
    """The sliders of configuration variables by group: angles to -pi and pi, distances by the size,
    lengths to twice what they are."""
    groups: dict[str, dict[str, tuple[float, float, float]]] = {}
    units = dict(zip(model.variables, variable_units(model), strict=True))
    values = {name: float(q[place]) for name, place in model._coordinate_places.items()}
    moved = {variable for variable in map(_variable, model._description["frames"]) if variable}
    for name in names:
        if name not in values:  # a rate of a ball, which has a handle in the scene
            continue
        kind = TITLES[units[name]]
        title = kind if name in model.dynamic else f"Kinematic: {kind[0].lower()}{kind[1:]}"
        length = name not in moved and values[name] > 0.0  # of a string, say
        reach = math.pi if units[name] != "m" else size
        span = (0.0, 2.0 * values[name], values[name]) if length else around(values[name], reach)
        groups.setdefault(title, {})[name] = span
    return groups


def _variable(frame: dict[str, Any]) -> str | None:
    """The variable that a frame moves with."""
    parameter = frame.get("parameter")
    variable = parameter["kinematic"] if isinstance(parameter, dict) else parameter
    return variable if isinstance(variable, str) else None


def around(value: float, reach: float) -> tuple[float, float, float]:
    """A range from -reach to reach that holds the value, and the value."""
    return min(-reach, value), max(reach, value), value
