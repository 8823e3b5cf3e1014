"""Motions with balls: invariants, orders, closed forms, and other descriptions of the same system."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipj

import bough
from support.balls import branched, chain, floating_arm, heavy_top, state_of
from support.transforms import Array


def run_of(system: bough.System, seed: int = 0, **options: float) -> bough.Trajectory:
    model = system.build()
    q, v = state_of(model, seed)
    return bough.simulate(model, q=q, v=v, **options)


def orders(
    system: bough.System, steps: tuple[float, ...], *, seed: int = 0, speed: float = 1.0, **options: object
) -> Array:
    """The orders between neighbouring steps, by the configuration at t = 1."""
    model = system.build()
    q, v = state_of(model, seed)
    start = {"q": q, "v": speed * v, "duration": 1.0}
    exact = bough.simulate(model, **start, dt=1.0, integrator="dop853", rtol=1e-13, atol=1e-14)
    errors = []
    for dt in steps:
        run = bough.simulate(model, **start, dt=dt, **options)
        errors.append(np.abs(model.difference(exact.q[-1], run.q[-1])).max())
    return np.log2(np.array(errors[:-1]) / errors[1:])


def test_six_momenta_and_unit_quaternions() -> None:
    run = run_of(floating_arm(), duration=60.0, dt=0.03)
    size = np.abs(run.linear_momentum()).max()
    for momentum in (run.linear_momentum(), run.angular_momentum()):
        assert np.abs(momentum - momentum[0]).max() < 1e-14 * max(1.0, size * np.abs(run.q).max())
    for ball in run.model.balls:
        assert np.abs(np.linalg.norm(run[ball], axis=1) - 1.0).max() < 1e-15
    energy = run.energy()
    first, last = np.split(energy[: len(energy) // 2 * 2], 2)
    assert np.ptp(energy) < 2e-2 * energy[0]
    assert abs(first.mean() - last.mean()) < 1e-3 * energy[0]


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9])
def test_momenta_do_not_depend_on_the_tolerance(tolerance: float) -> None:
    """What Newton's method leaves is carried without changing momentum (BJ14); steps of the base are long."""
    model = floating_arm().build()
    q, v = state_of(model)
    v[:3] *= 20.0
    run = bough.simulate(model, q=q, v=v, duration=20.0, dt=0.05, tolerance=tolerance)
    size = np.abs(run.linear_momentum()).max() * np.abs(run.q).max()
    for momentum in (run.linear_momentum(), run.angular_momentum()):
        assert np.abs(momentum - momentum[0]).max() < 1e-14 * size


def test_vertical_momentum_in_gravity() -> None:
    run = run_of(chain(3), duration=5.0, dt=0.01)
    L = run.angular_momentum()[:, 2]
    assert np.abs(L - L[0]).max() < 1e-12


@pytest.mark.parametrize("system", [branched, floating_arm], ids=lambda f: f.__name__)
def test_second_order(system: object) -> None:
    assert np.abs(orders(system(), (0.01, 0.005, 0.0025)) - 2.0).max() < 0.1  # type: ignore[operator]


@pytest.mark.parametrize(
    ("order", "steps"), [(4, (0.05, 0.025, 0.0125)), (6, (0.1, 0.05, 0.025)), (8, (0.1, 0.05))]
)
def test_compositions(order: int, steps: tuple[float, ...]) -> None:
    assert np.abs(orders(floating_arm(), steps, order=order) - order).max() < 0.5


@pytest.mark.parametrize(("name", "order"), [("rk4", 4), ("semi-implicit-euler", 1)])
def test_one_step_methods(name: str, order: int) -> None:
    assert np.abs(orders(floating_arm(), (0.01, 0.005, 0.0025), integrator=name) - order).max() < 0.2


@pytest.mark.parametrize("name", ["rk45", "scipy-dop853", "radau"])
def test_methods_of_scipy(name: str) -> None:
    model = floating_arm().build()
    q, v = state_of(model)
    runs = [bough.simulate(model, q=q, v=v, duration=1.0, dt=0.1, integrator=i) for i in ("dop853", name)]
    assert np.abs(model.difference(*(run.q for run in runs))).max() < 1e-8


