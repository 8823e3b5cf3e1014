"""Stages whose costs are weights of single variables: the sweep without their Hessians is that with them."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.control import Effort, Shooting, Track
from bough.control._stages import Stages
from support.control_models import crane, driven_pendulum

CASES = {
    "inputs": lambda: (driven_pendulum(2, 0.1), {"q0": 0.4}, {"q0": 1.0}),
    "kinematic variable": lambda: (crane(), {"swing": 0.3}, {"trolley": 1.0, "swing": 0.0}),
    "strings": lambda: (bough.gallery.marionette().build(), None, {}),
}


@pytest.mark.parametrize("case", CASES)
def test_weights_take_the_place_of_hessians(monkeypatch, case):
    model, q, end = CASES[case]()
    target = {name: 0.1 * i for i, name in enumerate(model.variables[: model.nd])}
    problem = Shooting(
        model,
        q=q,
        duration=0.2,
        dt=0.02,
        cost=[Effort(0.3), Track(target, weight=2.0)],
        end=end or None,
        end_weight=5.0,
    )
    point, local = problem._point(problem.x0), problem._derivatives(problem.x0)
    assert local.stages.weights(local.cost) is not None
    one = local.direction(point, 1e-6, False, 0.0)
    monkeypatch.setattr(Stages, "weights", lambda self, cost: None)
    local._plain = None
    other = local.direction(point, 1e-6, False, 0.0)
    assert local.plain().H.size
    np.testing.assert_allclose(one.d, other.d, atol=1e-10 * np.abs(other.d).max())
    np.testing.assert_allclose(one.G, other.G, atol=1e-10 * np.abs(other.G).max())
    assert one.curvature == pytest.approx(other.curvature, rel=1e-9)
    assert one.slope == pytest.approx(other.slope, rel=1e-9)


def test_rates_of_dynamic_variables_and_frames_have_hessians():
    model = driven_pendulum(2, 0.1)
    for cost in (Track({"q0": 0.0}, v=1.0), Track({"bob1": (0.3, 0.0, -1.0)})):
        problem = Shooting(model, duration=0.1, dt=0.02, cost=[Effort(1.0), cost])
        local = problem._derivatives(problem.x0)
        assert local.stages.weights(local.cost) is None
