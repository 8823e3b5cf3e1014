"""Derivatives of accelerations and constraint forces by turns of balls, against differences along `model.integrate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bough
from bough.integrators.rate_jacobian import rate_jacobian
from support.balls import branched, chain, derivative, floating_arm, heavy_top, state_of
from support.finite_difference import slope
from support.transforms import Array

TIGHT = 1e-8  # of a difference of fourth order with h = 1e-4, relative to the largest entry of a block
LENGTH = 1e-4


def with_elements() -> bough.System:
    """Springs, dampers, wrenches with inputs, and a kinematic slide between balls."""
    system = branched()
    anchor = system.world.tx(bough.kinematic("rail")).frame("anchor")
    system.add(bough.LinearSpring("palm", anchor, stiffness=7.0, rest_length=0.2))
    system.add(bough.TorsionSpring("arm", "palm", stiffness=2.0))
    system.add(bough.LinearDamper("palm", "crown", 0.6))
    system.add(bough.BodyWrench("palm", fx="push", ty=-0.3))
    system.add(bough.SpatialWrench("crown", fx=0.4, ty="twist"))
    system.add(bough.Drag("palm", 0.3))
    system.add(bough.Damping({"trunk": 0.2, "elbow": 0.1}))
    system.add(bough.ConfigurationForce("hand_wz", "motor"))
    return system


def closed() -> bough.System:
    """A loop, a plane and rows that hold directions, on balls."""
    system = branched()
    anchor = system.world.frame("anchor")
    system.add(bough.DistanceConstraint("palm", anchor, length=0.7))
    system.add(bough.ParallelConstraint("crown", anchor, axis=(0.0, 0.0, 1.0)))
    system.add(bough.BodyWrench("palm", fx="push", ty=-0.3))
    return system


def driven() -> bough.System:
    """A row that is a function of time, and a kinematic hook."""
    system = chain(2)
    hook = system.world.tx(bough.kinematic("rail")).tz(0.4, name="hook")
    system.add(bough.DistanceConstraint("link1", hook, length=bough.Sinusoid(0.1, 1.3, 0.4, 0.9)))
    return system


def rolling() -> bough.System:
    """A sphere that rolls on a plane: rows that hold velocities, of a floating body."""
    system = bough.System("sphere", gravity=(0.0, 0.0, -9.81))
    system.world.floating("base", name="sphere", mass=1.0, inertia=(0.2, 0.3, 0.4), com=(0.05, 0.0, 0.02))
    system.add(bough.Rolling("sphere", radius=0.5))
    return system


SYSTEMS: dict[str, Callable[[], bough.System]] = {
    "top": heavy_top,
    "branched": branched,
    "chain": lambda: chain(3),
    "floating": floating_arm,
    "elements": with_elements,
    "closed": closed,
    "driven": driven,
    "rolling": rolling,
}


def state(model: bough.Model, seed: int = 3) -> tuple[Array, Array, Array, dict[str, Any]]:
    """A state off the constraints, where all formulas hold too."""
    random = np.random.default_rng(seed)
    q, v = state_of(model, seed)
    return q, v, random.normal(size=model.nu), {"ak": random.normal(size=model.nk), "t": 0.3}


@pytest.mark.parametrize(
    ("name", "gains"),
    [
        *((name, (0.0, 0.0)) for name in SYSTEMS),
        *((name, (3.0, 5.0)) for name in ("closed", "driven", "rolling")),
    ],
)
def test_against_differences(name: str, gains: tuple[float, float]) -> None:
    model = SYSTEMS[name]().build()
    q, v, u, given = state(model)
    given["baumgarte"] = gains
    found = model.acceleration_derivatives(q, v, u, **given)

    def both(q: Array, v: Array, u: Array) -> Array:
        return np.concatenate(model.acceleration_and_multipliers(q, v, u, **given))

    expected = derivative(model, lambda x: both(x, v, u), q, LENGTH)
    flat = [
        _difference(lambda x: both(q, x, u), v),
        _difference(lambda x: both(q, v, x), u),
    ]
    for block, lam, truth in (
        (found.dq, found.lam_dq, expected),
        (found.dv, found.lam_dv, flat[0]),
        (found.du, found.lam_du, flat[1]),
    ):
        _assert_close(block, truth[: model.nv])
        _assert_close(lam, truth[model.nv :])


def test_free_body_in_closed_form() -> None:
    """I ω' + ω × I ω = 0: a_v = I⁻¹ ((I ω)^ − ω^ I), and no turn changes it; the spatial acceleration is gravity."""
    inertia = np.array([0.1, 0.2, 0.25])
    system = bough.System("free", gravity=(0.0, 0.0, -9.81))
    system.world.floating("base", name="body", mass=2.0, inertia=tuple(inertia))
    model = system.build()
    q, v = state_of(model, 5)
    w = v[3:]
    found = model.acceleration_derivatives(q, v)

    def hat(x: Array) -> Array:
        return np.cross(np.eye(3), x)

    expected = np.zeros((6, 6))
    expected[3:, 3:] = (hat(inertia * w) - hat(w) * inertia) / inertia[:, None]
    np.testing.assert_allclose(found.dv, expected, atol=1e-13)
    np.testing.assert_allclose(found.dq, 0.0, atol=1e-13)


