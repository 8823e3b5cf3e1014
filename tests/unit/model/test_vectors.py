"""One vector of doubles is read by the core as it is; whatever else holds the same numbers gives the same bits."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bough
from bough._core import core


def model() -> bough.Model:
    """A pushed and damped arm on a prescribed slide, its tip on a moving plane."""
    system = bough.System("arm")
    base = system.world.tx(bough.kinematic("slide"), name="base", mass=2.0)
    elbow = base.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    tip = elbow.ry("forearm").tz(-0.5, name="tip", mass=0.5, inertia=(0.1, 0.2, 0.15))
    system.add(bough.Damping(0.3))
    system.add(bough.ConfigurationForce("shoulder", "torque"))
    lift = bough.Sinusoid(amplitude=0.1, frequency=2.0)
    system.add(bough.PointConstraint(tip, system.world, axis=(0, 0, 1), offset=lift))
    return system.build()


ARM = model()
Q, V, U, T = np.array([0.4, -0.7, 0.2]), np.array([0.1, 0.3, -0.2]), np.array([1.5]), 0.3
P = np.array([0.6, -0.1])
QUANTITIES: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "pose": lambda q, v, u, t: ARM.pose("tip", q),
    "poses": lambda q, v, u, t: ARM.poses(["tip", "elbow"], q),
    "body_velocity_dv": lambda q, v, u, t: ARM.body_velocity_dv("tip", q, v),
    "mass_matrix": lambda q, v, u, t: ARM.mass_matrix(q),
    "bias": lambda q, v, u, t: ARM.bias(q, v),
    "energy": lambda q, v, u, t: ARM.energy(q, v),
    "L_dqdq": lambda q, v, u, t: ARM.L_dqdq(q, v),
    "acceleration": lambda q, v, u, t: ARM.acceleration(q, v, u, t=t),
    "without u": lambda q, v, u, t: ARM.acceleration(q, v, t=t),
    "force": lambda q, v, u, t: ARM.acceleration(q, v, u, t=t, force=v, baumgarte=(2.0, 3.0)),
    "multipliers": lambda q, v, u, t: ARM.acceleration_and_multipliers(q, v, u, t=t)[1],
    "velocity": lambda q, v, u, t: ARM.velocity(q, P, vk=u, t=t),
    "without vk": lambda q, v, u, t: ARM.velocity(q, P, t=t),
    "constraint": lambda q, v, u, t: ARM.constraint(q, t),
    "constraint_dq": lambda q, v, u, t: ARM.constraint_dq(q, t),
    "constraint_dt": lambda q, v, u, t: ARM.constraint_dt(q, t),
    "generalized_force": lambda q, v, u, t: ARM.generalized_force(q, v, u, t),
    "generalized_force_dv": lambda q, v, u, t: ARM.generalized_force_dv(q, v, u, t),
}
FORMS: dict[str, Callable[[Any], Any]] = {
    "list": lambda x: x.tolist(),
    "strided": lambda x: np.repeat(x, 2)[::2],
    "big-endian": lambda x: x.astype(">f8"),
    "array": lambda x: array("d", x),
    "read-only": lambda x: np.frombuffer(x.tobytes()),
}


@pytest.mark.parametrize("name", QUANTITIES)
def test_every_form_gives_the_same_bits(name: str) -> None:
    quantity = QUANTITIES[name]
    expected = quantity(Q, V, U, T)
    batch = quantity(*(np.tile(x, (2, 1)) for x in (Q, V, U)), T)
    assert batch.shape == (2, *np.shape(expected))
    assert np.array_equal(batch[1], expected)
    for form in FORMS.values():
        assert np.array_equal(quantity(*(form(x) for x in (Q, V, U)), np.float64(T)), expected)


def test_what_the_core_reads_as_it_is() -> None:
    assert core.are_vectors(3, Q, V)
    assert core.are_vectors(3)
    assert core.are_vectors(0, np.zeros(0))
    assert core.are_vectors(3, np.frombuffer(Q.tobytes()))
    for other in (
        Q[:2],
        Q[None],
        Q[::-1],
        Q.astype(np.float32),
        Q.astype(">f8"),
        np.arange(3),
        Q.tolist(),
        {"shoulder": 0.1},
        None,
        b"24 bytes, but no numbers",
        np.array([0.0, np.nan, 0.0]),
        np.array([0.0, 0.0, -np.inf]),
    ):
        assert not core.are_vectors(3, Q, other)


def test_buffers_are_given_back() -> None:
    q = array("d", Q)
    assert np.array_equal(ARM.mass_matrix(q), ARM.mass_matrix(Q))
    assert not core.are_vectors(2, q)
    q.append(0.0)  # raises BufferError as long as somebody reads it
