"""Bodies that lie on each other, and bodies that touch and move: `bough.simulate` beside MuJoCo `mj_step` at equal dt.

A stack of five boxes, and the humanoid and the quadruped of dm_control that have fallen and lie. Both engines start
from where they have come to rest themselves; the notes say how fast each still moves, which is the error at rest, and
how deep bodies are in each other. A step that changes nothing is not computed again: of systems that rest, these rows
tell what a start and a few steps cost, spread over all. What a step costs, the rows of motions tell: a box that slides
down a slope, and the same robots from where they lie, with swinging torques on the arms of the humanoid and on the hips
of the quadruped.

Equal steps are not equal errors. The last rows are times for a millisecond of motion, of `bough.simulate` at 0.005 s,
of boxes at 0.01 s, and of MuJoCo at its usual 0.002 s, with what both are off by there: bodies at rest by their speed
and depth, the box that slides by its place, which is known. MuJoCo is off by more in all of them.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np

import bough
from benchmarks.harness import Contender, Row, interleave
from bough import gallery

STEPS = 500
LEAN = {"humanoid": -0.3, "quadruped": 0.0}  # rad, forward; an upright humanoid may stand for long
DRIVES = {
    "humanoid": (("shoulder", "elbow"), 5.0, 4.0),
    "quadruped": (("yaw",), 60.0, 6.0),
}  # variables, N m, rad/s
ROBOTS = {"humanoid": (1.5, 0.005, 2.0), "quadruped": (0.8, 0.005, 1.0)}  # height, dt, target
STACK_DT = 0.01
FINE = 0.002  # of MuJoCo, at equal error
AT_EQUAL_ERROR = 1.0  # target

SLOPE, SLIDE_DT = 0.4, 0.005
DRIVEN_STEPS, HELD = 300, 10  # steps with torques, and how many of them have the same


def rows() -> Iterator[Row]:
    robots = {name: _robot(name) for name in ROBOTS}
    yield _stack()
    for name, robot in robots.items():
        yield _lying(name, robot)
    yield _sliding()
    for name, (drives, torque, frequency) in DRIVES.items():
        yield _driven(name, robots[name], drives, torque, frequency)
    yield _stack(FINE)
    for name, robot in robots.items():
        yield _lying(name, robot, FINE)
    yield _sliding_place()


def _stack(fine: float | None = None) -> Row:
    model = gallery.stack(apart=0.0).build()
    q = model.neutral()
    q[2::7] = 0.05 + 0.1 * np.arange(5)
    boxes = "".join(
        f'<body pos="0 0 {z}"><freejoint/><geom type="box" size=".1 .1 .05" mass="1" friction=".5"/></body>'
        for z in q[2::7]
    )
    text = f'<mujoco><worldbody><geom type="plane" size="1 1 1" friction=".5"/>{boxes}</worldbody></mujoco>'
    return _row("5 boxes", model, q, STACK_DT, 2.0, lambda mujoco: mujoco.MjModel.from_xml_string(text), fine)


@dataclass(frozen=True)
class Robot:
    """A robot that has fallen: its model, where it lies, and its file; without dm_control there is none."""

    model: bough.Model
    q: Any
    path: Path


def _robot(name: str) -> Robot | None:
    found = util.find_spec("dm_control")
    if found is None or found.submodule_search_locations is None:
        return None
    path = Path(found.submodule_search_locations[0]) / "suite" / f"{name}.xml"
    height, dt, _ = ROBOTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = bough.load(path, contacts=True, rotation="ball").build()
    q = model.neutral()
    for i, coordinate in enumerate(model.coordinates):  # the quadruped has a ball beside it
        if coordinate.endswith("_tz"):
            q[i] += height
        if coordinate.endswith("_tx") and coordinate != "root_tx":
            q[i] += 2.0
    at = model.coordinates.index("root_qw")
    q[at : at + 4] = _leaning(name)
    return Robot(model, bough.simulate(model, q=q, duration=10.0, dt=dt, every=100).q[-1], path)


def _leaning(name: str) -> tuple[float, ...]:
    half = 0.5 * LEAN[name]
    return math.cos(half), 0.0, math.sin(half), 0.0


def _peer_of(name: str, robot: Robot) -> Callable[[Any], Any]:
    """The robot of MuJoCo, which starts leaning as ours does."""

    def load(mujoco: Any) -> Any:
        model = mujoco.MjModel.from_xml_path(str(robot.path))
        at = model.jnt_qposadr[model.joint("root").id] + 3
        model.qpos0[at : at + 4] = _leaning(name)
        return model

    return load


def _missing(what: str) -> Row:
    return Row("contact", what, "step", {}, notes={"bough": "dm_control is not installed"})


def _lying(name: str, robot: Robot | None, fine: float | None = None) -> Row:
    _, dt, target = ROBOTS[name]
    if robot is None:
        return _missing(f"{name} lying")
    return _row(f"{name} lying", robot.model, robot.q, dt, target, _peer_of(name, robot), fine)


def _on_a_slope() -> tuple[bough.Model, Any, Callable[[Any], Any], float]:
    """A box on a slope, at rest: its model, its start, its peer, and its acceleration."""
    along, normal = 9.81 * math.sin(SLOPE), 9.81 * math.cos(SLOPE)
    system = bough.System("box on a slope", gravity=(along, 0.0, -normal))
    box = system.world.floating("place", name="box", mass=1.0, inertia=(0.0041667, 0.0041667, 0.0066667))
    system.add(bough.Contact(box, bough.Box((0.2, 0.2, 0.1)), "world", friction=0.3))
    model = system.build()
    q = model.neutral()
    q[2] = 0.05
    text = (
        f'<mujoco><option gravity="{along} 0 {-normal}"/><worldbody><geom type="plane" size="9 9 1" '
        'friction=".3"/><body pos="0 0 .05"><freejoint/><geom type="box" size=".1 .1 .05" mass="1" friction=".3"/>'
        "</body></worldbody></mujoco>"
    )
    return model, q, lambda mujoco: mujoco.MjModel.from_xml_string(text), along - 0.3 * normal


def _sliding() -> Row:
    model, q, peer, _ = _on_a_slope()
    return _moving("box sliding", model, q, SLIDE_DT, None, peer, 0.0)


def _sliding_place() -> Row:
    """At equal error: x = a t^2 / 2, which takes no small steps."""
    model, q, peer, a = _on_a_slope()
    time = DRIVEN_STEPS * SLIDE_DT
    place = 0.5 * a * time**2

    def ours() -> bough.Trajectory:
        return bough.simulate(model, q, duration=time, dt=STACK_DT, every=DRIVEN_STEPS)

    contenders = [Contender("bough", ours, round(1e3 * time))]
    notes = {"bough": f"{abs(ours().q[-1, 0] - place):.0e} m off"}
    found = _compiled(peer, FINE)
    if found is not None:
        mujoco, compiled, data = found

        def theirs() -> float:
            mujoco.mj_resetData(compiled, data)
            mujoco.mj_step(compiled, data, nstep=round(time / FINE))
            return float(data.qpos[0])

        contenders.append(Contender("MuJoCo", theirs, round(1e3 * time)))
        notes["MuJoCo"] = f"{abs(theirs() - place):.0e} m off"
    else:
        notes["MuJoCo"] = "not installed"
    what = "box sliding, equal error"
    return Row("contact", what, "ms", interleave(contenders), "bough", "MuJoCo", AT_EQUAL_ERROR, notes)


def _compiled(peer: Callable[[Any], Any], dt: float) -> tuple[Any, Any, Any] | None:
    """MuJoCo, its model with steps of dt, and its data; nothing if it is not installed."""
    try:
        import mujoco
    except ImportError:
        return None
    compiled = peer(mujoco)
    compiled.opt.timestep = dt
    return mujoco, compiled, mujoco.MjData(compiled)


def _driven(name: str, robot: Robot | None, drives: tuple[str, ...], torque: float, frequency: float) -> Row:
    if robot is None:
        return _missing(f"{name} moving")
    dt = ROBOTS[name][1]
    driven = [v for v in robot.model.variables if any(drive in v for drive in drives)]
    system = robot.model.system
    for variable in driven:
        system.add(bough.ConfigurationForce(variable, f"drive {variable}"))
    model = system.build()
    blocks = np.arange(0, DRIVEN_STEPS, HELD) * dt
    sign = np.array([-1.0 if "right" in v else 1.0 for v in driven])
    torques = dict(zip(driven, np.outer(sign, torque * np.sin(frequency * blocks)), strict=True))
    return _moving(f"{name} moving", model, robot.q, dt, torques, _peer_of(name, robot), 10.0)


def _moving(
    what: str,
    model: bough.Model,
    q: Any,
    dt: float,
    torques: Any,
    peer: Callable[[Any], Any],
    settling: float,
) -> Row:
    """torques: by variable, one for each block of steps; settling: how long the peer falls before."""
    u = np.zeros((DRIVEN_STEPS, len(model.inputs)))
    for variable, values in (torques or {}).items():
        u[:, model.inputs.index(f"drive {variable}")] = np.repeat(values, HELD)

    def ours() -> bough.Trajectory:
        return bough.simulate(model, q, u=u, duration=DRIVEN_STEPS * dt, dt=dt, every=DRIVEN_STEPS)

    contenders = [Contender("bough", ours, DRIVEN_STEPS)]
    run = bough.simulate(model, q, u=u, duration=DRIVEN_STEPS * dt, dt=dt)
    closed = (np.asarray(run.contact_status) != "open").sum(axis=1).mean()
    speed = np.abs(run.v).max(axis=1).mean()
    notes = {"bough": f"{speed:.0e} rad/s or m/s, {closed:.1f} contacts, {len(run.impacts)} impacts"}
    found = _compiled(peer, dt)
    if found is None:
        notes["MuJoCo"] = "not installed"
        return Row("contact", what, "step", interleave(contenders), notes=notes)
    mujoco, compiled, data = found
    mujoco.mj_step(compiled, data, nstep=int(settling / dt))
    start = data.qpos.copy()
    dofs = {v: compiled.jnt_dofadr[compiled.joint(v).id] for v in torques or {}}

    def theirs() -> None:
        mujoco.mj_resetData(compiled, data)
        data.qpos[:] = start
        for block in range(DRIVEN_STEPS // HELD):
            for variable, dof in dofs.items():
                data.qfrc_applied[dof] = torques[variable][block]
            mujoco.mj_step(compiled, data, nstep=HELD)

    theirs()
    notes["MuJoCo"] = f"{np.abs(data.qvel).max():.0e} rad/s or m/s at the end, {data.ncon} contacts"
    contenders.append(Contender("MuJoCo", theirs, DRIVEN_STEPS))
    return Row("contact", what, "step", interleave(contenders), "bough", "MuJoCo", None, notes)


def _row(
    what: str,
    model: bough.Model,
    q: Any,
    dt: float,
    target: float,
    peer: Callable[[Any], Any],
    fine: float | None = None,
) -> Row:
    """fine: the dt of the peer, if times are for the same motion and not for a step."""
    time = STEPS * dt
    items, unit = (STEPS, "step") if fine is None else (round(1e3 * time), "ms")
    contenders = [
        Contender("bough", lambda: bough.simulate(model, q, duration=time, dt=dt, every=STEPS), items)
    ]
    last = bough.simulate(model, q, duration=time, dt=dt)
    gaps = last.gaps()
    notes = {
        "bough": f"{np.abs(last.v[-1]).max():.0e} rad/s or m/s, {-min(gaps[np.isfinite(gaps)].min(), 0.0):.0e} m deep"
    }
    if fine is not None:
        what, target = f"{what}, equal error", AT_EQUAL_ERROR
    found = _compiled(peer, fine or dt)
    if found is None:
        notes["MuJoCo"] = "not installed"
        return Row("contact", what, unit, interleave(contenders), notes=notes)
    mujoco, compiled, data = found
    mujoco.mj_step(compiled, data, nstep=int(10.0 / compiled.opt.timestep))
    depth = -min((contact.dist for contact in data.contact), default=0.0)
    notes["MuJoCo"] = f"{np.abs(data.qvel).max():.0e} rad/s or m/s, {max(depth, 0.0):.0e} m deep"
    steps = round(time / compiled.opt.timestep)
    contenders.append(Contender("MuJoCo", lambda: mujoco.mj_step(compiled, data, nstep=steps), items))
    return Row("contact", what, unit, interleave(contenders), "bough", "MuJoCo", target, notes)
