"""The Newton matrix of a variational step contains the derivatives of the forces."""

from __future__ import annotations

import numpy as np
import pytest

import bough


def swinging(strong: float) -> bough.System:
    """A tree of ten joints on two branches, with every kind of force on frames."""
    system = bough.System("tree")
    branch = system.world
    for i, axis in enumerate(("ry", "rx", "ry", "rx")):
        branch = getattr(branch, axis)(f"trunk {i}").tz(-0.5, name=f"t{i}", mass=1.0, inertia=(0.1, 0.1, 0.1))
    for side in "ab":
        end = branch
        for i, axis in enumerate(("rx", "ry", "rx")):
            end = getattr(end, axis)(f"{side} {i}").tz(
                -0.4, name=f"{side}{i}", mass=0.5, inertia=(0.1, 0.1, 0.1)
            )
    system.add(bough.BodyWrench("a2", fx="push", tz=0.5 * strong))
    system.add(bough.HybridWrench("b2", fx=-strong, ty=0.2 * strong))
    system.add(bough.SpatialWrench("t1", fy=strong, tx=0.3 * strong))
    system.add(bough.PointForce("b1", fz=strong, point=(0.1, 0.2, 0.0), axes="body"))
    system.add(bough.PointForce("a1", fy=strong, point=(0.1, 0.2, 0.0)))
    system.add(bough.LinearDamper("a2", "b2", 2.0 * strong))
    system.add(bough.LinearDamper("t2", "world", strong))
    system.add(bough.Drag("a2", 0.5 * strong, wind=(1.0, 0.0, "gust")))
    return system


START = 0.5 * np.sin(np.arange(10.0))


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal"])
@pytest.mark.parametrize("strong", [1.0, 5.0])
def test_one_iteration_a_step(strong: float, integrator: str) -> None:
    model = swinging(strong).build()
    assert model.nd == 10
    run = bough.simulate(model, START, u=[strong, -1.0], duration=2.0, dt=0.01, integrator=integrator)
    assert run.statistics["halvings"] == 0
    assert run.statistics["iterations"] <= 1.2 * run.statistics["steps"]


def test_few_iterations_from_a_poor_guess() -> None:
    """Newton's method squares the error: without df/dv of the dampers, an iteration would leave a fifth of it."""
    model = swinging(5.0).build()

    def step(most: int) -> bough.State:
        vi = bough.MidpointVI(model, dt=0.01, max_iterations=most, max_halvings=0)
        return vi.step(vi.start(q=START, v=2.0 * np.cos(np.arange(10.0))), u=[5.0, -1.0])

    residuals = []
    for most in (2, 3):
        with pytest.raises(bough.ConvergenceError) as error:
            step(most)
        residuals.append(error.value.residual)
    assert residuals[1] < 1e-2 * residuals[0]
    assert np.array_equal(step(5).q, step(50).q)
