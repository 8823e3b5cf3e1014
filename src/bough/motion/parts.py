"""A run with its continuation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bough import validate
from bough.errors import ModelError
from bough.motion.body_motion import BodyMotion

if TYPE_CHECKING:
    from bough.motion.trajectory import Driving, Trajectory

SAME = 1e-9  # relative difference allowed between the end of a run and the start of its continuation


class Part(NamedTuple):
    """A part of a joined run: its first row, and its drive."""

    row: int
    driving: Driving


def joined(run: Trajectory, more: Trajectory) -> Trajectory:
    """A run and its continuation as one, with the instant between them once, as the continuation has it."""
    _check_fit(run, more)
    model = run.model
    names = ("t", "q", "v", "p", "lam", "u", *run.extra)
    columns: dict[str, Any] = {
        name: np.concatenate([np.asarray(getattr(run, name))[:-1], np.asarray(getattr(more, name))])
        for name in names
    }
    whole = type(run)(
        model,
        columns.pop("t"),
        columns.pop("q"),
        vk=columns["v"][:, model.nd :],
        status=more.status,
        settings=_settings(run.settings, more.settings),
        statistics=_statistics(run.statistics, more.statistics),
        bodies=_bodies(run.bodies, more.bodies),
        parts=_parts(run, more),
        **columns,
    )
    whole.events = (*run.events, *more.events)
    return whole


def parts_of(run: Trajectory) -> list[Trajectory]:
    """The parts of a joined run, each as the run that it was; the last instant is that of the next part."""
    ends = [part.row for part in run._parts[1:]] + [len(run) - 1]
    found, model = [], run.model
    for part, end, settings in zip(run._parts, ends, run.settings["joined"], strict=True):
        rows = slice(part.row, end + 1)
        columns = {name: getattr(run, name)[rows] for name in ("v", "p", "lam", "u", *run.extra)}
        status = run.status if end == len(run) - 1 else "finished"
        found.append(
            type(run)(
                model,
                run.t[rows],
                run.q[rows],
                status=status,
                settings=settings,
                driving=part.driving,
                **columns,
            )
        )
    return found


def _parts(run: Trajectory, more: Trajectory) -> tuple[Part, ...]:
    """The parts of both; none if one of them cannot be rerun."""
    found: list[Part] = []
    for some, first in ((run, 0), (more, len(run) - 1)):
        parts = some._parts or (() if some._driving is None else (Part(0, some._driving),))
        if not parts:
            return ()
        found += [part._replace(row=part.row + first) for part in parts]
    return tuple(found)


def _check_fit(run: Trajectory, more: Trajectory) -> None:
    if run.model != more.model:
        raise _unfit(f"runs of two models, {run.model.name!r} and {more.model.name!r}")
    if type(run) is not type(more) or (run.bodies is None) != (more.bodies is None):
        raise _unfit("runs of two formulations: only one has poses of a base or of bodies")
    end, start = float(run.t[-1]), float(more.t[0])
    step = float(np.abs(np.diff(run.t)).max(initial=0.0))
    if abs(start - end) > SAME * step + 4.0 * np.spacing(abs(end)):
        raise _unfit(f"the first ends at t = {end:.9g} s and the second begins at {start:.9g} s")
    # If kinematic variables move, velocities may jump from one motion to the next.
    for symbol, tolerance in (("q", SAME), ("v", 1e3 * SAME))[: 1 if run.model.nk else 2]:
        a, b = np.asarray(getattr(run, symbol)[-1]), np.asarray(getattr(more, symbol)[0])
        off = np.abs(a - b) > tolerance * np.maximum(1.0, np.abs(a))
        if off.any():
            i = int(np.argmax(off))
            name = (run.model.coordinates if symbol == "q" else run.model.variables)[i]
            raise _unfit(f"{symbol} of {name!r} ends at {a[i]:.9g} and begins at {b[i]:.9g}")


def _unfit(found: str) -> ModelError:
    return ModelError(
        asked="run + more",
        found=found,
        do="join a run and its continuation: more = bough.simulate(model, run[-1], duration=...)",
    )


def _settings(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """The settings of the continuation, with the duration and steps of both and what made each part."""
    both: dict[str, Any] = {}
    for name in ("duration", "steps"):
        if name in first and name in second:
            both[name] = first[name] + second[name]
    start = {"t0": first["t0"]} if "t0" in first else {}
    parts = [*first.get("joined", [first]), *second.get("joined", [second])]
    return {**second, **both, **start, "joined": parts}


def _statistics(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """The statistics of both, added."""
    numbers = [name for name in first if validate.is_real(first[name]) and validate.is_real(second.get(name))]
    return {**first, **second, **{name: first[name] + second[name] for name in numbers}}


def _bodies(first: BodyMotion | None, second: BodyMotion | None) -> BodyMotion | None:
    if first is None or second is None:
        return None
    parts = zip(first.arrays().values(), second.arrays().values(), strict=True)
    position, quaternion, drift = (np.concatenate([a[:-1], b]) for a, b in parts)
    return BodyMotion(first.names, position, quaternion, drift, [*first.events, *second.events])
