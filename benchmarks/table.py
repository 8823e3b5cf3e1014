"""The results as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.harness import Row

COLUMNS = (
    "benchmark",
    "system",
    "engine",
    "time",
    "quartiles",
    "energy error",
    "ratio",
    "quartiles",
    "target",
)


def show(rows: Sequence[Row], machine: Mapping[str, object]) -> None:
    """Print one line for every engine of every row; the ratio stands beside the peer that counts."""
    console = Console(width=None if Console().is_terminal else 150)
    table = Table(
        title="ours over theirs: ratio of medians", caption=_caption(machine), caption_justify="left"
    )
    for column in COLUMNS:
        table.add_column(column, justify="left" if column in COLUMNS[:3] else "right", no_wrap=True)
    for row in rows:
        for k, line in enumerate(_lines(row)):
            table.add_row(row.benchmark if k == 0 else "", row.system if k == 0 else "", *line)
        table.add_section()
    console.print(table)


def _lines(row: Row) -> list[tuple[str, ...]]:
    lines = []
    for name, timing in row.timings.items():
        low, high = timing.quartiles
        ratio = spread = target = ""
        if name == row.peer and row.ratio is not None and row.ours is not None:
            ratio = f"{row.ratio:.2f}"
            low_ratio, high_ratio = row.timings[row.ours].ratio_quartiles(timing)
            spread = f"{low_ratio:.2f}-{high_ratio:.2f}"
            if row.target is not None:
                target = f"{row.target:.2f} {'met' if row.ratio <= row.target else 'missed'}"
        quartiles = f"{_microseconds(low)}-{_microseconds(high)}"
        time = f"{_microseconds(timing.median)} µs/{row.unit}"
        lines.append((name, time, quartiles, row.notes.get(name, ""), ratio, spread, target))
    lines += [(name, note, "", "", "", "", "") for name, note in row.notes.items() if name not in row.timings]
    return lines


def _microseconds(nanoseconds: float) -> str:
    value = nanoseconds / 1000
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _caption(machine: Mapping[str, object]) -> str:
    return " · ".join(f"{key} {value}" for key, value in machine.items())
