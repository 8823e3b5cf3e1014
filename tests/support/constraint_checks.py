"""What every kind of constraint must pass: exact derivatives, and accelerations that keep it."""

from __future__ import annotations

import numpy as np

import bough
from support.finite_difference import assert_derivative
from support.transforms import Array


def two_arms() -> bough.System:
    """Two arms on one moving base, with every kind of joint; frames a, b and c, in general position."""
    system = bough.System("two arms")
    base = system.world.tx("slide").rz("turn", name="base", mass=2.0, inertia=(0.3, 0.2, 0.4))
    left = base.ty(0.3).rx("left").tz(-0.7).ry("twist", mass=1.0, inertia=(0.2, 0.3, 0.4))
    left.tx(0.4).rz(0.6).ry(-0.3, name="a", mass=0.5)
    right = base.tx(-0.2).twist((0.3, 0.5, -0.2, 0.1, 0.2, 0.3), "screw", mass=1.0, inertia=(0.2, 0.3, 0.4))
    right = right.tz(0.4).rx("twist", ratio=-0.5, offset=0.2).ty(bough.kinematic("reach"), mass=0.3)
    right.rx(0.4).rz(1.1).tx(0.2, name="b", mass=0.4, inertia=(0.1, 0.1, 0.1))
    system.world.ry("tilt").tz(0.3, name="c", mass=0.7, inertia=(0.2, 0.2, 0.2))
    return system


def assert_constraint(
    *elements: bough.Constraint, system: bough.System | None = None, t: float = 0.4
) -> None:
    """Check dh/dq, d2h/dq dq and dh/dt by differences, and that accelerations keep the constraint."""
    system = two_arms() if system is None else system
    for element in elements:
        system.add(element)
    model = system.build()
    random = np.random.default_rng(3)
    for _ in range(3):
        q, v = random.normal(scale=0.5, size=(2, model.nq))
        assert_derivatives(model, q, t)
        assert_acceleration(model, q, v, t)


def assert_derivatives(model: bough.Model, q: Array, t: float) -> None:
    """dh/dq, d2h/dq dq and dh/dt by differences."""
    assert model.constraint(q, t).shape == (model.nc,) == (len(model.constraints),)
    assert_derivative(lambda x: model.constraint(x, t), model.constraint_dq(q, t).T, q, what="dh/dq")
    second = model.constraint_dqdq(q, t)
    assert_derivative(lambda x: model.constraint_dq(x, t), np.moveaxis(second, 1, 0), q, what="d2h/dq dq")
    rate = model.constraint_dt(q, t)[None]
    assert_derivative(lambda x: model.constraint(q, x[0]), rate, [t], step=0.01, what="dh/dt")


def assert_acceleration(model: bough.Model, q: Array, v: Array, t: float) -> None:
    """d/dt (Dh v + h_t) is zero along the acceleration of the model."""
    ak = np.full(model.nk, 0.3)
    a = model.acceleration(q, v, ak=ak, t=t)

    def rate(s: Array) -> Array:
        x, velocity = q + v * s[0] + 0.5 * a * s[0] ** 2, v + a * s[0]
        return model.constraint_dq(x, t + s[0]) @ velocity + model.constraint_dt(x, t + s[0])

    size = np.abs(model.constraint_dq(q, t)) @ np.abs(a) + 1.0
    assert_derivative(
        rate, np.zeros((1, model.nc)), [0.0], step=0.01, df_error=1e-12 * float(size.max()), what="d2h/dt2"
    )
