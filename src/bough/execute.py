"""The execution of a plan, ended by its last step, a failure, Ctrl-C or an error in a user's function."""

from __future__ import annotations

from bough.errors import ConvergenceError
from bough.integrators.run import Failure, Plan, Run
from bough.motion.gimbal_lock import warn_of_gimbal_lock
from bough.motion.inputs import grown_input
from bough.motion.slack import warn_of_slack
from bough.motion.trajectory import Trajectory
from bough.registry import family_of
from bough.watch import Interrupted, Watch


def execute(plan: Plan, on_failure: str, shown: bool | None) -> Trajectory:
    """Run to the end; if the run ends early, the motion computed so far is kept.

    Parameters
    ----------
    on_failure : "raise" or "stop", as of `simulate`
    shown : whether a progress bar is shown; None: in a terminal, after a second
    """
    runner = family_of(plan.settings["integrator"], "a run")[0].runner(plan)
    watch = Watch(plan.model.name, plan.grid.duration, plan.grid.steps, shown)
    try:
        runner.run(watch)
        if watch.asked:  # during the last steps
            raise Interrupted
    except (Interrupted, KeyboardInterrupt):
        run = _so_far(runner, watch, "interrupted")
        if on_failure == "stop":
            runner.warn(run)
            return run
        stopped = KeyboardInterrupt(
            f"simulation interrupted at t = {run.t[-1]:.6g}; the motion so far is its .trajectory"
        )
        stopped.trajectory = run  # type: ignore[attr-defined]
        raise stopped from None
    except Failure as failure:
        run = _so_far(runner, watch, "failed")
        if on_failure == "stop":
            runner.warn(run)
            return run
        raise _convergence_error(plan, failure, run) from failure.__cause__
    except Exception as error:  # raised by a user's function
        error.trajectory = _so_far(runner, watch, "failed")  # type: ignore[attr-defined]
        raise
    finally:
        watch.close()
    run = _so_far(runner, watch, "finished")
    runner.warn(run)
    if plan.model._lock_angle >= 0:
        warn_of_gimbal_lock(run)
    if any(getattr(element, "wire", None) for element in plan.model._elements):
        warn_of_slack(run)
    return run


def _so_far(runner: Run, watch: Watch, status: str) -> Trajectory:
    """The trajectory computed so far."""
    wall, cpu = watch.times()
    run = runner.trajectory(status, wall)
    run.statistics["cpu_time"] = cpu  # independent of the load of the machine
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
