"""`bough.check`: right derivatives pass, a wrong one is found, wherever it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough


def arm(*elements: Any) -> bough.Model:
    system = bough.System("arm")
    elbow = system.world.ry("a").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("b").tz(-1.0, name="tip", mass=1.0)
    system.world.tx(bough.kinematic("rail"), name="anchor")
    for element in elements:
        system.add(element)
    return system.build()


class Cross(bough.Potential):
    """V = a^3 b"""

    def energy(self, at: Any) -> Any:
        return at.q["a"] ** 3 * at.q["b"]

    def gradient(self, at: Any) -> Any:
        return {"a": 3.0 * at.q["a"] ** 2 * at.q["b"], "b": at.q["a"] ** 3}

    def hessian(self, at: Any) -> Any:
        return {("a", "a"): 6.0 * at.q["a"] * at.q["b"], ("a", "b"): 3.0 * at.q["a"] ** 2}


class WrongGradient(Cross):
    def gradient(self, at: Any) -> Any:
        return {"a": 3.0 * at.q["a"] ** 2 * at.q["b"], "b": at.q["a"] ** 2}


class WrongHessian(Cross):
    def hessian(self, at: Any) -> Any:
        return {("a", "a"): 6.00001 * at.q["a"] * at.q["b"], ("a", "b"): 3.0 * at.q["a"] ** 2}


class Swirl(bough.Force):
    """f = -b v_a |v_a|"""

    def force(self, at: Any) -> Any:
        return {"a": -at.q["b"] * at.v["a"] * abs(at.v["a"])}

    def force_dq(self, at: Any) -> Any:
        return {("a", "b"): -at.v["a"] * abs(at.v["a"])}

    def force_dv(self, at: Any) -> Any:
        return {("a", "a"): -2.0 * at.q["b"] * abs(at.v["a"])}


class WrongForceDq(Swirl):
    def force_dq(self, at: Any) -> Any:
        return np.zeros((3, 3))


class WrongForceDv(Swirl):
    def force_dv(self, at: Any) -> Any:
        return {("a", "a"): 2.0 * at.q["b"] * abs(at.v["a"])}


class Sheet(bough.Constraint):
    """h = a b - t"""

    def value(self, at: Any) -> Any:
        return at.q["a"] * at.q["b"] - at.t

    def gradient(self, at: Any) -> Any:
        return {"a": at.q["b"], "b": at.q["a"]}

    def hessian(self, at: Any) -> Any:
        return {("a", "b"): 1.0}


class WrongSheet(Sheet):
    def gradient(self, at: Any) -> Any:
        return {"a": at.q["b"], "b": -at.q["a"]}


class WrongRate(Sheet):
    def rate(self, at: Any) -> Any:
        return 1.0


BUILT_IN = [
    bough.LinearSpring("tip", "anchor", 3.0, 0.2),
    bough.ConfigurationSpring("a", 2.0, name="coil"),
    bough.Damping(0.3),
    bough.ConfigurationForce("b", "motor"),
    bough.PointConstraint("tip", "anchor", (1, 0, 0)),
    bough.DistanceConstraint("elbow", "anchor", bough.kinematic("length")),
]


def test_everything_that_is_right_passes():
    model = arm(*BUILT_IN, Cross(), Swirl(), Sheet())
    result = bough.check(model, show=False)
    assert result.ok
    assert result.wrong == ()
    assert all(row.error < 1e-8 and row.states == 5 for row in result.rows)
    assert [row.element for row in result.rows if row.derivative == "hessian"] == [
        "LinearSpring #0",
        "ConfigurationSpring 'coil'",
        "PointConstraint #4",
        "DistanceConstraint #5",
        "Cross #6",
        "Sheet #8",
    ]
    assert {row.derivative for row in result.rows if row.element == "tree"} == {
        *("L_dq", "L_dv", "L_dqdq", "L_dqdv", "L_dvdv"),
        *("V_dqdqdq", "pose_dq", "pose_dqdq", "a_dq", "a_dv"),
    }
    assert [row.element for row in result.rows if row.derivative == "third"] == [
        "LinearSpring #0",
        "ConfigurationSpring 'coil'",
        "PointConstraint #4",
        "DistanceConstraint #5",
    ]


KINDS = ["step", "trapezoidal step", "step of order 4", "trapezoidal step of order 4", "reduced step"]


def whole_rows(result: bough.model.check.Check) -> dict[str, list[str]]:
    """Of a check of a whole model: what was compared of its accelerations and of each kind of step."""
    found: dict[str, list[str]] = {}
    for row in result.rows:
        if row.element in ("model", *KINDS):
            assert row.states > 0, row
            found.setdefault(row.element, []).append(row.derivative)
    return found


def test_steps_along_constraints():
    """A string whose hook is kinematic, its length a parameter: every derivative that each kind of step has."""
    hung = bough.System("hung", gravity=(0, 0, -9.81))
    bob = hung.world.tx("x").tz("z", name="bob", mass=hung.parameter("mass", 1.0))
    hook = hung.world.tx(bough.kinematic("rail")).tz(0.1, name="hook")
    hung.add(bough.DistanceConstraint(bob, hook, hung.parameter("length", 1.0)))
    hung.add(bough.ConfigurationForce("x", "push"))
    around = {"q": {"x": 0.3, "z": -0.9}, "spread": 0.05, "states": 2}
    result = bough.check(hung.build(), show=False, steps=True, **around)
    assert result.ok, str(result)
    everything = ["jacobians", "multipliers", "hessian", "parameters"]
    assert whole_rows(result) == {
        "model": ["a_dq", "a_dv", "a_du", "lam_dq", "lam_dv", "lam_du"],
        "step": everything,
        "trapezoidal step": everything,
        "step of order 4": everything,
        "trapezoidal step of order 4": everything,
    }
    hung.add(
        bough.DistanceConstraint(bob, hook, hung.parameter("again", 1.0))
    )  # a row that depends on the other
    result = bough.check(hung.build(), show=False, steps=True, **around)
    assert result.ok, str(result)
    assert set(map(tuple, whole_rows(result).values())) == {("a_dq", "a_dv", "a_du"), ("jacobians",)}


def test_steps_without_constraints():
    """Of an arm with drag and a parameter, of a ball joint, and of a free base."""
    system = bough.System("arm", gravity=(0, 0, -9.81))
    mass = system.parameter("mass", 1.3)
    system.world.ry("a").tz(-1.0, name="elbow", mass=1.0).ry("b").tz(-0.7, name="hand", mass=mass)
    system.add(bough.Drag("hand", 0.4))
    result = bough.check(system.build(), show=False, steps=True, states=2)
    assert result.ok, str(result)
    found = whole_rows(result)
    assert list(found) == ["model", *KINDS]
    assert found["reduced step"] == ["jacobians", "parameters"]
    assert found["step"] == ["jacobians", "hessian", "parameters"]
    ball = bough.System("ball", gravity=(0, 0, -9.81))
    ball.world.ball("hip").tz(-1.0, name="foot", mass=1.0, inertia=(0.1, 0.2, 0.3))
    result = bough.check(ball.build(), show=False, steps=True, states=2, spread=0.3)
    assert result.ok, str(result)
    assert whole_rows(result)["step"] == ["jacobians", "hessian"]
    free = bough.System("free", gravity=None)
    hull = free.world.free("hull", mass=10.0, inertia=(1, 2, 3))
    hull.tx(0.5).rz("joint").tx(1.0, name="tip", mass=1.0, inertia=(0.1, 0.1, 0.1))
    result = bough.check(free.build(), show=False, steps=True, states=1, spread=0.3)
    assert result.ok, str(result)
    assert whole_rows(result)["reduced step"] == ["jacobians"]


def test_a_step_at_a_contact():
    """A mass that slides on a floor: Jacobians with the contact as it is."""
    system = bough.System("block", gravity=(0, 0, -9.81))
    block = system.world.tx("x").tz("z", name="block", mass=1.0)
    system.add(bough.PlaneContact(block, friction=0.3))
    result = bough.check(system.build(), q={"x": 0.0, "z": 0.5}, spread=0.1, show=False, steps=True, states=2)
    assert result.ok, str(result)
    assert whole_rows(result)["step"] == ["jacobians"]


def test_a_wrong_derivative_of_a_step_is_found(monkeypatch: pytest.MonkeyPatch):
    right = bough.control.Step.jacobians
    monkeypatch.setattr(
        bough.control.Step,
        "jacobians",
        lambda self, *at, **known: tuple(1.00001 * x for x in right(self, *at, **known)),
    )
    result = bough.check(arm(bough.Damping(0.3)), show=False, steps=True, states=1)
    assert {row.element for row in result.wrong} >= {"step", "trapezoidal step", "step of order 4"}


@pytest.mark.parametrize(
    ("element", "wrong"),
    [
        (
            WrongGradient(),
            ["gradient", "hessian"],
        ),  # the Hessian is compared with the gradient as it is given
        (WrongHessian(), ["hessian"]),
        (WrongForceDq(), ["force_dq"]),
        (WrongForceDv(), ["force_dv"]),
        (WrongSheet(), ["gradient", "hessian"]),
        (WrongRate(), ["rate"]),
    ],
    ids=lambda case: type(case).__name__ if isinstance(case, bough.description.element.Element) else "",
)
def test_a_wrong_derivative_is_found(element: Any, wrong: list[str]):
    result = bough.check(arm(*BUILT_IN, element), show=False)
    assert not result.ok
    assert [(row.element, row.derivative) for row in result.wrong] == [
        (f"{type(element).__name__} #6", name) for name in wrong
    ]


@pytest.mark.parametrize(
    ("quantity", "element", "row"),
    [
        ("potential_energy_dqdqdq", bough.Gravity((0, 0, 1), "tip", name="pull"), "Gravity 'pull'"),
        ("constraint_dqdqdq", bough.DistanceConstraint("tip", "world", 1.0), "DistanceConstraint #0"),
    ],
)
def test_a_wrong_third_derivative_is_found(
    quantity: str, element: Any, row: str, monkeypatch: pytest.MonkeyPatch
):
    right = getattr(bough.Model, quantity)
    monkeypatch.setattr(bough.Model, quantity, lambda model, *at: 1.00001 * right(model, *at))
    result = bough.check(arm(element), show=False)
    assert (row, "third") in [(wrong.element, wrong.derivative) for wrong in result.wrong]


def test_the_table_is_printed(capsys: pytest.CaptureFixture[str]):
    result = bough.check(arm(WrongForceDv(name="air")))
    printed = capsys.readouterr().out
    assert "WrongForceDv 'air'" in printed
    assert "wrong" in printed
    text = str(result)
    assert text.splitlines()[0] == "check of arm: 1 wrong"
    assert "differences give" in text


def test_states_are_drawn_around_q():
    """A formula that exists only there: the square root of a distance from a = 3."""

    class Root(bough.Potential):
        def energy(self, at: Any) -> Any:
            return np.sqrt(at.q["a"] - 3.0)

        def gradient(self, at: Any) -> Any:
            return {"a": 0.5 / np.sqrt(at.q["a"] - 3.0)}

        def hessian(self, at: Any) -> Any:
            return {("a", "a"): -0.25 * (at.q["a"] - 3.0) ** -1.5}

    with np.errstate(invalid="ignore"):
        assert bough.check(arm(Root()), show=False, spread=0.1).rows[-1].states == 0
    result = bough.check(arm(Root()), show=False, q={"a": 5.0}, spread=0.1)
    assert result.ok
    assert result.rows[-1].states == 5


class Nowhere(Cross):
    def hessian(self, at: Any) -> Any:
        return {("a", "a"): np.nan, ("a", "b"): 3.0 * at.q["a"] ** 2}


class Infinite(bough.Potential):
    """Infinite everywhere, which no potential is."""

    def energy(self, at: Any) -> Any:
        return np.inf

    def gradient(self, at: Any) -> Any:
        return {"a": np.inf}

    def hessian(self, at: Any) -> Any:
        return {("a", "a"): 0.0}


def test_a_derivative_that_is_not_a_number_is_wrong():
    result = bough.check(arm(Nowhere()), show=False)
    assert [row.derivative for row in result.wrong] == ["hessian"]
    assert result.wrong[0].error == np.inf
    assert "is nan, differences give" in result.wrong[0].worst


class Rough(bough.Potential):
    """Not smooth at any scale that differences can see: there is nothing to compare with."""

    def energy(self, at: Any) -> Any:
        return np.sin(1e12 * at.q["a"])

    def gradient(self, at: Any) -> Any:
        return {"a": np.cos(1e12 * at.q["a"])}

    def hessian(self, at: Any) -> Any:
        return {("a", "a"): 0.0}


def test_the_headline_counts_what_was_not_compared():
    assert str(bough.check(arm(), show=False)).splitlines()[0] == "check of arm: all derivatives are right"
    result = bough.check(arm(Rough()), show=False)
    assert result.ok
    assert str(result).splitlines()[0] == "check of arm: 2 not compared, the others are right"
    both = bough.check(arm(Rough(), WrongForceDv()), show=False)
    assert str(both).splitlines()[0] == "check of arm: 1 wrong, 2 not compared"


def test_what_is_not_finite_anywhere_is_wrong():
    result = bough.check(arm(Infinite()), show=False)
    assert not result.ok
    assert str(result).splitlines()[0] == "check of arm: 2 wrong"


def test_a_kink_is_not_compared():
    """A segment whose stretch is drawn below minus its length lies at the turning point of its angle."""
    model = bough.gallery.elastic_cable(2, taut=0.0).build()
    around = {"stretch1": -0.8, "stretch2": -0.8}
    found = bough.check(model, q=around, spread=0.05, show=False)
    assert found.ok
    beams = [
        row for row in found.rows if row.element.startswith("BeamElement") and row.derivative == "gradient"
    ]
    assert beams[0].states < 5
