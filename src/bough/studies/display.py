"""The display of an ensemble in Jupyter."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bough.validate import counted

if TYPE_CHECKING:
    from bough.studies.result import Ensemble

SHOWN = 5  # largest number of failures that are listed
ROWS = 20  # largest number of kept numbers in the table


def ensemble_html(study: Ensemble) -> str:
    """How many runs finished, the axes, what the kept numbers come to, and why runs failed."""
    failed = study.failed
    name = html.escape(study.problem.model.name)
    counts = f"{counted(len(study), 'run')}, {len(study) - len(failed)} finished" + (
        f", {len(failed)} failed" if failed else ""
    )
    axes = _table(
        ("axis", "values", "from", "to"), (_axis(key, values) for key, values in study.axes.items())
    )
    parts = [f"<div><b>{name}</b>: {counts}</div>", axes]
    kept = [key for key in study.names if study[key].ndim == len(study.shape)]
    if kept and len(failed) < len(study):
        heads = ("number", "mean", "std", "min", "max")
        rows = (_summary(study, key) for key in kept[:ROWS])
        parts.append(_table(heads, rows))
    if failed:
        reasons = list(study.messages.items())
        lines = [f"<li>{html.escape(f'{index}: {reason}')}</li>" for index, reason in reasons[:SHOWN]]
        more = f"<li>and {len(reasons) - SHOWN} more</li>" if len(reasons) > SHOWN else ""
        parts.append(f"<details><summary>why runs failed</summary><ul>{''.join(lines)}{more}</ul></details>")
    return f'<div style="overflow-x:auto">{"".join(parts)}</div>'


def _axis(name: str, values: Sequence[object]) -> tuple[str, ...]:
    if not isinstance(values, np.ndarray):
        return name, str(len(values)), "", ""
    given = np.asarray(values)
    if given.ndim == 1 and np.issubdtype(given.dtype, np.number) and len(given):
        return name, str(len(given)), f"{given.min():.4g}", f"{given.max():.4g}"
    return name, str(len(given)), "", ""


def _summary(study: Ensemble, name: str) -> tuple[str, ...]:
    found = study.summary(name)
    return name, *(f"{float(found[key]):.4g}" for key in ("mean", "std", "min", "max"))


def _table(heads: Sequence[str], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [_row("th", heads)]
    lines += [_row("td", [html.escape(cell) for cell in row]) for row in rows]
    return f'<table style="margin:0.4em 0;border-collapse:collapse">{"".join(lines)}</table>'


def _row(tag: str, cells: Sequence[str]) -> str:
    """A name to the left, and numbers to the right, in any style of the page around it."""
    aligned = ("left", *("right" for _ in cells[1:]))
    made = (
        f'<{tag} style="text-align:{side};padding:0.1em 0.8em 0.1em 0">{cell}</{tag}>'
        for side, cell in zip(aligned, cells, strict=True)
    )
    return f"<tr>{''.join(made)}</tr>"
