"""Systems of the gallery against closed forms and hand-written equations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.special import ellipj, ellipk

import bough
from bough import gallery
from support.transforms import Array

G = 9.81


def reference(system: bough.System, duration: float = 10.0) -> bough.Trajectory:
    """The motion to ten digits."""
    return bough.simulate(system.build(), duration=duration, dt=0.05, integrator="dop853")


def test_pendulum_by_elliptic_functions() -> None:
    run = reference(gallery.pendulum(length=1.3, angle=2.0))
    k, rate = np.sin(1.0), np.sqrt(G / 1.3)
    sn = ellipj(ellipk(k**2) - rate * run.t, k**2)[0]
    np.testing.assert_allclose(run["angle1"], 2.0 * np.arcsin(k * sn), rtol=0, atol=1e-8)


def test_links_of_a_pendulum_hang_in_a_row() -> None:
    model = gallery.pendulum(4, length=0.5, mass=2.0, inertia=0.1, angle=0.3).build()
    q = model.configuration(model.start.q)
    assert model.nd == 4
    assert model.pose("bob4", q)[:3, 3] == pytest.approx([-2.0 * np.sin(0.3), 0.0, -2.0 * np.cos(0.3)])
    # turning all about the pivot: point masses at 0.5, 1, 1.5, 2 m, and four inertias
    assert model.mass_matrix(q)[0, 0] == pytest.approx(2.0 * 0.25 * (1 + 4 + 9 + 16) + 0.4)


def test_cart_pole_against_hand_written_equations() -> None:
    M, m, length = 1.5, 0.2, 0.8
    l, inertia = length / 2, 0.2 * 0.8**2 / 12

    def force(t: float) -> float:
        return 0.5 * np.sin(3.0 * t)

    def rate(t: float, y: Array) -> Array:
        _, angle, speed, turn = y
        c, s = np.cos(angle), np.sin(angle)
        left = np.array([[M + m, m * l * c], [m * l * c, inertia + m * l**2]])
        right = np.array([force(t) + m * l * s * turn**2, m * G * l * s])
        return np.concatenate([[speed, turn], np.linalg.solve(left, right)])

    model = gallery.cart_pole(cart_mass=M, pole_mass=m, length=length, angle=0.4).build()
    for y in np.random.default_rng(0).normal(size=(5, 4)):
        a = model.acceleration(y[:2], y[2:], u=[force(0.7)])
        np.testing.assert_allclose(a, rate(0.7, y)[2:], rtol=1e-12)
    run = bough.simulate(model, duration=2.0, dt=0.002, u=lambda t: [force(t + 0.001)])
    exact = solve_ivp(rate, (0, 2.0), [0, 0.4, 0, 0], "DOP853", run.t, rtol=1e-11, atol=1e-11).y
    np.testing.assert_allclose(run.q, exact[:2].T, rtol=0, atol=1e-4)


def test_spherical_pendulum_stays_on_its_circle() -> None:
    angle, length = 0.7, 1.5
    run = reference(gallery.spherical_pendulum(length=length, angle=angle))
    place = run.pose("bob")[:, :3, 3]
    np.testing.assert_allclose(place[:, 2], -length * np.cos(angle), rtol=0, atol=1e-8)
    turn = np.unwrap(np.arctan2(place[:, 1], place[:, 0]))
    rate = np.sqrt(G / (length * np.cos(angle)))
    np.testing.assert_allclose(np.abs(turn - turn[0]), rate * run.t, rtol=0, atol=1e-7)


@pytest.mark.parametrize("tilt", [0.4, 1.0, np.pi / 2, 2.0])
def test_gyroscope_precesses_steadily(tilt: float) -> None:
    run = reference(gallery.gyroscope(tilt=tilt))
    np.testing.assert_allclose(run["nutation"], tilt, rtol=0, atol=1e-8)
    assert np.ptp(run.v[:, 0]) < 1e-7
    # the torque of gravity turns the angular momentum about the vertical: rate of L_horizontal
    L = run.angular_momentum()
    horizontal = np.hypot(L[:, 0], L[:, 1])
    torque = 1.0 * G * 0.1 * np.sin(tilt)
    np.testing.assert_allclose(run.v[:, 0] * horizontal, torque, rtol=1e-6)


def test_gyroscope_at_a_right_angle_by_the_rule_of_the_fast_top() -> None:
    """Across the vertical the quadratic term vanishes: rate = m g l / (C spin), exactly."""
    system = gallery.gyroscope(mass=2.0, radius=0.2, arm=0.15, tilt=np.pi / 2, spin=80.0)
    assert system.start.v["precession"] == pytest.approx(2.0 * G * 0.15 / (0.5 * 2.0 * 0.04 * 80.0))


@pytest.mark.parametrize("eccentricity", [0.0, 0.3, 0.7])
def test_kepler_orbit(eccentricity: float) -> None:
    mu, axis = 3.0, 1.4
    system = gallery.kepler(mu=mu, axis=axis, eccentricity=eccentricity, mass=2.0)
    period = 2.0 * np.pi * np.sqrt(axis**3 / mu)
    run = bough.simulate(system.build(), duration=2 * period, dt=period / 50, integrator="dop853")
    np.testing.assert_allclose(run.q[50], run.q[0], rtol=0, atol=1e-8)
    E = M = 2.0 * np.pi * run.t / period
    for _ in range(50):  # Kepler's equation E - e sin E = M
        E = E - (E - eccentricity * np.sin(E) - M) / (1.0 - eccentricity * np.cos(E))
    x = axis * (np.cos(E) - eccentricity)
    y = axis * np.sqrt(1.0 - eccentricity**2) * np.sin(E)
    np.testing.assert_allclose(run.q, np.stack([x, y], axis=-1), rtol=0, atol=1e-7)


@pytest.mark.parametrize("rotation", ["ball", "angles"])
@pytest.mark.parametrize("name", ["satellite_arm", "humanoid"])
def test_free_bodies_keep_their_momentum(name: str, rotation: str) -> None:
    run = reference(gallery.system(name, rotation=rotation), duration=2.0)
    spread = np.ptp(run.linear_momentum(), axis=0), np.ptp(run.angular_momentum(), axis=0)
    size = run.model.total_mass
    assert np.max(spread) < 1e-7 * size
    assert np.max(np.ptp(run.q, axis=0)) > 0.1


def test_the_base_of_the_satellite_turns_against_its_arm() -> None:
    system = gallery.satellite_arm()
    model = system.build()
    assert model.dynamic[6:] == ("shoulder_yaw", "shoulder_pitch", "elbow")
    assert model.inputs == ("shoulder_yaw_torque", "shoulder_pitch_torque", "elbow_torque")
    a = model.acceleration(model.neutral(), np.zeros(9), u=[1.0, 0.0, 0.0])
    assert a[6] > 0.0 > a[model.index("base_wz")]  # the arm one way, the base the other
    np.testing.assert_allclose(model.linear_momentum(model.neutral(), a), 0.0, atol=1e-12)


@pytest.mark.parametrize("name", ["satellite_arm", "humanoid"])
def test_floating_and_reduced_agree(name: str) -> None:
    """The midpoint rule on geodesics and `ReducedVI`: both of second order, so that they come together with dt^2."""
    models = [gallery.system(name, rotation=rotation).build() for rotation in ("ball", "angles")]
    frame, steps = {
        "satellite_arm": ("hand", (0.02, 0.01, 0.005)),
        "humanoid": ("head", (0.005, 0.0025, 0.00125)),
    }[name]
    gaps = []
    for dt in steps:
        runs = [
            bough.simulate(model, duration=2.0, dt=dt, every=round(0.1 / dt), integrator=integrator)
            for model, integrator in zip(models, ("midpoint", "reduced"), strict=True)
        ]
        gaps.append(np.abs(runs[0].pose(frame) - runs[1].pose(frame)).max())
        for run in runs:
            L = run.angular_momentum()
            assert np.abs(L - L[0]).max() < 1e-11 * max(1.0, np.abs(L).max())
    assert gaps[-1] < 1e-3
    np.testing.assert_allclose(np.log2(np.array(gaps[:-1]) / gaps[1:]), 2.0, atol=0.25)


def test_gyroscope_as_a_ball() -> None:
    """Its axis goes the way of steady precession, at an error that falls with dt^2."""
    model, angles = gallery.gyroscope(rotation="ball").build(), gallery.gyroscope()
    rate = angles.start.v["precession"]
    errors = []
    for dt in (0.002, 0.001):
        run = bough.simulate(model, duration=2.0, dt=dt)
        axis = run.rotation("top").as_matrix()[:, :, 2]
        exact = np.stack(
            [
                np.sin(1.0) * np.cos(rate * run.t),
                np.sin(1.0) * np.sin(rate * run.t),
                np.full(len(run), np.cos(1.0)),
            ],
            axis=1,
        )
        errors.append(np.abs(axis - exact).max())
    assert errors[0] < 1e-3
    assert 1.9 < np.log2(errors[0] / errors[1]) < 2.1


def test_t_handle_by_elliptic_functions() -> None:
    """The rates of the handle through its first turns over, at order 8; and all orientations are passed."""
    model = gallery.t_handle(wobble=0.1).build()
    I1, I2, I3 = np.diag(model.mass_matrix(model.neutral())[3:, 3:])
    run = bough.simulate(model, duration=10.0, dt=0.01, order=8)
    w = run["v.handle"]

    def euler(_: float, w: Array) -> Array:
        return np.array(
            [(I2 - I3) / I1 * w[1] * w[2], (I3 - I1) / I2 * w[2] * w[0], (I1 - I2) / I3 * w[0] * w[1]]
        )

    exact = solve_ivp(euler, (0.0, 10.0), w[0], "DOP853", run.t, rtol=1e-13, atol=1e-13).y.T
    np.testing.assert_allclose(w, exact, atol=1e-5)
    T2, L2 = w[0] ** 2 @ [I1, I2, I3], w[0] ** 2 @ np.array([I1, I2, I3]) ** 2
    a, b, c = (I1, I2, I3) if L2 > T2 * I2 else (I3, I2, I1)
    rate = np.sqrt((c - b) * (L2 - T2 * a) / (a * b * c))
    m = (b - a) * (T2 * c - L2) / ((c - b) * (L2 - T2 * a))
    turns = run.t[1:][np.diff(np.sign(w[:, 1])) != 0]
    np.testing.assert_allclose(np.diff(turns), 2.0 * ellipk(m) / rate, atol=0.011)  # within a step
    L = run.angular_momentum()
    assert np.abs(L - L[0]).max() < 1e-15
    up = run.rotation("handle").as_matrix()[:, :, 1] @ (L[0] / np.linalg.norm(L[0]))
    assert up.max() > 0.99
    assert up.min() < -0.99


def test_tippe_top_turns_over() -> None:
    """Jellett's integral L . (centre to contact) stays while energy falls, and the centre of mass rises."""
    run = bough.simulate(gallery.tippe_top().build(), duration=4.0, every=10)
    up = run.pose("centre")[:, 2, 2]
    assert up[0] > 0.9
    assert up[-1] < -0.8
    energy = run.energy()
    assert np.diff(energy).max() < 1e-4 * energy[0]  # but for the wobble of a rule of second order
    model = run.model
    com = np.array([model.center_of_mass(q) for q in run.q])
    P, L = run.linear_momentum(), run.angular_momentum()
    spin = L - np.cross(com, P)  # about the centre of mass
    contact = run.pose("centre")[:, :3, 3] - [0.0, 0.0, 0.02] - com
    jellett = np.sum(spin * contact, axis=1)
    assert np.abs(jellett / jellett[0] - 1.0).max() < 1e-3
    still = bough.simulate(gallery.tippe_top(friction=0.0).build(), duration=1.0, every=10)
    assert still.pose("centre")[:, 2, 2].min() > 0.9  # without friction nothing turns it over


