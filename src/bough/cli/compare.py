"""`bough compare`: one model by several integrators."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from bough.cli import _files
from bough.cli._analysis import assembled, meets_constraints
from bough.cli._app import FAILED, AsJson, ModelFile, Parameters, Q, U, V, app, show_json
from bough.cli._plot import check_plot, save_figure, without_screen
from bough.cli.simulate import DURATION
from bough.comparison.compare import compare
from bough.comparison.methods import ORDER, PEERS, PROJECTION
from bough.comparison.result import Comparison
from bough.registry import INTEGRATORS

EXAMPLE = "bough compare pendulum.sexp --q angle=0.5 --duration 2"


def _names(typed: str) -> list[str]:
    """Completion of a list with commas."""
    before, _, last = typed.rpartition(",")
    start = f"{before}," if before else ""
    return [f"{start}{name}" for name in ("all", *INTEGRATORS, *PEERS) if name.startswith(last)]


@app.command(
    "compare", short_help="One model by several integrators: cost and losses.", epilog=f"Example: {EXAMPLE}"
)
def command(
    model: ModelFile,
    q: Q = None,
    v: V = None,
    u: U = None,
    param: Parameters = None,
    integrators: Annotated[
        str | None,
        typer.Option(
            "--integrators",
            metavar="NAME,NAME",
            help=f"Of {', '.join((*INTEGRATORS, *PEERS))}; {PROJECTION} after a name projects onto the"
            f" constraints, {ORDER}4, {ORDER}6 or {ORDER}8 is of higher order; or all.  [default: all of fixed"
            " step, the orders of midpoint, and dop853]",
            show_default=False,
            autocompletion=_names,
        ),
    ] = None,
    duration: Annotated[
        float | None,
        typer.Option(
            help=f"Seconds to simulate.  [default: of the system's start, or {DURATION:g}]",
            show_default=False,
        ),
    ] = None,
    dt: Annotated[
        float | None,
        typer.Option(help="Step in seconds.  [default: of the system's start, or 0.01]", show_default=False),
    ] = None,
    error: Annotated[float, typer.Option(help="Error in m to find the time for.")] = 1e-3,
    effort: Annotated[
        float, typer.Option(help="Seconds that each integrator may take to reach the error.")
    ] = 2.0,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write a report: one file with animation.", show_default=False),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Write a plot: .png, .pdf or .svg.", show_default=False)
    ] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No table while it runs.")] = False,
) -> None:
    """Run a model through all integrators, or some, and say what each costs and what it loses.

    Errors are distances from a converged reference, the root mean square over all mass. An integrator that
    fails says why in its row, and the others continue.
    """
    if html is not None:
        _files.check_writable(html, "--html")
    if plot is not None:
        check_plot(plot)
    built = _files.read_system(model, param).build()
    start, velocities = (_files.numbers(words, name, built.balls) for words, name in ((q, "--q"), (v, "--v")))
    inputs = _files.numbers(u, "--u")
    given = _files.configuration(built, q)
    if not meets_constraints(built, given):
        start = assembled(built, given, start)
    shown, on_change = _live_table(quiet or as_json)
    settings: dict[str, Any] = {
        "v": velocities or None,
        "u": inputs or None,
        "duration": duration or built.start.duration or DURATION,
        "dt": dt,
        "error": error,
        "effort": effort,
        "integrators": _method_names(integrators),
        "on_change": on_change,
    }
    stopped = False
    try:
        with shown:
            found = compare(built, start or None, **settings)
    except KeyboardInterrupt as stop:
        if getattr(stop, "comparison", None) is None:
            raise
        found, stopped = stop.comparison, True  # type: ignore[attr-defined]
    written = []
    without_screen()
    if plot is not None:
        written.append(str(save_figure(found.plot(), plot)))
    if html is not None:
        written.append(str(found.save_html(html)))
    if as_json:
        show_json({"file": model, **found.data(), "interrupted": stopped, "written": written})
    else:
        typer.echo("\n".join([str(found), *(f"  {'written':<10} {path}" for path in written)]))
    if stopped:
        typer.echo("interrupted: - stands for what was not reached", err=True)
    if stopped or all(row.failure is not None for row in found.rows):
        raise typer.Exit(FAILED)


def _method_names(integrators: str | None) -> str | list[str] | None:
    if integrators is None or integrators.strip() == "all":
        return integrators and "all"
    return [name.strip() for name in integrators.split(",") if name.strip()]


def _live_table(quiet: bool) -> tuple[AbstractContextManager[Any], Callable[[Comparison], None] | None]:
    """A table on stderr that changes while the comparison runs, in a terminal."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        return nullcontext(), None
    from bough.comparison.table import live

    shown = Live(console=console, transient=True, auto_refresh=False)
    return shown, lambda comparison: shown.update(live(comparison), refresh=True)
