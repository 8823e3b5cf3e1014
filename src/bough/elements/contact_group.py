"""Contacts of many shapes with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from bough import validate
from bough._core import core
from bough.description.element import Names, Record, UnilateralConstraint
from bough.description.frame import Frame
from bough.description.shapes import Shape, geometry_from_dict
from bough.elements.contacts import joint_between, way_to_world
from bough.elements.joint_limit import checked_friction, checked_restitution
from bough.elements.shape_contact import UNMOVED, record_values
from bough.errors import ModelError, unknown_name

if TYPE_CHECKING:
    from bough.description.system import System

E = TypeVar("E", bound="ContactGroup")

PER_SHAPE, LEAST = 8, 16  # contacts that a group has room for


@dataclass(frozen=True, eq=False, repr=False)
class ContactGroup(UnilateralConstraint):
    """The shapes of several frames do not enter each other, with the same friction and restitution.

    The shapes are those that the frames have when the group is added: `system.shape(frame, ...)`. Pairs on one
    body take no part, nor those of bodies that a joint connects directly, unless `neighbours` is true. Only
    pairs that come near each other are examined.

    The gaps of a group are places that any pair takes while it touches; of a place that is free the gap is
    infinite. A step in which more than `most` are needed fails.

    Parameters
    ----------
    frames : frames or str
        Frames with shapes.
    against : "all" or frames
        "all": each with each of `frames`. Frames: each of `frames` with each of these.
    exclude : pairs of frames
        Which take no part.
    neighbours : bool
        Whether bodies touch that a joint connects directly.
    friction, restitution : float
        As in `Contact`.
    most : int or None
        How many contacts there can be at once, by default 8 for each shape and 16 more.
    shapes, pairs
        What the group consists of once it is added: shapes as dictionaries, and pairs of their numbers. Both may be
        given in place of `against`, `exclude` and `neighbours`.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("three balls")
    >>> for name in "abc":
    ...     ball = system.world.tx(name, name=name.upper(), mass=1.0)
    ...     shape = system.shape(ball, bough.Sphere(0.1))
    >>> group = system.add(bough.ContactGroup(["A", "B", "C"], restitution=1.0, name="balls"))
    >>> len(system.build().gaps)
    3
    """

    frames: Sequence[Frame | str]
    against: str | Sequence[Frame | str] = "all"
    _: KW_ONLY
    exclude: Sequence[tuple[Frame | str, Frame | str]] = ()
    neighbours: bool = False
    friction: float = 0.0
    restitution: float = 0.0
    most: int | None = None
    shapes: Sequence[Mapping[str, Any]] = ()
    pairs: Sequence[tuple[int, int]] = ()
    frame_fields = ("frames",)

    def __post_init__(self) -> None:
        super().__post_init__()
        where = self._text()
        self._set("friction", checked_friction(self.friction, where))
        self._set("restitution", checked_restitution(self.restitution, where))
        if isinstance(self.frames, str | Frame) or not len(self.frames):
            raise ModelError(
                asked=f"frames={validate.shown(self.frames)} in {where}",
                found="not a list of frames",
                do='give frames with shapes, such as ["torso", "hand"]',
            )
        if self.shapes:
            self._set("shapes", tuple(geometry_and_pose(shape) for shape in self.shapes))
            self._set("pairs", tuple((int(i), int(j)) for i, j in self.pairs))

    def bound_to(self: E, system: System) -> E:
        """This group with the shapes of its frames and the pairs that can touch."""
        bound = super().bound_to(system)
        if bound.shapes:
            return bound
        where = self._text()
        own = [system._find(frame, where).label for frame in self.frames]
        others = (
            own if isinstance(self.against, str) else [system._find(x, where).label for x in self.against]
        )
        if isinstance(self.against, str) and self.against != "all":
            raise unknown_name("against", self.against, ("all",), where)
        left_out = {frozenset(system._find(x, where).label for x in pair) for pair in self.exclude}
        shapes = [shape for shape in system.shapes if shape.frame in {*own, *others}]
        bare = [name for name in (*own, *others) if all(shape.frame != name for shape in shapes)]
        if bare:
            raise ModelError(
                asked=f"{where} of frame {bare[0]!r}",
                found="it has no shape",
                do=f"give it one before: system.shape({bare[0]!r}, bough.Sphere(0.1))",
            )
        pairs = [
            (i, j)
            for i, a in enumerate(shapes)
            for j, b in enumerate(shapes)
            if i < j
            and ((a.frame in own and b.frame in others) or (b.frame in own and a.frame in others))
            and frozenset((a.frame, b.frame)) not in left_out
            and self._can_touch(system, a, b)
        ]
        if not pairs:
            raise ModelError(
                asked=where,
                found="no pair of shapes on bodies that move relative to each other",
                do="give more frames, or neighbours=True",
            )
        return bound._with(
            {
                "frames": tuple(shape.frame for shape in shapes),
                "shapes": tuple(geometry_and_pose(shape.to_dict()) for shape in shapes),
                "pairs": tuple(pairs),
                "against": "all",
                "exclude": (),
            }
        )

    def _can_touch(self, system: System, a: Shape, b: Shape) -> bool:
        if a.geometry.kind == b.geometry.kind == "plane":
            return False
        one, other = (system._find(shape.frame, self._text()) for shape in (a, b))
        return joint_between(one, other) and (self.neighbours or not neighbours(one, other))

    @cached_property
    def contacts(self) -> int:
        """The number of places."""
        return int(core.shape_contact_count(self._values))

    def record(self, names: Names) -> Record:
        frames = [names.frames[str(frame)] for frame in self.frames]
        return "ShapeContact", frames, [], [], self._values

    @cached_property
    def _values(self) -> list[float]:
        where = self._text()
        shapes = [
            (geometry_from_dict(shape), shape["pose"], f"shape {i} of {where}")
            for i, shape in enumerate(self.shapes)
        ]
        most = PER_SHAPE * len(shapes) + LEAST if self.most is None else self.most
        return record_values(self.friction, self.restitution, shapes, self.pairs, most, where)


def geometry_and_pose(shape: Mapping[str, Any]) -> dict[str, Any]:
    """A shape as a dictionary without its frame and colour."""
    lists = {key: _lists(value) for key, value in shape.items()}
    return {**geometry_from_dict(lists).to_dict(), "pose": _lists(shape.get("pose", UNMOVED))}


def _lists(value: Any) -> Any:
    return [_lists(item) for item in value] if isinstance(value, list | tuple) else value


def neighbours(a: Frame, b: Frame) -> bool:
    """Whether a joint connects them directly: no third body is on the way, and neither is fixed to the world."""
    paths = [way_to_world(a), way_to_world(b)]
    ids = {id(frame) for frame in paths[1]}
    common = next(frame for frame in paths[0] if id(frame) in ids)
    between: list[Frame] = []
    for path in paths:
        for frame in path[1:]:
            if frame is common:
                break
            between.append(frame)
    if common is not a and common is not b:
        between.append(common)
    return common.parent is not None and not any(frame.mass for frame in between)
