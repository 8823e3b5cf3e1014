"""Bounds of configuration variables that stop and do not hold."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np

from bough import validate
from bough.description.element import Names, Record, UnilateralConstraint, check_single
from bough.description.functions import Function, function_or_number, numbers
from bough.description.parameter import Kinematic
from bough.errors import ModelError


@dataclass(frozen=True, eq=False, repr=False)
class JointLimit(UnilateralConstraint):
    """A variable stays above a lower bound, below an upper one, or between both.

    The gaps are q - lower and upper - q, in the units of the variable; a stop pushes away from its bound and
    never pulls.

    Parameters
    ----------
    variable : str
        A dynamic variable.
    lower, upper : float, kinematic variable or function of time
        Either may be left out.
    restitution : float
        The part of the speed of approach with which the variable leaves the stop, from 0 to 1.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("arm")
    >>> hand = system.world.ry("elbow").tz(-1.0, name="hand", mass=1.0)
    >>> stop = system.add(bough.JointLimit("elbow", lower=0.0, upper=2.6))
    >>> system.build().gaps
    ('JointLimit #0[lower]', 'JointLimit #0[upper]')
    """

    variable: str
    lower: float | Kinematic | Function | None = None
    upper: float | Kinematic | Function | None = None
    _: KW_ONLY
    restitution: float = 0.0
    dynamic_fields = ("variable",)

    def __post_init__(self) -> None:
        for field in ("lower", "upper"):
            bound = getattr(self, field)
            if validate.is_real(bound) and bound == (-math.inf if field == "lower" else math.inf):
                raise ModelError(
                    asked=f"{field}={bound} in JointLimit(...)",
                    found="a bound that is never reached",
                    do=f"leave {field}= out",
                )
        super().__post_init__()
        check_single(self)
        for field in ("lower", "upper"):
            bound = getattr(self, field)
            if bound is not None and not isinstance(bound, Kinematic):
                self._set(field, function_or_number(bound, field, self._text(), kinematic=True))
        if self.lower is None and self.upper is None:
            raise ModelError(
                asked=self._text(),
                found="neither a lower nor an upper bound",
                do="give lower=, upper= or both",
            )
        if isinstance(self.lower, float) and isinstance(self.upper, float) and self.lower >= self.upper:
            raise ModelError(
                asked=f"lower={self.lower:g} and upper={self.upper:g} in {self._text()}",
                found="the lower bound is not below the upper one",
                do="exchange them, or leave one out; a variable that may not move needs no joint",
            )
        self._set("restitution", checked_restitution(self.restitution, self._text()))

    @property
    def contacts(self) -> int:
        return len(self._bounds())

    def contact_names(self) -> tuple[str, ...]:
        names = tuple(self._bounds())
        return ("",) if len(names) == 1 else tuple(f"[{name}]" for name in names)

    def record(self, names: Names) -> Record:
        variables, values = [names.variables[self.variable]], [self.restitution]
        for which, bound in self._bounds().items():
            values.append(1.0 if which == "lower" else -1.0)
            if isinstance(bound, Kinematic):
                variables.append(names.variables[bound.name])
                values.append(1.0)
            else:
                values += [0.0, *numbers(bound)]
        return "JointLimit", [], variables, [], values

    def _bounds(self) -> dict[str, float | Kinematic | Function]:
        """The bounds that there are."""
        both = {"lower": self.lower, "upper": self.upper}
        return {which: bound for which, bound in both.items() if bound is not None}


def checked_restitution(value: object, where: str) -> float:
    """A checked coefficient of restitution."""
    e = validate.real(value, "restitution", where)
    if not 0.0 <= e <= 1.0:
        raise ModelError(
            asked=f"restitution={validate.shown(value)} in {where}",
            found="not between 0 and 1" if e >= 0.0 else "less than zero",
            do="give 0 for a contact that does not bounce, 1 for one that loses nothing",
        )
    return e


def checked_friction(value: object, where: str) -> float:
    """A checked coefficient of friction."""
    if isinstance(value, list | tuple | np.ndarray) and np.size(value) > 1:
        raise ModelError(
            asked=f"friction={validate.shown(value)} in {where}",
            found=f"{np.size(value)} numbers; contacts have one coefficient, the same at rest, in sliding and in all"
            " directions",
            do="give one number, such as friction=0.5; what turns or rolls with a loss of its own has"
            " bough.DryFriction on its variable",
        )
    m = validate.real(value, "friction", where)
    if m < 0.0:
        raise ModelError(
            asked=f"friction={validate.shown(value)} in {where}",
            found="friction is negative",
            do="give the ratio of the largest tangential force to the normal one, zero or more",
        )
    return m
