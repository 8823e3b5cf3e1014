"""Frames: the nodes of the tree. A transform method adds a child frame and returns it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bough import validate
from bough.description.formulas import formula_of, names_in, numbers_in
from bough.description.joints import Joints, Step, step_formulas
from bough.description.parameter import (
    Kinematic,
    Parameter,
    ball_variables,
    kinematic,
    parameter,
    parameter_text,
    variable_name,
)
from bough.errors import ModelError
from bough.validate import Array

if TYPE_CHECKING:
    from bough.description.system import System

__all__ = ["Frame", "Kinematic", "kinematic"]


class Frame(Joints):
    """A coordinate frame of a system, rigid or moving relative to its parent, with or without a mass.

    Frames are made by `System.world` and the methods of other frames, never directly. Every method that adds
    a frame takes the options

    name : str, unique among the frames of the system
    mass : float, in kilograms
    inertia : three principal moments or a 3x3 array, about the centre of mass, in the axes of the frame
    com : the centre of mass in the frame, by default its origin

    A parameter is a number (constant), a string (the name of a dynamic variable) or `bough.kinematic(name)`.
    With a variable q the transform moves by `ratio * q + offset`. Several transforms share a variable if
    those after the first say so: by `shared=True`, or by a ratio or an offset of their own.
    A joint made of several transforms returns the last frame, which carries the name and the mass.

    Examples
    --------
    >>> import bough
    >>> bough.System("pendulum").world.ry("angle").tz(-1.0, name="bob", mass=1.5).mass
    1.5
    """

    # Frames refer to each other by index in the system, so that no function recurses into a deep tree.
    __slots__ = (
        "__weakref__",
        "_as_given",
        "_children",
        "_com",
        "_formulas",
        "_geometry",
        "_index",
        "_inertia",
        "_kind",
        "_mass",
        "_name",
        "_offset",
        "_parameter",
        "_parent",
        "_ratio",
        "_system",
    )

    def __init__(self, system: System, kind: str, value: Parameter | None = None) -> None:
        self._system = system
        self._index = 0
        self._parent = -1
        self._children: list[int] = []
        self._name: str | None = None
        self._kind = kind
        self._parameter = value
        self._ratio = 1.0
        self._offset = 0.0
        self._geometry: Array | None = None
        self._mass = 0.0
        self._inertia: Array | None = None
        self._com: Array | None = None
        self._as_given = False  # whether to keep an inertia that no physical body can have
        self._formulas: dict[str, Any] = {}  # of parameters, by field of a description

    # --- properties ---

    @property
    def system(self) -> System:
        """The system this frame belongs to."""
        return self._system

    @property
    def parent(self) -> Frame | None:
        """The frame this one was added to; None for the world."""
        return self._system._frames[self._parent] if self._parent >= 0 else None

    @property
    def children(self) -> tuple[Frame, ...]:
        """The frames added to this one, in order of creation."""
        return tuple(self._system._frames[index] for index in self._children)

    @property
    def name(self) -> str | None:
        """The name given by the user, or None."""
        return self._name

    @property
    def label(self) -> str:
        """The name, or "#3" for a frame without one; `System.frame` finds a frame by either."""
        return self._name if self._name is not None else f"#{self._index}"

    @property
    def kind(self) -> str:
        """The transform: world, tx, ty, tz, rx, ry, rz, fixed, twist or ball."""
        return self._kind

    @property
    def parameter(self) -> Parameter | None:
        """The number, variable name or kinematic variable; None for world and fixed."""
        return self._parameter

    @property
    def ratio(self) -> float:
        """The transform moves by ratio * variable + offset."""
        return self._ratio

    @property
    def offset(self) -> float:
        """The transform moves by ratio * variable + offset."""
        return self._offset

    @property
    def pose(self) -> Array | None:
        """The 4x4 pose of a fixed frame in its parent, otherwise None."""
        return None if self._kind != "fixed" or self._geometry is None else self._geometry.copy()

    @property
    def screw(self) -> Array | None:
        """The twist (angular, linear) of a twist frame, otherwise None."""
        return None if self._kind != "twist" or self._geometry is None else self._geometry.copy()

    @property
    def mass(self) -> float:
        """The mass in kilograms."""
        return self._mass

    @mass.setter
    def mass(self, value: float) -> None:
        self._set_body("mass", 0.0 if value is None else value, self._inertia, self._com, value)

    @property
    def inertia(self) -> Array:
        """The 3x3 inertia about the centre of mass, in the axes of the frame."""
        return np.zeros((3, 3)) if self._inertia is None else self._inertia.copy()

    @inertia.setter
    def inertia(self, value: ArrayLike | None) -> None:
        self._as_given = False
        self._set_body("inertia", self._mass, value, self._com, value)

    @property
    def com(self) -> Array:
        """The centre of mass in the frame."""
        return np.zeros(3) if self._com is None else self._com.copy()

    @com.setter
    def com(self, value: ArrayLike | None) -> None:
        self._set_body("com", self._mass, self._inertia, value, value)

    def body_as_given(
        self, mass: float, inertia: ArrayLike | None, com: ArrayLike | None = None
    ) -> str | None:
        """Set the mass, inertia and centre of mass even if no body can have this inertia.

        For numbers that must not change, such as those of an imported file: the equations hold for any
        symmetric inertia, but the mass matrix may not be positive definite. Returns what is wrong, or None.
        """
        self._as_given = True
        self._set_body("inertia", mass, inertia, com, inertia)
        self._keep_formulas({"mass": mass, "com": com}, f"{self._text()}")
        flaw = None if self._inertia is None else validate.inertia_flaw(self._mass, self._inertia)
        self._as_given = flaw is not None
        return None if flaw is None else flaw[0]

    def __repr__(self) -> str:
        return f"<Frame {self.label}: {self._place()}>"

    # --- transforms ---

    def tx(
        self,
        param: float | str | Kinematic,
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        ratio: float = 1.0,
        offset: float = 0.0,
        shared: bool = False,
    ) -> Frame:
        """Translate along x."""
        return self._transform("tx", param, name, mass, inertia, com, ratio, offset, shared)

    def ty(
        self,
        param: float | str | Kinematic,
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        ratio: float = 1.0,
        offset: float = 0.0,
        shared: bool = False,
    ) -> Frame:
        """Translate along y."""
        return self._transform("ty", param, name, mass, inertia, com, ratio, offset, shared)

    def tz(
        self,
        param: float | str | Kinematic,
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        ratio: float = 1.0,
        offset: float = 0.0,
        shared: bool = False,
    ) -> Frame:
        """Translate along z."""
        return self._transform("tz", param, name, mass, inertia, com, ratio, offset, shared)

    def rx(
        self,
        param: float | str | Kinematic,
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        ratio: float = 1.0,
        offset: float = 0.0,
        shared: bool = False,
    ) -> Frame:
        """Rotate about x."""
        return self._transform("rx", param, name, mass, inertia, com, ratio, offset, shared)

    def ry(
        self,
        param: float | str | Kinematic,
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        ratio: float = 1.0,
        offset: float = 0.0,
        shared: bool = False,
    ) -> Frame:
        """Rotate about y."""
        return self._transform("ry", param, name, mass, inertia, com, ratio, offset, shared)

    def rz(
        self,
        param: float | str | Kinematic,
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        ratio: float = 1.0,
        offset: float = 0.0,
        shared: bool = False,
    ) -> Frame:
        """Rotate about z."""
        return self._transform("rz", param, name, mass, inertia, com, ratio, offset, shared)

    # --- adding frames ---

    def _transform(
        self,
        kind: str,
        param: Any,
        name: Any,
        mass: Any,
        inertia: Any,
        com: Any,
        ratio: Any,
        offset: Any,
        shared: Any,
    ) -> Frame:
        where = self._where(kind, param, name=name)
        return self._add(where, (Step(kind, param),), name, mass, inertia, com, ratio, offset, shared)

    def _add(
        self,
        where: str,
        steps: Sequence[Step],
        name: Any,
        mass: Any,
        inertia: Any,
        com: Any,
        ratio: Any = 1.0,
        offset: Any = 0.0,
        shared: Any = False,
    ) -> Frame:
        """Add one frame per step, each to the one before, or raise and add none."""
        formulas = (ratio, offset)
        ratio = validate.ratio(numbers_in(ratio), where)
        offset = validate.real(numbers_in(offset), "offset", where)
        chain = []
        for step in steps:
            frame = Frame(self._system, step.kind)
            frame._geometry = step.geometry
            if step.kind != "fixed":
                value = parameter(numbers_in(step.parameter), where)
                frame._set_parameter(value, step.sense * ratio, step.sense * offset, where)
            frame._keep_formulas(step_formulas(step, *formulas), where)
            chain.append(frame)
        frame._name = None if name is None else validate.frame_name(name, where)
        frame._mass, frame._inertia, frame._com = validate.body(
            numbers_in(mass), numbers_in(inertia), numbers_in(com), where
        )
        frame._keep_formulas({"mass": mass, "inertia": inertia, "com": com}, where)
        shared = validate.yes_or_no(shared, "shared", where)
        asked = shared or ratio != 1.0 or offset != 0.0 or bool(names_in(formulas))
        self._system._attach(self, chain, where, shared=asked)
        return frame

    def _set_parameter(self, value: Parameter, ratio: float, offset: float, where: str) -> None:
        if isinstance(value, float):
            self._parameter = ratio * value + offset
            if not math.isfinite(self._parameter):
                raise ModelError(
                    asked=f"parameter={value!r}, ratio={ratio!r}, offset={offset!r} in {where}",
                    found="ratio * parameter + offset is not finite",
                    do="give smaller numbers",
                )
        else:
            self._parameter, self._ratio, self._offset = value, ratio, offset + 0.0  # no negative zero

    def _keep_formulas(self, given: Mapping[str, Any], where: str) -> None:
        """Keep the fields that depend on parameters of the system."""
        for field, value in given.items():
            self._formulas.pop(field, None)
            names = names_in(value)
            if names:
                self._system._check_parameters(names, where)
                self._formulas[field] = formula_of(value)

    def _set_body(self, what: str, mass: Any, inertia: Any, com: Any, given: Any) -> None:
        if self._kind == "world":
            raise ModelError(
                asked=f"{what} of world",
                found="the world does not move and carries no mass",
                do="put the mass on a frame, such as system.world.frame('base', mass=1.0)",
            )
        self._mass, self._inertia, self._com = validate.body(
            numbers_in(mass), numbers_in(inertia), numbers_in(com), self._text(), self._as_given
        )
        self._keep_formulas({what: given}, self._text())

    def _variables(self) -> tuple[str, ...]:
        """The variables that move it."""
        name = None if self._parameter is None else variable_name(self._parameter)
        if name is None:
            return ()
        return ball_variables(name) if self._kind == "ball" else (name,)

    # --- text for messages ---

    def _where(self, method: str, *arguments: Any, name: Any = None) -> str:
        words = [validate.shown(argument) for argument in arguments]
        if name is not None:
            words.append(f"name={validate.shown(name)}")
        return f"{method}({', '.join(words)}) on {self._text()}"

    def _text(self) -> str:
        if self._kind == "world":
            return "world"
        return f"frame {self._name!r}" if self._name is not None else f"frame {self.label}"

    def _place(self) -> str:
        parent = self.parent
        return self._transform_text() if parent is None else f"{self._transform_text()} on {parent._text()}"

    def _transform_text(self) -> str:
        if self._parameter is None:
            return self._kind
        return f"{self._kind}({parameter_text(self._parameter, self._ratio, self._offset)})"
