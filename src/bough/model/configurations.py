"""Configurations of models with balls: names and numbers of q, and steps along tangents of it.

q has a unit quaternion (w, x, y, z) where v has the three rates of a ball, so that nq = nv + the number of balls.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from bough._core import core
from bough.arguments import Array, Vector, vector
from bough.description import rotation
from bough.description.parameter import ball_coordinates
from bough.elements.potentials import TorsionSpring
from bough.errors import ModelError, quoted, unknown_name
from bough.named import Names, places

NO_VECTOR = 2**62  # a length that no vector has


def coordinate_names(variables: tuple[str, ...], balls: Mapping[str, int]) -> tuple[str, ...]:
    """The names of q: those of v, with the quaternions of balls in place of their rates."""
    first = {place: name for name, place in balls.items()}
    names: list[str] = []
    for place, name in enumerate(variables):
        if place in first:
            names += ball_coordinates(first[place])
        elif place - 1 not in first and place - 2 not in first:
            names.append(name)
    return tuple(names)


class Configurations:
    """The part of `Model` about configurations."""

    variables: tuple[str, ...]
    nv: int
    nk: int
    name: str
    _where: str
    _balls: dict[str, tuple[int, int]]  # the first places in v and in q
    _elements: tuple[Any, ...]

    def _set_coordinates(self, balls: dict[str, int]) -> None:
        """The names and places of q, which has a quaternion where v has the rates of a ball."""
        self.coordinates: tuple[str, ...] = (
            coordinate_names(self.variables, balls) if balls else self.variables
        )
        self.nq: int = len(self.coordinates)
        self.balls: tuple[str, ...] = tuple(balls)
        self._balls = {name: (i, i + sum(j < i for j in balls.values())) for name, i in balls.items()}
        self._coordinate_places = places(self.coordinates)
        single = [i for i, name in enumerate(self.variables) if name in self._coordinate_places]
        places_in_q = [self._coordinate_places[self.variables[i]] for i in single]
        # the places in v and in q of what is no ball
        self._single = (np.array(single, dtype=int), np.array(places_in_q, dtype=int))
        # the places (balls, 4) in q of the quaternions
        self._quaternions = np.array([place for _, place in self._balls.values()], dtype=int)[
            :, None
        ] + range(4)
        self._neutral = np.zeros(self.nq)
        self._neutral[self._quaternions[:, 0]] = 1.0
        # by the names in q of what is in a quaternion, the place of its first number
        self._quaternion_of = {
            name: place for ball, (_, place) in self._balls.items() for name in ball_coordinates(ball)
        }
        self._plain = NO_VECTOR if balls else self.nv

    @cached_property
    def _turning(self) -> bool:
        """Whether a torsion spring without an axis has half turns, which are looked for."""
        return any(isinstance(e, TorsionSpring) and e.axis is None for e in self._elements)

    def _coordinate_names(self) -> Names:
        whole = {name: slice(place, place + 4) for name, (_, place) in self._balls.items()}
        return Names({**self._coordinate_places, **whole}, "coordinate" if whole else "variable", self._where)

    def _rate_places(self, names: tuple[str, ...]) -> dict[str, int | slice]:
        """The places of names of v, with those of the rates of a ball together."""
        return {
            **places(names),
            **{name: slice(place, place + 3) for name, (place, _) in self._balls.items()},
        }

    def _variables_of(self, q: Array) -> Array:
        """The variables (..., nv) of configurations (..., nq); zero in place of those of balls, which q has none of."""
        if not self._balls:
            return q
        out = np.zeros((*q.shape[:-1], self.nv))
        out[..., self._single[0]] = q[..., self._single[1]]
        return out

    def configuration(self, q: Vector) -> Array:
        """q as an array: a mapping from names to numbers, or to rotations of balls, is filled up.

        Numbers not named are zero, balls not named are not turned.
        """
        return configuration(self, q, "q", self._where)

    def neutral(self) -> Array:
        """The configuration (nq,) of zeros, with the balls not turned."""
        return self._neutral.copy()

    def random(self, random: np.random.Generator | int | None = None) -> Array:
        """A configuration (nq,): normally distributed numbers, and balls turned by any rotation alike."""
        q = np.random.default_rng(random).normal(size=self.nq)
        for _, place in self._balls.values():
            q[place : place + 4] /= np.linalg.norm(q[place : place + 4])
        return q

    def _samples(self, rows: int) -> Array:
        """Configurations (rows, nq), the same in every call: numbers between -1 and 1, and balls turned."""
        q = np.random.default_rng(0).uniform(-1.0, 1.0, (rows, self.nq))
        for _, place in self._balls.values():
            q[:, place : place + 4] /= np.linalg.norm(q[:, place : place + 4], axis=-1, keepdims=True)
        return q

    def integrate(self, q: Vector, dv: Vector) -> Array:
        """The configuration (..., nq) after a displacement dv (..., nv) from q: q + dv, of balls Q exp(dv)."""
        start, move = self.configuration(q), velocity(self, dv, "dv", self._where)
        if not self._balls:
            return start + move
        v, c = self._single
        end = np.array(
            np.broadcast_to(start, (*np.broadcast_shapes(start.shape[:-1], move.shape[:-1]), self.nq))
        )
        end[..., c] += move[..., v]
        for i, k in self._balls.values():
            turn = rotation.from_vector(move[..., i : i + 3])
            Q = rotation.product(start[..., k : k + 4], turn)
            end[..., k : k + 4] = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
        return end

    def difference(self, q0: Vector, q1: Vector) -> Array:
        """The displacement (..., nv) that leads from q0 to q1: q1 - q0, of balls log(Q0⁻¹ Q1), half a turn at most."""
        start, end = self.configuration(q0), self.configuration(q1)
        if not self._balls:
            return end - start
        v, c = self._single
        move = np.empty((*np.broadcast_shapes(start.shape[:-1], end.shape[:-1]), self.nv))
        move[..., v] = end[..., c] - start[..., c]
        for i, k in self._balls.values():
            turn = rotation.product(rotation.conjugate(start[..., k : k + 4]), end[..., k : k + 4])
            move[..., i : i + 3] = rotation.to_vector(turn)
        return move


def configuration(model: Any, value: Vector, what: str, where: str) -> Array:
    """A configuration (..., nq) of a model, with unit quaternions."""
    if not model._balls:
        return vector(value, model.variables, what, where)
    if isinstance(value, Mapping):
        numbers = rotation.expanded(value, what, where, model._balls)
        for name in numbers:
            if name not in model._coordinate_places:
                raise unknown_name(
                    "variable", str(name), (*model.coordinates, *model._balls), f"{what} of {where}"
                )
        if (single := _of_floats(model, numbers)) is not None:
            return single
        names = tuple(numbers)
        given = vector(numbers, names, what, where, "coordinates")
        array = model.neutral()
        if given.ndim > 1:
            array = np.array(np.broadcast_to(array, (*given.shape[:-1], model.nq)))
        at = np.array([model._coordinate_places[name] for name in names], dtype=int)
        named = np.zeros(model.nq, dtype=bool)
        named[at] = True
        array[..., model._quaternions[named[model._quaternions].any(axis=-1)]] = 0.0  # given whole
        array[..., at] = given
    else:
        if core.are_vectors(model.nv, value):
            raise ModelError(
                asked=f"{what} of {where}",
                found=f"{model.nv} numbers, one for each variable of v; q has {model.nq} with the quaternions"
                f" (w, x, y, z) of {quoted(tuple(model._balls))}",
                do=f"give an array of {model.nq} numbers, or a mapping from names; model.neutral() is the zero",
            )
        array = vector(value, model.coordinates, what, where, "coordinates")
    out = np.array(array, dtype=float)
    if rotation.are_units(out[..., model._quaternions]):  # all at once, as there may be many
        return out
    for name, (_, k) in model._balls.items():
        out[..., k : k + 4] = rotation.unit(out[..., k : k + 4], f"{name!r} in {what}", where)
    return out


def _of_floats(model: Any, numbers: Mapping[str, Any]) -> Array | None:
    """A configuration of finite floats by the names of q: a fifth of the time of arrays, which may be many rows.

    None if a value is none of them, or if a quaternion is not of unit length.
    """
    if not all(type(x) is float and math.isfinite(x) for x in numbers.values()):
        return None
    q: Array = model.neutral()
    balls = {model._quaternion_of.get(name) for name in numbers} - {None}
    for k in balls:
        q[k] = 0.0  # given whole
    for name, x in numbers.items():
        q[model._coordinate_places[name]] = x
    return q if all(rotation.is_unit(q[k : k + 4].tolist()) for k in balls) else None


def velocity(model: Any, value: Vector, what: str, where: str) -> Array:
    """Velocities (..., nv), or their like; of a ball by name as three rates too."""
    if model._balls and isinstance(value, Mapping):
        value = rotation.expanded(value, what, where, model._balls)
    return vector(value, model.variables, what, where)


def refuse_balls(model: Any, asked: str, do: str) -> None:
    """Raise if a model has balls, for what does not know them."""
    if model._balls:
        named = f"model {model.name!r}"
        raise ModelError(
            asked=asked if named in asked else f"{asked} of {named}",
            found=f"the model has balls, {quoted(tuple(model._balls))}, whose rotations are quaternions",
            do=do,
        )
