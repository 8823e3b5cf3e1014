"""The display of systems, models and trajectories in Jupyter."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from bough.description.system import System
from bough.description.tree_text import tree_text
from bough.errors import ModelError
from bough.model.model import Model
from bough.model.units import variable_units
from bough.validate import counted
from bough.view.draw import draw, strobe
from bough.view.player import inline

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bough.motion.trajectory import Trajectory

ROWS, LINES = 30, 200  # largest numbers of table rows and tree lines that are shown


def model_png(model: Model) -> bytes:
    """The picture of a model."""
    return _png(lambda figure: draw(model, figure=figure))


def model_html(model: Model) -> str:
    """The picture of a model beside the table of its variables."""
    kinds = ["dynamic"] * model.nd + ["kinematic"] * model.nk
    rows = zip(model.variables, kinds, variable_units(model), strict=True)
    counts = f"{model.nd} dynamic and {model.nk} kinematic variables, mass {model.total_mass:g} kg"
    if model.nc:
        counts += f", {counted(model.nc, 'row')} of constraints"
    if model.nu:
        counts += f", inputs {', '.join(model.inputs)}"
    return _beside(model.name, counts, model_png(model), _table(("variable", "kind", "unit"), rows))


def system_html(system: System) -> str:
    """The tree of a system, beside its picture if it is complete enough to be built."""
    headline, *lines = tree_text(system).split("\n")
    if len(lines) > LINES:
        lines = [*lines[:LINES], f"... and {len(lines) - LINES} more lines"]
    tree = f'<pre style="font-family:monospace;line-height:1.25">{html.escape(chr(10).join(lines))}</pre>'
    counts = headline[len(system.name) + 2 :]
    try:
        picture = model_png(system.build())
    except ModelError as error:
        return f"{_headline(system.name, counts)}{tree}<div>cannot be built: {html.escape(error.found)}</div>"
    return _beside(system.name, counts, picture, tree)


def trajectory_png(run: Trajectory) -> bytes:
    """Several instants of a motion in one picture."""
    return _png(lambda figure: strobe(run, figure=figure))


def trajectory_html(run: Trajectory) -> str:
    """A player of a motion above the ranges of its variables; it also works in a page of nbconvert."""
    ranges = zip(run.q.min(axis=0), run.q.max(axis=0), strict=True)
    rows = (
        (name, f"{low:.4g}", f"{high:.4g}", unit)
        for name, (low, high), unit in zip(
            run.model.variables, ranges, variable_units(run.model), strict=True
        )
    )
    summary = f"{counted(len(run), 'instant')}, t = {run.t[0]:g} to {run.t[-1]:g} s, {run.status}"
    energy = run.energy()
    summary += f"; energy {energy[0]:.6g} J at the start, changes by {energy.min() - energy[0]:.3g}"
    summary += f" to {energy.max() - energy[0]:.3g} J"
    if run.model.nc:
        summary += f"; largest error of a constraint {abs(run.constraint_error()).max():.2g}"
    table = _table(("variable", "least", "greatest", "unit"), rows)
    ranges_table = f"<details><summary>ranges</summary>{table}</details>"
    return f"{_headline(run.model.name, summary)}{inline(run)}{ranges_table}"


def _png(paint: Callable[[Figure], object]) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 4.2))
    FigureCanvasAgg(figure)
    paint(figure)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=90)
    return stream.getvalue()


def _headline(title: str, summary: str) -> str:
    return f"<div><b>{html.escape(title)}</b>: {html.escape(summary)}</div>"


def _beside(title: str, summary: str, png: bytes, table: str) -> str:
    image = base64.b64encode(png).decode()
    return (
        f"{_headline(title, summary)}"
        '<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start">'
        f'<img style="max-width:100%" alt="{html.escape(title)}" src="data:image/png;base64,{image}">'
        f'<div style="max-width:100%;overflow-x:auto">{table}</div></div>'
    )


def _table(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    listed = list(rows)
    lines = ["<tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>"]
    for row in listed[:ROWS]:
        lines.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>")
    if len(listed) > ROWS:
        lines.append(f"<tr><td>... and {len(listed) - ROWS} more</td></tr>")
    return f"<table>{''.join(lines)}</table>"
