"""A recorded motion with contacts: forces, statuses, impacts, and the energy that they took."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough._core import core
from bough.arguments import Array
from bough.errors import ModelError, quoted, unknown_name
from bough.model.dry_friction import dry_friction
from bough.model.model import Model
from bough.motion.events import Event
from bough.motion.rows import checked_rows, rate
from bough.motion.state import frozen
from bough.motion.trajectory import Trajectory
from bough.named import Named, Names, places

STATUS = ("open", "stick", "slide")
SHOWN = 4  # number of contacts that an impact names when it is printed


class Impact(NamedTuple):
    """An impact of a run: contacts that closed with a velocity of approach.

    Attributes
    ----------
    t : float
    contacts : tuple of str
        The contacts that were given an impulse, some of which may have been closed before.
    opened : tuple of str
        Those of them that open again at once.
    impulse : dict
        By contact the impulse along its normal and its tangents, in N s or N m s.
    passes : int
        How often the impact law was applied before no contact approached.
    guard : float
        1, or less if restitution with friction would have created energy: the part of the way from an impact
        without restitution to the one asked for.
    energy_lost : float
        J.
    plastic : bool
        Whether the impact was ended without restitution, because it had no end with it.
    q, v_before, v_after : tuple of float
        The configuration, and the velocities on both sides of the impact.
    """

    t: float
    contacts: tuple[str, ...]
    opened: tuple[str, ...]
    impulse: dict[str, tuple[float, ...]]
    passes: int
    guard: float
    energy_lost: float
    plastic: bool
    q: tuple[float, ...]
    v_before: tuple[float, ...]
    v_after: tuple[float, ...]

    def __repr__(self) -> str:
        shown = self.contacts if len(self.contacts) <= SHOWN else (*self.contacts[:SHOWN], "...")
        return (
            f"<Impact at t = {self.t:.6g} s: {', '.join(shown)}; {self.kind}, {self.energy_lost:.3g} J lost>"
        )

    @property
    def kind(self) -> str:
        """ "bounce" if all contacts open again at once, "land" if not."""
        return "bounce" if self.opened == self.contacts else "land"

    @property
    def name(self) -> str:
        """The names of the contacts."""
        return ", ".join(self.contacts)


class ContactForce(NamedTuple):
    """The force of one contact at every instant: its impulse there, over half of the two steps that meet.

    Attributes
    ----------
    normal : array (rows,)
        Along the gap, zero or more; of `DryFriction` the most that it can give.
    tangent : array (rows, tangents)
        Friction along the tangents of the contact; of `DryFriction` its force or moment on the variable.
    point : array (rows, 3)
        Where it acts, in the world; not a number for what has no such place, as a stop.
    vector : array (rows, 3)
        The same force in the axes of the world, on the body that the normal points to.
    """

    normal: Array
    tangent: Array
    point: Array
    vector: Array


class ContactTrajectory(Trajectory):
    """A motion with contacts.

    Attributes
    ----------
    events : tuple of Event and Impact, in the order of time
    impacts : tuple of Impact
    contact_rows : array (rows, ...)
        The forces of all contacts, normal and tangents one after the other: `contact_force` has them by name.
    contact_state : array (rows, gaps + 1), or (rows, 2 gaps + 1) if shapes touch shapes
        Their statuses as numbers, the length of the last step or part of a step, and the features of shapes.
    contact_lost : array (rows, 2)
        The energy lost in impacts and by friction so far.
    """

    extra = ("contact_rows", "contact_state", "contact_lost")

    def __init__(
        self,
        model: Model,
        t: npt.ArrayLike,
        q: npt.ArrayLike,
        *,
        contact_rows: npt.ArrayLike,
        contact_state: npt.ArrayLike,
        contact_lost: npt.ArrayLike,
        **columns: Any,
    ) -> None:
        super().__init__(model, t, q, **columns)
        rows = len(self.t)
        arrays = {"contact_rows": contact_rows, "contact_state": contact_state, "contact_lost": contact_lost}
        for name, tail in shapes(model).items():
            self.__dict__[name] = checked_rows(arrays[name], name, tail, rows)

    contact_rows: Array
    contact_state: Array
    contact_lost: Array

    @cached_property
    def v(self) -> Named:
        """Velocities, (rows, nv): those of the momenta, projected onto constraints and closed contacts."""
        model = self.model
        v = np.zeros((len(self), model.nv))
        v[:, model.nd :] = rate(self.q[:, model.nq - model.nk :], self.t) if self._vk is None else self._vk
        given = (self.q, self.p, self.t, self.contact_state, self.contact_rows)
        q, p, t, status, force = (np.ascontiguousarray(x) for x in given)
        failed = core.contact_velocity(model._core, q, p, t, status, force, v)
        model._check_singular("velocity", failed, (len(self),))
        return Named(frozen(v), model._names.variables)

    @property
    def impacts(self) -> tuple[Impact, ...]:
        """The impacts, in the order of time."""
        return tuple(event for event in self.events if isinstance(event, Impact))

    def gaps(self) -> Named:
        """The gaps at every instant, (rows, gaps); the last axis also takes names.

        The name of an element with several contacts takes all of them, (rows, contacts).
        Where there is none, as of dry friction and of places for points that no shapes touch in, it is infinite.
        """
        model, found = self.model, np.empty((len(self), len(self.model.gaps)))
        q, t, state = (np.ascontiguousarray(x) for x in (self.q, self.t, self.contact_state))
        core.frozen_gap(model._core, q, t, state, found)
        friction = dry_friction(model)
        found[:, [name in friction for name in model.gaps]] = np.inf
        return Named(found, self._contact_names)

    def contact_force(self, name: str) -> ContactForce:
        """The force of a contact at every instant: its impulse there, over half of the two steps that meet.

        Of contacts that depend on each other the least forces are taken, as for constraints.
        """
        first, rows = self._place(name)
        part = self.contact_rows[:, first : first + rows]
        place = self._places[:, places(self.model.gaps)[name]]
        tangents = part.shape[1] - 1
        axes = place[:, 1 : 2 + tangents]
        return ContactForce(part[:, 0], part[:, 1:], place[:, 0], np.einsum("ij,ijk->ik", part, axes))

    @cached_property
    def _places(self) -> Array:
        """Of each contact its point, normal and tangents, (rows, gaps, 4, 3)."""
        found = np.empty((len(self), len(self.model.gaps), 4, 3))
        q, t, state = (np.ascontiguousarray(x) for x in (self.q, self.t, self.contact_state))
        core.contact_places(self.model._core, q, t, state, found)
        return found

    @property
    def contact_status(self) -> npt.NDArray[np.str_]:
        """ "open", "stick" or "slide" at every instant, (rows, gaps); without friction a closed one sticks."""
        return np.asarray(np.array(STATUS)[self.contact_state[:, : len(self.model.gaps)].astype(int)])

    def energy_lost(self) -> dict[str, Array]:
        """The energy lost up to every instant: {"impact": (rows,), "friction": (rows,)}."""
        return {"impact": self.contact_lost[:, 0], "friction": self.contact_lost[:, 1]}

    def _contact_load(self, model: Model, q: Array) -> Array:
        """The generalised forces (rows, nv) of contacts on a model that has them: Jᵀ r, with the rows J of (UN1)."""
        J = np.zeros((len(self), self.contact_rows.shape[1], model.nv))
        places, t, state = (np.ascontiguousarray(x) for x in (q, self.t, self.contact_state))
        core.contact_rows(model._core, places, t, state, J, np.zeros(self.contact_rows.shape))
        return np.asarray(np.einsum("ti,tij->tj", self.contact_rows, J))

    @property
    def _contact_names(self) -> Names:
        return Names(contact_places(self.model.gaps), "contact", self.model._where)

    def _place(self, name: str) -> tuple[int, int]:
        """The first row of a contact, and how many it has."""
        found = places(self.model.gaps)
        if name not in found:
            raise _unknown_contact(str(name), self.model)
        starts = starts_of(self.model)
        return starts[found[name]], starts[found[name] + 1] - starts[found[name]]


def shapes(model: Model) -> dict[str, tuple[int, ...]]:
    """The shapes of the rows of the arrays of contacts."""
    rows = sum(core.contact_row_counts(model._core))
    state = core.contact_state_size(model._core)
    return {"contact_rows": (rows,), "contact_state": (state,), "contact_lost": (2,)}


def buffers(model: Model, rows: int) -> list[Array]:
    """Arrays that a stepper writes contacts to, by rows; without columns if the model has none."""
    if not model.gaps:
        return [np.zeros((rows, 0))] * 3
    return [np.zeros((rows, *tail)) for tail in shapes(model).values()]


def contacts_of(model: Model, stepper: Any, memories: Sequence[Any]) -> dict[str, Array]:
    """The arrays of contacts of states in the core."""
    force, status, lost = buffers(model, len(memories))
    for row, memory in enumerate(memories):
        stepper.load(memory)
        stepper.contacts(status[row], lost[row])
        force[row] = memory.contact_force
    return dict(zip(ContactTrajectory.extra, (force, status, lost), strict=True))


def starts_of(model: Model) -> list[int]:
    """The first row of each contact, and the number of all rows."""
    counts = core.contact_row_counts(model._core)
    return [0, *np.cumsum(counts).tolist()]


def impacts_of(model: Model, found: Sequence[tuple[Any, ...]]) -> list[Impact]:
    """The impacts that a stepper recorded."""
    starts, result = starts_of(model), []
    for t, passes, guard, lost, plastic, impulses, hits, *node in found:
        impulse = {
            model.gaps[i]: tuple(impulses[starts[i] : starts[i + 1]]) for i, what in enumerate(hits) if what
        }
        opened = tuple(model.gaps[i] for i, what in enumerate(hits) if what == 2)
        ends = [tuple(part) for part in node]
        result.append(Impact(t, tuple(impulse), opened, impulse, passes, guard, lost, plastic, *ends))
    return result


def in_time(*kinds: Sequence[Event | Impact]) -> tuple[Any, ...]:
    """Events of all kinds in the order of time."""
    return tuple(sorted((event for kind in kinds for event in kind), key=lambda event: event.t))


def contact_places(gaps: Sequence[str]) -> dict[str, int | slice]:
    """The column of each gap, and the columns of each element that has several, by its name."""
    found: dict[str, int | slice] = {}
    for place, gap in enumerate(gaps):
        name, bracket, _ = gap.rpartition("[")
        if bracket:
            before = found.get(name)
            found[name] = slice(before.start if isinstance(before, slice) else place, place + 1)
    return {**found, **{gap: place for place, gap in enumerate(gaps)}}


def _unknown_contact(name: str, model: Model) -> ModelError:
    """The error for a name that no contact has, or that several points of one element share."""
    parts = [gap for gap in model.gaps if gap.startswith(f"{name}[")]
    if not parts:
        return unknown_name("contact", name, model.gaps, model._where)
    return ModelError(
        asked=f"contact {name!r} in {model._where}",
        found=f"an element with {len(parts)} contacts: {quoted(parts)}",
        do="give one of these, or add up the vectors for the total force: "
        f'sum(run.contact_force(name).vector for name in model.gaps if name.startswith("{name}["))',
    )
