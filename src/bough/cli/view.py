"""`bough view`: a model, a run or a running simulation in the browser."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bough.cli import _files
from bough.cli._app import Parameters, Q, V, app
from bough.errors import BoughError
from bough.io.trajectory_file import load_trajectory
from bough.model.model import Model
from bough.motion.trajectory import Trajectory

EXAMPLE = "bough view pendulum.sexp --live --q angle=0.5"
PORT = 8080


@app.command("view", short_help="Show a model or a run in the browser.", epilog=f"Example: {EXAMPLE}")
def command(
    model: Annotated[
        str, typer.Argument(metavar="MODEL|RUN", help="A model file, or a run (.npz).", show_default=False)
    ],
    q: Q = None,
    v: V = None,
    param: Parameters = None,
    live: Annotated[bool, typer.Option("--live", help="Simulate in real time; of a run, its model.")] = False,
    dt: Annotated[
        float | None, typer.Option(help="Step of --live in seconds.  [default: 0.01]", show_default=False)
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(help="Address to listen at.  [default: this machine alone]", show_default=False),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(help=f"Port; if in use, the next free one.  [default: {PORT}]", show_default=False),
    ] = None,
    follow: Annotated[
        str | None,
        typer.Option(metavar="FRAME", help="Move the camera with a frame.", show_default=False),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A further host name to serve, such as that of a proxy.", show_default=False
        ),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
) -> None:
    """Show a model with sliders, play a run, or simulate a model in real time, until Ctrl-C.

    While a slider is dragged, the constraints hold.
    """
    from bough.view.viewer import view

    if (v or dt is not None) and not live:
        raise BoughError(
            asked=f"{'--v' if v else '--dt'} for {model!r}",
            found="nothing that is simulated",
            do="add --live",
        )
    options = {
        "dt": dt,
        "follow": follow,
        "host": host,
        "port": port,
        "allowed_hosts": allow_host,
        "browser": False if no_browser else None,
    }
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    shown: Model | Trajectory
    if _files.is_run(model) and not live:
        if q:
            raise BoughError(
                asked=f"--q with the run {model!r}",
                found="a run is shown as it was recorded",
                do="leave --q out, or add --live to simulate its model",
            )
        shown = load_trajectory(model)
    else:
        shown = built = _files.read_system(model, param).build()
        given["q"] = _files.numbers(q, "--q", built.balls) or None
        given["v"] = _files.numbers(v, "--v", built.balls) or None
    view(shown, live=live, block=True, **given)
