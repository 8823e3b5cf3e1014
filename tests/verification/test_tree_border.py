"""Constraints and coupling elements eliminated along the tree: the same steps as by other ways to solve."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bough
from bough import gallery


def one_variable_lift(segments: int, theta: float) -> bough.Model:
    """The scissor lift with every joint following one variable: no constraints, the same configurations."""
    system = bough.System("lift")
    link = {"mass": 1.0, "inertia": (0.0, 0.01, 0.01)}
    corner = system.world
    for n in range(segments):
        unfold = {"ratio": 2.0, "offset": -math.pi} if n else {}
        right = corner.ry("theta", **unfold).tx(0.5, **link)
        left = right.ry("theta", ratio=-2.0, offset=math.pi, **link)
        if n == 0:
            left.tx(-0.5, mass=1.0)
        corner = left.tx(0.5)
    return system.build()


@pytest.mark.parametrize("segments", [1, 2, 5, 12])
def test_a_lift_with_loops_is_the_lift_of_one_variable(segments: int) -> None:
    """All angles are affine in theta, so that the constrained midpoint rule is that of theta alone.

    The lift passes the configuration where all its loops lose rank: round-off is amplified there.
    """
    theta = math.pi / 2 - 0.3
    loops = bough.simulate(
        gallery.scissor_lift(segments, theta=theta).build(), duration=5.0, dt=0.01, tolerance=1e-13
    )
    one = bough.simulate(one_variable_lift(segments, theta), [theta], duration=5.0, dt=0.01, tolerance=1e-13)
    assert np.max(np.abs(loops["theta"] - one["theta"])) < 5e-9
    assert np.max(np.abs(loops.constraint_error())) < 1e-13


class Nothing(bough.Potential):
    """A potential of unknown variables, always zero: with it, the matrix of a step is taken dense."""

    def energy(self, at: bough.Instant) -> float:
        return 0.0

    def gradient(self, at: bough.Instant) -> np.ndarray:
        return np.zeros(len(at.q))

    def hessian(self, at: bough.Instant) -> np.ndarray:
        return np.zeros((len(at.q), len(at.q)))


def coupled(kind: str, dense: bool) -> bough.Model:
    """Two arms of four joints with elements between them, along them and to the world."""
    system = bough.System(kind)
    root = system.world.tz("lift").ry("lean", ratio=0.5)
    ends = []
    for side in ("left", "right"):
        frame = root.tx(0.3 if side == "left" else -0.3)
        for k in range(4):
            turn = (frame.ry, frame.rx)[k % 2]
            frame = turn(f"{side}{k}").tz(-0.4, name=f"{side}-{k}", mass=0.7, inertia=(0.02, 0.03, 0.01))
        ends.append(frame)
    if kind in ("springs", "all"):
        system.add(bough.LinearSpring(*ends, stiffness=30.0, rest_length=0.4))
        system.add(bough.LinearSpring("left-1", "left-3", stiffness=50.0, rest_length=0.5))
        system.add(bough.TorsionSpring("right-0", "right-2", stiffness=2.0))
    if kind in ("dampers", "all"):
        system.add(bough.LinearDamper("left-2", "right-1", 0.8))
        system.add(bough.Drag("right-3", 0.3))
        system.add(bough.PointForce("left-3", fx=1.5))
    if kind in ("constraints", "all"):
        system.add(bough.DistanceConstraint("left-3", "right-3", 0.9))
        system.add(bough.PointConstraint("left-1", system.world.frame("anchor"), axis=(1, 0, 0)))
    system.add(bough.ConfigurationSpring("lift", stiffness=200.0))
    if dense:
        system.add(Nothing())
    return system.build()


@pytest.mark.parametrize("kind", ["springs", "dampers", "constraints", "all"])
def test_the_same_motion_as_with_a_dense_matrix(kind: str) -> None:
    fast, slow = coupled(kind, False), coupled(kind, True)
    q = fast.assemble(q=dict(zip(fast.variables, 0.3 * np.sin(1.0 + np.arange(fast.nq)), strict=True))).q
    runs = [bough.simulate(m, q, duration=1.0, dt=0.01, tolerance=1e-13) for m in (fast, slow)]
    assert np.max(np.abs(runs[0].q - runs[1].q)) < 1e-10
    assert np.max(np.abs(runs[0].lam - runs[1].lam), initial=0.0) < 1e-7
    assert np.max(np.abs(runs[0].v - runs[1].v)) < 1e-9


@pytest.mark.parametrize("segments", [6, 20])
def test_velocities_of_many_loops(segments: int) -> None:
    """model.velocity by the border, against the dense projection written out."""
    model = gallery.scissor_lift(segments).build()
    rng = np.random.default_rng(segments)
    q, p = model.assemble(q=model.start.q).q, rng.normal(size=model.nd)
    M, Dh = model.mass_matrix(q), model.constraint_dq(q)
    Z = np.linalg.solve(M, Dh.T)
    free = np.linalg.solve(M, p)
    v = free - Z @ np.linalg.solve(Dh @ Z, Dh @ free)
    assert np.max(np.abs(model.velocity(q, p) - v)) < 1e-12 * np.max(np.abs(free))
