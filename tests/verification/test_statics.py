"""Equilibria do not depend on masses; forces cancel and the energy is least there, by poses alone.

Some are compared with SciPy and with long damped motions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import optimize

import bough
from bough import (
    BeamElement,
    ConfigurationSpring,
    DistanceConstraint,
    LinearSpring,
    PointConstraint,
    PointForce,
)
from support.transforms import Array

# --- stiff and soft, heavy and light ---


def cantilever(inertia: float, mass: float = 1e-3, elements: int = 10) -> bough.Model:
    """A beam of 1 m and E I = 1 N m^2 under 0.01 N at its tip."""
    system = bough.System("cantilever", gravity=None)
    node: bough.Frame = system.world
    h = 1.0 / elements
    for i in range(1, elements + 1):
        body = {"mass": mass, "inertia": (inertia,) * 3}
        last, node = node, system.world.tx(i * h).tx(f"u{i}").tz(f"w{i}").ry(f"turn{i}", **body)
        system.add(BeamElement(last, node, h, axial=1e4, bending=1.0))
    system.add(PointForce(node, fz=-0.01))
    return system.build()


@pytest.mark.parametrize("inertia", [1e-3, 1e-7, 1e-9, 1e-14])
def test_the_deflection_of_a_cantilever_does_not_depend_on_its_inertia(inertia: float) -> None:
    """P L^3 / 3 E I, less 4/35 (P L^2 / E I)^2 of it: the first term of the elastica."""
    model = cantilever(inertia)
    rest = model.equilibrium()
    assert rest.stable
    assert rest.q[-2] == pytest.approx(-0.01 / 3.0 * (1.0 - 4.0 / 35.0 * 0.01**2), rel=1e-7)
    # the slowest vibration by the compliance, whose largest eigenvalue it is
    still = np.zeros(model.nq)
    compliance = np.linalg.solve(-model.L_dqdq(rest.q, still), model.mass_matrix(rest.q))
    assert rest.eigenvalues[0] == pytest.approx(1.0 / np.linalg.eigvals(compliance).real.max(), rel=1e-5)


@pytest.mark.parametrize("stiffness", [(1.0, 1e8), (1e8, 1.0), (1e-3, 1e7)])
@pytest.mark.parametrize("masses", [(1.0, 1.0), (1e-6, 1.0), (1.0, 1e-6)])
def test_two_springs_in_series(stiffness: tuple[float, float], masses: tuple[float, float]) -> None:
    system = bough.System("series", gravity=None)
    first = system.world.tx("x", name="first", mass=masses[0])
    second = system.world.tx("y", name="second", mass=masses[1])
    system.add(LinearSpring("world", first, stiffness[0]))
    system.add(LinearSpring(first, second, stiffness[1]))
    system.add(PointForce(second, fx=1e-3))
    rest = system.build().equilibrium({"x": 1.0, "y": 2.0})
    x = 1e-3 / stiffness[0]
    # q is known to 2e-16, the force of the stiff spring to as much of its stiffness
    known = 1e-15 * max(1.0, stiffness[1] / stiffness[0])
    np.testing.assert_allclose(rest.q, [x, x + 1e-3 / stiffness[1]], rtol=known)
    assert rest.stable


# --- random systems ---


def random_system(seed: int, mass_factor: float = 1.0, damping: float = 0.0) -> tuple[bough.Model, Array]:
    """Joints with springs, springs between bodies, loads, loops, stiffnesses over four orders; a start."""
    rng = np.random.default_rng(seed)
    system = bough.System(f"random {seed}", gravity=None)
    n = int(rng.integers(3, 8))
    bodies: list[bough.Frame] = [system.world]
    for i in range(n):
        parent = bodies[int(rng.integers(max(0, len(bodies) - 3), len(bodies)))]
        joint = str(rng.choice(["rx", "ry", "rz", "tx", "ty", "tz"], p=[0.25, 0.25, 0.2, 0.1, 0.1, 0.1]))
        x, y, z = rng.normal(size=3).tolist()
        mass, inertia = mass_factor * 10.0 ** rng.uniform((-2, -3), (0, -1))
        frame = getattr(parent, joint)(f"q{i}").tx(0.5 * x).ty(0.5 * y).tz(0.5 * z, name=f"b{i}")
        frame.mass, frame.inertia = float(mass), tuple(float(inertia) * np.array([1.0, 1.1, 1.2]))
        bodies.append(frame)
        system.add(PointForce(frame, fx=float(rng.normal()), fz=float(-(10.0 ** rng.uniform(-2, 1)))))
        stiffness, rest = 10.0 ** rng.uniform(-2, 2), rng.normal()
        system.add(ConfigurationSpring(f"q{i}", float(stiffness), rest=float(0.3 * rest)))
    a, b = rng.choice(n, 2, replace=False).tolist()
    system.add(LinearSpring(f"b{a}", f"b{b}", float(10.0 ** rng.uniform(-2, 2)), 0.4))
    if damping:
        system.add(bough.Damping(damping))
    q = 0.4 * rng.normal(size=n)
    open_chain = system.build()
    for k in range(int(rng.integers(0, 3))):
        body = f"b{int(rng.integers(0, n))}"
        away = rng.normal(size=3)
        x, y, z = (open_chain.pose(body, q)[:3, 3] + away).tolist()
        anchor = system.world.tx(x).ty(y).tz(z, name=f"anchor{k}")
        if rng.random() < 0.5:
            axis = np.cross(away, rng.normal(size=3))
            system.add(PointConstraint(body, anchor, axis=tuple((axis / np.linalg.norm(axis)).tolist())))
        else:
            system.add(DistanceConstraint(body, anchor, length=float(np.linalg.norm(away))))
    return system.build(), q


def energies(model: bough.Model, q: Array) -> Array:
    """The energy of each spring and load, by poses alone, (..., elements)."""
    places = {name: model.pose(name, q)[..., :3, 3] for name in model.frames if name[0] in "wb"}
    found = []
    for element in model.system.elements:
        if isinstance(element, ConfigurationSpring):
            found.append(
                0.5 * element.stiffness * (q[..., model.index(element.variable)] - element.rest) ** 2
            )
        elif isinstance(element, LinearSpring):
            length = np.linalg.norm(places[str(element.a)] - places[str(element.b)], axis=-1)
            found.append(0.5 * element.stiffness * (length - element.rest_length) ** 2)
        elif isinstance(element, PointForce):
            found.append(-places[str(element.frame)] @ np.array([element.fx, element.fy, element.fz]))
    return np.stack(found, axis=-1)


def energy(model: bough.Model, q: Array) -> Any:
    """The energy of springs and loads."""
    return energies(model, np.asarray(q)).sum(axis=-1)


def constraints(model: bough.Model, q: Array) -> Array:
    """The rows of the constraints, by poses alone, (..., nc)."""
    rows: list[Array] = []
    for element in model.system.elements:
        if isinstance(element, PointConstraint | DistanceConstraint):
            apart = model.pose(str(element.a), q)[..., :3, 3] - model.pose(str(element.b), q)[..., :3, 3]
            if isinstance(element, PointConstraint):
                rows.append(apart @ np.array(element.axis))
            else:
                rows.append(np.linalg.norm(apart, axis=-1) - element.length)
    return np.stack(rows, axis=-1) if rows else np.zeros((*q.shape[:-1], 0))


OFFSETS, WEIGHTS = (1, 2, 3, -1, -2, -3), np.array([45.0, -9.0, 1.0, -45.0, 9.0, -1.0]) / 60.0


def slope(f: Callable[[Array], Array], q: Array, e: float) -> Array:
    """df/dq at one q by differences of sixth order, (..., n); f takes many q at once."""
    steps = e * np.maximum(1.0, np.abs(q))
    values = f(q + np.multiply.outer(OFFSETS, np.diag(steps)))  # (6, n, ...)
    return np.moveaxis(np.tensordot(WEIGHTS, values, 1), 0, -1) / steps


class Check(NamedTuple):
    """An equilibrium looked at through energies and constraints that are made of poses alone."""

    along: Array  # directions in which the constraints let go, as columns
    lam: Array  # the constraint forces that leave least of the slope of the energy
    left: float  # of the slope of the energy, relative to the sum of its terms
    curvature: Array  # eigenvalues along the constraints, of energy and constraint forces
    doubt: float  # by how much differences may be off in them


def checked(model: bough.Model, q: Array) -> Check:
    each, D = slope(lambda x: energies(model, x), q, 1e-3), slope(lambda x: constraints(model, x), q, 1e-3)
    g = each.sum(axis=0)
    rank = int((np.linalg.svd(D, compute_uv=False) > 1e-6).sum()) if model.nc else 0
    along = np.linalg.svd(D)[2][rank:].T if model.nc else np.eye(model.nq)
    lam = np.linalg.lstsq(D.T, g, rcond=1e-6)[0] if model.nc else np.zeros(0)
    terms = np.abs(each).sum(axis=0) + np.abs(D).T @ np.abs(lam)

    def lagrangian(x: Array) -> Array:
        return np.asarray(energy(model, x) - constraints(model, x) @ lam)

    def rest(x: Array) -> Array:
        return np.stack([slope(lagrangian, row, 1e-2) for row in x.reshape(-1, model.nq)]).reshape(x.shape)

    curvature = slope(rest, q, 1e-2)
    values = np.linalg.eigvalsh(along.T @ (0.5 * (curvature + curvature.T)) @ along)
    return Check(
        along, lam, float(np.abs(g - D.T @ lam).max() / terms.max()), values, 1e-9 * np.abs(curvature).max()
    )


def restored(model: bough.Model, q: Array) -> Array | None:
    """A configuration near q where the constraints hold."""
    for _ in range(30):
        h = constraints(model, q)
        if np.abs(h).max(initial=0.0) < 1e-13:
            return q
        D = slope(lambda x: constraints(model, x), q, 1e-3)
        q = q - np.linalg.lstsq(D, h, rcond=1e-6)[0]
    return None


def check_random(seed: int) -> None:
    """Forces cancel, the energy is least around, and the masses do not matter.

    There may be other configurations at rest, some with less energy: only what is near is compared.
    """
    model, start = random_system(seed)
    rest = model.equilibrium(start)
    assert rest.has_potential
    for factor in (1e-6, 1e5):
        other = random_system(seed, factor)[0].equilibrium(start)
        np.testing.assert_allclose(other.q, rest.q, rtol=0, atol=1e-12)
        np.testing.assert_allclose(other.lam, rest.lam, rtol=1e-9, atol=1e-10)
    q = np.asarray(rest.q)
    assert np.abs(constraints(model, q)).max(initial=0.0) < 1e-12
    found = checked(model, q)
    assert found.left < 1e-8
    if found.along.shape[1] == model.nq - model.nc:  # else the forces of rows that depend on each other
        np.testing.assert_allclose(
            rest.lam, found.lam, rtol=0, atol=1e-7 * np.abs(found.lam).max(initial=1.0)
        )
    assert found.curvature[0] > found.doubt  # so that it is known to be stable
    assert rest.stable
    rng, least = np.random.default_rng(seed), energy(model, q)
    tried = 0
    for size in (1e-2, 1e-3):
        for _ in range(10):
            way = found.along @ rng.normal(size=found.along.shape[1])
            near = restored(model, q + size * way / max(np.linalg.norm(way), 1e-300))
            if near is not None and 1e-1 * size < np.linalg.norm(near - q) < 3.0 * size:
                tried += 1
                assert energy(model, near) > least
    assert tried >= 10


def check_against_scipy(seed: int) -> None:
    """The minimum that SciPy finds near an equilibrium, if the rows are independent there."""
    model, start = random_system(seed)
    rest = model.equilibrium(start)
    found = optimize.minimize(
        lambda q: energy(model, q),
        rest.q + 0.02 * np.random.default_rng(seed).normal(size=model.nq),
        method="SLSQP",
        constraints=[{"type": "eq", "fun": model.constraint, "jac": model.constraint_dq}] if model.nc else [],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert found.success
    # SciPy's gradient is a difference of energies: 1e-8 of them, which moves the softest joint by 1e-4.
    assert energy(model, rest.q) <= found.fun + 1e-9 * max(1.0, abs(found.fun))
    np.testing.assert_allclose(found.x, rest.q, atol=1e-3)


@pytest.mark.parametrize("seed", range(12))
def test_random_springs_and_loops_against_scipy(seed: int) -> None:
    check_against_scipy(seed)


@pytest.mark.parametrize("seed", [*range(12), 21, 94, 246])
def test_random_springs_and_loops(seed: int) -> None:
    """Among them one of two rows that depend on each other, and one with less energy elsewhere."""
    check_random(seed)


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(12, 300))
def test_many_random_springs_and_loops(seed: int) -> None:
    check_random(seed)


@pytest.mark.parametrize("seed", [1, 4])
def test_a_damped_motion_ends_in_the_equilibrium(seed: int) -> None:
    model, start = random_system(seed, damping=0.3)
    rest = model.equilibrium(start)
    pushed = model.assemble(rest.q + 0.05 * np.cos(np.arange(model.nq))).q
    run = bough.simulate(model, q=pushed, duration=400.0, dt=0.02, every=100)
    np.testing.assert_allclose(run.q[-1], rest.q, atol=1e-6)


# --- neutral directions ---


@pytest.mark.parametrize("seed", range(6))
def test_a_free_frame_of_springs_is_neutral(seed: int) -> None:
    """Six masses in the plane, joined by springs that do not fit: three motions of the whole cost nothing."""
    rng = np.random.default_rng(seed)
    system = bough.System("frame", gravity=None)
    places = rng.normal(size=(6, 2))
    bodies = [system.world.tx(f"x{i}").tz(f"z{i}", name=f"b{i}", mass=1.0) for i in range(6)]
    for i in range(6):
        for j in range(i):
            length = float(np.linalg.norm(places[i] - places[j]) * rng.uniform(0.9, 1.1))
            system.add(LinearSpring(bodies[i], bodies[j], float(10.0 ** rng.uniform(-3, 3)), length))
    rest = system.build().equilibrium(places.ravel() + 0.05 * rng.normal(size=12))
    assert rest.stability == "neutral"
    np.testing.assert_allclose(rest.eigenvalues[:3], 0.0, atol=1e-12 * rest.eigenvalues[-1])
    assert rest.eigenvalues[3] > 0.0


@pytest.mark.parametrize("seed", range(6))
def test_a_loop_on_a_vertical_axis_is_neutral(seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = bough.System("carousel")
    base = system.world.rz("yaw", mass=1.0, inertia=(1.0, 1.0, 1.0))
    base.tx(0.3).ry("a").tz(-0.5, mass=1.0).ry("b").tz(-0.6, name="left", mass=1.0)
    base.tx(-0.2).ry("c").tz(-0.7, name="right", mass=2.0)
    system.add(DistanceConstraint("left", "right", float(rng.uniform(0.3, 0.8))))
    system.add(LinearSpring("left", base, float(10.0 ** rng.uniform(-2, 5)), 0.5))
    model = system.build()
    start = model.assemble(0.5 * rng.normal(size=4)).q
    rest = model.equilibrium(start)
    assert rest.stability == "neutral"
    assert rest.q[0] == pytest.approx(start[0], abs=1e-9)  # nothing turns it
