"""A position servo that is evaluated inside the step."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from bough import validate
from bough.description.element import Force, Names, Record, check_gear, check_single
from bough.description.parameter import Kinematic
from bough.errors import ModelError


@dataclass(frozen=True, eq=False, repr=False)
class Servo(Force):
    """A motor that holds a dynamic variable at a target: a spring and a damper of limited effort.

    f = kp (target - q) + kd (target_rate - v), cut off at ± effort. The force depends on the state inside the
    step: with integrator="midpoint" the loop is stable at any gain and any dt, unlike a controller in `u=`,
    whose force is held for a step.

    Parameters
    ----------
    variable : str
    kp : float
        N m/rad for an angle, N/m for a distance; not negative.
    kd : float
        N m s/rad or N s/m; not negative.
    target : float, str or kinematic variable
        rad or m; a string names an input, `bough.kinematic("name")` a prescribed motion.
    effort : float or None
        The largest force, N m or N, above zero; None: as large as it takes.
    target_rate : float, str or None
        rad/s or m/s; a string names an input. None: the velocity of a kinematic target, else zero.

    gear : float or None
        How much the motor turns when the variable moves by one, other than zero: gains, effort and targets
        are those of the motor, f = gear · (kp (target - gear q) + kd (target_rate - gear v)). None: 1.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("arm")
    >>> hand = system.world.ry("elbow").tz(-1.0, name="hand", mass=1.0)
    >>> motor = system.add(bough.Servo("elbow", kp=1e6, kd=1e4, target="elbow target", effort=50.0))
    >>> run = bough.simulate(system.build(), u={"elbow target": 0.5}, duration=5.0, dt=0.01)
    >>> round(float(run["elbow"][-1]), 4)
    0.5
    """

    variable: str
    kp: float
    kd: float
    target: float | str | Kinematic = field(default=0.0, kw_only=True)
    effort: float | None = field(default=None, kw_only=True)
    target_rate: float | str | None = field(default=None, kw_only=True)
    gear: float | None = field(default=None, kw_only=True)
    dynamic_fields = ("variable",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        where = self._text()
        self._set("kp", validate.not_negative(self.kp, "kp", where, "N m/rad or N/m"))
        self._set("kd", validate.not_negative(self.kd, "kd", where, "N m s/rad or N s/m"))
        if self.kp == 0.0 and self.kd == 0.0:
            raise ModelError(
                asked=where,
                found="kp and kd are both zero, so that it does nothing",
                do="give kp, kd or both above zero",
            )
        if isinstance(self.target, Kinematic):
            pass
        elif not isinstance(self.target, str) and not validate.is_real(self.target):
            raise ModelError(
                asked=f"target={validate.shown(self.target)} in {where}",
                found="neither a number, the name of an input nor a kinematic variable",
                do="give a number (constant), a string (input) or bough.kinematic('name')",
            )
        else:
            self._set("target", validate.number_or_input(self.target, "target", where))
        if self.effort is not None:
            effort = validate.real(self.effort, "effort", where)
            if effort <= 0.0:
                raise ModelError(
                    asked=f"effort={validate.shown(self.effort)} in {where}",
                    found="effort is not above zero",
                    do="give the largest force, in N m or N, or leave effort out for no limit",
                )
            self._set("effort", effort)
        if self.target_rate is not None:
            self._set("target_rate", validate.number_or_input(self.target_rate, "target_rate", where))
        if self.gear is not None:
            self._set("gear", check_gear(self.gear, where))

    def inputs(self) -> tuple[str, ...]:
        """The inputs among target and target rate."""
        return tuple(value for value in (self.target, self.target_rate) if isinstance(value, str))

    def record(self, names: Names) -> Record:
        variables = [names.variables[self.variable]]
        follows = isinstance(self.target, Kinematic) and self.target_rate is None
        gear = 1.0 if self.gear is None else self.gear
        if isinstance(self.target, Kinematic):
            variables.append(names.variables[self.target.name])
            target_input, target = -1, 1.0
        else:
            target_input, target = names.value(self.target)
        rate_input, rate = names.value(0.0 if self.target_rate is None else self.target_rate)
        scales = [
            1.0 if place >= 0 else value for place, value in ((target_input, target), (rate_input, rate))
        ]
        effort = math.inf if self.effort is None else abs(gear) * self.effort
        values = [gear * gear * self.kp, gear * gear * self.kd, effort, *(x / gear for x in scales)]
        values.append(float(follows))
        return "Servo", [], variables, [target_input, rate_input], values
