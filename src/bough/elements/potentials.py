"""Potential energies. Each is part of V in L = T - V; its generalised force is -dV/dq."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from bough import validate
from bough.description import rotation
from bough.description.element import Names, Potential, Record, check_ends, check_single
from bough.description.frame import Frame
from bough.elements.axes import completed
from bough.elements.coefficients import check_coefficients
from bough.elements.force_law import check_force_law, energy_function
from bough.errors import ModelError


@dataclass(frozen=True, eq=False, repr=False)
class LinearSpring(Potential):
    """A spring between the origins of two frames.

    ``V = stiffness / 2 (|x_a - x_b| - rest_length)^2``. It pulls when longer than its rest length and pushes when
    shorter; if the two points coincide the force is taken as zero.

    Parameters
    ----------
    a, b : Frame or str
    stiffness : float
        N/m, not negative.
    rest_length : float
        m, not negative.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("hanging mass")
    >>> bob = system.world.tz("z", name="bob", mass=1.0)
    >>> spring = system.add(bough.LinearSpring("world", bob, stiffness=20.0, rest_length=0.5))
    """

    a: Frame | str
    b: Frame | str
    stiffness: float
    rest_length: float = 0.0
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set("stiffness", validate.not_negative(self.stiffness, "stiffness", self._text(), "N/m"))
        self._set("rest_length", validate.not_negative(self.rest_length, "rest_length", self._text(), "m"))

    def record(self, names: Names) -> Record:
        ends = [names.frames[str(self.a)], names.frames[str(self.b)]]
        return "LinearSpring", ends, [], [], [self.stiffness, self.rest_length]

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)


@dataclass(frozen=True, eq=False, repr=False)
class ConfigurationSpring(Potential):
    """A spring on one configuration variable, dynamic or kinematic.

    V = stiffness / 2 (q - rest)^2, generalised force stiffness (rest - q).

    Parameters
    ----------
    variable : str
    stiffness : float
        N m/rad for an angle, N/m for a distance; not negative.
    rest : float
        The value of the variable at which the spring is slack, rad or m.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("spring", gravity=None)
    >>> body = system.world.tx("x", mass=2.0)
    >>> spring = system.add(bough.ConfigurationSpring("x", stiffness=50.0, rest=0.1))
    >>> system.build().acceleration([0.2], [0.0])
    array([-2.5])
    """

    variable: str
    stiffness: float
    rest: float = 0.0
    variable_fields = ("variable",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set(
            "stiffness", validate.not_negative(self.stiffness, "stiffness", self._text(), "N m/rad or N/m")
        )
        self._set("rest", validate.real(self.rest, "rest", self._text()))

    def record(self, names: Names) -> Record:
        return "ConfigurationSpring", [], [names.variables[self.variable]], [], [self.stiffness, self.rest]


@dataclass(frozen=True, eq=False, repr=False)
class GearSpring(Potential):
    """A spring on a linear combination of variables: an elastic belt, a tendon over several joints.

    V = stiffness / 2 (sum of coefficient * q - rest)^2. As the stiffness grows, this becomes the
    `GearConstraint` with the same coefficients.

    Parameters
    ----------
    coefficients : mapping from names of variables to floats other than zero
    stiffness : float
        J per square of the combination (N/m if that is a length), not negative.
    rest : float
        The combination at which the spring is slack.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("finger")
    >>> middle = system.world.ry("knuckle").tz(-0.05, mass=0.02)
    >>> tip = middle.ry("joint").tz(-0.03, mass=0.01)
    >>> tendon = system.add(bough.GearSpring({"knuckle": 0.01, "joint": 0.006}, stiffness=500.0))
    """

    coefficients: Mapping[str, float]
    stiffness: float
    rest: float = 0.0
    variable_fields = ("coefficients",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("coefficients", check_coefficients(self.coefficients, self._text()))
        self._set("stiffness", validate.not_negative(self.stiffness, "stiffness", self._text(), "N/m"))
        self._set("rest", validate.real(self.rest, "rest", self._text()))

    def record(self, names: Names) -> Record:
        variables = [names.variables[name] for name in self.coefficients]
        return "GearSpring", [], variables, [], [self.stiffness, self.rest, *self.coefficients.values()]


@dataclass(frozen=True, eq=False, repr=False)
class NonlinearSpring(Potential):
    """A spring between the origins of two frames with any law of force.

    The tension is F(x) at the elongation ``x = |x_a - x_b| - rest_length``, positive if the spring pulls, and
    V is the integral of F from zero to x. If the two points coincide the force is taken as zero.

    Parameters
    ----------
    a, b : Frame or str
    polynomial : numbers
        F(x) = c0 + c1 x + c2 x^2 + ..., in N and m.
    table : rows (x, F)
        Instead of the polynomial, in m and N, x increasing. Beyond its ends F continues in straight lines.
    interpolation : "linear", "pchip" or "spline"
        How F runs between the rows: straight; in cubics that are monotone where the rows are, with a
        continuous slope (the default); or as a natural cubic spline, which is smoother and may overshoot.
    rest_length : float
        m, not negative; with the default, zero, x is the length.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("hanging mass")
    >>> bob = system.world.tz("z", name="bob", mass=1.0)
    >>> hardening = bough.NonlinearSpring("world", bob, polynomial=(0, 20, 0, 300), rest_length=0.5)
    >>> measured = bough.NonlinearSpring("world", bob, table=((0.4, -3), (0.5, 0), (0.6, 2), (0.8, 9)))
    """

    a: Frame | str
    b: Frame | str
    polynomial: tuple[float, ...] | None = field(default=None, kw_only=True)
    table: tuple[tuple[float, float], ...] | None = field(default=None, kw_only=True)
    interpolation: str | None = field(default=None, kw_only=True)
    rest_length: float = field(default=0.0, kw_only=True)
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        law = check_force_law(self.polynomial, self.table, self.interpolation, self._text(), "m and N")
        for name, value in zip(("polynomial", "table", "interpolation"), law, strict=True):
            self._set(name, value)
        self._set("rest_length", validate.not_negative(self.rest_length, "rest_length", self._text(), "m"))

    def record(self, names: Names) -> Record:
        ends = [names.frames[str(self.a)], names.frames[str(self.b)]]
        energy = energy_function(self.polynomial, self.table, self.interpolation)
        return "NonlinearSpring", ends, [], [], [self.rest_length, *energy]

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)


@dataclass(frozen=True, eq=False, repr=False)
class NonlinearConfigurationSpring(Potential):
    """A spring on one configuration variable, dynamic or kinematic, with any law of force.

    The generalised force is -F(x) at x = q - rest, and V is the integral of F from zero to x.

    Parameters
    ----------
    variable : str
    polynomial : numbers
        F(x) = c0 + c1 x + c2 x^2 + ..., in N m and rad for an angle, in N and m for a distance.
    table : rows (x, F)
        Instead of the polynomial, x increasing. Beyond its ends F continues in straight lines.
    interpolation : "linear", "pchip" or "spline"
        How F runs between the rows: straight; in cubics that are monotone where the rows are, with a
        continuous slope (the default); or as a natural cubic spline, which is smoother and may overshoot.
    rest : float
        The value of the variable at which x is zero, rad or m.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("duffing", gravity=None)
    >>> bob = system.world.tx("x", name="bob", mass=1.0)
    >>> spring = system.add(bough.NonlinearConfigurationSpring("x", polynomial=(0, -1, 0, 1)))
    """

    variable: str
    polynomial: tuple[float, ...] | None = field(default=None, kw_only=True)
    table: tuple[tuple[float, float], ...] | None = field(default=None, kw_only=True)
    interpolation: str | None = field(default=None, kw_only=True)
    rest: float = field(default=0.0, kw_only=True)
    variable_fields = ("variable",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        law = check_force_law(
            self.polynomial, self.table, self.interpolation, self._text(), "rad and N m, or m and N"
        )
        for name, value in zip(("polynomial", "table", "interpolation"), law, strict=True):
            self._set(name, value)
        self._set("rest", validate.real(self.rest, "rest", self._text()))

    def record(self, names: Names) -> Record:
        energy = energy_function(self.polynomial, self.table, self.interpolation)
        return "NonlinearConfigurationSpring", [], [names.variables[self.variable]], [], [self.rest, *energy]


@dataclass(frozen=True, eq=False, repr=False)
class TorsionSpring(Potential):
    """A spring against the rotation of one frame relative to another.

    With an axis, V = stiffness / 2 (theta - rest)^2 where theta is the angle by which b is turned about the
    axis relative to a: for frames on a common axis. If b is tilted as well, theta is that of the nearest
    rotation about the axis. The difference is taken within half a turn to either side; for several turns use
    `ConfigurationSpring`.

    Without an axis, V = stiffness / 2 theta^2 where theta is the angle, from 0 to pi, of the rotation from the rest
    orientation to b, about whatever direction: the torque is stiffness times the logarithm of that rotation, the
    spring of a ball. It is smooth at zero. At half a turn its direction is not defined: a motion does not start there,
    and a run that passes it warns.

    Parameters
    ----------
    a, b : Frame or str
    stiffness : float
        N m/rad, not negative.
    axis : three numbers or None
        A direction, of any length, in the axes of a and of b.
    rest : float or rotation
        With an axis, an angle in rad. Without one, the orientation of b relative to a at which the spring is slack: a
        quaternion (w, x, y, z), a 3x3 matrix, a rotation vector or a SciPy `Rotation`.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("door", gravity=None)
    >>> door = system.world.rz("hinge", name="door", mass=10.0, inertia=(1.0, 1.0, 2.0))
    >>> closer = system.add(bough.TorsionSpring("world", door, stiffness=5.0, axis=(0, 0, 1), rest=-0.1))
    >>> leg = system.world.ball("hip").frame("leg", mass=4.0, inertia=(0.1, 0.1, 0.02))
    >>> ligament = system.add(bough.TorsionSpring("world", leg, stiffness=30.0, rest=(0.0, 0.3, 0.0)))
    """

    a: Frame | str
    b: Frame | str
    stiffness: float
    axis: tuple[float, float, float] | None = None
    rest: float | tuple[float, float, float, float] = 0.0
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set("stiffness", validate.not_negative(self.stiffness, "stiffness", self._text(), "N m/rad"))
        if self.axis is not None:
            self._set("axis", validate.unit_axis(self.axis, "axis", self._text()))
            self._set("rest", validate.real(self.rest, "rest", self._text()))
        elif np.ndim(self.rest) == 0 and not hasattr(self.rest, "as_quat") and self.rest != 0.0:
            raise ModelError(
                asked=f"rest={validate.shown(self.rest)} in {self._text()}",
                found="no axis about which the rest angle is meant",
                do=f"give axis as well, or as rest {rotation.FORMS}",
            )
        elif np.ndim(self.rest) or hasattr(self.rest, "as_quat"):
            turn = rotation.quaternion(self.rest, "rest", self._text())
            self._set("rest", tuple(turn.tolist()) if turn[0] < 1.0 else 0.0)

    def record(self, names: Names) -> Record:
        ends = [names.frames[str(self.a)], names.frames[str(self.b)]]
        if self.axis is None:
            return "TorsionSpring", ends, [], [], [self.stiffness, *(self.rest or ())]  # type: ignore[misc]
        e1, e2 = completed(self.axis)
        values = [self.stiffness, self.rest, *e1.tolist(), *e2.tolist()]
        return "TorsionSpring", ends, [], [], values

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)
