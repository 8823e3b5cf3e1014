"""Random mechanisms with contacts in steps from fine to far too coarse, and what their energy shows.

The energy of a motion without forces changes by what impacts and friction take, and by nothing else:

    e = E - E0 + L ,     L the energy lost so far

which is looked at in every row here, and in a few rows by the check. Whatever L is, no contact gives energy.

`PYTHONPATH=tests python -m support.coarse_contacts 20000 300` prints counts for 300 seeds from 20000 on.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

import bough
from bough.motion.contact_trajectory import ContactTrajectory
from support.coarse_mechanisms import LARGE, SMALL, WARNINGS, largest_kinetic
from support.transforms import Array

SHAPES = ("limits", "hopper", "body", "strings", "springs")


class Mechanism(NamedTuple):
    """A model with contacts, a start and a step."""

    seed: int
    shape: str
    model: bough.Model
    q: dict[str, float]
    v: dict[str, float]
    dt: float
    duration: float

    def run(self, refinement: int = 1) -> tuple[ContactTrajectory, list[str]]:
        """The motion with dt or a part of it, recorded at the same instants, and what was warned of."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run = bough.simulate(
                self.model, self.q, self.v, duration=self.duration, dt=self.dt / refinement, every=refinement,
                on_failure="stop",
            )  # fmt: skip
        assert isinstance(run, ContactTrajectory)
        return run, [str(w.message) for w in caught if issubclass(w.category, WARNINGS)]


def mechanism(seed: int) -> Mechanism:
    """The mechanism of a seed."""
    rng = np.random.default_rng([seed, 77])
    shape = SHAPES[rng.integers(len(SHAPES))]
    dt = float(10.0 ** rng.uniform(-3.0, 0.0))
    steps = int(np.clip(rng.uniform(2.0, 4.0) / dt, 30, 800))
    system = bough.System(shape)
    q, v = MAKE[shape](system, rng)
    return Mechanism(seed, shape, system.build(), q, v, dt, steps * dt)


def _law(rng: np.random.Generator) -> dict[str, float]:
    return {
        "friction": float(rng.choice([0.0, 0.3, 0.8])),
        "restitution": float(rng.choice([0.0, 0.4, 0.9, 1.0])),
    }


def _chain(system: bough.System, rng: np.random.Generator, links: int) -> dict[str, float]:
    frame = system.world.tz(1.5)
    for n in range(links):
        frame = frame.ry(f"q{n}").tz(
            -float(rng.uniform(0.3, 0.8)), name=f"n{n}", mass=float(rng.uniform(0.2, 2.0)),
            inertia=float(10.0 ** rng.uniform(-2.5, -1.0)) * np.ones(3),
        )  # fmt: skip
    return {f"q{n}": float(rng.uniform(-0.7, 0.7)) for n in range(links)}


def _limits(system: bough.System, rng: np.random.Generator) -> tuple[dict[str, float], dict[str, float]]:
    """A chain between stops."""
    q = _chain(system, rng, int(rng.integers(1, 5)))
    for name in q:
        system.add(bough.JointLimit(name, -0.8, 0.8, restitution=_law(rng)["restitution"]))
    return q, {name: float(rng.normal(scale=2.0)) for name in q}


def _hopper(system: bough.System, rng: np.random.Generator) -> tuple[dict[str, float], dict[str, float]]:
    """A chain whose tip meets the ground."""
    links = int(rng.integers(2, 5))
    q = _chain(system, rng, links)
    tip = system.build().pose(f"n{links - 1}", [q[name] for name in system.dynamic])[2, 3]
    system.world.tz(float(tip - rng.uniform(0.06, 0.5)), name="floor")
    system.add(bough.Contact(f"n{links - 1}", bough.Sphere(0.05), against="floor", **_law(rng)))
    return q, {name: float(rng.normal(scale=1.0)) for name in q}


