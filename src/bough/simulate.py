"""`bough.simulate`: from a model and a start to a trajectory."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from bough.arguments import Vector
from bough.integrators.reduced import ReducedVI
from bough.integrators.variational import VariationalIntegrator
from bough.model.model import Model
from bough.motion.degrees import LARGE, warn_of_degrees
from bough.motion.named_start import warn_of
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.problem import Problem


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
    events: Any = None,
    t_eval: npt.ArrayLike | None = None,
    dense: bool = False,
    **options: Any,
) -> Trajectory:
    """The motion of a model from a start configuration.

    Parameters
    ----------
    model : Model
    q, v, p : start
        Configuration (by default zero), and velocities or momenta (by default at rest), as arrays or by name.
        A `State` as q, such as `run[-1]`, continues from there; v or p by name change single values of it. If
        the system has a start (`model.start`), the run begins there: numbers by name change single values of
        it, an array as q replaces it. Velocities given by name are kept, and the constraints change the others.
    duration : float
        The end is at t0 + duration exactly: if this is not a whole number of steps, the last one is shorter.
        By default that of the system's start.
    dt : float
        The step, by default that of the system's start, or 0.01. With "dop853" and SciPy's methods it is the
        distance of the instants recorded.
    integrator : str or integrator
        "midpoint", "trapezoidal" (variational), "reduced" (variational, a free base as a pose);
        "semi-implicit-euler", "rk4", "implicit-midpoint" (of fixed
        step, on the equations of motion); "dop853" (on these, with steps of its own choice); "scipy-dop853",
        "rk45", "rk23", "radau", "bdf", "lsoda" (SciPy);
        "velocity", "penalty-explicit", "penalty-implicit" (maximal coordinates: docs/formulations.md); or an
        object such as `MidpointVI(model, dt)`.
    u : inputs
        Numbers by name or an array (nu,), constant, or a number if there is one input; an array (steps, nu), one
        row per step; a function u(t, state), called at the start of each step; a function of time alone, such
        as a SciPy spline; or by name any of these for one input. The inputs are held during a step, but "midpoint"
        with order=4, 6, 8 and without balls calls functions of time at its stages. Default: zero.
    k : values of the kinematic variables
        A function k(t) -> (nk,), an array (steps + 1, nk), or by name a number, an array (steps + 1,) or a
        function of t. Those not given are held at their start. Between the nodes they are linear, but "midpoint"
        with order=4, 6, 8 and without balls calls functions in between too.
    every : int
        Record every this many steps; the first and the last instant are always recorded.
    alpha : float
        The parameter of "midpoint" and "reduced", 0.5 by default.
    t0 : float
        The time of the start, 0 by default.
    on_failure : "raise" or "stop"
        When a step fails, raise `ConvergenceError`, or return the motion up to there with status "failed".
        On Ctrl-C, raise `KeyboardInterrupt`, or return it with status "interrupted". Both exceptions carry it
        as `.trajectory`.
    assemble : bool
        Start from the nearest configuration that meets the constraints. The values that q gives by name are
        kept, those named first before others, and it warns of one that cannot be.
    progress : bool or None
        Show a progress bar; by default in a terminal, in runs longer than a second.
    stabilization : None, "projection" or ("baumgarte", g1, g2)
        The remedy of all but the variational integrators against drift off the constraints h: none; project
        the state after every step of the method and every dt; or h'' + 2 g1 h' + g2² h = 0. "velocity" takes
        None or "projection".
    events : functions g(t, state), or expressions such as "pose tip z = 0.1"
        Their zeros are found to round-off and listed in `run.events`. As in SciPy, g.terminal = True ends the
        run at the first (a number: at so many), g.direction = 1 or -1 counts only zeros where g rises or
        falls. Not in maximal coordinates.
    t_eval : times to record in place of the nodes
        The steps stay as they are; a state within a step has the order of the method.
    dense : bool
        `run.at(t)` gives states of the order of the method between the instants, by steps from them.
    tol : float, without dt
        The steps are chosen: the error of q allowed over twenty steps at the start (docs/time.md).
    **options
        tolerance, constraint_tolerance, max_iterations, max_halvings, order of the variational integrators;
        tau, tolerance, max_iterations, max_halvings of "reduced"; tolerance, max_iterations of
        "implicit-midpoint"; rtol, atol, max_step, first_step of "dop853" and SciPy's methods;
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
    problem = Problem.__new__(Problem)
    start = (q, v, p, duration, dt, integrator, u, k, every, alpha, t0, assemble)
    problem._make(model, (*start, stabilization, events, t_eval, dense), options, "simulate")
    if problem._unkept:
        warn_of(*problem._unkept.values())
    if isinstance(q, dict) and any(isinstance(x, int | float) and abs(x) >= LARGE for x in q.values()):
        warn_of_degrees(model, q)
    return problem.run(on_failure=on_failure, progress=progress)
