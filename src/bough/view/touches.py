"""The forces of contacts as arrows, and impacts as flashes, at the instants of a motion."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from bough.arguments import Array
from bough.description.element import UnilateralConstraint
from bough.elements.joint_limit import JointLimit
from bough.elements.string import String
from bough.motion.contact_trajectory import ContactTrajectory, Impact
from bough.motion.trajectory import Trajectory

if TYPE_CHECKING:
    from bough.view.scene import Scene

LENGTH = 0.3  # of the arrow of the weight of the system, relative to the size
LONGEST = 2.0  # of any arrow, in lengths of that of the weight
FADE = 0.12  # the time that a flash is seen, in s
RADIUS, LEAST = 0.06, 0.3  # of the flash of the largest impulse, relative to the size; of that, the smallest
FAINT = 1e-3  # of the largest impulse: impacts that are not shown
TOGETHER = 8  # flashes at one instant at most, those of the largest impulses


class Touches:
    """What pictures show of the contacts of a run.

    Arrows are in proportion to the weight of the system, or, without gravity, to the largest force. Contacts
    without a point, joint limits and strings, have no arrow; they flash at the frame that is stopped or held.

    Parameters
    ----------
    scene : Scene
    run : Trajectory

    Attributes
    ----------
    arrows : array (rows, contacts with a point, 2, 3)
        Both ends of each arrow; NaN without a force.
    """

    def __init__(self, scene: Scene, run: Trajectory) -> None:
        self._scene, self._t = scene, run.t
        self.arrows: Array = np.zeros((len(run), 0, 2, 3))
        self._flashes: list[tuple[float, Array, float]] = []
        if not isinstance(run, ContactTrajectory):
            return
        frames = _frames(scene)
        loose = [name for name in run.model.gaps if frames[name] is None]
        if loose:
            forces = [run.contact_force(name) for name in loose]
            self.arrows = self._scaled(
                np.stack([force.point for force in forces], axis=1),
                np.stack([force.vector for force in forces], axis=1),
            )
        hits = [
            (impact, name, float(np.linalg.norm(impact.impulse[name])))
            for impact in run.impacts
            for name in impact.contacts
        ]
        largest = max((impulse for *_, impulse in hits), default=0.0)
        for impact, name, impulse in hits:
            if impulse > FAINT * largest:
                part = LEAST + (1.0 - LEAST) * float(np.sqrt(impulse / largest))
                place = self._place(run, impact, name, frames[name])
                self._flashes.append((impact.t, place, part * RADIUS * scene.size))

    @property
    def any_flash(self) -> bool:
        """Whether a flash is ever seen."""
        return len(self._flashes) > 0

    def flashes(self, row: int) -> list[tuple[Array, float]]:
        """The places and radii of the flashes in a row, the largest first: they shrink until they are gone."""
        now = self._t[row]
        seen = [
            (place, radius * (1.0 - (now - t) / FADE))
            for t, place, radius in self._flashes
            if 0.0 <= now - t < FADE and np.isfinite(place).all()
        ]
        return sorted(seen, key=lambda each: -each[1])[:TOGETHER]

    def _scaled(self, points: Array, vectors: Array) -> Array:
        sizes = np.linalg.norm(vectors, axis=-1)
        weight = self._scene.model.total_mass * float(np.linalg.norm(self._scene.gravity))
        unit = weight or float(np.nanmax(sizes, initial=0.0)) or 1.0
        scale = LENGTH * self._scene.size / unit
        with np.errstate(invalid="ignore", divide="ignore"):
            shorter = np.minimum(1.0, LONGEST * unit / sizes)[..., None]
        ends = np.stack([points, points + scale * shorter * vectors], axis=2)
        ends[~(sizes > 0.0)] = np.nan
        return np.asarray(ends)

    def _place(self, run: ContactTrajectory, impact: Impact, name: str, frame: str | None) -> Array:
        """Where a contact of an impact is; NaN if it has no place."""
        if frame is not None:
            return np.asarray(run.model.pose(frame, np.array(impact.q))[:3, 3])
        points, row = run.contact_force(name).point, int(np.searchsorted(run.t, impact.t))
        near = points[max(row - 1, 0) : row + 1]
        found = near[np.isfinite(near).all(axis=1)]
        return np.asarray(found[-1] if len(found) else np.full(3, np.nan))


def _frames(scene: Scene) -> dict[str, str | None]:
    """The frame that a contact without a point stops or holds, by the names of all contacts."""
    found: dict[str, str | None] = {}
    names = iter(scene.model.gaps)
    for element in scene.model._elements:
        if not isinstance(element, UnilateralConstraint):
            continue
        frame = str(element.b) if isinstance(element, String) else None
        if isinstance(element, JointLimit):
            frame = scene.moved_by(element.variable)
        found |= dict.fromkeys(itertools.islice(names, element.contacts), frame)
    return found
