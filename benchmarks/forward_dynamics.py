"""Forward dynamics against Pinocchio's ``aba``."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.harness import Row, require_equal
from benchmarks.systems import Array
from benchmarks.tree_quantity import measure
from bough.model.model import Model
from bough.peers.pinocchio import Pinocchio


def rows() -> Iterator[Row]:
    variants = (("local", "portable"), ("world", "portable"))
    return measure("forward_dynamics", _compute, _verify, "aba", "forward_dynamics", variants)


def _compute(model: Model, q: Array, v: Array, x: Array) -> Array:
    return model.acceleration(q, v, force=x)


def _verify(model: Model, peer: Pinocchio, q: Array, v: Array, x: Array) -> None:
    theirs = peer.value("forward_dynamics", "local", q, v, x)
    require_equal("forward dynamics", model.acceleration(q, v, force=x), theirs)
