"""MuJoCo through the multi-step call of its Python package; what the systems do not need is switched off."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

import numpy as np

from benchmarks.systems import GRAVITY, Array, Loop, Tree

try:
    import mujoco
except ImportError:  # the table says so
    mujoco = None

Integrator = Literal["Euler", "implicitfast", "RK4"]
INTEGRATORS: tuple[Integrator, ...] = ("Euler", "implicitfast", "RK4")

UNUSED = (
    "CONTACT",
    "LIMIT",
    "FRICTIONLOSS",
    "SPRING",
    "DAMPER",
    "EULERDAMP",
    "ACTUATION",
    "SENSOR",
    "MIDPHASE",
)
UNUSED_IN_TREES = ("CONSTRAINT", "EQUALITY", "WARMSTART", "ISLAND")


class MuJoCo:
    """One system in MuJoCo; ``spec`` is MuJoCo's editable description of it."""

    def __init__(self, spec: mujoco.MjSpec, integrator: Integrator, dt: float, off: tuple[str, ...]) -> None:
        mujoco.set_mju_user_warning(lambda message: None)  # a diverging run is reported by its energy
        option = spec.option
        option.timestep = dt
        option.gravity = GRAVITY
        option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        for flag in (*off, "AUTORESET"):
            option.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)

    def reset(self, q: Array, v: Array | None = None) -> None:
        """Start from q, at rest unless v is given."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = q
        if v is not None:
            self.data.qvel[:] = v

    def step(self, steps: int) -> None:
        mujoco.mj_step(self.model, self.data, steps)

    def acceleration(self, q: Array, v: Array) -> Array:
        self.reset(q, v)
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc.copy()

    def trajectory(self, q: Array, steps: int, every: int) -> tuple[Array, Array]:
        """Configurations and velocities from rest at q, one row after every so many steps."""
        self.reset(q)
        states = [(self.data.qpos.copy(), self.data.qvel.copy())]
        for _ in range(steps // every):
            self.step(every)
            states.append((self.data.qpos.copy(), self.data.qvel.copy()))
        rows = np.array(states)
        return rows[:, 0], rows[:, 1]


def tree(system: Tree, integrator: Integrator, dt: float) -> MuJoCo:
    """A tree in joint coordinates: no constraint of any kind."""
    return MuJoCo(_spec(system)[0], integrator, dt, UNUSED + UNUSED_IN_TREES)


def closed_tree(system: Tree, loops: Sequence[Loop], integrator: Integrator, dt: float) -> MuJoCo:
    """A tree in joint coordinates whose loops are closed by ``connect`` equalities."""
    spec, bodies = _spec(system)
    for k, loop in enumerate(loops):
        for body, point, site in zip(loop.bodies, loop.points, "ab", strict=True):
            bodies[body].add_site(name=f"loop{k}{site}", pos=point)
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_CONNECT,
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            name1=f"loop{k}a",
            name2=f"loop{k}b",
        )
    return MuJoCo(spec, integrator, dt, UNUSED)


def _spec(system: Tree) -> tuple[mujoco.MjSpec, list[mujoco.MjsBody]]:
    spec = mujoco.MjSpec()
    bodies: list[mujoco.MjsBody] = []
    for i in range(system.n):
        parent = spec.worldbody if system.parent[i] < 0 else bodies[system.parent[i]]
        inertia = system.inertia[i]
        body = parent.add_body(
            pos=system.pose[i, :3, 3],
            quat=_quaternion(system.pose[i, :3, :3]),
            mass=system.mass[i],
            ipos=system.com[i],
            fullinertia=[*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]],
            explicitinertial=True,
        )
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=np.eye(3)[system.axis[i]])
        bodies.append(body)
    return spec, bodies


def installed_version() -> str | None:
    """The version of ``mujoco``, or None where it is not installed."""
    try:
        return version("mujoco")
    except PackageNotFoundError:
        return None


def _quaternion(rotation: Array) -> Array:
    result = np.zeros(4)
    mujoco.mju_mat2Quat(result, rotation.ravel())
    return result
