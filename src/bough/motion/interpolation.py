"""States between the instants of a run: cubic polynomials through configurations and velocities.

With h = t1 - t0, s = (t - t0) / h and values x0, x1 with rates v0, v1 at the ends,

    x(s)  = x0 + s h v0 + s² (3 d - h (2 v0 + v1)) + s³ (h (v0 + v1) - 2 d),    d = x1 - x0             (IH1)
    dx/dt = v0 + 2 s (3 d / h - 2 v0 - v1) + 3 s² (v0 + v1 - 2 d / h)                                    (IH2)

    |error of x| <= h⁴/384 max|x''''|,    |error of dx/dt| <= √3 h³/216 max|x''''|              (IH3), (IH4)

A free base on the group moves by x in the coordinates of the exponential map at its first pose,

    g = g0 exp(x),  x0 = 0,  x1 = log(g0^-1 g1),  dx/dt = dexp_{-x}^-1 xi                                (IH5)

The derivation is in docs/theory/interpolation.md. Where velocities jump between two rows, at an impact, the cubics end.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from bough import validate
from bough.arguments import Array
from bough.description.rotation import dexp
from bough.errors import ModelError
from bough.model.model import Model
from bough.motion.grid import ROUND_OFF
from bough.motion.state import State

if TYPE_CHECKING:
    from bough.motion.reduced_state import ReducedTrajectory
    from bough.motion.trajectory import Trajectory

End: TypeAlias = tuple[float, Array, Array]  # time, configuration and velocities


def hermite(s: float, h: float, x0: Array, v0: Array, x1: Array, v1: Array) -> tuple[Array, Array]:
    """The value and the rate of the cubic polynomial (IH1), (IH2)."""
    d = (x1 - x0) / h
    square, cube = 3.0 * d - 2.0 * v0 - v1, v0 + v1 - 2.0 * d
    return x0 + s * h * (v0 + s * (square + s * cube)), v0 + s * (2.0 * square + 3.0 * s * cube)


def sketches(
    model: Model,
    before: State,
    after: State,
    h: float,
    times: Sequence[float],
    parts: tuple[float, ...],
    momenta: bool,
) -> list[State]:
    """States at some times of a step of length h, parts of it, by cubics, with momenta M v if these are wanted."""
    ends = [np.asarray(x) for x in (before.q, before.v, after.q, after.v)]
    if model._balls:
        rows = [between(model, s, h, *ends) for s in parts]
    else:
        value, rate = _basis(parts)
        x = np.array([ends[0], ends[2], h * ends[1], h * ends[3]])
        q, v = value @ x, rate @ x
        v /= h
        q.flags.writeable = v.flags.writeable = False  # a state does not copy what is read-only
        rows = list(zip(q, v, strict=True))
    p = [model.momentum(*row)[: model.nd] if momenta else None for row in rows]
    return [State(t, *row, x, names=model._names) for t, row, x in zip(times, rows, p, strict=True)]


@lru_cache(maxsize=16)
def _basis(parts: tuple[float, ...]) -> tuple[Array, Array]:
    """What x0, x1, h v0, h v1 weigh in (IH1) and in h times (IH2) at parts s of the way, each (parts, 4)."""
    s = np.array(parts)
    one, line, square, cube = np.ones_like(s), s, s**2, s**3
    values = (one - 3 * square + 2 * cube, 3 * square - 2 * cube, line - 2 * square + cube, cube - square)
    rates = (6 * square - 6 * line, 6 * line - 6 * square, one - 4 * line + 3 * square, 3 * square - 2 * line)
    return np.stack(values, axis=1), np.stack(rates, axis=1)


def place(run: Trajectory, t: Any) -> tuple[int, float]:
    """The last row at or before a time, and the fraction of the way to the next row."""
    where = f"a run of model {run.model.name!r}"
    time = validate.real(t, "t", f"at() of {where}")
    times = np.asarray(run.t)
    backwards = times[0] > times[-1]
    low, high = (float(times[-1]), float(times[0])) if backwards else (float(times[0]), float(times[-1]))
    if abs(time - np.clip(time, low, high)) <= ROUND_OFF * max(abs(low), abs(high)):
        time = min(max(time, low), high)  # for times such as 3 * 0.1 of a run that ends at 0.3
    else:
        raise ModelError(
            asked=f"at({time:.12g}) of {where}",
            found=f"the run is from t = {low:.12g} to {high:.12g} s",
            do="give a time between these, or continue the run: bough.simulate(model, run[-1], ...)",
        )
    row = int(np.searchsorted(-times, -time) if backwards else np.searchsorted(times, time))
    if times[row] == time:
        return row, 0.0
    return row - 1, float((time - times[row - 1]) / (times[row] - times[row - 1]))


def state_at(run: Trajectory, t: Any) -> State:
    """The state of a run at any time; see `Trajectory.at`."""
    if "g" in run.extra:
        return reduced_state_at(cast("ReducedTrajectory", run), t)
    row, s = place(run, t)
    if s == 0.0:
        return run.state(row)
    (t0, q0, v0), (t1, q1, v1) = _ends(run, row, float(t))
    h = t1 - t0
    q, v = between(run.model, (float(t) - t0) / h, h, q0, v0, q1, v1)
    p = run.model.momentum(q, v)[: run.model.nd]
    return State(float(t), q, v, p, np.asarray(run.lam[row]), names=run.model._names)


def _ends(run: Trajectory, row: int, t: float) -> tuple[End, End]:
    """Two instants around t with nothing but smooth motion between them: rows, or impacts between rows."""
    first, last = ((float(run.t[i]), np.asarray(run.q[i]), np.asarray(run.v[i])) for i in (row, row + 1))
    for impact in getattr(run, "impacts", ()):
        if not first[0] < impact.t < last[0]:
            continue
        q = np.array(impact.q)
        if t < impact.t:
            return first, (impact.t, q, np.array(impact.v_before))
        first = (impact.t, q, np.array(impact.v_after))
    return first, last


def at_times(run: Trajectory, times: Any) -> Trajectory:
    """The states of a run at several times, as a trajectory."""
    from bough.motion.reduced_state import ReducedTrajectory
    from bough.motion.trajectory import Trajectory

    instants = np.asarray(times, dtype=float).ravel()
    where = f"a run of model {run.model.name!r}"
    if len(instants) == 0:
        raise ModelError(asked=f"at([]) of {where}", found="no times", do="give one time or more")
    steps = np.diff(instants)
    if (steps < 0.0).any() and ((steps > 0.0).any() or run.t[-1] >= run.t[0]):
        raise ModelError(
            asked=f"at({validate.shown(times)}) of {where}",
            found="times that do not follow each other as those of the run do",
            do="sort them: a trajectory of several times is a motion; one state is run.at(t) of one time",
        )
    states = [run.at(t) for t in instants.tolist()]
    parts = {name: [np.asarray(getattr(state, name)) for state in states] for name in ("v", "p", "lam")}
    known: dict[str, Any] = {
        name: np.array(rows) for name, rows in parts.items() if all(x.ndim == 1 for x in rows)
    }
    rows = [place(run, state.t)[0] for state in states]
    about: dict[str, Any] = {"u": np.asarray(run.u)[rows], "status": run.status, "settings": run.settings}
    t, q = [state.t for state in states], np.array([np.asarray(state.q) for state in states])
    if isinstance(run, ReducedTrajectory):
        extra = {name: np.array([getattr(state, name) for state in states]) for name in run.extra}
        return ReducedTrajectory(run.model, t, q, **extra, **known, **about)
    return Trajectory(run.model, t, q, **known, **about)


def reduced_state_at(run: ReducedTrajectory, t: Any) -> State:
    """The state of a run whose base moves on the group (IH5)."""
    from bough.model.retraction import Retraction
    from bough.motion import reduced_base as base
    from bough.motion.reduced_state import ReducedState

    row, s = place(run, t)
    if s == 0.0:
        return run.state(row)
    model, exp = run.model, Retraction("exp")
    shape = list(model._layout[1])
    h = float(run.t[row + 1] - run.t[row])
    (q0, q1), (v0, v1) = np.asarray(run.q[row : row + 2]), np.asarray(run.v[row : row + 2])
    r, rate = hermite(s, h, q0[shape], v0[shape], q1[shape], v1[shape])
    g0, g1 = run.g[row], run.g[row + 1]
    x1 = exp.inverse(np.linalg.solve(g0, g1))
    x, x_rate = hermite(s, h, np.zeros(6), run.xi[row], x1, exp.d_inverse(-x1) @ run.xi[row + 1])
    g, xi = g0 @ exp(x), exp.d(-x) @ x_rate
    begin = base.reduced_start(model, g, r, np.concatenate([xi, rate]), q0)
    q = base.configurations(model, g[None], r[None], q0)
    v = base.rates(model, q, begin.z[None])[0]
    p = base.momenta(model, q, g[None], begin.mu[None], begin.p[None])[0]
    return ReducedState(float(t), q[0], v, p, g=g, xi=xi, mu=begin.mu, names=model._names)


def between(
    model: Model, s: float, h: float, q0: Array, v0: Array, q1: Array, v1: Array
) -> tuple[Array, Array]:
    """q and v by cubics; with balls in the displacement from q0, as (IH5) for rotations."""
    if not model._balls:
        return hermite(s, h, q0, v0, q1, v1)
    x1 = model.difference(q0, q1)
    rate1 = v1.copy()
    for i, _ in model._balls.values():
        rate1[i : i + 3] = dexp(-x1[i : i + 3], inverse=True) @ v1[i : i + 3]
    x, rate = hermite(s, h, np.zeros(model.nv), v0, x1, rate1)
    v = rate.copy()
    for i, _ in model._balls.values():
        v[i : i + 3] = dexp(-x[i : i + 3]) @ rate[i : i + 3]
    return model.integrate(q0, x), v
