"""A force given by a Python function: time-dependent, or feedback."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bough import validate
from bough.description.element import Force
from bough.errors import ModelError


@dataclass(frozen=True, eq=False, repr=False)
class FunctionForce(Force):
    """A generalised force f(t, q, v) on chosen dynamic variables.

    Parameters
    ----------
    variables : name of a dynamic variable, or several
    function : function of (t, q, v)
        Returns the force on the variable, in N or N m; for several variables, as many numbers in their order.
        q and v are arrays of all variables, also by name: q["elbow"].

    Its derivatives, which only Newton's method uses, are computed from its values.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> push = system.add(bough.FunctionForce("angle", lambda t, q, v: -3.0 * q["angle"] - v["angle"]))
    >>> system.build().generalized_force({"angle": 0.5}, {"angle": 0.1}).round(9)
    array([-1.6])
    """

    variables: str | tuple[str, ...]
    function: Callable[[float, Any, Any], Any]
    dynamic_fields = ("variables",)
    _quiet: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.variables, list):
            self._set("variables", tuple(self.variables))
        if not callable(self.function):
            raise ModelError(
                asked=f"function={validate.shown(self.function)} in {self._text()}",
                found="not a function",
                do="give a function of (t, q, v)",
            )

    def force(self, at: Any) -> Mapping[str, Any]:
        """The forces by name."""
        result = self.function(at.t, at.q, at.v)
        if isinstance(self.variables, str):
            return {self.variables: result}
        try:
            count = len(result)
        except TypeError:
            count = 1
            result = [result]
        if count != len(self.variables):
            raise ModelError(
                asked=f"function of {self._text()}",
                found=f"{validate.counted(count, 'number')} for {len(self.variables)} variables",
                do="return one number for each variable, in their order",
            )
        return {name: result[i] for i, name in enumerate(self.variables)}
