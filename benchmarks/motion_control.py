"""Motion control: time of one Newton iteration against the number of steps K, which must grow linearly.

The satellite with a three-joint arm, from a straight line: derivatives of all steps and one stage-wise sweep.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import bough
from benchmarks.harness import Contender, Row, interleave
from bough.control._direction import Local
from bough.control._driven import Driven
from bough.control._guess import straight_line
from bough.control._motion import Motion
from bough.control._newton import Newton
from bough.control._task import Arguments, task

STEPS = (50, 100, 200, 400, 800, 1600)


def rows() -> Iterator[Row]:
    model = satellite()
    for dynamic in (False, True):
        name = "plan" if dynamic else "reorient"
        for steps in STEPS:
            one = Contender("bough", iteration(model, steps, dynamic), 1)
            timings = interleave([one], seconds=2.0, rounds=(5, 20))
            notes = {"bough": f"{timings['bough'].median / steps / 1e3:.1f} µs per step"}
            yield Row(
                "motion_control",
                f"{name}, K = {steps}",
                "iteration",
                timings,
                ours="bough",
                peer=None,
                target=None,
                notes=notes,
            )


def iteration(model: bough.Model, steps: int, dynamic: bool):
    """A function that makes one Newton iteration."""
    q = np.concatenate((np.zeros(6), (0.3, 0.7, -0.4)))
    end = np.array([0.8, 0.2, 1.0])
    given = Arguments(np.eye(3), q, None, end, (), 5.0, steps, None, None, None, None, 1.0)
    goal = task(model, given, dynamic, "benchmark")
    motion = Motion(goal, straight_line(goal))
    newton = Newton(Driven(goal, motion.effort), lambda row: None)
    newton.convex = True
    point = newton.point(motion.states, motion.rates, motion.f, np.zeros(len(newton.task.ends)))

    def once() -> None:
        assert Local(newton, point).direction(point, 1.0, True, 10.0) is not None

    return once


def satellite() -> bough.Model:
    """A base with a two-degree shoulder and an elbow."""
    system = bough.System("satellite", gravity=(0, 0, 0))
    base = system.world.free("base", name="base", mass=10.0, inertia=(1.2, 1.0, 0.9))
    shoulder = base.tx(0.3).ty(0.1).tz(0.4).rz("yaw").ry("pitch")
    shoulder.tx(0.35, name="upper", mass=2.0, inertia=(0.02, 0.1, 0.1))
    shoulder.tx(0.7).ry("elbow").tx(0.3, name="fore", mass=1.5, inertia=(0.02, 0.08, 0.08))
    for joint in ("yaw", "pitch", "elbow"):
        system.add(bough.ConfigurationForce(joint, f"{joint}_torque"))
    return system.build()
