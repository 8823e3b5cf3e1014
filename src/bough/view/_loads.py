"""Strings, and the bodies that they pull, coloured by the force in them: nodes of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bough.motion.trajectory import Trajectory
from bough.view._nodes import rgb
from bough.view.tensions import Tensions

if TYPE_CHECKING:
    from bough.view._stage import Stage


class Loads:
    """The colours of the strings of a stage, and of the shapes on the bodies at their ends.

    Attributes
    ----------
    largest : float
        The force with the last colour, in N; zero if the scene has no strings.
    """

    def __init__(self, stage: Stage, run: Trajectory) -> None:
        self._tensions = Tensions(stage.scene, run)
        self._handles = stage.handles()
        self._shown: dict[int | str, int] = {}
        self.largest = self._tensions.largest
        stage.colored_by_force = self.largest > 0.0

    @property
    def messages(self) -> int:
        """The largest number of node changes per picture."""
        return len(self._tensions.strings) + len(self._tensions.bodies)

    def show(self, row: int) -> None:
        """Colour everything by the forces in a row of the run."""
        for key, level in self._tensions.levels(row).items():
            if self._shown.get(key) != level and key in self._handles:
                self._shown[key] = level
                self._handles[key].color = rgb(self._tensions.color(key, level))
