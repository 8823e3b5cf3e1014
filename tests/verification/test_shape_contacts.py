"""Contacts between the shapes of two bodies, against closed forms and balances."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import bough
from support.scenes import heap, heights, moments, stack

G = 9.81
BOX = bough.Box((0.2, 0.2, 0.1))


def finite(gaps: np.ndarray) -> np.ndarray:
    return np.asarray(gaps)[np.isfinite(gaps)]


@pytest.mark.parametrize("masses", [[1.0] * 5, [1.0] * 10, [1.0, 1.0, 1000.0], [1.0] * 4 + [1000.0]])
def test_a_stack_stands(masses):
    model = stack(masses)
    q = heights(model)
    run = bough.simulate(model, q=q, duration=10.0, dt=0.01)
    assert np.abs(run.q - q).max() < 1e-12
    for i in range(len(masses)):
        normal = [run.contact_force(f"layer {i}[{k}]").normal[-2] for k in range(8)]
        carried = G * sum(masses[i:])
        shares = sorted(normal)[-4:]
        np.testing.assert_allclose(shares, 0.25 * carried, rtol=1e-8)
        assert sorted(normal)[:4] == [0.0] * 4
    assert finite(run.gaps()).min() > -1e-12


def test_boxes_dropped_on_each_other_come_to_rest():
    model = stack([1.0] * 5)
    run = bough.simulate(model, q=heights(model, apart=0.01), duration=2.0, dt=0.01)
    np.testing.assert_allclose(run.q[-1, 2::7], 0.05 + 0.1 * np.arange(5), atol=1e-12)
    assert np.abs(run.v[-1]).max() < 1e-12
    assert finite(run.gaps()).min() > -1e-12
    lost = run.energy_lost()
    spent = run.energy()[0] - run.energy()[-1]
    assert lost["impact"][-1] + lost["friction"][-1] == pytest.approx(spent, rel=1e-6)


@pytest.mark.parametrize("dt", [0.01, 0.008, 0.005])
def test_a_stack_at_rest_is_a_fixed_point(dt):
    """Dropped boxes lie after 0.2 s: no step from then on moves anything, nor has anything to solve or to halve."""
    model = stack([1.0] * 5)
    run = bough.simulate(model, q=heights(model, apart=0.01), duration=2.0, dt=dt)
    assert run.statistics["coarse"] == 0
    assert run.impacts[-1].t < 0.2
    lying = run.q[run.t > 0.2]
    assert np.ptp(lying, axis=0).max() == 0.0
    again = bough.simulate(model, q=run.q[-1], duration=1.0, dt=dt)
    assert again.statistics["halvings"] == 0
    assert again.statistics["iterations"] <= 3  # those from a start that knows no forces


@pytest.mark.parametrize(
    ("moving", "expected"), [(1, [0, 0, 0, 0, 1]), (2, [0, 0, 0, 1, 1]), (3, [0, 0, 1, 1, 1])]
)
def test_newtons_cradle_of_spheres(moving, expected):
    system = bough.System("cradle", gravity=None)
    for i in range(5):
        system.world.tx(f"x{i}", name=f"ball {i}", mass=1.0)
        if i:
            ball = bough.Sphere(0.1)
            system.add(bough.Contact(f"ball {i - 1}", ball, against=(f"ball {i}", ball), restitution=1.0))
    x = [0.2 * i - (0.5 if i < moving else 0.0) for i in range(5)]
    run = bough.simulate(system.build(), q=x, v=[1.0] * moving + [0.0] * (5 - moving), duration=1.0, dt=0.01)
    np.testing.assert_allclose(run.v[-1], expected, atol=1e-12)


def test_a_sphere_slides_down_a_sphere_until_it_leaves():
    """Without friction at cos = 2/3 of the way round: its speed along x, from then on the same, to second order.

    It leaves at the end of a step, up to dt late, while the force that should be zero grows from zero: dt² at most.
    """

    def leaves(dt, start):
        system = bough.System("slide")
        system.world.tx("x").tz("z", name="small", mass=1.0)
        system.world.frame("big")
        system.add(bough.Contact("small", bough.Sphere(0.1), against=("big", bough.Sphere(0.4)), name="on"))
        q = {"x": 0.5 * np.sin(start), "z": 0.5 * np.cos(start)}
        run = bough.simulate(system.build(), q=q, duration=1.0, dt=dt)
        assert run.gaps().min() > -1e-12
        last = np.flatnonzero(run.contact_status[:, 0] == "stick")[-1]
        leaving = 2.0 / 3.0 * np.cos(start)  # the cosine of the angle
        expected = np.sqrt(2.0 * G * 0.5 * (np.cos(start) - leaving)) * leaving
        assert run.q[last, 1] / 0.5 == pytest.approx(leaving, abs=5.0 * dt)
        return abs(run.v[-1, 0] - expected)

    # over many starts, so that the ends of steps fall all around the place
    errors = [
        max(leaves(dt, start) for start in np.linspace(0.08, 0.12, 100)) for dt in (0.008, 0.004, 0.002)
    ]
    assert errors[-1] < 1e-5
    assert np.log2(np.divide(errors[:-1], errors[1:])) == pytest.approx([2.0, 2.0], abs=0.1)


def test_a_sphere_that_slides_down_a_sphere_with_friction_gains_nothing_where_it_leaves():
    """d(ω²)/dθ = 2 g/R (sin θ - m cos θ) + 2 m ω² in closed form, to ω² = g/R cos θ: second order, and no gain."""
    radius, speed, m = 0.5, 1.2, 0.2
    system = bough.System("slide")
    system.world.tx("x").tz("z", name="small", mass=1.0)
    system.world.frame("big")
    system.add(
        bough.Contact("small", bough.Sphere(0.1), against=("big", bough.Sphere(0.4)), friction=m, name="on")
    )
    model = system.build()
    b = -6.0 * m * (G / radius) / (1.0 + 4.0 * m * m)
    a = -2.0 * (G / radius) - 2.0 * m * b

    def forced(angle):
        return a * np.cos(angle) + b * np.sin(angle)

    def leaves(dt, start):
        scale = ((speed / radius) ** 2 - forced(start)) * np.exp(-2.0 * m * start)

        def turns(angle):  # ω²
            return scale * np.exp(2.0 * m * angle) + forced(angle)

        leaving = brentq(lambda angle: turns(angle) - G / radius * np.cos(angle), start, 1.2)
        q = {"x": radius * np.sin(start), "z": radius * np.cos(start)}
        v = {"x": speed * np.cos(start), "z": -speed * np.sin(start)}
        run = bough.simulate(model, q=q, v=v, duration=0.6, dt=dt)
        assert np.diff(run.energy()).max() < 1e-13
        return abs(run.v[-1, 0] - radius * np.sqrt(turns(leaving)) * np.cos(leaving))

    errors = [max(leaves(dt, start) for start in np.linspace(0.08, 0.12, 50)) for dt in (0.008, 0.004, 0.002)]
    assert errors[-1] < 1e-5
    assert np.log2(np.divide(errors[:-1], errors[1:])) == pytest.approx([2.0, 2.0], abs=0.1)


@pytest.mark.parametrize("dt", [0.005, 0.0025])
def test_a_ball_that_slides_over_an_edge_gains_nothing(dt):
    """Its force falls from its weight to none at the edge: friction must not give back half a step of what it took.

    The instant at which it lets go is not located: its speed may be off by what friction takes in half a step.
    """
    speed, m = 2.0, 0.5
    system = bough.System("edge")
    system.world.tx("x").tz("z", name="ball", mass=1.0)
    system.world.frame("table")
    table = bough.Box((1.0, 1.0, 0.2))
    system.add(bough.Contact("ball", bough.Sphere(0.1), against=("table", table), friction=m, name="on"))
    model = system.build()
    for start in np.linspace(0.3, 0.32, 16):
        run = bough.simulate(model, q={"x": start, "z": 0.2}, v={"x": speed}, duration=0.25, dt=dt)
        assert np.diff(run.energy()).max() < 1e-13
        at_edge = np.sqrt(speed**2 - 2.0 * m * G * (0.5 - start))
        assert run.v[-1, 0] == pytest.approx(at_edge, abs=m * G * dt)


@pytest.mark.parametrize(
    "shape", [bough.Sphere(0.2), bough.Ellipsoid((0.2, 0.2, 0.2)), bough.Capsule(0.2, 0.3)]
)
def test_what_slides_on_a_box_comes_to_roll(shape):
    """5/7 of the speed for a sphere, 2/3 with the inertia of a disk; over a box as over a plane."""
    share = 0.5 if isinstance(shape, bough.Capsule) else 0.4
    system = bough.System("roller")
    turned = np.eye(4)
    if isinstance(shape, bough.Capsule):
        turned[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    system.world.floating("base", name="body", mass=1.0, inertia=(share * 0.04,) * 3)
    system.world.frame("table")
    table = bough.Box((10.0, 2.0, 0.5))
    system.add(
        bough.Contact(
            "body",
            shape,
            against=("table", table),
            at=turned,
            against_at=(0, 0, -0.25),
            friction=0.3,
            name="on",
        )
    )
    model = system.build()
    run = bough.simulate(model, q={"base_tz": 0.2}, v={"base_tx": 1.0}, duration=1.0, dt=0.01)
    np.testing.assert_allclose(run["v.base_tx"][-1], 1.0 / (1.0 + share), rtol=1e-10)
    assert np.abs(run["base_tz"] - 0.2).max() < 1e-12


def over_an_edge(speed, dt, friction=0.2, at=0.2, duration=3.0):
    """A box that slides to the edge of a table, at 0.5, and over it."""
    system = bough.System("edge")
    system.world.floating("base", name="body", mass=1.0, inertia=moments(BOX))
    system.world.frame("table")
    table = bough.Box((1.0, 1.0, 0.5))
    system.add(
        bough.Contact("body", BOX, against=("table", table), against_at=(0, 0, 0.25), friction=friction)
    )
    system.add(bough.Contact("body", BOX, friction=friction))
    q, v = {"base_tz": 0.55, "base_tx": at}, {"base_tx": speed}
    return bough.simulate(system.build(), q=q, v=v, duration=duration, dt=dt)


@pytest.mark.parametrize("speed", [1.1, 1.2, 1.3, 1.5, 1.7, 1.9, 2.1, 2.3, 2.5])
def test_a_box_falls_from_a_table_in_long_steps(speed):
    """Where it tips, the energy is off by what the midpoint rule is off by: see the order below."""
    run = over_an_edge(speed, 0.01)
    assert finite(run.gaps()).min() > -1e-10
    assert np.diff(run.energy()).max() < 6e-5
    assert np.abs(run.v[-1]).max() < 1e-9


@pytest.mark.parametrize("speed", [0.3, 0.5])
def test_the_energy_of_a_box_that_tips_over_an_edge_is_of_second_order(speed):
    """Without friction nothing takes energy: what a step changes falls by eight with half of dt, all of it by four."""
    errors = []
    for dt in (0.01, 0.005, 0.0025):
        energy = over_an_edge(speed, dt, friction=0.0, at=0.45, duration=0.35).energy()
        errors.append((np.abs(np.diff(energy)).max(), np.abs(energy - energy[0]).max()))
    assert errors[0][1] < 5e-4
    ratios = np.divide(errors[:-1], errors[1:])
    np.testing.assert_allclose(ratios, [[8.0, 4.0]] * 2, rtol=0.05)


@pytest.mark.parametrize("dt", [0.005, 0.0025])
@pytest.mark.parametrize("speed", [1.5, 1.8, 2.1])
def test_a_box_slides_over_the_edge_of_a_table(speed, dt):
    run = over_an_edge(speed, dt)
    assert run["base_tz"][-1] == pytest.approx(0.05, abs=1e-9) or run["base_tz"][-1] == pytest.approx(
        0.1, abs=1e-9
    )
    assert run["base_tx"][-1] > 0.5
    assert np.diff(run.energy()).max() < 1e-12  # of 6.5 J, though corners that are pressed pass the edge
    assert finite(run.gaps()).min() > -1e-10
    assert np.abs(run.v[-1]).max() < 1e-9


@pytest.mark.parametrize(("n", "apart", "dt"), [(3, 0.0165, 0.002), (3, 0.0213, 0.004), (4, 0.0117, 0.002)])
def test_dominoes_come_to_lie_flush_on_each_other(n, apart, dt):
    """Their edges are parallel to a millionth, and normals across these have no digits: faces tell where they touch."""
    run = bough.simulate(bough.gallery.dominoes(n=n, apart=apart).build(), duration=1.0, dt=dt)
    assert np.abs(run.v[-1]).max() < 1e-12
    assert finite(run.gaps()).min() > -1e-12
    assert np.diff(run.energy()).max() < 5e-6 * run.energy()[0]


@pytest.mark.parametrize("yaw", [0.2, 0.7, 1.1, 1.9])
def test_a_capsule_that_lies_on_a_box_is_not_hit(yaw):
    """Over two edges or one, turning: its normal is that of a face all along, to round-off, and nothing lets go."""
    system = bough.System("lying")
    system.world.floating("base", name="capsule", mass=1.5, inertia=(0.006, 0.006, 0.002))
    system.world.frame("table")
    table = bough.Box((0.2, 0.22, 0.1))
    system.add(
        bough.Contact("capsule", bough.Capsule(0.05, 0.2), against=("table", table), friction=0.5, name="on")
    )
    system.add(bough.Damping({f"base_{w}": 0.1 for w in ("wx", "wy", "wz")}))
    model = system.build()
    x, y, z, w = (Rotation.from_euler("z", yaw) * Rotation.from_euler("y", np.pi / 2)).as_quat()
    q = (0.06 * np.cos(yaw) + 0.01, 0.06 * np.sin(yaw), 0.1, w, x, y, z)
    run = bough.simulate(model, q=q, v=(0, 0, 0, 0.8, 0, 0), duration=0.6, dt=0.002)
    assert len(run.impacts) == 0
    assert np.diff(run.energy()).max() < 1e-14
    assert np.abs(run["base_tz"] - 0.1).max() < 1e-13


def test_a_fast_ball_does_not_pass_a_thin_wall():
    system = bough.System("bullet", gravity=None)
    system.world.tx("x").tz("z", name="ball", mass=1.0)
    system.world.frame("wall")
    system.add(
        bough.Contact(
            "ball", bough.Sphere(0.01), against=("wall", bough.Box((0.002, 1.0, 1.0))), restitution=1.0
        )
    )
    run = bough.simulate(system.build(), q={"x": -1.03}, v={"x": 100.0}, duration=0.05, dt=0.01)
    assert len(run.impacts) == 1
    assert run.impacts[0].t == pytest.approx((1.03 - 0.011) / 100.0, rel=1e-12)
    assert run.v[-1, 0] == pytest.approx(-100.0, rel=1e-12)


def test_the_last_force_holds_in_the_world():
    model = stack([1.0, 2.0])
    run = bough.simulate(model, q=heights(model), duration=0.1, dt=0.01)
    forces = [run.contact_force(name) for name in model.gaps if name.startswith("layer 1")]
    total = sum(force.vector[-2] for force in forces if np.isfinite(force.point[-2]).all())
    np.testing.assert_allclose(total, [0.0, 0.0, 2.0 * G], atol=1e-9)
    points = np.array([force.point[-2] for force in forces])
    np.testing.assert_allclose(points[np.isfinite(points[:, 2])][:4, 2], 0.1, atol=1e-12)


def test_steps_runs_files_and_pickles_agree_bit_for_bit(tmp_path):
    model, q = heap(0, 3, friction=0.5)
    run = bough.simulate(model, q=q, duration=0.8, dt=0.01)
    assert len(run.impacts) > 0
    run.save(tmp_path / "run.npz")
    loaded = bough.load_trajectory(tmp_path / "run.npz")
    assert loaded == run
    assert np.array_equal(loaded.gaps(), run.gaps())
    assert loaded.rerun() == run
    bough.save(model.system, tmp_path / "heap.sexp")
    again = bough.load(tmp_path / "heap.sexp")
    assert again.to_dict() == model.system.to_dict()
    vi = bough.MidpointVI(model, dt=0.01)
    state = vi.start(q=q)
    for i in range(80):
        state = pickle.loads(pickle.dumps(state)) if i % 20 == 0 else state
        state = vi.step(state)
    np.testing.assert_array_equal(state.q, run.q[-1])
    np.testing.assert_array_equal(state.v, run.v[-1])


def bad(**options):
    system = bough.System("bad")
    system.world.tx("x", name="a", mass=1.0).tz(0.1, name="same")
    system.world.tx("y", name="b", mass=1.0)
    values = {"frame": "a", "shape": BOX, "against": ("b", BOX)} | options
    frame, shape, against = (values.pop(key) for key in ("frame", "shape", "against"))
    system.add(bough.Contact(frame, shape, against=against, name="bad", **values))


OPEN = bough.Mesh(vertices=np.eye(3), faces=[(0, 1, 2)])
DENT = bough.Mesh(
    vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.2, 0.2, 0.2)],
    faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4)],
)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (
            {"against": ("same", BOX)},
            "both are on one body: no joint is between them, so that the gaps never change",
        ),
        ({"shape": bough.Plane()}, "'plane', a shape that only the other body may have"),
        ({"shape": bough.Point()}, "a point, which touches planes and heightfields only"),
        ({"shape": OPEN}, "a mesh whose surface is not closed"),
        ({"shape": DENT}, "a mesh whose surface is not convex"),
        ({"against": ("b", 3.0)}, "neither a frame nor a pair of a frame and a shape"),
        ({"friction": -1.0}, "friction"),
        ({"restitution": 2.0}, "restitution"),
    ],
)
def test_bad_contacts(options, found):
    with pytest.raises(bough.ModelError) as error:
        bad(**options)
    assert found in str(error.value)


def test_a_start_in_each_other_is_refused():
    model = stack([1.0, 1.0])
    q = heights(model)
    q[9] -= 0.01
    with pytest.raises(bough.ModelError, match="'layer 1"):
        bough.simulate(model, q=q, duration=0.1, dt=0.01)


@pytest.mark.parametrize("spin", [0.0, 3.0, 40.0])
@pytest.mark.parametrize("speed", [0.7, 25.0])
def test_what_is_far_at_first_is_hit_when_it_comes(spin, speed):
    """A ball comes from afar to a bar that turns in its way; it hits when their distance is first zero."""
    system = bough.System("mill", gravity=None)
    bar, ball, half = bough.Capsule(0.02, 1.0), bough.Sphere(0.05), 0.5
    wheel = system.world.rz("turn", mass=1e6, inertia=(1e6, 1e6, 1e6), name="wheel")
    arm = wheel.ry(0.5 * np.pi, name="arm")
    flying = system.world.tx("x").ty("y", name="ball", mass=1.0)
    parked = system.world.tz("z", name="parked", mass=1.0)
    for frame, shape in ((arm, bar), (flying, ball), (parked, ball)):
        system.shape(frame, shape)
    system.shape("world", bough.Plane())
    system.add(bough.ContactGroup(["arm", "ball", "parked"], restitution=1.0))
    model = system.build()
    x0, y0 = -20.0, 0.2
    q = {"turn": 0.3, "x": x0, "y": y0, "z": 7.0}

    def gap(t):
        angle, x, y = 0.3 + spin * t, x0 + speed * t, y0
        along = np.clip(x * np.cos(angle) + y * np.sin(angle), -half, half)
        return np.hypot(x - along * np.cos(angle), y - along * np.sin(angle)) - 0.07

    arrives = -x0 / speed
    times = np.linspace(0.0, 1.1 * arrives, 400_001)
    first = int(np.argmax(gap(times) < 0.0))
    expected = brentq(gap, times[first - 1], times[first], xtol=1e-14)
    run = bough.simulate(model, q=q, v={"turn": spin, "x": speed}, duration=1.02 * expected, dt=0.002)
    assert run.impacts[0].t == pytest.approx(expected, abs=1e-9)
    assert run.statistics["iterations"] < 1.2 * run.statistics["steps"]


@pytest.mark.parametrize("shape", [bough.Sphere(0.1), bough.Cylinder(0.1, 0.3)])
def test_a_plane_is_given_by_arrays_too(shape):
    """A sphere is points over a plane, a cylinder a shape on another."""
    kinds = (tuple, np.array)
    elements = [
        bough.Contact("body", shape, normal=kind((0.0, 0.6, 0.8)), origin=kind((0.0, 0.0, 0.1)))
        for kind in kinds
    ]
    assert elements[0].to_dict() == elements[1].to_dict()
