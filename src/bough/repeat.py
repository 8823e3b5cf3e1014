"""Repeating and continuing a run, and the checks of its settings and inputs that this needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bough import validate
from bough.arguments import Array
from bough.errors import ModelError
from bough.execute import execute
from bough.integrators.run import Plan
from bough.model.model import Model
from bough.motion.grid import Grid, grid, step_size
from bough.motion.inputs import Inputs
from bough.motion.reduced_state import ReducedTrajectory
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.registry import Choice, family_of

NEEDED = ("integrator", "dt", "duration", "t0", "every", "steps")


def repeat(run: Trajectory, progress: bool | None = None) -> Trajectory:
    """The same run again, up to where it ended."""
    if run._driving is None:
        raise ModelError(
            asked="rerun() of a trajectory",
            found="a part of a run, several joined, or numbers that no simulation made",
            do="rerun the whole trajectory that simulate() returned or load_trajectory() read",
        )
    model, settings = run.model, checked_settings(run.model, run.settings, "rerun()")
    times = run_grid(settings, "rerun()")
    applied, driven, within = run._driving
    check_driving(model, settings, run.t, applied.shape, driven.shape, "rerun()")
    steps = settings.pop("steps")
    settings.pop("made_by", None)  # a plan is simulated with its inputs
    whole = times
    if steps < times.steps:
        times = Grid(times.t0, times.dt, steps * times.dt, times.every, steps, times.dt)
    q, v, p = run.q[0], run.v[0], run.p[0]
    begin = run[0] if isinstance(run, ReducedTrajectory) else State(times.t0, q, v, p)
    plan = Plan(model, times, q, v, p, Inputs(applied), driven, settings, begin, whole, within)
    again = execute(plan, "raise", progress)
    if again.status == "finished":  # it reached the end of the first run, and ends in the same way
        again.status = run.status
    return again


def checked_settings(model: Model, settings: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The settings of a run, each checked as `simulate` checks it."""
    missing = [name for name in NEEDED if name not in settings]
    if missing:
        raise _unfit(where, f"no {missing[0]!r} among the settings of the run")
    family, name = family_of(settings["integrator"], where)
    options = {option: settings[option] for option in family.options(name) if option in settings}
    choice = Choice(
        model, name, step_size(settings["dt"], where), settings.get("stabilization"), options, where
    )
    checked = {**settings, **family.settings(choice)}
    times, steps = run_grid(checked, where), checked["steps"]
    if not validate.is_whole(steps) or not 0 <= steps <= times.steps:
        raise _unfit(where, f"steps={validate.shown(steps)} of a run with {times.steps}")
    return checked


def continuation_options(run: Trajectory, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `simulate` that continue a run: its own, unless others are given.

    With another integrator, the options of the first are left out.
    """
    if run.bodies is not None and run.bodies.events:
        time, name = run.bodies.events[-1]
        raise ModelError(
            asked=f"a continuation of a run of model {run.model.name!r}",
            found=f"{name!r} broke at t = {time:g} s, which a new run would not know",
            do="simulate the whole duration in one run, or step by step with bough.MaximalEngine",
        )
    known = run.settings
    own: dict[str, Any] = {name: known[name] for name in ("integrator", "dt", "every") if name in known}
    if "integrator" in own and given.get("integrator") in (None, own["integrator"]):
        options = family_of(own["integrator"], "a run")[0].options(own["integrator"])
        own |= {name: known[name] for name in ("stabilization", *options) if known.get(name) is not None}
    return {**own, **given}


def run_grid(settings: Mapping[str, Any], where: str) -> Grid:
    """The instants given by the settings of a run."""
    return grid(settings["duration"], settings["dt"], settings["every"], settings["t0"], where)


def check_driving(
    model: Model,
    settings: Mapping[str, Any],
    t: Array,
    inputs: tuple[int, ...],
    prescribed: tuple[int, ...],
    where: str,
) -> None:
    """Raise unless times, inputs and kinematic values, of these shapes, are those of a run so set."""
    times, steps = run_grid(settings, where), settings["steps"]
    if inputs not in input_shapes(model, times):
        raise _unfit(where, f"inputs of shape {inputs} for {times.steps} steps and {model.nu} inputs")
    if prescribed not in prescribed_shapes(model, times):
        raise _unfit(
            where, f"kinematic values of shape {prescribed} for {times.steps} steps and {model.nk} variables"
        )
    nodes = np.minimum(np.arange(len(t)) * float(times.every), steps)
    # A run of SciPy's methods that failed ends at a recorded node, the others with the last step.
    ends = (steps, steps - steps % times.every)
    expected = times.t0 + np.minimum(nodes * times.dt, times.duration)
    slack = 1e-6 * times.dt + 4.0 * np.spacing(np.abs(t).max())
    longer = len(t) > 1 and nodes[-2] == steps
    if nodes[-1] not in ends or longer or np.abs(t - expected).max() > slack:
        raise _unfit(where, f"{len(t)} instants that are not those of {steps} steps of {times.dt:g} s")


def input_shapes(model: Model, times: Grid) -> tuple[tuple[int, int], ...]:
    """The allowed shapes of the inputs of all steps: constant, or one row for each step."""
    if model.nu == 0:
        return ((0, 0), (times.steps, 0), (1, 0))
    return ((1, model.nu), (times.steps, model.nu))


def prescribed_shapes(model: Model, times: Grid) -> tuple[tuple[int, int], ...]:
    """The allowed shapes of the kinematic values at all nodes: held, or one row for each node."""
    return ((0, model.nk), (times.steps + 1, model.nk))


def _unfit(where: str, found: str) -> ModelError:
    return ModelError(asked=where, found=found, do="give a run as simulate() made it")