def test_ragdoll_hangs() -> None:
    """It swings below its hand, which stays where it is, and loses energy."""
    run = bough.simulate(gallery.ragdoll().build(), every=10)
    hook, hand = run.pose("hook")[-1, :3, 3], run.pose("left hand")[-1, :3, 3]
    np.testing.assert_allclose(hand, hook, atol=1e-12)
    com = run.model.center_of_mass(run.q[-1])
    assert com[2] < hook[2] - 0.8
    energy = run.energy()
    assert np.diff(energy).max() < 1e-3 * np.ptp(energy)
    assert energy[-1] < energy[0] - 100.0


def test_screw_jack() -> None:
    lead, inertia, load, speed = 0.03, 0.05, 80.0, 30.0
    model = gallery.screw_jack(lead=lead, screw=inertia, load=load, speed=speed).build()
    run = bough.simulate(model)
    pitch = lead / (2.0 * np.pi)
    np.testing.assert_allclose(run["lift"] / lead, run["turn"] / (2.0 * np.pi), rtol=0, atol=1e-10)
    slowing = load * G * pitch / (inertia + load * pitch**2)
    exact = speed * run.t - 0.5 * slowing * run.t**2
    np.testing.assert_allclose(run["turn"], exact, rtol=0, atol=1e-8)


