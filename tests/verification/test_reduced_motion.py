"""The reduced integrator against closed forms, other integrators and its own conservation laws."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj

import bough
from support.free_bodies import discrete_momentum, rigid_body, satellite
from support.random_trees import random_tree
from support.transforms import cross_matrix

KINDS = ("cayley", "exp")
XI = (0.4, 1.5, -0.6, 0.05, 0.02, -0.03)
V = {"yaw": 0.5, "pitch": -0.8, "elbow": 1.0}


def orders(errors):
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def simulate(model, duration, dt, tau="cayley", alpha=0.5, every=1, **start):
    vi = bough.ReducedVI(model, dt, alpha, tau)
    return bough.simulate(model, vi.start(**start), integrator=vi, duration=duration, every=every)


# --- conservation ---


@pytest.mark.parametrize("tau", KINDS)
@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5])
def test_momentum_of_the_discrete_motion(tau, alpha):
    """All six components, from poses and shapes alone; round-off of poses, 1e-16, is divided by dt."""
    run = simulate(satellite().build(), 5.0, 0.01, tau, alpha, xi=XI, v=V)
    momentum = discrete_momentum(run, alpha, tau)
    size = np.abs(momentum[0]).max()
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-12 * size)
    np.testing.assert_allclose(momentum, run.mu[:-1], atol=1e-12 * size)


@pytest.mark.verify
@pytest.mark.parametrize("tau", KINDS)
def test_a_hundred_thousand_steps(tau):
    """Momentum 1e-12, poses orthonormal to 1e-13, energy bounded without trend.

    Springs in the joints (an inner potential) and a centre of mass at rest keep all numbers small: velocities
    are differences of poses and angles here, whose round-off is divided by dt.
    """
    system = satellite()
    for name in V:
        system.add(bough.ConfigurationSpring(name, stiffness=3.0))
    model = system.build()
    moving = simulate(model, 0.01, 0.01, tau, xi=(*XI[:3], 0, 0, 0), v=V)
    run = simulate(model, 1000.0, 0.01, tau, xi=(*XI[:3], *(-moving.mu[0, 3:] / model.total_mass)), v=V)
    assert run.statistics["steps"] == 100_000
    momentum = discrete_momentum(run, 0.5, tau)
    size = np.abs(momentum[0, :3]).max()
    assert np.abs(momentum - momentum[0]).max() <= 1e-12 * size
    assert np.abs(run.mu - run.mu[0]).max() <= 1e-15 * size
    R = run.g[:, :3, :3]
    assert np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max() <= 1e-13
    energy = run.energy()
    fine = simulate(
        model, 20.0, 0.005, tau, xi=(*XI[:3], *(-moving.mu[0, 3:] / model.total_mass)), v=V
    ).energy()
    # Bounded by what a run of a fiftieth of the length at half the step shows, times four for the step and a
    # little more: a drift would show fifty-fold.
    assert np.ptp(energy) <= 6.0 * np.ptp(fine)


@pytest.mark.parametrize("tau", KINDS)
def test_energy_error_is_of_second_order(tau):
    model = satellite().build()
    errors = []
    for dt in (0.02, 0.01, 0.005):
        energy = simulate(model, 4.0, dt, tau, xi=XI, v=V).energy()
        errors.append(np.ptp(energy))
    assert (orders(errors) > 1.85).all()


# --- order, closed forms ---


@pytest.mark.parametrize("tau", KINDS)
@pytest.mark.parametrize(("alpha", "order"), [(0.5, 2), (0.2, 1), (1.0, 1)])
def test_order(tau, alpha, order):
    model = satellite((0.3, -0.2, -1.0)).build()
    fine = simulate(model, 1.0, 0.0005, tau, 0.5, xi=XI, v=V)
    errors = []
    for dt in (0.02, 0.01, 0.005):
        run = simulate(model, 1.0, dt, tau, alpha, xi=XI, v=V)
        errors.append(np.abs(run.q[-1] - fine.q[-1]).max() + np.abs(run.mu[-1] - fine.mu[-1]).max())
    np.testing.assert_allclose(orders(errors), order, atol=0.15)


def elliptic(t, inertia, energy, momentum):
    """Angular velocity in body axes of a torque-free body with I1 < I2 < I3 and M^2 > 2 E I2 [Landau, 37]."""
    I1, I2, I3 = inertia
    E2, M2 = 2 * energy, momentum**2
    rate = np.sqrt((I3 - I2) * (M2 - E2 * I1) / (I1 * I2 * I3))
    k2 = (I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1))
    sn, cn, dn, _ = ellipj(rate * t, k2)
    return np.stack(
        [
            np.sqrt((E2 * I3 - M2) / (I1 * (I3 - I1))) * cn,
            np.sqrt((E2 * I3 - M2) / (I2 * (I3 - I2))) * sn,
            np.sqrt((M2 - E2 * I1) / (I3 * (I3 - I1))) * dn,
        ],
        axis=-1,
    )


@pytest.mark.parametrize("tau", KINDS)
def test_torque_free_body_is_jacobi_elliptic(tau):
    inertia = (1.0, 2.0, 3.0)
    model = rigid_body(inertia)
    w0 = np.array([0.9, 0.0, 1.1])
    energy = 0.5 * np.dot(inertia, w0**2)
    momentum = np.linalg.norm(inertia * w0)
    assert momentum**2 > 2 * energy * inertia[1]
    errors = []
    for dt in (0.04, 0.02, 0.01):
        run = simulate(model, 20.0, dt, tau, xi=(*w0, 0, 0, 0))
        errors.append(np.abs(run.xi[:, :3] - elliptic(run.t, inertia, energy, momentum)).max())
    np.testing.assert_allclose(orders(errors), 2.0, atol=0.1)


@pytest.mark.parametrize("tau", KINDS)
def test_steady_spin_and_drift_are_exact(tau):
    """About a principal axis through the centre of mass; Cayley turns by 2 atan(h w/2) a step."""
    run = simulate(rigid_body(), 10.0, 0.05, tau, xi=(0, 0, 2.0, 0.3, 0, 0))
    momentum = run.mu[0]
    np.testing.assert_allclose(run.xi[:, :3], [[0, 0, 2.0]] * len(run), atol=1e-12)
    np.testing.assert_allclose(run.q[:, 0], 0.3 * run.t, atol=0.02)
    np.testing.assert_allclose(momentum, [0, 0, 6.0, 0.6, 0, 0], atol=1e-14)


# --- potentials and forces, against independent truths ---

MASS, INERTIA, COM = 1.0, np.diag([0.02, 0.02, 0.01]), np.array([0.0, 0.0, 0.3])
STIFFNESS, GRAVITY = 400.0, np.array([0.0, 0.0, -9.81])


def newton_euler(t, x):
    """The top below at its centre of mass: position, velocity, rotation, angular velocity in the body."""
    c, v, R, w = x[:3], x[3:6], x[6:15].reshape(3, 3), x[15:]
    pull = -STIFFNESS * (c - R @ COM)
    torque = np.cross(-COM, R.T @ pull)
    spin = np.linalg.solve(INERTIA, torque - np.cross(w, INERTIA @ w))
    return np.r_[v, GRAVITY + pull / MASS, (R @ cross_matrix(w)).ravel(), spin]


@pytest.mark.parametrize("tau", KINDS)
def test_heavy_top_against_a_converged_reference(tau):
    """A free top whose point hangs on a spring in the origin, nutating through large angles."""
    system = bough.System("top", gravity=tuple(GRAVITY))
    point = system.world.free("base", name="point", mass=MASS, inertia=INERTIA, com=COM)
    system.add(bough.LinearSpring(point, system.world.frame("origin"), stiffness=STIFFNESS, rest_length=0.0))
    model = system.build()
    start = np.eye(4)
    start[:3, :3] = bough.Retraction("exp")(np.array([0.6, 0.0, 0.0]))
    w = np.array([0.0, 0.5, 15.0])
    R = start[:3, :3]
    x0 = np.r_[R @ COM, R @ np.cross(w, COM), R.ravel(), w]
    truth = solve_ivp(newton_euler, (0, 1.0), x0, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    errors = []
    for dt in (0.004, 0.002, 0.001):
        run = simulate(model, 1.0, dt, tau, g=start, xi=(*w, 0, 0, 0))
        centre = run.g[-1] @ np.r_[COM, 1.0]
        errors.append(
            np.abs(run.g[-1, :3, :3] - truth[6:15].reshape(3, 3)).max() + np.abs(centre[:3] - truth[:3]).max()
        )
    np.testing.assert_allclose(orders(errors), 2.0, atol=0.15)
    assert errors[-1] < 2e-2


def with_forces():
    system = satellite((0.2, 0.1, -0.5))
    anchor = system.world.fixed([[1, 0, 0, 2], [0, 1, 0, 1], [0, 0, 1, -1], [0, 0, 0, 1]], name="anchor")
    system.add(bough.LinearSpring("tip", anchor, stiffness=3.0, rest_length=0.5))
    system.add(bough.TorsionSpring("body", "tip", stiffness=0.5))
    system.add(bough.LinearDamper("body", anchor, 0.4))
    system.add(bough.Drag("tip", 0.3))
    system.add(bough.BodyWrench("body", fx="thrust", tz=0.4))
    system.add(bough.HybridWrench("tip", fy=0.2))
    system.add(bough.SpatialWrench("body", tx=0.1))
    system.add(bough.PointForce("tip", fx=0.1, fz=0.2))
    system.add(bough.Damping({"yaw": 0.1, "elbow": 0.2}))
    system.add(bough.ConfigurationForce("pitch", "motor"))
    system.add(bough.ConfigurationSpring("elbow", stiffness=2.0))
    return system.build()


def test_forces_against_the_other_integrators():
    model = with_forces()
    start = bough.ReducedVI(model, 0.01).start(xi=XI, v=V)
    u = {"thrust": 2.0, "motor": -0.7}
    truth = bough.simulate(
        model, q=start.q, v=start.v, duration=1.0, dt=0.1, integrator="dop853", rtol=1e-11, atol=1e-12, u=u
    )
    errors, differences = [], []
    for dt in (0.02, 0.01, 0.005):
        run = bough.simulate(model, start, integrator="reduced", duration=1.0, dt=dt, u=u)
        errors.append(np.abs(run.q[-1] - truth.q[-1]).max())
        assert run.statistics["iterations"] <= 2.2 * run.statistics["steps"]
        midpoint = bough.simulate(model, q=start.q, v=start.v, duration=1.0, dt=dt, u=u)
        differences.append(np.abs(run.q[-1] - midpoint.q[-1]).max())
    np.testing.assert_allclose(orders(errors), 2.0, atol=0.1)
    np.testing.assert_allclose(orders(differences), 2.0, atol=0.15)


def test_newton_converges_quadratically():
    """From rest as the guess of a fast step: an error in any derivative would leave linear convergence."""
    models = [with_forces(), *(random_tree(seed, 5, floating=True).system().build() for seed in range(6))]
    for model in models:
        for tau in KINDS:
            vi = bough.ReducedVI(model, 0.02, 0.4, tau, max_halvings=0)
            rates = np.full(len(model.shape_variables), 0.7)
            rates[len(rates) - model.nk :] = 0.0
            begin = vi.of_state(vi.start(xi=XI, v=rates))
            stepper = vi.new_stepper()
            stepper.start(0.0, begin.g, begin.r, begin.mu, begin.p, np.zeros_like(begin.z))
            u = np.full((1, model.nu), 0.5)
            status, _, _, iterations, *_ = stepper.run(
                1, 0.02, np.zeros((0, model.nk)), u, 1, 0, *vi.buffers(1), 0
            )
            assert status == 0
            assert iterations <= 5


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_converge_to_the_midpoint_rule(seed):
    """Shared and kinematic variables, twists, branches, gravity; the base stays away from gimbal lock."""
    model = random_tree(seed, 5, floating=True).system().build()
    generator = np.random.default_rng(seed)
    q, v = 0.4 * generator.normal(size=model.nq), 0.3 * generator.normal(size=model.nq)
    q[model.nd :] = v[model.nd :] = 0.0
    k = {name: (lambda t, i=i: 0.2 * np.sin((1 + i) * t)) for i, name in enumerate(model.kinematic)} or None
    differences = []
    for dt in (0.02, 0.01, 0.005):
        ends = [
            bough.simulate(model, q=q, v=v, k=k, duration=0.5, dt=dt, integrator=name).q[-1]
            for name in ("reduced", "midpoint")
        ]
        differences.append(np.abs(ends[0] - ends[1]).max())
    np.testing.assert_allclose(orders(differences), 2.0, atol=0.2)


def test_arm_on_a_fixed_base():
    """No base: the trapezoidal rule in r alone, second order."""
    system = bough.System("arm")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-0.7, mass=0.6)
    system.add(bough.Damping(0.1))
    model = system.build()
    q = {"shoulder": 1.2, "forearm": 0.4}
    truth = bough.simulate(model, q=q, duration=1.0, dt=0.1, integrator="dop853", rtol=1e-12, atol=1e-12)
    errors = [
        np.abs(
            bough.simulate(model, q=q, duration=1.0, dt=dt, integrator="reduced").q[-1] - truth.q[-1]
        ).max()
        for dt in (0.02, 0.01, 0.005)
    ]
    np.testing.assert_allclose(orders(errors), 2.0, atol=0.1)
    same = bough.simulate(model, q=q, duration=1.0, dt=0.01, integrator="trapezoidal")
    run = bough.simulate(model, q=q, duration=1.0, dt=0.01, integrator="reduced")
    np.testing.assert_allclose(run.q, same.q, atol=1e-9)


# --- no singular orientation ---


@pytest.mark.parametrize("tau", KINDS)
def test_through_gimbal_lock(tau):
    """A turn about y meets gimbal lock exactly; the angles go on, and nothing happens to the motion."""
    run = simulate(rigid_body(), np.pi, np.pi / 400, tau, xi=(0, 2.0, 0, 0, 0, 0))
    np.testing.assert_allclose(np.diff(run["base_ry"]), np.diff(run["base_ry"])[0], atol=1e-9)
    np.testing.assert_allclose(run.pose("body"), run.g, atol=1e-12)
    np.testing.assert_allclose(run.energy(), run.energy()[0], rtol=1e-12)


@pytest.mark.parametrize("tau", KINDS)
def test_tumbling_through_every_orientation(tau):
    """From a hundred orientations, among them gimbal lock, the motion is the same but for a turn."""
    model = satellite().build()
    plain = simulate(model, 1.0, 0.02, tau, xi=XI, v=V)
    generator = np.random.default_rng(1)
    turns = [
        np.array([0, np.pi / 2, 0]),
        np.array([0, -np.pi / 2, 0]),
        *generator.uniform(-3.1, 3.1, (100, 3)),
    ]
    for turn in turns:
        g = np.eye(4)
        g[:3, :3] = bough.Retraction("exp")(turn)
        run = simulate(model, 1.0, 0.02, tau, g=g, xi=XI, v=V)
        np.testing.assert_allclose(run.g, g @ plain.g, atol=1e-12)
        np.testing.assert_allclose(run["elbow"], plain["elbow"], atol=1e-12)
        np.testing.assert_allclose(run.pose("body"), run.g, atol=1e-12)


@pytest.mark.parametrize("turn", [(0, np.pi / 2, 0), (0, -np.pi / 2, 0), (2.0, 1.0, -1.5)])
def test_forces_do_not_care_about_the_orientation(turn):
    """The world turned with everything in it, into gimbal lock: the same motion, turned."""
    R = bough.Retraction("exp")(np.array(turn))
    g = np.eye(4)
    g[:3, :3] = R

    def moved(pose):
        gravity = pose[:3, :3] @ [0.3, -0.2, -2.0]
        system = satellite(tuple(gravity))
        anchor = system.world.fixed(pose).tx(1.5, name="anchor")
        system.add(bough.LinearSpring("tip", anchor, stiffness=3.0, rest_length=0.5))
        system.add(bough.LinearDamper("body", anchor, 0.4))
        system.add(bough.Drag("tip", 0.3))
        return simulate(system.build(), 1.0, 0.01, g=pose, xi=XI, v=V)

    plain, turned = moved(np.eye(4)), moved(g)
    np.testing.assert_allclose(turned.g, g @ plain.g, atol=1e-12)
    np.testing.assert_allclose(turned.energy(), plain.energy(), rtol=1e-11)


def test_zero_momentum_moves_the_base_by_the_connection():
    """g1 = g0 tau(-h A u): (6) of [K] with its sign corrected."""
    model = satellite().build()
    at = model.reduced({}, order=0)
    u = np.array([0.5, -0.8, 1.0])
    run = simulate(model, 2.0, 0.02, xi=-at.A @ u, v=u)
    r = run.q[:, [model.index(name) for name in model.shape_variables]]
    A = model.connection(r)
    h = 0.02
    steps = bough.Retraction("cayley")(np.einsum("bij,bj->bi", -(A[:-1] + A[1:]) / 2, np.diff(r, axis=0)))
    np.testing.assert_allclose(run.mu, 0.0, atol=1e-13)
    np.testing.assert_allclose(run.g[:-1] @ steps, run.g[1:], atol=1e-14 / h)