@pytest.mark.parametrize("name", SYSTEMS)
def test_rate_of_quaternions(name: str) -> None:
    """The Jacobian that radau and bdf get, against differences of their right-hand side by all coordinates."""
    model = SYSTEMS[name]().build()
    q, v, u, given = state(model, 6)
    size = model.nq - model.nk
    for _, k in model._balls.values():
        q[k : k + 4] *= 1.1  # as steps that do not normalise have it

    def rate(y: Array) -> Array:
        at, unit = np.concatenate([y[:size], q[size:]]), np.concatenate([y[:size], q[size:]])
        rates = np.concatenate([y[size:], v[model.nd :]])
        moved = np.zeros(model.nq)
        single, places = model._single
        moved[places] = rates[single]
        for i, k in model._balls.values():
            unit[k : k + 4] /= np.linalg.norm(unit[k : k + 4])
            w, x, turn = at[k], at[k + 1 : k + 4], rates[i : i + 3]
            moved[k : k + 4] = 0.5 * np.array([-(x @ turn), *(w * turn + np.cross(x, turn))])
        return np.concatenate([moved[:size], model.acceleration(unit, rates, u, **given)[: model.nd]])

    found = rate_jacobian(model, q, v, u, given["ak"], given["t"], (0.0, 0.0))
    _assert_close(found, _difference(rate, np.concatenate([q[:size], v[: model.nd]])))


@pytest.mark.parametrize("method", ["radau", "bdf"])
def test_implicit_methods_use_them(method: str) -> None:
    """The motion of `dop853`, without the evaluations that SciPy's differences of all coordinates would take."""
    model = chain(2).build()
    start = {"q": {"b0": (0.3, 0.2, 0.0), "b1": (0.0, -0.4, 0.5)}, "v": {"b0": (0.0, 0.0, 2.0)}}
    options = {**start, "duration": 0.5, "dt": 0.05}
    expected = bough.simulate(model, integrator="dop853", **options)
    run = bough.simulate(model, integrator=method, rtol=1e-8, atol=1e-10, **options)
    assert np.abs(model.difference(expected.q, run.q)).max() < 2e-6
    assert np.abs(expected.v - run.v).max() < 2e-5


def test_check_compares_them() -> None:
    found = bough.check(with_elements().build(), states=2, show=False)
    assert found.ok, found.wrong
    assert {"a_dq", "a_dv"} <= {row.derivative for row in found.rows}


def _difference(f: Callable[[Array], Array], x: Array) -> Array:
    columns = [slope(lambda s, e=e: f(x + s * e), LENGTH) for e in np.eye(len(x))]
    return np.stack(columns, axis=-1) if columns else np.zeros((len(f(x)), 0))


def _assert_close(found: Array, expected: Array) -> None:
    assert found.shape == expected.shape
    size = np.abs(expected).max(initial=1.0)
    np.testing.assert_allclose(found / size, expected / size, atol=TIGHT)
