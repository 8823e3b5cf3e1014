"""`bough.simulate`: from a model and a start to a trajectory."""

from __future__ import annotations

import inspect
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from bough import validate
from bough.arguments import Array, Vector
from bough.description.start import from_start
from bough.description.system import System
from bough.errors import ConvergenceError, ModelError, nearest, quoted, unknown_name
from bough.integrators.gauss import of_stages
from bough.integrators.reduced import ReducedVI
from bough.integrators.run import Failure, Plan, Runner
from bough.integrators.stabilization import no_stabilization
from bough.integrators.variational import VariationalIntegrator
from bough.interrupt import Interrupt, Interrupted
from bough.model.model import Model
from bough.motion.consistent_start import momenta, single, start
from bough.motion.gimbal_lock import warn_of_gimbal_lock
from bough.motion.grid import Grid, grid, step_size
from bough.motion.inputs import Inputs, grown_input, inputs, prescribed
from bough.motion.reduced_state import ReducedState
from bough.motion.servo_steps import check_servos
from bough.motion.slack import warn_of_slack
from bough.motion.stages import Stages, kinematic_rates, stages
from bough.motion.state import State
from bough.motion.trajectory import Trajectory, rate
from bough.progress import Progress
from bough.registry import INTEGRATORS, Choice, family_of, options_of


