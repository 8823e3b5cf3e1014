"""Bodies on ground by heights: beside planes, beside equations of motion, and at rest."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import bough
from support.scenes import moments, rough, tumbling

G = 9.81
BOX = bough.Box((0.2, 0.3, 0.1))
SHAPES = {
    "point": bough.Point((0.01, 0.02, -0.1)),
    "sphere": bough.Sphere(0.1),
    "capsule": bough.Capsule(0.05, 0.3),
    "box": BOX,
    "hull": bough.Mesh(
        vertices=[(0.1, 0, -0.1), (-0.1, 0.1, -0.1), (-0.1, -0.1, -0.1), (0, 0, 0.15)],
        faces=[(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)],
    ),
}


def tilted(x, y, slope=(0.3, -0.2)):
    """A plane as heights, and the pose of the plane itself."""
    field = bough.Heightfield(x, y, slope[0] * np.asarray(x)[:, None] + slope[1] * np.asarray(y))
    normal = np.array([-slope[0], -slope[1], 1.0])
    return field, normal / np.linalg.norm(normal)


def body(shape, against, q, v, friction=0.4, restitution=0.0, duration=1.0, dt=0.01, **plane):
    system = bough.System("body")
    system.world.floating("base", name="body", mass=1.0, inertia=(0.004, 0.005, 0.006))
    system.add(
        bough.Contact(
            "body",
            shape,
            against=against,
            friction=friction,
            restitution=restitution,
            name="ground",
            **plane,
        )
    )
    return bough.simulate(system.build(), q=q, v=v, duration=duration, dt=dt)


THROWN = {"base_tz": 0.4, "base_tx": -0.2}
SPIN = {"base_tx": 0.7, "base_ty": 0.3, "base_wx": 1.0, "base_wy": 2.0, "base_wz": -0.5}
GRIDS = {
    "even": (np.linspace(-4.0, 4.0, 33), np.linspace(-3.0, 3.0, 25)),
    "uneven": (np.cumsum(np.random.default_rng(0).uniform(0.1, 0.4, 30)) - 4.0, np.array([-3.0, 0.1, 3.0])),
}


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("kind", [kind for kind in SHAPES if kind != "point"])
def test_heights_of_a_plane_are_that_plane(kind, grid):
    """Thrown onto it with spin, through impacts, sliding and rolling; what is in one plane has no seams."""
    field, normal = tilted(*GRIDS[grid])
    runs = [
        body(SHAPES[kind], ground, THROWN, SPIN, restitution=0.3, **of_plane)
        for ground, of_plane in ((field, {}), (("world", bough.Plane()), {"normal": tuple(normal)}))
    ]
    assert len(runs[0].impacts) == len(runs[1].impacts) > 0
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-11)


def test_a_point_touches_heights_as_a_plane():
    """Slip within a step is taken midway between body and ground, on planes at the body: errors of second order."""
    field, normal = tilted(*GRIDS["even"])
    apart = []
    for dt in (0.01, 0.005):
        runs = [
            body(SHAPES["point"], ground, THROWN, SPIN, restitution=0.3, dt=dt, **of_plane)
            for ground, of_plane in ((field, {}), ("world", {"normal": tuple(normal)}))
        ]
        assert len(runs[0].impacts) == len(runs[1].impacts) > 2
        for one, other in zip(runs[0].impacts[:3], runs[1].impacts[:3], strict=True):
            assert one.t == pytest.approx(other.t, abs=1e-13)
        apart.append(np.abs(runs[0].q - runs[1].q).max())
    assert apart[0] < 1e-4
    assert apart[0] / apart[1] > 3.5


def test_a_ball_rolls_on_heights_as_on_a_plane():
    x = np.linspace(-1.0, 5.0, 61)
    flat = bough.Heightfield(x, x, np.zeros((61, 61)))
    for ground in (flat, "world"):
        system = bough.System("ball")
        system.world.floating("base", name="ball", mass=1.0, inertia=(0.004,) * 3)
        system.add(bough.Contact("ball", bough.Sphere(0.1), against=ground, friction=0.3, name="ground"))
        run = bough.simulate(
            system.build(), q={"base_tz": 0.1}, v={"base_tx": 1.0, "base_ty": 0.4}, duration=2.0, dt=0.01
        )
        speed = np.hypot(run["v.base_tx"][-1], run["v.base_ty"][-1])
        assert speed == pytest.approx(5.0 / 7.0 * np.hypot(1.0, 0.4), rel=1e-12)
        assert not len(run.impacts)


@pytest.mark.parametrize("kind", ["box", "capsule"])
def test_what_rests_on_a_tilted_field_stays(kind):
    """Friction 0.3 % above the tangent of the slope: it stays where it is for any number of steps."""
    x = np.linspace(-2.0, 2.0, 41)
    slope = np.tan(0.35)
    field = bough.Heightfield(x, x, slope * x[:, None] * np.ones(41))
    shape = SHAPES[kind]
    pose = np.eye(4)
    pose[:3, :3] = [[np.cos(0.35), 0, -np.sin(0.35)], [0, 1, 0], [np.sin(0.35), 0, np.cos(0.35)]]
    if kind == "capsule":  # its axis down the slope, so that it does not roll
        pose = pose @ np.array([[0.0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])
    system = bough.System("slope")
    system.world.fixed(pose).floating("base", name="body", mass=1.0, inertia=moments(BOX))
    system.add(bough.Contact("body", shape, against=field, friction=1.003 * slope, name="ground"))
    height = 0.05
    q = {"base_tx" if kind == "capsule" else "base_tz": -height if kind == "capsule" else height}
    run = bough.simulate(system.build(), q=q, duration=10.0, dt=0.01)
    assert np.abs(run.q - run.q[0]).max() < 1e-12
    normal = sum(run.contact_force(name).normal[-2] for name in run.model.gaps)
    assert normal == pytest.approx(G * np.cos(0.35), rel=1e-9)


def valley(cells, length=1.2, depth=0.25):
    """A trough of a cosine along x."""
    x = np.linspace(-length, length, cells + 1)
    return bough.Heightfield(x, [-1.0, 1.0], depth * (1.0 - np.cos(np.pi * x))[:, None] * np.ones(2))


def centre_of_ball(radius, depth=0.25):
    """A ball that slides without friction: its centre keeps to the curve at its radius, by the touching point x."""

    def place(x):
        slope = depth * np.pi * np.sin(np.pi * x)
        size = np.hypot(1.0, slope)
        return np.array([x - radius * slope / size, depth * (1.0 - np.cos(np.pi * x)) + radius / size])

    def tangent(x):
        h = 1e-6
        return (place(x + h) - place(x - h)) / (2.0 * h)

    def rates(t, s):
        x, w = s
        d = tangent(x)
        second = (place(x + 1e-4) - 2.0 * place(x) + place(x - 1e-4)) / 1e-8
        return [w, (-G * d[1] - w * w * d @ second) / (d @ d)]

    return place, rates


def test_a_ball_in_a_valley_follows_its_equation_of_motion():
    """Over triangles of ever smaller cells: kinks of the valley take energy in proportion to their size."""
    radius, start, duration = 0.05, 0.5, 1.2
    place, rates = centre_of_ball(radius)
    truth = solve_ivp(rates, (0.0, duration), [start, 0.0], rtol=1e-10, atol=1e-12)
    end = place(truth.y[0, -1])
    errors = []
    for cells in (120, 240, 480):
        system = bough.System("ball")
        system.world.tx("x").tz("z", name="ball", mass=1.0)
        system.add(bough.Contact("ball", bough.Sphere(radius), against=valley(cells), name="ground"))
        model = system.build()
        x, z = place(start)
        height = brentq(lambda z, model=model, x=x: model.gap({"x": x, "z": z}).min(), z - 0.01, z + 0.01)
        run = bough.simulate(model, q={"x": x, "z": height + 1e-12}, duration=duration, dt=0.002)
        gaps = run.gaps()
        assert gaps[np.isfinite(gaps)].min() > -1e-10
        assert np.diff(run.energy()).max() < 1e-9
        errors.append(float(np.hypot(*(run.q[-1] - end))))
    assert errors[-1] < 0.02
    ratios = np.array(errors[:-1]) / errors[1:]
    assert (ratios > 1.6).all(), errors


def test_a_kink_takes_what_plastic_impacts_take():
    """Two slopes that meet: without friction the speed along the second is that of the first times cos of the angle."""
    angle = 0.3
    field = bough.Heightfield(
        [-2.0, 0.0, 2.0], [-1.0, 1.0], np.array([2.0 * np.tan(angle), 0.0, 0.0])[:, None] * [1, 1]
    )
    system = bough.System("ball", gravity=None)
    system.world.tx("x").tz("z", name="ball", mass=1.0)
    system.add(bough.Contact("ball", bough.Sphere(0.1), against=field, name="ground"))
    along = np.array([np.cos(angle), -np.sin(angle)])
    x, z = np.array([-1.0, np.tan(angle)]) + 0.1 * np.array([np.sin(angle), np.cos(angle)])
    run = bough.simulate(
        system.build(), q={"x": x, "z": z}, v={"x": along[0], "z": along[1]}, duration=2.0, dt=0.01
    )
    np.testing.assert_allclose(run.v[-1], [np.cos(angle), 0.0], atol=1e-12)
    np.testing.assert_allclose(run["z"][-1], 0.1, atol=1e-12)
    assert len(run.impacts) == 1


def test_a_ball_rolls_over_a_ridge_as_over_a_corner():
    """Slowly enough not to leave it: its centre turns about the ridge, and no energy is lost."""
    angle = 0.2
    ridge = bough.Heightfield(
        [-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0], -np.tan(angle) * np.abs([-1.0, 0.0, 1.0])[:, None] * np.ones(3)
    )
    system = bough.System("ball")
    system.world.tx("x").tz("z", name="ball", mass=1.0)
    system.add(bough.Contact("ball", bough.Sphere(0.5), against=ridge, name="ground"))
    model = system.build()
    across = 0.5 * np.sin(angle)
    for sign in (-1.0, 1.0):
        for at in (0.0, 0.5 * across, across):  # round the ridge
            assert model.gap({"x": sign * at, "z": np.sqrt(0.25 - at**2)}).min() == pytest.approx(
                0.0, abs=1e-15
            )
    q = {"x": -1.5 * across, "z": 0.5 / np.cos(angle) - 1.5 * across * np.tan(angle)}
    speed = 1.0
    run = bough.simulate(
        model, q=q, v={"x": speed * np.cos(angle), "z": speed * np.sin(angle)}, duration=0.4, dt=0.001
    )
    assert run["x"][-1] > across
    gaps = run.gaps()
    assert np.abs(gaps.min(axis=1)).max() < 1e-9  # it stays on the ground
    assert np.ptp(run.energy()) < 2e-5


def test_a_box_lies_on_bumps():
    """Three tips of different heights carry it, and a ridge that crosses its edges."""
    x = np.linspace(-0.5, 0.5, 11)
    z = np.zeros((11, 11))
    tips = [(4, 4), (7, 5), (4, 7)]
    for i, j in tips:
        z[i, j] = 0.05
    field = bough.Heightfield(x, x, z)
    system = bough.System("box")
    box = bough.Box((0.6, 0.6, 0.1))
    system.world.floating("base", name="body", mass=1.0, inertia=moments(box))
    system.add(bough.Contact("body", box, against=field, friction=0.5, name="ground"))
    run = bough.simulate(system.build(), q={"base_tz": 0.102}, duration=3.0, dt=0.01)
    assert run["base_tz"][-1] == pytest.approx(0.1, abs=1e-12)
    assert np.abs(run.v[-1]).max() < 1e-10
    normal = sorted(run.contact_force(name).normal[-2] for name in run.model.gaps)[-3:]
    corners = np.array([[x[i], x[j], 1.0] for i, j in tips]).T
    np.testing.assert_allclose(sorted(np.linalg.solve(corners, [0.0, 0.0, G])), normal, rtol=1e-9)


@pytest.mark.verify
@pytest.mark.parametrize("kind", [*SHAPES])
def test_gaps_are_distances_from_rough_ground(kind):
    """Beside the least distance of many points of the body from the triangles, found by optimisation."""
    field = rough(1, 8)
    corners, triangles = field.triangles()
    random = np.random.default_rng(3)
    for _ in range(6):
        system = bough.System("body")
        pose = np.eye(4)
        q, _ = np.linalg.qr(random.normal(size=(3, 3)))
        pose[:3, :3] = q * np.sign(np.linalg.det(q))
        pose[:3, 3] = [*random.uniform(-0.6, 0.6, 2), random.uniform(0.4, 0.6)]
        system.world.fixed(pose).floating("base", name="body", mass=1.0, inertia=(1.0, 1.0, 1.0))
        system.add(bough.Contact("body", SHAPES[kind], against=field, name="ground"))
        model = system.build()
        gap = model.gap(model.neutral()).min()
        assert gap == pytest.approx(least_distance(kind, pose, corners[triangles]), abs=1e-7)


def least_distance(kind, pose, triangles):
    """Between the corners of the core of a body and triangles, by quadratic programming over convex weights."""
    from scipy.optimize import minimize

    shape = SHAPES[kind]
    if kind == "point":
        core, radius = np.array([shape.position]), 0.0
    elif kind == "sphere":
        core, radius = np.zeros((1, 3)), shape.radius
    elif kind == "capsule":
        core, radius = np.array([[0, 0, -0.15], [0, 0, 0.15]]), shape.radius
    elif kind == "box":
        core = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.15, 0.15) for z in (-0.05, 0.05)])
        radius = 0.0
    else:
        core, radius = np.asarray(shape.vertices), 0.0
    core = core @ pose[:3, :3].T + pose[:3, 3]
    order = np.argsort(np.linalg.norm(triangles.mean(axis=1) - core.mean(axis=0), axis=1))[:40]
    best = np.inf
    n = len(core)
    for triangle in triangles[order]:
        start = np.concatenate((np.full(n, 1.0 / n), np.full(3, 1.0 / 3.0)))
        matrix = np.vstack((core, -triangle))
        found = minimize(
            lambda w, m=matrix: float(np.sum((w @ m) ** 2)),
            start,
            jac=lambda w, m=matrix: 2.0 * m @ (w @ m),
            bounds=[(0.0, 1.0)] * (n + 3),
            constraints=[
                {"type": "eq", "fun": lambda w: w[:n].sum() - 1.0},
                {"type": "eq", "fun": lambda w: w[n:].sum() - 1.0},
            ],
            options={"ftol": 1e-16, "maxiter": 300},
        )
        best = min(best, np.sqrt(found.fun))
    return best - radius


GAINED = {"point": 0.0, "sphere": 2500.0, "capsule": 10000.0, "box": 40.0, "hull": 2500.0}  # J/s³, at most


@pytest.mark.parametrize("dt", [0.002, 0.001])
@pytest.mark.parametrize("kind", [*SHAPES])
def test_bodies_come_to_rest_on_rough_ground(kind, dt):
    """A body that turns about an edge gains no more than dt³ in a step, the local error of the midpoint rule."""
    field = rough(2)
    # a point may spin about itself for ever, so it moves without turning
    system = bough.System("body")
    if kind == "point":
        system.world.tx("base_tx").ty("y").tz("base_tz", name="body", mass=1.0)
    else:
        system.world.floating("base", name="body", mass=1.0, inertia=(0.004, 0.005, 0.006))
    system.add(bough.Contact("body", SHAPES[kind], against=field, friction=0.8, name="ground"))
    run = bough.simulate(system.build(), q={"base_tz": 0.5}, v={"base_tx": 0.3}, duration=4.0, dt=dt)
    gaps = run.gaps()
    assert gaps[np.isfinite(gaps)].min() > -1e-12
    assert np.diff(run.energy()).max() < GAINED[kind] * dt**3 + 1e-14
    if kind != "capsule":  # which spins on about its axis
        assert np.abs(run.v[-1]).max() < 1e-12


def dropped_on_rough_ground(seed, kind="box", duration=0.6):
    """Nothing is entered and nothing gains; None if a step is not solved."""
    model, q, v = tumbling(seed, kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.CoarseStepWarning)
        try:
            run = bough.simulate(model, q=q, v=v, duration=duration, dt=0.005)
        except bough.ConvergenceError:
            return None
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-10, seed
    assert np.diff(run.energy()).max() < 1000.0 * 0.005**3, seed
    return run


@pytest.mark.parametrize("seed", [36, 60, 139, 154])
def test_boxes_that_tumble_over_rough_ground(seed):
    """Two features at one place disagree about its gap by 1e-12 m: one of them opens, and none is taken to be wrong."""
    run = dropped_on_rough_ground(seed)
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-12
    assert np.diff(run.energy()).max() < 40.0 * 0.005**3


@pytest.mark.parametrize("seed", [13, 18, 28, 33, 41, 56, 58, 83])
def test_what_is_near_leaves_its_place_to_what_touches(seed):
    """A box of three decimetres over cells of one has more features near the ground than places."""
    assert dropped_on_rough_ground(seed) is not None


@pytest.mark.parametrize(("seed", "kind"), [(240, "box"), (18, "hull"), (59, "hull"), (75, "hull")])
def test_an_edge_beyond_a_ridge_is_not_deep_in_it(seed, kind):
    """Along the normal of their crossing it is seen ten centimetres below the ridge, and touches nothing."""
    assert dropped_on_rough_ground(seed, kind, 1.0) is not None


@pytest.mark.parametrize("kind", ["box", "hull"])
def test_hardly_any_step_over_rough_ground_fails(kind):
    assert sum(dropped_on_rough_ground(seed, kind, 1.0) is None for seed in range(40)) == 0


@pytest.mark.verify
@pytest.mark.parametrize(("kind", "most"), [("box", 2), ("hull", 1)])
def test_many_bodies_tumble_over_rough_ground(kind, most):
    """Less than one in a hundred of four hundred; a box that stands with an edge on the tip of a ridge may fail."""
    assert sum(dropped_on_rough_ground(seed, kind, 2.0) is None for seed in range(400)) <= most


def test_a_body_falls_beyond_the_border():
    field = bough.Heightfield([-1.0, 1.0], [-1.0, 1.0], np.zeros((2, 2)))
    for kind in ("sphere", "box"):
        run = body(SHAPES[kind], field, {"base_tz": 0.1, "base_tx": 0.7}, {"base_tx": 1.5}, friction=0.0)
        assert run["base_tx"][-1] > 1.2
        assert run["base_tz"][-1] < -0.1
