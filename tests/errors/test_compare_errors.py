"""Comparisons that cannot be: the exact text of every message."""

from __future__ import annotations

import numpy as np
import pytest

from bough import ConfigurationForce, Model, ModelError, System, compare, kinematic
from bough.registry import INTEGRATORS
from support.messages import Case, check_message


def arm() -> Model:
    system = System("arm")
    system.world.tx(kinematic("rail"), mass=1.0).ry("angle").tz(-1.0, name="bob", mass=1.0)
    system.add(ConfigurationForce("angle", "torque"))
    return system.build()


WHERE = "a comparison of model 'arm'"
CHANGING = (
    "inputs that change: they are held for a step, which makes another motion of every dt",
    "give one number for each input; what depends on time or state can be a force of your own",
)

CASES: dict[str, Case] = {
    "no model": (
        lambda: compare(3, duration=1.0),  # type: ignore[arg-type]
        "compare(3, ...)",
        "not a model",
        "give a model, made by system.build()",
    ),
    "unknown integrator": (
        lambda: compare(arm(), duration=1.0, integrators=["rk5"]),
        f"integrator 'rk5' in {WHERE}",
        "no integrator has this name; the nearest are 'rk45', 'rk4'",
        "correct the spelling",
    ),
    "far from all": (
        lambda: compare(arm(), duration=1.0, integrators=[5]),  # type: ignore[list-item]
        f"integrator '5' in {WHERE}",
        f"no integrator has this name; the names are {', '.join(map(repr, INTEGRATORS))}",
        "use one of these names",
    ),
    "none": (
        lambda: compare(arm(), duration=1.0, integrators=[]),
        f"integrators=[] in {WHERE}",
        "nothing to compare",
        f"name some of {', '.join(INTEGRATORS)}",
    ),
    "zero duration": (
        lambda: compare(arm(), duration=0.0),
        WHERE,
        "a duration of zero",
        "give a duration above zero, in seconds",
    ),
    "zero error": (
        lambda: compare(arm(), duration=1.0, error=0.0),
        f"error=0.0 in {WHERE}",
        "error is not above zero",
        "give error above zero",
    ),
    "negative effort": (
        lambda: compare(arm(), duration=1.0, effort=-1.0),
        f"effort=-1.0 in {WHERE}",
        "effort is not above zero",
        "give effort above zero",
    ),
    "feedback": (lambda: compare(arm(), duration=1.0, u=lambda t, state: [0.0]), f"u in {WHERE}", *CHANGING),
    "rows of inputs": (
        lambda: compare(arm(), duration=1.0, u=np.zeros((100, 1))),
        f"u in {WHERE}",
        *CHANGING,
    ),
    "column of inputs": (
        lambda: compare(arm(), duration=1.0, u={"torque": np.zeros(100)}),
        f"u in {WHERE}",
        *CHANGING,
    ),
    "rows of positions": (
        lambda: compare(arm(), duration=1.0, k={"rail": np.zeros(101)}),
        f"k in {WHERE}",
        "an array with a value for every step, of which there are different numbers here",
        "give functions of t, such as k={'x': lambda t: ...}, or numbers",
    ),
    "unknown variable": (
        lambda: compare(arm(), {"angel": 0.5}, duration=1.0),
        "variable 'angel' in q of a simulation of model 'arm'",
        "no variable has this name; the nearest is 'angle'",
        "correct the spelling",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])


def test_unknown_row() -> None:
    found = compare(arm(), {"angle": 0.5}, duration=0.1, integrators=["rk4"], effort=0.1)
    with pytest.raises(ModelError) as caught:
        found["rk45"]
    assert caught.value.found == "no integrator has this name; the nearest is 'rk4'"
