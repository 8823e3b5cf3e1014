"""What Newton's method needs of a problem of optimal control."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from bough.arguments import Array
from bough.control._bounds import Bounds
from bough.control._costs import Bound, Motion
from bough.control._stages import Stages

if TYPE_CHECKING:
    from bough.control._newton import Newton, Point


class EndRows(Protocol):
    """Rows e(x) of the last state: conditions if they are `hard`, else squares with weights."""

    @property
    def hard(self) -> bool: ...

    weight: Array | None

    def __len__(self) -> int: ...

    def values(self, x: Array) -> Array: ...

    def jacobian(self, x: Array) -> Array: ...

    def second(self, x: Array, nu: Array, directions: Array | None = None) -> Array:
        """Second derivatives of nu . e, over `directions` if these are given."""


class Problem(Protocol):
    """Steps x1 = f(x, c) from a start, what they cost, what they end with, and their limits.

    Attributes
    ----------
    size : how many moves a state has
    free : variables whose start is found too
    noise, least_noise : round-off of the merit, relative, and absolute
    least_barrier : the last barrier, of the cost
    round_off : of limits, which does not count
    small_steps : whether shifts stay until they are not needed, for many minima; else they grow until steps are long
    """

    @property
    def dt(self) -> float: ...

    @property
    def duration(self) -> float: ...

    @property
    def where(self) -> str: ...

    @property
    def size(self) -> int: ...

    @property
    def noise(self) -> float: ...

    @property
    def least_noise(self) -> float: ...

    @property
    def least_barrier(self) -> float: ...

    @property
    def round_off(self) -> float: ...

    @property
    def small_steps(self) -> bool: ...

    def pressure(self, cost: float) -> float:
        """What the barrier is measured in."""

    @property
    def method(self) -> str: ...

    @property
    def costs(self) -> Sequence[Bound]: ...

    @property
    def ends(self) -> EndRows: ...

    @property
    def bounds(self) -> Bounds: ...

    @property
    def free(self) -> tuple[int, ...]: ...

    def first(self) -> Array:
        """States, (steps + 1, …), whose first is the start."""

    def roll(
        self, x: Array, c: Array, d: Array | None, G: Array | None, length: float, start: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """States, controls and forces of a motion about another one  (OR1); raises `Failed`."""

    def motion(self, x: Array, c: Array, lam: Array) -> Motion:
        """What costs and limits are of."""

    def stages(self, newton: Newton, now: Point) -> Stages:
        """The stages of the quadratic problem at a point."""

    def start_moves(self, x: Array) -> Array:
        """The moves (nx, free) of a state by the variables whose start is found."""

    def moved_start(self, x: Array, ds: Array) -> Array:
        """The state after a change of these."""
