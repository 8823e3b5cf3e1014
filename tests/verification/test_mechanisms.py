"""Loops with redundant rows, and motions through configurations where rows lose their rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from scipy.integrate import solve_ivp

import bough
from support.mechanisms import assembled
from support.transforms import Array

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
METHODS = pytest.mark.parametrize("method", ["midpoint", "trapezoidal"])


def four_bar(axes: list[Any], *, rods: tuple[float, float, float] = (0.5, 1.2, 0.9)) -> bough.Model:
    """Crank, coupler and rocker in the plane y = 0, pivots 1 m apart; the loop is closed along `axes`."""
    system = bough.System("four-bar")
    crank, coupler, rocker = rods
    first = system.world.ry("crank")
    first.tz(-crank / 2, mass=1.0, inertia=(0.02, 0.02, 0.01))
    second = first.tz(-crank).ry("coupler")
    second.tz(-coupler / 2, mass=2.0, inertia=(0.2, 0.2, 0.01))
    second.tz(-coupler, name="end")
    third = system.world.tx(1.0).ry("rocker")
    third.tz(-rocker / 2, mass=1.5, inertia=(0.1, 0.1, 0.01))
    third.tz(-rocker, name="tip")
    for axis in axes:
        system.add(bough.PointConstraint("end", "tip", axis=axis))
    return system.build()


CLOSED = {"crank": 0.4, "coupler": -1.5, "rocker": 0.2}


def moved(model: bough.Model, method: str, duration: float = 10.0) -> bough.Trajectory:
    q = assembled(four_bar([X, Z]), CLOSED)
    return bough.simulate(model, q, {"crank": 2.0}, duration=duration, dt=0.005, integrator=method)


# --- redundant rows ---


@METHODS
@pytest.mark.parametrize(
    "axes",
    [[X, Y, Z], [X, X, Z], [X, Z, (1, 0, 1)], [X, Y, Z, X, Y, Z]],
    ids=["three rows in space", "one row twice", "a sum of rows", "all rows twice"],
)
def test_redundant_rows_change_nothing(axes: list[Any], method: str) -> None:
    plain, redundant = moved(four_bar([X, Z]), method), moved(four_bar(axes), method)
    assert redundant.status == "finished"
    assert np.ptp(plain["crank"]) > 1.0  # it moves
    np.testing.assert_allclose(redundant.q, plain.q, rtol=0, atol=1e-9)
    # the same forces in all: what two rows do is shared by the others
    size = float(np.max(np.abs(plain.lam)))
    directions = np.array([np.array(axis) / np.linalg.norm(axis) for axis in axes], dtype=float)
    together = redundant.lam @ directions
    np.testing.assert_allclose(together[:-1, [0, 2]], plain.lam[:-1], rtol=0, atol=1e-6 * size)
    # least norm: nothing across the plane, equal shares of equal rows
    across = [n for n, axis in enumerate(axes) if axis == Y]
    assert np.all(np.abs(redundant.lam[:, across]) < 1e-9 * size)
    if axes[0] == axes[1]:
        np.testing.assert_allclose(redundant.lam[:-1, 0], redundant.lam[:-1, 1], rtol=0, atol=1e-6 * size)


def test_redundant_rows_of_the_continuous_dynamics() -> None:
    plain, redundant = four_bar([X, Z]), four_bar([X, Y, Z])
    q = assembled(plain, CLOSED)
    runs = [
        bough.simulate(model, q, {"crank": 2.0}, duration=1.0, dt=0.01, integrator="dop853")
        for model in (plain, redundant)
    ]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(runs[0].lam, runs[1].lam[:, [0, 2]], rtol=0, atol=1e-6)


# --- through a configuration where rank is lost ---

MASS, SPIN, SLIDER, LENGTH, GRAVITY = 1.0, 0.1, 0.5, 1.0, 9.81


def slider_crank() -> bough.Model:
    """Crank and rod of equal length, the end of the rod on a horizontal rail through the crank's pivot.

    With the crank at angle a from below the rod stands at pi - a, and the slider at x = -2 L sin(a). At a = 0
    rod and crank lie on each other and the row of the constraint is zero.
    """
    system = bough.System("slider-crank")
    crank = system.world.ry("crank")
    crank.tz(-LENGTH / 2, mass=MASS, inertia=(SPIN,) * 3)
    rod = crank.tz(-LENGTH).ry("rod")
    rod.tz(-LENGTH / 2, mass=MASS, inertia=(SPIN,) * 3)
    rod.tz(-LENGTH, name="slider", mass=SLIDER)
    system.add(bough.PointConstraint("slider", system.world.frame("rail"), axis=Z))
    return system.build()


def slider_crank_rate(t: float, y: Array) -> Array:
    """One degree of freedom: T = m(a) a'^2 / 2, V = -MASS g L cos(a)."""
    a, rate = y
    c, s = np.cos(a), np.sin(a)
    inertia = MASS * LENGTH**2 * (0.25 + 2.25 * c**2 + 0.25 * s**2) + 2 * SPIN + 4 * SLIDER * LENGTH**2 * c**2
    slope = -2.0 * c * s * (2.0 * MASS + 4.0 * SLIDER) * LENGTH**2
    return np.array([rate, (-0.5 * slope * rate**2 - MASS * GRAVITY * LENGTH * s) / inertia])


