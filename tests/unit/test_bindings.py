"""The compiled core reads and writes nothing beyond the arrays that Python passes, whatever their lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bough
from bough._core import core


def arm() -> bough.Model:
    system = bough.System("arm")
    base = system.world.free("base", name="base", mass=3.0, inertia=(0.1, 0.2, 0.3))
    base.tx(bough.kinematic("slide")).ry("angle").tz(-1.0, name="tip", mass=1.0, inertia=(0.1, 0.2, 0.15))
    system.add(bough.ConfigurationForce("angle", "torque"))
    return system.build()


def wire() -> bough.Model:
    system = bough.System("wire")
    system.world.tx("x").tz("z", name="bob", mass=1.0)
    system.world.ty(bough.kinematic("y"), name="nail")
    system.add(bough.DistanceConstraint("bob", "nail", 1.0))
    system.add(bough.ConfigurationForce("x", "push"))
    return system.build()


def refuses(function: Callable[..., Any], *arguments: Any) -> None:
    """Raise unless the call works, and is refused with any one of its arrays a little shorter."""
    function(*arguments)
    checked = 0
    for place, array in enumerate(arguments):
        if not isinstance(array, np.ndarray) or array.size == 0 or array.dtype != np.float64:
            continue
        rows = array.reshape(len(array), -1)
        short = np.ascontiguousarray(rows[:, :-1] if rows.shape[1] > 1 else array[:-1])
        with pytest.raises((ValueError, IndexError)):
            function(*arguments[:place], short, *arguments[place + 1 :])
        checked += 1
    assert checked


B = 3  # rows of a batch


def quantities(model: bough.Model) -> dict[str, tuple[Any, ...]]:
    n, nd, nu, nc = model.nq, model.nd, model.nu, model.nc
    random = np.random.default_rng(0)
    q, v, a = random.uniform(0.2, 0.8, (3, B, n))
    u, t, p = np.zeros((B, nu)), np.zeros(B), np.zeros((B, nd))

    def out(*tail: int) -> Any:
        return np.empty((B, *tail))

    return {
        "kinetic_energy": (q, v, out()),
        "potential_energy": (q, out()),
        "potential_energy_dqdqdq": (q, out(n, n, n)),
        "center_of_mass": (q, out(3)),
        "spatial_momentum": (q, v, out(6)),
        "lagrangian_gradient": (q, v, out(n), out(n)),
        "lagrangian_hessians": (q, v, out(n, n), out(n, n), out(n, n)),
        "mass_matrix": (q, out(n, n)),
        "inverse_dynamics": (q, v, a, out(n)),
        "acceleration": (q, v, a, u, t, 0.0, 0.0, out(n), out(nc)),
        "velocity_from_momentum": (q, p, t, out(n)),
        "constraint": (q, t, out(nc), out(nc)),
        "constraint_dq": (q, t, out(nc, n)),
        "constraint_dt": (q, t, out(nc)),
        "constraint_dqdq": (q, t, out(nc, n, n)),
        "constraint_dqdqdq": (q, t, out(nc, n, n, n)),
        "generalized_force": (q, v, u, t, out(n)),
        "generalized_force_dq": (q, v, u, t, out(n, n)),
        "generalized_force_dv": (q, v, u, t, out(n, n)),
        "pose": (1, q, out(4, 4)),
        "pose_dq": (1, q, out(n, 4, 4)),
        "pose_dqdq": (1, q, out(n, n, 4, 4)),
        "body_velocity": (1, q, v, out(6)),
        "body_velocity_dq": (1, q, v, out(n, 6)),
        "body_velocity_dqdq": (1, q, v, out(n, n, 6)),
        "body_velocity_dqdv": (1, q, v, out(n, n, 6)),
        "poses": (np.array([0, 1], dtype=np.int32), q, out(2, 4, 4)),
        "pose_derivative": (1, q, np.array([0, 1], dtype=np.int32), out(4, 4)),
        "jacobian": (1, core.JacobianKind.spatial, q, out(6, n)),
        "static_force_size": (q, u, t, out(n)),
        "check_steps": (
            t,
            q,
            p,
            v,
            u,
            t.copy(),
            True,
            False,
            -1,
            np.zeros((B, 1)),
            np.zeros((B, 0)),
            np.zeros((B, 2)),
            t.copy(),
        ),
    }


@pytest.mark.parametrize("name", quantities(wire()))
def test_quantities(name: str) -> None:
    model = wire()
    refuses(getattr(core, name), model._core, *quantities(model)[name])


def test_an_output_may_be_left_out_of_the_hessians() -> None:
    model = wire()
    q, v, first, *_ = quantities(model)["lagrangian_hessians"]
    none = np.empty((0, 0, 0))
    core.lagrangian_hessians(model._core, q, v, first, none, none)


@pytest.mark.parametrize("frame", [-1, 10**6])
def test_frames(frame: int) -> None:
    model = wire()
    q, v = np.zeros((2, 1, model.nq))
    with pytest.raises(IndexError):
        core.pose(model._core, frame, q, np.empty((1, 4, 4)))
    with pytest.raises(IndexError):
        core.body_velocity(model._core, frame, q, v, np.empty((1, 6)))
    with pytest.raises(IndexError):
        core.poses(model._core, np.array([frame], dtype=np.int32), q, np.empty((1, 1, 4, 4)))


@pytest.mark.parametrize("variable", [-1, 3])
def test_variables(variable: int) -> None:
    model = wire()
    with pytest.raises(IndexError):
        core.pose_derivative(
            model._core, 1, np.zeros((1, 3)), np.array([0, variable], dtype=np.int32), np.empty((1, 4, 4))
        )


def test_a_kind_is_a_member_of_its_enumeration() -> None:
    with pytest.raises(TypeError):
        core.jacobian(wire()._core, 1, 3, np.zeros((1, 3)), np.empty((1, 6, 3)))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        core.tau(2, np.zeros((1, 6)), np.empty((1, 4, 4)))  # type: ignore[arg-type]


STEPS = 4


def test_gauss_stepper() -> None:
    vi = bough.MidpointVI(wire(), dt=0.01, order=6)
    stepper = vi.new_stepper()
    q, p, vk = np.array([0.0, -1.0, 0.0]), np.zeros(2), np.zeros(1)
    refuses(stepper.start, 0.0, q, p, vk)
    stepper.start(0.0, q, p, vk)
    k, u = np.zeros((STEPS, 3, 1)), np.zeros((STEPS, 3, 1))
    buffers = (np.empty(STEPS), np.empty((STEPS, 3)), np.empty((STEPS, 2)))
    refuses(stepper.run, STEPS, 0.01, k, u, 1, 0, *buffers, 0)


@pytest.mark.parametrize("order", [-2, 0, 2, 5, 10, 2**30])
def test_orders(order: int) -> None:
    model = wire()
    with pytest.raises(ValueError, match="order"):
        core.gauss_times(order)
    with pytest.raises(ValueError, match="order"):
        core.GaussStepper(model._core, 1e-11, 1e-11, 20, 3, order)


def test_variational_stepper() -> None:
    model = wire()
    vi = bough.MidpointVI(model, dt=0.01)
    stepper = vi.new_stepper()
    q, p, vk = np.array([0.0, -1.0, 0.0]), np.zeros(2), np.zeros(1)
    refuses(stepper.start, 0.0, q, p, vk)
    refuses(stepper.configurations, 0.0, q, 0.01, q, np.zeros(1))
    stepper.start(0.0, q, p, vk)
    k, u = np.zeros((STEPS, 1)), np.zeros((STEPS, 1))
    refuses(stepper.run, STEPS, 0.01, k, u, 1, 0, *vi.buffers(STEPS), 0)
    refuses(stepper.run, STEPS, 0.01, k, u, 2, 1, *vi.buffers(4), 2)  # two more rows, from the second on
    nothing = np.zeros((0, 1))
    with pytest.raises(ValueError, match="too short"):
        stepper.run(STEPS, 0.01, k, nothing, 1, 0, *vi.buffers(STEPS), 0)
    for steps, every, phase, row in (
        (-1, 1, 0, 0),
        (1, 0, 0, 0),
        (1, 1, -1, 0),
        (1, 1, 0, -1),
        (2**62, 1, 0, 0),
    ):
        with pytest.raises(ValueError, match=r"steps of a run|too short"):
            stepper.run(steps, 0.01, k, u, every, phase, *vi.buffers(STEPS), row)


@pytest.mark.parametrize("order", [2, 4])
def test_states_of_the_core(order: int) -> None:
    vi = bough.MidpointVI(wire(), dt=0.01, order=order)
    state = vi.step(vi.start(q={"z": -1.0}), {"push": 0.3})
    memory, stepper = state._memory, vi.new_stepper()
    numbers = memory.numbers()
    again = type(memory)(numbers)
    assert again.numbers() == numbers
    assert stepper.load(again)
    for changed in (
        [],
        numbers[:-1],
        [*numbers, 0.0],
        numbers[1:],
        [0.5] * len(numbers),
        [1e300] * len(numbers),
    ):
        with pytest.raises(ValueError, match="not the memory of a state"):
            type(memory)(changed)
    for place in range(len(numbers)):  # one number changed: not a state, or not one of this model, or loaded
        for value in (-1.0, 0.5, 1e9, float("nan")):
            try:
                stepper.load(type(memory)([*numbers[:place], value, *numbers[place + 1 :]]))
            except ValueError as error:
                assert str(error) == "not the memory of a state"  # noqa: PT017
    other = bough.MidpointVI(arm(), dt=0.01, order=order)
    assert not other.new_stepper().load(memory)
    assert other.new_stepper().advance(memory, None, None, 0.01) is None
    kind = type(vi.runner(state)._core)
    with pytest.raises(ValueError, match="another model"):
        kind(other.new_stepper(), memory)
    v = np.empty(3)
    assert memory.velocity(vi.model._core, v) == -1
    assert np.array_equal(v, vi.model.velocity(memory.q, memory.p, memory.vk, memory.t))
    with pytest.raises(ValueError, match="too short"):
        memory.velocity(vi.model._core, np.empty(2))
    with pytest.raises(ValueError, match="wrong length"):
        memory.velocity(other.model._core, np.empty(20))
    for lengths in ((0, 1), (1, 0), (2, 1), (1, 2)):
        with pytest.raises(ValueError, match="wrong length"):
            stepper.save(*(np.zeros(n) for n in lengths))


def test_steps_that_the_core_leaves_to_python() -> None:
    vi = bough.MidpointVI(wire(), dt=0.01)
    start, stepper = vi.start(q={"z": -1.0})._memory, vi.new_stepper()
    u, k = np.array([0.3]), np.array([0.01])
    assert stepper.advance(start, u, k, 0.01) is not None
    assert stepper.advance(start, None, None, np.float64(0.01)) is not None
    for other in (
        (None, u, k, 0.01),
        ("state", u, k, 0.01),
        (start, [0.3], k, 0.01),
        (start, u, {"length": 0.01}, 0.01),
        (start, u, k[:0], 0.01),
        (start, np.array([np.nan]), k, 0.01),
        (start, u, lambda t: k, 0.01),
        (start, u, k, 1),
        (start, u, k, 0.0),
        (start, u, k, -0.01),
        (start, u, k, 1e-300),
        (start, u, k, float("inf")),
        (start, u, k, float("nan")),
    ):
        assert stepper.advance(*other) is None


def test_reduced_stepper() -> None:
    model = arm()
    vi = bough.ReducedVI(model, dt=0.01)
    stepper = vi.new_stepper()
    nr, n = len(model.shape_variables), 6 + len(model.shape_variables)
    refuses(stepper.start, 0.0, np.eye(4), np.zeros(nr), np.zeros(6), np.zeros(nr - 1), np.zeros(n))
    stepper.start(0.0, np.eye(4), np.zeros(nr), np.zeros(6), np.zeros(nr - 1), np.zeros(n))
    k, u = np.zeros((STEPS, 1)), np.zeros((STEPS, 1))
    refuses(stepper.run, STEPS, 0.01, k, u, 1, 0, *vi.buffers(STEPS), 0)
    memory = stepper.state()
    stepper.restore(memory)
    for place, part in enumerate(memory):
        if isinstance(part, list):
            for changed in (part[:-1], part * 20, []):
                with pytest.raises(ValueError, match=r"length|memory"):
                    stepper.restore((*memory[:place], changed, *memory[place + 1 :]))


def test_reduced_quantities() -> None:
    model = arm()
    nr, n = len(model.shape_variables), 6 + len(model.shape_variables)
    g = np.tile(np.eye(4), (B, 1, 1))
    r, z, mu, p = np.zeros((B, nr)), np.zeros((B, n)), np.zeros((B, 6)), np.zeros((B, nr - 1))
    refuses(core.reduced_momenta, model._core, g, r, z, mu.copy(), p.copy())
    refuses(core.reduced_velocities, model._core, g, r, mu, p, z.copy())
    q = np.full((B, model.nq), 0.1)
    refuses(core.base_pose, model._core, q, g.copy())
    refuses(core.base_coordinates, model._core, g, np.zeros(6), mu.copy())
    for name in ("base_twist", "base_rates", "base_momenta"):
        refuses(getattr(core, name), model._core, q, mu, mu.copy())
    blocks = ((6, 6), (nr, nr), (6, nr), (nr, nr))
    outputs = [np.zeros((B, *(nr,) * k, *block)) for k in range(3) for block in blocks]
    core.reduced_tensors(model._core, 2, r, outputs)
    for place, output in enumerate(outputs):
        with pytest.raises(ValueError, match="too short"):
            core.reduced_tensors(model._core, 2, r, [*outputs[:place], output[:-1], *outputs[place + 1 :]])
    with pytest.raises(ValueError, match="outputs"):
        core.reduced_tensors(model._core, 2, r, outputs[:8])
    for name in ("dtau", "dtau_inverse"):
        refuses(getattr(core, name), core.Retraction.exp, mu, np.zeros((B, 6, 6)))
    for name in ("dtau_derivative", "dtau_inverse_derivative"):
        refuses(getattr(core, name), core.Retraction.exp, mu, mu, np.zeros((B, 6, 6)))
    refuses(core.tau, core.Retraction.exp, mu, g.copy())
    refuses(core.tau_inverse, core.Retraction.exp, g, mu.copy())


def test_one_step() -> None:
    model = wire()
    stepper = core.OneStep(model._core, "rk4", 0.0, 0.0, False, 1e-14, 50)
    refuses(stepper.start, np.array([0.0, -1.0, 0.0]), np.zeros(2))
    stepper.start(np.array([0.0, -1.0, 0.0]), np.zeros(2))
    refuses(stepper.state, np.zeros(3), np.zeros(2))
    motion, u = np.zeros((2 * STEPS + 1, 3, 1)), np.zeros((STEPS, 1))
    buffers = (np.zeros(STEPS), np.zeros((STEPS, 3)), np.zeros((STEPS, 3)))
    refuses(stepper.run, 0.0, 0, 0.01, STEPS, 0.01, motion, u, 1, 0, *buffers, 0)


def test_bodies() -> None:
    engine = bough.MaximalEngine(wire(), dt=0.01)
    engine.start(q={"z": -1.0})
    bodies = engine._bodies
    refuses(bodies.core.start, 0.0, np.array([0.0, -1.0, 0.0]), np.zeros(3))
    refuses(bodies.core.record, *bodies.buffers(2), 1)
    k, u = np.zeros((STEPS, 1)), np.zeros((STEPS, 1))
    t, q, v, x, o, drift = bodies.buffers(STEPS)
    refuses(bodies.core.run, 0, STEPS, 0.01, k, u, 1, 0, t, q, v, np.zeros((STEPS, 1)), x, o, drift, 0)
    refuses(bodies.core.add_no_slip, True, 2, np.zeros(3), 0.1, np.array([0.0, 0.0, 1.0]), 0.0)


def test_planning() -> None:
    system = bough.System("free", gravity=None)
    base = system.world.free("base", mass=3.0, inertia=(0.1, 0.2, 0.3))
    base.rx("a").tz(1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    model = system.build()
    n, nx, nz, K = 1, 8, 9, STEPS
    mu, rates, r, g = np.zeros(6), np.zeros((K, n)), np.zeros((K + 1, n)), np.tile(np.eye(4), (K + 1, 1, 1))
    for short in (
        (mu, rates, r[:-1], g),
        (mu, rates[:-1], r, g),
        (mu[:-1], rates, r, g),
        (mu, rates, r, g[:-1].copy()),
    ):
        with pytest.raises(ValueError, match="too short"):
            core.reconstruct(model._core, 0.1, True, *short, np.empty((K, n)), np.empty((K, n)))
    core.reconstruct(model._core, 0.1, True, mu, rates, r, g, np.empty((K, n)), np.empty((K, n)))
    rest = [np.zeros((K, n)), np.zeros((K, nz))]
    out = [
        np.empty((K, nx, nz)),
        np.empty((K, n, nz)),
        np.empty((K, nz, nz)),
        np.zeros((K + 1, nx)),
        np.empty((K, n)),
    ]
    refuses(
        lambda direct, *arrays: core.differentiate(
            model._core, 0.1, True, mu, rates, g, r, rest[0], direct, *arrays
        ),
        rest[1],
        *out,
    )
    J, H, b = np.zeros((K, 2, 3)), np.tile(np.eye(3), (K, 1, 1)), np.zeros((K, 3))
    S, c = np.eye(2), np.zeros((2, 1))
    gains = [np.zeros((K, 1, 2)), np.zeros((K, 1, 1))]
    refuses(
        lambda *arrays: core.stagewise_backward(J, *arrays[:4], 0.0, *arrays[4:]),
        H, b, S, c, *gains, np.empty((2, 2)), np.empty((2, 1)),
    )  # fmt: skip
    motion = [np.zeros((K + 1, 2, 1)), np.empty((K, 1, 1))]
    refuses(lambda *arrays: core.stagewise_forward(J, *arrays), *gains, *motion)
