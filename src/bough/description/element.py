"""Base classes of the elements that act on a tree of frames: potentials, forces, constraints and contacts.

An element is a frozen dataclass that says which of its fields name something:

    @dataclass(frozen=True)
    class Wire(Constraint):
        first: Frame | str
        second: Frame | str
        length: float = 1.0
        frame_fields = ("first", "second")

A frame field takes a frame or its name, or several of them, and holds names once the element is added.
A variable field takes the name of a configuration variable, several names, or a mapping with names as keys;
a dynamic field likewise, of dynamic variables only.
The system that an element is added to checks that they exist.
A field of any other kind may hold `bough.kinematic("name")`: a kinematic variable of the tree, or a new one.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from bough import validate
from bough.description import formulas
from bough.description.checked_arguments import CheckedArguments
from bough.description.finite_values import check_finite
from bough.description.frame import Frame
from bough.description.parameter import Kinematic
from bough.description.plain_value import UnknownElement, plain_value, value_of
from bough.description.variable_checks import check_variable, check_variable_name
from bough.errors import ModelError, nearest, unknown_name

if TYPE_CHECKING:
    from bough.description.system import System

E = TypeVar("E", bound="Element")

#: (kind, frames, variables, inputs, values): an element in the form that the core takes.
Record = tuple[str, list[int], list[int], list[int], list[float]]


class Names(NamedTuple):
    """The index of each name of a system in the arrays of its model."""

    frames: Mapping[str, int]
    variables: Mapping[str, int]
    inputs: Mapping[str, int]
    nd: int
    masses: Sequence[float]  # by frame
    coms: Sequence[Sequence[float]]
    balls: tuple[str, ...] = ()

    def value(self, value: float | str) -> tuple[int, float]:
        """The pair (input, constant) for a number or the name of an input."""
        return (self.inputs[value], 0.0) if isinstance(value, str) else (-1, value)


_kinds: dict[str, type[Element]] = {}


@dataclass(frozen=True, eq=False, repr=False)
class Element(metaclass=CheckedArguments):
    """Base of everything that can be added to a system.

    A subclass is a frozen dataclass and is known by its class name in descriptions. The methods that a
    dataclass would compile anew for each class, `==`, `hash` and `repr`, are here once: `import bough`, which
    makes some forty of them, is the quicker for it.
    """

    name: str | None = dataclasses.field(default=None, kw_only=True)
    frame_fields: ClassVar[tuple[str, ...]] = ()
    path_fields: ClassVar[tuple[str, ...]] = ()  # frame_fields from one end of a path to the other
    variable_fields: ClassVar[tuple[str, ...]] = ()
    dynamic_fields: ClassVar[tuple[str, ...]] = ()
    takes_balls: ClassVar[bool] = False  # whether its variables may be rates of balls
    takes_whole_balls: ClassVar[bool] = False  # whether the name of a ball stands for all of its rates
    _formulas: ClassVar[Mapping[str, Any]] = formulas.NONE

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(_values(self))

    def __repr__(self) -> str:
        shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self))
        return f"{type(self).__qualname__}({shown})"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        known = _kinds.get(cls.__name__)
        if known is not None and is_own(known) and not is_own(cls):
            raise ModelError(
                asked=f"class {cls.__name__} in module {cls.__module__}",
                found=f"bough has an element {cls.__name__} of its own",
                do="give the class another name",
            )
        _kinds[cls.__name__] = cls

    def __post_init__(self) -> None:
        formulas.split(self)
        kind = type(self).__name__
        if self.name is not None:
            validate.name(self.name, "name", f"{kind}(...)")
        for field in dataclasses.fields(self):
            check_finite(getattr(self, field.name), field.name, f"{kind}(...)")

    def bound_to(self: E, system: System) -> E:
        """This element with its frames replaced by their names, after checking that all its names exist."""
        changes: dict[str, Any] = {}
        for field in self.frame_fields:
            value, where = getattr(self, field), f"field {field!r} of {self._text()}"
            if isinstance(value, list | tuple):
                changes[field] = tuple(system._find(item, where).label for item in value)
            elif value is not None:
                changes[field] = system._find(value, where).label
        for field in (*self.variable_fields, *self.dynamic_fields):
            for name in self._names(field):
                check_variable(system, name, self, field)
        for name in self.kinematic_names():
            if system._kind_of(name) == "dynamic":
                raise system._both_kinds(name, "kinematic", self._text())
        formulas.need_no_formula(self, self._text())
        bound = self._with(changes) if changes else self
        bound._check_bound()
        return bound

    def kinematic_names(self) -> tuple[str, ...]:
        """The kinematic variables that the element itself depends on."""
        values = (getattr(self, field.name) for field in dataclasses.fields(self))
        return tuple(value.name for value in values if isinstance(value, Kinematic))

    def record(self, names: Names) -> Record | None:
        """The element in the form that the core takes; None if the core has no such kind."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """The element in plain lists, numbers and strings: `{"type": class name, field: value, ...}`."""
        data: dict[str, Any] = {"type": type(self).__name__}
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        values = {name: getattr(self, name) for name in defaults}
        if not _made_of_fields(type(self)):
            values |= {name: value for name, value in vars(self).items() if name != "_formulas"}
        for field, value in {**values, **self._formulas}.items():
            if value is None and defaults.get(field, ...) is None:
                continue
            data[field] = plain_value(value, f"{field} of {self._text()}")
        return data

    @classmethod
    def from_dict(cls: type[E], data: Mapping[str, Any]) -> E:
        """The element described by a dictionary that `to_dict` made."""
        values = {key: value_of(item) for key, item in data.items() if key != "type"}
        if not _made_of_fields(cls):
            element = cls.__new__(cls)
            for key, item in values.items():
                element._set(key, item)
            return element
        fields = {field.name: field for field in dataclasses.fields(cls) if field.init}
        for key in values:
            if key not in fields:
                raise unknown_name("field", key, fields, f"{cls.__name__} of a description")
        for field in fields.values():
            if field.name not in values and not _has_default(field):
                raise ModelError(
                    asked=f"{cls.__name__} of a description",
                    found=f"no {field.name!r}",
                    do=f"give {field.name!r} as well",
                )
        return cls(**values)

    def _with(self: E, changes: Mapping[str, Any]) -> E:
        """A copy with other values of some fields."""
        if _made_of_fields(type(self)):
            kept = {field: value for field, value in self._formulas.items() if field not in changes}
            return formulas.with_formulas(dataclasses.replace(self, **changes), kept)  # type: ignore[no-any-return]
        other = copy.copy(self)
        for field, value in changes.items():
            other._set(field, value)
        return other

    def _names(self, field: str) -> tuple[object, ...]:
        """The names of variables in a field."""
        value = getattr(self, field)
        return (
            tuple(value) if isinstance(value, Mapping | list | tuple) else () if value is None else (value,)
        )

    def _check_bound(self) -> None:
        """Further checks of an element whose frames are names."""

    def _set(self, field: str, value: Any) -> None:
        """Replace a field by its checked value, during construction."""
        object.__setattr__(self, field, value)

    def _text(self) -> str:
        kind = type(self).__name__
        return kind if self.name is None else f"{kind} {self.name!r}"


def _values(element: Any) -> tuple[Any, ...]:
    return tuple([getattr(element, field.name) for field in dataclasses.fields(element)])


@dataclass(frozen=True, eq=False, repr=False)
class Potential(Element):
    """A potential energy that depends on the configuration.

    A user's subclass defines `energy(self, at)`, a number, and optionally `gradient(self, at)`, (nq,), and
    `hessian(self, at)`, (nq, nq). `at` is a `bough.Instant`. Derivatives that are not defined are computed by
    JAX, complex steps or finite differences. Vectors may be dictionaries by name: {"elbow": 2.0}.

    Examples
    --------
    >>> import bough
    >>> class Cubic(bough.Potential):
    ...     def energy(self, at):
    ...         return 4.0 * at.q["x"] ** 4
    ...     def gradient(self, at):
    ...         return {"x": 16.0 * at.q["x"] ** 3}
    ...     def hessian(self, at):
    ...         return {("x", "x"): 48.0 * at.q["x"] ** 2}
    >>> system = bough.System("oscillator", gravity=None)
    >>> mass = system.world.tx("x", mass=1.0)
    >>> spring = system.add(Cubic())
    >>> float(system.build().potential_energy({"x": 0.5}))
    0.25
    """


@dataclass(frozen=True, eq=False, repr=False)
class Force(Element):
    """A force that no potential describes: dissipation, inputs, feedback.

    A user's subclass defines `force(self, at)`, (nq,) or a dictionary by name, and optionally
    `force_dq(self, at)` and `force_dv(self, at)`, (nq, nq). They may use at.q, at.v, at.t, and the inputs
    at.u that its method `inputs` names.

    Examples
    --------
    >>> import bough
    >>> class Water(bough.Force):
    ...     def force(self, at):
    ...         return {"x": -0.5 * at.v["x"] * abs(at.v["x"])}
    ...     def force_dv(self, at):
    ...         return {("x", "x"): -abs(at.v["x"])}
    >>> system = bough.System("boat")
    >>> boat = system.world.tx("x", mass=2.0)
    >>> drag = system.add(Water())
    >>> system.build().acceleration([0.0], [2.0])
    array([-1.])
    """

    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs that the force depends on."""
        return ()


