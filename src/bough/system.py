"""The editable description of a mechanical system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from bough import check_system as check
from bough._description import description, from_description
from bough._tree_text import tree_text
from bough.elements import Element
from bough.errors import ModelError, unknown_name
from bough.frame import Frame
from bough.parameter import Kinematic, variable_name

if TYPE_CHECKING:
    from bough.model import Model

E = TypeVar("E", bound=Element)


class System:
    """A tree of frames with masses, and the elements that act on it.

    Parameters
    ----------
    name : str
    gravity : three numbers or None
        The acceleration of free fall in world axes; None means no gravity.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> print(system)
    pendulum: 3 frames, 1 dynamic and 0 kinematic variables, mass 1
    world
    └─ ry(angle)
       └─ tz(-1)  'bob'  mass 1
    """

    def __init__(self, name: str = "system", gravity: ArrayLike | None = (0.0, 0.0, -9.81)) -> None:
        self.name = name
        self.gravity = gravity
        world = Frame(self, "world")
        world._name = "world"
        self._frames = [world]  # in order of creation; frames refer to each other by their place here
        self._by_name = {"world": 0}
        self._users: dict[str, int] = {}  # variable -> the first frame that uses it
        self._elements: list[Element] = []

    @property
    def name(self) -> str:
        """The name of the system."""
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = check.name(value, "name", "System(name)")

    @property
    def gravity(self) -> tuple[float, float, float]:
        """The acceleration of free fall in world axes."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: ArrayLike | None) -> None:
        where, wanted = f"system {self._name!r}", "3 numbers, such as (0, 0, -9.81), or None"
        x, y, z = np.zeros(3) if value is None else check.array(value, ((3,),), "gravity", where, wanted)
        self._gravity = (float(x), float(y), float(z))

    @property
    def world(self) -> Frame:
        """The root of the tree."""
        return self._frames[0]

    @property
    def frames(self) -> list[Frame]:
        """All frames, depth first: parents before children, children in order of creation."""
        ordered = []
        waiting = [0]
        while waiting:
            frame = self._frames[waiting.pop()]
            ordered.append(frame)
            waiting.extend(reversed(frame._children))
        return ordered

    @property
    def variables(self) -> tuple[str, ...]:
        """The configuration variables: dynamic, then kinematic, each in the order of `frames`."""
        return self.dynamic + self.kinematic

    @property
    def dynamic(self) -> tuple[str, ...]:
        """The variables whose motion follows from the mechanics."""
        return self._variables_of(str)

    @property
    def kinematic(self) -> tuple[str, ...]:
        """The variables whose motion is prescribed."""
        return self._variables_of(Kinematic)

    @property
    def elements(self) -> tuple[Element, ...]:
        """The potentials, forces and constraints, in order of addition."""
        return tuple(self._elements)

    def frame(self, frame: str | Frame) -> Frame:
        """The frame with this name; a frame of this system is returned as it is."""
        return self._find(frame, f"system {self._name!r}")

    def add(self, element: E) -> E:
        """Add a potential, force or constraint; returns it with its frames replaced by their names."""
        if not isinstance(element, Element):
            called = f", such as {element.__name__}(...)" if isinstance(element, type) else ""
            raise ModelError(
                asked=f"add {check.shown(element)} to system {self._name!r}",
                found="this is not a potential, force or constraint",
                do=f"add an instance of a potential, force or constraint{called}",
            )
        bound = element.bound_to(self)
        if bound.name is not None and any(bound.name == other.name for other in self._elements):
            raise ModelError(
                asked=f"add {type(element).__name__} {bound.name!r} to system {self._name!r}",
                found="another element has this name",
                do="choose another name",
            )
        self._elements.append(bound)
        return bound

    def build(self) -> Model:
        """Check the description and compile it."""
        check.check_system(self)
        from bough.model import Model  # needs the compiled core, which a description does not

        return Model(self)

    def to_dict(self) -> dict[str, Any]:
        """The description in plain lists, numbers and strings, ready for JSON."""
        return description(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> System:
        """The system of a description made by `to_dict`."""
        return from_description(cls, data)

    def __str__(self) -> str:
        return tree_text(self)

    def __repr__(self) -> str:
        return f"<System {self._name!r}: {len(self._frames)} frames, {len(self._users)} variables>"

    def _find(self, frame: Any, where: str) -> Frame:
        """The frame of this system that a user means by an object or a name."""
        if isinstance(frame, Frame):
            if frame._system is not self:
                raise ModelError(
                    asked=f"{frame._text()} in {where}",
                    found=f"this frame belongs to another system, {frame._system._name!r}",
                    do=f"use a frame of system {self._name!r}, or the name of one",
                )
            return frame
        if not isinstance(frame, str):
            raise ModelError(
                asked=f"frame {check.shown(frame)} in {where}",
                found="neither a frame nor the name of one",
                do="give a frame, or its name as a string",
            )
        if frame in self._by_name:
            return self._frames[self._by_name[frame]]
        if frame.startswith("#") and frame[1:].isdecimal() and int(frame[1:]) < len(self._frames):
            labelled = self._frames[int(frame[1:])]
            if labelled.label == frame:
                return labelled
        raise unknown_name("frame", frame, self._by_name, where)

    def _variables_of(self, kind: type) -> tuple[str, ...]:
        parameters = (frame._parameter for frame in self.frames)
        names = dict.fromkeys(variable_name(p) for p in parameters if isinstance(p, kind))  # type: ignore[arg-type]
        return tuple(names)  # type: ignore[arg-type]

    def _attach(self, parent: Frame, chain: Sequence[Frame], where: str) -> None:
        """Add new frames, each to the one before and the first to `parent`, after checking their names."""
        name = chain[-1]._name
        if name is not None and name in self._by_name:
            raise ModelError(
                asked=f"name={name!r} in {where}",
                found=f"another frame has this name: {self._frames[self._by_name[name]]._place()}",
                do=f"choose another name; the frame that exists is system.frame({name!r})",
            )
        users: dict[str, Frame] = {}
        for frame in chain:
            variable = None if frame._parameter is None else variable_name(frame._parameter)
            if variable is None:
                continue
            user = (
                self._frames[self._users[variable]]
                if variable in self._users
                else users.setdefault(variable, frame)
            )
            if type(user._parameter) is not type(frame._parameter):
                raise _both_kinds(variable, user, where)
        for frame in chain:
            frame._parent = parent._index
            frame._index = len(self._frames)
            self._frames.append(frame)
            parent._children.append(frame._index)
            parent = frame
        for variable, frame in users.items():
            self._users[variable] = frame._index
        if name is not None:
            self._by_name[name] = chain[-1]._index


def _both_kinds(variable: str, user: Frame, where: str) -> ModelError:
    was, now = ("dynamic", "kinematic") if isinstance(user._parameter, str) else ("kinematic", "dynamic")
    place = f"in {user._place()}" if user._parent >= 0 else "in the same joint"
    return ModelError(
        asked=f"{now} variable {variable!r} in {where}",
        found=f"{variable!r} is already a {was} variable, {place}",
        do=f"choose another name, or write kinematic({variable!r}) in every place",
    )
