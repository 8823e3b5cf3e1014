"""The results of an ensemble: arrays by the axes of the study."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.arguments import Array
from bough.errors import BoughError, ModelError, unknown_name
from bough.motion.trajectory import Trajectory
from bough.motion.trajectory_export import need_xarray
from bough.problem import Problem
from bough.studies.chunk import motion
from bough.studies.design import RUN, Design, inner_dims
from bough.studies.store import Store
from bough.studies.task import FAILED, FINISHED, START, STATUS, problem_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUANTILES = (0.05, 0.5, 0.95)


class Ensemble:
    """Many runs of one problem. Made by `bough.ensemble`.

    Attributes
    ----------
    problem : Problem
    axes : mapping
        What varies, and its values; of a table, its columns.
    dims : tuple of str
        The names of the leading axes of all arrays; ("run",) for a table.
    shape : tuple of int
    t : array
        The times of the rows of q, p and v.
    messages : dict
        Why runs failed, by index.
    statistics : dict
        runs, failed, steps, wall_time (s), and coarse: the number of runs whose steps are too long.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> model = system.build()
    >>> problem = bough.Problem(model, duration=1.0, dt=0.01)
    >>> study = bough.ensemble(problem, {"q.angle": [0.1, 0.5, 1.0]})
    >>> study.shape, study.failed
    ((3,), [])
    >>> study.end("q.angle").round(3)
    array([-0.1  , -0.499, -0.98 ])
    >>> study.rerun(2)
    <Trajectory of 'pendulum': 101 instants, t = 0 to 1 s, finished>
    """

    def __init__(
        self,
        problem: Problem,
        design: Design,
        status: Any,
        messages: Mapping[int, str],
        values: Mapping[str, Array],
        statistics: dict[str, Any],
        store: Store | None,
    ) -> None:
        self.problem = problem
        self.statistics = statistics
        self._design = design
        self._status = status
        self._messages = messages
        self._values = values
        self._store = store

    @property
    def axes(self) -> Mapping[str, Any]:
        """What varies, and its values."""
        return self._design.axes

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the leading axes of all arrays."""
        return self._design.dims

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of runs along each axis."""
        return self._design.shape

    def __len__(self) -> int:
        return self._design.count

    @property
    def names(self) -> tuple[str, ...]:
        """What is kept: "q" and "p", or what keep= returned."""
        if self._store is None:
            return tuple(self._values)
        group = self._store.read()[2]
        stored = set(group.array_keys())
        motions = {name for name in stored & inner_dims(self.problem.model).keys() if group[name].ndim == 3}
        return tuple(sorted(stored - ({"status", "message", "t", *self.axes} - motions)))

    def __getitem__(self, name: str) -> Array:
        """Values by the axes of the study: what keep= returned, or "q", "p", "v"; NaN in runs that failed."""
        if name == "v" and {"q", "p"} <= set(self.names):
            return self.v
        return self._stored(name)

    def _stored(self, name: str) -> Array:
        if name not in self.names:
            raise unknown_name(
                "quantity", str(name), self.names, f"an ensemble of {self.problem.model.name!r}"
            )
        flat = self._values[name] if self._store is None else self._store.read()[2][name][:]
        return np.asarray(flat).reshape(*self.shape, *flat.shape[1:])

    @property
    def t(self) -> Array:
        """The times of the rows."""
        grid = self.problem.grid
        times: Array = grid.time(grid.recorded(grid.steps))
        return times

    @property
    def q(self) -> Array:
        """Configurations, (axes, rows, nq)."""
        return self["q"]

    @property
    def p(self) -> Array:
        """Momenta of the dynamic variables, (axes, rows, nd)."""
        return self["p"]

    @cached_property
    def v(self) -> Array:
        """Velocities, (axes, rows, nv), of the momenta of each run."""
        if "v" in self.names:
            return self._stored("v")
        if not {"q", "p"} <= set(self.names):
            raise _no_motion("v")
        q, p = self["q"], self["p"]
        flat, momenta = q.reshape(len(self), *q.shape[-2:]), p.reshape(len(self), *p.shape[-2:])
        v = np.full_like(flat, np.nan)
        for number in np.flatnonzero(self._status == FINISHED).tolist():
            own = problem_of(self.problem, self._design, number)
            vk = None
            if len(own._drive.prescribed):
                from bough.motion.rows import rate

                nodes = own.grid.recorded(own.grid.steps)
                vk = rate(own._drive.prescribed, own.grid.nodes())[nodes]
            v[number] = own.model.velocity(flat[number], momenta[number], vk, self.t)
        return v.reshape(q.shape)

    @property
    def status(self) -> Any:
        """ "finished", "failed" or "missing", by the axes of the study."""
        return np.array(STATUS)[self._status].reshape(self.shape)

    @property
    def failed(self) -> list[tuple[int, ...]]:
        """The indices of the runs that failed."""
        return [self._index(number) for number in np.flatnonzero(self._status == FAILED).tolist()]

    @property
    def messages(self) -> dict[tuple[int, ...], str]:
        """Why runs failed, by index."""
        return {self._index(number): message for number, message in self._messages.items()}

    def problem_at(self, index: Any) -> Problem:
        """The problem of one run; its index is a number, or one for each axis."""
        return problem_of(self.problem, self._design, self._number(index))

    def rerun(self, index: Any, *, on_failure: str = "raise") -> Trajectory:
        """The whole motion of one run, made again, with the bits that it has in the study.

        Warnings and errors are those of `simulate`.
        """
        made = motion(self.problem, self._design, self._number(index))
        return self.problem_at(index).run(on_failure=on_failure) if made is None else made

    def summary(self, name: str) -> dict[str, Any]:
        """Mean, standard deviation, smallest and largest value and quantiles over the runs that finished.

        Numbers if one number of each run is kept, else arrays of its shape.
        """
        values = self[name].reshape(len(self), -1)[self._status == FINISHED]
        if not len(values):
            raise BoughError(
                asked=f"summary({name!r}) of an ensemble",
                found="no run finished",
                do="look at study.messages",
            )
        shape = self[name].shape[len(self.shape) :]
        found = {"mean": values.mean(axis=0), "std": values.std(axis=0)}
        found |= {"min": values.min(axis=0), "max": values.max(axis=0)}
        found |= {f"q{100 * part:g}": np.quantile(values, part, axis=0) for part in QUANTILES}
        return {key: value.reshape(shape) if shape else value.item() for key, value in found.items()}

    def to_xarray(self) -> Any:
        """The results as an `xarray.Dataset` with the axes of the study as named dimensions.

        Axes of whole rows, "q", "v" and "p", are the dimensions "q0", "v0" and "p0", whose values count the rows:
        the motion has the letters.
        """
        need_xarray()
        import xarray

        model = self.problem.model
        coords: dict[str, Any] = {}
        for name, values in self.axes.items():
            if (
                isinstance(values, np.ndarray)
                and values.ndim == 1
                and not (self._design.table and name == RUN)
            ):
                coords[name] = (RUN if self._design.table else name, values)
        outer = tuple(f"{dim}0" if dim in START else dim for dim in self.dims)
        coords |= {
            dim: np.arange(n) for dim, n in zip(outer, self.shape, strict=True) if dim not in self.dims
        }
        inner = {name: ("time", dim) for name, dim in inner_dims(model).items()}
        if "q" in self.names:
            coords |= {"time": self.t, "variable": list(model.variables), "dynamic": list(model.dynamic)}
            if model.balls:
                coords["coordinate"] = list(model.coordinates)
        data = {}
        moving = {"q", "p"} <= set(self.names)
        for name in dict.fromkeys((*self.names, *(("v",) if moving else ()))):
            values = self[name]
            extra = values.ndim - len(self.shape)
            dims = inner.get(name, tuple(f"{name}_{i}" for i in range(extra)))
            data[name] = ((*outer, *dims), values)
        data["status"] = (outer, self.status)
        return xarray.Dataset(data, coords, {"model": model.name, "digest": model.digest})

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with a row for each run: what varied, what was kept, and how the run ended.

        Of whole motions the table has the last instant; of what is no number, such as controllers, its index.
        """
        from bough.studies.table import to_pandas

        return to_pandas(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the table of `to_pandas` as a `.csv` file; returns its path."""
        from bough.studies.table import write_csv

        return write_csv(self, path)

    def _repr_html_(self) -> str:
        from bough.studies.display import ensemble_html

        return ensemble_html(self)

    def plot(self, name: str, ax: Any = None) -> Figure:
        """One number of each run: a line over one axis, a map over two, a histogram of a table.

        An axis of at most five values beside another one has a line for each of them instead.

        `name` is what keep= returned, or "q.NAME" for the value at the end of the runs.
        """
        from bough.studies.plot import plot

        return plot(self, name, ax)

    def end(self, name: str) -> Array:
        """One number of each run: a scalar that keep= returned, or "q.NAME", "v.NAME", "p.NAME" at the end."""
        kind, dot, variable = name.partition(".")
        if not dot or name in self.names:
            values = self[name]
            if values.ndim != len(self.shape):
                raise ModelError(
                    asked=f"{name!r} of an ensemble",
                    found=f"an array of shape {values.shape[len(self.shape) :]} for each run",
                    do="keep one number, or name a variable, such as 'q.angle'",
                )
            return values
        model = self.problem.model
        names = {"q": model.coordinates, "v": model.variables, "p": model.dynamic}.get(kind, ())
        if variable not in names:
            raise unknown_name(
                "quantity", name, [*self.names, *(f"q.{v}" for v in model.coordinates)], "an ensemble"
            )
        return self[kind][..., -1, names.index(variable)]

    def __repr__(self) -> str:
        missing, failed = int(np.count_nonzero(self._status == 0)), len(self._messages)
        ends = [f"{failed} failed"] if failed else []
        ends += [f"{missing} missing"] if missing else []
        size = " x ".join(map(str, self.shape)) + (" run" if len(self) == 1 else " runs")
        return (
            f"<Ensemble of {self.problem.model.name!r}: {size} over {', '.join(self.axes)},"
            f" {', '.join(ends) if ends else 'all finished'}>"
        )

    def _index(self, number: int) -> tuple[int, ...]:
        return tuple(int(i) for i in np.unravel_index(number, self.shape))

    def _number(self, index: Any) -> int:
        given = (index,) if np.ndim(index) == 0 else tuple(index)
        try:
            if len(given) == 1 and len(self.shape) > 1:
                return int(range(len(self))[given[0]])
            wrapped = [range(size)[i] for i, size in zip(given, self.shape, strict=True)]
            return int(np.ravel_multi_index(wrapped, self.shape))
        except (IndexError, TypeError, ValueError):
            raise ModelError(
                asked=f"run {index!r} of an ensemble",
                found=f"its shape is {self.shape}",
                do="give the number of a run, or one index for each axis",
            ) from None


def _no_motion(name: str) -> ModelError:
    return ModelError(
        asked=f"{name} of an ensemble",
        found="its motions were not kept, only the numbers of keep=",
        do="leave keep= out, or let it return them; study.rerun(index) makes one motion again",
    )
