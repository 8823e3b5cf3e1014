"""Repeating and continuing a run, and the checks of its settings and inputs that this needs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np

from bough import validate
from bough.arguments import Array
from bough.errors import BoughWarning, ModelError, warn
from bough.execute import execute
from bough.integrators import variational
from bough.integrators.run import Plan
from bough.model.model import Model
from bough.motion.contact_trajectory import in_time
from bough.motion.events import Event, forces_at
from bough.motion.grid import NOMINAL, Grid, grid, step_size
from bough.motion.inputs import Inputs
from bough.motion.interpolation import place, state_at
from bough.motion.parts import joined, parts_of
from bough.motion.reduced_state import ReducedTrajectory
from bough.motion.state import State, plain
from bough.motion.trajectory import Trajectory
from bough.registry import Choice, family_of

NEEDED = ("integrator", "dt", "duration", "t0", "every", "steps")


def repeat(run: Trajectory, progress: bool | None = None) -> Trajectory:
    """The same run again, up to where it ended."""
    if run._parts:
        again = reduce(joined, (repeat(part, progress) for part in parts_of(run)))
        again.events = run.events
        return again
    again = execute(plan_of(run, "rerun()"), "raise", progress)
    if again.status == "finished":  # it reached the end of the first run, and ends in the same way
        again.status = run.status
    found = [event for event in run.events if isinstance(event, Event)]  # of the same motion
    again.events = in_time(again.events, found)
    return again


def plan_of(run: Trajectory, where: str) -> Plan:
    """The plan that makes a run again, up to where it ended."""
    if run._driving is None:
        raise ModelError(
            asked=f"{where} of a trajectory",
            found="a part of a run, or numbers that no simulation made",
            do="rerun the whole trajectory that simulate() returned or load_trajectory() read",
        )
    model, settings = run.model, checked_settings(run.model, run.settings, where)
    times = run_grid(settings, where)
    applied, driven, within = run._driving
    check_driving(model, settings, run.t, applied.shape, driven.shape, where)
    steps = settings.pop("steps")
    start = settings.get("start")
    chosen = np.asarray(run.t) if settings.get("t_eval") else None
    settings.pop("made_by", None)  # a plan is simulated with its inputs
    whole = driving_grid(settings, where)
    if steps < times.steps:
        times = Grid(times.t0, times.dt, steps * times.dt, times.every, steps, times.dt)
    q, v, p = run.q[0], run.v[0], run.p[0]
    if start is not None:
        q, v, p = _start(model, start)
    exact = isinstance(run, ReducedTrajectory) and start is None
    begin = run[0] if exact else State(times.t0, q, v, p)
    return Plan(model, times, q, v, p, Inputs(applied), driven, settings, begin, whole, within, (), chosen)


def dense_state(run: Trajectory, t: Any) -> State:
    """The state of a run at any time: by steps of its method from the recorded instant before it."""
    row, fraction = place(run, t)
    if fraction == 0.0:
        return run.state(row)
    if run._whole is not None:
        return dense_state(run._whole, t)
    if run._parts:
        if "_dense_parts" not in run.__dict__:
            run.__dict__["_dense_parts"] = parts_of(run)
        part: Trajectory = next(x for x in run.__dict__["_dense_parts"] if t <= x.t[-1])
        return part.at(float(t))
    if run._driving is None:
        warn(
            f"at({float(t):.6g}) of a trajectory of model {run.model.name!r} without the steps that made it, such as a"
            " part that was saved, or a sum of parts, is a cubic through the instants around it, although dense=True"
            " is in its settings: keep the whole run, or leave the setting out",
            BoughWarning,
        )
        return state_at(run, t)
    if "epsilon" in run.settings:
        return _between_chosen_nodes(run, row, float(t))
    plan = plan_of(run, "at()")
    runner: Any = run.__dict__.get("_runner")
    if runner is None:
        runner = run.__dict__["_runner"] = family_of(plan.settings["integrator"], "at()")[0].runner(plan)
    grid, state = plan.grid, run.state(row)
    node = row * run.settings["every"]
    while node + 1 < grid.steps and grid.time(node + 1) <= t:
        state = runner.side(state, node, float(grid.time(node + 1)))
        node += 1
    found: State = state if grid.time(node) == t else runner.side(state, node, float(t))
    q, v = np.asarray(found.q), np.asarray(found.v)
    drive = runner.inputs_at(node, float(t)), runner.acceleration_at(node, float(t))
    # Those of a short side step of order 2 have the impulse at the node before it, divided by its length.
    lam = forces_at(run.model, q, v, *drive, float(t))
    lam = plain(found.lam) if lam is None else lam
    return State(t, q, v, found.p, lam, names=run.model._names)


def _between_chosen_nodes(run: Trajectory, row: int, t: float) -> State:
    """The state of a run whose steps were chosen: as many steps from a row as there are to the next one."""
    vi: Any = run.__dict__.get("_runner")
    if vi is None:
        settings = {**run.settings, **_nominal(run.model, run.settings, "at()")}
        vi = run.__dict__["_runner"] = variational.from_settings(run.model, settings)
    state, parts = vi.start(run.q[row], p=run.p[row], t=float(run.t[row])), run.settings["every"]
    for _ in range(parts):
        state = vi.step(state, run.u[row], None, (t - float(run.t[row])) / parts)
    return State(t, state.q, state.v, state.p, state.lam, names=run.model._names)


def _start(model: Model, start: Any) -> list[Array]:
    """The start of a run whose first row is later."""
    sizes = {"q": model.nq, "v": model.nv, "p": model.nd}
    parts = [
        np.asarray(start.get(name, ()) if isinstance(start, dict) else (), dtype=float) for name in sizes
    ]
    if [part.shape for part in parts] != [(size,) for size in sizes.values()]:
        raise _unfit("rerun()", "a start of other sizes than those of the model")
    return parts


def checked_settings(model: Model, settings: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The settings of a run, each checked as `simulate` checks it."""
    missing = [name for name in NEEDED if name not in settings]
    if missing:
        raise _unfit(where, f"no {missing[0]!r} among the settings of the run")
    if settings.get("control") == "reversible":
        settings = {**settings, **_nominal(model, settings, where)}
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


