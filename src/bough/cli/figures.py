"""`bough figures`: the figures of the papers, made anew."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from bough.cli._app import app, table
from bough.figures import FIGURES, figure, make

EXAMPLE = "bough figures elastic_cable --short --out figures"


def _names(typed: str) -> list[str]:
    return [name for name in FIGURES if name.startswith(typed)]


@app.command("figures", short_help="Make the figures of the papers.", epilog=f"Example: {EXAMPLE}")
def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Of those that --list shows.  [default: all]",
            show_default=False,
            autocompletion=_names,
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The directory for pictures and data.")] = Path("figures"),
    short: Annotated[bool, typer.Option("--short", help="Shortened runs, a few seconds each.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="List the figures and stop.")] = False,
) -> None:
    """Make figures of the papers and of this project beside Open Dynamics Engine, MuJoCo and Pinocchio.

    For each figure NAME.png and its data NAME.npz. Where an engine is not installed the figure says so.
    """
    modules = {name: figure(name) for name in names or FIGURES}
    if show_list:
        rows = [(name, module.SOURCE, module.TITLE) for name, module in modules.items()]
        typer.echo("\n".join(table(rows)))
        return
    for name in modules:
        begin = time.perf_counter()
        path = make(name, out, short)
        typer.echo(f"{path}  {time.perf_counter() - begin:.1f} s")
