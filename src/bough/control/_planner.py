"""`bough.control.reorient` and `bough.control.plan`: from a task to a trajectory with its inputs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from bough._grid import positive
from bough.arguments import Array, Vector
from bough.control._guess import is_degenerate, loops, resampled, some_guesses, straight_line, with_steps
from bough.control._motion import BASE, Motion, Task, turn
from bough.control._report import Display, failure
from bough.control._solver import Iterate, Result, Solver
from bough.control._task import Arguments, body_momentum, position, task, whole_number
from bough.errors import ModelError
from bough.forces import ConfigurationForce
from bough.model import Model
from bough.reduced import ReducedVI
from bough.reduced_state import ReducedTrajectory

LARGEST_TURN = 1.0  # rad, that the attitude is asked to change at once
COARSE = 30  # steps on which guesses are tried
TIGHTENING = (0.7, 0.45, 0.25, 0.1)  # of the first violation of limits, allowed in turn
KEPT = 3  # of the solutions without limits, tried as asked


def reorient(
    model: Model,
    target: Any,
    q: Vector | None = None,
    *,
    r: Vector | None = None,
    free: Any = (),
    duration: float,
    steps: int = 100,
    lower: Any = None,
    upper: Any = None,
    velocity: Any = None,
    effort: Any = None,
    weight: Any = 1.0,
    tolerance: float = 1e-8,
    max_iterations: int = 300,
    guesses: int = 8,
    progress: bool | None = None,
) -> ReducedTrajectory:
    """The motion of the joints with the least accelerations that turns a floating body, with zero momentum.

    The base follows the joints by the connection alone, g' = g tau(-h A u); the joints start and end at rest.
    The effort that is least is the sum of dt/2 weight a² over the joint accelerations a, held during each
    step. The joint forces that make the motion are the inputs of the trajectory.

    Parameters
    ----------
    model : Model
        All of it hangs from one `world.free(...)`, no gravity, a `ConfigurationForce` with its own input on
        every joint variable.
    target : 3x3 attitude of the base at the end, 4x4 pose, or None for any
        The position follows from the attitude and the shape, because the centre of mass stays. A pose whose
        position differs is refused.
    q : the start, by default zero
    r : the shape at the end, all joint variables or by name; by default that of the start
    free : names of joint variables that may end anywhere
    duration, steps : seconds, and how many steps of equal length
    lower, upper : limits of the joint variables, a number for all or by name
    velocity, effort : limits of the size of the joint velocities and accelerations, likewise
    weight : of each joint's effort, likewise
    tolerance : what the first-order conditions may leave, relative
    max_iterations : of Newton's method
    guesses : how many first guesses are tried on few steps; the best solution is refined on all steps. The
        first is the straight line from start to end in shape space, the others add loops. 1: the line alone.
    progress : show a line per iteration; by default in a terminal, after a second

    Returns
    -------
    ReducedTrajectory
        `run.g` are the poses of the base, `run.u` the joint forces: `bough.simulate(model, run.q[0],
        u=run.u[:-1], duration=run.t[-1], dt=run.t[1], integrator="reduced")` makes the same motion.
        `run.statistics` tells effort, iterations and residuals.
    """
    given = Arguments(target, q, None, r, free, duration, steps, lower, upper, velocity, effort, weight)
    return _planned(model, given, False, tolerance, max_iterations, guesses, progress)


def plan(
    model: Model,
    target: Any,
    q: Vector | None = None,
    *,
    v: Vector | None = None,
    r: Vector | None = None,
    free: Any = (),
    duration: float,
    steps: int = 100,
    lower: Any = None,
    upper: Any = None,
    velocity: Any = None,
    effort: Any = None,
    weight: Any = 1.0,
    tolerance: float = 1e-8,
    max_iterations: int = 300,
    guesses: int = 8,
    progress: bool | None = None,
) -> ReducedTrajectory:
    """The motion with the least joint forces that brings a floating body to an attitude and a shape.

    The discrete reduced dynamics hold exactly, with joint forces f held during each step; the sum of
    dt/2 weight f² is least. The joints start and end at rest. With v, the velocities of the six variables of
    the base, the body has angular momentum, which stays.

    The parameters are those of `reorient`, with `effort` the limit of the joint forces.
    """
    given = Arguments(target, q, v, r, free, duration, steps, lower, upper, velocity, effort, weight)
    return _planned(model, given, True, tolerance, max_iterations, guesses, progress)


def reachable_pose(model: Model, attitude: Any, r: Vector, q: Vector | None = None) -> Array:
    """The 4x4 pose of the base with an attitude and a shape r, its centre of mass where q has it."""
    whole = np.zeros(model.nq) if q is None else model._vector(q, "q")
    pose = np.eye(4)
    pose[:3, :3] = np.asarray(attitude, dtype=float)[:3, :3]
    pose[:3, 3] = position(model, whole, pose[:3, :3], model._shape_vector(r))
    return pose


def _planned(
    model: Model,
    given: Arguments,
    dynamic: bool,
    tolerance: Any,
    max_iterations: Any,
    guesses: Any,
    progress: bool | None,
) -> ReducedTrajectory:
    name = "plan" if dynamic else "reorient"
    where = f"control.{name}() of model {getattr(model, 'name', '?')!r}"
    goal = task(model, given, dynamic, where)
    small = positive(tolerance, "tolerance", where)
    most = whole_number(max_iterations, 1, "max_iterations", "such as max_iterations=300", where)
    tries = whole_number(guesses, 1, "guesses", "such as guesses=1 for the straight line alone", where)
    begin = time.perf_counter()
    result = _solved(goal, small, most, tries, Display(where, progress), where)
    run = trajectory(goal, result, where, time.perf_counter() - begin)
    if not result.converged:
        raise failure(goal, result, small, where, run)
    return run


def _solved(
    goal: Task, tolerance: float, max_iterations: int, guesses: int, display: Display, where: str
) -> Result:
    """Several guesses on few steps, the best of them on all; one guess on all steps where there is none."""
    line = straight_line(goal)
    _check_guess(goal, Motion(goal, line), where)
    if goal.attitude is not None and goal.n > 1 and guesses > 1:
        best = _best_guess(goal, guesses, max_iterations, display)
        if best is not None:
            result = _tightened(goal, best, tolerance, max_iterations, display)
            if result.converged:
                return result
    if is_degenerate(goal) and goal.attitude is not None:
        line = loops(goal, goal.attitude)
    return _from_guess(goal, line, tolerance, max_iterations, display)


def _best_guess(goal: Task, guesses: int, max_iterations: int, display: Display) -> Array | None:
    """Joint velocities near the best of the solutions on few steps, or None  (G6).

    All guesses are tried with accelerations for efforts and without limits, the best of them as asked.
    """
    coarse = with_steps(goal, min(goal.steps, COARSE))
    easy = _kinematic(coarse)
    most = min(max_iterations, 60)
    found: list[Result] = []
    candidates = [u for u in some_guesses(coarse, guesses) if Motion(easy, u).failed == 0]
    for number, u in enumerate(candidates, start=1):
        result = _from_guess(easy, u, 1e-3, most, _silent)
        told = f"effort {result.motion.effort:.6g}" if result.converged else "no solution"
        display.say(f"guess {number} of {len(candidates)} on {coarse.steps} steps: {told}")
        if result.converged:
            found.append(result)
    found = _different(found)[:KEPT]
    if coarse.dynamic or _is_limited(coarse):
        tried = [_tightened(coarse, result.motion.u, 1e-3, most, _silent) for result in found]
        found = _different([result for result in tried if result.converged]) or found
    return resampled(goal, found[0].motion.r) if found else None


def _different(results: list[Result]) -> list[Result]:
    """Those of different effort, the least first."""
    ordered = sorted(results, key=lambda result: result.motion.effort)
    kept = [
        result
        for before, result in zip([None, *ordered], ordered, strict=False)
        if before is None or result.motion.effort > 1.001 * before.motion.effort
    ]
    return kept


def _is_limited(goal: Task) -> bool:
    return bool(np.isfinite([goal.low, goal.high]).any())


def _silent(row: Iterate) -> None:
    """No display."""


def _from_guess(
    goal: Task, u: Array, tolerance: float, max_iterations: int, display: Callable[[Iterate], None]
) -> Result:
    """Newton's method; a large turn is asked for in parts, each from the motion of the one before  (G5)."""
    tasks = [goal]
    if goal.attitude is not None:
        reached = Motion(goal, u).g[-1, :3, :3]
        whole = turn(reached.T @ goal.attitude)
        parts = max(1, int(np.ceil(np.linalg.norm(whole) / LARGEST_TURN)))
        asked = [reached @ _rotation(whole * (i + 1) / parts) for i in range(parts - 1)]
        tasks = [*(replace(goal, attitude=attitude) for attitude in asked), goal]
    if goal.dynamic or _is_limited(goal):
        # the least accelerations without limits are found from farther away, and are near what is asked
        tasks = [_kinematic(part) for part in tasks] + [goal]
    used = 0
    for part in tasks[:-1]:
        result = Solver(part, _scale(part, u), display).solve(u, 1e-3, 60)
        used += result.iterations
        u = result.motion.u
    result = _tightened(goal, u, tolerance, max_iterations, display)
    return result._replace(iterations=used + result.iterations)


