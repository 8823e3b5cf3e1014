"""Random mechanisms in steps from fine to far too coarse, and what the energy of their motions shows.

If no force acts, the energy of a motion is constant. If forces act, it changes by their work, which is taken
here along the smooth curve through the recorded states: cubic in each step, by four Gauss points, and so
independently of how an integrator counts it.

`PYTHONPATH=tests python -m support.coarse_mechanisms 10000 1000` prints counts for 1000 seeds from 10000 on.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

import bough
from support.random_trees import Node, NumpySource, Tree, body, grow
from support.transforms import Array

SHAPES = ("open", "branched", "closed", "planar loop", "springs", "floating")
INTEGRATORS = ("midpoint",) * 6 + ("trapezoidal", "rk4", "implicit-midpoint", "semi-implicit-euler")
FORCES = ("none", "none", "none", "damped", "driven")
WARNINGS = (bough.CoarseStepWarning, bough.GimbalLockWarning)
LARGE, SMALL = 0.1, 0.01  # of the largest kinetic energy: an error that must be told, one that must not be


@dataclass
class Mechanism:
    """A model, a start and a way to step."""

    seed: int
    shape: str
    forces: str
    model: bough.Model
    q: Array
    v: Array
    dt: float
    duration: float
    integrator: str

    def run(self, refinement: int = 1) -> tuple[bough.Trajectory, list[str]]:
        """The motion with dt or a part of it, recorded at the same instants, and what was warned of."""
        arguments: dict[str, Any] = {"u": {"drive": self._drive}} if self.model.nu else {}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run = bough.simulate(
                self.model, self.q, self.v, duration=self.duration, dt=self.dt / refinement, every=refinement,
                integrator=self.integrator, on_failure="stop", **arguments,
            )  # fmt: skip
        return run, [str(w.message) for w in caught if issubclass(w.category, WARNINGS)]

    def _drive(self, t: float) -> float:
        """Held for whole blocks of dt, so that runs with parts of it have the same inputs."""
        return 3.0 * np.sin(2.0 * self.dt * np.floor(t / self.dt + 1e-6))


def mechanism(seed: int) -> Mechanism:
    """The mechanism of a seed."""
    rng = np.random.default_rng([seed, 2024])
    shape = SHAPES[rng.integers(len(SHAPES))]
    forces = FORCES[rng.integers(len(FORCES))]
    integrator = INTEGRATORS[rng.integers(len(INTEGRATORS))]
    dt = float(10.0 ** rng.uniform(-3.0, -1.0))
    steps = int(np.clip(rng.uniform(2.0, 5.0) / dt, 30, 1500))
    system, q, v = _planar_loop(rng) if shape == "planar loop" else _tree(seed, shape, rng)
    joints = [name for name in system.dynamic if not name.startswith("base_")]
    if forces != "none":
        system.add(bough.Damping(dict.fromkeys(joints, float(10.0 ** rng.uniform(-2.0, 0.5)))))
    if forces == "driven":
        system.add(bough.ConfigurationForce(joints[0], "drive"))
    if integrator == "trapezoidal" and shape == "floating":
        integrator = "reduced"
    return Mechanism(seed, shape, forces, system.build(), q, v, dt, steps * dt, integrator)


def _tree(seed: int, shape: str, rng: np.random.Generator) -> tuple[bough.System, Array, Array]:
    """A chain or a branched tree of full bodies; held by points and rods, by springs, or on a free base."""
    joints = int(rng.integers(1, 9))
    source = NumpySource(seed)
    if shape == "open":
        tree = _chain(source, joints)
    else:
        floating = shape == "floating"
        tree = grow(source, joints if floating else joints + 1, kinematic=False, floating=floating)
    system = tree.system()
    n = len(system.variables)
    q = rng.uniform(-1.0, 1.0, n)
    v = rng.uniform(-1.0, 1.0, n) * float(rng.choice([0.0, 1.0, 3.0]))
    frames = [f"n{k}" for k in range(len(tree.nodes))]
    if shape == "springs":
        for name in system.dynamic:
            system.add(bough.ConfigurationSpring(name, float(10.0 ** rng.uniform(0.0, 4.0))))
    if shape in ("springs", "branched") and rng.random() < 0.5:
        anchor = system.world.fixed(_at(rng.uniform(-2.0, 2.0, 3)), name="anchor")
        system.add(bough.LinearSpring(frames[-1], anchor, float(10.0 ** rng.uniform(0.0, 5.0)), 0.5))
    if shape == "closed":
        _close(system, frames, q, rng)
        v *= 0.0
    return system, q, v


def _chain(source: NumpySource, joints: int) -> Tree:
    """Hinges and, now and then, slides, each with a body."""
    nodes: list[Node] = []
    for n in range(joints):
        kind = ("rx", "ry", "rz", "ry", "tx")[source.integer(0, 4)]
        nodes.append(Node(len(nodes) - 1, kind, f"q{n}"))
        nodes.append(Node(len(nodes) - 1, "tz", -source.real(0.2, 1.0), **body(source)))
    return Tree(tuple(nodes), (0.0, 0.0, -9.81))


def _close(system: bough.System, frames: list[str], q: Array, rng: np.random.Generator) -> None:
    """Hold frames by points and rods where they are; fewer rows than variables, and all independent."""
    wanted = int(rng.integers(1, max(2, min(5, len(system.dynamic)))))
    rows = 0
    for name in rng.permutation(frames):
        if rows == wanted:
            return
        trial = bough.System.from_dict(system.to_dict())
        x = trial.build().pose(str(name), q)[:3, 3]
        place, label = x + rng.uniform(0.3, 1.0, 3), f"held {rows}"
        constraint: Any
        if rng.random() < 0.5:
            constraint = bough.PointConstraint(str(name), label, axis=_unit(rng))
            place = x
        else:
            constraint = bough.DistanceConstraint(str(name), label, length=float(np.linalg.norm(place - x)))
        trial.world.fixed(_at(place), name=label)
        trial.add(constraint)
        model = trial.build()
        if np.linalg.svd(model.constraint_dq(q)[:, : model.nd], compute_uv=False)[-1] < 0.05:
            continue
        system.world.fixed(_at(place), name=label)
        system.add(constraint)
        rows += 1


def _planar_loop(rng: np.random.Generator) -> tuple[bough.System, Array, Array]:
    """Links in a ring: hinges about y whose end is held at a point of the ground, sometimes with a spring."""
    system = bough.System("random loop")
    links = int(rng.integers(3, 7))
    frame = system.world
    for n in range(links):
        frame = frame.ry(f"q{n}").tz(
            -float(rng.uniform(0.3, 1.0)), name=f"n{n}", mass=float(rng.uniform(0.2, 3.0)),
            inertia=float(10.0 ** rng.uniform(-3.0, -1.0)) * np.ones(3),
        )  # fmt: skip
    q = rng.uniform(-1.5, 1.5, links)
    end = system.build().pose(f"n{links - 1}", q)[:3, 3]
    ground = system.world.fixed(_at(end), name="ground")
    for axis in ((1, 0, 0), (0, 0, 1)):
        system.add(bough.PointConstraint(f"n{links - 1}", ground, axis=axis))
    if rng.random() < 0.3:
        system.add(bough.LinearSpring("n0", ground, float(10.0 ** rng.uniform(0.0, 4.0)), 0.3))
    return system, q, np.zeros(links)


def _at(x: Array) -> Array:
    pose = np.eye(4)
    pose[:3, 3] = x
    return pose


def _unit(rng: np.random.Generator) -> tuple[float, ...]:
    axis = rng.normal(size=3)
    return tuple(float(c) for c in axis / np.linalg.norm(axis))


def energy_error(run: bough.Trajectory) -> Array:
    """What of the energy nothing explains, at every instant, as a part of the largest kinetic energy."""
    energy = run.energy()
    return (energy - energy[0] - work(run)) / largest_kinetic(run)


def largest_kinetic(run: bough.Trajectory) -> float:
    return max(float(run.kinetic_energy().max()), 1e-12 * run.model.total_mass)


def work(run: bough.Trajectory) -> Array:
    """What forces gave since the start, at every instant."""
    model, t, q, v = run.model, run.t, run.q, run.v
    dt = np.diff(t)[:, None]
    given = np.zeros(len(run) - 1)
    for x, weight in zip(*np.polynomial.legendre.leggauss(4), strict=True):
        s = 0.5 * (1.0 + x)
        move = q[1:] - q[:-1]
        here = (
            q[:-1] + s * s * (3.0 - 2.0 * s) * move
            + dt * s * (1.0 - s) * ((1.0 - s) * v[:-1] - s * v[1:])
        )  # fmt: skip
        rate = (
            6.0 * s * (1.0 - s) * move / dt
            + (1.0 - s) * (1.0 - 3.0 * s) * v[:-1] + s * (3.0 * s - 2.0) * v[1:]
        )  # fmt: skip
        force = model.generalized_force(here, rate, run.u[:-1], t=t[:-1] + s * dt[:, 0])
        given += 0.5 * weight * dt[:, 0] * np.einsum("ij,ij->i", force, rate)
    return np.concatenate([[0.0], np.cumsum(given)])


def verdict(mechanism: Mechanism) -> tuple[str, ...]:
    """What to count for a mechanism; "silent" and "false alarm" are what must not be."""
    run, told = mechanism.run()
    found = ["all", mechanism.shape, mechanism.forces, mechanism.integrator, run.status]
    locked = sum("gimbal lock" in text for text in told)  # a warning of its own, with another remedy
    twice = locked > 1 or len(told) - locked > 1
    found += ["closed loops"] * (mechanism.model.nc > 0) + ["told"] * bool(told) + ["told twice"] * twice
    off = np.abs(energy_error(run))
    if not (off <= LARGE).all():
        found += ["large error", "large error told" if told else "silent"]
    elif told:
        found += ["Euler angles told"] * all("gimbal lock" in text for text in told)
        fine, _ = mechanism.run(8)
        rows = min(len(run), len(fine))
        apart = np.abs(run.energy()[:rows] - fine.energy()[:rows]) / largest_kinetic(run)
        found += ["false alarm"] * bool((apart <= SMALL).all() and "Euler angles told" not in found)
    return tuple(found)


def counts(seeds: Iterable[int]) -> tuple[Counter[str], list[int]]:
    """How many mechanisms of some seeds are what, and those that are silent or false alarms."""
    total: Counter[str] = Counter()
    wrong = []
    for seed in seeds:
        found = verdict(mechanism(seed))
        total.update(found)
        if "silent" in found or "false alarm" in found:
            wrong.append(seed)
    return total, wrong


def documented(page: str, first: int, number: int) -> dict[str, int]:
    """The counts that the page of theory has for some seeds."""
    table = page.partition(f"seeds {first} to {first + number - 1}")[2].partition("\n\n")[0]
    names = (("all", "closed loops"), ("large error",), ("silent",), ("told",), ("false alarm",))
    if "with contacts" in table:
        names = (("all", "with impacts"), *names[1:])
    cells = re.findall(r"^\|[^|]+\| ([\d, ]+) \|$", table, re.MULTILINE)
    return {
        name: int(count)
        for some, cell in zip(names, cells, strict=True)
        for name, count in zip(some, cell.split(","), strict=True)
    }


if __name__ == "__main__":
    first, number = map(int, sys.argv[1:3])
    all_counts, wrong_seeds = counts(range(first, first + number))
    for what, count in all_counts.most_common():
        print(f"{count:6d} {what}")
    print("silent or false alarm:", wrong_seeds)
