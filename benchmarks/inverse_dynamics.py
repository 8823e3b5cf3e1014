"""Inverse dynamics against Pinocchio's ``rnea``."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.harness import Row, require_equal
from benchmarks.systems import Array
from benchmarks.tree_quantity import measure
from bough.model.model import Model
from bough.peers.pinocchio import Pinocchio


def rows() -> Iterator[Row]:
    variants = (("local", "portable"),)
    return measure("inverse_dynamics", _compute, _verify, "rnea", "inverse_dynamics", variants)


def _compute(model: Model, q: Array, v: Array, x: Array) -> Array:
    return model.inverse_dynamics(q, v, x)


def _verify(model: Model, peer: Pinocchio, q: Array, v: Array, x: Array) -> None:
    theirs = peer.value("inverse_dynamics", "local", q, v, x)
    require_equal("inverse dynamics", model.inverse_dynamics(q, v, x), theirs)
