"""Attraction by the inverse square of the distance."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough import CentralGravity, ModelError, System
from support.messages import check_message
from support.potential_checks import assert_energy_kept, assert_potential, random_pairs


def test_derivatives_on_random_trees() -> None:
    def fits(a: np.ndarray, b: np.ndarray) -> bool:
        return bool(np.linalg.norm(a[:3, 3] - b[:3, 3]) > 0.7)

    for system, q, a, b in random_pairs(6, fits):
        for name in {a, b} - {"world"}:
            system.frame(name).mass = 2.0
        kind = CentralGravity(b, a, mu=3.0) if a != "world" else CentralGravity(a, b, mu=3.0)
        system.add(kind)
        assert_potential(system.build(), q)
        if "world" not in (a, b):
            system.add(CentralGravity(a, b, constant=0.7))
            assert_potential(system.build(), q)


def planet(mu: float = 1.0) -> bough.Model:
    system = System("planet", gravity=None)
    body = system.world.tx("x").ty("y", mass=2.5)
    system.add(CentralGravity("world", body, mu=mu))
    return system.build()


def test_kepler_ellipse() -> None:
    """Start at the pericentre with eccentricity e: Kepler's equation gives the position at every time."""
    e = 0.3
    model = planet()
    start = {"q": {"x": 1.0 - e}, "v": {"y": np.sqrt((1.0 + e) / (1.0 - e))}}
    run = bough.simulate(
        model, **start, duration=2.0 * np.pi, dt=np.pi / 50.0, integrator="dop853", rtol=1e-12, atol=1e-12
    )
    E = run.t.copy()
    for _ in range(50):
        E -= (E - e * np.sin(E) - run.t) / (1.0 - e * np.cos(E))
    np.testing.assert_allclose(run["x"], np.cos(E) - e, atol=1e-9)
    np.testing.assert_allclose(run["y"], np.sqrt(1.0 - e**2) * np.sin(E), atol=1e-9)


def test_the_variational_integrator_keeps_the_area_law() -> None:
    """The midpoint rule keeps quadratic invariants: x p_y - y p_x to round-off, over many orbits."""
    run = bough.simulate(planet(), q={"x": 1.0}, v={"y": 1.2}, duration=100.0, dt=0.02)
    area = run["x"] * run.p[:, 1] - run["y"] * run.p[:, 0]
    np.testing.assert_allclose(area, area[0], rtol=1e-11)
    energy = run.energy()
    assert np.abs(energy - energy[0]).max() < 2e-4 * abs(energy[0])


def test_energy() -> None:
    assert_energy_kept(planet(), {"x": 1.0}, {"y": 0.9})


def test_two_bodies_circle_their_centre_of_mass() -> None:
    """omega^2 = G (m1 + m2) / r^3, Kepler's third law, with the centre of mass of one body off its frame."""
    m1, m2, r, G = 3.0, 1.5, 2.0, 0.8
    omega = np.sqrt(G * (m1 + m2) / r**3)
    r1, r2 = r * m2 / (m1 + m2), r * m1 / (m1 + m2)
    system = System("pair", gravity=None)
    first = system.world.tx("x1").ty("y1", mass=m1, com=(0, 0, 0.5))
    second = system.world.tz(0.5).tx("x2").ty("y2", mass=m2)
    system.add(CentralGravity(first, second, constant=G))
    model = system.build()
    run = bough.simulate(
        model,
        q={"x1": -r1, "x2": r2},
        v={"y1": -omega * r1, "y2": omega * r2},
        duration=2.0,
        dt=0.01,
        integrator="dop853",
        rtol=1e-12,
        atol=1e-12,
    )
    np.testing.assert_allclose(run["x2"], r2 * np.cos(omega * run.t), atol=1e-9)
    np.testing.assert_allclose(run["y1"], -r1 * np.sin(omega * run.t), atol=1e-9)
    assert model.potential_energy({"x1": -r1, "x2": r2}) == pytest.approx(-G * m1 * m2 / r, rel=1e-14)


def test_newtons_constant_is_the_default() -> None:
    system = System("spheres", gravity=None)
    a, b = system.world.tx("a", mass=1e3), system.world.tx("b", mass=2e3)
    system.add(CentralGravity(a, b))
    assert system.build().potential_energy({"b": 0.5}) == pytest.approx(-6.6743e-11 * 2e6 / 0.5, rel=1e-14)


def test_coinciding_bodies_fail_loudly() -> None:
    model = planet()
    assert model.potential_energy({}) == -np.inf
    with pytest.raises(ModelError, match="the potential energy is -inf there"):
        bough.simulate(model, q={}, duration=1.0, dt=0.1)


def pair() -> System:
    system = System("pair")
    system.world.tx("x", name="sun", mass=1.0)
    system.world.ty("y", name="earth", mass=1.0)
    system.world.tz(1.0, name="point")
    return system


def built(element: CentralGravity) -> None:
    system = pair()
    system.add(element)
    system.build()


CASES = {
    "unknown frame": (
        lambda: pair().add(CentralGravity("son", "earth")),
        "frame 'son' in field 'a' of CentralGravity",
        "no frame has this name; the nearest is 'sun'",
        "correct the spelling",
    ),
    "one frame": (
        lambda: pair().add(CentralGravity("sun", "sun", mu=1.0)),
        "CentralGravity between 'sun' and 'sun'",
        "both ends are on one frame, so that nothing depends on the configuration",
        "give two different frames",
    ),
    "negative": (
        lambda: CentralGravity("sun", "earth", mu=-1.0),
        "mu=-1.0 in CentralGravity",
        "mu is negative",
        "give mu as zero or more, in m^3/s^2",
    ),
    "both strengths": (
        lambda: CentralGravity("sun", "earth", mu=1.0, constant=2.0),
        "mu=1.0 in CentralGravity",
        "constant=2.0 as well: both say how strong the attraction is",
        "give mu for the pull of a point, or constant for that between two masses",
    ),
    "no mass": (
        lambda: built(CentralGravity("point", "earth")),
        "frame 'point' in CentralGravity",
        "this frame has no mass of its own",
        "name the frame that was given the mass, or give this one a mass",
    ),
    "no mass that is attracted": (
        lambda: built(CentralGravity("earth", "point", mu=2.0)),
        "frame 'point' in CentralGravity",
        "this frame has no mass of its own",
        "name the frame that was given the mass, or give this one a mass",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input(case: str) -> None:
    check_message(*CASES[case])
