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
    given = (_files.numbers(words, option, built.balls) for words, option in ((q, "--q"), (v, "--v")))
    state = built.assemble(*given, hold=hold or ())
    error = np.abs(built.constraint(state.q))
    worst = float(error.max(initial=0.0))
    if as_json:
        named = {"q": (built.coordinates, state.q), "v": (built.variables, state.v)}
        values = {k: dict(zip(names, x.tolist(), strict=True)) for k, (names, x) in named.items()}
        show_json({"model": built.name, "file": model, **values, "constraint_error": worst})
        return
    head = ("variable", "guess", "q", "v")
    rates = dict(zip(built.variables, state.v, strict=True))
    rows = [
        (name, f"{a:.6g}", f"{b:.9g}", f"{rates.pop(name):.6g}" if name in rates else "")
        for name, a, b in zip(built.coordinates, guess, state.q, strict=True)
    ]
    rows += [(name, "", "", f"{rate:.6g}") for name, rate in rates.items()]  # of balls
    found = f"the constraints hold to {worst:.2g}" if built.nc else "no constraints, nothing to assemble"
    typer.echo("\n".join([f"{built.name}: {found}", *table([head, *rows])]))
