"""`bough assemble`: the nearest configuration that meets the constraints."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from bough.cli import _files
from bough.cli._app import AsJson, ModelFile, Parameters, Q, V, app, show_json, table
from bough.cli._complete import variables

EXAMPLE = "bough assemble closed_chain.sexp --q J=0.3 --hold J"


@app.command("assemble", short_help="Find a state that meets the constraints.", epilog=f"Example: {EXAMPLE}")
def command(
    model: ModelFile,
    q: Q = None,
    v: V = None,
    hold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Variable that keeps its value. Repeatable.", autocompletion=variables
        ),
    ] = None,
    param: Parameters = None,
    as_json: AsJson = False,
) -> None:
    """Find the state nearest to --q and --v that meets the constraints."""
    built = _files.read_system(model, param).build()
    guess = _files.configuration(built, q)
    state = built.assemble(q=_files.numbers(q, "--q"), v=_files.numbers(v, "--v"), hold=hold or ())
    error = np.abs(built.constraint(state.q))
    worst = float(error.max(initial=0.0))
    if as_json:
        named = {"q": state.q, "v": state.v}
        values = {k: dict(zip(built.variables, x.tolist(), strict=True)) for k, x in named.items()}
        show_json({"model": built.name, "file": model, **values, "constraint_error": worst})
        return
    head = ("variable", "guess", "q", "v")
    rows = [
        (name, f"{a:.6g}", f"{b:.9g}", f"{c:.6g}")
        for name, a, b, c in zip(built.variables, guess, state.q, state.v, strict=True)
    ]
    found = f"the constraints hold to {worst:.2g}" if built.nc else "no constraints, nothing to assemble"
    typer.echo("\n".join([f"{built.name}: {found}", *table([head, *rows])]))
