"""`bough simulate`: from a model file to numbers, a plot and a summary."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from bough.arguments import Array
from bough.cli import _files
from bough.cli._analysis import assembled, meets_constraints
from bough.cli._app import FAILED, AsJson, K, ModelFile, Parameters, Q, U, V, app, show_error, show_json
from bough.cli._complete import motions
from bough.cli._driven import Driven, contacts
from bough.cli._functions import functions
from bough.cli._plot import check_plot, save_plot
from bough.cli._summary import Summary
from bough.description.start import from_start
from bough.errors import BoughError, CoarseStepWarning, ConvergenceError
from bough.io.trajectory_file import ARRAYS, file_of, load_trajectory
from bough.model.model import Model
from bough.motion.trajectory import Trajectory
from bough.registry import INTEGRATORS
from bough.repeat import continuation_options
from bough.simulate import simulate
from bough.view.html import export_html, html_file

EXAMPLE = "bough simulate pendulum.sexp --q angle=0.5 --duration 2 -o run.npz"
DURATION = 10.0
ADVICE = "take a smaller --dt, or look at the motion before it with -o or --plot"


def _integrators(typed: str) -> list[str]:
    return [name for name in INTEGRATORS if name.startswith(typed)]


@app.command("simulate", short_help="Simulate a model, or repeat a run (.npz).", epilog=f"Example: {EXAMPLE}")
def command(
    model: ModelFile,
    q: Q = None,
    v: V = None,
    u: U = None,
    k: K = None,
    motion: Annotated[
        str | None,
        typer.Option(
            "--motion",
            metavar="NAME",
            help="Script for the kinematic variables of a system of the gallery, or none for none: walk, wave"
            " or bow of gallery:marionette.  [default: the first, unless --k is given]",
            show_default=False,
            autocompletion=motions,
        ),
    ] = None,
    param: Parameters = None,
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
    integrator: Annotated[
        str | None,
        typer.Option(
            help=f"One of {', '.join(INTEGRATORS)}.  [default: midpoint]",
            show_default=False,
            autocompletion=_integrators,
        ),
    ] = None,
    order: Annotated[
        int | None,
        typer.Option(
            help="Order of midpoint, trapezoidal and reduced: 2, 4, 6 or 8.  [default: 2]", show_default=False
        ),
    ] = None,
    tol: Annotated[
        float | None,
        typer.Option(help="Error allowed over twenty steps, in place of --dt.", show_default=False),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(help="Parameter of midpoint and reduced.  [default: 0.5]", show_default=False),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(
            help="Share of the drift that a step of velocity takes back.  [default: 0.2]", show_default=False
        ),
    ] = None,
    contact: Annotated[
        list[str] | None,
        typer.Option(
            "--contact",
            metavar="EXPRESSION",
            help="Contact of velocity, an expression such as '(rolling \"wheel\" (radius 0.3))' or"
            " '(skate \"blade\" (across 0 1 0))'. Repeatable.",
            show_default=False,
        ),
    ] = None,
    event: Annotated[
        list[str] | None,
        typer.Option(
            "--event",
            metavar="EXPRESSION",
            help="Say when a quantity is zero: a variable, v.NAME, 'pose FRAME z', 'speed FRAME'; or has another"
            " value, 'pose tip z = 0.1'. Then rising or falling, and terminal, if wanted. Repeatable.",
            show_default=False,
        ),
    ] = None,
    every: Annotated[
        int | None, typer.Option(help="Record every so many steps.  [default: 1]", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write the run: .npz, .csv or .nc.", show_default=False),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Write a plot: .png, .pdf or .svg.", show_default=False)
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", help="Write an animation: one .html file that plays offline.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Simulate a model and say how it went; a run (.npz) is repeated bit for bit, or continued by --duration.

    The run begins at the start of the system, of which --q and --v change single values. In --u and --k a
    VALUE may be an expression of the time t in s, of + - * / **, pi, sqrt, sin, cos, tan, exp, log, abs, min
    and max.
    A start that does not meet the constraints is assembled: moved to the nearest one that does,
    with the values of --q kept if possible.
    """
    if output is not None:
        output = file_of(output, "-o")
        _files.check_run_file(output, "-o")
    if plot is not None:
        check_plot(plot)
    if html is not None:
        html = html_file(html, "--html")
        _files.check_writable(html, "--html")
    options = {"duration": duration, "dt": dt, "integrator": integrator, "every": every}
    options |= {"tol": tol, "order": order, "alpha": alpha, "beta": beta}
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    words = {"--q": q, "--v": v, "--u": u, "--k": k, "--contact": contact, "--param": param}
    words["--motion"] = None if motion is None else [motion]
    words["--event"] = event
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", CoarseStepWarning)
        if _files.is_run(model):
            named = [*(f"--{name}" for name in given), *(option for option, word in words.items() if word)]
            if duration is None:
                summary = _repeat(model, named, quiet)
            else:
                summary = _continue(model, given, words, quiet)
        else:
            built = _files.read_system(model, param).build()
            start, speed = (_files.numbers(words[option], option, built.balls) for option in ("--q", "--v"))
            driven = Driven(built, model, start, k, motion)
            given.setdefault("duration", built.start.duration or DURATION)
            given.update(v=speed or None, k=driven.k or None, u=functions(u, "--u", built.inputs) or None)
            if contact:
                given["contacts"] = contacts(contact)
            if event:
                given["events"] = tuple(event)
            given["progress"] = False if quiet else None
            summary = _new_run(built, start, given)
            summary.motion = driven.motion
    for warning in told:
        if issubclass(warning.category, CoarseStepWarning):
            summary.coarse = str(warning.message)
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if output is not None:
        summary.written.append(str(summary.run.save(output)))
    if plot is not None:
        summary.written.append(str(save_plot(summary.run, plot)))
    if html is not None:
        summary.written.append(str(export_html(summary.run, html, progress=False if quiet else None)))
    if as_json:
        show_json({"file": model, **summary.data()})
    else:
        typer.echo(summary.text())
    if summary.error is not None:
        show_error(summary.error)
    if summary.run.status not in ("finished", "event"):
        raise typer.Exit(FAILED)