def simulate(
    model: Model,
    q: Vector | State | None = None,
    v: Vector | None = None,
    *,
    p: Vector | None = None,
    duration: float | None = None,
    dt: float | None = None,
    integrator: str | VariationalIntegrator | ReducedVI = "midpoint",
    u: Any = None,
    k: Any = None,
    every: int = 1,
    alpha: float | None = None,
    t0: float | None = None,
    on_failure: str = "raise",
    assemble: bool = False,
    progress: bool | None = None,
    stabilization: Any = None,
    **options: Any,
) -> Trajectory:
    """The motion of a model from a start configuration.

    Parameters
    ----------
    model : Model
    q, v, p : start
        Configuration (by default zero), and velocities or momenta (by default at rest), as arrays or by name.
        A `State` as q, such as `run[-1]`, continues from there. Where the system has a start (`model.start`),
        the run begins there: numbers by name change single values of it, an array as q replaces it.
    duration : float
        The end is at t0 + duration exactly: if this is not a whole number of steps, the last one is shorter.
        By default that of the system's start.
    dt : float
        The step, by default that of the system's start, or 0.01. With SciPy's methods it is the distance of
        the instants recorded.
    integrator : str or integrator
        "midpoint", "trapezoidal" (variational), "reduced" (variational, a free base as a pose);
        "semi-implicit-euler", "rk4", "implicit-midpoint" (of fixed
        step, on the equations of motion); "dop853", "rk45", "rk23", "radau", "bdf", "lsoda" (SciPy);
        "velocity", "penalty-explicit", "penalty-implicit" (maximal coordinates: docs/formulations.md); or an
        object such as `MidpointVI(model, dt)`.
    u : inputs
        Numbers by name or an array (nu,), constant; an array (steps, nu), one row per step; a function
        u(t, state), called at the start of each step; a function of time alone, such as a SciPy spline; or by
        name any of these for one input. The inputs are held during a step, but with order=4, 6, 8 functions of
        time are called at its stages. Default: zero.
    k : values of the kinematic variables
        A function k(t) -> (nk,), an array (steps + 1, nk), or by name a number, an array (steps + 1,) or a
        function of t. Those not given are held at their start. Between the nodes they are linear, but with
        order=4, 6, 8 functions are called in between too.
    every : int
        Record every so many steps; the first and the last instant are always recorded.
    alpha : float
        The parameter of "midpoint" and "reduced", 0.5 by default.
    t0 : float
        The time of the start, 0 by default.
    on_failure : "raise" or "stop"
        When a step fails, raise `ConvergenceError`, or return the motion up to there with status "failed".
        On Ctrl-C, raise `KeyboardInterrupt`, or return it with status "interrupted". Both exceptions carry it
        as `.trajectory`.
    assemble : bool
        Start from the nearest configuration that meets the constraints.
    progress : bool or None
        Show a progress bar; by default in a terminal, in runs longer than a second.
    stabilization : None, "projection" or ("baumgarte", g1, g2)
        What all but the variational integrators do against drift off the constraints h: nothing; project the
        state after every step of the method and every dt; or h'' + 2 g1 h' + g2² h = 0. "velocity" takes
        None or "projection".
    **options
        tolerance, constraint_tolerance, max_iterations, max_halvings, order of the variational integrators;
        tau, tolerance, max_iterations, max_halvings of "reduced"; tolerance, max_iterations of
        "implicit-midpoint"; rtol, atol, max_step, first_step of SciPy's methods;
        beta, gyroscopic, break_above, contacts of "velocity"; stiffness, angular_stiffness, damping,
        smallest_inertia, gyroscopic, break_above of the penalty methods.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> bough.simulate(system.build(), q={"angle": 0.5}, duration=2.0, dt=0.01, integrator="dop853")
    <Trajectory of 'pendulum': 201 instants, t = 0 to 2 s, finished>
    """
    if not isinstance(model, Model):
        raise ModelError(
            asked=f"simulate({validate.shown(model) if not isinstance(model, System) else repr(model)}, ...)",
            found="not a model",
            do="give system.build() in place of the system"
            if isinstance(model, System)
            else "give a model, made by system.build()",
        )
    where = f"a simulation of model {model.name!r}"
    if on_failure not in ("raise", "stop"):
        raise unknown_name("choice of on_failure", str(on_failure), ("raise", "stop"), where)
    method = _method(model, integrator, dt, alpha, stabilization, options, where)
    if duration is None:
        duration = _default_duration(model, where)
    state = q if isinstance(q, ReducedState) and method["integrator"] == "reduced" else None
    if isinstance(q, State):
        q, v, p, t0 = _continued(model, q, v, p, t0, where)
    if state is not None:  # velocities are defined in every orientation, momenta of angles do not tell them
        v, p = state.v, None
    times = grid(duration, method["dt"], every, 0.0 if t0 is None else t0, where)
    settings = {
        **method,
        "duration": times.duration,
        "t0": times.t0,
        "every": times.every,
        "assemble": bool(assemble),
    }
    order = settings["order"] if of_stages(settings) else 2
    try:
        begin, driven, applied, within = _start(model, q, v, p, u, k, times, assemble, order, where)
        check_servos(model, begin.q, times.dt, settings["integrator"], order, where)
        runner = _runner(
            Plan(model, times, begin.q, begin.v, begin.p, applied, driven, settings, state, stages=within)
        )
    except MemoryError:
        raise ModelError(
            asked=where,
            found=f"{times.steps} steps, of which {times.rows} are recorded: more than fits into the memory",
            do="record fewer of them with every=, give a larger dt or a shorter duration",
        ) from None
    return _run(runner, on_failure, progress)


def run_plan(plan: Plan, on_failure: str, shown: bool | None) -> Trajectory:
    """The run of a plan."""
    return _run(_runner(plan), on_failure, shown)


def _runner(plan: Plan) -> Runner:
    return family_of(plan.settings["integrator"], "a run")[0].runner(plan)