def test_gear_train() -> None:
    model = gallery.gear_train(teeth=(20, 60, 15, 45), weight=2.0, drum=0.05, flywheel=0.05).build()
    run = bough.simulate(model)
    np.testing.assert_allclose(run["second"], -run["first"] / 3.0, rtol=0, atol=1e-10)
    np.testing.assert_allclose(run["third"], run["first"] / 9.0, rtol=0, atol=1e-10)
    np.testing.assert_allclose(run["height"], -0.05 * run["third"], rtol=0, atol=1e-10)
    # at the third shaft: inertias times the squares of the ratios, and the weight on the drum
    inertia = 0.05 * (81.0 + 0.01 * 9.0 + 0.01) + 2.0 * 0.05**2
    exact = 0.5 * 2.0 * G * 0.05 / inertia * run.t**2
    np.testing.assert_allclose(run["third"], exact, rtol=0, atol=1e-9)


def test_cam_follower() -> None:
    lift, mass, stiffness, flywheel, speed = 0.03, 0.8, 1500.0, 0.04, 15.0
    run = reference(
        gallery.cam_follower(lift=lift, follower=mass, stiffness=stiffness, flywheel=flywheel, speed=speed)
    )
    angle = run["cam"]
    height, slope = 0.5 * lift * (1.0 - np.cos(angle)), 0.5 * lift * np.sin(angle)
    np.testing.assert_allclose(run["follower"], height, rtol=0, atol=1e-8)
    # what the spring and the weight took is missing in the speed
    stored = mass * G * height + 0.5 * stiffness * ((height + lift) ** 2 - lift**2)
    rate = np.sqrt((flywheel * speed**2 - 2.0 * stored) / (flywheel + mass * slope**2))
    np.testing.assert_allclose(run.v[:, 0], rate, rtol=0, atol=1e-6)
    assert np.ptp(rate) > 0.1 * speed


