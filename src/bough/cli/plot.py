"""`bough plot`: a run as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bough.cli._app import app
from bough.cli._files import read_run
from bough.cli._plot import check_plot, save_plot
from bough.view.plots import PANELS

EXAMPLE = "bough plot run.npz --panel energy -o energy.png"


def _panels(typed: str) -> list[str]:
    return [name for name in PANELS if name.startswith(typed)]


@app.command("plot", short_help="Plot a run.", epilog=f"Example: {EXAMPLE}")
def command(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run (.npz).", show_default=False)],
    panel: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Of {', '.join(PANELS)}, or a column such as v.elbow; repeatable.  [default: all]",
            show_default=False,
            autocompletion=_panels,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help=".png, .pdf or .svg.  [default: RUN with .png]", show_default=False
        ),
    ] = None,
) -> None:
    """Plot a run: configuration, velocity, energy, constraints and inputs over time."""
    path = Path(run).with_suffix(".png") if output is None else output
    motion = read_run(run, "plot")
    check_plot(path, "-o")
    typer.echo(str(save_plot(motion, path, panel)))
