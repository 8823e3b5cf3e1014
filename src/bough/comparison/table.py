"""A comparison as a table, in plain text or live in a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bough.comparison.result import Comparison, Row

if TYPE_CHECKING:
    from rich.console import RenderableType

NOTHING = "-"


def headings(comparison: Comparison) -> tuple[str, ...]:
    """The columns: those that apply to the model."""
    return (
        "integrator",
        "formulation",
        "run time",
        "energy drift",
        "trend",
        *(("momentum",) if _momenta(comparison) else ()),
        *(("joints",) if _joints(comparison) else ()),
        *(("constraints",) if comparison.model.nc else ()),
        "error",
        f"time to {comparison.error:g} m",
        "",
    )


def cells(comparison: Comparison, row: Row) -> tuple[str, ...]:
    """The texts of one row."""
    kinetic = comparison.conserved.kinetic if comparison.conserved else 0.0
    unit = 1.0 / kinetic if kinetic > 0.0 else 1.0
    return (
        row.label,
        row.formulation,
        _seconds(row.run_time),
        _number(row.energy_drift, unit),
        _number(row.energy_trend, unit, "+"),
        *((_number(row.momentum_drift),) if _momenta(comparison) else ()),
        *((_number(row.joint_drift),) if _joints(comparison) else ()),
        *((_number(row.constraint_drift),) if comparison.model.nc else ()),
        _number(row.trajectory_error),
        _seconds(row.time_to_error),
        remark(row),
    )


def remark(row: Row) -> str:
    """The last column: why the run failed, or which step reaches the error."""
    what, parts = "rtol" if row.adaptive else "dt", []
    if row.setting is not None:
        parts.append(f"{what} = {row.setting:.3g}")
    elif row.attempts:
        best = min(row.attempts, key=lambda attempt: attempt.error)
        where = f"with {what} = {best.setting:.3g}"
        if math.isfinite(best.error):
            parts.append(f"not reached: {best.error:.2g} m {where}")
        elif best.failure == row.failure:
            parts.append("not reached")
        else:
            parts.append(f"not reached: {best.failure} ({where})")
    parts += [row.note] if row.note else []
    parts += [f"failed: {row.failure}"] if row.failure is not None else []
    return ", ".join(parts)


def captions(comparison: Comparison) -> list[tuple[str, str]]:
    """What the numbers mean, line by line."""
    reference, kept = comparison.reference, comparison.conserved
    lines = []
    if reference is not None:
        end = comparison.problem.grid.t0 + comparison.problem.grid.duration
        serves = "" if reference.until == end else f"; it serves until t = {reference.until:.4g} s"
        lines.append(
            ("reference", f"{reference.method}, its own error at most {reference.error[-1]:.1g} m{serves}")
        )
        words = "distance from the reference in m, root mean square over all mass, as long as that serves"
        lines.append(("error", words))
    elif comparison.missing is not None:
        lines.append(("reference", f"none: {comparison.missing.found}"))
    if kept is not None:
        lines.append(("energy", _energy_caption(comparison)))
        lines.append(
            ("momentum", f"conserved: {', '.join(kept.momenta)}" if kept.momenta else "none is conserved")
        )
    return lines


def _energy_caption(comparison: Comparison) -> str:
    kept = comparison.conserved
    assert kept is not None
    from_what = (
        "from the start" if kept.energy else "from the reference, since forces or prescribed motions do work"
    )
    return f"drift {from_what}, in parts of the largest kinetic energy, {kept.kinetic:.4g} J"


def title(comparison: Comparison) -> str:
    """The title: what was compared."""
    grid = comparison.problem.grid
    return f"{comparison.model.name}: {grid.duration:g} s with dt = {grid.dt:g} s"


def text(comparison: Comparison) -> str:
    """The table as plain text, for a page or a file."""
    rows = [headings(comparison), *(cells(comparison, row) for row in comparison.rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [title(comparison)]
    for row in rows:
        left = [row[0].ljust(widths[0]), row[1].ljust(widths[1])]
        right = [cell.rjust(width) for cell, width in zip(row[2:-1], widths[2:-1], strict=True)]
        lines.append("  " + "  ".join([*left, *right, row[-1]]).rstrip())
    lines.append("")
    return "\n".join([*lines, *(f"  {name:<10} {words}" for name, words in captions(comparison))])


def live(comparison: Comparison) -> RenderableType:
    """The table for a terminal, while it is filled."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    names = headings(comparison)
    table = Table(title=Text(title(comparison)), title_justify="left", box=None, pad_edge=False)
    for i, name in enumerate(names):
        table.add_column(Text(name), justify="left" if i in (0, 1, len(names) - 1) else "right")
    for row in comparison.rows:
        style = "red" if row.failure is not None else ("dim" if row.run is None else "")
        table.add_row(*(Text(cell) for cell in cells(comparison, row)), style=style)
    return Group(table, Text(f"... {comparison.doing}" if comparison.doing else "", style="dim"))


def _momenta(comparison: Comparison) -> bool:
    return comparison.conserved is not None and bool(comparison.conserved.momenta)


def _joints(comparison: Comparison) -> bool:
    return any(row.joint_drift for row in comparison.rows)


def _number(value: float | None, unit: float = 1.0, sign: str = "") -> str:
    return NOTHING if value is None else f"{value * unit:{sign}.2g}"


def _seconds(value: float | None) -> str:
    if value is None:
        return NOTHING
    for factor, unit in ((1.0, "s"), (1e3, "ms")):
        if value * factor >= 0.9995:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e6:.3g} us"
