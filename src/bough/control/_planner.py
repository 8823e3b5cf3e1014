"""`bough.control.reorient` and `bough.control.plan`: from a task to a trajectory with its inputs."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, cast

import numpy as np

from bough.arguments import Array, Vector
from bough.control._motion import BASE, Motion, Task
from bough.control._report import Display, failure
from bough.control._search import Found, Search, check_line
from bough.control._task import Arguments, position, reachable, task, whole_number
from bough.elements.forces import ConfigurationForce
from bough.errors import ModelError, unknown_name
from bough.integrators.reduced import ReducedVI
from bough.model.model import Model
from bough.motion import reduced_base as base
from bough.motion.reduced_state import ReducedTrajectory
from bough.motion.trajectory import Driving
from bough.validate import positive


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
    **unknown: Any,
) -> ReducedTrajectory:
    """The motion of the joints with the least accelerations that turns a floating body, with zero momentum.

    The base follows the joints by the connection alone, g' = g tau(-h A r'); the joints start and end at rest.
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
    weight : weight of each joint's effort, likewise
    tolerance : the relative residual allowed in the first-order conditions
    max_iterations : largest number of Newton iterations for the solution on all steps. Motions on the way to
        it (guesses, parts of a large turn, limits that close in) have 60 each. Both end early if 40 (on the
        way 20) iterations bring neither less effort nor smaller residuals, or if 5 steps in a row are shorter
        than 1 % of Newton's.
    guesses : how many first guesses are tried on few steps; the solution of least effort is refined on all
        steps. The first is the straight line from start to end in shape space, the others add loops. 1: the
        line alone, on all steps.
    progress : True prints a row per iteration, False nothing; by default a line in a terminal tells after a
        second how far the search is

    Returns
    -------
    ReducedTrajectory
        `run.g` are the poses of the base, `run.u` the joint forces: `bough.simulate(model, run.q[0],
        u=run.u[:-1], duration=run.t[-1], dt=run.t[1], integrator="reduced")` makes the same motion.
        `run.statistics` tells effort, iterations and residuals. On Ctrl-C the motion that the search was at, with
        status "interrupted".

    Examples
    --------
    >>> import numpy as np
    >>> import bough
    >>> system = bough.System("satellite", gravity=None)
    >>> base = system.world.free("base", name="base", mass=20.0, inertia=(2.0, 1.6, 1.8))
    >>> arm = base.tx(0.4).rz("yaw").tx(0.7, name="arm", mass=3.0, inertia=(0.02, 0.13, 0.13))
    >>> hand = arm.rz("elbow").tx(0.6, name="hand", mass=2.0, inertia=(0.01, 0.08, 0.08))
    >>> motors = [system.add(bough.ConfigurationForce(joint, f"{joint} motor")) for joint in ("yaw", "elbow")]
    >>> model = system.build()
    >>> turn = np.eye(3)
    >>> turn[:2, :2] = [[np.cos(0.1), -np.sin(0.1)], [np.sin(0.1), np.cos(0.1)]]  # 0.1 rad about z
    >>> run = bough.control.reorient(model, turn, {"elbow": 1.0}, duration=5.0, steps=10, guesses=1)
    >>> bool(np.allclose(model.pose("base", run.q[-1])[:3, :3], turn, atol=1e-6))
    True
    """
    given = Arguments(target, q, None, r, free, duration, steps, lower, upper, velocity, effort, weight)
    return _plan(model, given, False, tolerance, max_iterations, guesses, progress, unknown)


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
    **unknown: Any,
) -> ReducedTrajectory:
    """The motion with the least joint forces that brings a floating body to an attitude and a shape.

    The discrete reduced dynamics hold exactly, with joint forces f held during each step; the sum of
    dt/2 weight f² is least. The joints start and end at rest. With v, the velocities of the six variables of
    the base, the body has angular momentum, which stays.

    The parameters are those of `reorient`, with `effort` the limit of the joint forces.

    Examples
    --------
    >>> import numpy as np
    >>> import bough
    >>> system = bough.System("satellite", gravity=None)
    >>> base = system.world.free("base", name="base", mass=20.0, inertia=(2.0, 1.6, 1.8))
    >>> arm = base.tx(0.4).rz("yaw").tx(0.7, name="arm", mass=3.0, inertia=(0.02, 0.13, 0.13))
    >>> hand = arm.rz("elbow").tx(0.6, name="hand", mass=2.0, inertia=(0.01, 0.08, 0.08))
    >>> motors = [system.add(bough.ConfigurationForce(joint, f"{joint} motor")) for joint in ("yaw", "elbow")]
    >>> model = system.build()
    >>> turn = np.eye(3)
    >>> turn[:2, :2] = [[np.cos(0.1), -np.sin(0.1)], [np.sin(0.1), np.cos(0.1)]]  # 0.1 rad about z
    >>> run = bough.control.plan(model, turn, {"elbow": 1.0}, duration=5.0, steps=10, guesses=1)
    >>> bool(np.allclose(model.pose("base", run.q[-1])[:3, :3], turn, atol=1e-6))
    True
    """
    given = Arguments(target, q, v, r, free, duration, steps, lower, upper, velocity, effort, weight)
    return _plan(model, given, True, tolerance, max_iterations, guesses, progress, unknown)


def reachable_pose(model: Model, target: Any, q: Vector | None = None, *, r: Vector | None = None) -> Array:
    """The 4x4 pose of the base at the end of a motion from q, with an attitude and a shape.

    The centre of mass stays fixed, so these two determine the position.

    Parameters
    ----------
    model : Model
    target : 3x3 attitude of the base at the end; of a 4x4 pose the attitude counts
    q : the start, by default zero
    r : the shape at the end, all joint variables or by name; by default that of the start

    Examples
    --------
    >>> import numpy as np
    >>> import bough
    >>> system = bough.System("satellite", gravity=None)
    >>> base = system.world.free("base", name="base", mass=20.0, inertia=(2.0, 1.6, 1.8))
    >>> arm = base.tx(0.4).rz("yaw").tx(0.7, name="arm", mass=3.0, inertia=(0.02, 0.13, 0.13))
    >>> hand = arm.rz("elbow").tx(0.6, name="hand", mass=2.0, inertia=(0.01, 0.08, 0.08))
    >>> motors = [system.add(bough.ConfigurationForce(joint, f"{joint} motor")) for joint in ("yaw", "elbow")]
    >>> model = system.build()
    >>> turn = np.eye(3)
    >>> turn[:2, :2] = [[np.cos(0.1), -np.sin(0.1)], [np.sin(0.1), np.cos(0.1)]]  # 0.1 rad about z
    >>> pose = bough.control.reachable_pose(model, turn, {"elbow": 1.0})
    >>> bool(np.allclose(pose[:3, :3], turn))
    True
    """
    return reachable(
        model, target, q, r, f"control.reachable_pose() of model {getattr(model, 'name', '?')!r}"
    )


def _plan(
    model: Model,
    given: Arguments,
    dynamic: bool,
    tolerance: Any,
    max_iterations: Any,
    guesses: Any,
    progress: bool | None,
    unknown: Mapping[str, Any],
) -> ReducedTrajectory:
    name = "plan" if dynamic else "reorient"
    where = f"control.{name}() of model {getattr(model, 'name', '?')!r}"
    for option in unknown:
        _refuse(option, plan if dynamic else reorient, where)
    goal = task(model, given, dynamic, where)
    small = positive(tolerance, "tolerance", where)
    most = whole_number(max_iterations, 1, "max_iterations", "such as max_iterations=300", where)
    tries = whole_number(guesses, 1, "guesses", "such as guesses=1 for the straight line alone", where)
    check_line(goal, where)
    begin = time.perf_counter()
    with Display(where, progress) as display:
        result = Search(goal, small, most, display, where).best(tries)
    run = trajectory(goal, result, where, time.perf_counter() - begin)
    if result.status not in ("converged", "interrupted"):
        raise failure(goal, result, small, where, run)
    return run


def _refuse(option: str, planner: Callable[..., Any], where: str) -> NoReturn:
    if option == "v":
        raise ModelError(
            asked=f"v in {where}",
            found="a velocity at the start, but reorient turns a body that is at rest",
            do="use bough.control.plan, which takes v",
        )
    known = [name for name, p in inspect.signature(planner).parameters.items() if p.kind is p.KEYWORD_ONLY]
    raise unknown_name("option", option, known, where, len(known))


def trajectory(goal: Task, result: Found, where: str, wall_time: float) -> ReducedTrajectory:
    """The motion as a trajectory: Euler angles of the base, momenta, joint forces as inputs."""
    model, motion = goal.model, result.motion
    driven = motion if goal.dynamic else Motion(goal, motion.rates, dynamic=True)
    forces = np.vstack((driven.f, driven.f[-1:]))
    u = np.empty_like(forces)
    for element in cast(tuple[ConfigurationForce, ...], model._elements):
        u[:, model.inputs.index(str(element.value))] = forces[:, model.index(element.variable) - BASE]
    q = base.configurations(model, motion.g, motion.r, np.concatenate((goal.base, goal.start)))
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
    mu = np.zeros((len(q), BASE))
    if goal.momentum.size:
        mu[:] = goal.momentum
    z = base.velocities(model, motion.g, motion.r, mu, driven.p, np.zeros((len(q), 0)))
    return ReducedTrajectory(
        model,
        goal.h * np.arange(goal.steps + 1),
        q,
        g=motion.g,
        xi=z[:, :BASE],
        mu=mu,
        p=base.momenta(model, q, motion.g, mu, driven.p),
        u=u,
        status={"converged": "finished", "interrupted": "interrupted"}.get(result.status, "failed"),
        settings=settings,
        statistics=statistics,
        driving=Driving(u[:-1], np.zeros((0, 0))),
    )
