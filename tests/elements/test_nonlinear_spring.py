"""Springs with any law of force, between frames."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicSpline, PchipInterpolator, make_interp_spline
from scipy.special import ellipj

import bough
from bough import LinearSpring, NonlinearSpring, System
from support.messages import check_message
from support.potential_checks import assert_energy_kept, assert_potential, random_pairs

TABLE = ((0.2, -3.0), (0.5, -0.5), (0.9, 1.0), (1.6, 2.0), (2.5, 7.0))


def apart(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.linalg.norm(a[:3, 3] - b[:3, 3]) > 0.7)


def test_derivatives_on_random_trees() -> None:
    for system, q, a, b in random_pairs(6, apart):
        system.add(NonlinearSpring(a, b, polynomial=(1.0, 2.0, -0.5, 0.3), rest_length=0.4))
        assert_potential(system.build(), q)


def slide(element: NonlinearSpring | LinearSpring | None = None) -> System:
    """A mass on a line in space, the world's origin at a distance of 0.3 from it."""
    system = System("slide", gravity=None)
    system.world.fixed([[1, 0, 0, 0], [0, 0, -1, 0.3], [0, 1, 0, 0], [0, 0, 0, 1]]).tz(
        "z", name="bob", mass=2.0
    )
    if element is not None:
        system.add(element)
    return system


WAYS = ("linear", "pchip", "spline")


@pytest.mark.parametrize("way", WAYS)
def test_derivatives_of_a_table_on_every_piece(way: str) -> None:
    """Steps so small that they stay on one piece, and within both straight continuations."""
    model = slide(NonlinearSpring("world", "bob", table=TABLE, interpolation=way)).build()
    # the mass moves towards -y from y = 0.3
    for length in (0.05, 0.3, 0.7, 1.2, 2.0, 4.0):
        assert_potential(model, np.array([0.3 + length]), step=0.01)


@pytest.mark.parametrize("way", WAYS)
def test_the_table_is_the_curve_of_scipy_with_straight_continuations(way: str) -> None:
    model = slide(NonlinearSpring("world", "bob", table=TABLE, interpolation=way)).build()
    x, force = np.array(TABLE).T
    curve = {
        "linear": lambda: make_interp_spline(x, force, k=1),
        "pchip": lambda: PchipInterpolator(x, force),
        "spline": lambda: CubicSpline(x, force, bc_type="natural"),
    }[way]()

    def expected(length: float) -> float:
        end = min(max(length, x[0]), x[-1])
        return float(curve(end) + curve.derivative()(end) * (length - end))

    for length in (0.01, 0.2, 0.35, 0.5, 0.6, 0.9, 1.1, 1.6, 2.4, 2.5, 5.0):
        q, at_rest = {"z": 0.3 + length}, {}
        assert -model.L_dq(q, at_rest)[0] == pytest.approx(expected(length), rel=1e-13)
        energy = quad(expected, 0.0, length, points=[p for p in x if p < length] or None, epsabs=1e-13)[0]
        assert model.potential_energy(q) == pytest.approx(energy, abs=1e-12)


@pytest.mark.parametrize("way", ["pchip", "spline"])
def test_force_and_stiffness_are_continuous_where_pieces_meet(way: str) -> None:
    model = slide(NonlinearSpring("world", "bob", table=TABLE, interpolation=way)).build()
    for length, _ in TABLE:
        below, above = ({"z": 0.3 + length + h} for h in (-1e-9, 1e-9))
        for quantity in (model.L_dq, model.L_dqdq):
            assert np.ravel(quantity(below, {})) == pytest.approx(np.ravel(quantity(above, {})), abs=1e-7)


