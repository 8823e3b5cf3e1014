"""The cost of a single call from Python, as in control loops, learning and notebooks: a step, a quantity.

The systems are so small that the call dominates. Every engine gets arrays and leaves its result where its
users find it: bough in a new array, or in the arrays of its runner, Pinocchio and MuJoCo in their data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mujoco
import numpy as np
import pinocchio

import bough
from benchmarks import ours
from benchmarks.harness import Contender, Row, interleave, require_equal
from benchmarks.systems import Array, pendulum
from bough.model.model import Model
from bough.peers.links import Links
from bough.peers.mujoco import MuJoCo

CALLS = 200  # number of calls in one round
DT = 0.01
Call = Callable[[], object]


def rows() -> Iterator[Row]:
    for model in (cart_pole(), ours.build(pendulum(10))):
        engines = Engines(model)
        engines.verify()
        for what, calls in engines.calls().items():
            names = list(calls)
            timings = interleave([_contender(name, call) for name, call in calls.items()])
            yield Row("python_calls", f"{model.name}: {what}", "call", timings, "bough", names[-1])


def cart_pole() -> Model:
    """The cart and pole of the gallery with a rod that has some thickness, which MuJoCo asks for; no input."""
    system = bough.System("cart_pole")
    cart = system.world.tx("x", name="cart", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    cart.ry("angle").tz(0.5, name="pole", mass=0.1, inertia=(1 / 120, 1 / 120, 1e-4))
    return system.build()


class Engines:
    """One tree in three engines, and the calls that are compared."""

    def __init__(self, model: Model) -> None:
        system = model.system
        for name in model.variables:
            system.add(bough.ConfigurationForce(name, f"force of {name}"))
        self.model = system.build()  # the same with an input on every variable
        self.frame = model.frames[-1]
        rng = np.random.default_rng(5)
        self.q, self.v, self.x = rng.uniform(-0.5, 0.5, (3, model.nq))
        self.pin, self.pin_frame = _pinocchio(model, self.frame)
        self.pin_data = self.pin.createData()
        self.mujoco = MuJoCo(model, self.q, self.v, dt=DT)
        self.mj, self.mj_data = self.mujoco._compiled, self.mujoco._data

    def verify(self) -> None:
        """Stop unless the engines compute the same."""
        model, q, v, x = self.model, self.q, self.v, self.x
        acceleration = model.acceleration(q, v, x)
        require_equal("aba", acceleration, pinocchio.aba(self.pin, self.pin_data, q, v, x))
        require_equal(
            "rnea", model.inverse_dynamics(q, v, x), pinocchio.rnea(self.pin, self.pin_data, q, v, x)
        )
        require_equal("mass matrix", model.mass_matrix(q), pinocchio.crba(self.pin, self.pin_data, q))
        require_equal("bias", model.bias(q, v), pinocchio.nonLinearEffects(self.pin, self.pin_data, q, v))
        pinocchio.framesForwardKinematics(self.pin, self.pin_data, q)
        require_equal("pose", model.pose(self.frame, q), self.pin_data.oMf[self.pin_frame].homogeneous)
        local = pinocchio.computeFrameJacobian(self.pin, self.pin_data, q, self.pin_frame)
        require_equal("Jacobian", model.jacobian(self.frame, q), local[[3, 4, 5, 0, 1, 2]])
        require_equal("mj_forward", model.acceleration(q, v), self.mujoco.acceleration(q, v))

    def calls(self) -> dict[str, dict[str, Call]]:
        """The calls that are timed: that of bough first, the peer for the ratio last."""
        model, q, v, x, frame = self.model, self.q, self.v, self.x, self.frame
        pin, data, place = self.pin, self.pin_data, self.pin_frame
        mj, mj_data = self.mj, self.mj_data
        vi = bough.MidpointVI(model, dt=DT)
        none = np.zeros(model.nu)
        state = [vi.start(q, v)]
        for _ in range(20):
            state[0] = vi.step(state[0])
        runner = vi.runner(state[0])

        def step() -> None:
            state[0] = vi.step(state[0], none)

        def step_and_look() -> Array:
            state[0] = vi.step(state[0], none)
            return state[0].q

        def run_and_look() -> tuple[Array, Array]:
            runner.step(none)
            return runner.q, runner.v

        def mj_step() -> None:
            mj_data.qfrc_applied[:] = none
            mujoco.mj_step(mj, mj_data)

        def mj_step_and_look() -> tuple[Array, Array]:
            mj_data.qfrc_applied[:] = none
            mujoco.mj_step(mj, mj_data)
            return mj_data.qpos, mj_data.qvel

        def ten_steps() -> object:
            return bough.simulate(model, q=q, v=v, duration=10 * DT, dt=DT)

        def mj_forward() -> None:
            mj_data.qpos[:] = q
            mj_data.qvel[:] = v
            mj_data.qfrc_applied[:] = x
            mujoco.mj_forward(mj, mj_data)

        def pin_pose() -> Array:
            pinocchio.framesForwardKinematics(pin, data, q)
            return data.oMf[place].homogeneous  # type: ignore[no-any-return]

        return {
            "step": {"bough": step, "bough, q read": step_and_look, "mj_step": mj_step},
            "runner": {
                "bough": lambda: runner.step(none),
                "bough, q and v read": run_and_look,
                "mj_step, q and v read": mj_step_and_look,
                "mj_step": mj_step,
            },
            "simulate, ten steps": {"bough": ten_steps, "mj_step": lambda: mujoco.mj_step(mj, mj_data, 10)},
            "acceleration": {
                "bough": lambda: model.acceleration(q, v, x),
                "mj_forward": mj_forward,
                "aba": lambda: pinocchio.aba(pin, data, q, v, x),
            },
            "mass_matrix": {
                "bough": lambda: model.mass_matrix(q),
                "crba": lambda: pinocchio.crba(pin, data, q),
            },
            "inverse_dynamics": {
                "bough": lambda: model.inverse_dynamics(q, v, x),
                "rnea": lambda: pinocchio.rnea(pin, data, q, v, x),
            },
            "bias": {
                "bough": lambda: model.bias(q, v),
                "nonLinearEffects": lambda: pinocchio.nonLinearEffects(pin, data, q, v),
            },
            "pose": {"bough": lambda: model.pose(frame, q), "framesForwardKinematics": pin_pose},
            "jacobian": {
                "bough": lambda: model.jacobian(frame, q),
                "computeFrameJacobian": lambda: pinocchio.computeFrameJacobian(pin, data, q, place),
            },
        }


def _contender(name: str, call: Call) -> Contender:
    def run() -> None:
        for _ in range(CALLS):
            call()

    return Contender(name, run, CALLS)


def _pinocchio(model: Model, frame: str) -> tuple[Any, int]:
    """The tree of a model in Pinocchio, and a frame of it."""
    links = Links(model, np.zeros(model.nq), "Pinocchio")
    joints = [getattr(pinocchio, f"JointModel{kind}{axis}")() for kind in "PR" for axis in "XYZ"]
    made = pinocchio.Model()
    made.gravity.linear = np.array(model.system.gravity, dtype=float)
    places = {0: 0}
    for link in links.moving:
        joint = joints[int(links.arrays["kind"][link]) - 1]
        pose = pinocchio.SE3(links.local(links.parent(link), link))
        places[link] = made.addJoint(places[links.parent(link)], joint, pose, links.labels[link])
        mass, com, inertia = links.body(link)
        made.appendBodyToJoint(places[link], pinocchio.Inertia(mass, com, inertia), pinocchio.SE3.Identity())
    k = links.labels.index(frame)
    link = int(links.of[k])
    local = pinocchio.SE3(links.local(link, k))
    last = pinocchio.Frame(frame, places[link], 0, local, pinocchio.FrameType.OP_FRAME)
    return made, made.addFrame(last)
