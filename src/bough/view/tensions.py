"""The forces in the strings of a motion, and the colours by which pictures show them."""

from __future__ import annotations

import numpy as np

from bough.arguments import Array
from bough.motion.contact_trajectory import ContactTrajectory
from bough.motion.trajectory import Trajectory
from bough.view.colors import GREY, ORANGE, RED, Color
from bough.view.links import links
from bough.view.scene import Scene

LEVELS = 16  # number of colours: a recording holds a change only if the level changes
HIGHEST = 98.0  # the percentile of the forces of a run that has the last colour
RAMP = (GREY, ORANGE, RED)


class Tensions:
    """How much each string of a scene pulls, and the bodies at its ends.

    Strings are constraints on a distance, whose force is in `run.lam`, or contacts that only pull.

    Parameters
    ----------
    scene : Scene
    run : Trajectory

    Attributes
    ----------
    strings : dict
        The column of `forces` of each string, by its place among the links of the scene.
    bodies : dict
        The columns of the strings that end at a shape, by the name of the shape.
    forces : array (rows, strings)
        N.
    largest : float
        The force with the last colour; zero if the scene has no strings.
    """

    def __init__(self, scene: Scene, run: Trajectory) -> None:
        self._base = {part.name: part.color for part in scene.rigid}
        self.strings: dict[int, int] = {}
        self.bodies: dict[str, list[int]] = {}
        columns: dict[str, Array] = {}
        rows = {name: row for row, name in enumerate(scene.model.constraints)}
        body = links(scene)
        for place, part in enumerate(scene.links):
            if part.style != "string":
                continue
            name = part.name.partition("/")[2] if part.gap is None else scene.model.gaps[part.gap]
            if part.gap is not None and isinstance(run, ContactTrajectory):
                columns.setdefault(name, np.nan_to_num(run.contact_force(name).normal))
            elif name in rows:
                columns.setdefault(name, np.abs(run.lam[:, rows[name]]))
            else:
                continue
            self.strings[place] = column = list(columns).index(name)
            ends = {body[scene.place[frame]] for frame, _ in (part.start, part.end)}
            for rigid in scene.rigid:
                if rigid.role == "shape" and body[scene.place[rigid.frame]] in ends:
                    self.bodies.setdefault(rigid.name, []).append(column)
        self.forces: Array = np.stack(list(columns.values()), axis=1) if columns else np.zeros((len(run), 0))
        self.largest = float(np.percentile(self.forces, HIGHEST)) if self.forces.size else 0.0

    def levels(self, row: int) -> dict[int | str, int]:
        """The levels of colour in a row, from 0 to `LEVELS`, by the keys of `strings` and `bodies`."""
        if self.largest == 0.0:
            return {}
        level = np.minimum(LEVELS * self.forces[row] / self.largest, LEVELS).astype(int).tolist()
        found: dict[int | str, int] = {place: level[column] for place, column in self.strings.items()}
        return found | {name: max(level[column] for column in own) for name, own in self.bodies.items()}

    def color(self, key: int | str, level: int) -> Color:
        """The colour of a string or a body at a level."""
        return ramp(level / LEVELS, GREY if isinstance(key, int) else self._base[key])


def ramp(part: float, base: Color = GREY) -> Color:
    """The colour of a force, from 0 to 1: that of a thing at rest, then orange, then red."""
    colors = np.array((base, *RAMP[1:]))
    red, green, blue = (np.interp(part, (0.0, 0.5, 1.0), colors[:, k]) for k in range(3))
    return float(red), float(green), float(blue)