@pytest.mark.parametrize("way", [None, "linear"])
def test_a_table_does_not_overshoot(way: str | None) -> None:
    """A buffer that does nothing until it is met: no force where the rows around are zero."""
    buffer = ((0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.01, 1000.0), (1.02, 2000.0))
    model = slide(NonlinearSpring("world", "bob", table=buffer, interpolation=way)).build()
    lengths = np.linspace(0.01, 1.02, 500)
    force = -model.L_dq(0.3 + lengths[:, None], np.zeros((500, 1)))[:, 0]
    assert (force[lengths < 1.0] == 0.0).all()
    assert (np.diff(force) >= 0.0).all()
    assert force[-1] == pytest.approx(2000.0)


@pytest.mark.parametrize("way", WAYS)
def test_two_points_make_a_straight_line(way: str) -> None:
    element = NonlinearSpring("world", "bob", table=((1.0, 0.0), (2.0, 5.0)), interpolation=way)
    model = slide(element).build()
    assert model.potential_energy({"z": 0.3 + 1.7}) - model.potential_energy({"z": 1.3}) == pytest.approx(
        0.5 * 5.0 * 0.7**2, rel=1e-13
    )


def test_a_linear_law_is_the_linear_spring() -> None:
    for system, q, a, b in random_pairs(3, apart):
        other = System.from_dict(system.to_dict())
        system.add(NonlinearSpring(a, b, polynomial=(0, 20), rest_length=0.5))
        other.add(LinearSpring(a, b, 20.0, 0.5))
        ours, theirs = system.build(), other.build()
        rest = np.zeros(len(q))
        assert ours.potential_energy(q) == pytest.approx(theirs.potential_energy(q), rel=1e-13)
        np.testing.assert_allclose(ours.L_dqdq(q, rest), theirs.L_dqdq(q, rest), rtol=1e-11, atol=1e-11)


def test_zero_length_is_well_behaved() -> None:
    """F = 4 x + x^3 is smooth in space at zero length; with a rest length the force is zero there."""
    system = System("point", gravity=None)
    point = system.world.tx("x").ty("y").tz("z", mass=1.0)
    system.add(NonlinearSpring("world", point, polynomial=(0, 4, 0, 1)))
    assert_potential(system.build(), np.zeros(3))
    assert_potential(system.build(), np.full(3, 1e-3))
    system.add(NonlinearSpring("world", point, polynomial=(0, 4), rest_length=0.1))
    assert not system.build().L_dq({}, {}).any()


def test_cubic_spring_swings_as_an_elliptic_function() -> None:
    """m x'' = -k x - c x^3 from rest at A: A cn(w t | mu), w^2 = (k + c A^2) / m, mu = c A^2 / 2 m w^2."""
    m, k, c, A, rest = 1.3, 2.0, 5.0, 0.8, 1.5
    system = System("duffing", gravity=None)
    bob = system.world.tx(rest).tx("x", name="bob", mass=m)
    system.add(NonlinearSpring("world", bob, polynomial=(0, k, 0, c), rest_length=rest))
    run = bough.simulate(
        system.build(), q={"x": A}, duration=5.0, dt=0.05, integrator="dop853", rtol=1e-12, atol=1e-12
    )
    w, mu = np.sqrt((k + c * A**2) / m), c * A**2 / (2.0 * (k + c * A**2))
    np.testing.assert_allclose(run["x"], A * ellipj(w * run.t, mu)[1], atol=1e-9)


@pytest.mark.parametrize("way", ["pchip", "spline"])
def test_energy(way: str) -> None:
    model = slide(NonlinearSpring("world", "bob", table=TABLE, interpolation=way)).build()
    assert_energy_kept(model, {"z": 1.6}, {"z": 0.4})


