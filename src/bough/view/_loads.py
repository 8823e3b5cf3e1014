"""Strings, and the bodies that they pull, coloured by the force in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bough.arguments import Array
from bough.view._nodes import rgb
from bough.view.colors import GREY, ORANGE, RED, Color

if TYPE_CHECKING:
    from bough.view._stage import Stage

LEVELS = 16  # number of colours: a recording holds a change only if the level changes
HIGHEST = 98.0  # the percentile of the forces of a run that has the last colour
RAMP = (GREY, ORANGE, RED)


class Loads:
    """The colours of the strings of a scene, and of the shapes on the bodies at their ends.

    Parameters
    ----------
    stage : Stage
    lam : array (rows, nc)
        The forces of the constraints in a run, by which the scale of colours is chosen.

    Attributes
    ----------
    largest : float
        The force with the last colour, in N; zero if the scene has no strings.
    """

    def __init__(self, stage: Stage, lam: Array) -> None:
        rows = {name: row for row, name in enumerate(stage.scene.model.constraints)}
        self._strings: list[tuple[int, Any]] = []
        pulled: dict[str, list[int]] = {}
        for name, handle, bodies in stage.strings():
            if name in rows:
                self._strings.append((rows[name], handle))
                for body in bodies:
                    pulled.setdefault(body, []).append(rows[name])
        self._bodies = [(found, stage.solids[name], stage.colors[name]) for name, found in pulled.items()]
        used = sorted({row for row, _ in self._strings})
        self.largest = float(np.percentile(np.abs(lam[:, used]), HIGHEST)) if used and len(lam) else 0.0
        self._shown: dict[int, int] = {}
        stage.colored_by_force = self.largest > 0.0

    @property
    def messages(self) -> int:
        """The largest number of node changes per picture."""
        return len(self._strings) + len(self._bodies)

    def show(self, lam: Array) -> None:
        """Colour everything by the forces lam (nc,)."""
        if self.largest == 0.0:
            return
        levels = np.minimum(LEVELS * np.abs(lam) / self.largest, LEVELS).astype(int)
        for row, handle in self._strings:
            self._set(handle, int(levels[row]), GREY)
        for rows, handle, base in self._bodies:
            self._set(handle, max(int(levels[row]) for row in rows), base)

    def _set(self, handle: Any, level: int, base: Color) -> None:
        if self._shown.get(id(handle)) != level:
            self._shown[id(handle)] = level
            handle.color = rgb(ramp(level / LEVELS, base))


def ramp(part: float, base: Color = GREY) -> Color:
    """The colour of a force, from 0 to 1: that of a thing at rest, then orange, then red."""
    colors = np.array((base, *RAMP[1:]))
    red, green, blue = (np.interp(part, (0.0, 0.5, 1.0), colors[:, k]) for k in range(3))
    return float(red), float(green), float(blue)
