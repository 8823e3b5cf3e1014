"""What a variational integrator keeps: the symplectic form, momenta, energy without trend, the way back."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import bough
from support.finite_difference import derivative
from support.mechanisms import CHAIN, assembled, closed_chain, pendulum
from support.random_systems import random_system
from support.transforms import Array

RULES = [("midpoint", 0.5), ("midpoint", 0.25), ("trapezoidal", None)]


def integrator(model: bough.Model, method: str, alpha: float | None, dt: float, **options: Any) -> Any:
    if method == "midpoint":
        return bough.MidpointVI(model, dt, 0.5 if alpha is None else alpha, **options)
    return bough.TrapezoidalVI(model, dt, **options)


# --- the symplectic form ---


@pytest.mark.parametrize(("method", "alpha"), RULES)
@pytest.mark.parametrize("seed", [2, 5])
@pytest.mark.parametrize("springs", [False, True])
@pytest.mark.parametrize(("steps", "options"), [(1, {}), (30, {"tolerance": 1e-13})], ids=["one", "thirty"])
def test_steps_are_symplectic(
    steps: int, options: dict[str, float], seed: int, springs: bool, method: str, alpha: float | None
) -> None:
    """J^T Omega J = Omega for the Jacobian J of (q, p) -> (q1, p1); later steps guess from those before."""
    moving = random_system(
        seed, 3, springs=springs, damping=False, inputs=False, shared=False, kinematic=False
    )
    model = moving.model
    assert model.nd == model.nq == 3
    vi = integrator(model, method, alpha, 0.02, **options)
    p = model.momentum(moving.q, moving.v)

    def flow(x: Array) -> Array:
        state = vi.start(x[:3], p=x[3:])
        for _ in range(steps):
            state = vi.step(state)
        return np.concatenate([state.q, state.p])

    J, error = derivative(flow, np.concatenate([moving.q, p]), step=0.02)
    J = J.T
    omega = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])
    assert np.max(error) < 2e-10  # the finite difference resolves what is claimed
    np.testing.assert_allclose(J.T @ omega @ J, omega, rtol=0, atol=1e-9)


# --- momentum ---

# A configuration moves linearly under a shift of the world, and under its rotation about the axis that turns
# first in the free joint: these momenta a discrete Lagrangian over coordinates keeps exactly.
AXES = ("x", "y", "z")
ROOTS = {
    "x": ("tx", "ty", "tz", "rx", "ry", "rz"),
    "y": ("tx", "ty", "tz", "ry", "rx", "rz"),
    "z": ("tx", "ty", "tz", "rz", "ry", "rx"),
}


def free_tree(axis: str) -> tuple[bough.Model, Array, Array]:
    """A hub that turns stably about an axis, with springy branches of every transform; it drifts slowly.

    Stably: the axis of largest inertia, so that the second angle of the free joint stays far from 90 degrees.
    """
    system = bough.System("free tree", gravity=None)
    frame, a = system.world, AXES.index(axis)
    for kind in ROOTS[axis]:
        frame = getattr(frame, kind)(f"base_{kind}")
    spread = np.array([1.5, 1.2, 1.8])
    spread[a] = 2.6
    hub = frame.fixed(np.eye(4), name="hub", mass=5.0, inertia=spread, com=(0.05, -0.02, 0.03))
    arms = {"upper": ("rx", "tz", "ry"), "lower": ("rz", "tx", "rx", "ty"), "middle": ("ry", "rz")}
    names = []
    for n, (arm, kinds) in enumerate(arms.items()):
        link = hub.fixed(_offset(n))
        for kind in kinds:
            names.append(f"{arm} {kind}{len(names)}")
            link = getattr(link, kind)(names[-1])
            link = link.tx(0.15).tz(-0.1, mass=0.2, inertia=(0.01, 0.02, 0.015), com=(0.02, 0.03, -0.01))
            system.add(bough.ConfigurationSpring(names[-1], 5.0 + n, rest=0.05))
        link.tx(0.1, name=f"tip {arm}")
    system.add(bough.LinearSpring("tip upper", "tip lower", 3.0, 0.4))
    model = system.build()
    rng = np.random.default_rng(a)
    q = np.concatenate([rng.uniform(-0.2, 0.2, 6), rng.uniform(-0.2, 0.2, len(names))])
    v = np.concatenate([rng.uniform(-0.02, 0.02, 3), [1.0, 0.02, -0.02], rng.uniform(-0.3, 0.3, len(names))])
    return model, q, v


def _offset(n: int) -> Array:
    pose = np.eye(4)
    pose[:3, 3] = 0.3 * np.array([np.cos(2.1 * n), np.sin(2.1 * n), 0.5 * n - 0.5])
    return pose


@pytest.mark.parametrize(("method", "alpha"), [("midpoint", 0.5), ("trapezoidal", None)])
@pytest.mark.parametrize("axis", AXES)
def test_momentum_of_a_free_tree(axis: str, method: str, alpha: float | None) -> None:
    model, q, v = free_tree(axis)
    run = bough.simulate(model, q, v, duration=100.0, dt=0.01, every=10, integrator=method, alpha=alpha)
    linear, angular = model.linear_momentum(run.q, run.v), model.angular_momentum(run.q, run.v)
    a = AXES.index(axis)
    # round-off of 10 000 steps, each some 1e-16 of the momenta
    assert run.statistics["steps"] == 10_000
    assert np.max(np.abs(linear - linear[0])) < 1e-11 * np.linalg.norm(linear[0])
    assert np.max(np.abs(angular[:, a] - angular[0, a])) < 1e-11 * np.linalg.norm(angular[0])
    assert np.max(np.ptp(model.center_of_mass(run.q), axis=0)) > 1.0  # it went somewhere
    # about the other axes coordinates turn nonlinearly: kept to second order, with no drift
    assert np.max(np.abs(angular - angular[0])) < 1e-3 * np.linalg.norm(angular[0])


def test_momentum_of_a_plane_tree() -> None:
    """In the plane all coordinates move linearly: every momentum is kept."""
    system = bough.System("plane tree", gravity=None)
    hub = system.world.planar(("x", "y", "turn"), name="hub", mass=2.0, inertia=(0.3, 0.3, 0.5))
    for n in range(3):
        arm = hub.rz(2.1 * n).tx(0.4).rz(f"a{n}").tx(0.5, mass=0.7, inertia=(0.01, 0.02, 0.02))
        arm.rz(f"b{n}").tx(0.3, name=f"tip{n}", mass=0.3, com=(0.05, 0.1, 0.0))
        system.add(bough.LinearSpring(f"tip{n}", "hub", 8.0, 0.6))
    model = system.build()
    rng = np.random.default_rng(8)
    run = bough.simulate(
        model, rng.normal(size=9), rng.normal(size=9), duration=100.0, dt=0.01, every=10, alpha=0.3
    )
    linear, angular = model.linear_momentum(run.q, run.v), model.angular_momentum(run.q, run.v)
    # the angular momentum is a difference of terms as large as distance times linear momentum
    reach = float(np.max(np.abs(model.center_of_mass(run.q)))) * np.linalg.norm(linear[0])
    assert np.max(np.abs(linear - linear[0])) < 1e-11 * np.linalg.norm(linear[0])
    assert np.max(np.abs(angular - angular[0])) < 1e-11 * max(np.linalg.norm(angular[0]), reach)


# --- energy ---


def trend(values: Array, blocks: int) -> tuple[float, float]:
    """Slope over the whole run of a straight line through means of blocks, and its standard error.

    Values near in time are correlated, means of long blocks hardly are.
    """
    means = values[: len(values) // blocks * blocks].reshape(blocks, -1).mean(axis=1)
    t = np.linspace(-0.5, 0.5, blocks)
    slope = float(t @ means / (t @ t))
    rest = means - means.mean() - slope * t
    return slope, float(np.sqrt(rest @ rest / (blocks - 2) / (t @ t)))


def check_energy(steps: int, method: str) -> None:
    model = pendulum(5)
    run = bough.simulate(model, {"q0": np.pi / 4}, duration=0.01 * steps, dt=0.01, every=5, integrator=method)
    energy = run.energy()
    error = energy - energy[0]
    depth = energy[0] - model.potential_energy(np.zeros(5))  # above the lowest energy there is
    # bounded: the error is of order dt^2 and as large in the first quarter as in the last
    quarters = [float(np.max(np.abs(part))) for part in np.array_split(error, 4)]
    assert max(quarters) < 1e-3 * depth
    assert max(quarters) < 3.0 * min(quarters)
    slope, uncertain = trend(error, 40)
    # no trend: four standard errors are exceeded by chance in one run of some thousand
    assert abs(slope) < 4.0 * uncertain, f"slope {slope:.2e}, standard error {uncertain:.2e}"


@pytest.mark.parametrize("method", ["midpoint", "trapezoidal"])
def test_energy_of_a_pendulum(method: str) -> None:
    check_energy(20_000, method)


@pytest.mark.verify
@pytest.mark.parametrize("method", ["midpoint", "trapezoidal"])
def test_energy_of_a_pendulum_over_200_000_steps(method: str) -> None:
    check_energy(200_000, method)


# --- constraints ---


@pytest.mark.parametrize("method", ["midpoint", "trapezoidal"])
def test_closed_chain_for_120_seconds(method: str) -> None:
    """The device of [JM09] Fig. 6 from a lifted start: constraints at every step, energy without growth."""
    model = closed_chain()
    with warnings.catch_warnings():  # the energy below is on either side of the 5 % that are warned of
        warnings.simplefilter("ignore", bough.CoarseStepWarning)
        run = bough.simulate(model, model.assemble(q=CHAIN).q, duration=120.0, dt=0.01, integrator=method)
    assert len(run) == 12_001
    error = np.abs(model.constraint(run.q)) / model.constraint_scale(run.q)
    assert np.max(error) <= 1e-12
    # velocities lie on the constraints, to their round-off
    Dh = model.constraint_dq(run.q)
    speed = np.max(np.abs(run.v), axis=1)
    drift = np.abs(np.einsum("rcn,rn->rc", Dh, run.v))
    assert np.max(drift / speed.max()) < 1e-12
    # chaotic, with sharp turns where lam grows twentyfold in three steps: dt = 0.01 leaves some percent
    # of the 19 J that the device can fall by; a root that belongs to another motion costs many times that
    # (over starts that differ by round-off, and both builds of the core: 0.3 to 2.6 J)
    energy = run.energy()
    assert np.max(np.abs(energy - energy[0])) < 3.0


# --- the way back ---


def check_reversal(
    model: bough.Model,
    q: Array,
    v: Array,
    steps: int,
    method: str,
    alpha: float | None,
    left: float = 1e-15,
    **options: float,
) -> None:
    """Back with the momenta reversed (and 1 - alpha for alpha): the adjoint method.

    `left` is the error that one step leaves in a configuration.
    """
    dt = 0.01
    settings: dict[str, Any] = {"duration": steps * dt, "dt": dt, "integrator": method, **options}
    forward = bough.simulate(model, q, v, **settings, alpha=alpha)
    back_alpha = None if alpha is None else 1.0 - alpha
    back = bough.simulate(model, forward.q[-1], p=-forward.p[-1], **settings, alpha=back_alpha)
    # what a small change of the middle becomes on the way back tells how much round-off may grow
    nudge = 1e-8 * np.random.default_rng(0).normal(size=model.nd)
    other = bough.simulate(
        model, forward.q[-1], p=-forward.p[-1] * (1.0 + nudge), **settings, alpha=back_alpha
    )
    growth = float(np.max(np.abs(other.q - back.q))) / 1e-8
    error = float(np.max(np.abs(back.q[::-1] - forward.q)))
    assert error < left * steps * max(growth, 1.0), f"error {error:.1e}, growth {growth:.1e}"
    # a velocity is a difference of configurations over dt; momenta also hold impulses of the constraints
    np.testing.assert_allclose(back.v[-1], -forward.v[0], rtol=0, atol=10.0 * max(error, 1e-14) / dt)


@pytest.mark.parametrize(("method", "alpha"), RULES)
def test_reversal_of_a_tree(method: str, alpha: float | None) -> None:
    moving = random_system(5, 6, damping=False, inputs=False, kinematic=False)
    check_reversal(moving.model, moving.q, moving.v, 500, method, alpha)


@pytest.mark.parametrize(("method", "alpha"), RULES)
def test_reversal_of_a_pendulum(method: str, alpha: float | None) -> None:
    model = pendulum(5)
    check_reversal(model, np.array([0.6, 0.1, 0.0, -0.1, 0.0]), np.zeros(5), 1000, method, alpha)


@pytest.mark.parametrize("method", ["midpoint", "trapezoidal"])
@pytest.mark.parametrize("tolerance", [1e-13, 1e-15])
def test_reversal_with_constraints(method: str, tolerance: float) -> None:
    """What is left in h becomes a velocity of that over dt. 1e-15 is met as well as round-off allows."""
    model = closed_chain()
    tight = {"tolerance": min(1e-12, 10.0 * tolerance), "constraint_tolerance": tolerance}
    q = assembled(model, CHAIN)
    check_reversal(model, q, np.zeros(7), 500, method, None, left=tolerance / 0.01, **tight)
