"""Springs with any law of force, on one variable."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator
from scipy.special import ellipj

import bough
from bough import ConfigurationSpring, NonlinearConfigurationSpring, System
from support.messages import check_message
from support.potential_checks import assert_energy_kept, assert_potential

TABLE = ((-1.0, -4.0), (-0.2, -0.1), (0.3, 0.1), (1.0, 2.0))


def slide(element: NonlinearConfigurationSpring | ConfigurationSpring | None = None) -> System:
    system = System("slide", gravity=None)
    system.world.tx("x", ratio=1.5, name="bob", mass=1.2).ty("y", mass=0.4)
    if element is not None:
        system.add(element)
    return system


@pytest.mark.parametrize(
    "spring",
    [
        NonlinearConfigurationSpring("x", polynomial=(1.0, 2.0, -3.0, 0.5), rest=0.2),
        NonlinearConfigurationSpring("y", polynomial=(0.0, 2.0, 0.0, 1.0)),
        NonlinearConfigurationSpring("x", table=TABLE, rest=0.4),
    ],
)
def test_derivatives(spring: NonlinearConfigurationSpring) -> None:
    for q in (-2.0, -0.9, 0.1, 0.6, 3.0):
        assert_potential(slide(spring).build(), np.array([q, q]), step=0.01)


def test_a_linear_law_is_the_configuration_spring() -> None:
    options = {"q": {"x": 0.4}, "v": {"x": 1.0}, "duration": 2.0}
    ours = bough.simulate(
        slide(NonlinearConfigurationSpring("x", polynomial=(0, 7), rest=0.1)).build(), **options
    )
    theirs = bough.simulate(slide(ConfigurationSpring("x", 7.0, 0.1)).build(), **options)
    np.testing.assert_allclose(ours.q, theirs.q, rtol=0.0, atol=1e-12)


def test_duffing_oscillator() -> None:
    """M x'' = -k x - c x^3 from rest at A: A cn(w t | mu), w^2 = (k + c A^2) / M, mu = c A^2 / 2 M w^2."""
    k, c, A, M = 3.0, 2.0, 0.9, 1.5**2 * 1.6
    model = slide(NonlinearConfigurationSpring("x", polynomial=(0, k, 0, c))).build()
    run = bough.simulate(
        model, q={"x": A}, duration=6.0, dt=0.05, integrator="dop853", rtol=1e-12, atol=1e-12
    )
    w, mu = np.sqrt((k + c * A**2) / M), c * A**2 / (2.0 * (k + c * A**2))
    np.testing.assert_allclose(run["x"], A * ellipj(w * run.t, mu)[1], atol=1e-9)


def test_a_table_against_scipy() -> None:
    x, force = np.array(TABLE).T
    spline = PchipInterpolator(x, force)
    model = slide(NonlinearConfigurationSpring("x", table=TABLE)).build()
    exact = {"rtol": 1e-11, "atol": 1e-11}
    run = bough.simulate(model, q={"x": 0.8}, duration=4.0, dt=0.1, integrator="dop853", **exact)
    other = solve_ivp(
        lambda t, s: [s[1], -spline(s[0]) / (1.5**2 * 1.6)],
        (0, 4),
        [0.8, 0],
        method="DOP853",
        t_eval=run.t,
        **exact,
    )
    np.testing.assert_allclose(run["x"], other.y[0], atol=1e-8)


def test_the_integrator_takes_it_on_the_diagonal_of_its_fast_solve() -> None:
    """Same steps with the spring between frames, which the integrator solves densely."""
    system = System("slide", gravity=None)
    system.world.ry("swing").tx(2.0).tx("x", name="bob", mass=1.0)
    other = System.from_dict(system.to_dict())
    system.add(NonlinearConfigurationSpring("x", polynomial=(0, 3, 0, 2)))
    other.add(bough.NonlinearSpring("world", "bob", polynomial=(0, 3, 0, 2), rest_length=2.0))
    options = {"q": {"x": 0.3}, "v": {"swing": 0.5}, "duration": 2.0}
    ours, theirs = (bough.simulate(s.build(), **options) for s in (system, other))
    np.testing.assert_allclose(ours.q, theirs.q, rtol=0.0, atol=1e-10)


def test_energy() -> None:
    assert_energy_kept(slide(NonlinearConfigurationSpring("x", table=TABLE)).build(), {"x": 0.8}, {})


def test_description() -> None:
    system = slide(NonlinearConfigurationSpring("x", table=TABLE, rest=1))
    system.add(NonlinearConfigurationSpring("y", polynomial=[1, 2]))
    assert System.from_dict(system.to_dict()).elements == system.elements
    assert str(system).splitlines()[-1] == "NonlinearConfigurationSpring  y  polynomial (1, 2), rest 0"


CASES = {
    "unknown variable": (
        lambda: slide(NonlinearConfigurationSpring("z", polynomial=(0, 1))),
        "variable 'z' in field 'variable' of NonlinearConfigurationSpring",
        "no variable has this name; the names are 'x', 'y'",
        "use one of these names",
    ),
    "no law": (
        lambda: NonlinearConfigurationSpring("x", name="coil"),
        "the force of NonlinearConfigurationSpring 'coil'",
        "neither a polynomial nor a table",
        "give polynomial=(c0, c1, ...) or table=((x, force), ...), one of them",
    ),
    "text in a table": (
        lambda: NonlinearConfigurationSpring("x", table="soft"),  # type: ignore[arg-type]
        "table='soft' in NonlinearConfigurationSpring",
        "table is not made of real numbers",
        "give table as two or more rows (x, force) in rad and N m, or m and N",
    ),
    "not finite": (
        lambda: NonlinearConfigurationSpring("x", polynomial=(0, float("nan"))),
        "polynomial in NonlinearConfigurationSpring(...)",
        "polynomial contains nan",
        "give polynomial in finite numbers",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input(case: str) -> None:
    check_message(*CASES[case])
