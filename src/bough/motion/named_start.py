"""Starts given by name: what is named first is kept, as far as the constraints allow, and the others follow.

The velocities that the constraints allow are v_p + N z, with D v_p + D_t = 0 and D N = 0. A named velocity adds the
equation N_i z = v_i - v_p,i; in the order of the names, those that depend on earlier ones have no choice left. All
others are held, and what nobody named is projected by the metric of kinetic energy, (A3). Configurations are held in
the same order, each name by an attempt to assemble; where those held leave a name no freedom, none is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.description.parameter import ball_coordinates, ball_variables
from bough.errors import BoughWarning, ModelError, quoted, warn
from bough.model.model import Model
from bough.model.projection import Places, projected_velocity, relative_rows
from bough.model.units import turning
from bough.motion.assemble import SINGULAR, assemble
from bough.motion.assemble_contacts import penetrated
from bough.motion.consistent_start import ConsistentStart

EXACT = 1e-9  # relative change of a velocity that is round-off
KEPT = 1e-3  # change of a named value of which no start warns: relative, of angles in rad


class Changed(dict[str, Any]):
    """Values by name of which some, `names`, were changed last: they are kept first, the others are guesses."""

    def __init__(self, values: Mapping[str, Any], names: Iterable[str]) -> None:
        super().__init__(values)
        self.names = tuple(names)

    def __reduce__(self) -> tuple[Any, ...]:
        return Changed, (dict(self), self.names)


def changed(before: Mapping[str, Any], values: Mapping[str, Any]) -> Changed:
    """The values before with some of them changed, which come first."""
    others = {name: value for name, value in before.items() if name not in values}
    return Changed({**values, **others}, values)


def kept_names(value: Any) -> tuple[str, ...]:
    """The names in an argument that are to be kept; in an array there are none."""
    if isinstance(value, Changed):
        return value.names
    return tuple(value) if isinstance(value, Mapping) else ()


def kept_rates(model: Model, q: Any, v: Any) -> tuple[str, ...]:
    """The velocities to be kept: what v names, without v what the system's start does, unless q is an array."""
    whole = q is not None and not isinstance(q, Mapping)
    return kept_names(model.start.v if v is None and not whole else v)


def warn_of(*unkept: ModelError | None) -> None:
    """Warn of named values that a start does not have."""
    for error in filter(None, unkept):
        warn(f"{error.asked}: {error.found}; {error.do}", BoughWarning)


# --- configurations ---


def assemble_named(
    model: Model, q: Array, named: Iterable[str], t: float = 0.0, called: str = "assemble()"
) -> Array:
    """The nearest configuration on the constraints that keeps the `named` values, those named first before others."""
    left, held = _variables(model, named), list[str]()
    best, count = _most(model, q, held, left, t, called)
    while count < len(left):
        held, left = held + left[:count], left[count + 1 :]
        fixed = _determined(model, best, held, t)
        left = [name for name in left if name not in fixed]
        if not left:
            break
        best, count = _most(model, q, held, left, t, called, best)
    return best


def _most(
    model: Model,
    q: Array,
    held: list[str],
    names: list[str],
    t: float,
    called: str,
    best: Array | None = None,
) -> tuple[Array, int]:
    """The largest number of the first names that can be held beside others, by bisection, and the configuration.

    If the first n of them can be held, so can fewer. `best` is the configuration that holds none of them, if known.
    """
    low, high = 0, len(names)
    count, found = high, best
    while low < high or found is None:
        try:
            found = assemble(model, q, None, held + names[:count], t, called).q
            low = count
        except ModelError:
            if count == 0:
                raise
            high = count - 1
        count = (low + high + 1) // 2
    return np.asarray(found), low


def _determined(model: Model, q: Array, held: Sequence[str], t: float) -> set[str]:
    """The dynamic variables that those held and the constraints leave no freedom at a configuration."""
    free = np.array([i for i, name in enumerate(model.dynamic) if name not in held], dtype=np.intp)
    N = _null_space(model, q, free, t)
    moves = np.linalg.norm(N, axis=1) > SINGULAR
    return {model.dynamic[place] for place, move in zip(free, moves, strict=True) if not move}


def _null_space(model: Model, q: Array, free: Places, t: float) -> Array:
    """The motions of the free variables that the constraints allow, (free, any): in rad, and in the system's size."""
    D = relative_rows(model, q, t)[:, free]
    _, s, Vt = np.linalg.svd(D)
    return np.asarray(Vt[int((s > SINGULAR).sum()) :].T)


