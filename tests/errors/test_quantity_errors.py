"""Times and gains that cannot be: the exact text of every message."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bough import DistanceConstraint, Model, ModelError, Sinusoid, System

nan, inf = float("nan"), float("inf")
REST = [0.0]


def wire() -> Model:
    """A bob on a wire whose length changes with time."""
    system = System("wire")
    system.world.tz("z", name="bob", mass=1.0)
    system.add(DistanceConstraint("bob", "world", Sinusoid(amplitude=0.1, frequency=1.0, mean=1.0)))
    return system.build()


# what is asked, and the three parts of the message
CASES: dict[str, tuple[Callable[[], object], str, str, str]] = {
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
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    wrong, asked, found, do = CASES[case]
    with pytest.raises(ModelError) as caught:
        wrong()
    assert str(caught.value) == f"{asked}\n  found: {found}\n  do: {do}"
