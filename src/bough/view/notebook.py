"""How models and trajectories show themselves in Jupyter."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from bough._units import variable_units
from bough.model import Model
from bough.view.draw import draw, strobe

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bough.trajectory import Trajectory

ROWS = 30  # of a table that are shown


def model_png(model: Model) -> bytes:
    """The picture of a model."""
    return _png(lambda figure: draw(model, figure=figure))


def model_html(model: Model) -> str:
    """The picture of a model beside the table of its variables."""
    kinds = ["dynamic"] * model.nd + ["kinematic"] * model.nk
    rows = zip(model.variables, kinds, variable_units(model), strict=True)
    counts = f"{model.nd} dynamic and {model.nk} kinematic variables, mass {model.total_mass:g} kg"
    if model.nc:
        counts += f", {model.nc} rows of constraints"
    if model.nu:
        counts += f", inputs {', '.join(model.inputs)}"
    return _beside(model.name, counts, model_png(model), _table(("variable", "kind", "unit"), rows))


def trajectory_png(run: Trajectory) -> bytes:
    """Several instants of a motion in one picture."""
    return _png(lambda figure: strobe(run, figure=figure))


def trajectory_html(run: Trajectory) -> str:
    """Several instants of a motion beside the ranges of its variables."""
    ranges = zip(run.q.min(axis=0), run.q.max(axis=0), strict=True)
    rows = (
        (name, f"{low:.4g}", f"{high:.4g}", unit)
        for name, (low, high), unit in zip(
            run.model.variables, ranges, variable_units(run.model), strict=True
        )
    )
    summary = f"{len(run)} instants, t = {run.t[0]:g} to {run.t[-1]:g} s, {run.status}"
    energy = run.energy()
    summary += f"; energy {energy[0]:.6g} J at the start, changes by {energy.min() - energy[0]:.3g}"
    summary += f" to {energy.max() - energy[0]:.3g} J"
    if run.model.nc:
        summary += f"; largest error of a constraint {abs(run.constraint_error()).max():.2g}"
    table = _table(("variable", "least", "greatest", "unit"), rows)
    return _beside(run.model.name, summary, trajectory_png(run), table)


def _png(paint: Callable[[Figure], object]) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 4.2))
    FigureCanvasAgg(figure)
    paint(figure)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=90)
    return stream.getvalue()


def _beside(title: str, summary: str, png: bytes, table: str) -> str:
    image = base64.b64encode(png).decode()
    return (
        f"<div><b>{html.escape(title)}</b>: {html.escape(summary)}</div>"
        '<div style="display:flex;gap:1.5em;align-items:flex-start">'
        f'<img alt="{html.escape(title)}" src="data:image/png;base64,{image}">{table}</div>'
    )


def _table(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    listed = list(rows)
    lines = ["<tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>"]
    for row in listed[:ROWS]:
        lines.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>")
    if len(listed) > ROWS:
        lines.append(f"<tr><td>... and {len(listed) - ROWS} more</td></tr>")
    return f"<table>{''.join(lines)}</table>"
