"""`bough lab`: lessons in the browser."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bough.cli._app import app

EXAMPLE = "bough lab catenary --no-browser"
PORT = 8090


def _names(typed: str) -> list[str]:
    from bough.lab import LESSONS  # slow to import

    return [name for name in LESSONS if name.startswith(typed)]


@app.command("lab", short_help="Open lessons with sliders in the browser.", epilog=f"Example: {EXAMPLE}")
def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="LESSON",
            help="energy, lift, cat, catenary, strings or loop.",
            show_default=False,
            autocompletion=_names,
        ),
    ] = "energy",
    port: Annotated[
        int | None,
        typer.Option(help=f"Port; if in use, the next free one.  [default: {PORT}]", show_default=False),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
) -> None:
    """Open six lessons: sliders, a moving picture and plots, until Ctrl-C.

    The energy of integrators, the scissor lift, the falling cat, the catenary, strings, closing a loop.
    """
    from bough.lab import open_lab

    options: dict[str, Any] = {} if port is None else {"port": port}
    open_lab(name, block=True, browser=False if no_browser else None, **options)
