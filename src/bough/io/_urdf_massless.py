"""Joints of a URDF file that move no mass, as fingers of many robots do: no model can be built with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bough import validate
from bough.errors import ModelError
from bough.io._report import Report, named
from bough.io._urdf_check import MOVING

MERGE = "merge"
EXAMPLE = 1e-6  # suggested mass and inertia in messages, in kg and kg m²


def check_massless(value: Any, where: str) -> str | float | None:
    """The checked option `massless`."""
    if value is None or value == MERGE:
        return None if value is None else MERGE
    if not validate.is_real(value) or not value > 0.0:
        raise ModelError(
            asked=f"massless={validate.shown(value)} in {where}",
            found="neither 'merge' nor a number above zero",
            do=f"give massless='merge' to keep such joints at zero, or massless={EXAMPLE:g}, in kg and kg m²",
        )
    return float(value)


def has_mass(link: Any) -> bool:
    """Whether a link has mass or inertia."""
    return link.inertial is not None and bool(link.inertial.mass or link.inertial.inertia.any())


class Massless:
    """The joints that move no mass, and how they are treated.

    Attributes
    ----------
    merged : set of names of joints that are kept at zero
    given_mass : set of names of links that get the least mass and inertia
    """

    def __init__(
        self, robot: Any, choice: str | float | None, variable_of: Callable[[Any], str | None]
    ) -> None:
        self._robot, self._choice, self._variable_of = robot, choice, variable_of
        self.merged: set[str] = set()
        self.given_mass: set[str] = set()

    @property
    def least(self) -> float:
        """The mass in kg and the moment of inertia in kg m² of the links in `given_mass`."""
        return self._choice if isinstance(self._choice, float) else 0.0

    def apply(self, report: Report, floating: str | None = None) -> None:
        """Decide, and add a note to the report; `floating` is the root link if it moves freely."""
        found = _without_mass(self._robot, self._variable_of)
        if (
            isinstance(self._choice, float)
            and floating is not None
            and not _has_rigid_mass(self._robot, floating)
        ):
            # Joints at a root without mass can move as the root does: the mass matrix is singular then.
            self.given_mass = {floating}
            report.note(
                f"the floating root {floating!r} has {self.least:g} kg and {self.least:g} kg m², as neither it"
                " nor a link fixed to it has mass"
            )
        if not found:
            return
        joints = named(joint.name for joint in found)
        if self._choice is None:
            report.note(
                f"joints that move no mass, which build() refuses: {joints}; load the file with"
                f" massless='merge' to keep them at zero, or with massless={EXAMPLE:g} to give their links"
                " this mass and inertia, in kg and kg m²"
            )
        elif self._choice == MERGE:
            self.merged = {joint.name for joint in found}
            report.note(f"joints that move no mass are kept at zero: {joints}")
        else:
            self.given_mass |= {joint.child for joint in found}
            links = named(joint.child for joint in found)
            report.note(f"links without mass have {self.least:g} kg and {self.least:g} kg m²: {links}")


def _without_mass(robot: Any, variable_of: Callable[[Any], str | None]) -> list[Any]:
    """The joints whose variables move nothing but links without mass."""
    above = {joint.child: joint for joint in robot.joints}
    moving: set[str] = set()  # the joints that move mass
    for link in filter(has_mass, robot.links):
        name = link.name
        while name in above and above[name].name not in moving:
            moving.add(above[name].name)
            name = above[name].parent
    resisted = {_variable(joint, variable_of) for joint in robot.joints if joint.name in moving}
    return [
        joint
        for joint in robot.joints
        if MOVING[joint.type] and _variable(joint, variable_of) not in {*resisted, None}
    ]


def _has_rigid_mass(robot: Any, root: str) -> bool:
    """Whether the root or a link fixed to it has mass."""
    links, rigid = {link.name: link for link in robot.links}, [root]
    for name in rigid:
        if has_mass(links[name]):
            return True
        rigid += [joint.child for joint in robot.joints if joint.type == "fixed" and joint.parent == name]
    return False


def _variable(joint: Any, variable_of: Callable[[Any], str | None]) -> str | None:
    """The joint whose variable moves a joint; joints of several variables follow no other."""
    return variable_of(joint) if MOVING[joint.type] == 1 else joint.name
