"""The force in a joint: closed forms, the multipliers of the same joint as a constraint, and Newton's laws."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.errors import ModelError

WEIGHT = np.array([0.0, 0.0, -9.81])


def test_the_pivot_of_a_pendulum() -> None:
    """Along the rod m (g cos θ + L θ̇²), across it and about the pivot nothing, but for the motor."""
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-0.7, name="bob", mass=2.0)
    system.add(bough.ConfigurationForce("angle", "motor"))
    system.add(bough.Damping({"angle": 0.3}))
    run = bough.simulate(system.build(), q={"angle": 1.2}, v={"angle": 3.0}, u=[0.5], duration=1.0, dt=1e-3)
    angle, rate = run["angle"], run["v.angle"]
    torque = 0.5 - 0.3 * rate  # across the rod as well, since the rod carries it to the bob
    pivot = run.joint_force("angle", axes="body")
    along = 2.0 * (9.81 * np.cos(angle) + 0.7 * rate**2)
    np.testing.assert_allclose(pivot.force[:, 2], along, atol=1e-12)
    np.testing.assert_allclose(pivot.force[:, 0], -torque / 0.7, atol=1e-12)
    np.testing.assert_allclose(pivot.moment, torque[:, None] * (0.0, 1.0, 0.0), atol=1e-12)
    at_bob = run.joint_force("bob", axes="body")  # the section of the rod next to the bob bears no moment
    np.testing.assert_allclose(at_bob.force, pivot.force, atol=1e-12)
    np.testing.assert_allclose(at_bob.moment, 0.0, atol=1e-12)


def linkage(cut: str) -> bough.Model:
    """A four-bar linkage with a spring, whose loop is closed by a constraint at the crank pin or at the rocker pin."""
    system = bough.System(f"four-bar, cut at the {cut}")
    inertia = {"inertia": (0.01, 0.02, 0.01)}
    crank = system.world.ry("crank", name="crank", mass=0.5, com=(0.1, 0, 0), **inertia)
    rocker = system.world.tx(1.0).ry("rocker", name="rocker", mass=0.4, com=(0, 0, 0.3), **inertia)
    crank_pin, rocker_pin = crank.tx(0.3), rocker.tz(0.7)
    if cut == "rocker pin":
        coupler = crank_pin.ry("coupler", name="coupler", mass=0.8, com=(0.5, 0, 0), **inertia)
        pair = coupler.tx(1.0, name="end"), rocker_pin.frame("pin")
    else:
        coupler = rocker_pin.ry("coupler", name="coupler", mass=0.8, com=(-0.5, 0, 0), **inertia)
        pair = coupler.tx(-1.0, name="end"), crank_pin.frame("pin")
    system.add(bough.PointConstraint(*pair, axes=((1, 0, 0), (0, 0, 1)), name="pin"))
    system.add(bough.LinearSpring("world", "rocker", stiffness=30.0, rest_length=0.5))
    return system.build()


def test_a_pin_is_a_joint_or_a_constraint() -> None:
    """Both trees describe one mechanism, so that the joint of one has the force of the constraint of the other."""
    first, second = linkage("rocker pin"), linkage("crank pin")
    start = first.assemble({"crank": 0.4, "coupler": -0.9, "rocker": 0.3}, v={"crank": 6.0}, hold="crank")
    run = bough.simulate(first, start, duration=0.5, dt=1e-3)
    q = {"crank": run["crank"], "rocker": run["rocker"]}
    turned = run["crank"] + run["coupler"] - run["rocker"]
    rates = run.v["crank"] + run.v["coupler"] - run.v["rocker"]
    same = bough.Trajectory(
        second,
        run.t,
        np.stack([{**q, "coupler": turned}[name] for name in second.variables], axis=1),
        v=np.stack(
            [
                {"crank": run.v["crank"], "rocker": run.v["rocker"], "coupler": rates}[name]
                for name in second.variables
            ],
            axis=1,
        ),
    )
    assert abs(same.constraint_error()).max() < 1e-12
    lam = second.acceleration_and_multipliers(same.q, same.v)[1]  # on the end of the coupler, by the crank
    joint = run.joint_force("coupler")  # on the coupler, by the crank
    np.testing.assert_allclose(joint.force[:, [0, 2]], lam, atol=1e-9)
    np.testing.assert_allclose(joint.moment, 0.0, atol=1e-9)
    other = first.acceleration_and_multipliers(run.q, run.v)[1]
    np.testing.assert_allclose(same.joint_force("coupler").force[:, [0, 2]], other, atol=1e-9)


def test_what_carries_a_spatial_tree_changes_its_momentum() -> None:
    """Force and moment of the ground are the rates of linear and angular momentum, less those of the weight."""
    system = bough.System("arm")
    base = system.world.tx(0.3).rz("base", name="base", mass=1.0, inertia=(0.1, 0.1, 0.2))
    upper = base.ball("shoulder", name="upper", mass=2.0, com=(0.1, 0.2, -0.3), inertia=(0.2, 0.3, 0.2))
    upper.tz(-0.5).rx("elbow", ratio=1.5, name="fore", mass=1.0, com=(0, 0, -0.2), inertia=(0.1, 0.1, 0.1))
    system.world.tz(bough.kinematic("hook"), name="hook").ry("swing").tz(-1.0, name="bob", mass=1.0)
    model = system.build()
    run = bough.simulate(
        model,
        v={"base": 1.0, "shoulder": (0.5, -1.0, 2.0), "elbow": 3.0, "swing": 2.0},
        k={"hook": lambda t: 0.1 * np.sin(5.0 * t)},
        duration=0.2,
        dt=1e-3,
    )
    ground = [run.joint_force(name) for name in ("base", "hook")]
    total = sum(each.force for each in ground)
    places = [run.pose(frame)[:, :3, 3] for frame in ("base", "hook")]
    moment = sum(
        each.moment + np.cross(place, each.force) for each, place in zip(ground, places, strict=True)
    )
    weight = model.total_mass * WEIGHT
    centre = model.center_of_mass(run.q)
    middle = slice(5, -5)
    for found, momentum, outside in (
        (total, run.linear_momentum(), np.broadcast_to(weight, total.shape)),
        (moment, run.angular_momentum(), np.cross(centre, weight)),
    ):
        rate = np.gradient(momentum, run.t, axis=0)  # of second order: 1e-4 at these accelerations
        np.testing.assert_allclose(found[middle], (rate - outside)[middle], atol=2e-3)
    hook = run.joint_force("hook").force[:, 2]
    np.testing.assert_allclose(hook, run.drive_force()["hook"], atol=1e-10)


def test_a_section_of_a_rigid_beam() -> None:
    """A cantilever carries m g, and m g times the lever about its root."""
    system = bough.System("cantilever")
    arm = system.world.rz(0.5, name="root").tx(0.4, name="section").tx(0.6, name="load", mass=3.0)
    arm.ry("swing").tz(-0.1, mass=1e-9)
    run = bough.simulate(system.build(), duration=0.1, dt=0.01)
    for frame, lever in (("section", 0.6), ("root", 1.0)):
        carried = run.joint_force(frame, axes="body")
        np.testing.assert_allclose(carried.force, np.tile([0.0, 0.0, 3.0 * 9.81], (11, 1)), atol=1e-6)
        np.testing.assert_allclose(
            carried.moment, np.tile([0.0, -lever * 3.0 * 9.81, 0.0], (11, 1)), atol=1e-6
        )


def two() -> bough.Trajectory:
    system = bough.System("two")
    for side in (-0.2, 0.2):
        system.world.tx(side).ry("swing", shared=side > 0).tz(-1.0, mass=1.0)
    return bough.simulate(system.build(), duration=0.1, dt=0.01)


@pytest.mark.parametrize(
    ("joint", "axes", "found"),
    [
        ("swing", "world", "'swing' moves 2 frames: '#2', '#5'"),
        ("swig", "world", "no joint has this name; the nearest is 'swing'"),
        ("world", "world", "the world, which nothing holds"),
        ("#2", "local", "no choice of axes has this name; the names are 'world', 'body'"),
    ],
)
def test_mistakes(joint: str, axes: str, found: str) -> None:
    with pytest.raises(ModelError) as caught:
        two().joint_force(joint, axes)
    assert caught.value.found == found


@pytest.mark.parametrize("shape", [bough.Sphere(0.05), bough.Box((0.1, 0.06, 0.08))])
def test_what_a_joint_carries_beside_a_contact(shape: bough.Sphere | bough.Box) -> None:
    """An arm falls on the floor and slides: joint, contact and weight change its momentum, between impacts to dt²."""
    system = bough.System("falling arm")
    upper = system.world.tz(0.5).ball(
        "shoulder", name="upper", mass=1.0, com=(0.3, 0, 0), inertia=(0.01, 0.04, 0.04)
    )
    upper.tx(0.6).ry("elbow", name="fore", mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02)).tx(
        0.5, name="hand"
    )
    system.add(bough.Contact("hand", shape, friction=0.2, name="floor"))
    system.add(bough.DryFriction("elbow", 0.3))
    system.add(bough.JointLimit("elbow", upper=1.0))
    model = system.build()
    run = bough.simulate(model, q={"elbow": 0.2}, v={"shoulder": (0.0, 0.0, 0.6)}, duration=0.8, dt=5e-4)
    touching = [name for name in model.gaps if name.startswith("floor")]
    floor = np.nan_to_num(np.array([run.contact_force(name).vector for name in touching])).sum(axis=0)
    found = run.joint_force("shoulder").force + floor + model.total_mass * WEIGHT
    rate = np.gradient(run.linear_momentum(), run.t, axis=0)
    breaks = [impact.t for impact in run.impacts]
    changes = np.flatnonzero((run.contact_status[1:] != run.contact_status[:-1]).any(axis=1))
    turns = np.flatnonzero(np.diff(np.sign(run["v.elbow"])))  # its dry friction too
    apart = np.min([abs(run.t - at) for at in [*breaks, *run.t[changes], *run.t[turns], 0.0, 0.8]], axis=0)
    away = apart > 3e-3
    assert (floor[away, 2] > 1.0).sum() > 100
    np.testing.assert_allclose(found[away], rate[away], atol=1e-3)  # N, of a weight of 20 N
    assert abs(floor[away]).max() > 5.0
