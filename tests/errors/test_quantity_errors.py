"""Times and gains that cannot be: the exact text of every message."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bough import (
    ConfigurationSpring,
    Constraint,
    DistanceConstraint,
    EqualityConstraint,
    Model,
    Potential,
    Sinusoid,
    System,
    TorsionSpring,
)
from bough.description.element import Element
from support.messages import Case, check_message

nan, inf = float("nan"), float("inf")
REST = [0.0]


def wire() -> Model:
    """A bob on a wire whose length changes with time."""
    system = System("wire")
    system.world.tz("z", name="bob", mass=1.0)
    system.add(DistanceConstraint("bob", "world", Sinusoid(amplitude=0.1, frequency=1.0, mean=1.0)))
    return system.build()


class Bowl(Potential):
    def energy(self, at: Any) -> float:
        return float(at.q["a"]) ** 2


class Tie(Constraint):
    def value(self, at: Any) -> float:
        return float(at.q["a"])


def shaft(*elements: Element) -> Model:
    """Two wheels and the elements given."""
    system = System("shaft", gravity=None)
    for name in ("a", "b"):
        system.world.rz(name, name=name, mass=1.0, inertia=(1, 1, 1))
    for element in elements:
        system.add(element)
    return system.build()


def torsion(**named: str) -> TorsionSpring:
    return TorsionSpring("a", "b", 1.0, axis=(0, 0, 1), **named)


SHORT = (
    "take differences of L_dqdq at rest, or use potentials that have one: CentralGravity,"
    " ConfigurationSpring, GearSpring, Gravity, LinearSpring, NonlinearConfigurationSpring, NonlinearSpring"
)

# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "times without states": (
        lambda: wire().constraint(REST, [0.0, 1.0]),
        "t of model 'wire'",
        "shape (2,), but the batch of states has shape ()",
        "give one time, or one for each state",
    ),
    "times for another batch": (
        lambda: wire().velocity(np.zeros((3, 1)), REST, t=[0.0, 1.0]),
        "t of model 'wire'",
        "shape (2,), but the batch of states has shape (3,)",
        "give one time, or one for each state",
    ),
    "time nan": (
        lambda: wire().constraint_dt(REST, nan),
        "t=nan of model 'wire'",
        "a time that is not finite",
        "give finite numbers",
    ),
    "one time of several": (
        lambda: wire().acceleration(np.ones((2, 1)), REST, t=[0.0, inf]),
        "t=[0.0, inf] of model 'wire'",
        "a time that is not finite",
        "give finite numbers",
    ),
    "time as text": (
        lambda: wire().constraint_dq(REST, "now"),
        "t='now' of model 'wire'",
        "not a number",
        "give finite numbers",
    ),
    "times of forces": (
        lambda: wire().generalized_force(REST, REST, t=[0.0, 1.0]),
        "t of model 'wire'",
        "shape (2,), but the batch of states has shape ()",
        "give one time, or one for each state",
    ),
    "time of forces": (
        lambda: wire().generalized_force_dv(REST, REST, t=nan),
        "t=nan of model 'wire'",
        "a time that is not finite",
        "give finite numbers",
    ),
    "gain nan": (
        lambda: wire().acceleration([1.0], REST, baumgarte=(nan, 1.0)),
        "g1=nan in baumgarte of model 'wire'",
        "g1 is not finite",
        "give g1 as a finite number",
    ),
    "gain infinite": (
        lambda: wire().acceleration_and_multipliers([1.0], REST, baumgarte=(1.0, inf)),
        "g2=inf in baumgarte of model 'wire'",
        "g2 is not finite",
        "give g2 as a finite number",
    ),
    "one gain": (
        lambda: wire().acceleration([1.0], REST, baumgarte=3.0),  # type: ignore[arg-type]
        "baumgarte=3.0 in acceleration() of model 'wire'",
        "not two gains",
        "give (g1, g2) in 1/s, such as baumgarte=(10.0, 10.0)",
    ),
    "no third derivative": (
        lambda: shaft(torsion(name="coil")).potential_energy_dqdqdq([0.0, 0.0]),
        "potential_energy_dqdqdq of model 'shaft'",
        "no third derivative of TorsionSpring 'coil'",
        SHORT,
    ),
    "several without third derivative": (
        lambda: shaft(
            Tie(), ConfigurationSpring("a", 1.0), *(torsion() for _ in range(4)), Bowl()
        ).potential_energy_dqdqdq([0.0, 0.0]),
        "potential_energy_dqdqdq of model 'shaft'",
        "no third derivative of TorsionSpring #2, TorsionSpring #3, TorsionSpring #4, TorsionSpring #5"
        " and 1 more",
        SHORT,
    ),
    "no third derivative of a constraint": (
        lambda: shaft(EqualityConstraint(("a", "b")), Tie()).constraint_dqdqdq([0.0, 0.0]),
        "constraint_dqdqdq of model 'shaft'",
        "no third derivative of Tie #1",
        "take differences of constraint_dqdq, or use other constraints of bough, which have one",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])
