"""Mass matrix against Pinocchio's ``crba``, which fills the upper triangle only."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.harness import Row, require_equal
from benchmarks.systems import Array
from benchmarks.tree_quantity import measure
from bough.model.model import Model
from bough.peers.pinocchio import Pinocchio


def rows() -> Iterator[Row]:
    variants = (("local", "portable"), ("world", "portable"), ("local", "native"))
    return measure("mass_matrix", _compute, _verify, "crba", "mass_matrix", variants, matrices=1)


def _compute(model: Model, q: Array, v: Array, x: Array) -> Array:
    return model.mass_matrix(q)


def _verify(model: Model, peer: Pinocchio, q: Array, v: Array, x: Array) -> None:
    require_equal("mass matrix", model.mass_matrix(q), peer.value("mass_matrix", "local", q, v, x))