def _run(runner: Runner, on_failure: str, shown: bool | None) -> Trajectory:
    """Run to the end; whatever ends it early, what was computed is kept."""
    plan = runner.plan
    begin, begin_cpu = time.perf_counter(), time.thread_time()

    def so_far(status: str) -> Trajectory:
        used = time.thread_time() - begin_cpu
        run = runner.trajectory(status, time.perf_counter() - begin)
        run.statistics["cpu_time"] = used  # whatever else the machine does
        return run

    bar = Progress(plan.model.name, plan.grid.duration, shown, plan.grid.steps)
    with Interrupt() as interrupt, bar as progress:
        try:
            runner.run(interrupt, progress)
            interrupt.check()
        except (Interrupted, KeyboardInterrupt):
            run = so_far("interrupted")
            if on_failure == "stop":
                runner.warn(run)
                return run
            stopped = KeyboardInterrupt(
                f"simulation interrupted at t = {run.t[-1]:.6g}; the motion so far is its .trajectory"
            )
            stopped.trajectory = run  # type: ignore[attr-defined]
            raise stopped from None
        except Failure as failure:
            run = so_far("failed")
            if on_failure == "stop":
                runner.warn(run)
                return run
            raise _convergence_error(plan, failure, run) from failure.__cause__
        except Exception as error:  # of a function that the user gave
            error.trajectory = so_far("failed")  # type: ignore[attr-defined]
            raise
    run = so_far("finished")
    runner.warn(run)
    warn_of_gimbal_lock(run)
    warn_of_slack(run)
    return run


def _convergence_error(plan: Plan, failure: Failure, run: Trajectory) -> ConvergenceError:
    later = plan.grid.time(failure.step + 1)
    blamed = grown_input(plan.model.inputs, plan.inputs, failure.step)
    if blamed is not None:
        failure.found += (
            f"; before it, feedback drove input {blamed.name!r} from {blamed.before:.2g} to {blamed.now:.2g}:"
            f" inputs are held for a step, and a loop whose gains are high for dt = {plan.grid.dt:g} grows"
            " until a step fails"
        )
        failure.do = (
            "lower the gains or take a smaller dt; or let bough.Servo(variable, kp, kd, ...) hold the"
            " variable, which is evaluated inside the step and stable at any gain; the motion before it is in"
            " .trajectory of this exception (on_failure='stop' returns it instead)"
        )
    return ConvergenceError(
        asked=f"step {failure.step + 1} of {plan.grid.steps} of a simulation of model {plan.model.name!r},"
        f" from t = {failure.time:.6g} to {later:.6g}",
        found=failure.found,
        do=failure.do,
        time=failure.time,
        step=failure.step,
        iterations=failure.iterations,
        residual=failure.residual,
        trajectory=run,
    )


def _default_duration(model: Model, where: str) -> float:
    if model.start.duration is None:
        raise ModelError(
            asked=where,
            found="no duration, and the system has no start that says one",
            do="give duration=, in seconds",
        )
    return model.start.duration


def _continued(
    model: Model, state: State, v: Any, p: Any, t0: float | None, where: str
) -> tuple[Array, Array | None, Array | None, float]:
    if v is not None or p is not None:
        raise ModelError(
            asked=f"{'v' if v is not None else 'p'} in {where}",
            found="q is a state, which has its own velocities",
            do="give q=state alone, or q=state.q with other velocities",
        )
    momentum = None if state.p is None else momenta(model, state)
    return state.q, state.v if momentum is None else None, momentum, state.t if t0 is None else t0


def _method(
    model: Model,
    integrator: Any,
    dt: float | None,
    alpha: float | None,
    stabilization: Any,
    options: Mapping[str, Any],
    where: str,
) -> dict[str, Any]:
    """The settings of the integrator, checked."""
    if isinstance(integrator, VariationalIntegrator | ReducedVI):
        no_stabilization(stabilization, where)
        return _given(model, integrator, dt, alpha, options, where)
    family, name = family_of(integrator, where)
    known = family.options(name)
    for option in options:
        _check_option(option, name, where)
    if alpha is not None and "alpha" not in known:
        raise ModelError(
            asked=f"alpha={validate.shown(alpha)} in {where}",
            found=f"the integrator {name!r} has no alpha",
            do="leave alpha out, or use integrator='midpoint'",
        )
    size = step_size((model.start.dt or 0.01) if dt is None else dt, where)
    chosen = {**({} if alpha is None else {"alpha": alpha}), **options}
    return family.settings(Choice(model, name, size, stabilization, chosen, where))


