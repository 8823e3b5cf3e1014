"""The errors and warnings of bough. A message has three parts: what was asked, what was found, what to do."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterable
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bough.motion.trajectory import Trajectory


class BoughError(Exception):
    """Base of all errors of bough.

    Parameters
    ----------
    asked, found, do : str
        What the user asked for, what was found instead, and what to do about it.

    Examples
    --------
    >>> import bough
    >>> try:
    ...     bough.System("pendulum").world.tz(-1.0, mass=-2.0)
    ... except bough.BoughError as error:
    ...     print(error.found)
    mass is negative
    """

    def __init__(self, *, asked: str, found: str, do: str) -> None:
        super().__init__(f"{asked}\n  found: {found}\n  do: {do}")
        self.asked = asked
        self.found = found
        self.do = do

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions pickle as cls(*args), which keyword-only arguments do not allow.
        return _unpickle, (type(self), self.args, self.__dict__)


class ModelError(BoughError):
    """The description of a system, or an argument of a model, is not valid.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> model = system.build()
    >>> try:
    ...     model.pose("bop", [0.0])
    ... except bough.ModelError as error:
    ...     print(error.found)
    no frame has this name; the nearest is 'bob'
    """


class BoughWarning(UserWarning):
    """Base of all warnings of bough: something is not as it was given, such as an unused part of a model file.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> model = system.build()
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", bough.BoughWarning)  # here every warning of bough is an error
    ...     run = bough.simulate(model, {"angle": 0.5}, duration=1.0, dt=0.01)
    """


class GimbalLockWarning(BoughWarning):
    """The Euler angles of a free base passed gimbal lock, where energies from their rates are wrong.

    Examples
    --------
    >>> import bough, warnings
    >>> system = bough.System("rod", gravity=None)
    >>> rod = system.world.free("rod", name="rod", mass=1.0, inertia=(0.1, 0.2, 0.3))
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     run = bough.simulate(system.build(), v={"rod_rx": 0.1, "rod_ry": 2.0}, duration=2.0, dt=0.01)
    >>> any(issubclass(warning.category, bough.GimbalLockWarning) for warning in told)
    True
    """


class SlackWarning(BoughWarning):
    """A wire pushes in a simulation: a real one would go slack, and the motion would differ from there on.

    Examples
    --------
    >>> import bough, warnings
    >>> system = bough.System("thrown")
    >>> ball = system.world.tx("x").tz("z", name="ball", mass=1.0)
    >>> wire = system.add(bough.DistanceConstraint("world", ball, 1.0, wire=True, name="wire"))
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     run = bough.simulate(system.build(), {"z": 1.0}, {"x": 1.0}, duration=0.2, dt=0.01)
    >>> [warning.category.__name__ for warning in told]
    ['SlackWarning']
    """


class CoarseStepWarning(BoughWarning):
    """Some steps of a simulation were too long for the motion.

    Examples
    --------
    >>> import bough, warnings
    >>> model = bough.gallery.pendulum(5).build()
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     run = bough.simulate(model, [1.5, -2.0, 1.0, 3.0, -2.0], duration=10.0, dt=0.05)
    >>> [warning.category.__name__ for warning in told]
    ['CoarseStepWarning']
    """


def warn(text: str, kind: type[Warning]) -> None:
    """Warn at the line of the user's code that called bough."""
    frame: FrameType | None = sys._getframe(1)
    level = outside = 2
    while frame is not None:  # to the end: SciPy may call what bough gave it
        if frame.f_globals.get("__name__", "").split(".")[0] == "bough":
            outside = level + 1
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=outside)


class ParseError(BoughError):
    """A file could not be read.

    The message begins with `path:line:column` and shows the line with a caret, as far as these are known.

    Attributes
    ----------
    path : str or None
        The file, as it was given.
    line, column : int or None
        Counted from one.
    source : str or None
        The text of the line.

    Examples
    --------
    >>> import bough
    >>> from pathlib import Path
    >>> _ = Path("broken.sexp").write_text("(system (frame")
    >>> try:
    ...     bough.load("broken.sexp")
    ... except bough.ParseError as error:
    ...     print(error.asked)
    this parenthesis
    """

    def __init__(
        self,
        *,
        asked: str,
        found: str,
        do: str,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
        source: str | None = None,
    ) -> None:
        super().__init__(asked=asked, found=found, do=do)
        self.path = path
        self.line = line
        self.column = column
        self.source = source
        place = ":".join(str(part) for part in (path, line, column) if part is not None)
        lines = [f"{place}: {asked}" if place else asked, f"  found: {found}", f"  do: {do}"]
        if source is not None:
            lines[1:1] = _with_caret(source, column)
        self.args = ("\n".join(lines),)


