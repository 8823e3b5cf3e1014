"""What a Model is: shapes, names, inputs by name, value semantics, pickling, threads, printing."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bough
from support.cases import SEEDS, Case, case
from support.quantities import QUANTITIES, core_value
from support.random_trees import random_state


def arm() -> bough.System:
    """Two links on a sliding base, the base prescribed."""
    system = bough.System("arm", gravity=(0.0, 0.0, -9.81))
    base = system.world.tx(bough.kinematic("slide"), name="base", mass=2.0)
    elbow = base.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-0.5, name="tip", mass=0.5, inertia=(0.1, 0.2, 0.15))
    return system


@pytest.fixture
def model() -> bough.Model:
    return arm().build()


def test_a_model_does_not_change() -> None:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    model = system.build()
    with pytest.raises(bough.ModelError) as caught:
        model.nq = 7
    assert str(caught.value) == (
        "nq = ... on model 'pendulum'\n"
        "  found: a model does not change once it is built\n"
        "  do: edit the System and build it again; model.system gives an editable copy"
    )
    assert model.nq == 1


def test_names_and_counts(model: bough.Model) -> None:
    assert model.name == "arm"
    assert model.variables == ("shoulder", "forearm", "slide")  # kinematic ones last, whatever their place
    assert (model.dynamic, model.kinematic) == (("shoulder", "forearm"), ("slide",))
    assert (model.nq, model.nd, model.nk) == (3, 2, 1)
    assert model.total_mass == 3.5
    assert {"world", "base", "elbow", "tip"} <= set(model.frames)
    assert len(model.frames) == 6
    assert [model.index(name) for name in model.variables] == [0, 1, 2]


SHAPES = {
    "pose": (4, 4),
    "pose_dq": (3, 4, 4),
    "pose_dqdq": (3, 3, 4, 4),
    "pose_derivative": (4, 4),
    "jacobian-body": (6, 3),
    "jacobian-spatial": (6, 3),
    "jacobian-hybrid": (6, 3),
    "body_velocity": (6,),
    "body_velocity_dq": (3, 6),
    "body_velocity_dv": (3, 6),
    "body_velocity_dqdq": (3, 3, 6),
    "body_velocity_dqdv": (3, 3, 6),
    "kinetic_energy": (),
    "potential_energy": (),
    "energy": (),
    "lagrangian": (),
    "momentum": (3,),
    "mass_matrix": (3, 3),
    "L_dq": (3,),
    "L_dv": (3,),
    "L_dqdq": (3, 3),
    "L_dqdv": (3, 3),
    "L_dvdv": (3, 3),
    "inverse_dynamics": (3,),
    "acceleration": (3,),
    "center_of_mass": (3,),
    "linear_momentum": (3,),
    "angular_momentum": (3,),
}


def three_variables() -> Case:
    """A random case with three variables."""
    return next(c for c in (case(seed, 3, shared=False) for seed in SEEDS) if c.nq == 3)


def test_every_quantity_has_its_shape() -> None:
    assert {quantity.name for quantity in QUANTITIES} == set(SHAPES)
    c = three_variables()
    for quantity in QUANTITIES:
        for axes in ((), (5,), (2, 3)):
            q, v = np.broadcast_to(c.q, (*axes, 3)), np.broadcast_to(c.v, (*axes, 3))
            value = core_value(quantity, c, c.frames[-1][1], q, v)
            assert value.shape == axes + SHAPES[quantity.name], quantity.name
            assert value.dtype == np.float64


def test_all_derivatives_in_one_call() -> None:
    c = three_variables()
    together = c.model.lagrangian_derivatives(c.q, c.v)
    for name in ("dq", "dv", "dqdq", "dqdv", "dvdv"):
        assert np.array_equal(getattr(together, name), getattr(c.model, f"L_{name}")(c.q, c.v)), name


def test_mappings_fill_up_with_zeros(model: bough.Model) -> None:
    q = np.array([0.3, 0.0, -0.2])
    v = np.array([0.0, 1.5, 0.0])
    by_name = {"slide": -0.2, "shoulder": 0.3}, {"forearm": 1.5}
    assert np.array_equal(model.configuration(by_name[0]), q)
    assert np.array_equal(model.pose("tip", by_name[0]), model.pose("tip", q))
    assert np.array_equal(model.L_dqdv(*by_name), model.L_dqdv(q, v))
    assert np.array_equal(
        model.inverse_dynamics(*by_name, {"slide": 2.0}), model.inverse_dynamics(q, v, [0, 0, 2])
    )
    expected = model.acceleration(q, v, force=[0.0, 0.7, 0.0], ak=[3.0])
    assert np.array_equal(model.acceleration(*by_name, force={"forearm": 0.7}, ak={"slide": 3.0}), expected)
    assert np.array_equal(model.mass_matrix({}), model.mass_matrix(np.zeros(3)))


def test_a_mapping_of_arrays_is_a_batch(model: bough.Model) -> None:
    angles = np.linspace(-1.0, 1.0, 5)
    poses = model.pose("tip", {"shoulder": angles, "slide": 0.5})
    assert poses.shape == (5, 4, 4)
    assert np.array_equal(poses[3], model.pose("tip", [angles[3], 0.0, 0.5]))


def test_frames_are_given_by_name_or_object() -> None:
    system = arm()
    model = system.build()
    tip = system.frame("tip")
    q = [0.1, 0.2, 0.3]
    assert np.array_equal(model.pose(tip, q), model.pose("tip", q))
    assert np.array_equal(model.jacobian(tip, q, kind="hybrid"), model.jacobian("tip", q, kind="hybrid"))
    nameless = tip.parent
    assert nameless is not None
    assert nameless.name is None
    assert np.array_equal(model.pose(nameless, q), model.pose(nameless.label, q))


def test_closed_form_of_the_double_pendulum() -> None:
    """By hand: two point masses on rods of one metre; y turns take -z towards -x, angles add up."""
    system = bough.System("double-pendulum", gravity=(0, 0, -9.81))
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    model = system.build()
    a, b, va, vb = 0.8, -0.3, 0.7, 1.1
    x = -np.sin(a) - np.sin(a + b)
    z = -np.cos(a) - np.cos(a + b)
    np.testing.assert_allclose(model.pose("tip", [a, b])[:3, 3], [x, 0.0, z], rtol=0, atol=1e-15)
    M = [[3.0 + 2.0 * np.cos(b), 1.0 + np.cos(b)], [1.0 + np.cos(b), 1.0]]
    np.testing.assert_allclose(model.mass_matrix([a, b]), M, rtol=1e-14)
    V = -9.81 * (2.0 * np.cos(a) + np.cos(a + b))
    np.testing.assert_allclose(model.potential_energy([a, b]), V, rtol=1e-14)
    bias = [
        -np.sin(b) * (2.0 * va * vb + vb**2) + 9.81 * (2.0 * np.sin(a) + np.sin(a + b)),
        np.sin(b) * va**2 + 9.81 * np.sin(a + b),
    ]
    np.testing.assert_allclose(model.inverse_dynamics([a, b], [va, vb], [0.0, 0.0]), bias, rtol=1e-14)
    expected = -np.linalg.solve(M, bias)
    np.testing.assert_allclose(model.acceleration([a, b], [va, vb]), expected, rtol=1e-13)


def test_a_model_may_have_kinematic_variables_only() -> None:
    """Nothing to solve for: accelerations are what they are told, forces still follow."""
    system = bough.System("crank", gravity=None)
    system.world.rz(bough.kinematic("turn"), mass=2.0, com=(0.5, 0, 0)).rx(bough.kinematic("spin"))
    model = system.build()
    assert (model.nd, model.nk) == (0, 2)
    assert np.array_equal(model.acceleration([0.3, 0], [1.0, 0], ak=[2.0, 1.0]), [2.0, 1.0])
    np.testing.assert_allclose(model.inverse_dynamics([0.3, 0], [1.0, 0], [2.0, 1.0]), [1.0, 0.0], atol=1e-15)


def test_gimbal_lock_is_reported_with_the_row() -> None:
    """At a middle Euler angle of a quarter turn, no torque can produce some accelerations."""
    system = bough.System("gyro")
    system.world.spherical("s", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.2, 0.25))
    model = system.build()
    fine, locked = [0.0, 0.1, 0.0], [0.0, np.pi / 2, 0.0]
    assert model.acceleration(fine, np.zeros(3)).shape == (3,)
    with pytest.raises(bough.ModelError, match="mass matrix is singular in this configuration") as error:
        model.acceleration([fine, locked], np.zeros(3))
    assert "row 1 of the batch" in error.value.found


def test_models_are_values() -> None:
    one, same = arm().build(), arm().build()
    assert one == same
    assert hash(one) == hash(same)
    assert len({one, same}) == 1
    heavier = arm()
    heavier.frame("tip").mass = 0.6
    lighter_world = arm()
    lighter_world.gravity = (0.0, 0.0, -1.62)
    assert one != heavier.build()
    assert one != lighter_world.build()
    assert one != "arm"


def test_editing_the_system_leaves_the_model(model: bough.Model) -> None:
    system = arm()
    built = system.build()
    before = built.mass_matrix(np.ones(3))
    system.frame("tip").mass = 9.0
    system.frame("tip").rz("wrist", mass=1.0, inertia=(1, 1, 1))
    assert np.array_equal(built.mass_matrix(np.ones(3)), before)
    assert built == model
    assert system.build() != model
    assert model.system.build() == model
    model.description["frames"].clear()  # a copy
    assert model.system.build() == model


@pytest.mark.parametrize("seed", SEEDS)
def test_pickle_keeps_every_bit(seed: int) -> None:
    c = case(seed)
    again = pickle.loads(pickle.dumps(c.model))
    assert again == c.model
    assert hash(again) == hash(c.model)
    assert again.frames == c.model.frames
    assert np.array_equal(again.L_dqdq(c.q, c.v), c.model.L_dqdq(c.q, c.v))
    assert np.array_equal(again.acceleration(c.q, c.v), c.model.acceleration(c.q, c.v))


def test_eight_threads_share_a_model() -> None:
    """Scratch memory is per thread: the results are those of one thread, bit for bit."""
    c = case(4, 12)
    frame = c.frames[-1][1]
    inputs = [random_state(c.nq, seed) for seed in range(64)]

    def work(state: tuple[np.ndarray, np.ndarray, np.ndarray]) -> list[np.ndarray]:
        q, v, a = state
        many_q, many_v = np.tile(q, (200, 1)), np.tile(v, (200, 1))  # long enough to overlap without the GIL
        m = c.model
        return [
            m.acceleration(many_q, many_v, force=a),
            m.L_dqdq(many_q, many_v),
            m.mass_matrix(many_q),
            m.inverse_dynamics(many_q, many_v, a),
            m.pose_dqdq(frame, q),
            m.body_velocity_dqdq(frame, q, v),
            m.angular_momentum(q, v),
        ]

    serial = [work(state) for state in inputs]
    with ThreadPoolExecutor(8) as pool:
        parallel = list(pool.map(work, inputs))
    for expected, actual in zip(serial, parallel, strict=True):
        for left, right in zip(expected, actual, strict=True):
            assert np.array_equal(left, right)


def test_two_models_in_one_thread_do_not_disturb_each_other() -> None:
    small, large = case(0, 2), case(1, 12)
    first = small.model.L_dqdq(small.q, small.v)
    other = large.model.L_dqdq(large.q, large.v)
    assert np.array_equal(small.model.L_dqdq(small.q, small.v), first)
    assert np.array_equal(large.model.L_dqdq(large.q, large.v), other)


def test_results_are_the_callers_own(model: bough.Model) -> None:
    M = model.mass_matrix(np.zeros(3))
    kept = M.copy()
    model.mass_matrix(np.ones(3))
    assert np.array_equal(M, kept)
    M[:] = 0.0
    assert np.array_equal(model.mass_matrix(np.zeros(3)), kept)


def test_printing(model: bough.Model) -> None:
    text = str(model)
    assert text.splitlines()[0] == "arm: 2 dynamic and 1 kinematic variables, mass 3.5 kg"
    rows = [line.split() for line in text.splitlines()]
    assert ["0", "shoulder", "dynamic"] in [row[:3] for row in rows]
    assert ["2", "slide", "kinematic"] in [row[:3] for row in rows]
    assert ["tip", "0.5", "0.1", "0.2", "0.15"] in rows
    assert repr(model) == "<Model 'arm': 2 dynamic and 1 kinematic variables, 6 frames>"


def test_printing_of_parameters_and_strings() -> None:
    """A parameter tells what it enters, and a string the order in which it passes its pulleys."""
    system = bough.System("hoist")
    length, k = system.parameter("length", 1.0), system.parameter("k", 2.0)
    system.world.ry("swing").tz(-length, name="hook", mass=0.5 * k)
    system.world.tx(0.4, name="wheel")
    system.world.tx(0.8).tz("lift", name="load", mass=1.0)
    system.add(bough.String("hook", "load", length=3.0, via=["wheel"], name="rope"))
    system.add(bough.LinearSpring("hook", "wheel", stiffness=k, rest_length=length, name="coil"))
    text = str(system.build())
    assert "  length     1      tz hook, rest_length of LinearSpring 'coil'\n" in text
    assert "  k          2      mass of hook, stiffness of LinearSpring 'coil'\n" in text
    assert "rope  hook, wheel, load  length 3" in text