def _check_option(option: str, integrator: str, where: str) -> None:
    """Raise where an integrator does not have an option."""
    known = options_of(integrator)
    if option in known:
        return
    others = [name for name in INTEGRATORS if option in options_of(name)]
    asked = f"option {option!r} in {where} with integrator {integrator!r}"
    if others:
        own = f"those of {integrator!r} are {quoted(known)}" if known else f"{integrator!r} has none"
        raise ModelError(
            asked=asked,
            found=f"an option of {quoted(others)}; {own}",
            do=f"leave {option} out, or use integrator={others[0]!r}",
        )
    arguments = list(inspect.signature(simulate).parameters)[1:-1]  # of the model, and options
    close = nearest(option, [*arguments, *known])
    if not close and not known:
        raise ModelError(asked=asked, found="an integrator without options", do=f"leave {option} out")
    raise unknown_name("option", option, close or known, f"{where} with integrator {integrator!r}")


def _given(
    model: Model,
    integrator: VariationalIntegrator | ReducedVI,
    dt: float | None,
    alpha: float | None,
    options: Mapping[str, Any],
    where: str,
) -> dict[str, Any]:
    """The settings of an integrator object: its own, which arguments may repeat but not contradict."""
    if integrator.model != model:
        raise ModelError(
            asked=f"integrator={integrator!r} in {where}",
            found=f"an integrator of another model, {integrator.model.name!r}",
            do="make the integrator for the model that is simulated",
        )
    settings = integrator.settings
    for option in options:
        _check_option(option, integrator.method, where)
    for name, value in {"dt": dt, "alpha": alpha, **options}.items():
        if value is not None and settings.get(name) != value:
            raise ModelError(
                asked=f"{name}={validate.shown(value)} in {where}",
                found=f"the integrator has {name}={validate.shown(settings[name])} of its own"
                if name in settings
                else f"the integrator has no {name}",
                do=f"leave {name} out, or give the integrator by name",
            )
    return settings


def _start(
    model: Model, q: Any, v: Any, p: Any, u: Any, k: Any, times: Grid, assemble: bool, order: int, where: str
) -> tuple[Any, Array, Inputs, Stages | None]:
    """The consistent start, the kinematic values of all nodes, the inputs of all steps, what is in between."""
    nd = model.nd
    if v is not None and p is not None:
        raise ModelError(
            asked=f"v and p in {where}",
            found="both velocities and momenta",
            do="give one of them",
        )
    named = q if isinstance(q, Mapping) else {}
    array = q is not None and not isinstance(q, Mapping)
    q, v = from_start(model, q, v) if p is None else (from_start(model, q)[0], None)
    q0 = np.zeros(model.nq) if q is None else single(q, model.variables, "q", where).copy()
    v0 = None if v is None else single(v, model.variables, "v", where)
    p0 = None if p is None else single(p, model.dynamic, "p", where, "dynamic variables")
    given = np.array([array or name in named for name in model.kinematic], dtype=bool)
    applied = inputs(model, u, times, where)
    driven = prescribed(model, k, q0[nd:], given, times, where)
    within = stages(model, u, k, applied, driven, times, order, where) if order > 2 else None
    vk = np.zeros(model.nk)
    if len(driven):
        q0[nd:] = driven[0]
    if len(driven) > 1:
        rates = (
            rate(driven, times.nodes())
            if within is None
            else kinematic_rates(driven, within, times, order)[0]
        )
        vk = rates[0]
    if v0 is not None:
        moving = v0[nd:] != 0.0
        if moving.any() and not len(driven):
            name = model.kinematic[int(np.argmax(moving))]
            raise ModelError(
                asked=f"v of {where}",
                found=f"a velocity for {name!r}, a kinematic variable that is held: k does not move it",
                do=f"prescribe its motion, such as k={{{name!r}: lambda t: ...}}, or leave it out of v",
            )
        vk = np.where(moving, v0[nd:], vk)
    if assemble:
        q0 = model.assemble(q=q0, t=times.t0).q
    return start(model, q0, v0, p0, vk, where, times.t0), driven, applied, within
