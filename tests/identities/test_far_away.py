"""Where the world's origin lies is a matter of taste: far from it the numbers stay as good as near it."""

from __future__ import annotations

import numpy as np
import pytest

from support.cases import Case
from support.compare import compare
from support.random_trees import random_state, random_tree


def craft(distance: float) -> Case:
    """A floating tree whose base is `distance` away from the origin in x, y and z."""
    tree = random_tree(3, joints=3, floating=True, shared=False, kinematic=False)
    q, v, a = random_state(9, 3)
    q[:3] += distance
    return Case(tree, (q, v, a), seed=3)


@pytest.mark.parametrize("distance", [1e1, 1e3, 1e6])
def test_floating_tree(distance: float) -> None:
    """Nothing but the potential energy and moments about the origin depends on the distance.

    Positions of this size are rounded by `distance` times machine precision; for a tree of some metres that
    is what the quantities may lose, once, and not its square.
    """
    near, far = craft(0.0), craft(distance)
    rtol = 1e-12 + 32.0 * np.finfo(float).eps * distance
    M, N = near.model, far.model
    compare(N.mass_matrix(far.q), M.mass_matrix(near.q), rtol=rtol, what="mass matrix")
    compare(N.L_dv(far.q, far.v), M.L_dv(near.q, near.v), rtol=rtol, what="L_dv")
    for name in ("L_dq", "L_dqdq", "L_dqdv"):
        compare(
            getattr(N, name)(far.q, far.v),
            getattr(M, name)(near.q, near.v),
            rtol=rtol,
            scale=near.energy,
            what=name,
        )
    third = M.potential_energy_dqdqdq(near.q)
    compare(N.potential_energy_dqdqdq(far.q), third, rtol=rtol, scale=near.energy, what="V_dqdqdq")
    expected = M.inverse_dynamics(near.q, near.v, near.a)
    compare(
        N.inverse_dynamics(far.q, far.v, far.a),
        expected,
        rtol=rtol,
        scale=near.force,
        what="inverse dynamics",
    )
    expected = M.acceleration(near.q, near.v, force=near.u)
    scale = near.force * near.condition / near.inertia
    compare(N.acceleration(far.q, far.v, force=near.u), expected, rtol=rtol, scale=scale, what="acceleration")
    f = near.frames[-1][1]
    for name in ("body_velocity", "body_velocity_dq", "body_velocity_dqdq", "body_velocity_dqdv"):
        value = getattr(N, name)(f, far.q, far.v)
        compare(value, getattr(M, name)(f, near.q, near.v), rtol=rtol, scale=near.speed, what=name)