def _tightened(
    goal: Task, u: Array, tolerance: float, max_iterations: int, display: Callable[[Iterate], None]
) -> Result:
    """Newton's method from a motion that may violate limits: they close in on it part by part  (G7)."""
    used = 0
    above, below = _violation(goal, u)
    if max(above.max(), below.max()) > 0.0:
        result = Solver(_unlimited(goal), _scale(goal, u), display).solve(u, 1e-3, 60)
        used, u = result.iterations, result.motion.u
        above, below = _violation(goal, u)
    if max(above.max(), below.max()) > 0.0:
        for part in TIGHTENING:
            wider = replace(goal, low=goal.low - part * below, high=goal.high + part * above)
            result = Solver(wider, _scale(wider, u), display).solve(u, 1e-2, 60)
            used += result.iterations
            u = result.motion.u
    result = Solver(goal, _scale(goal, u), display).solve(u, tolerance, max_iterations)
    return result._replace(iterations=used + result.iterations)


def _kinematic(goal: Task) -> Task:
    """The same task with accelerations for efforts and without limits."""
    scale = np.ones(goal.n) / (goal.steps * goal.h)
    return replace(_unlimited(goal), dynamic=False, end_momentum=np.zeros(goal.n), momentum_scale=scale)


def _unlimited(goal: Task) -> Task:
    none = np.full(3 * goal.n, np.inf)
    return replace(goal, low=-none, high=none)


