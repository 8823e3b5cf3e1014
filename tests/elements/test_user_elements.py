"""Elements written in Python: the same motion as the built-in of the same formula, with any derivatives."""

from __future__ import annotations

import contextlib
import gc
import pickle
import threading
import warnings
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import bough
from bough import _user_element
from support.finite_difference import assert_derivative

K, REST = 10.0, 0.3
START = {"a": 0.5, "b": -0.4}


def arm(*elements: bough.Potential | bough.Force | bough.Constraint) -> bough.Model:
    system = bough.System("arm")
    elbow = system.world.ry("a").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("b").tz(-1.0, name="tip", mass=1.0)
    system.world.tx(0.7, name="anchor")
    for element in elements:
        system.add(element)
    return system.build()


@dataclass(frozen=True)
class Spring(bough.Potential):
    """By hand."""

    a: str
    b: str
    stiffness: float
    frame_fields = ("a", "b")

    def energy(self, at: bough.Instant) -> Any:
        return 0.5 * self.stiffness * (self.length(at) - REST) ** 2

    def gradient(self, at: bough.Instant) -> Any:
        d, D = self.difference(at)
        length = self.length(at)
        return self.stiffness * (1.0 - REST / length) * D @ d

    def hessian(self, at: bough.Instant) -> Any:
        d, D = self.difference(at)
        length = self.length(at)
        n = d / length
        A = (1.0 - REST / length) * np.eye(3) + REST / length * np.outer(n, n)
        second = (at.position_dqdq(self.a) - at.position_dqdq(self.b)) @ d
        return self.stiffness * (D @ A @ D.T + (1.0 - REST / length) * second)

    def difference(self, at: bough.Instant) -> Any:
        return at.position(self.a) - at.position(self.b), at.position_dq(self.a) - at.position_dq(self.b)

    def length(self, at: bough.Instant) -> Any:
        d = at.position(self.a) - at.position(self.b)
        return np.sqrt(d @ d)


class ByComplexStep(bough.Potential):
    def energy(self, at: bough.Instant) -> Any:
        d = at.position("tip") - at.position("anchor")
        return 0.5 * K * (np.sqrt(d @ d) - REST) ** 2


class ByDifferences(bough.Potential):
    def energy(self, at: bough.Instant) -> Any:
        # the norm of complex numbers is not what a complex step needs: this must be noticed
        return 0.5 * K * (np.linalg.norm(at.position("tip") - at.position("anchor")) - REST) ** 2


class GradientOnly(ByComplexStep):
    def gradient(self, at: bough.Instant) -> Any:
        d = at.position("tip") - at.position("anchor")
        return K * (1.0 - REST / np.sqrt(d @ d)) * (at.position_dq("tip") - at.position_dq("anchor")) @ d


POTENTIALS = [Spring("tip", "anchor", K), ByComplexStep(), ByDifferences(), GradientOnly()]


class Friction(bough.Force):
    def force(self, at: bough.Instant) -> Any:
        return {"a": -0.4 * at.v["a"], "b": -0.4 * at.v["b"]}


class FrictionByHand(Friction):
    def force_dq(self, at: bough.Instant) -> Any:
        return np.zeros((2, 2))

    def force_dv(self, at: bough.Instant) -> Any:
        return {("a", "a"): -0.4, ("b", "b"): -0.4}


class Motor(bough.Force):
    def inputs(self) -> tuple[str, ...]:
        return ("torque",)

    def force(self, at: bough.Instant) -> Any:
        return {"b": at.u["torque"]}


class Rod(bough.Constraint):
    def value(self, at: bough.Instant) -> Any:
        d = at.position("tip") - at.position("anchor")
        return np.sqrt(d @ d) - 1.5


class RodByHand(Rod):
    def gradient(self, at: bough.Instant) -> Any:
        d = at.position("tip") - at.position("anchor")
        return (at.position_dq("tip") - at.position_dq("anchor")) @ d / np.sqrt(d @ d)


class Weld(bough.Constraint):
    rows = 2

    def value(self, at: bough.Instant) -> Any:
        return (at.position("tip") - np.array([1.2, 0.0, -1.0]))[[0, 2]]


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


# --- what goes wrong in a function of the user ---


class Late(bough.Force):
    """Raises when the time has come."""

    def __init__(self, t: float) -> None:
        self.t = t

    def force(self, at: bough.Instant) -> Any:
        if at.t > self.t:
            raise RuntimeError(f"too late: {at.t:g}")
        return {"a": -at.v["a"]}


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "dop853"])
def test_an_exception_keeps_the_motion_before_it(integrator: str):
    with pytest.raises(RuntimeError, match="too late") as caught:
        bough.simulate(arm(Late(0.5)), q=START, duration=1.0, dt=0.01, integrator=integrator)
    run = caught.value.trajectory  # type: ignore[attr-defined]
    assert run.status == "failed"
    assert 0.4 < run.t[-1] <= 0.51
    whole = bough.simulate(arm(Late(9.0)), q=START, duration=1.0, dt=0.01, integrator=integrator)
    np.testing.assert_allclose(run.q, whole.q[: len(run)], rtol=0, atol=1e-9)
    trace = caught.traceback[-1]
    assert trace.name == "force"  # the traceback leads to the line of the user


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "dop853"])
def test_a_result_of_the_wrong_shape_is_told_as_such(integrator: str):
    class Long(bough.Force):
        def force(self, at: bough.Instant) -> Any:
            return np.zeros(2 if at.t < 0.5 else 3)

    with pytest.raises(bough.ModelError, match="force of Long") as caught:
        bough.simulate(arm(Long()), q=START, duration=1.0, integrator=integrator)
    assert caught.value.trajectory.t[-1] > 0.4  # type: ignore[attr-defined]


