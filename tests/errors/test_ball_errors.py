"""What balls refuse, and what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bough
from support.balls import floating_arm

MODEL = floating_arm().build()
VI = bough.MidpointVI(MODEL, 0.01)


def twice() -> Any:
    system = bough.System("twice")
    system.world.ball("hip").ball("hip")


def massless() -> Any:
    system = bough.System("massless")
    system.world.ball("hip").frame("nothing")
    return system.build()


def added(element: Callable[[], bough.Element]) -> Any:
    system = bough.System("ball")
    system.world.ball("hip").tz(-0.5, name="leg", mass=1.0, inertia=(0.1, 0.1, 0.02))
    return system.add(element())


def study(axes: dict[str, Any]) -> Any:
    return bough.ensemble(bough.Problem(MODEL, duration=0.1, dt=0.05), axes)


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "zero": (lambda: MODEL.configuration({"base": (0, 0, 0, 0)}), "a quaternion of length 0"),
    "long": (lambda: MODEL.configuration({"base": (1, 0, 0, 0.01)}), "a quaternion of length 1.00005"),
    "nan": (lambda: MODEL.configuration({"base": (1, 0, 0, np.nan)}), "not finite"),
    "five": (lambda: MODEL.configuration({"base": (1, 0, 0, 0, 0)}), "(w, x, y, z)"),
    "reflection": (lambda: MODEL.configuration({"base": np.diag([1.0, 1.0, -1.0])}), "a reflection"),
    "no rotation": (
        lambda: MODEL.configuration({"base": 2.0 * np.eye(3)}),
        "not a rotation: R Rᵀ is off by 3",
    ),
    "too few": (lambda: MODEL.pose("hull", np.zeros(MODEL.nv)), "(w, x, y, z) of 'base', 'shoulder'"),
    "unknown": (lambda: MODEL.configuration({"bse": (1, 0, 0, 0)}), "'base'"),
    "rate in q": (lambda: MODEL.configuration({"base_wx": 1.0}), "'base_"),
    "two rates": (lambda: bough.simulate(MODEL, v={"base": (1, 2)}, duration=1), "three numbers"),
    "kinematic": (lambda: bough.System("k").world.ball(bough.kinematic("hip")), "a kinematic ball"),
    "constant": (lambda: bough.System("k").world.ball(0.3), "the name of the ball"),
    "twice": (twice, "a ball is not shared"),
    "massless": (massless, "moves no mass"),
    "spring": (lambda: added(lambda: bough.ConfigurationSpring("hip_wx", 1.0)), "a rate of a ball"),
    "gear": (lambda: added(lambda: bough.GearConstraint({"hip_wx": 1.0, "hip_wy": 1.0})), "a rate of a ball"),
    "servo": (lambda: added(lambda: bough.Servo("hip_wx", kp=1.0, kd=1.0, target="to")), "a rate of a ball"),
    "limit of a ball": (lambda: added(lambda: bough.JointLimit("hip", 0.0, 1.0)), "frame.spherical('hip')"),
    "spring of a ball": (lambda: added(lambda: bough.ConfigurationSpring("hip", 1.0)), "'hip' is a ball"),
    "friction of a ball": (lambda: added(lambda: bough.DryFriction("hip", 1.0)), "'hip' is a ball"),
    "force on a ball": (lambda: added(lambda: bough.ConfigurationForce("hip", "u")), "such as 'hip_wx'"),
    "momenta of a ball": (
        lambda: study({"p.base": [(0, 0, 0)]}),
        "vary 'p.base_wx', 'p.base_wy', 'p.base_wz'",
    ),
    "no rotations": (lambda: study({"q.base": 1.0}), "not one or more rotations of the ball 'base'"),
    "one rotation": (lambda: study({"q.base": (1, 0, 0, 0)}), "where a rotation is needed"),
    "parts of a ball": (
        lambda: study({"q.base": [(1, 0, 0, 0)], "q.base_qw": [1.0]}),
        "'q.base' gives all of the ball",
    ),
    "two rates of a ball": (lambda: study({"v.base": [(1, 2)]}), "rows of 3 numbers each"),
    "place of a ball": (lambda: MODEL.index("base"), "'base_wx', 'base_wy', 'base_wz'"),
    "place of a quaternion": (lambda: MODEL.index("base_qw"), "model.coordinates.index(name)"),
    "rate of a run": (
        lambda: bough.simulate(MODEL, duration=0.02, dt=0.01)["base_wx"],
        "use run['v.base_wx']",
    ),
    "reduced quantities": (lambda: MODEL.connection([0.0]), "'base', 'shoulder'"),
    "trapezoidal": (lambda: bough.TrapezoidalVI(MODEL, 0.01), "'base', 'shoulder'"),
    "alpha": (lambda: bough.MidpointVI(MODEL, 0.01, alpha=0.4), "alpha=0.5"),
    "reduced": (lambda: bough.ReducedVI(MODEL, 0.01), "MidpointVI"),
    "implicit": (
        lambda: bough.simulate(MODEL, duration=1, dt=0.1, integrator="implicit-midpoint"),
        "use 'midpoint'",
    ),
    "maximal": (lambda: bough.simulate(MODEL, duration=1, dt=0.1, integrator="velocity"), "spherical(name)"),
    "tol": (lambda: bough.simulate(MODEL, duration=1, tol=1e-6), "give dt"),
    "third": (lambda: MODEL.potential_energy_dqdqdq(MODEL.neutral()), "balls"),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    call, part = CASES[case]
    with pytest.raises(bough.ModelError) as caught:
        call()
    assert part in str(caught.value)
    assert "do:" in str(caught.value)
