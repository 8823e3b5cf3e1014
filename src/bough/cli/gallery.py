"""`bough gallery`: the systems that come with bough."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bough.cli._app import AsJson, app, show_json

EXAMPLE = "bough gallery --json"


def _names(typed: str) -> list[str]:
    from bough import gallery  # slow to import

    return [name for name in gallery.names() if name.startswith(typed)]


@app.command("gallery", short_help="List the systems that come with bough.", epilog=f"Example: {EXAMPLE}")
def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Systems to list, with their parameters.  [default: all]",
            show_default=False,
            autocompletion=_names,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the systems of the gallery. Every command takes gallery:NAME in place of a file.

    Their parameters are given with --param, such as bough simulate gallery:pendulum --param n=3.
    """
    rows = _rows(names)
    if as_json:
        show_json(rows)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name", style="cyan", no_wrap=True)
    table.add_column("what")
    table.add_column("variables", justify="right")
    table.add_column("paper")
    if names:
        table.add_column("parameters")
    for row in rows:
        parameters = [", ".join(row["parameters"])] if names else []
        table.add_row(row["name"], row["what"], str(len(row["variables"])), row["paper"], *parameters)
    Console(highlight=False).print(table, markup=False)


def _rows(names: list[str] | None) -> list[dict[str, Any]]:
    from bough import gallery

    known = {entry.name: entry for entry in gallery.entries()}
    systems = {name: gallery.system(name) for name in names or known}  # raises if a name is unknown
    return [
        {
            "name": name,
            "what": known[name].what,
            "variables": list(system.variables),
            "parameters": list(known[name].parameters),
            "paper": known[name].paper,
        }
        for name, system in systems.items()
    ]
