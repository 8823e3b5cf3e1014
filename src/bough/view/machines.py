"""Gears, drums, cams and screws, as relations between variables describe them.

A relation says how fast its parts move against each other, and the tree where their axes are; together they
give the sizes. With the angles a, b about two parallel axes at the distance d and k_a a + k_b b constant:

    external gears   k_a k_b > 0:   r_a = d |k_a| / (|k_a| + |k_b|),   r_b likewise
    drum, x = -k a   of a slide x:  r = |k|
    cam, follower x = f(a):         radius r_0 + f(a) at the angle -a of the cam
    screw, x = p a:                 the lead 2 pi p

The parts mesh if all variables are zero, and move with their frames.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.description.element import Element
from bough.description.shapes import Cylinder
from bough.elements.variable_constraints import CamConstraint, GearConstraint, ScrewConstraint
from bough.view.bodies import rod, rotation_to, translation
from bough.view.colors import COLORS
from bough.view.parts import Between, Prism, Rigid, Thread
from bough.view.plane import facing
from bough.view.tree import Node, Tree

PARALLEL = 1e-6  # largest deviation from one of the cosine between parallel axes
FEWEST_TEETH, MOST_TEETH = 12, 90
ADDENDUM, DEDENDUM = 0.8, 1.0  # height of a tooth above and below the pitch circle, in modules
PRESSURE = math.radians(20.0)  # the angle between the line of contact and the pitch line
PLAY = 0.01  # backlash between teeth, relative to the pitch
FLANK = 4  # number of points of a flank
THICK = 0.35  # thickness of a gear, relative to the smaller radius of its pair
PULLEY = 0.35  # larger radius of two pulleys, relative to the distance of their axes
BASE = 3.0  # base radius of a cam on the line of its follower, relative to the lift
SCREW, NUT, TURNS = 2.0, 1.8, 12.0  # radius of a screw and length of its thread in leads; of a nut in radii
SIDES = 72  # number of sides of a cam, a drum or a pulley


class Axis(NamedTuple):
    """A line in the world, with all variables at zero, and the node that turns about it or slides along it."""

    node: Node
    point: Array
    along: Array


class Machinery:
    """The parts of all relations between variables.

    Parameters
    ----------
    tree : Tree
    elements : names and elements
    spans : from variables to the least and the greatest value in a motion

    Attributes
    ----------
    rigid : list of Rigid
    links : list of Between
    """

    def __init__(
        self,
        tree: Tree,
        elements: Sequence[tuple[str, Element]],
        spans: Mapping[str, tuple[float, float]],
    ) -> None:
        self._tree, self._spans, self._rest = tree, spans, tree.rest()
        self.rigid: list[Rigid] = []
        self.links: list[Between] = []
        self._pairs = 0
        for name, element in elements:
            if isinstance(element, GearConstraint):
                self._gear(name, element)
            elif isinstance(element, CamConstraint):
                self._cam(name, element)
            elif isinstance(element, ScrewConstraint):
                self._screw(name, element)

    # --- gears, belts and drums ---

    def _gear(self, name: str, element: GearConstraint) -> None:
        if len(element.coefficients) != 2:
            return
        (one, c1), (two, c2) = element.coefficients.items()
        first, second = self._axis(one), self._axis(two)
        if first is None or second is None:
            return
        k1, k2 = c1 / first.node.ratio, c2 / second.node.ratio
        if first.node.turn is not None and second.node.turn is not None:
            offset = element.offset if isinstance(element.offset, float) else 0.0
            self._pair(name, first, second, k1, k2, offset / k2)
        elif first.node.turn is not None:
            self._drum(name, first, second, abs(k1 / k2))
        elif second.node.turn is not None:
            self._drum(name, second, first, abs(k2 / k1))

    def _pair(self, name: str, first: Axis, second: Axis, k1: float, k2: float, late: float) -> None:
        sense = float(first.along @ second.along)
        across = _across(second.point - first.point, first.along)
        distance = float(np.linalg.norm(across))
        if abs(sense) < 1.0 - PARALLEL or distance == 0.0:
            return
        k2, late = math.copysign(k2, k2 * sense), math.copysign(late, late * sense)
        toward = across / distance
        if k1 * k2 < 0.0:
            self._belt(
                name, first, second, toward, distance * PULLEY / max(abs(k1), abs(k2)), abs(k1), abs(k2)
            )
            return
        radii = [distance * abs(k) / (abs(k1) + abs(k2)) for k in (k1, k2)]
        counts, thickness = teeth(abs(k1), abs(k2)), THICK * min(radii)
        # each pair in a plane of its own, the later ones nearer to the viewer
        shift = 1.3 * self._pairs * thickness * facing(first.along)
        self._pairs += 1
        gaps = (0.0, math.pi / counts[1] - late)  # a tooth of the first faces a gap of the second
        for axis, radius, count, turn, out in zip(
            (first, second), radii, counts, gaps, (toward, -toward), strict=True
        ):
            outline = gear_outline(radius, count, turn)
            self._prism(f"{name} {axis.node.label}", axis, first.along, out, outline, thickness, shift)

    def _belt(
        self, name: str, first: Axis, second: Axis, toward: Array, scale: float, k1: float, k2: float
    ) -> None:
        """Two pulleys that turn in one sense, and the straight parts of their belt."""
        r1, r2 = scale * k1, scale * k2
        distance = float((second.point - first.point) @ toward)
        side = np.cross(first.along, toward)
        for axis, radius in ((first, r1), (second, r2)):
            self._prism(
                f"{name} {axis.node.label}", axis, first.along, toward, circle(radius), THICK * min(r1, r2)
            )
        lean = (r1 - r2) / distance  # the sine of the angle between the belt and the line of the axes
        for sign in (-1.0, 1.0):
            normal = lean * toward + sign * math.sqrt(1.0 - lean**2) * side
            start, end = (
                self._end(self._tree.nodes[axis.node.parent], axis.point + radius * normal)
                for axis, radius in ((first, r1), (second, r2))
            )
            words = f"belt/{name} {'left' if sign < 0.0 else 'right'}"
            self.links.append(Between(words, "string", start, end, 0.05 * min(r1, r2), COLORS["string"]))

    def _drum(self, name: str, drum: Axis, slide: Axis, radius: float) -> None:
        """A drum, and the rope to what slides at its side."""
        if abs(drum.along @ slide.along) > PARALLEL:
            return
        side = np.cross(drum.along, slide.along)
        offset = float((slide.point - drum.point) @ side)
        self._prism(f"{name} {drum.node.label}", drum, drum.along, side, circle(radius), 0.5 * radius)
        if abs(abs(offset) - radius) <= 0.05 * radius:
            start = self._end(self._tree.nodes[drum.node.parent], drum.point + offset * side)
            end = self._end(slide.node, slide.point)
            self.links.append(
                Between(f"rope/{name}", "string", start, end, 0.04 * radius, COLORS["string"], "string")
            )

    # --- cams ---

    def _cam(self, name: str, element: CamConstraint) -> None:
        cam, follower = self._axis(element.cam), self._axis(element.follower)
        if cam is None or follower is None or cam.node.turn is None or follower.node.turn is not None:
            return
        if abs(cam.along @ follower.along) > PARALLEL:
            return  # a face cam or a barrel cam
        angle = np.arange(SIDES) * (2.0 * math.pi / SIDES)
        lift = follower.node.ratio * element.profile(angle / cam.node.ratio)
        if not np.isfinite(lift).all() or np.ptp(lift) == 0.0:
            return
        away = float((follower.point - cam.point) @ follower.along)
        on_line = away < 2.0 * np.ptp(lift)  # the frame of the follower is near its line, not at the contact
        base = BASE * float(np.ptp(lift)) - float(lift.min()) if on_line else away
        radius = base + lift
        if radius.min() <= 0.0:
            return
        outline = tuple(
            zip((radius * np.cos(angle)).tolist(), (-radius * np.sin(angle)).tolist(), strict=True)
        )
        thick = 0.5 * float(radius.min())
        self._prism(f"{name} {cam.node.label}", cam, cam.along, follower.along, outline[::-1], thick)
        tip, end = base - away, base - away + 1.5 * float(radius.max())
        frame, local = follower.node, self._rest[self._tree.place[follower.node.label]]
        along = local[:3, :3].T @ follower.along
        stem = rod(f"rod/{name}", "rod", frame.label, tip * along, end * along, 0.12 * float(radius.min()))
        self.rigid.append(stem)

    # --- screws ---

    def _screw(self, name: str, element: ScrewConstraint) -> None:
        screw, nut = self._axis(element.angle), self._axis(element.distance)
        if screw is None or nut is None or screw.node.turn is None or nut.node.turn is not None:
            return
        sense = float(screw.along @ nut.along)
        if abs(sense) < 1.0 - PARALLEL:
            return
        lead = 2.0 * math.pi * element.pitch * nut.node.ratio / screw.node.ratio * math.copysign(1.0, sense)
        radius, least = SCREW * abs(lead), TURNS * abs(lead)
        low, high = sorted(
            math.copysign(nut.node.ratio * end, sense * nut.node.ratio * end)
            for end in self._spans.get(element.distance, (0.0, 0.0))
        )
        length = max(least, 1.2 * (high - low) + 0.5 * least)
        away = float((nut.point - screw.point) @ screw.along)
        middle = screw.point + (away + (low + high) / 2.0) * screw.along
        at_nut = screw.point + away * screw.along
        upper = self._upper(screw.node, nut.node)
        holder = screw.node if upper is None else self._tree.nodes[upper.parent]
        # if one body turns and slides, the thread is fixed; if the nut slides, the screw turns and has the
        # opposite hand
        thread = Thread(radius, length, lead if upper is not None else -lead)
        self._add(f"gear/{name}", holder, _pose(middle, rotation_to(screw.along)), thread)
        ring = Cylinder(NUT * radius, 1.5 * radius)
        self._add(f"gear/nut of {name}", nut.node, _pose(at_nut, rotation_to(screw.along)), ring)
        if upper is None:
            world = np.linalg.inv(self._rest[self._tree.place[nut.node.label]])
            start, end = (world[:3, :3] @ point + world[:3, 3] for point in (at_nut, nut.point))
            if np.linalg.norm(end - start) > NUT * radius:
                self.rigid.append(rod(f"rod/{name}", "rod", nut.node.label, start, end, 0.3 * radius))

    def _upper(self, a: Node, b: Node) -> Node | None:
        """The one of two nodes that the other hangs on; None if neither hangs on the other."""
        for low, high in ((a, b), (b, a)):
            place = self._tree.place[low.label]
            while place > 0:
                place = self._tree.nodes[place].parent
                if self._tree.nodes[place] is high:
                    return high
        return None

    # --- common parts ---

    def _axis(self, variable: str) -> Axis | None:
        users = self._tree.users(variable)
        if not users or users[0].ratio == 0.0:
            return None
        node = users[0]
        parent, own = self._rest[node.parent], self._rest[self._tree.place[node.label]]
        if node.turn is not None:
            return Axis(node, parent[:3, :3] @ node.center + parent[:3, 3], parent[:3, :3] @ node.turn)
        assert node.shift is not None
        return Axis(node, own[:3, 3], parent[:3, :3] @ node.shift)

    def _prism(
        self,
        name: str,
        axis: Axis,
        along: Array,
        out: Array,
        outline: tuple[tuple[float, float], ...],
        thickness: float,
        shift: Array | float = 0.0,
    ) -> None:
        """A plate about an axis, whose outline has its x towards `out`."""
        turn = np.column_stack((out, np.cross(along, out), along))
        self._add(f"gear/{name}", axis.node, _pose(axis.point + shift, turn), Prism(outline, thickness))

    def _add(self, name: str, node: Node, world: Array, geometry: Any) -> None:
        pose = np.asarray(np.linalg.solve(self._rest[self._tree.place[node.label]], world), dtype=np.float64)
        self.rigid.append(Rigid(name, "gear", node.label, pose, geometry, COLORS["gear"]))

    def _end(self, node: Node, point: Array) -> tuple[str, tuple[float, float, float]]:
        pose = self._rest[self._tree.place[node.label]]
        x, y, z = (pose[:3, :3].T @ (point - pose[:3, 3])).tolist()
        return node.label, (x, y, z)


def teeth(k1: float, k2: float) -> tuple[int, int]:
    """Numbers of teeth in a ratio: the coefficients themselves if they are plausible, else small numbers."""
    whole = [round(k) for k in (k1, k2)]
    if all(
        abs(k - n) < 1e-9 and FEWEST_TEETH <= n <= MOST_TEETH for k, n in zip((k1, k2), whole, strict=True)
    ):
        return whole[0], whole[1]
    ratio = Fraction(k1 / k2).limit_denominator(30)
    p, q = max(ratio.numerator, 1), ratio.denominator
    times = math.ceil(FEWEST_TEETH / min(p, q))
    return min(times * p, MOST_TEETH), min(times * q, MOST_TEETH)


def gear_outline(radius: float, count: int, turn: float) -> tuple[tuple[float, float], ...]:
    """A gear with this pitch radius and involute teeth, one of them at the angle `turn`.

    On the radius r a flank is at the angle  pi / 2 z + inv(PRESSURE) - inv(acos(r_b / r))  from the middle of
    the tooth, with inv(x) = tan x - x and the base radius r_b; a little less, so that teeth have room.
    """
    module, step = 2.0 * radius / count, 2.0 * math.pi / count
    base = radius * math.cos(PRESSURE)
    foot, top = radius - DEDENDUM * module, radius + ADDENDUM * module
    radii = np.linspace(max(base, foot), top, FLANK)
    pressure = np.arccos(np.minimum(base / radii, 1.0))
    half = (0.25 - PLAY) * step + math.tan(PRESSURE) - PRESSURE - (np.tan(pressure) - pressure)
    rising = list(zip(radii, -half, strict=True))
    if foot < base:  # below it a flank is straight
        rising.insert(0, (foot, -half[0]))
    tooth = rising + [(r, -angle) for r, angle in reversed(rising)]
    places = [(r, turn + i * step + angle) for i in range(count) for r, angle in tooth]
    return tuple((float(r * math.cos(angle)), float(r * math.sin(angle))) for r, angle in places)


def circle(radius: float) -> tuple[tuple[float, float], ...]:
    """A round outline."""
    angles = [2.0 * math.pi * i / SIDES for i in range(SIDES)]
    return tuple((radius * math.cos(a), radius * math.sin(a)) for a in angles)


def _across(vector: Array, axis: Array) -> Array:
    return np.asarray(vector - (vector @ axis) * axis)


def _pose(point: Array, rotation: Array) -> Array:
    pose = translation(point)
    pose[:3, :3] = rotation
    return pose
