"""The closed-chain device of [JM09], Listing 1: 120 s at steps of 0.01 s.

bough and MuJoCo have seven joint angles and two closed loops; Open Dynamics Engine has seven free bodies and
nine joints. The energy error is the largest deviation from the energy at the start, relative to the energy
that the device can release (start minus hanging at rest).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.optimize import least_squares, minimize

import bough
from benchmarks.harness import Contender, Row, interleave
from benchmarks.peers import mujoco, ode
from benchmarks.systems import GRAVITY, Array, closed_chain
from bough.model import Model

DT = 0.01
STEPS = 12_000
EVERY = 10  # steps between two energies
NAMES = ("J", "H", "K", "M", "A", "C", "E")
GUESS = (0.6, -0.2, -0.1, -0.9, 0.4, 1.2, 0.6)

TREE, LOOPS = closed_chain()


def rows() -> Iterator[Row]:
    start = closed_configuration()
    contenders, notes = [], {}
    if hasattr(bough, "simulate") and hasattr(bough, "PointConstraint"):
        model = device()
        at = dict(zip(NAMES, start, strict=True))
        _verify(model, start)
        run = bough.simulate(model, q=at, duration=STEPS * DT, dt=DT)
        notes["bough"] = _error(energies(run.q, run.v))
        contenders.append(
            Contender("bough", lambda: bough.simulate(model, q=at, duration=STEPS * DT, dt=DT), STEPS)
        )
    for integrator in ("Euler", "implicitfast"):
        peer = mujoco.closed_tree(TREE, LOOPS, integrator, DT)
        notes[f"MuJoCo {integrator}"] = _error(energies(*peer.trajectory(start, STEPS, EVERY)))
        contenders.append(Contender(f"MuJoCo {integrator}", _mujoco_run(peer, start), STEPS))
    if ode.installed_version() is None:
        notes["ODE"] = ode.MISSING
    else:
        bodies = open_dynamics_engine(start, DT)
        notes["ODE"] = _error(_ode_energies(bodies))
        contenders.append(Contender("ODE", lambda: (bodies.reset(), bodies.step(STEPS)), STEPS))
    timings = interleave(contenders, seconds=20.0, rounds=(5, 40))
    yield Row("closed_chain", "Listing 1", "step", timings, ours="bough", peer="ODE", target=1.0, notes=notes)


def device() -> Model:
    """The device in bough, frame by frame as in the listing."""
    system = bough.System("closed-chain", gravity=GRAVITY)
    frames: list[bough.Frame] = []
    for i, name in enumerate(NAMES):
        parent = system.world if TREE.parent[i] < 0 else frames[TREE.parent[i]]
        link = parent.fixed(TREE.pose[i]).ry(name, name=name)
        link.tz(TREE.com[i, 2], mass=TREE.mass[i], inertia=TREE.inertia[i])
        frames.append(link)
    for k, loop in enumerate(LOOPS):
        ends = [
            frames[body].tz(point[2], name=f"loop{k}{side}")
            for body, point, side in zip(loop.bodies, loop.points, "ab", strict=True)
        ]
        for axis in ((1, 0, 0), (0, 0, 1)):
            system.add(bough.PointConstraint(*ends, axis=axis))
    return system.build()


def open_dynamics_engine(q: Array, dt: float) -> ode.OpenDynamicsEngine:
    """The device in maximal coordinates; the loops are closed by balls, which have fewer rows than hinges."""
    pivot, angle = _pivots(q)
    centre = pivot + _rotated(TREE.com, angle)
    bodies = [ode.Body(TREE.mass[i], TREE.inertia[i], centre[i]) for i in range(TREE.n)]
    joints = [ode.Joint(i, int(TREE.parent[i]), pivot[i]) for i in range(TREE.n)]
    for loop in LOOPS:
        first, second = loop.bodies
        anchor = pivot[first] + _rotated(loop.points[:1], angle[first])[0]
        joints.append(ode.Joint(first, second, anchor, ball=True))
    return ode.OpenDynamicsEngine(bodies, joints, dt)


def closed_configuration() -> Array:
    """Joint angles with closed loops, near a guess."""
    return least_squares(_gaps, GUESS, xtol=1e-15, ftol=1e-15, gtol=1e-15).x


def positions(q: Array) -> Array:
    """Centres of mass, one row a body."""
    pivot, angle = _pivots(q)
    return pivot + _rotated(TREE.com, angle)


def energies(q: Array, v: Array) -> Array:
    """Kinetic and potential energy for rows of joint angles and rates."""
    kinetic, potential = np.zeros(len(q)), np.zeros(len(q))
    angle, rate, pivot, drift = {}, {}, {}, {}
    for i, parent in enumerate(TREE.parent):
        arm = TREE.pose[i, 2, 3]
        if parent < 0:
            angle[i], rate[i], pivot[i], drift[i] = q[:, i], v[:, i], 0.0, 0.0
        else:
            angle[i], rate[i] = angle[parent] + q[:, i], rate[parent] + v[:, i]
            turn = np.exp(-1j * angle[parent]) * arm
            pivot[i], drift[i] = pivot[parent] + turn, drift[parent] - 1j * rate[parent] * turn
        turn = np.exp(-1j * angle[i]) * TREE.com[i, 2]
        speed = np.abs(drift[i] - 1j * rate[i] * turn)
        kinetic += 0.5 * TREE.mass[i] * speed**2 + 0.5 * TREE.inertia[i, 1, 1] * rate[i] ** 2
        potential -= TREE.mass[i] * GRAVITY[2] * (pivot[i] + turn).real
    return kinetic + potential


def _pivots(q: Array) -> tuple[Array, Array]:
    """World positions of the joints and absolute angles of the links."""
    pivot, angle = np.zeros((TREE.n, 3)), np.zeros(TREE.n)
    for i, parent in enumerate(TREE.parent):
        offset = TREE.pose[i, :3, 3]
        if parent < 0:
            pivot[i], angle[i] = offset, q[i]
        else:
            pivot[i] = pivot[parent] + _rotated(offset[None], angle[parent])[0]
            angle[i] = angle[parent] + q[i]
    return pivot, angle


def _rotated(points: Array, angle: Array) -> Array:
    """Points of the xz plane turned about y."""
    c, s = np.cos(angle), np.sin(angle)
    x, z = points[:, 0], points[:, 2]
    return np.stack((c * x + s * z, 0 * x, c * z - s * x), axis=1)


def _gaps(q: Array) -> Array:
    pivot, angle = _pivots(q)
    gaps = []
    for loop in LOOPS:
        ends = [
            pivot[body] + _rotated(point[None], angle[body])[0]
            for body, point in zip(loop.bodies, loop.points, strict=True)
        ]
        gaps.append((ends[0] - ends[1])[[0, 2]])
    return np.concatenate(gaps)


def _verify(model: Model, start: Array) -> None:
    """The same motion at small steps, as far as constraint stabilisation lets the peers follow."""
    dt, duration = 1e-4, 0.2
    run = bough.simulate(model, q=dict(zip(NAMES, start, strict=True)), duration=duration, dt=dt)
    expected = positions(run.q[-1])
    for name, found in peer_positions(start, dt, round(duration / dt)).items():
        error = np.max(np.abs(found - expected))
        if not error < 2e-3:
            raise ArithmeticError(f"closed chain: {name} is {error:.1e} m away after {duration} s")


def peer_positions(start: Array, dt: float, steps: int) -> dict[str, Array]:
    """Centres of mass after so many steps in the peers."""
    peer = mujoco.closed_tree(TREE, LOOPS, "Euler", dt)
    peer.reset(start)
    peer.step(steps)
    found = {"MuJoCo": positions(peer.data.qpos)}
    if ode.installed_version() is not None:
        bodies = open_dynamics_engine(start, dt)
        bodies.step(steps)
        found["ODE"] = bodies.positions()
    return found


def _mujoco_run(peer: mujoco.MuJoCo, start: Array) -> Callable[[], None]:
    def run() -> None:
        peer.reset(start)
        peer.step(STEPS)

    return run


def _error(total: Array) -> str:
    """The relative energy error as text."""
    start = closed_configuration()
    still = np.zeros((1, TREE.n))

    def height(q: Array) -> float:
        return float(energies(q[None], still)[0])

    rest = minimize(height, start, constraints={"type": "eq", "fun": _gaps}, tol=1e-10)
    return f"{np.max(np.abs(total - total[0])) / (height(start) - rest.fun):.0e}"


def _ode_energies(bodies: ode.OpenDynamicsEngine) -> Array:
    bodies.reset()
    total = [bodies.energy()]
    for _ in range(STEPS // EVERY):
        bodies.step(EVERY)
        total.append(bodies.energy())
    return np.array(total)