class ConvergenceError(BoughError):
    """An iterative solution did not converge.

    Attributes
    ----------
    time, step : float, int
        The time at which the failed step starts, and the number of steps before it.
    iterations : int
        The number of iterations; in a simulation, those of the last attempt at the whole step, which are
        zero if the attempt starts at a solution that is rejected.
    residual : float
        The remaining residual, relative to its scale.
    trajectory : Trajectory or None
        The motion up to the failure.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("fall", gravity=None)
    >>> body = system.world.tx("x", name="body", mass=1.0)
    >>> sun = system.add(bough.CentralGravity("world", body, mu=1.0))
    >>> try:
    ...     run = bough.simulate(system.build(), {"x": 1.0}, duration=3.0, dt=0.01, max_halvings=0)
    ... except bough.ConvergenceError as error:
    ...     print(type(error).__name__)
    ConvergenceError
    """

    def __init__(
        self,
        *,
        asked: str,
        found: str,
        do: str,
        time: float = math.nan,
        step: int = 0,
        iterations: int = 0,
        residual: float = math.nan,
        trajectory: Trajectory | None = None,
    ) -> None:
        super().__init__(asked=asked, found=found, do=do)
        self.time = time
        self.step = step
        self.iterations = iterations
        self.residual = residual
        self.trajectory = trajectory


class EventError(BoughError):
    """A function among `events` raised, or returned something that is not a number.

    Attributes
    ----------
    trajectory : Trajectory or None
        The motion so far.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> model = system.build()
    >>> def hasty(t, state):
    ...     return 1.0 / 0.0
    >>> try:
    ...     run = bough.simulate(model, {"angle": 0.5}, duration=0.5, dt=0.01, events=[hasty])
    ... except (bough.EventError, ZeroDivisionError) as error:
    ...     print(type(error).__name__)
    EventError
    """

    trajectory: Trajectory | None = None


def _unpickle(cls: type[BoughError], args: tuple[Any, ...], attributes: dict[str, Any]) -> BoughError:
    error = cls.__new__(cls)
    error.args = args
    error.__dict__.update(attributes)
    return error


WIDTH = 100  # characters shown of a line of a file


def _with_caret(source: str, column: int | None) -> list[str]:
    """The part of the line around the column, and a caret under the column."""
    start = 0 if column is None or column < WIDTH else column - WIDTH // 2
    shown = "".join(
        letter if letter.isprintable() or letter == "\t" else "?" for letter in source[start : start + WIDTH]
    )
    if column is None:
        return [f"    {shown}"]
    before = "".join("\t" if letter == "\t" else " " for letter in shown[: column - 1 - start])
    return [f"    {shown}", f"    {before}^"]


def nearest(name: str, candidates: Iterable[str], count: int = 3) -> list[str]:
    """The candidates closest to `name` in spelling, best first, upper and lower case alike."""
    import difflib

    originals: dict[str, list[str]] = {}
    for candidate in dict.fromkeys(candidates):
        originals.setdefault(candidate.lower(), []).append(candidate)
    close = difflib.get_close_matches(name.lower(), originals, n=count)
    return [original for key in close for original in originals[key]][:count]


def quoted(names: Iterable[str], limit: int = 8) -> str:
    """`'a', 'b', 'c'`; beyond `limit` names only their number, unless that is one."""
    listed = list(names)
    if len(listed) <= limit + 1:
        return ", ".join(map(repr, listed))
    return ", ".join(map(repr, listed[:limit])) + f" and {len(listed) - limit} more"


def unknown_name(what: str, name: str, candidates: Iterable[str], where: str, limit: int = 8) -> ModelError:
    """The error for a name that does not exist, with the nearest names that do.

    Parameters
    ----------
    what : str
        The kind of thing named, in the singular: "frame", "variable".
    where : str
        The place where the name was used, such as "system 'arm'".
    limit : int
        How many names to list if none is near.
    """
    known = list(candidates)
    close = nearest(name, known)
    if close:
        found = f"no {what} has this name; the nearest {'is' if len(close) == 1 else 'are'} {quoted(close)}"
        do = "correct the spelling"
    elif known:
        found = f"no {what} has this name; the names are {quoted(known, limit)}"
        do = "use one of these names"
    else:
        found = f"there is no {what}"
        do = f"add a {what} first"
    return ModelError(asked=f"{what} {name!r} in {where}", found=found, do=do)


class DerivativeWarning(BoughWarning):
    """Derivatives of a user's element are computed from its values.

    Examples
    --------
    >>> import bough, warnings
    >>> class Untold(bough.Potential):
    ...     def energy(self, at):
    ...         return at.q["angle"] ** 2
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> pull = system.add(Untold())
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", bough.DerivativeWarning)  # derivatives may take many calls here
    ...     slope = system.build().L_dq([0.1], [0.0])
    """
