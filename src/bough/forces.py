"""Forces that no potential describes. Each adds a generalised force f to d/dt dL/dv - dL/dq = f."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bough import check_system as check
from bough.elements import Force, Names, Record, check_single
from bough.errors import ModelError


@dataclass(frozen=True)
class Damping(Force):
    """Linear damping of configuration variables: f = -coefficient v. Several of them add up.

    Parameters
    ----------
    coefficient : float or mapping from names of dynamic variables to floats
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

    def __post_init__(self) -> None:
        super().__post_init__()
        unit, given = "N m s/rad or N s/m", self.coefficient
        if isinstance(given, Mapping):
            checked = {
                name: check.not_negative(value, f"coefficient[{check.shown(name)}]", self._text(), unit)
                for name, value in given.items()
            }
            self._set("coefficient", checked)
        elif check.is_real(given):
            self._set("coefficient", check.not_negative(given, "coefficient", self._text(), unit))
        else:
            raise ModelError(
                asked=f"coefficient={check.shown(given)} in {self._text()}",
                found="neither a number nor a mapping from variables to numbers",
                do="give a number for all dynamic variables, or a dictionary such as {'shoulder': 0.2}",
            )

    def record(self, names: Names) -> Record:
        given = self.coefficient
        if isinstance(given, Mapping):
            return "Damping", [], [names.variables[name] for name in given], [], list(given.values())
        return "Damping", [], list(range(names.nd)), [], [given] * names.nd

    def _names(self, field: str) -> tuple[object, ...]:
        return tuple(self.coefficient) if isinstance(self.coefficient, Mapping) else ()


@dataclass(frozen=True)
class ConfigurationForce(Force):
    """A force on one dynamic variable: f = value, or f = u[value] where value names an input.

    Parameters
    ----------
    variable : str
    value : float or str
        A constant in N m for an angle, N for a distance; or the name of an input. Elements that give the same
        name share the input.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> motor = system.add(bough.ConfigurationForce("angle", "torque"))
    """

    variable: str
    value: float | str
    dynamic_fields = ("variable",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set("value", check.number_or_input(self.value, "value", self._text()))

    def inputs(self) -> tuple[str, ...]:
        """The input, if the force has one."""
        return (self.value,) if isinstance(self.value, str) else ()

    def record(self, names: Names) -> Record:
        chosen, constant = names.value(self.value)
        return "ConfigurationForce", [], [names.variables[self.variable]], [chosen], [constant]
