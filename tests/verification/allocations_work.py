"""The work of test_allocations.py: run in a process of its own, prints name, allocations short, long."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import bough
from bough._core import core
from support.free_bodies import satellite
from support.mechanisms import assembled
from support.random_systems import Moving, random_system
from support.random_trees import random_tree

counter = ctypes.CDLL(sys.argv[1])
counter.allocation_count.restype = ctypes.c_ulong
count = counter.allocation_count


def compared(name: str, prepare: Callable[[int], Callable[[], Any]], short: int, long: int) -> None:
    """Print the allocations of two amounts of work, each the fewest of some runs.

    Python and NumPy keep small blocks for later use, so that the first runs ask for one or two more.
    """
    found = []
    for amount in (short, long):
        runs = []
        for _ in range(5):
            work = prepare(amount)
            before = count()
            work()
            runs.append(count() - before)
        found.append(min(runs))
    print(name, *found)


def gauss_steps(name: str, moving: Moving, order: int, dt: float = 0.01, halved: bool = False) -> None:
    """Through core.GaussStepper.run."""
    model = moving.model
    vi = bough.MidpointVI(model, dt, order=order)
    begin = vi.start(moving.q, moving.v)

    def prepare(amount: int) -> Callable[[], Any]:
        stepper = vi.new_stepper()
        stepper.start(0.0, begin.q, begin.p, begin.v[model.nd :])
        times = dt * (np.arange(amount)[:, None] + vi.node_times)
        k = np.ascontiguousarray(moving.k(times).reshape(amount, len(vi.node_times), model.nk))
        out, u = vi.buffers(amount), moving.u.reshape(1, -1)

        def work() -> None:
            status, done, *_, halvings, _ = stepper.run(amount, dt, k, u, 1, 0, *out, 0)
            assert (status, done) == (0, amount), name
            assert (halvings > 0) == halved, name

        return work

    compared(f"step: {name}", prepare, 500, 1000)


def steps(name: str, moving: Moving, method: int, halved: bool = False) -> None:
    """Through core.Stepper.run; with some steps halved, or none."""
    model = moving.model
    vi = bough.MidpointVI(model, 0.01) if method == 0 else bough.TrapezoidalVI(model, 0.01)
    begin = vi.start(moving.q, moving.v)

    def prepare(amount: int) -> Callable[[], Any]:
        stepper = vi.new_stepper()
        stepper.start(0.0, begin.q, begin.p, begin.v[model.nd :])
        k = np.ascontiguousarray(moving.k(0.01 * np.arange(1, amount + 1)).reshape(amount, model.nk))
        u = moving.u.reshape(1, -1)
        out = vi.buffers(amount)

        def work() -> None:
            status, done, *_, halvings, _ = stepper.run(amount, 0.01, k, u, 1, 0, *out, 0)
            assert (status, done) == (0, amount), name
            assert (halvings > 0) == halved, name

        return work

    compared(f"step: {name}", prepare, 1000, 2000)


def reduced_steps(name: str, model: bough.Model, u: np.ndarray) -> None:
    """Through core.ReducedStepper.run."""
    vi = bough.ReducedVI(model, 0.01)
    rng = np.random.default_rng(1)
    rates = 0.3 * rng.normal(size=len(model.shape_variables))
    rates[len(rates) - model.nk :] = 0.0
    begin = vi.of_state(vi.start(xi=0.5 * rng.normal(size=6), v=rates))

    def prepare(amount: int) -> Callable[[], Any]:
        stepper = vi.new_stepper()
        stepper.start(0.0, begin.g, begin.r, begin.mu, begin.p, begin.z)
        out = vi.buffers(amount)
        held = np.zeros((0, model.nk))

        def work() -> None:
            status, done, *_, halvings, _ = stepper.run(amount, 0.01, held, u.reshape(1, -1), 1, 0, *out, 0)
            assert (status, done, halvings) == (0, amount, 0), name

        return work

    compared(f"step: {name}", prepare, 1000, 2000)


def maximal_steps(name: str, moving: Moving, integrator: str, **options: Any) -> None:
    """Through core.MaximalEngine.run."""
    model = moving.model
    engine = bough.MaximalEngine(model, 1e-3, integrator, **options)
    v = model.velocity(moving.q, model.momentum(moving.q, moving.v)[: model.nd], moving.v[model.nd :])
    bodies = engine._bodies

    def prepare(amount: int) -> Callable[[], Any]:
        engine.start(moving.q, v)
        k = np.ascontiguousarray(moving.k(1e-3 * np.arange(1, amount + 1)).reshape(amount, model.nk))
        u = moving.u.reshape(1, -1)
        tails = ((), (model.nq,), (model.nq,), (model.nc,), *((len(engine.names), n) for n in (3, 4, 2)))
        out = [np.empty((amount, *tail)) for tail in tails]

        def work() -> None:
            status, done, *_ = bodies.core.run(bodies.method, amount, 1e-3, k, u, 1, 0, *out, 0)
            assert (status, done) == (0, amount), name

        return work

    compared(f"step: {name}", prepare, 300, 600)


def one_steps(name: str, moving: Moving, method: str, projecting: bool = False) -> None:
    """Through core.OneStep.run."""
    model = moving.model

    def prepare(amount: int) -> Callable[[], Any]:
        stepper = core.OneStep(model._core, method, 0.0, 0.0, projecting, 1e-14, 50)
        stepper.start(moving.q.copy(), moving.v[: model.nd].copy())
        motion = np.zeros((2 * amount + 1, 3, model.nk))
        u, out = moving.u.reshape(1, -1), np.empty((2, amount, model.nq))

        work_done = np.empty(amount)

        def work() -> None:
            status, done, *_ = stepper.run(0.0, 0, 0.002, amount, 0.002, motion, u, 1, 0, work_done, *out, 0)
            assert (status, done) == (0, amount), name

        return work

    compared(f"step: {name}", prepare, 1000, 2000)


def own_steps(name: str, moving: Moving, projecting: bool = False) -> None:
    """Through core.Dop853.run, with recorded instants between its steps."""
    model = moving.model

    def prepare(amount: int) -> Callable[[], Any]:
        limits = (1e-8, 1e-10, 0.002, 0.0)
        method = core.Dop853(model._core, *limits, (0.0, 0.0), projecting, [0.0] * model.nk, [], [])
        method.start(0.0, moving.q.copy(), moving.v[: model.nd].copy())
        times = np.linspace(0.0, 0.002 * amount, 3 * amount)
        u, out = moving.u.copy(), np.empty((2, len(times), model.nq))

        def work() -> None:
            status, row, raised = method.run(times[-1], u, 10 * amount, False, times, *out, 0)
            assert (status, row, raised) == (0, len(times), None), name

        return work

    compared(f"step: {name}", prepare, 300, 600)


def rows(name: str, quantity: Callable[..., Any], nq: int) -> None:
    """A quantity of a model over many rows, enough for NumPy to ask for every array anew."""
    rng = np.random.default_rng(0)

    def prepare(amount: int) -> Callable[[], Any]:
        q, v = rng.uniform(-1.0, 1.0, (2, amount, nq))
        return lambda: quantity(q, v)

    compared(f"rows: {name}", prepare, 1000, 4000)


def derivatives(name: str, moving: Moving, **options: Any) -> None:
    """Those of a step at many states near one, of first and second order."""
    step = bough.control.Step(moving.model, 0.01, **options)
    x = step.state(moving.q, moving.v)
    nx, c = len(x), np.concatenate([np.full(moving.model.nu, 0.3), x[moving.model.nd : moving.model.nq]])
    w = np.ones(nx)
    quantities: dict[str, Callable[[np.ndarray], Any]] = {
        "jacobians": lambda rows: step.jacobians(rows, c),
        "jvp": lambda rows: step.jvp(rows, c, w),
        "vjp": lambda rows: step.vjp(rows, c, w),
        "hessian": lambda rows: step.hessian(rows, c, w),
    }
    for what, quantity in quantities.items():

        def prepare(amount: int, quantity: Callable[[np.ndarray], Any] = quantity) -> Callable[[], Any]:
            rows = np.repeat(x[None], amount, axis=0)
            return lambda: quantity(rows)

        compared(f"derivatives: {what} {name}", prepare, 200, 800)


def four_bar(redundant: bool, speed: float = 0.0) -> Moving:
    system = bough.System("four-bar")
    first = system.world.ry("crank")
    first.tz(-0.25, mass=1.0, inertia=(0.02, 0.02, 0.01))
    second = first.tz(-0.5).ry("coupler")
    second.tz(-0.6, mass=2.0, inertia=(0.2, 0.2, 0.01))
    third = system.world.tx(1.0).ry("rocker")
    third.tz(-0.45, mass=1.5, inertia=(0.1, 0.1, 0.01))
    ends = second.tz(-1.2), third.tz(-0.9)
    for axis in [(1, 0, 0), (0, 0, 1)] + [(0, 1, 0), (1, 0, 1)] * redundant:
        system.add(bough.PointConstraint(*ends, axis=axis))
    q = assembled(system.build(), {"crank": 0.4, "coupler": -1.5, "rocker": 0.2})
    return Moving(system, q, np.array([speed, 0.0, 0.0]), np.zeros(0))


def block(friction: float, stop: float) -> Moving:
    """A block that slides down a slope and hits a stop, at which it stays."""
    system = bough.System("block", gravity=(3.3, 0.0, -9.2))
    body = system.world.tx("x").tz("z").ry("tilt", name="block", mass=1.0, inertia=(0.01, 0.01, 0.01))
    feet = [(-0.1, 0.0, -0.05), (0.1, 0.0, -0.05)]
    system.add(bough.PlaneContact(body, points=feet, friction=friction))
    system.add(bough.JointLimit("x", upper=stop))
    return Moving(system, np.array([0.0, 0.05, 0.0]), np.zeros(3), np.zeros(0))


def main() -> None:
    first = count()
    np.empty(1 << 20)
    print("control", count() - first, 0)

    bare = {"springs": False, "damping": False, "inputs": False, "shared": False, "kinematic": False}
    tree = random_system(3, 6, **bare | {"gravity": False})
    springy = random_system(3, 6, shared=False, kinematic=False)
    joints = bough.System.from_dict(tree.system.to_dict())
    joints.add(bough.Damping(0.2))
    for name in joints.dynamic:
        joints.add(bough.ConfigurationSpring(name, 5.0))
    pushed = bough.System.from_dict(springy.system.to_dict())
    pushed.add(bough.BodyWrench("n5", fx="push", tz=0.1))
    pushed.add(bough.HybridWrench("n5", fy=0.1))
    pushed.add(bough.SpatialWrench("n5", fz=0.1))
    pushed.add(bough.PointForce("n5", fx=0.1, point=(0.1, 0.2, 0.3)))
    pushed.add(bough.LinearDamper("n5", "world", 0.5))
    pushed.add(bough.Drag("n5", 0.5))
    forced = Moving(pushed, springy.q, springy.v, springy.u)
    steps("tree", tree, 0)
    steps("joint springs and damping", Moving(joints, tree.q, tree.v, tree.u), 0)
    steps("springs between links", springy, 0)
    steps("forces on frames", forced, 0)
    steps("shared and kinematic variables", random_system(7, 8), 0)
    steps("constraints", four_bar(False), 0)
    steps("redundant constraints", four_bar(True), 0)
    steps("halved", four_bar(False, speed=12.5), 0, halved=True)
    steps("contacts that stick", block(0.5, 1.0), 0)
    steps("contacts that slide", block(0.3, 1e9), 0)
    steps("trapezoidal", springy, 1)
    steps("trapezoidal with forces on frames", forced, 1)
    steps("trapezoidal with constraints", four_bar(False), 1)
    gauss_steps("order 4", tree, 4)
    gauss_steps("order 6 with forces on frames", forced, 6)
    gauss_steps("order 8 with shared and kinematic variables", random_system(7, 8), 8)
    gauss_steps("order 4 with constraints", four_bar(False), 4)
    gauss_steps("order 6 with redundant constraints", four_bar(True), 6)
    rigid = bough.System.from_dict(tree.system.to_dict())
    for name in rigid.dynamic:
        rigid.add(bough.ConfigurationSpring(name, 1e5))
    gauss_steps("order 4 of a stiff system", Moving(rigid, 0.1 * tree.q, tree.v, tree.u), 4)
    thrusting = satellite()
    thrusting.add(bough.BodyWrench("body", fx="push", tz=0.1))
    thrusting.add(bough.LinearDamper("tip", "world", 0.5))
    thrusting.add(bough.LinearSpring("tip", "world", 2.0, 0.3))
    thrusting.add(bough.Damping({"elbow": 0.1}))
    reduced_steps("reduced", random_tree(1, 6, floating=True).system().build(), np.zeros(0))
    reduced_steps("reduced with forces on frames", thrusting.build(), np.array([0.2]))
    one_steps("semi-implicit-euler", forced, "semi-implicit-euler")
    one_steps("rk4", random_system(7, 8), "rk4")
    one_steps("rk4 with constraints and projection", four_bar(True), "rk4", projecting=True)
    own_steps("dop853", random_system(7, 8))
    own_steps("dop853 with constraints and projection", four_bar(True), projecting=True)
    one_steps("implicit-midpoint", forced, "implicit-midpoint")
    stiff = bough.System.from_dict(tree.system.to_dict())
    for name in stiff.dynamic:
        stiff.add(bough.ConfigurationSpring(name, 1e6))
    one_steps(
        "implicit-midpoint of a stiff system", Moving(stiff, tree.q, tree.v, tree.u), "implicit-midpoint"
    )

    maximal_steps("velocity", forced, "velocity")
    maximal_steps("velocity with shared and kinematic variables", random_system(7, 8), "velocity")
    maximal_steps(
        "velocity with constraints, projected", four_bar(True), "velocity", stabilization="projection"
    )
    maximal_steps("penalty-explicit", four_bar(False), "penalty-explicit")
    maximal_steps("penalty-implicit", four_bar(False), "penalty-implicit")

    model, loop = springy.model, four_bar(True).model
    rows("acceleration", model.acceleration, model.nq)
    rows("generalized_force_dq", forced.model.generalized_force_dq, forced.model.nq)
    rows("acceleration with constraints", loop.acceleration_and_multipliers, loop.nq)
    rows("mass_matrix", lambda q, v: model.mass_matrix(q), model.nq)
    rows("lagrangian_derivatives", model.lagrangian_derivatives, model.nq)
    rows("inverse_dynamics", lambda q, v: model.inverse_dynamics(q, v, v), model.nq)
    rows("pose", lambda q, v: model.pose("n5", q), model.nq)
    rows("velocity", lambda q, v: loop.velocity(q, v), loop.nq)
    rows("constraint_dq", lambda q, v: loop.constraint_dq(q), loop.nq)

    derivatives("of a tree", springy)
    derivatives("of a trapezoidal step", tree, integrator="trapezoidal")
    derivatives("with constraints", four_bar(False))
    derivatives("of a composed step", tree, integrator="trapezoidal", order=4)
    derivatives("with forces on frames", forced)

    vi = bough.MidpointVI(tree.model, 0.01)

    def by_hand(amount: int) -> Callable[[], Any]:
        def work() -> None:
            state = vi.start(tree.q, tree.v)
            for _ in range(amount):
                state = vi.step(state)

        return work

    compared("allocating work", by_hand, 1000, 2000)


main()
