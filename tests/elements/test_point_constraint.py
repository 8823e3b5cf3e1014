"""Points that coincide along one, two or three directions."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough import PointConstraint, Sinusoid, System
from support.constraint_checks import assert_constraint, two_arms

SKEW = ((1.0, 0.2, 0.0), (0.0, 1.0, -0.5), (0.3, 0.0, 1.0))


@pytest.mark.parametrize(
    "element",
    [
        PointConstraint("a", "b", (1, 2, -1)),
        PointConstraint("a", "b"),
        PointConstraint("a", "b", axes=SKEW[:2]),
        PointConstraint("a", "b", axes=SKEW, in_frame="c"),
        PointConstraint("a", "b", (1, 2, -1), in_frame="a"),
        PointConstraint("a", "b", axes=SKEW[1:], in_frame="b", offset=(0.2, Sinusoid(0.3, 2.0))),
        PointConstraint("a", "world", in_frame="b", offset=0.1),
    ],
    ids=lambda element: f"{element.rows} rows, axes of {element.in_frame}",
)
def test_derivatives(element: PointConstraint) -> None:
    assert_constraint(element)


def test_rows_are_the_single_ones() -> None:
    together, apart = two_arms(), two_arms()
    together.add(PointConstraint("a", "b", axes=SKEW, name="pin"))
    for axis in SKEW:
        apart.add(PointConstraint("a", "b", axis))
    q = np.random.default_rng(1).normal(size=7)
    first, second = together.build(), apart.build()
    assert first.constraints == ("pin[0]", "pin[1]", "pin[2]")
    assert second.constraints == tuple(f"PointConstraint #{row}" for row in range(3))
    assert first.nc == second.nc == 3
    for name in ("constraint", "constraint_dq", "constraint_dqdq", "constraint_scale"):
        assert np.array_equal(getattr(first, name)(q), getattr(second, name)(q))


def test_labels_and_text_of_several_rows() -> None:
    system = two_arms()
    system.add(PointConstraint("a", "world", (1, 0, 0)))
    system.add(PointConstraint("a", "b"))
    system.add(PointConstraint("c", "world", (0, 1, 0), name="last"))
    model = system.build()
    assert model.constraints == ("PointConstraint #0", *(f"PointConstraint #{n}" for n in (1, 2, 3)), "last")
    assert str(model).splitlines()[-4:] == [
        "  lam  constraint       name  on        values",
        "  0    PointConstraint        a, world  axis (1, 0, 0)",
        "  1-3  PointConstraint        a, b",
        "  4    PointConstraint  last  c, world  axis (0, 1, 0)",
    ]
    assert System.from_dict(system.to_dict()).elements == system.elements


def test_description_with_functions() -> None:
    system = two_arms()
    system.add(PointConstraint("a", "b", axes=SKEW[:2], in_frame="c", offset=(0.2, Sinusoid(0.3, 2.0))))
    twin = System.from_dict(system.to_dict())
    assert twin.elements == system.elements
    assert twin.build() == system.build()


@pytest.mark.parametrize("integrator", ["dop853", "midpoint"])
def test_bead_in_a_turning_slot(integrator: str) -> None:
    """r = r0 cosh(w t) in a slot that turns with w, and the slot pushes with 2 m w dr/dt."""
    w, mass, r0 = 1.5, 0.4, 0.2
    system = System("slot", gravity=None)
    arm = system.world.rz(bough.kinematic("angle"), name="arm")
    bead = system.world.tx("x").ty("y", name="bead", mass=mass)
    system.add(PointConstraint(bead, "world", (0, 1, 0), in_frame=arm))
    run = bough.simulate(
        system.build(),
        q={"x": r0},
        v={"y": w * r0},
        k={"angle": lambda t: w * t},
        duration=1.0,
        dt=0.001,
        integrator=integrator,
    )
    r = r0 * np.cosh(w * run.t)
    tolerance = 1e-9 if integrator == "dop853" else 1e-6
    assert np.allclose(run["x"], r * np.cos(w * run.t), rtol=0, atol=tolerance)
    assert np.allclose(run["y"], r * np.sin(w * run.t), rtol=0, atol=tolerance)
    force = 2.0 * mass * w * r0 * w * np.sinh(w * run.t)
    assert np.allclose(run.lam[1:-1, 0], force[1:-1], rtol=0, atol=2e-5)


def test_a_ball_joint_makes_the_double_pendulum() -> None:
    """The second link hinged in the tree, or free and held by its end: the same motion."""
    inertia = (0.05, 0.06, 0.02)

    def first(system: System) -> bough.Frame:
        return system.world.rx("a").ry("b").tz(-1.0, name="elbow", mass=1.0, inertia=inertia)

    loop = System("loop")
    first(loop)
    link = loop.world.free(("x", "y", "z", "c", "d", "e"), name="top")
    link.tz(-0.5, name="bob", mass=1.0, inertia=inertia)
    loop.add(PointConstraint("top", "elbow"))
    start = {"a": 0.4, "b": 0.3}
    held = loop.build()
    q = held.assemble(q={**start, "z": -1.0}, hold=("a", "b")).q
    run = bough.simulate(held, q=q, v={"a": 0.5}, duration=1.0, dt=0.05, integrator="dop853")
    assert np.abs(run.constraint_error()).max() < 1e-8
    assert np.allclose(run.energy(), run.energy()[0], rtol=0, atol=1e-8)

    # the joint in the tree, its angles relative to the first link
    hinged = System("hinged")
    first(hinged).spherical(("c", "d", "e")).tz(-0.5, name="bob", mass=1.0, inertia=inertia)
    model = hinged.build()
    turn = model.pose("elbow", start)[:3, :3].T @ held.pose("top", q)[:3, :3]
    d = -np.arcsin(turn[2, 0])
    c, e = np.arctan2(turn[1, 0], turn[0, 0]), np.arctan2(turn[2, 1], turn[2, 2])
    bob = held.jacobian("bob", q) @ run.v[0]
    rest = model.jacobian("bob", {**start, "c": c, "d": d, "e": e})
    v = np.linalg.lstsq(rest[:, 2:], bob - rest[:, 0] * run.v[0, 0] - rest[:, 1] * run.v[0, 1], rcond=None)[0]
    other = bough.simulate(
        model,
        q={**start, "c": c, "d": d, "e": e},
        v=[*run.v[0, :2], *v],
        duration=1.0,
        dt=0.05,
        integrator="dop853",
    )
    assert np.allclose(other.pose("bob"), run.pose("bob"), rtol=0, atol=1e-7)
