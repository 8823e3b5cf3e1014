"""A recorded motion of a model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from bough._lower import constraint_rows
from bough.arguments import Array, finite
from bough.errors import BoughError, ModelError
from bough.frame import Frame
from bough.model import Model
from bough.state import State, frozen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bough.maximal.motion import BodyMotion

STATUSES = ("finished", "failed", "interrupted")


class Trajectory:
    """The instants of a motion, time first in every array. Made by `bough.simulate`, `bough.load_trajectory`.

    Attributes
    ----------
    model : Model
    t : array (rows,)
    q, v : arrays (rows, nq)
        Configurations and velocities.
    p : array (rows, nd)
        Momenta of the dynamic variables.
    lam : array (rows, nc)
        Constraint forces; with a variational integrator, during the step that starts at this instant.
    u : array (rows, nu)
        Inputs during the step that starts at this instant; the last row repeats the one before.
    status : str
        "finished", "failed" (a step did not converge) or "interrupted" (Ctrl-C).
    settings : dict
        Everything that made this run, in plain values.
    statistics : dict
        How much work it was.
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
        status: str = "finished",
        settings: Mapping[str, Any] | None = None,
        statistics: Mapping[str, Any] | None = None,
        driving: tuple[Array, Array] | None = None,
        bodies: BodyMotion | None = None,
    ) -> None:
        self.model = model
        self.bodies = bodies
        self.t = _checked(t, "t", (), None)
        rows = len(self.t)
        self.q = _checked(q, "q", (model.nq,), rows, self.t)
        self.u = _checked(np.zeros((rows, model.nu)) if u is None else u, "u", (model.nu,), rows, self.t)
        if status not in STATUSES:
            raise ModelError(
                asked="Trajectory", found=f"status {status!r}", do=f"use one of {', '.join(STATUSES)}"
            )
        self.status = status
        self.settings = dict(settings or {})
        self.statistics = dict(statistics or {})
        self._driving = driving  # the inputs of all steps and the kinematic values of all nodes
        self._vk = None if vk is None else _checked(vk, "vk", (model.nk,), rows, self.t)
        if v is not None:
            self.__dict__["v"] = _checked(v, "v", (model.nq,), rows, self.t)
        if p is not None:
            self.__dict__["p"] = _checked(p, "p", (model.nd,), rows, self.t)
        if lam is not None:
            self.__dict__["lam"] = _checked(lam, "lam", (model.nc,), rows, self.t)

    def _set_multipliers(self, lam: Array) -> None:
        self.__dict__["lam"] = _checked(lam, "lam", (self.model.nc,), len(self), self.t)

    # --- what is computed when it is first asked for ---

    @cached_property
    def v(self) -> Array:
        """Velocities, (rows, nq): those of the momenta, projected onto the constraints."""
        if "p" not in self.__dict__:
            return frozen(rate(self.q, self.t))
        vk = rate(self.q[:, self.model.nd :], self.t) if self._vk is None else self._vk
        return frozen(self.model.velocity(self.q, self.p, vk, self.t))

    @cached_property
    def p(self) -> Array:
        """Momenta of the dynamic variables, (rows, nd)."""
        return frozen(self.model.momentum(self.q, self.v)[:, : self.model.nd])

    @cached_property
    def lam(self) -> Array:
        """Constraint forces, (rows, nc), with generalised force Dh(q)^T lam."""
        if self.model.nc == 0:
            return frozen(np.zeros((len(self), 0)))
        _, lam = self.model.acceleration_and_multipliers(self.q, self.v, self.u, ak=self._ak(), t=self.t)
        return frozen(lam)

    def _ak(self) -> Array:
        """Accelerations of the kinematic variables."""
        vk = self.v[:, self.model.nd :] if self._vk is None else self._vk
        return rate(vk, self.t)

    # --- quantities along the motion ---

    def kinetic_energy(self) -> Array:
        """T at every instant, (rows,)."""
        return self.model.kinetic_energy(self.q, self.v)

    def potential_energy(self) -> Array:
        """V at every instant, (rows,)."""
        return self.model.potential_energy(self.q)

    def energy(self) -> Array:
        """T + V at every instant, (rows,)."""
        return self.model.energy(self.q, self.v)

    def momentum(self) -> Array:
        """The generalised momenta dL/dv of all variables, (rows, nq)."""
        return self.model.momentum(self.q, self.v)

    def linear_momentum(self) -> Array:
        """The total linear momentum, (rows, 3)."""
        return self.model.linear_momentum(self.q, self.v)

    def angular_momentum(self) -> Array:
        """The total angular momentum about the world origin, (rows, 3)."""
        return self.model.angular_momentum(self.q, self.v)

    def constraint_error(self) -> Array:
        """The values h(q, t) of the constraints, zero where they hold, (rows, nc).

        Zero also from when a constraint broke (`bodies.events`): then nothing is left to be off.
        """
        h = self.model.constraint(self.q, self.t)
        if self.bodies is not None:
            rows = constraint_rows(self.model._elements)
            for time, name in self.bodies.events:
                if name in rows:  # else a joint or contact
                    h[self.t > time, rows[name]] = 0.0
        return h

    def pose(self, frame: str | Frame) -> Array:
        """The pose of a frame at every instant, (rows, 4, 4)."""
        return self.model.pose(frame, self.q)

    # --- parts ---

    def __len__(self) -> int:
        return len(self.t)

    @overload
    def __getitem__(self, key: str) -> Array: ...
    @overload
    def __getitem__(self, key: int) -> State: ...
    @overload
    def __getitem__(self, key: slice) -> Trajectory: ...
    def __getitem__(self, key: str | int | slice) -> Array | State | Trajectory:
        """run["forearm"]: one column of q; run[10:20:2]: a part of the motion; run[-1]: one state."""
        if isinstance(key, str):
            return self.q[:, self.model.index(key)]
        if not isinstance(key, slice):
            return self.state(key)
        if len(self.t[key]) == 0:
            raise ModelError(
                asked=f"run[{_slice_text(key)}] of a trajectory",
                found=f"no row of {len(self)} is in this range",
                do=f"choose rows from 0 to {len(self) - 1}",
            )
        known = {name: self.__dict__[name][key] for name in ("v", "p", "lam") if name in self.__dict__}
        vk = self.v[:, self.model.nd :] if self.model.nk else np.zeros((len(self), 0))
        return Trajectory(
            self.model,
            self.t[key],
            self.q[key],
            u=self.u[key],
            vk=vk[key],
            status=self.status,
            settings=self.settings,
            statistics=self.statistics,
            bodies=None if self.bodies is None else self.bodies[key],
            **known,
        )

    def state(self, index: int) -> State:
        """The state in one row; -1 is the last."""
        return State(self.t[index], self.q[index], self.v[index], self.p[index], self.lam[index])

    def __eq__(self, other: object) -> bool:
        """Equal numbers, bit for bit, of equal models."""
        return (
            isinstance(other, Trajectory)
            and self.model == other.model
            and self.status == other.status
            and all(
                np.array_equal(getattr(self, name), getattr(other, name))
                for name in ("t", "q", "v", "p", "lam", "u")
            )
            and (self.bodies is None) == (other.bodies is None)
            and (self.bodies is None or self.bodies.same(other.bodies))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"<Trajectory of {self.model.name!r}: {len(self)} instants,"
            f" t = {self.t[0]:g} to {self.t[-1]:g} s, {self.status}>"
        )

    # --- out and back ---

    def rerun(self, *, progress: bool | None = None) -> Trajectory:
        """The same run again, from the same start with the same settings, as far as it came.

        A plan of `bough.control` is simulated with its inputs.
        """
        from bough._repeat import repeat

        return repeat(self, progress)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a file by its suffix; returns its path.

        `.npz` (added to a name without a suffix) holds the numbers, the model and the settings, and can be
        read back; `.csv` holds the numbers in named columns, `.nc` as NetCDF with named dimensions (needs the
        package xarray).
        """
        from bough._trajectory_file import save

        return save(self, path)

    def plot(self, what: str | Sequence[str] | None = None) -> Figure:
        """A matplotlib figure of the motion.

        Parameters
        ----------
        what : the panels, by default all that apply
            Of "configuration", "velocity", "energy" (its change), "constraint" (the largest error),
            "multiplier" (the constraint forces) and "input".
        """
        from bough.plots import plot

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
            Whose paths are drawn; by default that of the mass which goes the longest way.
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
        try:
            import xarray
        except ImportError:
            raise BoughError(
                asked="to_xarray() of a trajectory",
                found="the package xarray is not installed",
                do="install it: pip install 'bough[xarray]'",
            ) from None
        coordinates = {
            "t": self.t,
            "variable": np.array(self.model.variables, dtype=str),
            "dynamic": np.array(self.model.dynamic, dtype=str),
            "constraint": np.array(self.model.constraints, dtype=str),
            "input": np.array(self.model.inputs, dtype=str),
        }
        dimensions = {"q": "variable", "v": "variable", "p": "dynamic", "lam": "constraint", "u": "input"}
        columns = {name: (("t", last), getattr(self, name)) for name, last in dimensions.items()}
        return xarray.Dataset(columns, coordinates, attrs={"model": self.model.name, "status": self.status})


def rate(values: Array, t: Array) -> Array:
    """The derivative by time of rows of values: central differences, one-sided at the ends."""
    if len(t) < 2 or values.shape[1] == 0:
        return np.zeros_like(values)
    return np.asarray(np.gradient(values, t, axis=0, edge_order=2 if len(t) > 2 else 1))


def _checked(
    values: npt.ArrayLike, what: str, tail: tuple[int, ...], rows: int | None, t: Array | None = None
) -> Array:
    try:
        array = frozen(values)
    except (TypeError, ValueError):
        array = np.zeros(())
    if array.ndim != 1 + len(tail) or array.shape[1:] != tail or (rows or len(array)) != len(array):
        expected = f"({'rows' if rows is None else rows}{', ' if tail else ','}{', '.join(map(str, tail))})"
        raise ModelError(
            asked=f"{what} of a trajectory",
            found=f"shape {array.shape}",
            do=f"give an array of shape {expected}",
        )
    if len(array) == 0:
        raise ModelError(asked=f"{what} of a trajectory", found="no rows", do="give one instant or more")
    if not finite(array):
        row = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise ModelError(
            asked=f"{what} of a trajectory",
            found=f"a number in row {row}{'' if t is None else f', t = {t[row]:g} s,'} that is not finite",
            do="give finite numbers",
        )
    return array


def _slice_text(key: slice) -> str:
    parts = ["" if part is None else str(part) for part in (key.start, key.stop, key.step)]
    return ":".join(parts if parts[2] else parts[:2])
