"""Free-floating systems, and what the discrete motion of one says about its momentum."""

from __future__ import annotations

import numpy as np

import bough
from support.transforms import Array, adjoint, inverse_pose


def satellite(gravity: tuple[float, float, float] | None = None) -> bough.System:
    """A body with an arm of three joints."""
    system = bough.System("satellite", gravity=gravity)
    body = system.world.free("base", name="body", mass=10.0, inertia=(1.0, 2.0, 2.5), com=(0.05, -0.02, 0.03))
    upper = body.tx(0.5).rz("yaw").ry("pitch").tx(0.8, mass=1.0, inertia=(0.1, 0.12, 0.12), com=(-0.4, 0, 0))
    upper.ry("elbow").tx(0.6, name="tip", mass=0.5, inertia=(0.01, 0.02, 0.02), com=(-0.3, 0, 0))
    return system


def rigid_body(inertia: tuple[float, float, float] = (1.0, 2.0, 3.0)) -> bough.Model:
    system = bough.System("body", gravity=None)
    system.world.free("base", name="body", mass=2.0, inertia=inertia)
    return system.build()


def discrete_momentum(run: bough.ReducedTrajectory, alpha: float, tau: str) -> Array:
    """The spatial momentum of every step, (rows - 1, 6), from the poses and shapes of the run alone: (V2).

    Uses neither the momenta nor the velocities that the integrator reports.
    """
    model, map_ = run.model, bough.Retraction(tau)
    h = run.settings["dt"]  # not differences of t, which have the round-off of t
    r = run.q[:, [model.index(name) for name in model.shape_variables]]
    at = model.reduced(r, order=0)
    u = np.diff(r, axis=0) / h

    def between(x: Array) -> Array:
        return (1 - alpha) * x[:-1] + alpha * x[1:]

    before = np.array([inverse_pose(g) for g in run.g[:-1]])
    hx = map_.inverse(before @ run.g[1:])
    w = hx / h + np.einsum("bij,bj->bi", between(at.A), u)
    mu = np.einsum("bij,bj->bi", between(at.I), w)
    body = np.einsum("bji,bj->bi", map_.d_inverse(hx), mu)
    return np.array([adjoint(g).T @ p for g, p in zip(before, body, strict=True)])