def _violation(goal: Task, u: Array) -> tuple[Array, Array]:
    """By how much a motion is above and below its limits, (3 n,) each."""
    y = Motion(goal, u).limited
    above, below = (np.maximum(x.max(axis=0), 0.0) for x in (y - goal.high, goal.low - y))
    return above, below


def _check_guess(goal: Task, guess: Motion, where: str) -> None:
    if guess.failed > 0:
        raise ModelError(
            asked=where,
            found=f"the locked inertia is singular in step {guess.failed} of the straight line to the end:"
            " all mass is on one line",
            do="give the base a mass and an inertia, or another shape at the end",
        )
    if guess.failed < 0:
        raise ModelError(
            asked=where,
            found=f"no motion of the base in step {-guess.failed} of the straight line to the end",
            do="give more steps or a longer duration",
        )


def _scale(goal: Task, u: Array) -> float:
    """A typical effort: of the guess, or of joints that move by one unit at rest at both ends if more."""
    duration = goal.steps * goal.h
    typical = 4.0 * goal.momentum_scale / duration
    return max(Motion(goal, u).effort, float(0.5 * duration * np.sum(goal.weight * typical**2)))


def _rotation(vector: Array) -> Array:
    from scipy.spatial.transform import Rotation

    matrix: Array = Rotation.from_rotvec(vector).as_matrix()
    return matrix