def test_fields_description_and_text() -> None:
    system = slide()
    system.add(NonlinearSpring("bob", "world", polynomial=np.array([0, 1]), rest_length=1))
    system.add(NonlinearSpring("bob", "world", table=np.array(TABLE[:2])))
    assert system.elements[0] == NonlinearSpring("bob", "world", polynomial=(0.0, 1.0), rest_length=1.0)
    assert system.elements[1].table == TABLE[:2]  # type: ignore[attr-defined]
    assert System.from_dict(system.to_dict()).elements == system.elements
    assert hash(system.elements[0]) == hash(NonlinearSpring("bob", "world", polynomial=(0, 1), rest_length=1))
    assert str(system).splitlines()[-2:] == [
        "NonlinearSpring  bob, world  polynomial (0, 1), rest_length 1",
        "NonlinearSpring  bob, world  table ((0.2, -3), (0.5, -0.5)), interpolation 'pchip', rest_length 0",
    ]


CASES = {
    "unknown frame": (
        lambda: slide().add(NonlinearSpring("world", "bop", polynomial=(0, 1))),
        "frame 'bop' in field 'b' of NonlinearSpring",
        "no frame has this name; the nearest is 'bob'",
        "correct the spelling",
    ),
    "one frame": (
        lambda: slide().add(NonlinearSpring("bob", "bob", polynomial=(0, 1), name="coil")),
        "NonlinearSpring 'coil' between 'bob' and 'bob'",
        "both ends are on one frame, so that nothing depends on the configuration",
        "give two different frames",
    ),
    "no law": (
        lambda: NonlinearSpring("world", "bob"),
        "the force of NonlinearSpring",
        "neither a polynomial nor a table",
        "give polynomial=(c0, c1, ...) or table=((x, force), ...), one of them",
    ),
    "two laws": (
        lambda: NonlinearSpring("world", "bob", polynomial=(0, 1), table=TABLE),
        "the force of NonlinearSpring",
        "both a polynomial and a table",
        "give polynomial=(c0, c1, ...) or table=((x, force), ...), one of them",
    ),
    "empty polynomial": (
        lambda: NonlinearSpring("world", "bob", polynomial=()),
        "polynomial in NonlinearSpring",
        "polynomial has shape (0,)",
        "give polynomial as one or more numbers",
    ),
    "a number": (
        lambda: NonlinearSpring("world", "bob", polynomial=3.0),  # type: ignore[arg-type]
        "polynomial in NonlinearSpring",
        "polynomial is a single number",
        "give polynomial as one or more numbers",
    ),
    "unknown interpolation": (
        lambda: NonlinearSpring("world", "bob", table=TABLE, interpolation="cubic"),
        "interpolation='cubic' in NonlinearSpring",
        "no way to draw a curve through a table has this name",
        "use one of 'linear', 'pchip', 'spline'",
    ),
    "interpolation of a polynomial": (
        lambda: NonlinearSpring("world", "bob", polynomial=(0, 1), interpolation="linear"),
        "interpolation='linear' in NonlinearSpring",
        "a polynomial, which needs none",
        "leave interpolation out, or give a table in place of the polynomial",
    ),
    "one row": (
        lambda: NonlinearSpring("world", "bob", table=((1.0, 0.0),)),
        "table in NonlinearSpring",
        "table has shape (1, 2)",
        "give table as two or more rows (x, force) in m and N",
    ),
    "rows of three": (
        lambda: NonlinearSpring("world", "bob", table=((1, 0, 0), (2, 0, 0))),  # type: ignore[arg-type]
        "table in NonlinearSpring",
        "table has shape (2, 3)",
        "give table as two or more rows (x, force) in m and N",
    ),
    "not increasing": (
        lambda: NonlinearSpring("world", "bob", table=((1, 0), (2, 3), (2, 4))),
        "table in NonlinearSpring",
        "x does not increase: 2 is followed by 2 in row 2",
        "give the rows in increasing order of x, each x once",
    ),
    "negative rest length": (
        lambda: NonlinearSpring("world", "bob", polynomial=(0, 1), rest_length=-1),
        "rest_length=-1 in NonlinearSpring",
        "rest_length is negative",
        "give rest_length as zero or more, in m",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input(case: str) -> None:
    check_message(*CASES[case])
