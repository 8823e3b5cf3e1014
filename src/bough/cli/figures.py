"""`bough figures`: the figures of the papers, reproduced."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from bough.cli._app import app, table
from bough.figures import FIGURES, figure, make

EXAMPLE = "bough figures elastic_cable --short --out figures"
ALL = "all"


def _names(typed: str) -> list[str]:
    return [name for name in (*FIGURES, ALL) if name.startswith(typed)]


@app.command("figures", short_help="Make the figures of the papers.", epilog=f"Example: {EXAMPLE}")
def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Figures to make, or all of them: all.  [default: list them]",
            show_default=False,
            autocompletion=_names,
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The directory for pictures and data.")] = Path("figures"),
    short: Annotated[bool, typer.Option("--short", help="Shortened runs, a few seconds each.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="List the figures and stop.")] = False,
) -> None:
    """Make figures of the papers and of this project beside Open Dynamics Engine, MuJoCo and Pinocchio.

    For each figure NAME.png and its data NAME.npz. An engine that is not installed, or cannot be built, is
    left out, and the figure says why. Without a NAME the figures are listed.
    """
    chosen = FIGURES if not names or ALL in names else tuple(dict.fromkeys(names))
    modules = {name: figure(name) for name in chosen}  # raises before any work if a name is unknown
    if show_list or not names:
        typer.echo("\n".join(table([(name, m.SOURCE, m.TITLE) for name, m in modules.items()])))
        if not show_list:
            typer.echo("bough figures NAME makes one of them, bough figures all makes all, in some minutes")
        return
    for name in modules:
        begin = time.perf_counter()
        path = make(name, out, short)
        typer.echo(f"{path}  {time.perf_counter() - begin:.1f} s")
