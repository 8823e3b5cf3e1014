"""MuJoCo in joint coordinates, from a model; features that the model does not need are switched off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from bough.arguments import Array, Vector
from bough.errors import BoughError
from bough.model.model import Model
from bough.packages import version_of
from bough.peers.links import Screw, inverse, start_of
from bough.peers.mechanism import Body, Joint, Loop, Mechanism

try:
    import mujoco
except ImportError:
    mujoco = None

Integrator = Literal["Euler", "implicitfast", "RK4"]
INTEGRATORS: tuple[Integrator, ...] = ("Euler", "implicitfast", "RK4")
MISSING = "not installed (pip install 'bough[peers]')"

ROLLED_TOGETHER = 100  # runs in one call of rollout
UNUSED = ("CONTACT", "LIMIT", "FRICTIONLOSS", "EULERDAMP", "ACTUATION", "SENSOR", "MIDPHASE", "AUTORESET")
UNUSED_IN_TREES = ("CONSTRAINT", "EQUALITY", "WARMSTART", "ISLAND")
UNUSED_WITHOUT_SPRINGS = ("SPRING", "DAMPER")


class MuJoCo:
    """A model in MuJoCo: hinges, slides and balls for all dynamic variables, loops closed by equalities.

    Parameters
    ----------
    model : Model
        Of bodies with mass and inertia; any joints of rotations and translations; point constraints,
        distances, welds; springs and damping of variables. Kinematic variables keep their values.
    q, v : start
        By default that of the system.
    dt : float
    integrator : "Euler", "implicitfast" or "RK4"
    time_constant : float
        The decay time of a constraint error, s: MuJoCo's is 0.02, and the least it accepts is 2 dt. Its
        constraints are soft, and only as this goes to zero does the motion become that of the model.

    Examples
    --------
    >>> import bough
    >>> from bough.peers import mujoco, with_inertia
    >>> model = with_inertia(bough.gallery.four_bar(), 0.01).build()
    >>> peer = mujoco.MuJoCo(model, dt=0.001)
    >>> peer.step(1000)
    >>> peer.pose("rocker").shape
    (4, 4)
    """

    def __init__(
        self,
        model: Model,
        q: Vector | None = None,
        v: Vector | None = None,
        *,
        dt: float,
        integrator: Integrator = "Euler",
        time_constant: float = 0.02,
    ) -> None:
        if mujoco is None:
            raise BoughError(asked="MuJoCo", found=MISSING, do="install it, or leave it out")
        self.model, self.dt = model, dt
        self._q, self._v = start_of(model, q, v)
        reference = model.neutral()
        reference[model.nq - model.nk :] = self._q[model.nq - model.nk :]
        self.mechanism = Mechanism(model, reference, "MuJoCo")
        mujoco.set_mju_user_warning(lambda message: None)  # a diverging run is seen in its energy
        spec = self._spec(time_constant)
        option = spec.option
        option.timestep = dt
        option.gravity = model.system.gravity
        option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        off = UNUSED + (() if self.mechanism.loops else UNUSED_IN_TREES)
        for flag in off + (() if len(self.mechanism.springs) else UNUSED_WITHOUT_SPRINGS):
            option.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")
        self._compiled = spec.compile()
        self._data = mujoco.MjData(self._compiled)
        screws = [screw for joint in self.mechanism.joints for screw in joint.screws]
        self._order = np.array([screw.variable for screw in screws])  # joints of MuJoCo to our variables
        self._ratio = np.array([screw.ratio for screw in screws])
        self._coordinates, self._scale = _coordinates(model, screws)
        self.reset()

    def reset(self) -> None:
        """Return to the start."""
        self.set(self._q, self._v)

    def set(self, q: Array, v: Array) -> None:
        """Go to a state; all other memory of the engine is cleared."""
        mujoco.mj_resetData(self._compiled, self._data)
        self._data.qpos[:] = self._scale * q[self._coordinates]
        self._data.qvel[:] = self._ratio * v[self._order]

    def step(self, steps: int = 1) -> None:
        """Make steps of dt."""
        mujoco.mj_step(self._compiled, self._data, steps)

    def rollouts(self, steps: int, threads: int) -> Callable[[Array], Array]:
        """Runs of so many steps from rest, on threads: a function from starts (runs, nq) to last configurations.

        Memory is taken once, for runs by the hundred: MuJoCo's `rollout` writes the states of all steps.
        """
        from mujoco.rollout import Rollout

        full = mujoco.mjtState.mjSTATE_FULLPHYSICS
        size, nq = mujoco.mj_stateSize(self._compiled, full), self._compiled.nq
        datas = [mujoco.MjData(self._compiled) for _ in range(threads)]
        pool, states = Rollout(nthread=threads), np.empty((ROLLED_TOGETHER, steps, size))
        none = np.empty((ROLLED_TOGETHER, steps, 0))

        def run(q: Array) -> Array:
            begin = np.zeros((len(q), size))
            begin[:, 1 : 1 + nq] = self._scale * q[:, self._coordinates]  # after the time
            ends = np.empty((len(q), nq))
            for first in range(0, len(q), ROLLED_TOGETHER):
                part = begin[first : first + ROLLED_TOGETHER]
                out = states[: len(part)]
                pool.rollout(
                    self._compiled, datas, part, nstep=steps, state=out, sensordata=none[: len(part)]
                )
                ends[first : first + len(part)] = out[:, -1, 1 : 1 + nq]
            last = np.zeros((len(q), self.model.nq))
            last[:, self._coordinates] = ends / self._scale
            return last

        return run

    @property
    def q(self) -> Array:
        """The configuration, (nq,)."""
        result = self._q.copy()
        result[self._coordinates] = self._data.qpos / self._scale
        return result

    @property
    def v(self) -> Array:
        """The velocities, (nv,)."""
        return self._ours(self._data.qvel)

    def energy(self) -> float:
        """Kinetic and potential energy; NaN after the run has diverged."""
        return float(self._energy(self.q[None], self.v[None])[0])

    def energies(self, count: int, every: int = 1) -> Array:
        """The energy now, and after each of `count` times `every` steps."""
        states = [(self.q, self.v)]
        for _ in range(count):
            self.step(every)
            states.append((self.q, self.v))
        q, v = (np.array(rows) for rows in zip(*states, strict=True))
        return self._energy(q, v)

    def _energy(self, q: Array, v: Array) -> Array:
        result = np.full(len(q), np.nan)
        sound = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)
        result[sound] = self.model.energy(q[sound], v[sound])
        return result

    def pose(self, frame: str) -> Array:
        """The pose of a frame in the world, (4, 4); NaN after the run has diverged."""
        q = self.q
        return self.model.pose(frame, q) if np.isfinite(q).all() else np.full((4, 4), np.nan)

    def acceleration(self, q: Array, v: Array) -> Array:
        """The accelerations at a state, (nv,)."""
        self.set(q, v)
        mujoco.mj_forward(self._compiled, self._data)
        return self._ours(self._data.qacc)

    def _ours(self, theirs: Array) -> Array:
        result = np.zeros(self.model.nv)
        result[self._order] = theirs / self._ratio
        return result

    # --- MuJoCo's description ---

    def _spec(self, time_constant: float) -> Any:
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        made: dict[int, Any] = {-1: spec.worldbody}
        poses = {-1: np.eye(4)} | {i: body.pose for i, body in enumerate(self.mechanism.bodies)}
        springs = {int(row[0]): row[1:] for row in self.mechanism.springs}
        for joint in self.mechanism.joints:
            body = self.mechanism.bodies[joint.child]
            local = inverse(poses[joint.parent]) @ body.pose
            made[joint.child] = _body(made[joint.parent], body, local)
            self._add_joints(made[joint.child], joint, body, springs)
        for k, loop in enumerate(self.mechanism.loops):
            equality = _add_loop(spec, k, loop, made, poses)
            equality.solref = (time_constant, 1.0)
        return spec

    def _add_joints(self, made: Any, joint: Joint, body: Body, springs: dict[int, Array]) -> None:
        """The screws of a joint in the axes of the body, with all variables zero."""
        kinds, rest_of_ball = mujoco.mjtJoint, 0
        for screw in joint.screws:
            if rest_of_ball:
                rest_of_ball -= 1
                continue
            axis = body.pose[:3, :3].T @ screw.axis
            kind = kinds.mjJNT_HINGE if screw.rotation else kinds.mjJNT_SLIDE
            options = {}
            if screw.ball:
                kind, rest_of_ball = kinds.mjJNT_BALL, 2
                self._check_ball(screw.variable, axis, springs)
            if screw.variable in springs:
                stiffness, rest, damping = springs[screw.variable]
                options = {
                    "stiffness": [stiffness / screw.ratio**2, 0, 0],
                    "springref": rest * screw.ratio,
                    "damping": [damping / screw.ratio**2, 0, 0],
                }
            made.add_joint(
                type=kind,
                axis=axis,
                pos=body.pose[:3, :3].T @ (screw.point - body.pose[:3, 3]),
                **options,
            )

    def _check_ball(self, variable: int, axis: Array, springs: dict[int, Array]) -> None:
        """Raise if MuJoCo's ball would have other axes, or needs one damping for all three."""
        if np.abs(axis - (1.0, 0.0, 0.0)).max() > 1e-12:
            self.mechanism.refuse(
                f"the ball of {self.model.variables[variable]!r}, behind which other variables turn the axes"
            )
        dampings = {float(springs[variable + a][2]) if variable + a in springs else 0.0 for a in range(3)}
        if len(dampings) > 1:
            self.mechanism.refuse(f"different damping of the rates of {self.model.variables[variable]!r}")


