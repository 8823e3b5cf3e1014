"""The editable description of a mechanical system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from bough import validate
from bough.description.balls import check_ball
from bough.description.element import Element
from bough.description.expression import PARAMETER, Expression
from bough.description.formulas import formula_of, names_in, numbers_in
from bough.description.frame import Frame
from bough.description.parameter import Kinematic, variable_name
from bough.description.plain import description, from_description
from bough.description.shapes import Geometry, Shape, checked_color
from bough.description.start import Start
from bough.description.tree_text import tree_text
from bough.errors import ModelError, unknown_name

if TYPE_CHECKING:
    from bough.model.model import Model

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
    pendulum: 3 frames, 1 dynamic and 0 kinematic variables, mass 1 kg
    world
    └─ ry(angle)
       └─ tz(-1)  'bob'  mass 1
    """

    def __init__(self, name: str = "system", gravity: ArrayLike | None = (0.0, 0.0, -9.81)) -> None:
        self.name = name
        self._formulas: dict[str, Any] = {}  # of parameters: that of gravity
        self.gravity = gravity
        world = Frame(self, "world")
        world._name = "world"
        self._frames = [world]  # in order of creation; frames refer to each other by their index here
        self._by_name = {"world": 0}
        self._users: dict[str, int] = {}  # variable -> the first frame that uses it
        self._elements: list[Element] = []
        self._element_names: set[str] = set()
        self._shapes: list[Shape] = []
        self._parameters: dict[str, Expression] = {}
        self._prescribed: dict[str, str] = {}  # kinematic variable -> the first element that uses it
        self._start = Start()

    def parameter(self, name: str, value: float) -> Any:
        """A number with a name, usable wherever a number is; `Model.with_parameters` gives it other values.

        Arithmetic with it (``+ - * / **``, and `bough.sqrt`, `bough.sin`, `bough.cos`, `bough.tan`) makes
        formulas that are evaluated again.

        Parameters
        ----------
        name : str
        value : float

        Examples
        --------
        >>> import bough
        >>> system = bough.System("rod")
        >>> length, mass = system.parameter("length", 1.0), system.parameter("mass", 3.0)
        >>> moment = mass * length**2 / 12
        >>> rod = system.world.ry("angle", mass=mass, com=(0, 0, -length / 2), inertia=(moment, moment, 0))
        >>> model = system.build()
        >>> float(model.mass_matrix([0.0])[0, 0]), float(model.with_parameters(length=2.0).mass_matrix([0.0])[0, 0])
        (1.0, 4.0)
        """
        where = f"system {self._name!r}"
        name = validate.name(name, "name", f"parameter(name) of {where}")
        if name in self._parameters:
            raise ModelError(
                asked=f"parameter {name!r} of {where}",
                found=f"a parameter of this name exists, with the value {self._parameters[name].value:g}",
                do=f"use system.parameters[{name!r}], or choose another name",
            )
        number = validate.real(value, f"parameter {name!r}", where)
        self._parameters[name] = Expression(PARAMETER, (name,), number)
        return self._parameters[name]

    @property
    def parameters(self) -> dict[str, Expression]:
        """The parameters by name, in order of declaration."""
        return dict(self._parameters)

    def _check_parameters(self, names: Iterable[str], where: str) -> None:
        """Raise if a formula uses a parameter that this system does not have."""
        for name in sorted(names):
            if name not in self._parameters:
                error = unknown_name("parameter", name, self._parameters, where)
                raise ModelError(
                    asked=error.asked,
                    found=f"it belongs to another system; {self._name!r} has no parameter of this name",
                    do=f"declare it with system.parameter({name!r}, value) of this system",
                )

    @property
    def name(self) -> str:
        """The name of the system."""
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = validate.name(value, "name", "System(name)")

    @property
    def gravity(self) -> tuple[float, float, float]:
        """The acceleration of free fall in world axes."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: ArrayLike | None) -> None:
        where, wanted = f"system {self._name!r}", "3 numbers, such as (0, 0, -9.81), or None"
        given = (0.0, 0.0, 0.0) if value is None else numbers_in(value)
        x, y, z = validate.array(given, ((3,),), "gravity", where, wanted)
        names = names_in(value)
        if names:
            self._check_parameters(names, f"gravity of {where}")
        self._gravity = (float(x), float(y), float(z))
        self._formulas = {"gravity": formula_of(value)} if names else {}

    @property
    def start(self) -> Start:
        """The default start, duration and step of a run."""
        return self._start

    @start.setter
    def start(self, value: Start) -> None:
        if not isinstance(value, Start):
            raise ModelError(
                asked=f"start={validate.shown(value)} of system {self._name!r}",
                found="this is not a start",
                do="give bough.Start(q={...}, v={...}, duration=..., dt=...), or some of these",
            )
        self._check_parameters(names_in(value), f"the start of system {self._name!r}")
        self._start = value

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
        """The configuration variables: dynamic, then kinematic, each in the order of `frames`.

        Kinematic variables that move no frame come last, in the order of `elements`.
        """
        return self.dynamic + self.kinematic

    @property
    def dynamic(self) -> tuple[str, ...]:
        """The variables whose motion follows from the mechanics."""
        return self._variables_of(str)

    @property
    def kinematic(self) -> tuple[str, ...]:
        """The variables whose motion is prescribed."""
        return tuple(dict.fromkeys((*self._variables_of(Kinematic), *self._prescribed)))

    @property
    def elements(self) -> tuple[Element, ...]:
        """The potentials, forces and constraints, in order of addition."""
        return tuple(self._elements)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes that replace the automatic picture of frames, in order of addition."""
        return tuple(self._shapes)

    def frame(self, frame: str | Frame) -> Frame:
        """The frame with this name; a frame of this system is returned unchanged."""
        return self._find(frame, f"system {self._name!r}")

    def add(self, element: E) -> E:
        """Add a potential, force, constraint or contact; returns it with its frames replaced by their names."""
        if not isinstance(element, Element):
            called = f", such as {element.__name__}(...)" if isinstance(element, type) else ""
            raise ModelError(
                asked=f"add {validate.shown(element)} to system {self._name!r}",
                found="this is not a potential, force, constraint or contact",
                do=f"add an instance of a potential, force, constraint or contact{called}",
            )
        bound = element.bound_to(self)
        self._check_parameters(names_in(bound), bound._text())
        if bound.name in self._element_names:
            raise ModelError(
                asked=f"add {type(element).__name__} {bound.name!r} to system {self._name!r}",
                found="another element has this name",
                do="choose another name",
            )
        self._elements.append(bound)
        if bound.name is not None:
            self._element_names.add(bound.name)
        for variable in bound.kinematic_names():
            self._prescribed.setdefault(variable, bound._text())
        return bound

    def shape(
        self, frame: str | Frame, geometry: Geometry, *, pose: ArrayLike | None = None, color: Any = None
    ) -> Shape:
        """Draw a shape on a frame instead of what bough would draw for its mass and its links.

        Parameters
        ----------
        frame : Frame or str
        geometry : Box, Sphere, Ellipsoid, Cylinder, Capsule, Plane or Mesh
        pose : 4x4 numbers
            The pose of the shape in the frame; by default their origins and axes coincide.
        color : three or four numbers from 0 to 1, or a name such as "orange"
            The fourth is the opacity. None leaves the choice to bough.
        """
        where = f"shape on frame {validate.shown(frame.label if isinstance(frame, Frame) else frame)}"
        if not isinstance(geometry, Geometry):
            raise ModelError(
                asked=where,
                found=f"{validate.shown(geometry)}, which is not a shape",
                do="give a shape, such as bough.Box((0.1, 0.2, 0.3))",
            )
        label = self._find(frame, where).label
        matrix = np.eye(4) if pose is None else validate.pose(pose, where)
        shape = Shape(label, geometry, tuple(map(tuple, matrix.tolist())), checked_color(color, where))
        self._shapes.append(shape)
        return shape

    def build(self) -> Model:
        """Check the description and compile it."""
        validate.check_system(self)
        from bough.model.model import Model  # needs the compiled core, which a description does not

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
        variables = len(self._users.keys() | self._prescribed.keys())
        counts = (validate.counted(len(self._frames), "frame"), validate.counted(variables, "variable"))
        return f"<System {self._name!r}: {', '.join(counts)}>"

    def _repr_html_(self) -> str:
        from bough.view.notebook import system_html

        return system_html(self)

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
                asked=f"frame {validate.shown(frame)} in {where}",
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
        moved = (frame for frame in self.frames if isinstance(frame._parameter, kind))
        return tuple(dict.fromkeys(name for frame in moved for name in frame._variables()))

    @property
    def balls(self) -> tuple[str, ...]:
        """The balls, whose rotations are quaternions, in the order of `frames`."""
        return tuple(str(frame._parameter) for frame in self.frames if frame._kind == "ball")

    def _kind_of(self, variable: str) -> str | None:
        """ "dynamic" or "kinematic"; None for a variable that does not exist."""
        if variable in self._users:
            return _kind(self._frames[self._users[variable]])
        return "kinematic" if variable in self._prescribed else None

    def _both_kinds(self, variable: str, kind: str, where: str) -> ModelError:
        """The error for a variable that is used as one kind and exists as the other."""
        if variable in self._users:
            place = self._frames[self._users[variable]]._place()
        else:
            place = self._prescribed[variable]
        return _both_kinds(variable, kind, f"in {place}", where)

    def _attach(self, parent: Frame, chain: Sequence[Frame], where: str, *, shared: bool) -> None:
        """Add a chain of new frames to `parent`, after checking their names.

        shared : whether they may use a variable that moves another frame as well
        """
        name = chain[-1]._name
        if name is not None and name in self._by_name:
            raise ModelError(
                asked=f"name={name!r} in {where}",
                found=f"another frame has this name: {self._frames[self._by_name[name]]._place()}",
                do=f"choose another name; the frame that exists is system.frame({name!r})",
            )
        users: dict[str, Frame] = {}
        for frame in chain:
            if frame._kind == "ball":
                check_ball(self, frame, where)
                users |= dict.fromkeys(frame._variables(), frame)
                continue
            variable = None if frame._parameter is None else variable_name(frame._parameter)
            if variable is None:
                continue
            first = users.setdefault(variable, frame)
            kind, known = _kind(frame), self._kind_of(variable)
            if known is not None and known != kind:
                raise self._both_kinds(variable, kind, where)
            if _kind(first) != kind:
                raise _both_kinds(variable, kind, "in the same joint", where)
            if not shared and (variable in self._users or first is not frame):
                used = self._users.get(variable)
                place = "another part of this joint" if used is None else self._frames[used]._place()
                raise ModelError(
                    asked=f"variable {variable!r} in {where}",
                    found=f"{variable!r} already moves {place}, and one variable would move both",
                    do="choose another name for a motion of its own; or give shared=True, in a file (shared),"
                    " if both are to move together",
                )
        for frame in chain:
            frame._parent = parent._index
            frame._index = len(self._frames)
            self._frames.append(frame)
            parent._children.append(frame._index)
            parent = frame
        for variable, frame in users.items():
            self._users.setdefault(variable, frame._index)
        if name is not None:
            self._by_name[name] = chain[-1]._index


def _kind(frame: Frame) -> str:
    """Whether the variable of a frame is dynamic or kinematic."""
    return "kinematic" if isinstance(frame._parameter, Kinematic) else "dynamic"


def _both_kinds(variable: str, kind: str, place: str, where: str) -> ModelError:
    other = "dynamic" if kind == "kinematic" else "kinematic"
    return ModelError(
        asked=f"{kind} variable {variable!r} in {where}",
        found=f"{variable!r} is already a {other} variable, {place}",
        do=f"choose another name, or write kinematic({variable!r}) in every place",
    )