@dataclass(frozen=True, eq=False, repr=False)
class Constraint(Element):
    """A condition h(q, t) = 0 on the configuration.

    A user's subclass defines `value(self, at)`, a number, or as many as its attribute `rows` says, and
    optionally `gradient(self, at)`, (rows, nq), and `hessian(self, at)`, (rows, nq, nq). They may use at.q,
    and at.t; a constraint that uses at.t may also define `rate(self, at)`, dh/dt at fixed q.

    Examples
    --------
    >>> import bough
    >>> class Parabola(bough.Constraint):
    ...     def value(self, at):
    ...         return at.q["z"] - at.q["x"] ** 2
    ...     def gradient(self, at):
    ...         return {"x": -2.0 * at.q["x"], "z": 1.0}
    >>> system = bough.System("bead")
    >>> bead = system.world.tx("x").tz("z", mass=1.0)
    >>> wire = system.add(Parabola())
    >>> system.build().constraint({"x": 0.5, "z": 0.3})
    array([0.05])
    """

    @property
    def rows(self) -> int:
        """The number of conditions, which is the number of entries in lam."""
        return 1

    @property
    def nonholonomic(self) -> int:
        """The number of conditions, the last ones, that hold velocities and no positions."""
        return 0


@dataclass(frozen=True, eq=False, repr=False)
class UnilateralConstraint(Element):
    """A condition phi(q, t) >= 0 on the configuration: a contact that pushes and does not pull.

    A user's subclass defines `value(self, at)`, the gap phi, a number, or as many as its attribute `contacts`
    says, and optionally `gradient(self, at)`, (contacts, nq), and, if it uses at.t, `rate(self, at)`, dphi/dt
    at fixed q. Its attribute `restitution`, 0 by default, is the part of the speed of approach with which a
    contact opens again.

    Examples
    --------
    >>> import bough
    >>> class Bowl(bough.UnilateralConstraint):
    ...     def value(self, at):
    ...         return at.q["z"] - at.q["x"] ** 2
    ...     def gradient(self, at):
    ...         return {"x": -2.0 * at.q["x"], "z": 1.0}
    >>> system = bough.System("ball")
    >>> ball = system.world.tx("x").tz("z", mass=1.0)
    >>> bowl = system.add(Bowl(name="bowl"))
    >>> system.build().gap({"x": 0.5, "z": 0.3})
    array([0.05])
    """

    @property
    def contacts(self) -> int:
        """The number of gaps."""
        return 1

    def contact_names(self) -> tuple[str, ...]:
        """What tells the gaps of one element apart, in the order of the core; nothing if there is only one."""
        return ("",) if self.contacts == 1 else tuple(f"[{i}]" for i in range(self.contacts))