def _coordinates(model: Model, screws: list[Screw]) -> tuple[Array, Array]:
    """The places in q of MuJoCo's coordinates, and their ratios; the quaternions of balls are the same there."""
    first = {in_v: in_q for in_v, in_q in model._balls.values()}
    places: list[int] = []
    ratios: list[float] = []
    for screw in screws:
        if not screw.ball:
            places.append(model.coordinates.index(model.variables[screw.variable]))
            ratios.append(screw.ratio)
        elif screw.variable in first:
            places += range(first[screw.variable], first[screw.variable] + 4)
            ratios += [1.0] * 4
    return np.array(places, dtype=int), np.array(ratios)


def _body(parent: Any, body: Body, local: Array) -> Any:
    inertia = body.inertia
    return parent.add_body(
        pos=local[:3, 3],
        quat=_quaternion(local[:3, :3]),
        mass=body.mass,
        ipos=body.com,
        fullinertia=[*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]],
        explicitinertial=True,
    )


def _add_loop(spec: Any, k: int, loop: Loop, made: dict[int, Any], poses: dict[int, Array]) -> Any:
    names = [f"loop{k}{side}" for side in "ab"]
    for name, body, point in zip(names, loop.bodies, loop.points, strict=True):
        pose = poses[body]
        made[body].add_site(name=name, pos=pose[:3, :3].T @ (point - pose[:3, 3]))
    kinds = mujoco.mjtEq
    if loop.kind == "distance":
        tendon = spec.add_tendon(name=f"wire{k}")
        for name in names:
            tendon.wrap_site(name)
        shorter = loop.length - float(np.linalg.norm(loop.points[0] - loop.points[1]))
        data = [shorter, *[0.0] * (mujoco.mjNEQDATA - 1)]
        return spec.add_equality(type=kinds.mjEQ_TENDON, name1=f"wire{k}", data=data)
    kind = kinds.mjEQ_CONNECT if loop.kind == "point" else kinds.mjEQ_WELD
    site = mujoco.mjtObj.mjOBJ_SITE
    return spec.add_equality(type=kind, objtype=site, name1=names[0], name2=names[1])


def installed_version() -> str | None:
    """The version of `mujoco`, or None if it is not installed."""
    return version_of("mujoco")


def _quaternion(rotation: Array) -> Array:
    result = np.zeros(4)
    mujoco.mju_mat2Quat(result, np.ascontiguousarray(rotation).ravel())
    return result
