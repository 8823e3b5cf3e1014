"""The execution of a plan, ended by its last step, a failure, Ctrl-C or an error in a user's function."""

from __future__ import annotations

from bough.errors import ConvergenceError
from bough.integrators.observed_run import ObservedRun, without_rows
from bough.integrators.run import Failure, Plan, Run
from bough.motion.energy_check import warn_of_infinite_energy
from bough.motion.feedback import SERVO, grown_loop, unstable_input
from bough.motion.gimbal_lock import warn_of_gimbal_lock
from bough.motion.half_turns import warn_of_half_turns
from bough.motion.slack import warn_of_slack
from bough.motion.trajectory import Trajectory
from bough.registry import FAMILY
from bough.watch import Interrupted, Watch


def execute(plan: Plan, on_failure: str, shown: bool | None) -> Trajectory:
    """Run to the end; if the run ends early, the motion computed so far is kept.

    Parameters
    ----------
    on_failure : "raise" or "stop", as of `simulate`
    shown : whether a progress bar is shown; None: in a terminal, after a second
    """
    model, grid = plan.model, plan.grid
    family = FAMILY[plan.settings["integrator"]]
    within = plan.events or plan.instants is not None  # whether anything within steps is observed
    observed = within and not (family.adaptive or "tol" in plan.settings)
    runner = ObservedRun(plan, family.runner(without_rows(plan))) if observed else family.runner(plan)
    watch = Watch(model.name, grid.duration, grid.steps, shown)
    try:
        if shown:
            watch.look()
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
    except BaseException as error:  # raised by a user's function, or to end the program
        error.trajectory = _so_far(runner, watch, "failed")  # type: ignore[attr-defined]
        raise
    run = _so_far(runner, watch, "finished")
    if not (model._own_potentials and warn_of_infinite_energy(run)):
        runner.warn(run)
    if model._lock_angle >= 0:
        warn_of_gimbal_lock(run)
    if model._wires:
        warn_of_slack(run)
    if model._turning:
        warn_of_half_turns(run)
    return run


def _so_far(runner: Run, watch: Watch, status: str) -> Trajectory:
    """The trajectory computed so far; ends the watch."""
    wall, cpu = watch.close()
    run = runner.trajectory(status, wall)
    run.statistics["cpu_time"] = cpu  # independent of the load of the machine
    return run


def _convergence_error(plan: Plan, failure: Failure, run: Trajectory) -> ConvergenceError:
    name = f"a simulation of model {plan.model.name!r}, from t = {failure.time:.6g}"
    if plan.settings.get("control") == "reversible":
        asked = f"step {failure.step + 1} of {name} on"
        blamed = None
    else:
        later = plan.grid.time(failure.step + 1)
        asked = f"step {failure.step + 1} of {plan.grid.steps} of {name} to {later:.6g}"
        blamed = unstable_input(plan.model, plan.inputs, failure.step, run.q[-1], plan.grid.dt)
    if blamed is not None:
        failure.found += f"; before it, {grown_loop(blamed, plan.grid.dt)} until a step fails"
        failure.do = (
            f"lower the gains or take a smaller dt; or {SERVO}; the motion before it is in .trajectory of this"
            " exception (on_failure='stop' returns it instead)"
        )
    return ConvergenceError(
        asked=asked,
        found=failure.found,
        do=failure.do,
        time=failure.time,
        step=failure.step,
        iterations=failure.iterations,
        residual=failure.residual,
        trajectory=run,
    )