def unkept_configuration(
    model: Model, asked: Array, found: Array, named: Iterable[str], t: float, where: str
) -> ModelError | None:
    """The error for a value named in q that the assembled configuration does not have."""
    names = _variables(model, named)
    if not names:
        return None
    change = np.abs(model.difference(asked, found))
    value, got = model._variables_of(asked), model._variables_of(found)
    scales = [0.0, *(model.constraint_scale(found, t) if model.nc else ())]
    scales += list(model.gap_scale(found, t)) if model.gaps else []
    turns = turning(model) > 0.0
    size = np.where(turns, 1.0, np.maximum(np.abs(value), np.abs(got)))
    exact = EXACT * np.where(turns, 1.0, max(scales))
    off = change > KEPT * size + exact
    lost = [name for name in names if off[model.variables.index(name)]]
    if not lost:
        return None
    kept = _whole(model, [name for name in names if name not in lost])
    name, i = lost[0], model.variables.index(lost[0])
    ball = next((ball for ball in model.balls if name in ball_variables(ball)), None)
    now = float(got[i]) if abs(got[i]) > exact[i] else 0.0  # rather than round-off
    turned = (
        f"turn the ball {ball!r} by {np.linalg.norm(change[_places(model, ball)]):.3g} rad" if ball else ""
    )
    first = _whole(model, [other for other in names[: names.index(name)] if other not in lost])
    gaps = penetrated(model, asked, t) if model.gaps else []
    beyond = list(dict.fromkeys(model.gaps[k].split("[")[0] for k in gaps))
    before = f" to fit {quoted(first)}, named before it" if first and not beyond else ""
    what = "constraints and contacts" if model.gaps else "the constraints"
    of = f", since q is beyond {quoted(beyond)}" if beyond else before
    hold = f", hold={tuple(kept)!r}" if kept else ""
    guess = f"a guess goes into the start of the system, or into q=model.assemble(guess{hold})"
    return ModelError(
        asked=f"q of {where}, by name",
        found=f"{what} {turned or f'move {name!r} from {value[i]:.6g} to {now:.6g}'}{of}",
        do=f"name only what is to be kept; {guess}"
        if len(names) > 1
        else f"no configuration found nearby has this value: name one within reach; {guess}",
    )


def _whole(model: Model, names: Sequence[str]) -> list[str]:
    """Names of variables, with a ball in place of its three; a ball of which some are missing is left out."""
    ball_of = {part: ball for ball in model.balls for part in ball_variables(ball)}
    whole = [ball_of.get(name, name) for name in names]
    return [name for name in dict.fromkeys(whole) if name not in model.balls or whole.count(name) == 3]


def _places(model: Model, ball: str) -> list[int]:
    return [model.variables.index(name) for name in ball_variables(ball)]


def _variables(model: Model, named: Iterable[str]) -> list[str]:
    """The dynamic variables of what is named, balls and their coordinates too, each once."""
    of_balls = {
        name: ball_variables(ball) for ball in model.balls for name in (ball, *ball_coordinates(ball))
    }
    names = [part for name in named for part in of_balls.get(name, (name,))]
    return [name for name in dict.fromkeys(names) if name in model.dynamic]


# --- velocities ---


def with_named_velocities(
    model: Model, made: ConsistentStart, v: Array, named: Iterable[str], t: float
) -> ConsistentStart:
    """A start whose projected velocities are replaced by those that keep what is named in v, if they do not."""
    names = _variables(model, named)
    places = np.array([model.variables.index(name) for name in names], dtype=np.intp)
    asked = np.concatenate([v[: model.nd], made.v[model.nd :]])
    size = EXACT * max(np.abs(asked).max(), np.abs(made.v).max())
    if not (np.abs(asked - made.v)[places] > size).any():
        return made
    every = np.arange(model.nd, dtype=np.intp)
    N = _null_space(model, made.q, every, t)
    held, basis = [], np.zeros((0, N.shape[1]))
    for place in places:
        row = N[place] - (N[place] @ basis.T) @ basis
        row -= (row @ basis.T) @ basis
        length = np.linalg.norm(row)
        if length > SINGULAR:
            held.append(place)
            basis = np.vstack([basis, row / length])
    velocity = projected_velocity(model, made.q, asked, np.setdiff1d(every, held), SINGULAR, t)
    return ConsistentStart(made.q, velocity, model.momentum(made.q, velocity)[: model.nd])


def unkept_velocity(
    model: Model, asked: Array, found: Array, named: Iterable[str], where: str
) -> ModelError | None:
    """The error for a velocity that is named and that the start does not have."""
    names = _variables(model, named)
    size = np.maximum(np.abs(asked), np.abs(found))
    off = np.abs(asked - found) > KEPT * size + EXACT * size.max(initial=0.0)
    lost = [name for name in names if off[model.variables.index(name)]]
    if not lost:
        return None
    name, i = lost[0], model.variables.index(lost[0])
    got = float(found[i]) if abs(found[i]) > EXACT * size.max() else 0.0  # rather than round-off
    kept = [other for other in names if other not in lost]
    before = f", which follows from {quoted(kept)}" if kept else ", all that they allow"
    return ModelError(
        asked=f"v of {where}, by name",
        found=f"the constraints turn the velocity {asked[i]:.6g} of {name!r} into {got:.6g}{before}",
        do="name fewer velocities: those left out follow; v=model.assemble(q, v).v takes the nearest to all of them,"
        " as after an impact",
    )
