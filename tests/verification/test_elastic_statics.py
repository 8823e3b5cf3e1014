"""Cables and beams at rest against the formulas of continua: value and order of convergence."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, root

import bough
from bough import BeamElement, ConfigurationSpring, Gravity, LinearSpring, PointConstraint, System
from support.transforms import Array


def at_rest(model: bough.Model, q: Array) -> bough.Equilibrium:
    """The stable equilibrium near q."""
    found = model.equilibrium(q)
    assert found.stable
    return found


def orders(errors: list[float]) -> list[float]:
    """The order of convergence between each two successive halvings of the elements."""
    return [float(np.log2(coarse / fine)) for coarse, fine in itertools.pairwise(errors)]


# --- a cable between two supports ---

SPAN, RISE, LENGTH, WEIGHT, EA = 1.0, 0.2, 1.3, 3.0, 40.0  # unstretched length, weight per metre of it


def catenary(s: Array) -> tuple[Array, tuple[float, float]]:
    """Points of the elastic catenary at unstretched lengths s, and the force (H, V) on its upper end.

    With the tension (H, w s - R) at s and its size T(s):
    x = H/w [asinh((w s - R)/H) + asinh(R/H)] + H s / EA,  z = [T - T(0)] / w + [T^2 - T(0)^2] / (2 EA w)
    """

    def point(s: Array, H: float, R: float) -> Array:
        vertical = WEIGHT * s - R
        T, T0 = np.hypot(H, vertical), np.hypot(H, R)
        x = H / WEIGHT * (np.arcsinh(vertical / H) + np.arcsinh(R / H)) + H * s / EA
        return np.stack([x, (T - T0) / WEIGHT + (T**2 - T0**2) / (2.0 * EA * WEIGHT)], axis=-1)

    end = root(lambda y: point(np.array(LENGTH), *y) - (SPAN, RISE), [1.0, 1.0], tol=1e-14)
    assert end.success
    H, R = end.x
    return point(s, H, R), (H, WEIGHT * LENGTH - R)


def cable_of_points(n: int) -> tuple[bough.Model, Array]:
    """Masses joined by springs, each with its own two coordinates; and a start on the catenary."""
    h = LENGTH / n
    system = System("cable", gravity=(0, 0, -1.0))
    node: bough.Frame = system.world
    for i in range(1, n):
        mass = system.world.tx(f"x{i}").tz(f"z{i}", mass=WEIGHT * h)
        system.add(LinearSpring(node, mass, EA / h, h))
        node = mass
    end = system.world.tx(SPAN).tz(RISE)
    system.add(LinearSpring(node, end, EA / h, h))
    return system.build(), catenary(np.linspace(0.0, LENGTH, n + 1)[1:-1])[0].ravel()


def nodes_of_points(n: int) -> Array:
    model, start = cable_of_points(n)
    return at_rest(model, start).q.reshape(-1, 2)


def test_a_cable_converges_to_the_elastic_catenary_with_order_two() -> None:
    errors = []
    for n in (8, 16, 32, 64):
        exact = catenary(np.linspace(0.0, LENGTH, n + 1)[1:-1])[0]
        errors.append(float(np.abs(nodes_of_points(n) - exact).max()))
    assert errors[-1] < 1e-4
    assert orders(errors) == pytest.approx([2.0] * 3, abs=0.05)


def test_a_constrained_chain_of_stretching_links_is_the_same_cable() -> None:
    """Links (angle, length) as in the papers, constrained at the far end: same shape, and the support."""
    n, h = 16, LENGTH / 16
    system = System("chain", gravity=(0, 0, -1.0))
    node: bough.Frame = system.world
    for i in range(n):
        mass = {"mass": WEIGHT * h * (1.0 if i < n - 1 else 0.5)}
        node = node.ry(f"turn{i}").tx(f"length{i}", **mass)
        system.add(ConfigurationSpring(f"length{i}", EA / h, h))
    end = system.world.tx(SPAN).tz(RISE)
    rows = [system.add(PointConstraint(node, end, axis=axis)) for axis in ((1, 0, 0), (0, 0, 1))]
    model = system.build()
    assert model.nc == len(rows)

    points, force = catenary(np.linspace(0.0, LENGTH, n + 1))
    sides = np.diff(points, axis=0)
    turns = np.diff(-np.arctan2(sides[:, 1], sides[:, 0]), prepend=0.0)
    start = np.stack([turns, np.hypot(*sides.T)], axis=-1).ravel()
    found = at_rest(model, start)
    q, lam = found.q, found.lam

    lengths, angles = q[1::2], np.cumsum(q[::2])
    nodes = np.cumsum(lengths[:, None] * np.stack([np.cos(angles), -np.sin(angles)], axis=-1), axis=0)
    np.testing.assert_allclose(nodes[:-1], nodes_of_points(n), atol=1e-10)
    # half a link's weight hangs on the support itself
    np.testing.assert_allclose(lam, force, rtol=2e-3)


# --- a cantilever ---

L, EI = 2.0, 5.0


def cantilever(
    n: int, tip: dict[str, object], load: tuple[float, float, float], axial: float = 1e4
) -> bough.Model:
    """n elements in the plane of x and z; a tip of 1 kg under a gravity of its own is a load."""
    h = L / n
    system = System("cantilever", gravity=None)
    node: bough.Frame = system.world
    for i in range(1, n + 1):
        body = (
            {"mass": 1e-3, "inertia": (1e-3, 1e-3, 1e-3)} if i < n else {"inertia": (1e-3, 1e-3, 1e-3), **tip}
        )
        last, node = (
            node,
            system.world.tx(i * h).tx(f"u{i}").tz(f"w{i}").ry(f"turn{i}", name=f"node{i}", **body),
        )
        system.add(BeamElement(last, node, h, axial, EI))
    system.add(Gravity(load, node))
    return system.build()


def linear(model: bough.Model) -> Array:
    """The answer to the load by the stiffness of the straight beam."""
    zero = np.zeros(model.nq)
    return np.linalg.solve(-np.asarray(model.L_dqdq(zero, zero)), model.L_dq(zero, zero))


@pytest.mark.parametrize("n", [1, 2, 7])
def test_a_load_at_the_tip_gives_the_deflection_of_euler_and_bernoulli_exactly(n: int) -> None:
    """w = P L^3 / 3EI, slope P L^2 / 2EI: the element holds all cubics. Turning about y lowers the tip."""
    P = 0.7
    q = linear(cantilever(n, {"mass": 1.0}, (0, 0, -P)))
    u, w, turn = q[-3:]
    assert (u, w, turn) == pytest.approx(
        (0.0, -P * L**3 / (3 * EI), P * L**2 / (2 * EI)), rel=1e-9, abs=1e-12
    )


def test_own_weight_converges_with_order_two() -> None:
    """w = w0 L^4 / 8EI. Lumped weight lacks the moment w0 h^2 / 12 at the tip: 1 + h^2 / 3 L^2 times."""
    w0, errors = 0.4, []
    exact = -w0 * L**4 / (8 * EI)
    for n in (2, 4, 8, 16):
        h = L / n
        system = System("cantilever", gravity=(0, 0, -1.0))
        node: bough.Frame = system.world
        for i in range(1, n + 1):
            last, node = (
                node,
                system.world.tx(i * h)
                .tx(f"u{i}")
                .tz(f"w{i}")
                .ry(f"turn{i}", mass=w0 * h * (1.0 if i < n else 0.5), inertia=(1e-3, 1e-3, 1e-3)),
            )
            system.add(BeamElement(last, node, h, 1e4, EI))
        tip = linear(system.build())[-2]
        assert tip == pytest.approx(exact * (1.0 + (h / L) ** 2 / 3.0), rel=1e-9)
        errors.append(abs(tip - exact))
    assert orders(errors) == pytest.approx([2.0] * 3, abs=1e-6)


def elastica(P: float, axial: float) -> Array:
    """(x, z, turn) of the tip of a beam that bends and stretches by any amount, by shooting.

    turn' = M / EI,  r' = (1 + F.t / EA) t,  M' = (F x r')_y,  M(L) = 0;  t = (cos, -sin) of the turn about y.
    """

    def slope(s: float, y: Array) -> list[float]:
        t = np.array([np.cos(y[2]), -np.sin(y[2])])
        dr = (1.0 + np.array([0.0, -P]) @ t / axial) * t
        return [*dr, y[3] / EI, -P * dr[0]]

    def end(M: float) -> Array:
        return np.asarray(
            solve_ivp(slope, (0, L), [0, 0, 0, M], method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
        )

    return end(brentq(lambda M: end(M)[3], 0.0, P * L, xtol=1e-13))[:3]


def test_large_deflections_converge_to_the_elastica_with_order_two() -> None:
    """A load of 3 EI / L^2 bends the tip down by more than half the length."""
    P, axial = 3.0 * EI / L**2, 400.0
    exact = elastica(P, axial)
    assert exact[1] < -0.55 * L
    errors = []
    for n in (4, 8, 16, 32):
        model = cantilever(n, {"mass": 1.0}, (0, 0, -P), axial)
        u, w, turn = at_rest(model, np.zeros(model.nq)).q[-3:]
        errors.append(float(np.abs(np.array([L + u, w, turn]) - exact).max()))
    assert errors[-1] < 1e-3
    assert orders(errors) == pytest.approx([2.0] * 3, abs=0.1)


def test_bending_about_two_axes_and_torsion_in_space() -> None:
    """A tip load beside the axis: P L^3 / 3EI in either plane, and a twist P e L / GJ."""
    EIy, EIz, GJ, n, e = 5.0, 8.0, 3.0, 3, 0.2
    load = np.array([0.0, 0.6, -0.9]) * 1e-6
    system = System("space", gravity=None)
    node: bough.Frame = system.world
    for i in range(1, n + 1):
        com = {"com": (0, e, 0)} if i == n else {}
        last, node = (
            node,
            system.world.tx(i * L / n).free(f"n{i}", name=f"n{i}", mass=1.0, inertia=(0.1, 0.1, 0.1), **com),
        )
        system.add(BeamElement(last, node, L / n, 1e3, (EIy, EIz), GJ))
    system.add(Gravity(load, node))
    model = system.build()
    q = dict(zip(model.variables, linear(model), strict=True))
    assert q[f"n{n}_ty"] == pytest.approx(load[1] * L**3 / (3 * EIz), rel=1e-5)
    assert q[f"n{n}_tz"] == pytest.approx(load[2] * L**3 / (3 * EIy), rel=1e-5)
    assert q[f"n{n}_rx"] == pytest.approx(load[2] * e * L / GJ, rel=1e-5)