def _nominal(model: Model, settings: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The grid that inputs of a run belong to if its steps are chosen: they are constant."""
    dt = model.start.dt or NOMINAL
    steps = grid(settings["duration"], dt, settings["every"], settings["t0"], where).steps
    return {"dt": dt, "steps": steps}


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
    if "tol" in known and not {"tol", "dt", "integrator"} & {x for x in given if given[x] is not None}:
        kept: tuple[str, ...] = ("tol", "every", "stabilization")
        if known["control"] == "reversible":
            kept += tuple(family_of("midpoint", "a run")[0].options("midpoint"))
        return {
            **{name: known[name] for name in kept if name != "alpha" and known.get(name) is not None},
            **given,
        }
    own: dict[str, Any] = {name: known[name] for name in ("integrator", "dt", "every") if known.get(name)}
    if "integrator" in own and given.get("integrator") in (None, own["integrator"]):
        options = family_of(own["integrator"], "a run")[0].options(own["integrator"])
        own |= {name: known[name] for name in ("stabilization", *options) if known.get(name) is not None}
    return {**own, **given}


def driving_grid(settings: Mapping[str, Any], where: str) -> Grid:
    """The grid of inputs and kinematic values: that of the duration asked for, if an event ended the run."""
    known = {name: value for name, value in settings.items() if name != "last"}
    return run_grid({**known, "duration": settings.get("asked", settings["duration"])}, where)


def run_grid(settings: Mapping[str, Any], where: str) -> Grid:
    """The instants given by the settings of a run."""
    times = grid(settings["duration"], settings["dt"], settings["every"], settings["t0"], where)
    if "last" not in settings:
        return times
    last = validate.positive(settings["last"], "last", where)
    steps = settings["steps"] if validate.is_whole(settings.get("steps")) else times.steps
    expected = (steps - 1) * times.dt + last
    if steps < 1 or abs(expected - times.duration) > 1e-9 * max(times.duration, times.dt):
        raise _unfit(where, f"a last step of {last:g} s after {steps - 1} steps in {times.duration:g} s")
    return times._replace(steps=steps, last=last)


def check_driving(
    model: Model,
    settings: Mapping[str, Any],
    t: Array,
    inputs: tuple[int, ...],
    prescribed: tuple[int, ...],
    where: str,
) -> None:
    """Raise unless times, inputs and kinematic values, of these shapes, are those of a run so set."""
    times, steps = driving_grid(settings, where), settings["steps"]
    length = validate.counted(times.steps, "step")
    if inputs not in input_shapes(model, times):
        found = f"inputs of shape {inputs} for {length} and {validate.counted(model.nu, 'input')}"
        raise _unfit(where, found)
    if prescribed not in prescribed_shapes(model, times):
        variables = validate.counted(model.nk, "kinematic variable")
        raise _unfit(where, f"kinematic values of shape {prescribed} for {length} and {variables}")
    times = run_grid(settings, where)
    if settings.get("t_eval") or settings.get("control") == "reversible":
        slack = 4.0 * np.spacing(np.abs([times.t0, times.t0 + times.duration]).max())
        if t[0] < times.t0 - slack or t[-1] > times.t0 + times.duration + slack:
            raise _unfit(where, "instants before the start or after the end of the run")
        return
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
