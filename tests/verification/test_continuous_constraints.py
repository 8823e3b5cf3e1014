"""Constraints in continuous time: closed forms, the same motion in other coordinates, drift and its cures."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.integrators import scipy_run as _continuous
from bough.model.projection import projected
from support.mechanisms import closed_chain

G, MASS, LENGTH = 9.81, 1.3, 0.8
ACCURATE = {"integrator": "dop853", "rtol": 1e-12, "atol": 1e-13}
SCIPY = ["dop853", "rk45", "rk23", "radau", "bdf", "lsoda"]


def bead(*axes: str, length: object = LENGTH) -> bough.Model:
    """A point mass on a rigid wire that hangs from the origin."""
    system = bough.System("bead")
    frame = system.world
    for axis in axes:
        frame = getattr(frame, f"t{axis}")(axis)
    frame.frame("bead")
    frame.mass = MASS
    system.add(bough.DistanceConstraint("bead", "world", length, name="wire"))
    return system.build()


def pendulum(length: object = LENGTH) -> bough.Model:
    """The same in its own coordinate; the angle is zero below the origin."""
    system = bough.System("pendulum")
    system.world.ry("angle").tz(length, ratio=-1.0, name="bob", mass=MASS)
    return system.build()


def four_bar(axes: tuple[tuple[float, float, float], ...]) -> bough.Model:
    """A planar loop, closed along some directions."""
    system = bough.System("four-bar")
    crank = system.world.ry("crank").tz(1.0, mass=1.0)
    crank.ry("coupler").tx(2.0, name="end", mass=1.5)
    system.world.tx(2.0).ry("rocker").tz(1.2, name="rocker end", mass=0.7)
    for axis in axes:
        system.add(bough.PointConstraint("end", "rocker end", axis=axis))
    return system.build()


PLANAR = ((1, 0, 0), (0, 0, 1))


def on_wire(angle: float, rate: float, length: float = LENGTH) -> tuple[list[float], list[float]]:
    """Place and velocity (x, z) of the bead at an angle of the pendulum."""
    s, c = np.sin(angle), np.cos(angle)
    return [-length * s, -length * c], [-length * rate * c, length * rate * s]


# --- the same motion in other coordinates, and closed forms ---


def test_bead_moves_as_the_pendulum():
    q, v = on_wire(2.5, 0.3)
    settings = {"duration": 5.0, "dt": 0.01, **ACCURATE}
    wire = bough.simulate(bead("x", "z"), q, v, stabilization="projection", **settings)
    turning = bough.simulate(pendulum(), [2.5], [0.3], **settings)
    angle, rate = turning["angle"], turning.v[:, 0]
    assert np.abs(wire["x"] + LENGTH * np.sin(angle)).max() < 1e-9
    assert np.abs(wire["z"] + LENGTH * np.cos(angle)).max() < 1e-9
    assert np.abs(wire.energy() - turning.energy()).max() < 1e-9
    # the tension of the wire, which lam counts negative
    tension = MASS * (G * np.cos(angle) + LENGTH * rate**2)
    assert tension.min() < 0.0 < tension.max()  # the rigid wire pushes as well as it pulls
    assert np.abs(wire.lam[:, 0] + tension).max() < 1e-7 * tension.max()


def test_multiplier_is_the_tension_at_any_state():
    model = bead("x", "z")
    random = np.random.default_rng(1)
    for angle, rate in random.uniform(-3.0, 3.0, (20, 2)):
        q, v = on_wire(angle, rate)
        a, lam = model.acceleration_and_multipliers(q, v)
        tension = MASS * (G * np.cos(angle) + LENGTH * rate**2)
        assert lam[0] == pytest.approx(-tension, abs=1e-12 * MASS * (G + LENGTH * rate**2))
        angular = -G / LENGTH * np.sin(angle)
        expected = np.array(on_wire(angle, angular)[1]) - rate**2 * np.array(q)
        assert np.allclose(a, expected, rtol=0, atol=1e-12 * (G + rate**2))


def test_conical_pendulum():
    """On a circle at angle b from the vertical: rate² = g / (L cos b), tension m g / cos b."""
    b = 0.6
    radius, rate = LENGTH * np.sin(b), np.sqrt(G / (LENGTH * np.cos(b)))
    run = bough.simulate(
        bead("x", "y", "z"),
        [radius, 0.0, -LENGTH * np.cos(b)],
        [0.0, radius * rate, 0.0],
        duration=5.0,
        **ACCURATE,
        stabilization="projection",
    )
    assert np.abs(run["x"] - radius * np.cos(rate * run.t)).max() < 1e-9
    assert np.abs(run["y"] - radius * np.sin(rate * run.t)).max() < 1e-9
    assert np.abs(run.lam[:, 0] + MASS * G / np.cos(b)).max() < 1e-8


def test_wire_of_prescribed_length():
    def length(t: float) -> float:
        return 1.0 + 0.2 * np.sin(3.0 * t)

    # at the start the length grows at 0.6 m/s
    q, v = on_wire(0.7, 0.0, 1.0)
    v = (np.array(v) + 0.6 * np.array(q)).tolist()
    k = {"wire length": length}
    settings = {"k": k, "duration": 3.0, "dt": 0.01, **ACCURATE}
    given = bough.kinematic("wire length")
    wire = bough.simulate(
        bead("x", "z", length=given), [*q, 1.0], [*v, 0.6], stabilization="projection", **settings
    )
    turning = bough.simulate(pendulum(given), {"angle": 0.7, "wire length": 1.0}, **settings)
    angle, rate, L = turning["angle"], turning.v[:, 0], length(turning.t)
    assert np.abs(wire["x"] + L * np.sin(angle)).max() < 1e-9
    assert np.abs(wire["z"] + L * np.cos(angle)).max() < 1e-9
    second = -1.8 * np.sin(3.0 * turning.t)
    tension = MASS * (G * np.cos(angle) + L * rate**2 - second)
    assert np.abs(wire.lam[:, 0] + tension)[3:-3].max() < 1e-6  # near the ends a spline is less accurate
    assert np.abs(wire.lam[:, 0] + tension).max() < 1e-3


# --- forces of constraints ---


def states(model: bough.Model, count: int = 10) -> list[bough.State]:
    random = np.random.default_rng(2)
    return [
        model.assemble(random.uniform(-1.0, 1.0, model.nq), v=random.normal(size=model.nq))
        for _ in range(count)
    ]


@pytest.mark.parametrize("mechanism", ["closed chain", "four-bar"])
def test_equation_of_motion_and_virtual_power(mechanism: str):
    model = four_bar(PLANAR) if mechanism == "four-bar" else closed_chain()
    random = np.random.default_rng(3)
    for state in states(model):
        q, v = state.q, state.v
        force = random.normal(size=model.nq)
        a, lam = model.acceleration_and_multipliers(q, v, force=force)
        rows = model.constraint_dq(q)
        scale = np.abs(model.inverse_dynamics(q, v, a)).max() + np.abs(rows.T @ lam).max()
        # d/dt L_dv - L_dq = force + Dh^T lam
        left = model.inverse_dynamics(q, v, a) - force - rows.T @ lam
        assert np.abs(left).max() < 1e-12 * scale
        # the accelerations keep the constraints
        rate = rows @ a + np.einsum("cij,i,j->c", model.constraint_dqdq(q), v, v)
        assert np.abs(rate).max() < 1e-12 * (np.abs(rows) @ np.abs(a) + v @ v).max()
        # no power in any motion that the constraints allow, the actual one included
        allowed = np.linalg.svd(rows)[2][model.nc :].T
        assert np.abs(allowed.T @ rows.T @ lam).max() < 1e-12 * scale
        assert abs(v @ rows.T @ lam) < 1e-12 * scale * np.abs(v).max()


def test_damping_is_all_that_takes_energy():
    system = closed_chain().system
    system.add(bough.Damping(0.3))
    model = system.build()
    for state in states(model):
        a = model.acceleration(state.q, state.v)
        step = 1e-4
        ends = [
            model.energy(state.q + sign * step * state.v + 0.5 * step**2 * a, state.v + sign * step * a)
            for sign in (-1.0, 1.0)
        ]
        power = -0.3 * state.v @ state.v
        assert (ends[1] - ends[0]) / (2.0 * step) == pytest.approx(power, rel=1e-4, abs=1e-4)


# --- redundant rows ---


@pytest.mark.parametrize(
    "more",
    [
        ((0, 1, 0),),  # out of the plane: a row of zeros
        ((1, 0, 0), (0, 0, 1)),  # everything twice
        ((0, 1, 0), (1, 0, 1), (1, 0, -1)),
    ],
)
def test_redundant_rows_change_nothing_but_lam(more: tuple[tuple[float, float, float], ...]):
    model, redundant = four_bar(PLANAR), four_bar(PLANAR + more)
    for state in states(model):
        a, lam = model.acceleration_and_multipliers(state.q, state.v)
        a2, lam2 = redundant.acceleration_and_multipliers(state.q, state.v)
        scale = np.abs(a).max() + 1.0
        assert np.abs(a2 - a).max() < 1e-11 * scale
        force = model.constraint_dq(state.q).T @ lam
        rows = redundant.constraint_dq(state.q)
        assert np.abs(rows.T @ lam2 - force).max() < 1e-11 * (1.0 + np.abs(force).max())


@pytest.mark.parametrize("copies", [2, 3])
def test_least_norm_multipliers(copies: int):
    model, redundant = four_bar(PLANAR), four_bar(PLANAR * copies)
    for state in states(model):
        _, lam = model.acceleration_and_multipliers(state.q, state.v)
        _, lam2 = redundant.acceleration_and_multipliers(state.q, state.v)
        # the force is shared evenly
        assert np.allclose(
            lam2, np.tile(lam / copies, copies), rtol=0, atol=1e-11 * (1.0 + np.abs(lam).max())
        )
        least = np.linalg.pinv(redundant.constraint_dq(state.q).T) @ redundant.constraint_dq(state.q).T @ lam2
        assert np.allclose(lam2, least, rtol=0, atol=1e-11 * (1.0 + np.abs(lam).max()))


def test_redundant_rows_give_the_same_motion():
    start = four_bar(PLANAR).assemble({"crank": 0.3})
    settings = {"duration": 3.0, "stabilization": "projection", **ACCURATE}
    run = bough.simulate(four_bar(PLANAR), start, **settings)
    more = bough.simulate(four_bar((*PLANAR, (0, 1, 0), (1, 0, 1))), start, **settings)
    assert np.abs(run.q - more.q).max() < 1e-9


# --- drift ---


def drift(
    stabilization: object, method: str = "rk45", duration: float = 10.0, dt: float = 0.05
) -> bough.Trajectory:
    q, v = on_wire(2.0, 0.0)
    tolerances = {"rtol": 1e-5, "atol": 1e-7}
    return bough.simulate(
        bead("x", "z"),
        q,
        v,
        duration=duration,
        dt=dt,
        integrator=method,
        stabilization=stabilization,
        **tolerances,
    )


def rates(run: bough.Trajectory) -> np.ndarray:
    return np.einsum("tci,ti->tc", run.model.constraint_dq(run.q), run.v)


def test_without_stabilisation_the_constraint_drifts():
    error = np.abs(drift(None).constraint_error()[:, 0])
    assert error[-1] > 1e-4
    assert error[: len(error) // 4].max() < 0.3 * error[-len(error) // 4 :].max()


@pytest.mark.parametrize("method", SCIPY)
def test_projection(method: str):
    run = drift("projection", method, duration=3.0)
    assert np.abs(run.constraint_error()).max() < 1e-12
    assert np.abs(rates(run)).max() < 1e-12
    assert run.settings["stabilization"] == "projection"
    turning = bough.simulate(pendulum(), [2.0], duration=3.0, dt=0.05, **ACCURATE)
    assert np.abs(run["x"] + LENGTH * np.sin(turning["angle"])).max() < 2e-2
    assert run.rerun() == run


@pytest.mark.parametrize("method", [name for name in SCIPY if name != "dop853"] + ["scipy-dop853"])
def test_projection_between_instants_far_apart(method: str, monkeypatch: pytest.MonkeyPatch):
    """Methods of one step are projected after each of their steps, however far apart the instants are."""
    projections = 0

    def counted(*arguments: object) -> object:
        nonlocal projections
        projections += 1
        return projected(*arguments)

    monkeypatch.setattr(_continuous, "projected", counted)
    run = drift("projection", method, duration=2.0, dt=0.5)
    assert np.abs(run.constraint_error()).max() < 1e-12
    assert run.statistics["steps"] > 8
    assert projections == (4 if method in ("bdf", "lsoda") else run.statistics["steps"])


def test_projection_does_not_change_the_order_of_accuracy():
    errors = []
    for rtol in (1e-6, 1e-8, 1e-10):
        q, v = on_wire(2.0, 0.0)
        run = bough.simulate(
            bead("x", "z"),
            q,
            v,
            duration=3.0,
            dt=0.5,
            integrator="dop853",
            rtol=rtol,
            atol=1e-2 * rtol,
            stabilization="projection",
        )
        turning = bough.simulate(pendulum(), [2.0], duration=3.0, dt=0.5, **ACCURATE)
        errors.append(np.abs(run["x"] + LENGTH * np.sin(turning["angle"])).max())
    assert errors[0] < 1e-4
    assert errors[1] < 1e-6
    assert errors[2] < 1e-8


def test_baumgarte():
    free, held = drift(None), drift(("baumgarte", 10.0, 10.0))
    assert np.abs(held.constraint_error()).max() < 0.01 * np.abs(free.constraint_error()).max()
    assert held.settings["stabilization"] == ["baumgarte", 10.0, 10.0]
    assert held.rerun() == held


def test_baumgarte_is_the_equation_it_says():
    """Off the constraint, h'' + 2 g1 h' + g2² h = 0."""
    model, random = closed_chain(), np.random.default_rng(4)
    for _ in range(5):
        q, v = random.uniform(-1.0, 1.0, 7), random.normal(size=7)
        a = model.acceleration(q, v, baumgarte=(3.0, 5.0))
        h, rows = model.constraint(q), model.constraint_dq(q)
        second = rows @ a + np.einsum("cij,i,j->c", model.constraint_dqdq(q), v, v)
        left = second + 6.0 * rows @ v + 25.0 * h
        assert np.abs(left).max() < 1e-11 * (1.0 + np.abs(rows @ a).max())


@pytest.mark.verify
def test_closed_chain_with_projection_keeps_constraints_and_energy():
    model = closed_chain()
    run = bough.simulate(
        model, {"J": 0.3}, assemble=True, duration=60.0, stabilization="projection", integrator="dop853"
    )
    assert np.abs(run.constraint_error()).max() < 1e-12
    assert np.abs(rates(run)).max() < 1e-11 * (1.0 + np.abs(run.v).max())
    assert np.abs(run.energy() - run.energy()[0]).max() < 1e-6
