"""A comparison as one HTML file: table, plots, and all motions side by side. It needs no network."""

from __future__ import annotations

import base64
import html
import io
import os
from pathlib import Path
from typing import Any

from bough.comparison.plots import look
from bough.comparison.result import Comparison
from bough.comparison.table import captions, cells, headings, title
from bough.view.player import Motion, animation, fill, fragment, pictured
from bough.view.scene import Scene
from bough.write import write_text

HERE = Path(__file__).parent


def save_html(comparison: Comparison, path: str | os.PathLike[str]) -> Path:
    """Write the report."""
    parts = {
        "title": html.escape(title(comparison)),
        "table": _table(comparison),
        "captions": "".join(
            f"<dt>{html.escape(name)}</dt><dd>{html.escape(words)}</dd>"
            for name, words in captions(comparison)
        ),
        "figure": _figure(comparison),
        "player": fragment(animated(comparison)),
    }
    text = (HERE / "report.html").read_text(encoding="utf-8")
    page = fill(text, parts)
    target = Path(path)
    write_text(target, page)
    return target


def inline(comparison: Comparison) -> str:
    """The table and what its numbers mean, for a notebook."""
    lines = "".join(
        f"<div><b>{html.escape(name)}</b>: {html.escape(words)}</div>" for name, words in captions(comparison)
    )
    return f"<div><b>{html.escape(title(comparison))}</b></div>{_table(comparison)}{lines}"


def _table(comparison: Comparison) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in headings(comparison))
    lines = []
    for place, row in enumerate(comparison.rows):
        first, *others = (html.escape(text) for text in cells(comparison, row))
        color, style = look(place)
        dot = f'<span class="dot{"" if style == "-" else " ring"}" style="color:{color}"></span>'
        rest = "".join(f"<td>{text}</td>" for text in others)
        failed = ' class="failed"' if row.failure is not None else ""
        lines.append(f"<tr{failed}><td>{dot}{first}</td>{rest}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _figure(comparison: Comparison) -> str:
    """The plots as a PNG in base64."""
    import matplotlib.pyplot as plt

    figure, picture = comparison.plot(), io.BytesIO()
    figure.savefig(picture, format="png", dpi=110)
    plt.close(figure)
    return base64.b64encode(picture.getvalue()).decode()


def animated(comparison: Comparison) -> dict[str, Any]:
    """All motions for the player, framed on the reference or on a run that succeeded."""
    runs = [(place, row) for place, row in enumerate(comparison.rows) if row.run is not None]
    reference = comparison.reference
    typical = (
        reference.run
        if reference is not None
        else next((row.run for _, row in runs if not row.failure), None)
    )
    q = comparison.problem.q[None] if typical is None else typical.q
    scene = Scene(comparison.model, q=q)
    each = 12 * len(scene.frames) * (len(runs) + (reference is not None))
    grid = comparison.problem.grid
    times = pictured(grid.t0, grid.t0 + grid.duration, grid.rows, each)
    motions = [
        Motion(row.run, row.label, look(place)[0], look(place)[1] == "-")
        for place, row in runs
        if row.run is not None
    ]
    return animation(scene, q, times, motions, None if reference is None else reference.run)
