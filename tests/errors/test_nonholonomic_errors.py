"""What rolling and skates cannot be used with, each by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import bough
from bough import gallery
from support.messages import check_message


def sleigh() -> bough.Model:
    return gallery.chaplygin_sleigh().build()


NO_STEP = (
    "Skate 'runner', a constraint on velocities, whose steps have no derivatives yet",
    "use a model without it",
)
CASES: dict[str, tuple[Callable[[], Any], str, str, str]] = {
    "stages": (
        lambda: bough.simulate(sleigh(), dt=0.01, order=4),
        "order=4 in MidpointVI of model 'chaplygin_sleigh'",
        "Skate 'runner', a constraint on velocities, which the midpoint rule of this order does not hold yet",
        "use order=2, which holds it",
    ),
    "Step": (
        lambda: bough.control.Step(sleigh(), dt=0.01),
        "Step of model 'chaplygin_sleigh'",
        *NO_STEP,
    ),
    "sensitivity": (
        lambda: bough.simulate(sleigh(), dt=0.01, duration=0.1).sensitivity(),
        "run.sensitivity()",
        *NO_STEP,
    ),
    "equilibrium": (
        lambda: sleigh().equilibrium(),
        "equilibrium() of model 'chaplygin_sleigh'",
        "Skate 'runner', a constraint on velocities, with which a system can be at rest in many places",
        "leave it out",
    ),
    "penalties": (
        lambda: bough.simulate(sleigh(), dt=0.01, duration=0.1, integrator="penalty-implicit"),
        "integrator='penalty-implicit' in a simulation of model 'chaplygin_sleigh'",
        "Skate 'runner' acts on velocities, penalty springs on positions",
        "use integrator='velocity' or 'midpoint', or leave the element out",
    ),
    "reduced": (
        lambda: bough.simulate(sleigh(), dt=0.01, duration=0.1, integrator="reduced"),
        "ReducedVI of model 'chaplygin_sleigh'",
        "1 row of constraints, which the reduced integrator does not have",
        "use MidpointVI (integrator='midpoint'), which holds constraints",
    ),
    "third derivative": (
        lambda: sleigh().constraint_dqdqdq([0.0, 0.0, 0.0]),
        "constraint_dqdqdq of model 'chaplygin_sleigh'",
        "no third derivative of Skate 'runner'",
        "take differences of constraint_dqdq, or use other constraints of bough, which have one",
    ),
    "off the plane": (
        lambda: bough.simulate(gallery.rolling_disk().build(), q={"z": 0.6}, dt=0.01, duration=0.1),
        "start of a simulation of model 'rolling_disk'",
        "q does not meet constraint 'plane[0]': it is off by 0.11",
        "start where it holds: model.assemble(q=...) finds the nearest q (simulate: assemble=True)",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])