def trajectory(goal: Task, result: Result, where: str, wall_time: float) -> ReducedTrajectory:
    """The motion as a trajectory: Euler angles of the base, momenta, joint forces as inputs."""
    model, motion = goal.model, result.motion
    driven = motion if goal.dynamic else Motion(goal, motion.u, dynamic=True)
    forces = np.vstack((driven.f, driven.f[-1:]))
    u = np.empty_like(forces)
    for element in cast(tuple[ConfigurationForce, ...], model._elements):
        u[:, model.inputs.index(str(element.value))] = forces[:, model.index(element.variable) - BASE]
    q = np.hstack((_base_variables(motion.g), motion.r))
    reached = motion.g[-1]
    statistics = {
        "iterations": result.iterations,
        "converged": result.converged,
        "effort": motion.effort,
        "first_order": result.gradient,
        "end_missed": result.ends,
        "limits_missed": result.limits,
        "drift": float(np.linalg.norm(reached[:3, 3] - position(model, q[0], reached[:3, :3], motion.r[-1]))),
        "wall_time": wall_time,
    }
    settings = {
        "made_by": where,
        **ReducedVI(model, goal.h).settings,
        "duration": goal.steps * goal.h,
        "t0": 0.0,
        "every": 1,
        "assemble": False,
        "steps": goal.steps,
    }
    spatial = goal.momentum if goal.momentum.size else np.zeros(BASE)
    return ReducedTrajectory(
        model,
        goal.h * np.arange(goal.steps + 1),
        q,
        g=motion.g,
        xi=_twists(model, motion, driven.p, spatial),
        mu=np.tile(spatial, (len(q), 1)),
        p=np.hstack((_base_momenta(goal, motion.g), driven.p)),
        u=u,
        status="finished" if result.converged else "failed",
        settings=settings,
        statistics=statistics,
        driving=(u[:-1], np.zeros((0, 0))),
    )


def _twists(model: Model, motion: Motion, p: Array, spatial: Array) -> Array:
    """The velocities of the base at the nodes, those of the momenta: xi = I^-1 mu - A S^-1 (p - A^T mu)."""
    at = model.reduced(motion.r, order=0)
    mu = np.array([body_momentum(spatial, pose) for pose in motion.g])
    u = np.linalg.solve(at.S, (p - np.einsum("kij,ki->kj", at.A, mu))[..., None])
    xi: Array = (np.linalg.solve(at.I, mu[..., None]) - at.A @ u)[..., 0]
    return xi


def _base_variables(g: Array) -> Array:
    """tx, ty, tz, rz, ry, rx of poses, angles without jumps."""
    R = g[:, :3, :3]
    rz = np.arctan2(R[:, 1, 0], R[:, 0, 0])
    ry = np.arctan2(-R[:, 2, 0], np.hypot(R[:, 0, 0], R[:, 1, 0]))
    rx = np.arctan2(R[:, 2, 1], R[:, 2, 2])
    return np.column_stack((g[:, :3, 3], np.unwrap(np.column_stack((rz, ry, rx)), axis=0)))


def _base_momenta(goal: Task, g: Array) -> Array:
    """The momenta of tx, ty, tz, rz, ry, rx: the body momentum along the axes of these motions."""
    out = np.zeros((len(g), BASE))
    if not goal.momentum.size:
        return out
    angles = _base_variables(g)[:, 3:]
    for row, pose, (_, _, rx) in zip(out, g, angles, strict=True):
        moment = body_momentum(goal.momentum, pose)[:3]
        row[:3] = goal.momentum[3:]
        row[3] = moment @ pose[2, :3]
        row[4] = moment @ (0.0, np.cos(rx), -np.sin(rx))
        row[5] = moment[0]
    return out
