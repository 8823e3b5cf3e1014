"""Springs against the rotation of one frame relative to another."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from bough import ConfigurationSpring, System, TorsionSpring
from support.balls import derivative
from support.messages import check_message
from support.potential_checks import assert_energy_kept, assert_potential, random_pairs


def turn(a: np.ndarray, b: np.ndarray) -> float:
    return float(Rotation.from_matrix(a[:3, :3].T @ b[:3, :3]).magnitude())


def test_derivatives_in_space_on_random_trees() -> None:
    for system, q, a, b in random_pairs(8, lambda a, b: 0.2 < turn(a, b) < 2.4):
        system.add(TorsionSpring(a, b, 3.0))
        model = system.build()
        assert model.potential_energy(q) == pytest.approx(
            1.5 * turn(model.pose(a, q), model.pose(b, q)) ** 2, rel=1e-12
        )
        assert_potential(model, q)


def test_derivatives_about_an_axis_on_random_trees() -> None:
    """Also where the frames are tilted against each other."""
    axis = np.array([1.0, -2.0, 0.5])
    for system, q, a, b in random_pairs(8, lambda a, b: 0.2 < turn(a, b) < 2.0):
        system.add(TorsionSpring(a, b, 3.0, axis=axis, rest=0.3))
        model = system.build()
        relative = model.pose(a, q)[:3, :3].T @ model.pose(b, q)[:3, :3]
        x, y, z, w = Rotation.from_matrix(relative).as_quat()
        theta = 2.0 * np.arctan2(np.array([x, y, z]) @ axis / np.linalg.norm(axis), w)  # swing and twist
        difference = np.remainder(theta - 0.3 + np.pi, 2.0 * np.pi) - np.pi
        assert model.potential_energy(q) == pytest.approx(1.5 * difference**2, rel=1e-11)
        assert_potential(model, q)


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-6, 1e-3, 0.05, 0.0999, 0.1001, 0.5])
def test_smooth_at_zero(size: float) -> None:
    system = System("ball", gravity=None)
    ball = system.world.spherical("turn", mass=1.0, inertia=(1, 1, 1))
    system.add(TorsionSpring("world", ball, 2.0))
    model = system.build()
    q = size * np.array([0.6, -0.48, 0.64])
    assert_potential(model, q)
    if size == 0.0:
        np.testing.assert_allclose(-model.L_dqdq(q, np.zeros(3)), 2.0 * np.eye(3), atol=1e-15)


def two_wheels(element: TorsionSpring | None = None, axis: str = "rz") -> System:
    system = System("wheels", gravity=None)
    for name in ("first", "second"):
        getattr(system.world.tx(0.5), axis)(name, name=name, mass=1.0, inertia=(0.2, 0.2, 0.2))
    if element is not None:
        system.add(element)
    return system


def test_wheels_on_one_axis() -> None:
    """The difference of the angles swings as a cosine, w^2 = k (1/I1 + 1/I2), and their sum moves on."""
    model = two_wheels(TorsionSpring("first", "second", 5.0, axis=(0, 0, 2), rest=0.4)).build()
    start = {"q": {"second": 1.5}, "v": {"first": 0.3, "second": 0.3}}
    run = bough.simulate(model, **start, duration=3.0, dt=0.05, integrator="dop853", rtol=1e-12, atol=1e-12)
    w = np.sqrt(5.0 * 2.0 / 0.2)
    np.testing.assert_allclose(run["second"] - run["first"], 0.4 + 1.1 * np.cos(w * run.t), atol=1e-9)
    np.testing.assert_allclose(run["second"] + run["first"], 1.5 + 0.6 * run.t, atol=1e-9)


@pytest.mark.parametrize(("axis", "vector"), [("rx", (1, 0, 0)), ("ry", (0, 1, 0)), ("rz", (0, 0, 1))])
def test_about_an_axis_it_is_the_spring_of_the_joint(axis: str, vector: tuple[int, int, int]) -> None:
    ours = two_wheels(TorsionSpring("world", "second", 5.0, vector, rest=-0.2), axis).build()
    backwards = two_wheels(TorsionSpring("world", "second", 5.0, [-x for x in vector], 0.2), axis).build()  # type: ignore[arg-type]
    theirs = two_wheels(None, axis)
    theirs.add(ConfigurationSpring("second", 5.0, -0.2))
    expected = theirs.build()
    for q in (-3.0, -1.0, 0.0, 0.7, 2.9):
        state = {"second": q}, {}
        for model in (ours, backwards):
            assert model.potential_energy(state[0]) == pytest.approx(
                expected.potential_energy(state[0]), rel=1e-13
            )
            np.testing.assert_allclose(model.L_dqdq(*state), expected.L_dqdq(*state), atol=1e-12)


def test_the_rest_angle_may_be_anywhere_on_the_circle() -> None:
    model = two_wheels(TorsionSpring("world", "second", 5.0, (0, 0, 1), rest=3.0)).build()
    assert model.potential_energy({"second": -3.0}) == pytest.approx(
        2.5 * (2.0 * np.pi - 6.0) ** 2, rel=1e-12
    )


def test_a_ball_swings_about_any_axis() -> None:
    """A body with the same inertia about all axes, let go at a turn A about n: A cos(w t) about n."""
    system = System("ball", gravity=None)
    ball = system.world.spherical("turn", mass=1.0, inertia=(0.5, 0.5, 0.5))
    system.add(TorsionSpring("world", ball, 2.0))
    model = system.build()
    n, A = np.array([2.0, -1.0, 2.0]) / 3.0, 0.7
    q = Rotation.from_rotvec(A * n).as_euler("ZYX")
    run = bough.simulate(model, q=q, duration=3.0, dt=0.05, integrator="dop853", rtol=1e-12, atol=1e-12)
    turned = Rotation.from_matrix(model.pose(ball.name or ball.label, run.q)[:, :3, :3]).as_rotvec()
    np.testing.assert_allclose(turned, A * np.cos(2.0 * run.t)[:, None] * n, atol=1e-9)


def sprung_ball(rest: object = 0.0, **options: object) -> System:
    system = System("ball", gravity=None)
    system.world.ball("hip").frame("leg", mass=1.0, inertia=(0.5, 0.5, 0.5))
    system.add(TorsionSpring("world", "leg", 2.0, rest=rest, **options))  # type: ignore[arg-type]
    return system


def test_the_rest_of_a_ball_in_any_form() -> None:
    """V = k/2 |log(R_rest^T R)|^2, and its torque is k times the logarithm, along the axes of the rates."""
    rest = Rotation.from_rotvec((0.4, -0.7, 0.2))
    x, y, z, w = rest.as_quat()
    forms = (rest, rest.as_matrix(), rest.as_rotvec(), (w, x, y, z))
    for form in forms:
        model = sprung_ball(form).build()
        for seed in range(4):
            q = model.random(seed)
            turn = rest.inv() * Rotation.from_quat(q[[1, 2, 3, 0]])
            assert model.potential_energy(q) == pytest.approx(turn.magnitude() ** 2, rel=1e-12)
            torque = model.L_dq(q, np.zeros(3))
            np.testing.assert_allclose(torque, -2.0 * turn.as_rotvec(), atol=1e-12)
            by_q = derivative(model, lambda x, model=model: model.L_dq(x, np.zeros(3)), q)
            np.testing.assert_allclose(model.L_dqdq(q, np.zeros(3)), by_q, atol=1e-7)


def test_a_sprung_ball_swings_about_its_rest() -> None:
    """With equal inertias, from a turn A n off the rest: A cos(w t) n; steps of any method find it at their order."""
    rest, n, A = Rotation.from_rotvec((0.4, -0.7, 0.2)), np.array([2.0, -1.0, 2.0]) / 3.0, 0.7
    model = sprung_ball(rest).build()
    start = {"hip": rest * Rotation.from_rotvec(A * n)}
    errors = []
    for dt in (0.02, 0.01):
        run = bough.simulate(model, q=start, duration=3.0, dt=dt)
        turn = (rest.inv() * run.rotation("hip")).as_rotvec()
        errors.append(np.abs(turn - A * np.cos(2.0 * run.t)[:, None] * n).max())
    assert 1.9 < np.log2(errors[0] / errors[1]) < 2.1
    run = bough.simulate(model, q=start, duration=3.0, dt=0.05, order=8)
    turn = (rest.inv() * run.rotation("hip")).as_rotvec()
    np.testing.assert_allclose(turn, A * np.cos(2.0 * run.t)[:, None] * n, atol=1e-10)


def test_half_turns() -> None:
    model = sprung_ball(name="ligament").build()
    check_message(
        lambda: bough.simulate(model, q={"hip": (0, 0, 1, 0)}, duration=1.0, dt=0.01),
        "start of a simulation of model 'ball'",
        "TorsionSpring 'ligament' is turned by half a turn there, where its torque has no direction",
        "start from another orientation, or turn the rest orientation of the spring",
    )
    with pytest.warns(
        bough.BoughWarning, match="'ligament' of 'ball' passes half a turn at t = 0.46 s"
    ) as caught:
        bough.simulate(model, v={"hip": (0.0, 8.0, 0.0)}, duration=1.0, dt=0.01)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bough.simulate(model, v={"hip": (0.0, 6.0, 0.0)}, duration=5.0, dt=0.01)  # turns back at 3 rad


def test_description_of_a_rest() -> None:
    system = sprung_ball((0.0, 0.3, 0.0))
    again = System.from_dict(system.to_dict())
    assert again.elements == system.elements
    assert system.elements[0].rest == pytest.approx((np.cos(0.15), 0.0, np.sin(0.15), 0.0))
    assert sprung_ball((1.0, 0.0, 0.0, 0.0)).elements[0].rest == 0.0


def test_energy() -> None:
    system = System("ball", gravity=None)
    ball = system.world.spherical("turn", mass=1.0, inertia=(0.5, 0.7, 0.9))
    system.add(TorsionSpring("world", ball, 4.0))
    assert_energy_kept(system.build(), np.array([0.3, 0.2, -0.4]), np.array([0.5, 1.0, 0.2]))


def test_description() -> None:
    system = two_wheels(TorsionSpring("first", "second", 5, (0, 0, 2), 0.5, name="shaft"))
    system.add(TorsionSpring("first", "world", 1))
    assert system.elements[0] == TorsionSpring("first", "second", 5.0, (0.0, 0.0, 1.0), 0.5, name="shaft")
    assert System.from_dict(system.to_dict()).elements == system.elements
    assert str(system).splitlines()[-2:] == [
        "TorsionSpring 'shaft'  first, second  stiffness 5, axis (0, 0, 1), rest 0.5",
        "TorsionSpring  first, world  stiffness 1, rest 0",
    ]


CASES = {
    "unknown frame": (
        lambda: two_wheels(TorsionSpring("first", "secund", 1.0)),
        "frame 'secund' in field 'b' of TorsionSpring",
        "no frame has this name; the nearest is 'second'",
        "correct the spelling",
    ),
    "one frame": (
        lambda: two_wheels(TorsionSpring("first", "first", 1.0)),
        "TorsionSpring between 'first' and 'first'",
        "both ends are on one frame, so that nothing depends on the configuration",
        "give two different frames",
    ),
    "negative stiffness": (
        lambda: TorsionSpring("first", "second", -1.0),
        "stiffness=-1.0 in TorsionSpring",
        "stiffness is negative",
        "give stiffness as zero or more, in N m/rad",
    ),
    "zero axis": (
        lambda: TorsionSpring("first", "second", 1.0, axis=(0, 0, 0), name="shaft"),
        "axis in TorsionSpring 'shaft'",
        "axis is (0, 0, 0), which has no direction",
        "give axis a component other than zero; its length does not matter",
    ),
    "rest that is no rotation": (
        lambda: TorsionSpring("first", "second", 1.0, rest=(0.0, 0.0, 0.0, 0.0)),
        "rest of TorsionSpring",
        "a quaternion of length 0",
        "give a quaternion (w, x, y, z) of length 1, w first; no rotation is (1, 0, 0, 0)",
    ),
    "rest without axis": (
        lambda: TorsionSpring("first", "second", 1.0, rest=0.5),
        "rest=0.5 in TorsionSpring",
        "no axis about which the rest angle is meant",
        "give axis as well, or as rest a quaternion (w, x, y, z), a 3x3 rotation matrix, a rotation vector of 3 numbers"
        " or a SciPy Rotation",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input(case: str) -> None:
    check_message(*CASES[case])
