"""Systems with balls, and differences along displacements of their configurations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import bough
from support.finite_difference import slope
from support.transforms import Array

INERTIA = (0.02, 0.03, 0.012)


def branched() -> bough.System:
    """A tree of three balls, one hinge and one slide, with gravity."""
    system = bough.System("branched balls", gravity=(0.3, -0.2, -9.81))
    trunk = system.world.ball("trunk").fixed(
        _pose(), name="body", mass=1.0, inertia=INERTIA, com=(0.05, 0.02, 0.3)
    )
    arm = trunk.ry("elbow").tz(0.4, name="arm", mass=0.4, inertia=INERTIA)
    arm.ball("hand").tx(0.2, name="palm", mass=0.3, inertia=(0.01, 0.02, 0.015), com=(0.0, 0.03, 0.0))
    trunk.ty(0.3).tx("slide").ball("head").tz(0.2, name="crown", mass=0.5, inertia=INERTIA)
    return system


def chain(links: int, *, gravity: float = -9.81) -> bough.System:
    """Links joined by balls."""
    system = bough.System(f"{links} balls", gravity=(0.0, 0.0, gravity))
    frame: Any = system.world
    for i in range(links):
        frame = frame.ball(f"b{i}").tz(
            -0.5, name=f"link{i}", mass=1.0, inertia=(0.02, 0.025, 0.01), com=(0.02, 0.0, 0.2)
        )
    return system


def floating_arm() -> bough.System:
    """A free body off its centre, with a ball and a hinge on it; no gravity."""
    system = bough.System("floating arm", gravity=(0.0, 0.0, 0.0))
    base = system.world.floating(
        "base", name="hull", mass=2.0, inertia=(0.1, 0.2, 0.25), com=(0.1, -0.05, 0.2)
    )
    arm = base.tx(0.4).ball("shoulder").tz(0.3, name="upper", mass=0.5, inertia=INERTIA)
    arm.ry("elbow").tz(0.3, name="lower", mass=0.4, inertia=INERTIA)
    return system


def heavy_top() -> bough.System:
    """A top on its point."""
    system = bough.System("heavy top", gravity=(0.0, 0.0, -9.81))
    system.world.ball("top").tz(0.3, name="disc", mass=1.0, inertia=(0.02, 0.02, 0.03))
    return system


def state_of(model: bough.Model, seed: int = 0) -> tuple[Array, Array]:
    """A configuration and velocities."""
    random = np.random.default_rng(seed)
    return model.random(random), random.normal(size=model.nv)


def derivative(model: bough.Model, f: Callable[[Array], Any], q: Array, h: float = 1e-5) -> Array:
    """df by displacements from q, on a last axis: central differences of fourth order."""
    columns = [slope(lambda s, e=e: f(model.integrate(q, s * e)), h) for e in np.eye(model.nv)]
    return np.stack(columns, axis=-1)


def _pose() -> Array:
    pose = np.eye(4)
    c, s = np.cos(0.4), np.sin(0.4)
    pose[:3, :3] = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    pose[:3, 3] = (0.1, 0.0, 0.2)
    return pose
