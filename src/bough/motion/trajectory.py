"""A recorded motion of a model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.errors import ModelError
from bough.model.model import Model
from bough.motion.columns import column
from bough.motion.interpolation import at_times, state_at
from bough.motion.parts import Part, joined
from bough.motion.rates import rates_of
from bough.motion.rows import checked_rows, rate, slice_text
from bough.motion.run_derivatives import RunDerivatives
from bough.motion.run_quantities import RunQuantities
from bough.motion.state import State, frozen
from bough.named import Named, Names
from bough.validate import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bough.motion.body_motion import BodyMotion
    from bough.motion.stages import Stages

STATUSES = ("finished", "event", "failed", "interrupted")


class Driving(NamedTuple):
    """The inputs of all steps, the kinematic values of all nodes, and at higher orders both in between."""

    inputs: Array
    prescribed: Array
    stages: Stages | None = None


class Trajectory(RunQuantities, RunDerivatives):
    """The instants of a motion, time first in every array. Made by `bough.simulate`, `bough.load_trajectory`.

    The last axis of q, v, p, lam and u also takes names: run.v["elbow"] is run["v.elbow"].

    Attributes
    ----------
    model : Model
    t : array (rows,)
    q, v : arrays (rows, nq), (rows, nv)
        Configurations and velocities.
    p : array (rows, nd)
        Momenta of the dynamic variables, as the method carries them; with constraints or contacts M v is `momentum()`.
    lam : array (rows, nc)
        Constraint forces; with a variational integrator of order 2, during the step that starts at this
        instant.
    u : array (rows, nu)
        Inputs during the step that starts at this instant, or at its start if they are functions of time and
        the order is above 2; the last row repeats the one before, or holds the values of the functions.
    status : str
        "finished", "event" (a terminal one), "failed" (a step did not converge) or "interrupted" (Ctrl-C).
    settings : dict
        Everything that determines this run, in plain values.
    statistics : dict
        Counts of steps, iterations and evaluations, and processor time.
    events : tuple of Event, each with t, state, name, which
    bodies : BodyMotion or None
        Poses of the bodies and drift of the joints, of a run in maximal coordinates.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> run = bough.simulate(system.build(), q={"angle": 0.5}, duration=1.0, dt=0.1, integrator="dop853")
    >>> len(run), run["angle"].shape, run.q.shape
    (11, (11,), (11, 1))
    """

    _recorded: Mapping[str, Array] = MappingProxyType({})  # rows without names, as the core has filled them
    _parts: tuple[Part, ...] = ()  # of a joined run, if they can be rerun
    events: tuple[Any, ...] = ()  # of `Event`, and of `Impact` if the model has contacts
    _whole: Trajectory | None = None  # of a part: the run whose steps lead to states in between
    extra: tuple[str, ...] = ()  # further arrays that a kind of trajectory has, saved with the others

    def __init__(
        self,
        model: Model,
        t: npt.ArrayLike,
        q: npt.ArrayLike,
        *,
        v: npt.ArrayLike | None = None,
        p: npt.ArrayLike | None = None,
        lam: npt.ArrayLike | None = None,
        u: npt.ArrayLike | None = None,
        vk: npt.ArrayLike | None = None,
        ak: npt.ArrayLike | None = None,
        status: str = "finished",
        settings: Mapping[str, Any] | None = None,
        statistics: Mapping[str, Any] | None = None,
        driving: Driving | None = None,
        bodies: BodyMotion | None = None,
        parts: tuple[Part, ...] = (),
    ) -> None:
        self.model = model
        self.bodies = bodies
        self.t = checked_rows(t, "t", (), None)
        rows = len(self.t)
        names = model._names
        self.q = Named(checked_rows(q, "q", (model.nq,), rows, self.t), names.coordinates)
        inputs = checked_rows(np.zeros((rows, model.nu)) if u is None else u, "u", (model.nu,), rows, self.t)
        self.u = Named(inputs, names.inputs)
        if status not in STATUSES:
            raise ModelError(
                asked="Trajectory", found=f"status {status!r}", do=f"use one of {', '.join(STATUSES)}"
            )
        self.status = status
        self.settings = dict(settings or {})
        self.statistics = dict(statistics or {})
        self._driving = driving
        if parts:
            self._parts = parts
        self._vk = None if vk is None else checked_rows(vk, "vk", (model.nk,), rows, self.t)
        self._given_ak = None if ak is None else checked_rows(ak, "ak", (model.nk,), rows, self.t)
        if v is not None:
            self.__dict__["v"] = Named(checked_rows(v, "v", (model.nv,), rows, self.t), names.variables)
        if p is not None:
            self.__dict__["p"] = Named(checked_rows(p, "p", (model.nd,), rows, self.t), names.dynamic)
        if lam is not None:
            self.__dict__["lam"] = Named(
                checked_rows(lam, "lam", (model.nc,), rows, self.t), names.constraints
            )

    @classmethod
    def _of_core(
        cls,
        model: Model,
        t: Array,
        q: Array,
        u: Array,
        vk: Array | None,
        p: Array,
        about: Mapping[str, Any],
        lam: Array | None = None,
    ) -> Trajectory:
        """A run from arrays that the core has filled and nobody else holds; they are not checked again.

        They get their names when they are first read. `lam` may be left out.
        """
        run = cls.__new__(cls)
        t.setflags(write=False)
        run.__dict__.update(about, model=model, bodies=None, t=t, _vk=vk, _given_ak=None)
        run._recorded = {"q": q, "u": u, "p": p} if lam is None else {"q": q, "u": u, "p": p, "lam": lam}
        return run

    def _rows(self, name: str) -> Array | None:
        """The rows of q, v, p, lam or u as they were recorded or computed, without names; None if they were not."""
        rows: Array | None = self._recorded.get(name)
        return self.__dict__.get(name) if rows is None else rows

    def _named(self, name: str, names: Names) -> Named:
        rows = self._recorded[name]
        rows.setflags(write=False)
        return Named(rows, names)

    # --- named or computed on first access ---

    @cached_property
    def q(self) -> Named:
        """Configurations, (rows, nq)."""
        return self._named("q", self.model._names.coordinates)

    @cached_property
    def u(self) -> Named:
        """Inputs as commanded, (rows, nu); `motor_force()` is what gears and effort limits make of them."""
        return self._named("u", self.model._names.inputs)

    @cached_property
    def v(self) -> Named:
        """Velocities, (rows, nv): those of the momenta, projected onto the constraints."""
        names = self.model._names.variables
        if self._rows("p") is None:
            return Named(frozen(rates_of(self.model, np.asarray(self.q), self.t)), names)
        vk = rate(self.q[:, self.model.nq - self.model.nk :], self.t) if self._vk is None else self._vk
        return Named(frozen(self.model.velocity(self.q, self.p, vk, self.t)), names)

    @cached_property
    def p(self) -> Named:
        """Momenta of the dynamic variables, (rows, nd)."""
        if "p" in self._recorded:
            return self._named("p", self.model._names.dynamic)
        momenta = self.model.momentum(self.q, self.v)[:, : self.model.nd]
        return Named(frozen(momenta), self.model._names.dynamic)

    @cached_property
    def lam(self) -> Named:
        """Constraint forces, (rows, nc), with generalised force Dh(q)^T lam."""
        if "lam" in self._recorded:
            return self._named("lam", self.model._names.constraints)
        lam = np.zeros((len(self), 0))
        if self.model.nc:
            _, lam = self.model.acceleration_and_multipliers(self.q, self.v, self.u, ak=self._ak(), t=self.t)
        return Named(frozen(lam), self.model._names.constraints)

    def __len__(self) -> int:
        return len(self.t)

    @overload
    def __getitem__(self, key: str) -> Array: ...
    @overload
    def __getitem__(self, key: int) -> State: ...
    @overload
    def __getitem__(self, key: slice) -> Trajectory: ...
    def __getitem__(self, key: str | int | slice) -> Array | State | Trajectory:
        """run["forearm"]: one column of q; run[10:20:2]: a part of the motion, with its events; run[-1]: one state.

        Columns of the other arrays by their symbol: run["v.forearm"], "p.forearm", "k.slide" (a kinematic
        variable), "u.torque" (an input), "lam.wire" (a constraint; of several rows a table).
        """
        if isinstance(key, str):
            return column(self, key)
        if not isinstance(key, slice):
            return self.state(key)
        if len(self.t[key]) == 0:
            raise ModelError(
                asked=f"run[{slice_text(key)}] of a trajectory",
                found=f"no row of {len(self)} is in this range",
                do=f"choose rows from 0 to {len(self) - 1}",
            )
        return self._part(key)

    def _part(self, key: slice) -> Trajectory:
        """The rows of a slice that is not empty."""
        if self.extra:
            _ = self.v  # those of a part are the same
        known = {name: getattr(self, name)[key] for name in ("v", "p", "lam") if self._rows(name) is not None}
        vk = self.v[:, self.model.nd :] if self.model.nk else np.zeros((len(self), 0))
        part = type(self)(
            self.model,
            self.t[key],
            self.q[key],
            u=self.u[key],
            vk=vk[key],
            ak=self._ak()[key] if self.model.nk else None,
            status=self.status,
            settings=self.settings,
            statistics=self.statistics,
            bodies=None if self.bodies is None else self.bodies[key],
            **known,
            **{name: getattr(self, name)[key] for name in self.extra},
        )
        part.events = tuple(x for x in self.events if part.t.min() <= x.t <= part.t.max())
        part._whole = self if self._whole is None else self._whole
        return part

    def state(self, index: int) -> State:
        """The state in one row; -1 is the last."""
        row = (self.q[index], self.v[index], self.p[index], self.lam[index])
        return State(self.t[index], *row, names=self.model._names)

    @overload
    def at(self, t: float) -> State: ...
    @overload
    def at(self, t: Sequence[float] | Array) -> Trajectory: ...
    def at(self, t: Any) -> State | Trajectory:
        """The state at any time of the run, or a trajectory of several times.

        With `dense=True` by a step of the method from the node before, of full order. Else by cubics through
        q and v of the instants around it, h apart: errors up to h⁴/384 max|d⁴q/dt⁴| and √3 h³/216 max|d⁴q/dt⁴|.
        """
        if np.ndim(t):
            return at_times(self, t)
        if not self.settings.get("dense"):
            return state_at(self, t)
        from bough.repeat import dense_state

        return dense_state(self, t)

    def __add__(self, more: Trajectory) -> Trajectory:
        """The run with its continuation, made by `simulate(model, run[-1], ...)`; they must fit.

        `rerun` repeats one part after the other; `settings["joined"]` say what made them.
        """
        return joined(self, more) if isinstance(more, Trajectory) else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Whether the models and all numbers are equal, bit for bit."""
        return (
            isinstance(other, Trajectory)
            and self.extra == other.extra
            and self.model == other.model
            and (self.status, self.events) == (other.status, other.events)
            and all(
                np.array_equal(getattr(self, name), getattr(other, name))
                for name in ("t", "q", "v", "p", "lam", "u", *self.extra)
            )
            and (self.bodies is None) == (other.bodies is None)
            and (self.bodies is None or self.bodies.same(other.bodies))
        )

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        """Without what dense states keep for the next one."""
        return {name: x for name, x in self.__dict__.items() if name not in ("_runner", "_dense_parts")}

    def __repr__(self) -> str:
        return (
            f"<Trajectory of {self.model.name!r}: {counted(len(self), 'instant')},"
            f" t = {self.t[0]:g} to {self.t[-1]:g} s, {self.status}>"
        )

    # --- repeating, saving, drawing ---

    def rerun(self, *, progress: bool | None = None) -> Trajectory:
        """The same run again, from the same start with the same settings, up to where it ended.

        A plan of `bough.control` is simulated with its inputs.
        """
        from bough.repeat import repeat

        return repeat(self, progress)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a file by its suffix; returns its path.

        `.npz` (added to a name without a suffix) holds the numbers, the model and the settings, and can be
        read back; `.csv` holds the numbers in named columns, `.nc` as NetCDF with named dimensions (needs the
        package xarray).
        """
        from bough.io.trajectory_file import save

        return save(self, path)

    def plot(self, what: str | Sequence[str] | None = None) -> Figure:
        """A matplotlib figure of the motion.

        Parameters
        ----------
        what : the panels, by default all that apply
            Some of "configuration", "velocity", "energy" (its change), "constraint" (the largest error),
            "multiplier" (the constraint forces), "input" (the command), "motor" (what it becomes).
        """
        from bough.view.plots import plot

        return plot(self, what)

    def strobe(
        self,
        count: int = 8,
        *,
        trace: str | Sequence[str] | None = None,
        figsize: tuple[float, float] = (8.0, 6.0),
        figure: Figure | None = None,
    ) -> Figure:
        """A matplotlib figure of several instants at once, the first pale and the last in full colour.

        Parameters
        ----------
        count : int
            How many instants, at equal intervals of time.
        trace : frame, or several
            The frames whose paths are drawn; by default the mass that travels farthest.
        figsize : width and height in inches
        figure : an empty matplotlib figure or subfigure to draw into, by default a new one
        """
        from bough.view.draw import strobe

        return strobe(self, count, trace=trace, figsize=figsize, figure=figure)

    def _repr_png_(self) -> bytes:
        from bough.view.notebook import trajectory_png

        return trajectory_png(self)

    def _repr_html_(self) -> str:
        from bough.view.notebook import trajectory_html

        return trajectory_html(self)

    def to_xarray(self) -> Any:
        """An `xarray.Dataset` with named coordinates (needs the package xarray)."""
        from bough.motion.trajectory_export import to_xarray

        return to_xarray(self)

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`, one row for each instant, indexed by t (needs the package pandas).

        Its columns are those of a `.csv` file: "q.elbow", "v.elbow", "p.elbow", "lam.wire", "u.torque".
        """
        from bough.motion.trajectory_export import to_pandas

        return to_pandas(self)