def check_crossing(method: str, duration: float, dt: float) -> None:
    model = slider_crank()
    a = 1.0
    run = bough.simulate(
        model, {"crank": a, "rod": np.pi - 2 * a}, duration=duration, dt=dt, integrator=method
    )
    crossings = np.count_nonzero(np.diff(np.sign(run["crank"])))
    assert crossings >= duration / 3
    exact = solve_ivp(slider_crank_rate, (0, duration), (a, 0.0), "DOP853", run.t, rtol=1e-12, atol=1e-12).y[
        0
    ]
    branch = run["rod"] + 2 * run["crank"] - np.pi
    energy = run.energy()
    swing = MASS * GRAVITY * LENGTH * (1 - np.cos(a))
    # on its branch: the row leaves the rod's angle undetermined at the crossing to the root of its round-off
    assert np.max(np.abs(branch)) < 1e-7
    assert np.max(np.abs(energy - energy[0])) < 1e-4 * swing
    # second order of the method, over the run
    np.testing.assert_allclose(run["crank"], exact, rtol=0, atol=2.0 * duration * dt**2)


@METHODS
def test_slider_through_zero_and_back(method: str) -> None:
    check_crossing(method, 10.0, 0.005)


@pytest.mark.verify
@METHODS
def test_slider_through_zero_and_back_for_two_minutes(method: str) -> None:
    check_crossing(method, 120.0, 0.002)


@METHODS
def test_parallelogram_through_its_flat_configurations(method: str) -> None:
    """Equal opposite rods, turning: flat twice a turn, where it could fold into an antiparallelogram."""
    system = bough.System("parallelogram", gravity=None)
    ends = []
    for n, place in enumerate((0.0, 1.0)):
        crank = system.world.tx(place).ry(f"crank{n}")
        crank.tz(-0.3, mass=1.0, inertia=(0.1, 0.1, 0.1))
        ends.append(crank.tz(-0.6))
    coupler = ends[0].ry("coupler")
    coupler.tx(0.5, mass=2.0, inertia=(0.1, 0.2, 0.2))
    tip = coupler.tx(1.0, name="tip")
    end = ends[1].frame("end")
    for axis in (X, Z):
        system.add(bough.PointConstraint(tip, end, axis=axis))
    model = system.build()
    rate = 2.0
    run = bough.simulate(
        model,
        {},
        {"crank0": rate, "crank1": rate, "coupler": -rate},
        duration=20.0,
        dt=0.01,
        integrator=method,
    )
    # the coupler is carried in parallel: the inertia is constant and so is the rate
    np.testing.assert_allclose(run["crank0"], rate * run.t, rtol=0, atol=1e-3)
    np.testing.assert_allclose(run["crank1"], run["crank0"], rtol=0, atol=1e-5)
    np.testing.assert_allclose(run["coupler"], -run["crank0"], rtol=0, atol=1e-5)
    energy = run.energy()
    assert np.max(np.abs(energy - energy[0])) < 1e-4 * energy[0]


# --- an overconstrained mechanism ---


def bricard(rows: list[int] | None = None) -> bough.Model:
    """Six hinges, each at right angles to the next: one degree of freedom where counting gives none.

    Five of them are joints, the sixth is closed by two points on its axis, with three rows each, of which
    four are independent; `rows` takes some of the six.
    """
    system = bough.System("Bricard")
    frame, quarter = system.world, np.pi / 2
    for n in range(5):
        link = frame.rz(f"q{n}")
        link.tx(0.5, mass=1.0, inertia=(0.02, 0.1, 0.1))
        frame = link.tx(1.0).rx(quarter if n % 2 == 0 else -quarter)
    # the same hinge seen from the ground: one link back from the first
    ground = system.world.rx(quarter).tx(-1.0)
    pairs = [(frame, ground), (frame.tz(0.7), ground.tz(0.7))]
    everything = [(a, b, axis) for a, b in pairs for axis in (X, Y, Z)]
    for n in range(6) if rows is None else rows:
        a, b, axis = everything[n]
        system.add(bough.PointConstraint(a, b, axis=axis))
    return system.build()


@METHODS
def test_bricard_mechanism(method: str) -> None:
    model = bricard()
    q = model.assemble(q=dict(zip(model.variables, BRICARD, strict=True))).q
    Dh = model.constraint_dq(q)
    values = np.linalg.svd(Dh)[1]
    assert np.count_nonzero(values > 1e-9) == 4, values
    run = bough.simulate(model, q, duration=5.0, dt=0.005, integrator=method)
    assert np.max(np.ptp(run.q, axis=0)) > 0.5  # it moves
    assert np.max(np.abs(model.constraint(run.q)) / model.constraint_scale(run.q)) <= 1e-12
    energy = run.energy()
    swing = np.max(model.kinetic_energy(run.q, run.v))
    assert np.max(np.abs(energy - energy[0])) < 1e-3 * swing
    # four rows that suffice give the same motion
    pivots = scipy.linalg.qr(Dh.T, pivoting=True)[2][:4]
    plain = bough.simulate(bricard(sorted(pivots)), q, duration=5.0, dt=0.005, integrator=method)
    np.testing.assert_allclose(run.q, plain.q, rtol=0, atol=1e-9)


BRICARD = (1.44, -1.68, 1.44, -1.68, 1.44)
