"""Conditions h(q, t) = 0 between configuration variables, with the generalised force dh/dq^T lam."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bough import validate
from bough.description.element import Constraint, Names, Record, check_single
from bough.description.functions import Function, PiecewisePolynomial, function_or_number, numbers
from bough.description.parameter import Kinematic
from bough.elements.coefficients import check_coefficients
from bough.errors import ModelError


@dataclass(frozen=True, eq=False, repr=False)
class GearConstraint(Constraint):
    """A linear relation between variables: gears, belts, pulleys, differentials.

    h = sum of coefficient * q - offset; the force on each variable is coefficient * lam.

    Parameters
    ----------
    coefficients : mapping from names of variables to floats other than zero
        A pair of gears with n and m teeth that mesh is {"first": n, "second": m}.
    offset : float, kinematic variable or function of time

    Examples
    --------
    >>> import bough
    >>> system = bough.System("gears")
    >>> small = system.world.rz("small", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> large = system.world.tx(0.3).rz("large", mass=4.0, inertia=(1.0, 1.0, 2.0))
    >>> mesh = system.add(bough.GearConstraint({"small": 10, "large": 20}))
    """

    coefficients: Mapping[str, float]
    offset: float | Kinematic | Function = 0.0
    variable_fields = ("coefficients",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("coefficients", check_coefficients(self.coefficients, self._text()))
        if not isinstance(self.offset, Kinematic):
            self._set("offset", function_or_number(self.offset, "offset", self._text()))

    def record(self, names: Names) -> Record:
        coefficients, offset = dict(self.coefficients), self.offset
        if isinstance(offset, Kinematic):
            coefficients[offset.name] = coefficients.get(offset.name, 0.0) - 1.0
            offset = 0.0
        return _linear_record(self, names, tuple(coefficients), [tuple(coefficients.values())], offset)


@dataclass(frozen=True, eq=False, repr=False)
class ScrewConstraint(Constraint):
    """A rotation and a translation move as a screw ([JM09] IV.D5).

    h = pitch * angle - distance, in m; lam is the force along the screw in N, -lam on the distance and
    pitch * lam on the angle. With `angle` and `distance` of a cylindrical joint this is a helical joint.

    Parameters
    ----------
    angle, distance : str
        Variables.
    pitch : float
        m per rad, not zero.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("lead screw")
    >>> nut = system.world.cylindrical("turn", "advance", name="nut", mass=1.0, inertia=(1, 1, 1))
    >>> thread = system.add(bough.ScrewConstraint("turn", "advance", pitch=0.01))
    """

    angle: str
    distance: str
    pitch: float
    variable_fields = ("angle", "distance")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        _check_different(self, (self.angle, self.distance))
        pitch = validate.real(self.pitch, "pitch", self._text())
        if pitch == 0.0:
            raise ModelError(
                asked=f"pitch={validate.shown(self.pitch)} in {self._text()}",
                found="pitch is zero: the rotation would not advance",
                do="give pitch in m per rad, or use a revolute joint",
            )
        self._set("pitch", pitch)

    def record(self, names: Names) -> Record:
        return _linear_record(self, names, (self.angle, self.distance), [(self.pitch, -1.0)])


@dataclass(frozen=True, eq=False, repr=False)
class EqualityConstraint(Constraint):
    """Variables are equal: h_k = q_0 - q_k, one row less than there are variables.

    Transforms that simply share a motion can share one variable instead, which costs no row.

    Parameters
    ----------
    variables : two or more names

    Examples
    --------
    >>> import bough
    >>> system = bough.System("gripper")
    >>> left = system.world.ty("left", mass=0.1)
    >>> right = system.world.ty("right", mass=0.1, ratio=-1.0)
    >>> together = system.add(bough.EqualityConstraint(("left", "right")))
    """

    variables: tuple[str, ...]
    variable_fields = ("variables",)

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.variables
        if not isinstance(given, Sequence) or isinstance(given, str) or len(given) < 2:
            raise ModelError(
                asked=f"variables={validate.shown(given)} in {self._text()}",
                found="fewer than two variables" if isinstance(given, Sequence) else "not names of variables",
                do="give two or more names, such as ('left', 'right')",
            )
        self._set("variables", tuple(given))
        _check_different(self, self.variables)

    @property
    def rows(self) -> int:
        return len(self.variables) - 1

    def record(self, names: Names) -> Record:
        count = len(self.variables)
        rows = [tuple(float(i == 0) - float(i == k) for i in range(count)) for k in range(1, count)]
        return _linear_record(self, names, self.variables, rows)


@dataclass(frozen=True, eq=False, repr=False)
class CamConstraint(Constraint):
    """A follower on a cam: h = follower - profile(cam); lam is the force on the follower.

    The follower is held in both senses, as in a grooved cam.

    Parameters
    ----------
    follower, cam : str
        Variables.
    profile : PiecewisePolynomial, Sinusoid, or a scalar spline of SciPy
        A table is `PiecewisePolynomial.through(angle, lift, periodic=True)`. A `CubicSpline` with
        `bc_type="periodic"` repeats.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("valve")
    >>> shaft = system.world.rz("shaft", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> valve = system.world.tz("valve", mass=0.1)
    >>> eccentric = bough.Sinusoid(amplitude=0.005, frequency=1.0, mean=0.005)
    >>> cam = system.add(bough.CamConstraint("valve", "shaft", eccentric))
    """

    follower: str
    cam: str
    profile: Function
    variable_fields = ("follower", "cam")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        _check_different(self, (self.follower, self.cam))
        if isinstance(self.profile, Function):
            return
        if not hasattr(self.profile, "extrapolate"):  # an attribute of every spline of SciPy
            raise ModelError(
                asked=f"profile={validate.shown(self.profile)} in {self._text()}",
                found="neither a function of bough nor a spline of SciPy",
                do="give bough.PiecewisePolynomial.through(angle, lift), bough.Sinusoid(...) or a spline",
            )
        periodic = bool(self.profile.extrapolate == "periodic")
        self._set("profile", PiecewisePolynomial.from_scipy(self.profile, periodic))

    def record(self, names: Names) -> Record:
        variables = (self.follower, self.cam)
        _check_free(self, names, variables)
        return "CamConstraint", [], [names.variables[v] for v in variables], [], self.profile.numbers()


def _linear_record(
    element: Constraint,
    names: Names,
    variables: tuple[str, ...],
    rows: Sequence[tuple[float, ...]],
    offset: float | Function = 0.0,
) -> Record:
    """The record of linear relations, in the form that the core takes."""
    _check_free(element, names, variables)
    values = [float(len(rows))]
    for row in rows:
        values += row
    for _ in rows:
        values += numbers(offset)
    return "LinearConstraint", [], [names.variables[name] for name in variables], [], values


def _check_different(element: Constraint, variables: tuple[str, ...]) -> None:
    """Raise if a variable is related to itself."""
    for i, name in enumerate(variables):
        if name in variables[:i]:
            raise ModelError(
                asked=f"variable {validate.shown(name)} in {element._text()}",
                found="the same variable twice",
                do="give different variables",
            )


def _check_free(element: Constraint, names: Names, variables: tuple[str, ...]) -> None:
    """Raise if no force can keep a relation."""
    if all(names.variables[name] >= names.nd for name in variables):
        raise ModelError(
            asked=f"build with {element._text()}",
            found="a relation between kinematic variables alone, whose motion is prescribed",
            do="relate at least one dynamic variable",
        )
