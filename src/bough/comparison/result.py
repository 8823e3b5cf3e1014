"""The result of a comparison."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.arguments import Array
from bough.comparison.conserved import Conserved
from bough.comparison.methods import Method
from bough.comparison.reference import Reference
from bough.errors import BoughError
from bough.motion.trajectory import Trajectory
from bough.problem import Problem
from bough.validate import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Attempt:
    """A run on the way to a given error: its step (or relative tolerance), its time in s, its error in m.

    The error of a run that failed is infinite, and `failure` says why.
    """

    setting: float
    run_time: float
    error: float
    failure: str | None = None


@dataclass(frozen=True)
class Row:
    """One integrator.

    Attributes
    ----------
    label : str
        The integrator, such as "rk4" or "rk4+projection".
    formulation : str
        "variational", "generalised", "SciPy", ...
    run : Trajectory or None
        The motion with the requested step, up to where it ended.
    failure : str or None
        Why there is no whole motion.
    run_time : float
        Processor time in s, the best of a few.
    energy_drift, energy_trend : float
        The largest deviation, and the mean of the last tenth of the run minus that of the first, in J.
    momentum_drift : float or None
        The largest drift of a conserved momentum, relative to its scale; None if none is conserved.
    joint_drift : float
        The largest gap at a joint, in m; zero in generalised coordinates.
    constraint_drift : float or None
        The largest |h|; None without constraints.
    trajectory_error : float or None
        The largest distance from the reference as far as that serves, in m.
    time_to_error : float or None
        Processor time in s of the run with the longest step found that keeps the requested error.
    setting : float or None
        The step of that run; of an adaptive method its relative tolerance.
    attempts : tuple of Attempt
        The runs tried to find it.
    note : str
        A further remark.
    """

    label: str
    formulation: str
    adaptive: bool = False
    run: Trajectory | None = None
    failure: str | None = None
    run_time: float | None = None
    energy_drift: float | None = None
    energy_trend: float | None = None
    momentum_drift: float | None = None
    joint_drift: float | None = None
    constraint_drift: float | None = None
    trajectory_error: float | None = None
    time_to_error: float | None = None
    setting: float | None = None
    attempts: tuple[Attempt, ...] = ()
    note: str = ""

    def data(self) -> dict[str, Any]:
        """The row in plain values, for JSON."""
        left_out = ("run", "attempts")
        plain = {name: value for name, value in self.__dict__.items() if name not in left_out}
        return {
            **plain,
            "steps": None if self.run is None else self.run.statistics["steps"],
            "attempts": [vars(attempt) for attempt in self.attempts],
        }


@dataclass(frozen=True, repr=False)
class Comparison:
    """One motion by several integrators. Made by `bough.compare`.

    Attributes
    ----------
    model : Model
    rows : tuple of Row
        One for each integrator.
    reference : Reference or None
        The converged motion that errors are measured by.
    conserved : Conserved or None
        The quantities that the motion should conserve.
    error : float
        The error that `time_to_error` of a row is for, in m.
    doing : str
        The current task; empty when the comparison is complete.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> model = system.build()
    >>> found = bough.compare(model, {"angle": 0.5}, duration=1.0, dt=0.01, integrators=["midpoint", "rk4"])
    >>> [row.label for row in found.rows]
    ['midpoint', 'rk4']
    """

    problem: Problem
    error: float
    rows: tuple[Row, ...] = ()
    reference: Reference | None = None
    conserved: Conserved | None = None
    missing: BoughError | None = None  # the reason if there is no reference
    doing: str = ""

    @property
    def model(self) -> Any:
        """The model compared."""
        return self.problem.model

    def __getitem__(self, label: str) -> Row:
        for row in self.rows:
            if row.label == label:
                return row
        from bough.errors import unknown_name

        raise unknown_name("integrator", label, [row.label for row in self.rows], "a comparison")

    def energy_error(self, run: Trajectory) -> Array:
        """E - E(0) if energy is conserved, (rows,), else E minus that of the reference while it serves."""
        if self.conserved is None or self.conserved.energy or self.reference is None:
            energy = run.energy()
            return np.asarray(energy - energy[0])
        rows = min(self.reference.rows, len(run))
        return np.asarray(run[:rows].energy() - self.reference.run[:rows].energy())

    def updated(self, **changes: Any) -> Comparison:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def __str__(self) -> str:
        from bough.comparison.table import text

        return text(self)

    def __repr__(self) -> str:
        grid, under_way = self.problem.grid, f", {self.doing}" if self.doing else ""
        return (
            f"<Comparison of {self.model.name!r}: {counted(len(self.rows), 'integrator')}, "
            f"{grid.duration:g} s with dt = {grid.dt:g} s{under_way}>"
        )

    def _repr_html_(self) -> str:
        from bough.comparison.report import inline

        return inline(self)

    def data(self) -> dict[str, Any]:
        """Everything but the motions, in plain values."""
        grid, reference, conserved = self.problem.grid, self.reference, self.conserved
        return {
            "model": self.model.name,
            "dt": grid.dt,
            "duration": grid.duration,
            "error": self.error,
            "reference": None
            if reference is None
            else {
                "method": reference.method,
                "error": float(reference.error[-1]),
                "until": reference.until,
            },
            "conserved": None
            if conserved is None
            else {
                "energy": conserved.energy,
                "momenta": list(conserved.momenta),
                "kinetic": conserved.kinetic,
            },
            "rows": [row.data() for row in self.rows],
        }

    def plot(self) -> Figure:
        """A matplotlib figure: energy, error, drifts, and error over run time."""
        from bough.comparison.plots import plot

        return plot(self)

    def save_html(self, path: str | os.PathLike[str]) -> Path:
        """Write a report with table, plots and all motions side by side; one file that needs no network."""
        from bough.comparison.report import save_html

        return save_html(self, path)


def empty_row(method: Method) -> Row:
    """The empty row of an integrator that has not run yet."""
    return Row(method.label, method.family.title, method.family.adaptive)
