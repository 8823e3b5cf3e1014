"""Rolling and skates in the variational step, against equations of motion written for each system by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import bough
from bough import gallery
from support.transforms import Array

TIGHT: dict[str, Any] = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
SLEIGH = {"mass": 1.0, "inertia": 0.05, "offset": 0.2, "speed": 1.0, "turn": 3.0}


def slope(errors: list[float]) -> float:
    """The order that errors at steps halved from one to the next show."""
    return float(np.log2(np.array(errors[:-1]) / np.array(errors[1:])).min())


# --- Chaplygin's sleigh ---


def sleigh(t: float) -> Array:
    """x, y, turn: m u' = m a w², (I + m a²) w' = -m a u w, in the axes of the blade."""
    m, moment, a = SLEIGH["mass"], SLEIGH["inertia"], SLEIGH["offset"]

    def rate(_: float, s: Array) -> list[float]:
        _, _, turn, u, w = s
        return [u * np.cos(turn), u * np.sin(turn), w, a * w**2, -m * a * u * w / (moment + m * a**2)]

    start = [0.0, 0.0, 0.0, SLEIGH["speed"], SLEIGH["turn"]]
    return np.asarray(solve_ivp(rate, (0.0, t), start, **TIGHT).y[:3, -1])


@pytest.mark.parametrize(
    ("integrator", "options", "order"),
    [("midpoint", {}, 2), ("trapezoidal", {}, 2), ("trapezoidal", {"order": 4}, 4)],
)
def test_the_sleigh_has_the_order_of_the_method(integrator: str, options: Any, order: int) -> None:
    model = gallery.chaplygin_sleigh(**SLEIGH).build()
    exact = sleigh(5.0)
    errors = []
    for dt in (0.04, 0.02, 0.01):
        run = bough.simulate(model, duration=5.0, dt=dt, integrator=integrator, **options)
        errors.append(float(np.linalg.norm(run.q[-1] - exact)))
    assert slope(errors) > order - 0.1, errors
    assert errors[2] < 2e-4


def test_the_sleigh_ends_straight_with_all_its_energy_in_its_speed() -> None:
    run = bough.simulate(gallery.chaplygin_sleigh(**SLEIGH).build(), duration=30.0, dt=0.01)
    m, moment, a = SLEIGH["mass"], SLEIGH["inertia"], SLEIGH["offset"]
    limit = np.sqrt(SLEIGH["speed"] ** 2 + (moment + m * a**2) * SLEIGH["turn"] ** 2 / m)
    assert np.hypot(*run.v[-1, :2]) == pytest.approx(limit, rel=3e-5)
    assert abs(run["v.turn"][-1]) < 1e-8
    across = -np.sin(run["turn"]) * run["v.x"] + np.cos(run["turn"]) * run["v.y"]
    assert np.abs(across).max() < 1e-13  # reported velocities are on the blade
    assert np.abs(run.energy() / run.energy()[0] - 1.0).max() < 1e-4


def test_the_force_on_the_blade() -> None:
    """That of the equations across the blade: m (a w' + u w) = lam."""
    model = gallery.chaplygin_sleigh(**SLEIGH).build()
    m, moment, a = SLEIGH["mass"], SLEIGH["inertia"], SLEIGH["offset"]
    run = bough.simulate(model, duration=2.0, dt=0.001)
    u = np.cos(run["turn"]) * run["v.x"] + np.sin(run["turn"]) * run["v.y"]
    w = run["v.turn"]
    exact = m * (u * w - a * m * a * u * w / (moment + m * a**2))
    assert np.abs(run.lam[1:-1, 0] - exact[1:-1]).max() < 1e-4 * np.abs(exact).max()
    _, lam = model.acceleration_and_multipliers(run.q, run.v)
    assert np.abs(lam[:, 0] - exact).max() < 1e-12 * np.abs(exact).max()


# --- a disk ---


def disk_end(model: bough.Model, t: float, radius: float = 0.5, mass: float = 1.0) -> tuple[Array, Array]:
    """Centre and axis of a rolling disk: v = r w x u, with the force of the plane as an unknown."""
    q, v = model.configuration(model.start.q), model.configuration(model.start.v)
    pose = model.pose("disk", q)
    turning = pose[:3, :3] @ model.body_velocity("disk", q, v)[:3]
    n, g = np.array([0.0, 0.0, 1.0]), 9.81
    moment = mass * radius**2 / 4.0

    def cross(x: Array) -> Array:
        return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])

    def rate(_: float, s: Array) -> Array:
        axis, w = s[3:6], s[6:]
        across = n - (n @ axis) * axis
        size = np.linalg.norm(across)
        arm = -radius * across / size
        axis_rate = np.cross(w, axis)
        slope = -(n @ axis_rate) * axis - (n @ axis) * axis_rate
        arm_rate = -radius * (slope - (across @ slope) * across / size**2) / size
        inertia = moment * (np.eye(3) + np.outer(axis, axis))
        # I w' + w x I w = arm x F,   m (arm x w' - w x arm') = F - m g n
        A = np.block([[inertia, -cross(arm)], [mass * cross(arm), -np.eye(3)]])
        b = np.concatenate([-np.cross(w, inertia @ w), mass * np.cross(w, arm_rate) - mass * g * n])
        return np.concatenate([-np.cross(w, arm), axis_rate, np.linalg.solve(A, b)[:3]])

    start = np.concatenate([pose[:3, 3], pose[:3, 1], turning])
    end = solve_ivp(rate, (0.0, t), start, **TIGHT).y[:, -1]
    return end[:3], end[3:6]


