"""`bough.control.identify`: parameters of a model from measured motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.optimize

from bough.arguments import Array, Vector
from bough.control._fit import Fit
from bough.control._linearize import check_method
from bough.control._records import records
from bough.errors import BoughError, BoughWarning, ConvergenceError, ModelError, quoted, unknown_name, warn
from bough.model.model import Model
from bough.validate import positive

STATIONARY = 1e-3  # cosine between residual and its derivatives that counts as zero
EXACT = 1e-9  # residual that is no more than round-off
ON_BOUND = 1e-6  # distance from a bound that counts as none, relative to 1 + |value|


@dataclass(frozen=True)
class Identification:
    """Parameters of a model found from measured motions.

    Attributes
    ----------
    model : Model
        With the values found.
    values, uncertainty : dict
        By name: the value, and its standard deviation.
    covariance : array (parameters, parameters)
    residual : float
        Root mean square of what is left, in units of the noise if that was given.
    starts : list of (q, v)
        Of the runs; fitted if `fit_start`.
    iterations : int
    at_bound : tuple of names
        Parameters that ended on one of their `bounds`: the measurements ask for a value beyond it.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-system.parameter("length", 1.0), name="bob", mass=1.0)
    >>> model = system.build()
    >>> measured = bough.simulate(model.with_parameters(length=1.3), q={"angle": 0.5}, duration=2.0, dt=0.02)
    >>> fit = bough.control.identify(model, measured, ["length"])
    >>> round(fit.values["length"], 6), fit.model.parameters["length"] == fit.values["length"]
    (1.3, True)
    """

    model: Model
    values: dict[str, float]
    uncertainty: dict[str, float]
    covariance: Array
    residual: float
    starts: list[tuple[Array, Array]]
    iterations: int
    at_bound: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [
            f"{name} = {value:.6g} ± {self.uncertainty[name]:.2g}"
            + (" (at its bound)" if name in self.at_bound else "")
            for name, value in self.values.items()
        ]
        return "\n".join([*lines, f"residual {self.residual:.3g}"])


def identify(
    model: Model,
    runs: Any,
    parameters: Sequence[str],
    *,
    measure: str | Sequence[str] | None = None,
    noise: Any = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    q: Vector | None = None,
    v: Vector | None = None,
    fit_start: bool = False,
    dt: float | None = None,
    integrator: str = "midpoint",
    tolerance: float = 1e-10,
    max_iterations: int = 50,
) -> Identification:
    """Parameters whose motions fit measured ones best, with their uncertainties.

    Least squares by a Gauss-Newton method whose derivatives of whole motions are exact: the chain of the exact
    derivatives of their steps.

    Parameters
    ----------
    model : Model
        Its `system.parameter(...)` values are the first guess.
    runs : one measured motion, or a list
        A Trajectory; a mapping from names to arrays with "t", such as {"t": t, "angle": angle, "torque": u}; a
        CSV file with these names in its first row; a pandas.DataFrame. Names are those of variables,
        velocities ("v.angle"), frames ("hand" (rows, 3), or "hand.x"), inputs and kinematic variables. NaN
        marks values that are missing. A mapping may have "q" and "v", its start.
    parameters : names of parameters
    measure : which columns count, by default all but velocities; columns of other names are then left out
    noise : standard deviation of the measurements, a number or by column; by default it is estimated from what
        the fit leaves, the same for all
    bounds : (least, largest) by parameter
    q, v : the start of runs that do not say it, by default what is measured first, at rest
    fit_start : whether the start of each run is fitted too; not with constraints
    dt : the step, by default the interval of the measurements, which it divides
    tolerance, max_iterations : of the least-squares method

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum", gravity=(0, 0, -9.81))
    >>> bob = system.world.ry("angle").tz(-system.parameter("length", 1.0), name="bob", mass=1.0)
    >>> model = system.build()
    >>> run = bough.simulate(model.with_parameters(length=1.3), q={"angle": 0.5}, duration=2.0, dt=0.02)
    >>> fit = bough.control.identify(model, run, ["length"])
    >>> round(fit.values["length"], 6)
    1.3
    """
    where = f"control.identify() of model {getattr(model, 'name', '?')!r}"
    names = _names(model, parameters, where)
    check_method(integrator, where)
    small = positive(tolerance, "tolerance", where)
    chosen = (measure,) if isinstance(measure, str) else measure
    fits = [
        Fit(model, record, names, (q, v), fit_start, dt, integrator, noise, where)
        for record in records(model, runs, chosen, where)
    ]
    first = np.array([model.parameters[name] for name in names])
    extra = np.concatenate([fit.start_values() for fit in fits]) if fit_start else np.zeros(0)
    low, high = _bounds(bounds, names, first, where)
    unknown = np.concatenate([first, extra])
    problem = _Problem(fits, len(names))
    _check_rank(problem.jacobian(unknown), names, where)
    wide = np.full(len(extra), np.inf)
    found = scipy.optimize.least_squares(
        problem.residual,
        unknown,
        problem.jacobian,
        (np.concatenate([low, -wide]), np.concatenate([high, wide])),
        x_scale="jac",
        xtol=small,
        ftol=small,
        gtol=1e-14,
        max_nfev=max_iterations,
    )
    _check_border(found, names, problem, where)
    result = _result(model, names, fits, problem, found, noise is not None, where)
    return replace(result, at_bound=_at_bound(found, names, low, high, where))


def _result(
    model: Model,
    names: tuple[str, ...],
    fits: list[Fit],
    problem: _Problem,
    found: Any,
    known: bool,
    where: str,
) -> Identification:
    if not found.success:
        raise ConvergenceError(
            asked=where,
            found=f"no fit after {found.nfev} evaluations; what is left is {np.sqrt(np.mean(found.fun**2)):.3g}",
            do="give a better first guess, bounds, or more max_iterations",
            iterations=int(found.nfev),
            residual=float(found.optimality),
        )
    J, r = found.jac, found.fun
    _check_rank(J, names, where)
    count = max(len(r) - len(found.x), 1)
    scale = 1.0 if known else float(r @ r) / count
    covariance = scale * np.linalg.inv(J.T @ J)[: len(names), : len(names)]
    values = dict(zip(names, found.x[: len(names)].tolist(), strict=True))
    fitted = model.with_parameters(**values)
    problem.residual(found.x)
    starts = [fit.start(found.x) for fit in fits]
    spread = dict(zip(names, np.sqrt(np.diag(covariance)).tolist(), strict=True))
    rms = float(np.sqrt(np.mean(r**2)))
    return Identification(fitted, values, spread, covariance, rms, starts, int(found.nfev))


def _at_bound(found: Any, names: tuple[str, ...], low: Array, high: Array, where: str) -> tuple[str, ...]:
    """The parameters that a bound holds, which are told."""
    count = len(names)
    x, slope = found.x[:count], found.grad[:count]
    near = ON_BOUND * (1.0 + np.abs(x))
    held = ((x - low <= near) & (slope > 0.0)) | ((high - x <= near) & (slope < 0.0))
    at = tuple(name for name, one in zip(names, held, strict=True) if one)
    if at:
        values = ", ".join(f"{name} = {x[names.index(name)]:.4g}" for name in at)
        warn(
            f"{where}: the fit ends on a bound: {values}. The measurements ask for values beyond it, and"
            " the uncertainties ignore the bounds; widen them, or check the model and the data",
            BoughWarning,
        )
    return at


def _check_border(found: Any, names: tuple[str, ...], problem: _Problem, where: str) -> None:
    """Raise if the fit ended beside values that the model refuses, and not where it is best."""
    J, r = found.jac[:, : len(names)], found.fun
    size = np.linalg.norm(J, axis=0) * np.linalg.norm(r)
    slope = np.abs(found.grad[: len(names)]) / np.maximum(size, 1e-300)
    if not problem.refused or slope.max() <= STATIONARY or np.sqrt(np.mean(r**2)) <= EXACT:
        return
    tried, error = problem.refused[-1]
    say = [
        ", ".join(f"{name} = {value:.4g}" for name, value in zip(names, values, strict=True))
        for values in (found.x[: len(names)], tried)
    ]
    raise ConvergenceError(
        asked=where,
        found=f"the fit ends at {say[0]}; beyond it, such as at {say[1]}, the model refuses: {error.found}",
        do="check the model and the data, or give bounds, such as"
        f" bounds={{{names[int(slope.argmax())]!r}: (least, largest)}}",
        iterations=int(found.nfev),
        residual=float(found.optimality),
    )


def _check_rank(J: Array, names: tuple[str, ...], where: str) -> None:
    """Raise if the measurements do not determine the parameters."""
    sizes = np.linalg.norm(J, axis=0)
    _, s, V = np.linalg.svd(J / np.maximum(sizes, 1e-300), full_matrices=False)
    if s[-1] < 1e-9 * s[0] or not np.all(sizes > 0.0):
        mixed = [names[i] for i in np.flatnonzero(np.abs(V[-1, : len(names)]) > 0.1)] or list(names)
        raise ModelError(
            asked=where,
            found=f"measurements that do not tell these parameters apart: {quoted(mixed)}",
            do="fix one of them, or measure motions that excite them in other ways",
        )


class _Problem:
    """Residuals of all runs and their derivatives, by parameters and by the starts of the runs."""

    def __init__(self, fits: list[Fit], count: int) -> None:
        self.fits, self.count = fits, count
        first = count
        for fit in fits:
            fit.columns = slice(first, first + fit.start_count)
            first += fit.start_count
        self.size = first
        self.rows = 0  # of the residual, once it is known
        self.refused: list[tuple[Array, BoughError]] = []  # trials that the model does not take, and why

    def residual(self, unknown: Array) -> Array:
        """The residual; not finite for a trial that the model refuses, after which least squares try a shorter one."""
        try:
            left = np.concatenate([fit.residual(unknown) for fit in self.fits])
        except (ModelError, ConvergenceError) as error:
            if not self.rows:
                raise
            self.refused.append((unknown[: self.count].copy(), error))
            return np.full(self.rows, np.inf)
        self.rows = len(left)
        return left

    def jacobian(self, unknown: Array) -> Array:
        parts = []
        for fit in self.fits:
            rows = np.zeros((len(fit.residual(unknown)), self.size))
            rows[:, : self.count], rows[:, fit.columns] = fit.jacobian(unknown)
            parts.append(rows)
        return np.concatenate(parts)


def _names(model: Model, parameters: Any, where: str) -> tuple[str, ...]:
    if not isinstance(model, Model):
        raise ModelError(
            asked=where, found=f"{type(model).__name__}", do="give a Model, as System.build() makes it"
        )
    names = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    for name in names:
        if name not in model.parameters:
            raise unknown_name("parameter", str(name), tuple(model.parameters), where)
    if not names:
        raise ModelError(asked=where, found="no parameter", do="name some of system.parameter(...)")
    return names


def _bounds(given: Any, names: tuple[str, ...], first: Array, where: str) -> tuple[Array, Array]:
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    for name, pair in (given or {}).items():
        if name not in names:
            raise unknown_name("parameter", str(name), names, f"bounds of {where}")
        i = names.index(name)
        low[i], high[i] = (-np.inf if pair[0] is None else pair[0]), (np.inf if pair[1] is None else pair[1])
        if not low[i] < high[i] or not low[i] <= first[i] <= high[i]:
            raise ModelError(
                asked=f"bounds of {name!r} in {where}",
                found=f"[{low[i]:g}, {high[i]:g}] around the first guess {first[i]:g}",
                do="give a least and a larger value with the guess between them",
            )
    return low, high
