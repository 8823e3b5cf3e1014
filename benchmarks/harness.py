"""Timing of several contenders in turn, in many short rounds.

The machine may be shared and its clock may move, so no contender is timed alone: every round times each of
them once (A B C A B C ...), the time of a contender is its median over the rounds, and a ratio of two
contenders is the ratio of these medians with the quartiles of the ratios of the single rounds as its spread.
No contender uses more than one thread, and what is measured is the processor time of the process: on an idle
machine that is the time on the clock, on a shared one it leaves out the time given to others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.systems import Array


@dataclass(frozen=True)
class Contender:
    """Something to be timed: ``run()`` does ``items`` units of work.

    If ``empty`` is given it is timed beside ``run`` in every round and taken off: it is the same call with
    ``empty_items`` units of work, so that what remains is the work of ``items - empty_items`` units without
    the call.
    """

    name: str
    run: Callable[[], object]
    items: int
    empty: Callable[[], object] | None = None
    empty_items: int = 0

    def nanoseconds(self) -> float:
        """The time of one unit of work, from one run."""
        spent = _elapsed(self.run)
        if self.empty is None:
            return spent / self.items
        return (spent - _elapsed(self.empty)) / (self.items - self.empty_items)


@dataclass(frozen=True)
class Timing:
    """Times of one unit of work in nanoseconds, one for each round."""

    rounds: Array

    @property
    def median(self) -> float:
        return float(np.median(self.rounds))

    @property
    def quartiles(self) -> tuple[float, float]:
        low, high = np.quantile(self.rounds, (0.25, 0.75))
        return float(low), float(high)

    def ratio(self, other: Timing) -> float:
        """Ratio of the medians."""
        return self.median / other.median

    def ratio_quartiles(self, other: Timing) -> tuple[float, float]:
        """Quartiles of the ratios of the single rounds."""
        low, high = np.quantile(self.rounds / other.rounds, (0.25, 0.75))
        return float(low), float(high)


@dataclass(frozen=True)
class Row:
    """One line of the table: a system and the times of all contenders on it."""

    benchmark: str
    system: str
    unit: str
    timings: Mapping[str, Timing]
    ours: str | None = None
    peer: str | None = None
    target: float | None = None
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """Our time over the peer's, or None when one of the two is missing."""
        if self.ours not in self.timings or self.peer not in self.timings:
            return None
        return self.timings[self.ours].ratio(self.timings[self.peer])

    def as_json(self) -> dict[str, Any]:
        timings = {
            name: {
                "median_ns": timing.median,
                "quartiles_ns": timing.quartiles,
                "rounds": len(timing.rounds),
                "note": self.notes.get(name),
            }
            for name, timing in self.timings.items()
        }
        result: dict[str, Any] = {
            "benchmark": self.benchmark,
            "system": self.system,
            "unit": self.unit,
            "timings": timings,
            "missing": {name: note for name, note in self.notes.items() if name not in self.timings},
        }
        if self.ratio is not None and self.ours and self.peer:
            result |= {
                "ours": self.ours,
                "peer": self.peer,
                "ratio": self.ratio,
                "ratio_quartiles": self.timings[self.ours].ratio_quartiles(self.timings[self.peer]),
                "target": self.target,
            }
        return result


def interleave(
    contenders: Sequence[Contender], seconds: float = 2.0, rounds: tuple[int, int] = (5, 3000)
) -> dict[str, Timing]:
    """Time all contenders in turn for about ``seconds``, at least and at most so many ``rounds``."""
    for contender in contenders:
        contender.nanoseconds()
    measured: list[list[float]] = []
    end = time.perf_counter() + seconds
    while len(measured) < rounds[0] or (time.perf_counter() < end and len(measured) < rounds[1]):
        measured.append([contender.nanoseconds() for contender in contenders])
    columns = np.array(measured).T
    return {contender.name: Timing(column) for contender, column in zip(contenders, columns, strict=True)}


def fastest(timings: Mapping[str, Timing], names: Sequence[str]) -> str | None:
    """The name of the fastest of those that were timed."""
    timed = [name for name in names if name in timings]
    return min(timed, key=lambda name: timings[name].median, default=None)


def require_equal(what: str, ours: Array, theirs: Array, tolerance: float = 1e-9) -> None:
    """Stop the benchmark unless two engines computed the same numbers, relative to the largest of them."""
    error = float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))
    if not error <= tolerance:
        raise ArithmeticError(f"{what}: the engines differ by {error:.1e} relative (allowed {tolerance:.0e})")


def _elapsed(run: Callable[[], object]) -> int:
    start = time.process_time_ns()
    run()
    return time.process_time_ns() - start
