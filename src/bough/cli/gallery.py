"""`bough gallery`: the systems that come with bough."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from bough.cli._app import AsJson, app, show_json

EXAMPLE = "bough gallery --json"


@app.command("gallery", short_help="List the systems that come with bough.", epilog=f"Example: {EXAMPLE}")
def command(as_json: AsJson = False) -> None:
    """List the systems of the gallery. Every command takes gallery:NAME in place of a file.

    Their parameters are given with --param, such as bough simulate gallery:pendulum --param n=3.
    """
    rows = _rows()
    if as_json:
        show_json(rows)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name", style="cyan", no_wrap=True)
    table.add_column("what")
    table.add_column("variables", justify="right")
    table.add_column("paper")
    for row in rows:
        table.add_row(row["name"], row["what"], str(len(row["variables"])), row["paper"])
    Console(highlight=False).print(table, markup=False)


def _rows() -> list[dict[str, Any]]:
    from bough import gallery  # which takes a moment

    rows = []
    for entry in gallery.entries():
        system = entry.function()
        rows.append(
            {
                "name": entry.name,
                "what": entry.what,
                "variables": list(system.variables),
                "parameters": list(entry.parameters),
                "paper": entry.paper,
            }
        )
    return rows