def test_ctrl_c_in_a_function():
    class Stop(bough.Force):
        def force(self, at: bough.Instant) -> Any:
            if at.t > 0.5:
                raise KeyboardInterrupt
            return np.zeros(2)

    with pytest.raises(KeyboardInterrupt) as caught:
        bough.simulate(arm(Stop()), q=START, duration=1.0)
    assert caught.value.trajectory.status == "interrupted"  # type: ignore[attr-defined]


def test_an_exception_leaves_the_integrator_as_it_was():
    class Moody(bough.Potential):
        bad = False

        def energy(self, at: bough.Instant) -> Any:
            return at.q["a"] ** 2

        def gradient(self, at: bough.Instant) -> Any:
            if Moody.bad:
                raise ValueError("bad")
            return {"a": 2.0 * at.q["a"]}

        def hessian(self, at: bough.Instant) -> Any:
            return {("a", "a"): 2.0}

    vi = bough.MidpointVI(arm(Moody()), dt=0.01)
    state = vi.step(vi.start(START))
    Moody.bad = True
    with pytest.raises(ValueError, match="bad"):
        vi.step(state)
    Moody.bad = False
    assert vi.step(state) == bough.MidpointVI(arm(Moody()), dt=0.01).step(state)


def test_an_exception_comes_out_of_quantities():
    model = arm(Late(-1.0))
    with pytest.raises(RuntimeError, match="too late: 0"):
        model.acceleration(START, np.zeros(2))


def test_nothing_is_kept_alive():
    model = arm(Spring("tip", "anchor", K), Late(0.5))
    alive = weakref.ref(model)
    with contextlib.suppress(RuntimeError):
        bough.simulate(model, q=START, duration=1.0)
    del model
    gc.collect()
    assert alive() is None


def test_threads():
    model = arm(ByComplexStep(), FrictionByHand())
    expected = bough.simulate(model, q=START, duration=0.3).q
    runs: list[Any] = [None] * 4

    def work(i: int) -> None:
        runs[i] = bough.simulate(model, q=START, duration=0.3).q

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for run in runs:
        np.testing.assert_array_equal(run, expected)


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


# --- descriptions ---


class Plain(bough.Potential):
    """A class with an __init__ of its own."""

    frame_fields = ("frame",)

    def __init__(self, frame: Any, height: float) -> None:
        self.frame = frame
        self.height = height

    def energy(self, at: bough.Instant) -> Any:
        return self.height * at.position(self.frame)[2] ** 2


def push(t: float, q: Any, v: Any) -> Any:
    return -q["a"]


def test_pickle_and_file(tmp_path: Any):
    model = arm(Spring("tip", "anchor", K), Plain("tip", 2.0), bough.FunctionForce("a", push))
    copy = pickle.loads(pickle.dumps(model))
    assert copy == model
    run = bough.simulate(model, q=START, duration=0.1)
    np.testing.assert_array_equal(bough.simulate(copy, q=START, duration=0.1).q, run.q)
    loaded = bough.load_trajectory(run.save(tmp_path / "run.npz"))
    assert loaded.model == model
    np.testing.assert_array_equal(loaded.rerun().q, run.q)
    other = model.system.build()
    assert other == model


def test_frames_of_a_plain_class_are_bound():
    system = bough.System("arm")
    tip = system.world.ry("a").tz(-1.0, name="tip", mass=1.0)
    added = system.add(Plain(tip, 2.0))
    assert added.frame == "tip"
    assert system.build().potential_energy({"a": 0.0}) == pytest.approx(-9.81 + 2.0)


def test_a_function_without_a_name_still_simulates():
    model = arm(bough.FunctionForce("a", lambda t, q, v: -q["a"]))
    assert model == model.system.build()
    run = bough.simulate(model, q=START, duration=0.1)
    assert len(run) == 11
    with pytest.raises(bough.ModelError) as caught:
        run.save("nowhere.npz")
    assert str(caught.value) == (
        "description of function of FunctionForce\n"
        "  found: the function <lambda>, which is not made of numbers and strings\n"
        "  do: define the function at the top level of a module"
    )
    with pytest.raises(bough.ModelError, match="pickle of model 'arm'"):
        pickle.dumps(model)


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


def test_a_function_that_cannot_be_described_beside_a_constraint():
    """Units of the variables come from the frames: the function need not be described for them."""
    model = arm(
        bough.FunctionForce("a", lambda t, q, v: -v["a"]),
        bough.PointConstraint("tip", "anchor", (0, 0, 1), name="rail"),
    )
    guess = {"a": 1.0, "b": -2.0}
    q = model.assemble(guess).q
    assert abs(model.constraint(q)).max() < 1e-12
    assert model.mobility(q) == 1
    assert bough.simulate(model, q, duration=0.1).status == "finished"
    rest = model.equilibrium(guess)
    assert abs(model.constraint(rest.q)).max() < 1e-12