def _new_run(model: Model, start: dict[str, float], options: dict[str, Any]) -> Summary:
    """A new run; the motion before a failure or Ctrl-C is kept."""
    given: Array = model.configuration(from_start(model, start)[0] or {})
    meets = meets_constraints(model, given)
    about: dict[str, Any] = {} if meets else {"given": given, "named": tuple(start)}
    try:
        q = start if meets else assembled(model, given, start)
        return Summary(simulate(model, q=q, **options), **about)
    except ConvergenceError as error:
        if error.trajectory is None:
            raise
        said = ConvergenceError(asked=error.asked, found=error.found, do=ADVICE)
        return Summary(error.trajectory, error=said, **about)
    except KeyboardInterrupt as stopped:
        run = getattr(stopped, "trajectory", None)
        if run is None:
            raise
        return Summary(run, **about)


def _repeat(path: str, options: list[str], quiet: bool) -> Summary:
    """The run of a file again."""
    if options:
        raise BoughError(
            asked=f"{options[0]} with the run {path!r}",
            found="a run is repeated as it was, with its own start and settings",
            do=f"leave {options[0]} out, or continue the run with --duration; to change something, write out"
            f" its model: bough convert {path} model.sexp",
        )
    before = load_trajectory(path)
    try:
        run: Trajectory = before.rerun(progress=False if quiet else None)
    except KeyboardInterrupt as stopped:
        if getattr(stopped, "trajectory", None) is None:
            raise
        return Summary(stopped.trajectory)  # type: ignore[attr-defined]
    if "made_by" in before.settings:
        return Summary(run, planned=float(np.abs(run.q - before.q).max()))
    same = all(np.array_equal(getattr(run, name), getattr(before, name)) for name in ARRAYS)
    return Summary(run, repeated=same)


def _continue(
    path: str, given: dict[str, Any], words: Mapping[str, list[str] | None], quiet: bool
) -> Summary:
    """The run of a file with its continuation, by its own settings unless others are given."""
    for option in ("--q", "--v", "--motion", "--param"):
        if words[option]:
            raise BoughError(
                asked=f"{option} with the run {path!r}",
                found="a run is continued from its last instant",
                do=f"leave {option} out, or simulate the model: bough convert {path} model.sexp",
            )
    before = load_trajectory(path)
    model, last = before.model, before[-1]
    options = continuation_options(before, given)
    held = dict(zip(model.inputs, before.u[-1].tolist(), strict=True))
    options["u"] = {**held, **functions(words["--u"], "--u", model.inputs)} or None
    options["k"] = functions(words["--k"], "--k", model.kinematic) or None
    if words["--contact"]:
        options["contacts"] = contacts(words["--contact"])
    if words["--event"]:
        options["events"] = tuple(words["--event"])
    try:
        more = simulate(model, last, progress=False if quiet else None, **options)
        return Summary(before + more, continued=float(last.t))
    except ConvergenceError as error:
        if error.trajectory is None:
            raise
        said = ConvergenceError(asked=error.asked, found=error.found, do=ADVICE)
        return Summary(before + error.trajectory, error=said, continued=float(last.t))
    except KeyboardInterrupt as stopped:
        if getattr(stopped, "trajectory", None) is None:
            raise
        return Summary(before + stopped.trajectory, continued=float(last.t))  # type: ignore[attr-defined]
