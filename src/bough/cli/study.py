"""`bough study`: one model simulated many times."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import bough
from bough.cli import _files
from bough.cli._app import FAILED, AsJson, ModelFile, Parameters, Q, V, app, show_json, table
from bough.cli._plot import check_plot
from bough.errors import BoughError
from bough.studies.ensemble import TIMED
from bough.validate import counted

EXAMPLE = "bough study gallery:pendulum --over q.angle1=-2:2:9 --duration 2"
DURATION = 10.0  # seconds, if neither the command nor the system says how many


@app.command("study", short_help="Simulate a model many times.", epilog=f"Example: {EXAMPLE}")
def command(
    model: ModelFile,
    over: Annotated[
        list[str],
        typer.Option(
            metavar="AXIS=VALUES",
            help="What varies: q.NAME, v.NAME, p.NAME, u.NAME, parameter.NAME or an option such as dt, with"
            " FIRST:LAST:COUNT or values separated by commas. Repeatable; all combinations are run.",
            show_default=False,
        ),
    ],
    q: Q = None,
    v: V = None,
    param: Parameters = None,
    duration: Annotated[float | None, typer.Option(help="Seconds to simulate.", show_default=False)] = None,
    dt: Annotated[float | None, typer.Option(help="Step in seconds.", show_default=False)] = None,
    integrator: Annotated[str, typer.Option(help="As of bough simulate.")] = "midpoint",
    every: Annotated[int, typer.Option(help="Record every so many steps.")] = 1,
    store: Annotated[
        Path | None,
        typer.Option(
            help="Write a Zarr store; the same command again makes what is missing.", show_default=False
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Scheduler of a Dask cluster: tcp://host:port.", show_default=False
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Threads, or tasks at a time.  [default: all cores]", show_default=False),
    ] = None,
    show: Annotated[
        str | None,
        typer.Option(
            metavar="q.NAME", help="The value at the end to tell of.  [default: all of q]", show_default=False
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Write a plot of --show: .png, .pdf or .svg.", show_default=False),
    ] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Simulate a model with starts, inputs or parameters that vary, and say how the runs ended.

    Starts that do not meet the constraints are assembled, as by bough simulate: what varies is kept.
    """
    if plot is not None:
        check_plot(plot)
    built = _files.read_system(model, param).build()
    if duration is None and built.start.duration is None:
        duration = DURATION
    problem = bough.Problem(
        built,
        _files.numbers(q, "--q", built.balls),
        _files.numbers(v, "--v", built.balls) or None,
        duration=duration,
        dt=dt,
        integrator=integrator,
        every=every,
        assemble=built.nc > 0,
    )
    axes = dict(_axis(word) for word in over)
    keep = ends if any(name in TIMED for name in axes) else None  # motions of different lengths make no array
    shown = [show] if show else [f"q.{name}" for name in built.coordinates]
    named = {name: name if keep is None else f"{name} at the end" for name in shown}
    stopped = False
    try:
        study = bough.ensemble(
            problem,
            axes,
            keep=keep,
            store=store,
            executor=cluster,
            workers=workers,
            progress=False if quiet else None,
        )
    except KeyboardInterrupt as stop:
        if getattr(stop, "ensemble", None) is None:
            raise
        study, stopped = stop.ensemble, True  # type: ignore[attr-defined]
    if plot is not None and study.names:
        study.plot(named[shown[0]]).savefig(plot, dpi=150)
    _tell(study, named, model, as_json)
    if stopped:
        again = "" if store is None else f"; the same command goes on from {store}"
        typer.echo(f"interrupted after {study.statistics['runs']} of {len(study)} runs{again}", err=True)
    if stopped or study.failed:
        raise typer.Exit(FAILED)


def ends(run: bough.Trajectory) -> dict[str, float]:
    """The values at the end of a run, by name."""
    model = run.model
    rows = {"q": (model.coordinates, run.q), "v": (model.variables, run.v), "p": (model.dynamic, run.p)}
    return {
        f"{kind}.{name} at the end": float(values[-1, i])
        for kind, (names, values) in rows.items()
        for i, name in enumerate(names)
    }


def _tell(study: bough.Ensemble, named: dict[str, str], model: str, as_json: bool) -> None:
    statistics = {}
    for name in named if study.names else ():  # none if nothing is done
        values = study.end(named[name])
        fine = values[np.isfinite(values)]
        if fine.size:
            numbers = (fine.mean(), fine.std(), fine.min(), fine.max())
            statistics[name] = dict(zip(("mean", "std", "min", "max"), map(float, numbers), strict=True))
    counts = {"runs": len(study), "failed": len(study.failed), **study.statistics}
    if as_json:
        messages = {str(index): text for index, text in study.messages.items()}
        show_json(
            {"file": model, "shape": list(study.shape), **counts, "end": statistics, "messages": messages}
        )
        return
    size = f" ({' x '.join(map(str, study.shape))})" if len(study.shape) > 1 else ""
    lines = [f"{study.problem.model.name}: {counted(len(study), 'run')}{size}, {len(study.failed)} failed"]
    rows = [(name, *(f"{x:.6g}" for x in numbers.values())) for name, numbers in statistics.items()]
    lines += table([("at the end", "mean", "std", "min", "max"), *rows])
    lines += [f"  failed {index}: {text}" for index, text in list(study.messages.items())[:5]]
    typer.echo("\n".join(lines))


def _axis(word: str) -> tuple[str, Any]:
    """`q.angle=-3:3:200` or `parameter.length=0.8,1.0`."""
    name, equals, text = word.partition("=")
    parts = text.split(":")
    try:
        if len(parts) == 3:
            return name, np.linspace(float(parts[0]), float(parts[1]), int(parts[2]))
        if len(parts) > 1:
            raise ValueError(text)
        values = [_number(item) for item in text.split(",")]
    except ValueError:
        values = []
    if not (name and equals and values):
        raise BoughError(
            asked=f"--over {word}",
            found="not an axis and its values",
            do="write FIRST:LAST:COUNT or values separated by commas: --over q.angle=-3:3:200,"
            " --over parameter.length=0.8,1.0",
        )
    return name, values


def _number(text: str) -> int | float | str:
    if not text.strip():
        raise ValueError(text)
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text.strip()
