"""`bough convert`: a model or a run in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bough.cli import _files
from bough.cli._app import Parameters, app
from bough.errors import BoughError, quoted
from bough.io.trajectory_file import SUFFIXES as RUN_SUFFIXES
from bough.io.trajectory_file import load_trajectory

EXAMPLE = "bough convert run.npz run.csv"
MODEL_SUFFIXES = (".sexp", _files.DESCRIPTION)


@app.command("convert", short_help="Write a model or a run in another format.", epilog=f"Example: {EXAMPLE}")
def command(
    source: Annotated[str, typer.Argument(metavar="A", help="A model or a run (.npz).", show_default=False)],
    target: Annotated[
        str,
        typer.Argument(
            metavar="B", help="A model (.sexp, .json), or for a run .csv, .nc or .npz.", show_default=False
        ),
    ],
    param: Parameters = None,
) -> None:
    """Write a model or a run in another format, chosen by the suffix of B."""
    suffix = Path(target).suffix.lower()
    possible = (*RUN_SUFFIXES, *MODEL_SUFFIXES) if _files.is_run(source) else MODEL_SUFFIXES
    if suffix not in possible:
        raise BoughError(
            asked=f"convert {source!r} to {target!r}",
            found=f"the suffix {suffix!r}" if suffix else "a path without suffix",
            do=f"use one of {quoted(possible)}",
        )
    _files.check_writable(Path(target), "B")
    if suffix in RUN_SUFFIXES:
        load_trajectory(source).save(target)
    else:
        _files.write_system(_files.read_system(source, param), target)
    typer.echo(target)
