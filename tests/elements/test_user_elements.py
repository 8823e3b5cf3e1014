"""Elements written in Python: the same motion as the built-in of the same formula, with any derivatives."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import bough
from bough.elements import user as _user_element
from support.finite_difference import assert_derivative
from support.user_elements import (
    POTENTIALS,
    REST,
    START,
    ByComplexStep,
    ByDifferences,
    Friction,
    FrictionByHand,
    K,
    Motor,
    Rod,
    RodByHand,
    Spring,
    Weld,
    arm,
)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.DerivativeWarning)
        yield


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "dop853"])
@pytest.mark.parametrize("mine", POTENTIALS, ids=lambda e: type(e).__name__)
def test_potential_moves_as_the_built_in(mine: bough.Potential, integrator: str):
    theirs = bough.LinearSpring("tip", "anchor", K, REST)
    runs = [
        bough.simulate(arm(e), q=START, duration=1.0, dt=0.02, integrator=integrator) for e in (mine, theirs)
    ]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-10)
    energies = [run.model.potential_energy(runs[0].q) for run in runs]
    np.testing.assert_allclose(energies[0], energies[1], rtol=1e-13)


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "dop853"])
@pytest.mark.parametrize("mine", [Friction(), FrictionByHand()], ids=lambda e: type(e).__name__)
def test_force_moves_as_the_built_in(mine: bough.Force, integrator: str):
    runs = [
        bough.simulate(arm(e), q=START, duration=1.0, dt=0.02, integrator=integrator)
        for e in (mine, bough.Damping(0.4))
    ]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-10)


def test_input_moves_as_the_built_in():
    runs = [
        bough.simulate(arm(e), q=START, duration=1.0, dt=0.02, u={"torque": 0.7})
        for e in (Motor(), bough.ConfigurationForce("b", "torque"))
    ]
    assert runs[0].model.inputs == ("torque",)
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-10)


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "dop853"])
@pytest.mark.parametrize("mine", [Rod(), RodByHand()], ids=lambda e: type(e).__name__)
def test_constraint_moves_as_the_built_in(mine: bough.Constraint, integrator: str):
    runs = []
    for element in (mine, bough.DistanceConstraint("tip", "anchor", 1.5)):
        model = arm(element)
        q = model.assemble(START).q
        runs.append(bough.simulate(model, q=q, duration=1.0, dt=0.02, integrator=integrator))
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-10)
    np.testing.assert_allclose(runs[0].lam, runs[1].lam, rtol=0, atol=1e-7)


def test_several_rows_equal_point_constraints():
    weld = Weld(name="weld")
    theirs = arm(
        bough.PointConstraint("tip", "anchor", (1, 0, 0)), bough.PointConstraint("tip", "anchor", (0, 0, 1))
    )
    mine = arm(weld)
    assert (mine.nc, mine.constraints) == (2, ("weld[0]", "weld[1]"))
    q = np.array([0.3, 0.4])
    np.testing.assert_allclose(mine.constraint_dq(q), theirs.constraint_dq(q), atol=1e-12)
    np.testing.assert_allclose(mine.constraint_dqdq(q), theirs.constraint_dqdq(q), atol=1e-8)
    assert "weld" in str(mine)


@pytest.mark.parametrize("mine", POTENTIALS, ids=lambda e: type(e).__name__)
def test_derivatives(mine: bough.Potential):
    model, still, q = arm(mine), np.zeros(2), np.array([0.3, 0.4])
    assert_derivative(model.potential_energy, lambda x: -model.L_dq(x, still), q)
    assert_derivative(
        lambda x: -model.L_dq(x, still), lambda x: -model.L_dqdq(x, still), q, roundoff=1e5, df_error=1e-8
    )


def test_what_an_instant_offers():
    seen: dict[str, Any] = {}

    class Look(bough.Force):
        def force(self, at: bough.Instant) -> Any:
            seen.update(
                q=at.q["b"],
                v=at.v["a"],
                t=at.t,
                pose=at.pose("tip"),
                position=at.position("tip"),
                rotation=at.rotation("tip"),
                velocity=at.velocity("tip"),
                pose_dq=at.pose_dq("tip"),
                pose_dqdq=at.pose_dqdq("tip"),
                first=at.q[0],
                square=at.q @ at.q,
                twice=(2.0 * at.q)["b"],
                model=at.model,
            )
            return np.zeros(2)

    model = arm(Look())
    q, v = np.array([0.3, 0.4]), np.array([1.0, -2.0])
    model.generalized_force(q, v, t=0.25)
    assert (seen["q"], seen["v"], seen["t"], seen["first"], seen["twice"]) == (0.4, 1.0, 0.25, 0.3, 0.8)
    assert seen["square"] == pytest.approx(0.25)
    assert seen["model"] is model
    for name in ("pose", "pose_dq", "pose_dqdq"):
        np.testing.assert_array_equal(seen[name], getattr(model, name)("tip", q))
    np.testing.assert_array_equal(seen["position"], model.pose("tip", q)[:3, 3])
    np.testing.assert_array_equal(seen["rotation"], model.pose("tip", q)[:3, :3])
    velocity = model.jacobian("tip", q, kind="hybrid")[3:] @ v
    np.testing.assert_allclose(seen["velocity"], velocity, atol=1e-14)


def test_a_function_may_use_the_model_elsewhere():
    """Kernels called inside an element leave the poses that other elements see alone."""

    class Elsewhere(Spring):
        def gradient(self, at: bough.Instant) -> Any:
            at.model.pose("tip", at.q + 0.7)
            at.model.mass_matrix(at.q - 0.3)
            return super().gradient(at)

    second = bough.LinearSpring("elbow", "anchor", 5.0)
    for integrator in ("midpoint", "trapezoidal", "rk45"):
        runs = [
            bough.simulate(arm(mine, second), q=START, duration=0.5, integrator=integrator)
            for mine in (Elsewhere("tip", "anchor", K), bough.LinearSpring("tip", "anchor", K, REST))
        ]
        np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-10)


# --- how a derivative is made ---


def test_one_warning_for_a_class():
    class Once(bough.Potential):
        def energy(self, at: bough.Instant) -> Any:
            return at.q["a"] ** 2

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            bough.simulate(arm(Once()), q=START, duration=0.1)
    assert [str(w.message) for w in caught] == [
        "Once has no method gradient(at): derivatives are made by complex steps of energy(at), which"
        " takes many calls. Give the method, or import jax, for speed and accuracy;"
        " bough.check(model) verifies it"
    ]


def test_no_warning_where_all_is_given():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bough.simulate(arm(Spring("tip", "anchor", K), FrictionByHand()), q=START, duration=0.1)


@pytest.mark.parametrize(("element", "way"), [(ByComplexStep(), "complex"), (ByDifferences(), "difference")])
def test_the_way_is_chosen_by_what_is_right(element: bough.Potential, way: str):
    made = _user_element.user_element(element)
    assert made is not None
    model = arm()
    made.bind(model)
    made.gradient(np.array([0.3, 0.4]))  # type: ignore[attr-defined]
    assert made._way["gradient"] == way


def test_the_way_may_be_given():
    class Wanted(ByComplexStep):
        derivatives = "difference"

    made = _user_element.user_element(Wanted())
    assert made is not None
    model = arm()
    made.bind(model)
    made.gradient(np.array([0.3, 0.4]))  # type: ignore[attr-defined]
    assert made._way["gradient"] == "difference"


def test_jax():
    pytest.importorskip("jax")

    class Jax(ByDifferences):
        derivatives = "jax"

    mine, theirs = arm(Jax()), arm(bough.LinearSpring("tip", "anchor", K, REST))
    q, still = np.array([0.3, 0.4]), np.zeros(2)
    np.testing.assert_allclose(mine.L_dq(q, still), theirs.L_dq(q, still), rtol=1e-14)
    np.testing.assert_allclose(mine.L_dqdq(q, still), theirs.L_dqdq(q, still), rtol=1e-12)


# --- time ---


def test_a_constraint_that_depends_on_time():
    """x = sin t prescribed: the constraint force is what moves the mass so."""

    class Shaken(bough.Constraint):
        def value(self, at: bough.Instant) -> Any:
            return at.q["x"] - 0.5 * np.sin(3.0 * at.t)

    system = bough.System("slider", gravity=None)
    system.world.tx("x", mass=2.0)
    system.add(Shaken())
    model = system.build()
    t = 0.4
    a, lam = model.acceleration_and_multipliers([0.5 * np.sin(1.2)], [1.5 * np.cos(1.2)], t=t)
    np.testing.assert_allclose(a, -4.5 * np.sin(1.2), atol=1e-7)
    np.testing.assert_allclose(lam, -9.0 * np.sin(1.2), atol=1e-7)


def test_function_force_of_time():
    """x'' = cos(t) from rest at zero: x = 1 - cos(t)."""
    system = bough.System("slider", gravity=None)
    system.world.tx("x", mass=2.0)
    system.add(bough.FunctionForce("x", lambda t, q, v: 2.0 * np.cos(t)))
    run = bough.simulate(system.build(), duration=2.0, integrator="dop853")
    np.testing.assert_allclose(run["x"], 1.0 - np.cos(run.t), atol=1e-9)


def test_function_force_of_feedback():
    def spring(t: float, q: Any, v: Any) -> Any:
        return -3.0 * q["b"], -2.0 * q["a"] - 0.4 * v["a"]

    class Same(bough.Force):
        def force(self, at: bough.Instant) -> Any:
            return {"b": -3.0 * at.q["b"], "a": -2.0 * at.q["a"] - 0.4 * at.v["a"]}

    runs = [
        bough.simulate(arm(e), q=START, duration=1.0)
        for e in (bough.FunctionForce(("b", "a"), spring), Same())
    ]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-12)


def test_jax_that_is_not_installed(monkeypatch: pytest.MonkeyPatch):
    class Jax(ByDifferences):
        derivatives = "jax"

    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(bough.ModelError) as caught:
        arm(Jax()).L_dq(START, np.zeros(2))
    assert str(caught.value) == (
        "derivatives = 'jax' in Jax\n"
        "  found: JAX is not installed\n"
        "  do: pip install jax, or leave derivatives out"
    )