def test_four_bar_by_the_equation_of_freudenstein() -> None:
    r1, r2, r3, r4 = 1.1, 0.25, 0.9, 0.7  # ground, crank, coupler, rocker
    model = gallery.four_bar(ground=r1, crank=r2, coupler=r3, rocker=r4, speed=12.0).build()
    run = bough.simulate(model)
    # angles from the direction of the ground, counter-clockwise in the plane (x, z)
    crank, rocker = -np.pi / 2 - run["crank"], -np.pi / 2 - run["rocker"]
    k = (r1**2 + r2**2 + r4**2 - r3**2) / (2.0 * r2 * r4)
    left = r1 / r2 * np.cos(rocker) - r1 / r4 * np.cos(crank) + k
    np.testing.assert_allclose(left, np.cos(crank - rocker), rtol=0, atol=1e-10)
    assert np.ptp(run["crank"]) > 2.0 * np.pi  # the crank turns fully
    assert np.ptp(run["rocker"]) < np.pi  # the rocker swings


def test_slider_crank() -> None:
    crank, rod = 0.12, 0.35
    run = bough.simulate(gallery.slider_crank(crank=crank, rod=rod, speed=12.0).build())
    angle = run["crank"]
    place = crank * np.cos(angle) + np.sqrt(rod**2 - (crank * np.sin(angle)) ** 2)
    np.testing.assert_allclose(run["piston"], place, rtol=0, atol=1e-12)
    assert np.ptp(angle) > 20.0


def test_closed_chain_is_listing_1() -> None:
    listing = bough.load("examples/closed_chain.sexp").build()
    model = gallery.closed_chain().build()
    assert model.variables == listing.variables
    for q in np.random.default_rng(1).normal(size=(5, 7)):
        np.testing.assert_allclose(model.mass_matrix(q), listing.mass_matrix(q), rtol=1e-14)
        assert model.potential_energy(q) == pytest.approx(listing.potential_energy(q), rel=1e-14)
        np.testing.assert_allclose(model.constraint(q), listing.constraint(q), rtol=0, atol=1e-15)
    assert model.mobility(model.configuration(model.start.q)) == 3


def test_the_gymnast_swings_as_one_pendulum_when_stiff() -> None:
    """With stiff joints the whole body is a rigid pendulum about the bar."""
    model = gallery.planar_human(stiffness=3e4, swing=0.05).build()
    q = model.configuration(model.start.q)
    tangent = np.zeros(model.nd)
    below = np.hypot(*q[:2])
    tangent[:3] = [-below * np.cos(0.05), below * np.sin(0.05), 1.0]
    np.testing.assert_allclose(model.constraint_dq(q) @ tangent, 0.0, atol=1e-12)
    inertia = tangent @ model.mass_matrix(q) @ tangent
    ahead, _, down = model.center_of_mass(np.r_[0.0, -below, np.zeros(13)])
    rate = np.sqrt(model.total_mass * G * np.hypot(ahead, down) / inertia)
    rest = np.arctan2(ahead, -down)  # the feet point forward
    run = bough.simulate(model, duration=5.0, dt=0.002)
    exact = rest + (0.05 - rest) * np.cos(rate * run.t)
    np.testing.assert_allclose(run["pitch"], exact, rtol=0, atol=5e-4)


