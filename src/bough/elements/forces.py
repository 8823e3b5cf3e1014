"""Forces that no potential describes. Each adds a generalised force f to d/dt dL/dv - dL/dq = f."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from bough import validate
from bough.description.element import Force, Names, Record, check_ends, check_gear, check_single
from bough.description.frame import Frame
from bough.description.parameter import ball_variables
from bough.elements.wrenches import check_moves, components, input_names
from bough.errors import ModelError


def rates_of(name: str, variables: Mapping[str, int]) -> tuple[str, ...]:
    """The variables of a name: those of a ball, or itself."""
    return (name,) if name in variables else ball_variables(name)


@dataclass(frozen=True, eq=False, repr=False)
class Damping(Force):
    """Linear damping of configuration variables: f = -coefficient v. Several of them add up.

    Parameters
    ----------
    coefficient : float or mapping from names of dynamic variables, or of balls, to floats
        N m s/rad for an angle, N s/m for a distance; not negative. A number holds for all dynamic variables
        of the system, also for those added later.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> air = system.add(bough.Damping(0.01))
    >>> bearing = system.add(bough.Damping({"angle": 0.2}))
    """

    coefficient: float | Mapping[str, float]
    dynamic_fields = ("coefficient",)
    takes_balls = takes_whole_balls = True

    def __post_init__(self) -> None:
        super().__post_init__()
        unit, given = "N m s/rad or N s/m", self.coefficient
        if isinstance(given, Mapping):
            checked = {
                name: validate.not_negative(value, f"coefficient[{validate.shown(name)}]", self._text(), unit)
                for name, value in given.items()
            }
            self._set("coefficient", checked)
        elif validate.is_real(given):
            self._set("coefficient", validate.not_negative(given, "coefficient", self._text(), unit))
        else:
            raise ModelError(
                asked=f"coefficient={validate.shown(given)} in {self._text()}",
                found="neither a number nor a mapping from variables to numbers",
                do="give a number for all dynamic variables, or a dictionary such as {'shoulder': 0.2}",
            )

    def record(self, names: Names) -> Record:
        given = self.coefficient
        if isinstance(given, Mapping):
            single = {
                part: value for name, value in given.items() for part in rates_of(name, names.variables)
            }
            return "Damping", [], [names.variables[name] for name in single], [], list(single.values())
        return "Damping", [], list(range(names.nd)), [], [given] * names.nd

    def _names(self, field: str) -> tuple[object, ...]:
        return tuple(self.coefficient) if isinstance(self.coefficient, Mapping) else ()


@dataclass(frozen=True, eq=False, repr=False)
class ConfigurationForce(Force):
    """A force on one dynamic variable: f = value, or f = u[value] if value names an input.

    With a gear and an effort this is a motor: f = gear · min(max(value, -effort), effort).

    Parameters
    ----------
    variable : str
    value : float or str
        A constant in N m for an angle, N for a distance; or the name of an input. Elements that give the same
        name share the input.
    gear : float or None
        The factor of the value, other than zero; None: 1.
    effort : float or None
        The bound on the absolute value, above zero. None: no limit.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> motor = system.add(bough.ConfigurationForce("angle", "torque"))
    """

    takes_balls = True

    variable: str
    value: float | str
    gear: float | None = field(default=None, kw_only=True)
    effort: float | None = field(default=None, kw_only=True)
    dynamic_fields = ("variable",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        where = self._text()
        self._set("value", validate.number_or_input(self.value, "value", where))
        if self.gear is not None:
            self._set("gear", check_gear(self.gear, where))
        if self.effort is not None:
            self._set("effort", validate.positive(self.effort, "effort", where, "N m or N"))

    def inputs(self) -> tuple[str, ...]:
        """The input, if the force has one."""
        return (self.value,) if isinstance(self.value, str) else ()

    def record(self, names: Names) -> Record:
        chosen, constant = names.value(self.value)
        gear = 1.0 if self.gear is None else self.gear
        effort = math.inf if self.effort is None else self.effort
        values = [constant, gear, effort]
        return "ConfigurationForce", [], [names.variables[self.variable]], [chosen], values


@dataclass(frozen=True, eq=False, repr=False)
class LinearDamper(Force):
    """A damper between the origins of two frames, along the line between them.

    The force on a is -coefficient (n · w) n, with the direction n from b to a and the velocity w of a
    relative to b. The force on b is the opposite. If the two points coincide, the line is taken along w.

    Parameters
    ----------
    a, b : Frame or str
    coefficient : float
        N s/m, not negative.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("suspension")
    >>> wheel = system.world.tz("z", name="wheel", mass=10.0)
    >>> spring = system.add(bough.LinearSpring("world", wheel, stiffness=4000.0, rest_length=0.5))
    >>> damper = system.add(bough.LinearDamper("world", wheel, coefficient=300.0))
    """

    a: Frame | str
    b: Frame | str
    coefficient: float
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set(
            "coefficient", validate.not_negative(self.coefficient, "coefficient", self._text(), "N s/m")
        )

    def record(self, names: Names) -> Record:
        ends = [names.frames[str(self.a)], names.frames[str(self.b)]]
        return "LinearDamper", ends, [], [], [self.coefficient]

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)


@dataclass(frozen=True, eq=False, repr=False)
class Drag(Force):
    """Quadratic drag on the origin of a frame: ``f = -coefficient |r| r`` with its velocity r against the wind.

    Parameters
    ----------
    frame : Frame or str
    coefficient : float
        N s²/m², not negative: half of density × area × drag coefficient.
    wind : 3 floats or str
        The velocity of the air in world axes, m/s; a string names an input.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> air = system.add(bough.Drag(bob, coefficient=0.02, wind=("gust", 0.0, 0.0)))
    """

    frame: Frame | str
    coefficient: float
    wind: tuple[float | str, float | str, float | str] = (0.0, 0.0, 0.0)
    frame_fields = ("frame",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        where = self._text()
        self._set("coefficient", validate.not_negative(self.coefficient, "coefficient", where, "N s²/m²"))
        given = self.wind.tolist() if isinstance(self.wind, np.ndarray) else self.wind
        if not isinstance(given, list | tuple) or len(given) != 3:
            raise ModelError(
                asked=f"wind={validate.shown(self.wind)} in {where}",
                found="not three components",
                do="give 3 numbers in m/s or names of inputs, such as (5.0, 0.0, 'gust')",
            )
        wind = (validate.number_or_input(value, f"wind[{k}]", where) for k, value in enumerate(given))
        self._set("wind", tuple(wind))

    def inputs(self) -> tuple[str, ...]:
        """The inputs among the components of the wind."""
        return input_names(*self.wind)

    def record(self, names: Names) -> Record:
        inputs, constants = components(names, *self.wind)
        return "Drag", [names.frames[str(self.frame)]], [], inputs, [*constants, self.coefficient]

    def _check_bound(self) -> None:
        check_moves(self, self.frame)