def test_a_wobbling_disk_has_second_order() -> None:
    model = gallery.rolling_disk(lean=0.3, turn=0.5).build()
    centre, axis = disk_end(model, 3.0)
    errors = []
    for dt in (0.02, 0.01, 0.005):
        run = bough.simulate(model, duration=3.0, dt=dt)
        pose = model.pose("disk", run.q[-1])
        errors.append(float(np.linalg.norm(pose[:3, 3] - centre) + np.linalg.norm(pose[:3, 1] - axis)))
        assert np.abs(run.constraint_error()).max() < 1e-13
        slip = np.einsum("trc,tc->tr", model.constraint_dq(run.q), run.v)
        assert np.abs(slip).max() < 1e-12
    assert slope(errors) > 1.9, errors
    assert errors[2] < 1e-3


def test_an_upright_disk_on_a_circle_neither_spirals_nor_loses_energy() -> None:
    """Held upright, so that the height of its lowest point says nothing, and its row is zero."""
    system = bough.System("upright")
    place = system.world.tz(0.5).tx("x").ty("y").rz("yaw")
    disk = place.ry("roll", name="disk", mass=1.0, inertia=(0.0625, 0.125, 0.0625))
    system.add(bough.Rolling(disk, 0.5, axis=(0, 1, 0)))
    model = system.build()
    radii = []
    for dt in (0.1, 0.05):
        run = bough.simulate(model, v={"x": 1.0, "yaw": 0.5, "roll": 2.0}, duration=100.0, dt=dt)
        assert np.abs(run["yaw"] - 0.5 * run.t).max() < 1e-9
        assert np.abs(run.energy() / run.energy()[0] - 1.0).max() < 1e-9
        radii.append(np.abs(np.hypot(run["x"], run["y"] - 2.0) - 2.0))
    assert radii[0].max() < 6e-3
    assert radii[0].max() / radii[1].max() > 3.8
    early, late = radii[1][: len(radii[1]) // 5].max(), radii[1][-len(radii[1]) // 5 :].max()
    assert late < 1.01 * early


def test_a_ball_on_a_slope() -> None:
    """5/7 of what slides without friction; what holds it is 2/7 of its weight along the slope."""
    system = bough.System("ball", gravity=(0, 0, -9.81))
    ball = system.world.tx("x").ty("y").tz("z").rx("a").ry("b", name="ball", mass=2.0, inertia=(0.032,) * 3)
    tilt = 0.3
    normal = (-np.sin(tilt), 0.0, np.cos(tilt))
    system.add(bough.Rolling(ball, 0.2, normal=normal, height=0.2, name="slope"))
    model = system.build()
    begin = model.assemble(q={"z": 0.5})
    run = bough.simulate(model, q=begin.q, duration=1.0, dt=0.01)
    moved = run.q[-1, :3] - run.q[0, :3]
    assert np.abs(moved @ normal) < 1e-13
    assert np.linalg.norm(moved) == pytest.approx(0.5 * 5.0 / 7.0 * 9.81 * np.sin(tilt), rel=1e-12)
    assert run.lam[1:-1, 0] == pytest.approx(2.0 * 9.81 * np.cos(tilt), rel=1e-10)
    assert np.hypot(run.lam[1:-1, 1], run.lam[1:-1, 2]) == pytest.approx(
        2.0 / 7.0 * 2.0 * 9.81 * np.sin(tilt), rel=1e-10
    )


# --- with what else there is ---


def test_a_trailer_behind_a_prescribed_hitch() -> None:
    """tan(angle / 2) decays with the way of the hitch over the length of the bar."""
    system = bough.System("trailer", gravity=None)
    hitch = system.world.tx(bough.kinematic("way"))
    axle = hitch.rz("angle").tx(-2.0, name="axle", mass=3.0, inertia=(1.0, 1.0, 1.0))
    system.add(bough.Skate(axle, across=(0, 1, 0)))
    model = system.build()
    errors = []
    for dt in (0.02, 0.01):
        run = bough.simulate(
            model, q={"angle": 1.0}, k={"way": lambda t: t + 0.3 * np.sin(t)}, duration=4.0, dt=dt
        )
        exact = 2.0 * np.arctan(np.tan(0.5) * np.exp(-run["way"] / 2.0))
        errors.append(float(np.abs(run["angle"] - exact).max()))
    assert errors[1] < 2e-6
    assert errors[0] / errors[1] > 3.8


def test_the_same_motion_with_redundant_rows() -> None:
    def sledge(blades: int) -> bough.Trajectory:
        system = gallery.chaplygin_sleigh(**SLEIGH)
        for i in range(blades - 1):  # further blades ahead and behind, on the same line
            system.add(bough.Skate("blade", across=(0, 2.0, 0), name=f"copy{i}"))
        return bough.simulate(system.build(), duration=5.0, dt=0.01)

    one, three = sledge(1), sledge(3)
    assert np.abs(one.q - three.q).max() < 1e-11
    assert np.abs(three.lam[1:-1] - one.lam[1:-1] / 3.0).max() < 1e-9


def test_the_velocity_formulation_takes_the_same_elements() -> None:
    model = gallery.rolling_disk().build()
    fine = bough.simulate(model, duration=0.5, dt=0.0005)
    bodies = bough.simulate(model, duration=0.5, dt=0.0005, integrator="velocity")
    assert np.abs(bodies.q[-1] - fine.q[-1]).max() < 5e-3
    assert bodies.lam.shape == fine.lam.shape
    assert np.abs(bodies.lam[-2] - fine.lam[-2]).max() < 0.05


def test_energy_of_a_snakeboard() -> None:
    """Nothing but springs acts; the discrete motion keeps energy nearly, with second order."""
    model = gallery.snakeboard().build()
    errors = []
    for dt in (0.01, 0.005):
        run = bough.simulate(model, duration=10.0, dt=dt)
        energy = run.energy()
        errors.append(float(np.abs(energy / energy[0] - 1.0).max()))
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] > 3.0
    assert np.hypot(*run.q[-1, :2]) > 0.05  # it gets somewhere


@pytest.mark.verify
def test_a_disk_for_a_thousand_seconds() -> None:
    run = bough.simulate(gallery.rolling_disk(lean=0.3).build(), duration=1000.0, dt=0.01, every=50)
    energy = run.energy()
    assert np.abs(energy / energy[0] - 1.0).max() < 0.02
    assert np.abs(run.constraint_error()).max() < 1e-11