def test_rimless_wheel_by_its_pace() -> None:
    """An impact keeps (I + m l^2 cos 2a)/(I + m l^2) of the rate; between two of them it is a pendulum upside down."""
    n, slope, length, inertia = 8, 0.08, 0.5, 0.05
    half, about = np.pi / n, inertia + length**2
    kept = (inertia + length**2 * np.cos(2.0 * half)) / about
    given = 2.0 * G * length * np.sin(slope) * np.sin(half)
    first = kept * np.sqrt(2.0 * given / about / (1.0 - kept**2))  # rate after an impact

    def rate(angle: float) -> float:
        fallen = length * (np.cos(slope - half) - np.cos(angle + slope))
        return float(np.sqrt(first**2 + 2.0 * G * fallen / about))

    pace = quad(lambda angle: 1.0 / rate(angle), -half, half)[0]
    errors = []
    for dt in (0.01, 0.005):
        system = gallery.rimless_wheel(n=n, slope=slope, length=length, inertia=inertia)
        impacts = bough.simulate(system.build(), duration=30.0, dt=dt).impacts
        assert abs(impacts[-1].energy_lost / given - 1.0) < 1e-3
        errors.append(abs((impacts[-1].t - impacts[-6].t) / 5.0 - pace))
    assert errors[0] < 1e-4
    assert errors[0] > 3.5 * errors[1]  # second order


@pytest.mark.parametrize(("grip", "held"), [(2.0, False), (10.0, True)])
def test_gripper_holds_what_friction_can_hold(grip: float, held: bool) -> None:
    """Two fingers of friction 0.6 hold 0.3 kg with 10 N each, and not with 2 N; what is held does not creep."""
    run = bough.simulate(gallery.gripper(grip=grip).build(), duration=4.0)
    height = run["place_tz"] - 0.05
    if held:
        assert np.abs((height - run["lift"])[100:]).max() < 1e-14
        assert abs(height[-1] - 0.1) < 1e-3
    else:
        assert np.abs(height).max() < 1e-12


def test_dominoes_fall_as_pendulums_and_come_to_lie() -> None:
    """The first tile turns about its lower edge until it leans on the next by the sine of apart over height."""
    apart, spin, (thick, _, high) = 0.021, 4.0, (0.0075, 0.024, 0.048)
    run = bough.simulate(gallery.dominoes(apart=apart, spin=spin).build(), duration=1.0)
    lean = np.arcsin(apart / high)
    fallen = 0.5 * high * (1.0 - np.cos(lean)) - 0.5 * thick * np.sin(lean)
    faster = 2.0 * 9.81 * fallen * 3.0 / (thick**2 + high**2)
    first = run.impacts[0]
    assert {name.split("[")[0] for name in first.contacts} >= {"pair1"}
    assert first.v_before[run.model.index("place0_wy")] == pytest.approx(np.sqrt(spin**2 + faster), rel=1e-4)
    assert run.statistics["coarse"] == 0
    assert np.abs(run.v[-1]).max() < 1e-12
    assert np.diff(run.energy()).max() < 1e-6 * run.energy()[0]
    gaps = run.gaps()
    assert gaps[np.isfinite(gaps)].min() > -1e-12
    tilts = 2.0 * np.arcsin(np.array([run[f"place{i}_qy"][-1] for i in range(3)]))
    assert run["place2_tz"][-1] == pytest.approx(0.5 * thick, abs=1e-12)  # flat on the floor
    assert (tilts[:-1] < tilts[-1]).all()
    assert (tilts > 1.0).all()


def test_hopper_loses_what_its_foot_has() -> None:
    """The leg stays at its length in free fall, the foot lands at √(2gh), and its kinetic energy is lost."""
    foot, height = 0.3, 0.2
    run = bough.simulate(gallery.hopper(foot=foot, height=height).build(), duration=0.3)
    first = run.impacts[0]
    assert first.t == pytest.approx(np.sqrt(2.0 * height / 9.81), rel=1e-9)
    assert first.energy_lost == pytest.approx(foot * 9.81 * height, rel=1e-9)
    assert np.abs(run["leg"][run.t < first.t] - 0.5).max() < 1e-12
