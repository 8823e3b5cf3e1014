"""Lesson: a body without angular momentum turns over by bending around."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from scipy.spatial.transform import Rotation

from bough.description.parameter import kinematic
from bough.description.system import System
from bough.lab.lesson import Curve, Lesson, Shown, Slider
from bough.simulate import simulate

LENGTH, MASS = 0.25, 2.0  # of each half of the cat
STEP, PAUSE = 0.002, 0.02  # the cat is at rest at first, so that its momentum is zero
TURN, RAMP = 1.0, 0.4  # duration of a round of bending, and of bending at first, in s

TEXT = """
A cat that is dropped has no angular momentum, and still lands on its feet. Two halves bend at the waist, and
the **direction of the bend** goes round once: bending left, back, right and forward again. Nothing is gained
on the way, and yet the cat has turned.

The angle depends on the *shape* of the motion alone, not on how fast it is made. Bend further; slim the cat
down. *After [NM].*
"""


def cat(radius: float) -> System:
    """Two equal rods with a waist that bends in two directions."""
    system = System("cat", gravity=(0.0, 0.0, 0.0))
    along, across = MASS * radius**2 / 2.0, MASS * (3.0 * radius**2 + LENGTH**2) / 12.0
    inertia = (along, across, across)
    rear = system.world.free("cat", name="rear", mass=MASS, inertia=inertia)
    waist = rear.tx(LENGTH / 2.0).ry(kinematic("bend_y")).rz(kinematic("bend_z"))
    waist.tx(LENGTH / 2.0, name="front", mass=MASS, inertia=inertia)
    return system


def bending(angle: float, rounds: float, duration: float) -> dict[str, Callable[[float], float]]:
    """Wait a moment, bend, go round, and stretch again: functions of time with two continuous derivatives."""

    def smooth(s: float) -> float:
        s = min(max(s, 0.0), 1.0)
        return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)

    def size(t: float) -> float:
        return angle * (smooth((t - PAUSE) / RAMP) - smooth((t - duration + RAMP) / RAMP))

    def direction(t: float) -> float:
        return 2.0 * math.pi * rounds * smooth((t - PAUSE - RAMP) / (duration - PAUSE - 2.0 * RAMP))

    return {
        "bend_y": lambda t: size(t) * math.cos(direction(t)),
        "bend_z": lambda t: size(t) * math.sin(direction(t)),
    }


def _compute(values: Mapping[str, float]) -> Shown:
    rounds = values["rounds"]
    duration = PAUSE + 2.0 * RAMP + TURN * max(abs(rounds), 0.25)
    model = cat(values["radius [m]"]).build()
    motion = bending(values["bend [rad]"], rounds, duration)
    run = simulate(model, k=motion, duration=duration, dt=STEP, integrator="reduced", progress=False)
    x, _, _, w = Rotation.from_matrix(run.pose("rear")[:, :3, :3]).as_quat().T
    roll = 2.0 * np.unwrap(np.arctan2(x, w), period=np.pi)  # the turn about the length of the rear half
    momentum = np.linalg.norm(run.angular_momentum(), axis=1)
    inertia = float(model.mass_matrix(run.q[0])[3:, 3:].max())
    fastest = float(np.abs(run.v[:, 3:6]).max()) or 1.0
    numbers = {
        "turned by": f"{math.degrees(roll[-1]):+.0f}°",
        "angular momentum": f"{momentum.max() / (inertia * fastest):.0e} of what its parts have",
    }
    bends = {"bend about y": run["bend_y"], "bend about z": run["bend_z"]}
    return Shown(
        run,
        (Curve("turn about its length [rad]", run.t, {"": roll}), Curve("bend [rad]", run.t, bends)),
        numbers,
    )


LESSON = Lesson(
    "cat",
    "The falling cat",
    TEXT,
    {
        "bend [rad]": Slider(0.1, 1.4, 0.05, 1.0),
        "rounds": Slider(-2, 2, 1, 1),
        "radius [m]": Slider(0.03, 0.12, 0.01, 0.08),
    },
    _compute,
)
