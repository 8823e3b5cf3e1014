"""The sum of all forces and its derivatives, for the model as a whole."""

from __future__ import annotations

import numpy as np

from bough import ConfigurationForce, Damping, FunctionForce, System


def arm() -> System:
    system = System("arm")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    system.add(Damping({"forearm": 0.3}))
    system.add(Damping(0.1))
    system.add(ConfigurationForce("shoulder", "motor"))
    return system


def test_derivatives_of_damping_and_inputs() -> None:
    model = arm().build()
    q, v, u = np.array([0.2, -0.4]), np.array([1.0, 2.0]), [5.0]
    np.testing.assert_allclose(model.generalized_force(q, v, u), [5.0 - 0.1, -0.8], rtol=1e-15)
    assert not model.generalized_force_dq(q, v, u).any()
    np.testing.assert_allclose(model.generalized_force_dv(q, v, u), np.diag([-0.1, -0.4]), rtol=1e-15)


def test_batches_and_names() -> None:
    model = arm().build()
    q, v = np.random.default_rng(1).normal(size=(2, 3, 1, 2))
    u = np.ones((4, 1))
    for quantity in (model.generalized_force_dq, model.generalized_force_dv):
        assert quantity(q, v, u).shape == (3, 4, 2, 2)
        assert quantity({"shoulder": 1.0}, {"forearm": 1.0}, {"motor": 1.0}).shape == (2, 2)
        assert quantity(q[0, 0], v[0, 0]).shape == (2, 2)


def test_no_forces() -> None:
    system = System("free")
    system.world.tx("x", mass=1.0)
    model = system.build()
    assert not model.generalized_force_dq([0.0], [1.0]).any()
    assert not model.generalized_force_dv([0.0], [1.0]).any()


def test_one_time_for_each_state() -> None:
    system = System("pushed", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(FunctionForce("x", lambda t, q, v: t**2 * q["x"] - t * v["x"]))
    model = system.build()
    t = np.arange(6.0).reshape(2, 3)
    q, v = np.array([2.0]), np.array([3.0])
    many = np.broadcast_to(q, (2, 3, 1))
    np.testing.assert_allclose(model.generalized_force(many, v, t=t)[..., 0], 2.0 * t**2 - 3.0 * t)
    np.testing.assert_allclose(model.generalized_force_dq(many, v, t=t)[..., 0, 0], t**2, atol=1e-8)
    np.testing.assert_allclose(model.generalized_force_dv(many, v, t=t)[..., 0, 0], -t, atol=1e-8)
    np.testing.assert_allclose(model.generalized_force(q, v, t=2.0), [2.0])