def _body(system: bough.System, rng: np.random.Generator) -> tuple[dict[str, float], dict[str, float]]:
    """A box or a ball in the plane, thrown."""
    system.world.tx("x").tz("z").ry("turn", name="body", mass=1.0, inertia=(0.05, 0.05, 0.05))
    shape: Any = bough.Box((0.4, 0.2, 0.3)) if rng.random() < 0.5 else bough.Sphere(0.2)
    system.add(bough.Contact("body", shape, **_law(rng)))
    start = {"z": float(rng.uniform(0.35, 1.0)), "turn": float(rng.uniform(-0.6, 0.6))}
    return start, {"x": float(rng.normal()), "turn": float(rng.normal(scale=3.0))}


def _strings(system: bough.System, rng: np.random.Generator) -> tuple[dict[str, float], dict[str, float]]:
    """A mass in two strings."""
    system.world.tx("x").tz("z", name="bob", mass=1.0)
    system.world.tx(0.4, name="bar")
    system.add(bough.String("bob", "world", float(rng.uniform(0.8, 1.2))))
    system.add(bough.String("bob", "bar", float(rng.uniform(0.8, 1.2))))
    return (
        {"x": float(rng.uniform(0.0, 0.4)), "z": float(rng.uniform(-0.6, 0.4))},
        {"x": float(rng.normal())},
    )


def _springs(system: bough.System, rng: np.random.Generator) -> tuple[dict[str, float], dict[str, float]]:
    """A mass on a spring, from soft to stiff, that may meet a stop."""
    system.world.tx("x", name="mass", mass=1.0)
    system.add(bough.ConfigurationSpring("x", float(10.0 ** rng.uniform(0.0, 6.0))))
    system.add(
        bough.JointLimit("x", lower=-float(rng.uniform(0.3, 1.2)), restitution=_law(rng)["restitution"])
    )
    return {"x": 0.8}, {}


MAKE = {"limits": _limits, "hopper": _hopper, "body": _body, "strings": _strings, "springs": _springs}


def energy_errors(run: ContactTrajectory) -> tuple[Array, Array]:
    """What of the energy contacts do not explain, and what would have been given, of the largest kinetic energy."""
    energy, lost = run.energy(), run.energy_lost()
    taken = float(np.diff(lost["impact"], prepend=0.0).max())
    most = max(largest_kinetic(run), taken)  # an impact takes no more than the motion has before it
    rise = energy - energy[0]
    return np.abs(rise + lost["impact"] + lost["friction"]) / most, rise / most


def verdict(mechanism: Mechanism) -> tuple[str, ...]:
    """What to count for a mechanism; "silent" and "false alarm" are what must not be."""
    run, told = mechanism.run()
    found = ["all", mechanism.shape, run.status, *["told"] * bool(told), *["told twice"] * (len(told) > 1)]
    found += ["with impacts"] * bool(run.impacts)
    off, rise = energy_errors(run)
    if not (off <= LARGE).all() or not (rise <= LARGE).all():
        found += ["large error", "large error told" if told else "silent"]
    elif told:
        fine, _ = mechanism.run(8)
        rows = min(len(run), len(fine))
        apart = np.abs(run.energy()[:rows] - fine.energy()[:rows]).max() / largest_kinetic(run)
        # A linear spring keeps its energy at any step; that it is somewhere else shows what its steps hide.
        elsewhere = np.abs(run.q[:rows] - fine.q[:rows]).max() / max(
            float(np.ptp(fine.q, axis=0).max()), 1e-12
        )
        found += ["false alarm"] * bool(apart <= SMALL and elsewhere <= LARGE)
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


if __name__ == "__main__":
    first, number = map(int, sys.argv[1:3])
    all_counts, wrong_seeds = counts(range(first, first + number))
    for what, count in all_counts.most_common():
        print(f"{count:6d} {what}")
    print("silent or false alarm:", wrong_seeds)
