"""A chunk of the runs of an ensemble: what a thread, a process or a machine of a cluster makes.

A task is pure: the same task gives the same numbers wherever and however often it is run. Runs with a variational
integrator of second order, without functions of Python, are made in one call of the core, four side by side in the
lanes of registers if the model allows it; all others one after the other, as `Problem.run` makes them. A run that fails
is a row with its message.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import CoarseStepWarning
from bough.integrators.gauss import of_stages
from bough.integrators.settings import LIMITS
from bough.integrators.variational import VARIATIONAL
from bough.integrators.variational import from_settings as integrator_of
from bough.model.model import Model
from bough.motion.rows import rate
from bough.motion.trajectory import Driving, Trajectory
from bough.problem import Problem
from bough.studies.design import Design
from bough.studies.keep import KeepError, checked
from bough.studies.starts import Starts, starts_of
from bough.studies.task import FAILED, FINISHED, START, Part, Task, note_changed, problem_of


def compute(task: Task) -> Part:
    """Make the runs of a task."""
    part = Part(task.first, task.last, np.zeros(task.last - task.first, dtype=np.int8))
    if _by_core(task):
        _run_core(task, part)
    else:
        for number in range(task.first, task.last):
            _run_alone(task, part, number)
    return part


# --- one run after the other ---


def _run_alone(task: Task, part: Part, number: int) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", CoarseStepWarning)
            own = problem_of(task.problem, task.design, number)
            note_changed(part, task.problem, own)
            try:
                run = own.run(on_failure="raise", progress=False)
            except CoarseStepWarning:
                warnings.simplefilter("ignore", CoarseStepWarning)
                part.coarse += 1
                run = problem_of(task.problem, task.design, number).run(on_failure="raise", progress=False)
        part.steps += int(run.statistics["steps"])
        _keep(task, part, number, run)
        part.status[number - task.first] = FINISHED
    except KeepError:
        raise
    except Exception as error:  # a failed run is a row; it never ends the study
        part.fail(number, error)


def _keep(task: Task, part: Part, number: int, run: Trajectory) -> None:
    if task.keep is None:
        part.put("q", number, run.q)
        part.put("p", number, run.p)
        part.put("v", number, run.v)
        return
    model, rows = run.model, task.problem.grid.rows
    motion = {"q": (rows, model.nq), "p": (rows, model.nd), "v": (rows, model.nv)}
    for name, value in checked(task.keep(run), task.design.axes, motion).items():
        part.put(name, number, value)


def motion(problem: Problem, design: Design, number: int) -> Trajectory | None:
    """The motion of one run in lanes, with the bits that it has among others; None if `Problem.run` makes it.

    That is so of runs which fail or whose steps are too long, for it tells why.
    """
    found: list[Trajectory] = []

    def keep(run: Trajectory) -> dict[str, Any]:
        found.append(run)
        return {}

    task = Task(problem, design, number, number + 1, keep)
    if not (_by_core(task) and in_lanes(problem)):
        return None
    part = compute(task)
    return found[0] if found and not part.coarse else None


# --- many runs in one call of the core ---


def in_lanes(problem: Problem) -> bool:
    """Whether runs that the core makes share registers."""
    settings = problem.settings
    method = VARIATIONAL[settings["integrator"]]._code
    return bool(core.runs_in_lanes(problem.model._core, method, settings["order"]))


def _by_core(task: Task) -> bool:
    """Whether the core makes the runs of a task on its own."""
    problem, settings = task.problem, task.problem.settings
    model, drive = problem.model, problem._drive
    names = {name.partition(".")[0] for name in task.design.axes}
    kinematic = {f"{kind}.{name}" for kind in START for name in model.kinematic}
    return (
        settings["integrator"] in VARIATIONAL
        and not of_stages(settings)
        and not model._balls
        and not model.gaps
        and drive.inputs.function is None
        and not observed(problem)
        and all(isinstance(record, tuple) for record in model._records)
        and names <= {*START, "u", "parameter"}
        and not (model.nk and (kinematic | set(START)) & set(task.design.axes))
        and not ("u" in names and drive.inputs.changing)
        and "u" not in task.design.axes
        and (task.keep is None or model.nc == 0)
    )


def observed(problem: Problem) -> bool:
    """Whether a run looks for events, or has instants of its own."""
    given = problem.arguments
    return given.get("events") is not None or given.get("t_eval") is not None or bool(given.get("dense"))


def _run_core(task: Task, part: Part) -> None:
    problem, settings, grid = task.problem, task.problem.settings, task.problem.grid
    model = problem.model
    starts = starts_of(task, part)
    runs, rows = len(starts.numbers), grid.rows
    if runs == 0:
        return
    q, p = np.full((runs, rows, model.nv), np.nan), np.full((runs, rows, model.nd), np.nan)
    work = np.zeros((runs, rows))
    u, u_runs, u_steps = _inputs(task, starts.numbers)
    driven = problem._drive.prescribed
    vk = rate(driven, grid.nodes())[0] if len(driven) else np.zeros(model.nk)
    t = grid.time(grid.recorded(grid.steps))
    fixed = not len(driven) and (model.nc == 0 or not core.constraints_may_move(model._core))
    status, done, _, _, coarse, residual, worst, _ = core.make_runs(
        models=[other._core for other in starts.models],
        model=starts.model.astype(np.int32),
        method=VARIATIONAL[settings["integrator"]]._code,
        alpha=settings.get("alpha", 0.5),
        **{name: settings[name] for name in LIMITS},
        t0=grid.t0,
        dt=grid.dt,
        last=grid.last,
        steps=grid.steps,
        every=grid.every,
        q=starts.q,
        p=starts.p,
        vk=vk,
        k=np.ascontiguousarray(driven[1:]) if len(driven) > 1 else np.zeros((0, model.nk)),
        u=u,
        u_runs=u_runs,
        u_steps=u_steps,
        t=t if fixed and not model._servos else np.zeros(0),
        lock_angle=model._lock_angle,
        out_q=q,
        out_p=p,
        out_work=work,
        threads=task.threads,
    )
    part.steps += int(done.sum())
    part.coarse += int(coarse.sum())
    part.status[starts.numbers - task.first] = FINISHED
    for i in np.flatnonzero(status).tolist():
        model = starts.models[starts.model[i]]
        text = _failure(task, model, int(status[i]), int(done[i]), float(residual[i]), int(worst[i]))
        part.fail(int(starts.numbers[i]), text)
    _keep_rows(task, part, starts, t, q, p, u)


def _keep_rows(task: Task, part: Part, starts: Starts, t: Array, q: Array, p: Array, u: Array) -> None:
    places = starts.numbers - task.first
    if task.keep is None:
        shape = task.last - task.first
        for name, rows in (("q", q), ("p", p)):
            if len(places) == shape:
                part.values[name] = rows
            else:
                part.values[name] = np.full((shape, *rows.shape[1:]), np.nan)
                part.values[name][places] = rows
        return
    settings, grid = dict(task.problem.settings), task.problem.grid
    nodes = np.minimum(grid.recorded(grid.steps), max(grid.steps - 1, 0))
    for i, number in enumerate(starts.numbers.tolist()):
        if part.status[number - task.first] == FAILED:
            continue
        own = u[i if len(u) > 1 else 0]
        about = {
            "status": "finished",
            "settings": {**settings, "steps": grid.steps},
            "statistics": {"steps": grid.steps},
            "_driving": Driving(own, task.problem._drive.prescribed, None),
        }
        vk = None if len(task.problem._drive.prescribed) else np.zeros((len(t), task.problem.model.nk))
        rows = own[nodes] if len(own) > 1 else np.broadcast_to(own, (len(t), own.shape[1])).copy()
        run = Trajectory._of_core(starts.models[starts.model[i]], t.copy(), q[i], rows, vk, p[i], about)
        try:
            _keep(task, part, number, run)
        except KeepError:
            raise
        except Exception as error:  # of the user's function
            part.fail(number, error)


def _inputs(task: Task, numbers: Any) -> tuple[Array, int, int]:
    """The inputs (1 or runs, 1 or steps, nu), with these two lengths."""
    rows = task.problem._drive.inputs.rows
    model, steps = task.problem.model, task.problem.grid.steps
    varied = [name for name in task.design.axes if name.startswith("u.")]
    if not varied:
        changing = task.problem._drive.inputs.changing
        base = np.ascontiguousarray(rows[:steps] if changing else rows[:1])
        if not base.size:
            base = np.zeros((1, model.nu))
        return base[None], 1, len(base)
    u = np.tile(rows[:1], (len(numbers), 1))
    places = numbers - task.first
    for name in varied:
        u[:, model.inputs.index(name[2:])] = task.design.column(name, task.first, task.last)[places]
    return u[:, None], len(numbers), 1


def _failure(task: Task, model: Model, status: int, done: int, residual: float, worst: int) -> str:
    """What a step that failed says."""
    method: Any = integrator_of(model, dict(task.problem.settings))
    grid = task.problem.grid
    text = method.failure_text(core.StepStatus(status), residual * method.unit(worst), worst)
    return f"step {done + 1} of {grid.steps}, from t = {grid.time(done):.6g}: {text}"
