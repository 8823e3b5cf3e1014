"""The default start of the runs of a system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bough import validate
from bough.description import formulas
from bough.description.balls import of_ball
from bough.description.expression import plain_formulas
from bough.description.parameter import ball_coordinates
from bough.description.rotation import expanded
from bough.errors import ModelError, unknown_name

if TYPE_CHECKING:
    from bough.arguments import Vector
    from bough.description.system import System
    from bough.model.model import Model


@dataclass(frozen=True, kw_only=True)
class Start:
    """The start of a system: a configuration, velocities, and for how long and in which steps to simulate.

    `simulate`, `assemble`, `equilibrium` and the command line begin there; it is part of the description and
    of model files.

    Parameters
    ----------
    q, v : mapping from names of variables to numbers, of balls to rotations and rates
        Configuration and velocities, kept as numbers; what is left out is zero.
    duration, dt : float or None
        The defaults of `simulate`, in seconds.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> system.start = bough.Start(q={"angle": 0.5}, duration=2.0)
    >>> float(bough.simulate(system.build())["angle"][0])
    0.5
    """

    q: Mapping[str, Any] = field(default_factory=dict)
    v: Mapping[str, Any] = field(default_factory=dict)
    duration: float | None = None
    dt: float | None = None

    _formulas: ClassVar[Mapping[str, Any]] = formulas.NONE

    def __post_init__(self) -> None:
        formulas.split(self)
        for what in ("q", "v"):
            object.__setattr__(self, what, _numbers(getattr(self, what), what))
        for what in ("duration", "dt"):
            value = getattr(self, what)
            object.__setattr__(
                self, what, None if value is None else validate.positive(value, what, "Start", "s")
            )

    def to_dict(self) -> dict[str, Any]:
        """The given entries, in plain values."""
        data = {"q": dict(self.q), "v": dict(self.v), "duration": self.duration, "dt": self.dt}
        given = {name: value for name, value in data.items() if value not in (None, {})}
        return plain_formulas({**given, **self._formulas})  # type: ignore[no-any-return]

    @classmethod
    def from_dict(cls, data: Any) -> Start:
        """The start of a description."""
        if not isinstance(data, Mapping):
            raise ModelError(
                asked="start of a description",
                found=f"{validate.shown(data)} where a dictionary is needed",
                do="give a dictionary with 'q', 'v', 'duration', 'dt', or some of them",
            )
        for name in data:
            if name not in ("q", "v", "duration", "dt"):
                raise unknown_name(
                    "field", str(name), ("q", "v", "duration", "dt"), "the start of a description"
                )
        return cls(**data)

    def check(self, system: System) -> None:
        """Raise if a name is not that of a variable, or if a kinematic variable is given a velocity."""
        where = f"the start of system {system.name!r}"
        for what, values in (("q", self.q), ("v", self.v)):
            for name in values:
                if what == "q" and any(name in ball_coordinates(ball) for ball in system.balls):
                    continue
                if system._kind_of(name) is None or (what == "q" and of_ball(system, name)):
                    raise unknown_name("variable", name, system.variables, f"{what} of {where}")
        for name in self.v:
            if system._kind_of(name) == "kinematic":
                raise ModelError(
                    asked=f"v of {where}",
                    found=f"a velocity for {name!r}, a kinematic variable: its motion is prescribed",
                    do="leave it out; give its motion to simulate(k=...)",
                )


def from_start(
    model: Model, q: Vector | None, v: Vector | None = None
) -> tuple[Vector | None, Vector | None]:
    """q and v as the user gave them, completed from the start of the system.

    Numbers by name change single values of the start; an array as q replaces the start altogether.
    """
    if type(q) is np.ndarray or (q is not None and not isinstance(q, Mapping)):
        return q, v
    start, balls = model.start, model._balls
    where = f"model {model.name!r}"
    given: Mapping[str, Any] = q or {}
    named = {**start.q, **(expanded(given, "q", where, balls) if balls else given)}
    if v is None or isinstance(v, Mapping):
        rates: Mapping[str, Any] = v or {}
        v = {**start.v, **(expanded(rates, "v", where, balls) if balls else rates)} or None
    return named or None, v


def _numbers(value: Any, what: str) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise ModelError(
            asked=f"{what}={validate.shown(value)} in Start",
            found=f"{what} is not a mapping from names to numbers",
            do=f"give the variables by name, such as {what}={{'angle': 0.5}}",
        )
    value = expanded(value, what, "Start")
    return {
        validate.name(name, "variable", f"{what} of Start"): validate.real(
            number, f"{what}[{name!r}]", "Start"
        )
        for name, number in value.items()
    }
