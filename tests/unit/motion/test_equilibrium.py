"""Equilibria against closed forms: where, with which forces, and whether they are stable."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

import bough
from bough import ConvergenceError, ModelError

G = 9.81


def pendulum(*elements: object) -> bough.Model:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=2.0)
    for element in elements:
        system.add(element)  # type: ignore[type-var]
    return system.build()


def test_pendulum_hangs():
    rest = pendulum().equilibrium({"angle": 2.9})
    assert rest.stable
    assert rest.stability == "stable"
    np.testing.assert_allclose(rest.q, 0.0, atol=1e-10)
    np.testing.assert_allclose(rest.eigenvalues, [G])  # the square of the angular frequency
    assert rest.energy == pytest.approx(-2.0 * G)


def test_inverted_pendulum_is_unstable():
    rest = pendulum().equilibrium({"angle": np.pi})
    assert not rest.stable
    assert rest.stability == "unstable"
    assert rest.q == pytest.approx([np.pi])
    np.testing.assert_allclose(rest.eigenvalues, [-G])


@pytest.mark.parametrize("angle", [2.9, 2.0, 3.6])
def test_nearest_rest_of_a_pendulum_is_upside_down(angle):
    rest = pendulum().equilibrium({"angle": angle}, nearest=True)
    assert rest.stability == "unstable"
    assert rest.q == pytest.approx([np.pi], abs=1e-12)
    assert rest.start == pytest.approx([angle])


def test_nearest_rests_of_many_links_and_of_a_loop():
    """Any combination of links up and down is a rest; of a four-bar, each is a stationary point of its energy."""
    system = bough.System("links")
    frame = system.world
    for i in range(4):
        frame = frame.ry(f"q{i}").tz(-1.0, mass=1.0)
    model, rng = system.build(), np.random.default_rng(0)
    for near in ([np.pi, 0, 0, 0], [np.pi, np.pi, 0, 0], [0, np.pi, 0, np.pi]):
        rest = model.equilibrium(near + 0.2 * rng.normal(size=4), nearest=True)
        np.testing.assert_allclose(rest.q, near, atol=1e-9)
        assert rest.stability == "unstable"
    loop = bough.gallery.four_bar().build()
    q = loop.assemble({"crank": 3.0}, hold="crank").q
    rest = loop.equilibrium(q, nearest=True)
    assert rest.stability == "unstable"
    assert np.abs(loop.constraint(rest.q)).max() < 1e-12
    for other in (0.9, 1.1):  # the forces of the loop balance all weights
        near = loop.assemble({"crank": other * rest.q[loop.index("crank")]}, hold="crank").q
        np.testing.assert_allclose(loop.equilibrium(near, nearest=True).q, rest.q, atol=1e-8)


def test_a_stiff_spring_holds_the_inverted_pendulum():
    model = pendulum(bough.ConfigurationSpring("angle", 30.0, rest=np.pi))
    rest = model.equilibrium({"angle": 3.0})
    assert rest.stable
    np.testing.assert_allclose(rest.q, [np.pi], atol=1e-10)
    np.testing.assert_allclose(rest.eigenvalues, [30.0 / 2.0 - G])


def test_a_level_slider_is_neutral():
    system = bough.System("cart")
    cart = system.world.tx("x", mass=1.0)
    cart.ry("angle").tz(-1.0, mass=1.0)
    rest = system.build().equilibrium({"x": 0.4, "angle": 0.5})
    assert rest.stability == "neutral"
    assert not rest.stable
    assert rest.q[1] == pytest.approx(0.0, abs=1e-10)


def test_load_on_a_spring():
    """z = -m g / k"""
    system = bough.System("load")
    load = system.world.tz("z", name="load", mass=3.0)
    system.add(bough.LinearSpring(load, system.world, stiffness=50.0))
    rest = system.build().equilibrium({"z": 1.0})
    np.testing.assert_allclose(rest.q, [-3.0 * G / 50.0], rtol=1e-12)
    np.testing.assert_allclose(rest.eigenvalues, [50.0 / 3.0])


def chain(links: int, span: float) -> bough.Model:
    """Rods of length 1 / links with a mass at every joint, hung at both ends."""
    system = bough.System("chain")
    length = 1.0 / links
    frame = system.world
    for i in range(links):
        frame = frame.ry(f"q{i}").tx(length, name=f"p{i + 1}", mass=1.0 / links)
    anchor = system.world.tx(span, name="anchor")
    for axis in ((1, 0, 0), (0, 0, 1)):
        system.add(bough.PointConstraint(frame, anchor, axis))
    return system.build()


@pytest.mark.parametrize("links", [6, 9, 20])
def test_hanging_chain_is_the_discrete_catenary(links: int):
    """With horizontal tension H, link i from the left has the slope (V0 - i w) / H, w the weight of one."""
    span, length, weight = 0.6, 1.0 / links, G / links
    model = chain(links, span)
    start = np.zeros(links)
    start[0], start[links // 2] = 0.9, -1.8  # a triangle, roughly
    rest = model.equilibrium(start)
    assert rest.stable
    # by symmetry the pull at the left end is half of the weight of the links - 1 masses that hang free
    number = np.arange(links)
    vertical = weight * ((links - 1) / 2 - number)  # in link i, from the left

    def reach(tension: float) -> float:
        return float(np.sum(length * tension / np.hypot(tension, vertical)) - span)

    tension = optimize.brentq(reach, 1e-6, 1e3, xtol=1e-15, rtol=1e-14)
    slopes = np.arctan2(vertical, tension)
    x = np.concatenate([[0.0], np.cumsum(length * np.cos(slopes))])
    z = np.concatenate([[0.0], np.cumsum(-length * np.sin(slopes))])
    points = np.array([model.pose(f"p{i + 1}", rest.q)[:3, 3] for i in range(links)])
    np.testing.assert_allclose(points[:, 0], x[1:], atol=1e-9)
    np.testing.assert_allclose(points[:, 2], z[1:], atol=1e-9)
    # what the anchor pulls with: the tension, and the weight of the last mass besides its share
    np.testing.assert_allclose(rest.lam, [tension, weight - vertical[-1]], rtol=1e-8)
    a, lam = model.acceleration_and_multipliers(rest.q, np.zeros(links))
    np.testing.assert_allclose(a, 0.0, atol=1e-7)
    np.testing.assert_allclose(lam, rest.lam, rtol=1e-7)


def test_chain_falls_from_a_zigzag_as_from_a_triangle():
    model = chain(8, 0.6)
    zigzag, triangle = np.zeros(8), np.zeros(8)
    zigzag[::2], zigzag[1::2] = 1.0, -1.0
    triangle[0], triangle[4] = 0.9, -1.8
    first, second = model.equilibrium(zigzag), model.equilibrium(triangle)
    assert first.stable
    assert first.energy == pytest.approx(second.energy, rel=1e-12)


def test_small_vibrations_have_the_frequency_of_the_eigenvalues():
    system = bough.System("double")
    elbow = system.world.ry("a").tz(-1.0, mass=1.0)
    elbow.ry("b").tz(-1.0, name="tip", mass=1.0)
    model = system.build()
    rest = model.equilibrium({"a": 0.3, "b": -0.2})
    M, K = model.mass_matrix(rest.q), -model.L_dqdq(rest.q, np.zeros(2))
    np.testing.assert_allclose(
        rest.eigenvalues, np.sort(np.linalg.eigvals(np.linalg.solve(M, K))), rtol=1e-10
    )


def test_held_and_kinematic_variables_stay():
    system = bough.System("arm")
    elbow = system.world.tx(bough.kinematic("rail")).ry("a").tz(-1.0, mass=1.0)
    elbow.ry("b").tz(-1.0, name="tip", mass=1.0)
    rest = system.build().equilibrium({"rail": 0.4, "a": 0.5, "b": 1.0}, hold="a")
    np.testing.assert_allclose(rest.q, [0.5, -0.5, 0.4], atol=1e-10)
    assert len(rest.eigenvalues) == 1


def test_redundant_constraints():
    system = bough.System("load")
    load = system.world.tx("x").tz("z", name="load", mass=2.0)
    for name in ("first", "second"):
        system.add(bough.DistanceConstraint(load, "world", 1.0, name=name))
    rest = system.build().equilibrium({"x": 0.6, "z": -0.8})
    np.testing.assert_allclose(rest.q, [0.0, -1.0], atol=1e-10)
    np.testing.assert_allclose(rest.lam, [-G, -G])  # the weight, shared
    assert rest.stable


def test_nothing_free_to_move():
    rest = pendulum().equilibrium({"angle": 0.5}, hold=("angle",))
    assert rest.stable
    assert rest.eigenvalues.shape == (0,)


@pytest.mark.usefixtures("without_jax")
def test_user_potential():
    class Well(bough.Potential):
        def energy(self, at: bough.Instant) -> object:
            return (at.q["x"] ** 2 - 1.0) ** 2

    system = bough.System("well", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(Well())
    model = system.build()
    with pytest.warns(bough.DerivativeWarning):
        rest = model.equilibrium({"x": 0.1})
    np.testing.assert_allclose(rest.q, [1.0], atol=1e-8)
    np.testing.assert_allclose(rest.eigenvalues, [8.0], rtol=1e-6)
    assert model.equilibrium({"x": 0.0}).stability == "unstable"


def test_free_fall_has_no_equilibrium():
    system = bough.System("stone")
    system.world.tx("x").tz("z", mass=1.0)
    with pytest.raises(ConvergenceError) as caught:
        system.build().equilibrium()
    error = caught.value
    assert error.asked == "equilibrium() of model 'stone'"
    assert error.found.startswith("no equilibrium after ")
    assert "the force on 'z' is still -9.81" in error.found
    assert error.found.endswith("the energy may have no minimum")
    assert error.do == "hold 'z' or give it a spring or a constraint"


def test_unknown_variable_to_hold():
    with pytest.raises(ModelError) as caught:
        pendulum().equilibrium(hold="angel")
    assert str(caught.value) == (
        "variable 'angel' in hold of equilibrium() of model 'pendulum'\n"
        "  found: no variable has this name; the nearest is 'angle'\n"
        "  do: correct the spelling"
    )


def test_hold_of_a_name_that_does_not_exist() -> None:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    with pytest.raises(bough.ModelError) as caught:
        system.build().equilibrium(hold="angel")
    assert str(caught.value) == (
        "variable 'angel' in hold of equilibrium() of model 'pendulum'\n"
        "  found: no variable has this name; the nearest is 'angle'\n"
        "  do: correct the spelling"
    )
