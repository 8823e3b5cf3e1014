"""Derivatives of one variational step against central differences of the same step, and those of other packages.

The end of the step is known in `jacobians`, `vjp` and `hessian`, as after a roll-out. `hessian` makes the
Jacobians too. Of the same pendulums: crocoddyl's `calc` and `calcDiff` of an explicit Euler step, first derivatives
only, for a problem of as many nodes on one thread; Pinocchio's `computeABADerivatives`, accelerations without a
step; MuJoCo's `mjd_transitionFD`, differences of its Euler step. Of a chain whose end is held at a point: Pinocchio's
`constraintDynamics` and `computeConstraintDynamicsDerivatives`, which are called from Python. `gradient` is that of a
run of 1000 steps by all masses and lengths, for each step, beside the run itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

import bough
from benchmarks.harness import Contender, Row, interleave, require_equal
from benchmarks.systems import Array
from bough.control import Step
from bough.peers import mujoco, pinocchio, with_inertia

LINKS = (5, 10, 20, 40)
BATCH, DT, H = 50, 0.01, 1e-5


def rows() -> Iterator[Row]:
    for links in LINKS:
        model = bough.gallery.pendulum(links).build()
        q = np.linspace(0.2, 0.9, links)
        yield _row(f"pendulum of {links}", Step(model, DT), q, _peers(model, q))
    model, q = _loop(6)
    yield _row("closed loop of 6", Step(model, DT), q, _constrained_peer(model, q))
    model = bough.gallery.marionette().build()
    yield _row("marionette", Step(model, DT), model.assemble(q=model.start.q).q, [])
    yield _run_row(20)


def _row(name: str, step: Step, q: Array, peers: list[Contender]) -> Row:
    x = np.repeat(step.state(q)[None], BATCH, axis=0)
    x1, w = step(x), np.ones(x.shape[1])
    moves = np.eye(len(w))
    # Beside the constraints the step need not exist: momenta only are compared.
    A, across = step.jacobians(x[0])[0], slice(step.model.nq, None)
    require_equal("A", A[:, across], _differences(step, x[0], moves)[across].T, 1e-6)
    contenders = [
        Contender("step", lambda: step(x), BATCH),
        Contender("jacobians", lambda: step.jacobians(x, x1=x1), BATCH),
        Contender("hessian", lambda: step.hessian(x, None, w, x1=x1), BATCH),
        Contender("vjp", lambda: step.vjp(x, None, w, x1=x1), BATCH),
        Contender("differences", lambda: _differences(step, x[0], moves), 1),
        *peers,
    ]
    timings = interleave(contenders, seconds=2.0, rounds=(5, 200))
    return Row("step_derivatives", name, "step", timings, ours="jacobians", peer="differences")


def _differences(step: Step, x: Array, moves: Array) -> Array:
    return (step(x + H * moves) - step(x - H * moves)) / (2.0 * H)


def _peers(model: bough.Model, q: Array) -> list[Contender]:
    """What other packages make of the same chain; those that are not installed are left out."""
    found, v = [], np.zeros((BATCH, len(q)))
    if pinocchio.installed_version():
        peer, rows = pinocchio.Pinocchio(model), np.repeat(q[None], BATCH, axis=0)

        def derivatives() -> None:
            peer.loop("acceleration_derivatives", "local", rows, v, v)

        found.append(Contender("pinocchio ABA derivatives", derivatives, BATCH))
    if find_spec("crocoddyl") is not None:
        found.append(_crocoddyl(len(q), q))
    if mujoco.installed_version():
        found.append(_mujoco(model, q))
    return found


def _crocoddyl(links: int, q: Array) -> Contender:
    """calc and calcDiff of an Euler step of a chain as long, with a torque on every joint."""
    import crocoddyl
    import pinocchio as pin

    chain, parent = pin.Model(), 0
    for i in range(links):
        place = pin.SE3(np.eye(3), np.array([0.0, 0.0, -1.0 if i else 0.0]))
        parent = chain.addJoint(parent, pin.JointModelRY(), place, f"q{i}")
        chain.appendBodyToJoint(
            parent, pin.Inertia(1.0, np.array([0.0, 0.0, -1.0]), np.zeros((3, 3))), pin.SE3.Identity()
        )
    state = crocoddyl.StateMultibody(chain)
    costs = crocoddyl.CostModelSum(state)
    free = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, crocoddyl.ActuationModelFull(state), costs)
    action = crocoddyl.IntegratedActionModelEuler(free, DT)
    # A problem of as many nodes: the loop over them is that of crocoddyl, on one thread.
    x, u = np.concatenate([q, np.zeros(links)]), np.zeros(links)
    problem = crocoddyl.ShootingProblem(x, [action] * BATCH, action)
    problem.nthreads = 1
    xs, us = [x] * (BATCH + 1), [u] * BATCH

    def run() -> None:
        problem.calc(xs, us)
        problem.calcDiff(xs, us)

    return Contender("crocoddyl calc + calcDiff", run, BATCH)


def _loop(links: int) -> tuple[bough.Model, Array]:
    """A chain of hinges about two axes in turn, whose end is held at a point."""
    system = bough.System("closed loop", gravity=(0.0, 0.0, -9.81))
    at = system.world
    for i in range(links):
        hinge = at.rx(f"q{i}") if i % 2 else at.ry(f"q{i}")
        at = hinge.tz(-0.5, name=f"link{i}", mass=1.0, inertia=(0.02, 0.03, 0.01))
    q = np.linspace(0.3, 0.9, links)
    system.add(bough.PointConstraint(at, system.world.fixed(system.build().pose(at, q), name="anchor")))
    return system.build(), q


def _constrained_peer(model: bough.Model, q: Array) -> list[Contender]:
    """The same loop in Pinocchio, shown to have the same derivatives of its accelerations."""
    if find_spec("pinocchio") is None:
        return []
    import pinocchio as pin

    chain, parent = pin.Model(), 0
    for i in range(len(q)):
        place = pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.5 if i else 0.0]))
        joint = pin.JointModelRX() if i % 2 else pin.JointModelRY()
        parent = chain.addJoint(parent, joint, place, f"q{i}")
        inertia = pin.Inertia(1.0, np.array([0.0, 0.0, -0.5]), np.diag([0.02, 0.03, 0.01]))
        chain.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    tip, anchor = pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.5])), model.pose("anchor", q)
    held = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D,
        chain,
        parent,
        tip,
        0,
        pin.SE3(anchor[:3, :3], anchor[:3, 3]),
        pin.ReferenceFrame.LOCAL,
    )
    rows, data, row_data = (
        pin.StdVec_RigidConstraintModel(),
        chain.createData(),
        pin.StdVec_RigidConstraintData(),
    )
    rows.append(held)
    row_data.append(held.createData())
    pin.initConstraintDynamics(chain, data, rows, row_data)
    settings, zero = pin.ProximalSettings(1e-14, 0.0, 1), np.zeros(len(q))

    def derivatives(v: Array = zero) -> None:
        pin.constraintDynamics(chain, data, q, v, zero, rows, row_data, settings)
        pin.computeConstraintDynamicsDerivatives(chain, data, rows, row_data, settings)

    v = np.asarray(model.assemble(q, v=np.linspace(-1.0, 1.0, len(q))).v)
    derivatives(v)
    require_equal("a_dq", np.asarray(data.ddq_dq), model.acceleration_dq(q, v), 1e-8)
    require_equal("a_dv", np.asarray(data.ddq_dv), model.acceleration_dv(q, v), 1e-8)
    return [Contender("pinocchio constraint derivatives", derivatives, 1)]


def _mujoco(model: bough.Model, q: Array) -> Contender:
    import mujoco as mj

    solid = with_inertia(model.system, 0.01).build()  # MuJoCo has no point masses
    peer = mujoco.MuJoCo(solid, q, dt=DT, integrator="Euler")
    A: Any = np.zeros((2 * len(q), 2 * len(q)))
    return Contender(
        "mujoco transitionFD",
        lambda: mj.mjd_transitionFD(peer._compiled, peer._data, 1e-6, True, A, None, None, None),
        1,
    )


def _run_row(links: int) -> Row:
    """A run of 10 s, and the gradient of one number of it by all parameters."""
    system = bough.System("pendulum of parameters")
    at = system.world
    for i in range(links):
        length, mass = system.parameter(f"length{i}", 1.0), system.parameter(f"mass{i}", 1.0)
        at = at.ry(f"q{i}").tz(-length, name=f"bob{i}", mass=mass)
    model, q, steps = system.build(), np.linspace(0.2, 0.4, links), 1000

    def simulate() -> bough.Trajectory:
        return bough.simulate(model, q=q, duration=steps * DT, dt=DT)

    run = simulate()
    last = np.zeros_like(run.q)
    last[-1] = 1.0
    contenders = [
        Contender("run", simulate, steps),
        Contender("gradient", lambda: run.sensitivity(of={"q": last}), steps),
    ]
    timings = interleave(contenders, seconds=2.0, rounds=(5, 200))
    return Row(
        "step_derivatives", f"run of a pendulum of {links}", "step", timings, ours="gradient", peer="run"
    )
