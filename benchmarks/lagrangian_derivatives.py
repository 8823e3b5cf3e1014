"""All first and second derivatives of the Lagrangian against Pinocchio's ``computeABADerivatives``.

The two are not the same matrices, but each is what its library offers to linearise the motion. They are tied
together by the derivatives of the momentum ``p = M v`` and of the potential, which Pinocchio's inverse
dynamics gives: with zero velocity and acceleration ``v`` it returns ``M v + dV/dq``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.harness import Row, require_equal
from benchmarks.systems import Array
from benchmarks.tree_quantity import measure
from bough.model.model import Model
from bough.peers.pinocchio import Pinocchio


def rows() -> Iterator[Row]:
    variants = (("local", "portable"), ("local", "native"))
    return measure(
        "lagrangian_derivatives",
        _compute,
        _verify,
        "ABA derivatives",
        "acceleration_derivatives",
        variants,
        matrices=3,
    )


def _compute(model: Model, q: Array, v: Array, x: Array) -> object:
    return model.lagrangian_derivatives(q, v)


def _verify(model: Model, peer: Pinocchio, q: Array, v: Array, x: Array) -> None:
    L = model.lagrangian_derivatives(q[0], v[0])
    require_equal("L_dvdv", L.dvdv, peer.value("mass_matrix", "local", q[:1], v[:1], x[:1])[0])
    require_equal("L_dqdv", L.dqdv, _difference(lambda at: _momentum(peer, at, v[0]), q[0]).T)
    require_equal("L_dqdq", L.dqdq, _difference(lambda at: _gradient(peer, at, v[0]), q[0]))


def _momentum(peer: Pinocchio, q: Array, v: Array) -> Array:
    """dL/dv for rows of configurations and one velocity."""
    zero = np.zeros_like(q)
    rest = peer.value("inverse_dynamics", "local", q, zero, zero)
    return peer.value("inverse_dynamics", "local", q, zero, np.tile(v, (len(q), 1))) - rest


def _gradient(peer: Pinocchio, q: Array, v: Array) -> Array:
    """dL/dq for rows of configurations and one velocity.

    Inverse dynamics is ``tau = dp/dt - dL/dq``; without acceleration dp/dt is the derivative of p along v.
    """
    zero = np.zeros_like(q)
    tau = peer.value("inverse_dynamics", "local", q, np.tile(v, (len(q), 1)), zero)
    step = 0.04 / np.abs(v).sum()
    momentum = [_momentum(peer, q + k * step * v, v) for k in _OFFSETS]
    return np.tensordot(_WEIGHTS, momentum, 1) / step - tau


def _difference(function: Callable[[Array], Array], q: Array) -> Array:
    """Derivative of a row-wise function at one configuration; column j belongs to q_j."""
    steps = _STEP * np.eye(len(q))
    values = [function(q + k * steps) for k in _OFFSETS]
    return np.tensordot(_WEIGHTS, values, 1).T / _STEP


# central differences of order eight
_STEP = 0.02
_OFFSETS = (-4, -3, -2, -1, 1, 2, 3, 4)
_WEIGHTS = np.array((1 / 280, -4 / 105, 1 / 5, -4 / 5, 4 / 5, -1 / 5, 4 / 105, -1 / 280))