def element_from_dict(data: Any) -> Element:
    """The element described by a dictionary, an instance of the class that its "type" names."""
    kind = data.get("type") if isinstance(data, Mapping) else None
    if not isinstance(kind, str):
        raise ModelError(
            asked="element of a description",
            found=f"no 'type' in {validate.shown(data)}",
            do="give a dictionary with the name of the element's class as 'type'",
        )
    if kind not in _kinds:
        error = unknown_name("element type", kind, _kinds, "a description")
        do = f"import the module that defines class {kind} first"
        if nearest(kind, _kinds):
            raise UnknownElement(asked=error.asked, found=error.found, do=f"{do}, or correct the spelling")
        raise UnknownElement(asked=error.asked, found="no class of this name is known", do=do)
    return _kinds[kind].from_dict(data)


def is_own(cls: type) -> bool:
    """Whether a class of elements is one of bough's, not a user's."""
    return cls.__module__.split(".")[0] == "bough"


def _made_of_fields(cls: type) -> bool:
    """Whether the dataclass fields determine the element: False if the class has an __init__ of its own."""
    maker = next(base for base in cls.__mro__ if "__init__" in base.__dict__)
    return "__dataclass_fields__" in maker.__dict__


def _has_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def check_single(element: Element, optional: tuple[str, ...] = ()) -> None:
    """Raise if a field that names one frame or one variable holds anything else."""
    for field in element.frame_fields:
        value = getattr(element, field)
        if not isinstance(value, Frame | str) and not (value is None and field in optional):
            raise ModelError(
                asked=f"frame {validate.shown(value)} in field {field!r} of {element._text()}",
                found="neither a frame nor the name of one",
                do="give a frame, or its name as a string",
            )
    for field in (*element.variable_fields, *element.dynamic_fields):
        check_variable_name(getattr(element, field), element, field)


def check_ends(element: Element, a: Frame | str, b: Frame | str) -> None:
    """Raise if both ends of an element are on one frame."""
    if a == b:
        raise ModelError(
            asked=f"{element._text()} between {a!r} and {b!r}",
            found="both ends are on one frame, so that nothing depends on the configuration",
            do="give two different frames",
        )


def check_gear(value: Any, where: str) -> float:
    """The checked gear of a motor."""
    gear = validate.real(value, "gear", where)
    if gear == 0.0:
        raise ModelError(
            asked=f"gear={validate.shown(value)} in {where}",
            found="a gear of zero, so that the force is always zero",
            do="give a gear other than zero, or leave the element out",
        )
    return gear