@pytest.mark.parametrize("system", [heavy_top, branched, floating_arm], ids=lambda f: f.__name__)
def test_symplectic(system: Callable[[], bough.System]) -> None:
    """The map (R0, P0) -> (R1, P1) keeps dp1 . eta2 - dp2 . eta1 - P . eta1 x eta2, by its exact derivatives."""
    model = system().build()
    vi = bough.MidpointVI(model, 0.1, tolerance=1e-15)
    q, v = state_of(model, 3)
    begin = vi.start(q=q, p=model.momentum(q, v))
    end, step = vi.step(begin), vi.linearize(begin)
    A, n = step.A, model.nv

    def form(p: Array) -> Array:
        found = np.zeros((2 * n, 2 * n))
        found[n:, :n], found[:n, n:] = np.eye(n), -np.eye(n)
        for i, _ in model._balls.values():
            x, y, z = p[i : i + 3]
            found[i : i + 3, i : i + 3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
        return found

    defect = A.T @ form(np.asarray(end.p)) @ A - form(np.asarray(begin.p))
    assert np.abs(defect).max() < 1e-11


def test_free_asymmetric_body() -> None:
    """Euler's equations by Jacobi's elliptic functions."""
    I1, I2, I3 = 0.3, 0.2, 0.1
    system = bough.System("free body", gravity=None)
    system.world.ball("body").frame("hull", mass=1.0, inertia=(I1, I2, I3))
    model = system.build()
    w = np.array([1.0, 0.0, 1.5])  # 2 T I2 < |L|^2: turns about the largest axis, or the smallest
    T2, L2 = I1 * w[0] ** 2 + I3 * w[2] ** 2, (I1 * w[0]) ** 2 + (I3 * w[2]) ** 2
    assert L2 > T2 * I2
    t = np.linspace(0.0, 20.0, 201)
    rate = np.sqrt((I1 - I2) * (L2 - T2 * I3) / (I1 * I2 * I3))
    m = (I2 - I3) * (T2 * I1 - L2) / ((I1 - I2) * (L2 - T2 * I3))
    sn, cn, dn, _ = ellipj(rate * t, m)
    exact = np.stack(
        [
            np.sqrt((L2 - T2 * I3) / (I1 * (I1 - I3))) * dn,
            -np.sqrt((T2 * I1 - L2) / (I2 * (I1 - I2))) * sn,
            np.sqrt((T2 * I1 - L2) / (I3 * (I1 - I3))) * cn,
        ],
        axis=1,
    )
    assert np.allclose(exact[0], w)
    # the sign of the middle axis is that of Euler's equations
    exact[:, 1] *= np.sign((I3 - I1) * w[2] * w[0]) * -1.0
    run = bough.simulate(model, v={"body": w}, duration=20.0, dt=0.1, order=8)
    np.testing.assert_allclose(run["v.body"], exact, atol=1e-7)
    error = [
        np.abs(
            bough.simulate(model, v={"body": w}, duration=20.0, dt=dt, every=round(0.1 / dt))["v.body"]
            - exact
        ).max()
        for dt in (0.02, 0.01)
    ]
    assert 1.9 < np.log2(error[0] / error[1]) < 2.1


def test_heavy_top() -> None:
    """Against Euler's equations of a top, integrated on their own."""
    model = heavy_top().build()
    start, spin = (np.cos(0.2), np.sin(0.2), 0.0, 0.0), (0.1, 0.2, 20.0)
    I = np.array([0.02 + 0.09, 0.02 + 0.09, 0.03])

    def rate(_: float, y: Array) -> Array:
        w, up = y[:3], y[3:]
        moment = np.cross([0.0, 0.0, 0.3], -9.81 * up)
        return np.concatenate([(np.cross(I * w, w) + moment) / I, np.cross(up, w)])

    R = bough.simulate(model, q={"top": start}, duration=0.0, dt=1.0).rotation("top").as_matrix()[0]
    exact = solve_ivp(
        rate, (0.0, 2.0), np.concatenate([spin, R[2]]), method="DOP853", rtol=1e-12, atol=1e-12
    ).y[:, -1]
    found = bough.simulate(model, q={"top": start}, v={"top": spin}, duration=2.0, dt=0.005, order=6)
    np.testing.assert_allclose(found["v.top"][-1], exact[:3], atol=1e-7)
    np.testing.assert_allclose(found.rotation("top").as_matrix()[-1][2], exact[3:], atol=1e-8)


def test_constraints() -> None:
    """Three balls closed by a point: on the constraints to round-off, and of second order."""
    system = chain(3)
    system.world.tx(0.6).frame("anchor")
    system.add(bough.PointConstraint("link2", "anchor"))
    model = system.build()
    start = model.assemble(q={"b0": (0.4, 0.3, 0.0), "b1": (-0.9, 0.5, 0.1), "b2": (0.3, -0.8, 0.3)})
    assert np.abs(model.constraint(start.q)).max() < 1e-13
    spin = {"b0": (0.5, -0.4, 0.8), "b2": (0.2, 0.4, -0.6)}
    ends = []
    for dt in (0.01, 0.005, 0.0025, 0.00125):
        run = bough.simulate(
            model,
            q=start.q,
            v=model.assemble(q=start.q, v=spin).v,
            duration=0.5,
            dt=dt,
        )
        assert np.abs(run.constraint_error()).max() < 1e-14
        ends.append(run.q[-1])
    errors = [np.abs(model.difference(a, b)).max() for a, b in pairwise(ends)]
    assert np.abs(np.log2(np.array(errors[:-1]) / errors[1:]) - 2.0).max() < 0.1
    exact = bough.simulate(
        model,
        q=start.q,
        v=model.assemble(q=start.q, v=spin).v,
        duration=0.5,
        dt=0.5,
        integrator="dop853",
        stabilization="projection",
    )
    assert np.abs(model.difference(ends[-1], exact.q[-1])).max() < errors[-1]


def test_against_three_hinges() -> None:
    """A ball and Euler angles, away from their lock, come together with dt^2."""
    ball, angles = (bough.System(name) for name in ("ball", "angles"))
    for system, joint in ((ball, "ball"), (angles, "spherical")):
        body = getattr(system.world, joint)("hip").tz(
            -0.4, name="thigh", mass=2.0, inertia=(0.05, 0.06, 0.02)
        )
        getattr(body, joint)("knee").tz(-0.4, name="shin", mass=1.0, inertia=(0.03, 0.03, 0.01))
    models = [system.build() for system in (ball, angles)]
    gaps = []
    for dt in (0.01, 0.005):
        runs = [
            bough.simulate(model, v=v, duration=0.5, dt=dt)
            for model, v in zip(
                models,
                (
                    {"hip": (0.5, 1.0, 0.3), "knee": (-0.2, 0.4, 0.6)},
                    {
                        "hip_rx": 0.5,
                        "hip_ry": 1.0,
                        "hip_rz": 0.3,
                        "knee_rx": -0.2,
                        "knee_ry": 0.4,
                        "knee_rz": 0.6,
                    },
                ),
                strict=True,
            )
        ]
        gaps.append(np.abs(runs[0].pose("shin") - runs[1].pose("shin")).max())
    assert gaps[1] < 1e-4
    assert 1.9 < np.log2(gaps[0] / gaps[1]) < 2.1


def test_damped_and_driven() -> None:
    """Damping of balls, a torque in moving axes, springs and dampers between frames, with an input."""
    system = branched()
    system.add(bough.Damping({"trunk": 0.3, "hand": 0.05, "elbow": 0.1}))
    system.add(bough.ConfigurationForce("hand_wz", "torque"))
    system.add(bough.LinearSpring("palm", "crown", stiffness=20.0, rest_length=0.3))
    system.add(bough.LinearDamper("palm", "crown", 0.4))
    model = system.build()
    q, v = state_of(model, 2)
    options = {"q": q, "v": v, "u": {"torque": 0.4}, "duration": 0.5}
    exact = bough.simulate(model, **options, dt=0.5, integrator="dop853", rtol=1e-12, atol=1e-12)
    errors = [
        np.abs(model.difference(bough.simulate(model, **options, dt=dt).q[-1], exact.q[-1])).max()
        for dt in (0.01, 0.005, 0.0025)
    ]
    assert np.abs(np.log2(np.array(errors[:-1]) / errors[1:]) - 2.0).max() < 0.1


def test_there_and_back() -> None:
    model = branched().build()
    q, v = state_of(model, 7)
    vi = bough.MidpointVI(model, 0.02, tolerance=1e-15)
    state = vi.start(q=q, v=v)
    for _ in range(20):
        state = vi.step(state)
    state = vi.start(q=state.q, p=-np.asarray(state.p))
    for _ in range(20):
        state = vi.step(state)
    assert np.abs(model.difference(q, state.q)).max() < 1e-12


@pytest.mark.parametrize("count", [1, 3, 4, 6])
def test_spins_of_many_sizes_side_by_side(count: int) -> None:
    """Spheres that turn by 2e-4, 0.2, 0.7 and 1.8 rad in a step, each as it would alone."""
    system = bough.System("spheres", gravity=None)
    rates = {f"s{i}": (0.02, 20.0, 70.0, 180.0)[i % 4] * np.array([0.6, 0.0, 0.8]) for i in range(count)}
    for name in rates:
        system.world.ball(name).frame(f"{name} body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    run = bough.simulate(system.build(), v=dict(rates), duration=0.5, dt=0.01)
    assert run.statistics["halvings"] == 0
    for name, rate in rates.items():
        np.testing.assert_allclose(run["v." + name][-1], rate, rtol=0.0, atol=1e-12 * np.linalg.norm(rate))
        turned = Rotation.from_rotvec(0.5 * rate).as_matrix()
        np.testing.assert_allclose(run.rotation(name)[-1].as_matrix(), turned, atol=2e-12)
        np.testing.assert_allclose(np.linalg.norm(run[name], axis=1), 1.0, atol=1e-15)


def test_fast_spin_is_halved() -> None:
    """More than half a turn in a step."""
    system = bough.System("wheel", gravity=None)
    system.world.ball("wheel").frame("rim", mass=1.0, inertia=(0.1, 0.1, 0.2))
    model = system.build()
    run = bough.simulate(model, v={"wheel": (0.0, 0.0, 40.0)}, duration=1.0, dt=0.1)
    assert run.statistics["halvings"] > 0
    np.testing.assert_allclose(run["v.wheel"][:, 2], 40.0, rtol=1e-12)
    angle = 2.0 * np.arctan2(run["wheel_qz"], run["wheel_qw"])
    np.testing.assert_allclose(np.exp(1j * angle), np.exp(40.0j * run.t), atol=1e-11)


def test_tumbling_through_every_orientation() -> None:
    """Near every orientation is one that the hull of a free arm takes, and nothing happens there."""
    model = floating_arm().build()
    v = {"base": (1.0, 0.5, 0.2), "shoulder": (-3.0, 3.0, 1.0), "elbow": -6.0}
    run = bough.simulate(model, v=v, duration=4000.0, dt=0.02, every=10)
    assert run.statistics["halvings"] == run.statistics["coarse"] == 0
    turns = run.rotation("base")
    assert (
        np.abs(np.abs(turns.as_euler("ZYX")[:, 1]) - 0.5 * np.pi).min() < 0.02
    )  # gimbal lock of Euler angles
    nearest = [np.min((turn.inv() * turns).magnitude()) for turn in Rotation.random(60, random_state=0)]
    assert max(nearest) < 0.35
    energy = run.energy()
    assert np.ptp(energy) < 4e-3 * energy[0]
    means = [part.mean() for part in np.array_split(energy, 4)]
    assert np.ptp(means) < 5e-5 * energy[0]
    L, P = run.angular_momentum(), run.linear_momentum()
    assert np.abs(L - L[0]).max() < 1e-14 * np.abs(P).max() * np.abs(run.q).max()


@pytest.mark.verify
def test_a_million_steps() -> None:
    run = run_of(floating_arm(), duration=30000.0, dt=0.03, every=1000)
    lever = np.abs(run.q).max()
    for momentum in (run.linear_momentum(), run.angular_momentum()):
        assert np.abs(momentum - momentum[0]).max() < 1e-12 * lever * np.abs(run.linear_momentum()).max()
    assert np.abs(np.linalg.norm(run["base"], axis=1) - 1.0).max() < 1e-15
