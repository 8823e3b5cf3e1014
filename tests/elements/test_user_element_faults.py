"""What goes wrong in a function of the user, and what is kept."""

from __future__ import annotations

import contextlib
import gc
import subprocess
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import bough
from support.user_elements import (
    START,
    ByComplexStep,
    FrictionByHand,
    K,
    Spring,
    arm,
)

pytestmark = pytest.mark.filterwarnings("ignore::bough.DerivativeWarning")


class Late(bough.Force):
    """Raises when the time has come."""

    def __init__(self, t: float) -> None:
        self.t = t

    def force(self, at: bough.Instant) -> Any:
        if at.t > self.t:
            raise RuntimeError(f"too late: {at.t:g}")
        return {"a": -at.v["a"]}


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "dop853"])
def test_an_exception_keeps_the_motion_before_it(integrator: str):
    with pytest.raises(RuntimeError, match="too late") as caught:
        bough.simulate(arm(Late(0.5)), q=START, duration=1.0, dt=0.01, integrator=integrator)
    run = caught.value.trajectory  # type: ignore[attr-defined]
    assert run.status == "failed"
    assert 0.4 < run.t[-1] <= 0.51
    whole = bough.simulate(arm(Late(9.0)), q=START, duration=1.0, dt=0.01, integrator=integrator)
    np.testing.assert_allclose(run.q, whole.q[: len(run)], rtol=0, atol=1e-9)
    trace = caught.traceback[-1]
    assert trace.name == "force"  # the traceback leads to the line of the user


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "dop853"])
def test_a_result_of_the_wrong_shape_is_told_as_such(integrator: str):
    class Long(bough.Force):
        def force(self, at: bough.Instant) -> Any:
            return np.zeros(2 if at.t < 0.5 else 3)

    with pytest.raises(bough.ModelError, match="force of Long") as caught:
        bough.simulate(arm(Long()), q=START, duration=1.0, integrator=integrator)
    assert caught.value.trajectory.t[-1] > 0.4  # type: ignore[attr-defined]


def test_ctrl_c_in_a_function():
    class Stop(bough.Force):
        def force(self, at: bough.Instant) -> Any:
            if at.t > 0.5:
                raise KeyboardInterrupt
            return np.zeros(2)

    with pytest.raises(KeyboardInterrupt) as caught:
        bough.simulate(arm(Stop()), q=START, duration=1.0)
    assert caught.value.trajectory.status == "interrupted"  # type: ignore[attr-defined]


def test_an_exception_leaves_the_integrator_as_it_was():
    class Moody(bough.Potential):
        bad = False

        def energy(self, at: bough.Instant) -> Any:
            return at.q["a"] ** 2

        def gradient(self, at: bough.Instant) -> Any:
            if Moody.bad:
                raise ValueError("bad")
            return {"a": 2.0 * at.q["a"]}

        def hessian(self, at: bough.Instant) -> Any:
            return {("a", "a"): 2.0}

    vi = bough.MidpointVI(arm(Moody()), dt=0.01)
    state = vi.step(vi.start(START))
    Moody.bad = True
    with pytest.raises(ValueError, match="bad"):
        vi.step(state)
    Moody.bad = False
    assert vi.step(state) == bough.MidpointVI(arm(Moody()), dt=0.01).step(state)


def test_an_exception_comes_out_of_quantities():
    model = arm(Late(-1.0))
    with pytest.raises(RuntimeError, match="too late: 0"):
        model.acceleration(START, np.zeros(2))


def test_nothing_is_kept_alive():
    model = arm(Spring("tip", "anchor", K), Late(0.5))
    alive = weakref.ref(model)
    with contextlib.suppress(RuntimeError):
        bough.simulate(model, q=START, duration=1.0)
    del model
    gc.collect()
    assert alive() is None


SCRIPT = """
import bough
class Weight(bough.Potential):
    def energy(self, at): return 9.81 * at.q["z"]
    def gradient(self, at): return {"z": 9.81}
    def hessian(self, at): return {}
system = bough.System("falling", gravity=None)
system.world.tz("z", mass=1.0)
system.add(Weight())
model = system.build()
print(model.acceleration([0.0], [0.0]))
"""


def test_a_script_ends_without_words_of_leaks():
    made = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert (made.stdout, made.stderr) == ("[-9.81]\n", "")


def test_threads():
    model = arm(ByComplexStep(), FrictionByHand())
    expected = bough.simulate(model, q=START, duration=0.3).q
    runs: list[Any] = [None] * 4

    def work(i: int) -> None:
        runs[i] = bough.simulate(model, q=START, duration=0.3).q

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for run in runs:
        np.testing.assert_array_equal(run, expected)


# --- values that are not finite ---


class Constant(bough.Potential):
    """The same energy everywhere."""

    def __init__(self, value: float) -> None:
        self.value = value

    def energy(self, at: bough.Instant) -> Any:
        return self.value

    def gradient(self, at: bough.Instant) -> Any:
        return {}

    def hessian(self, at: bough.Instant) -> Any:
        return {}


class Undefined(bough.Constraint):
    """A constraint without a value."""

    def value(self, at: bough.Instant) -> Any:
        return np.nan

    def gradient(self, at: bough.Instant) -> Any:
        return {"a": 1.0}

    def hessian(self, at: bough.Instant) -> Any:
        return {}


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "rk4", "dop853", "velocity"])
def test_a_potential_that_is_not_finite_does_not_start(value: float, integrator: str):
    model = arm(Constant(value))
    with pytest.raises(bough.ModelError) as caught:
        bough.simulate(model, q=START, duration=0.1, integrator=integrator)
    assert str(caught.value) == (
        f"start of a simulation of model {model.name!r}\n"
        f"  found: energy(at) of Constant is {value} there\n"
        "  do: give the potential a finite energy, or start from a configuration where it has one"
    )


def test_nor_does_it_step_by_step():
    vi = bough.MidpointVI(arm(Constant(np.nan)), dt=0.01)
    with pytest.raises(bough.ModelError, match="is nan there"):
        vi.start(q=START)
    q = vi.model.configuration(START)
    with pytest.raises(bough.ModelError, match="is nan there"):
        vi.start_from_configurations(q, q)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_check_tells_of_a_potential_that_is_not_finite(value: float):
    found = bough.check(arm(Constant(value)), show=False)
    assert [(row.derivative, row.worst) for row in found.wrong] == [
        ("gradient", f"its value is {value} everywhere")
    ]
    assert "1 wrong" in str(found)


def test_a_constraint_that_is_not_finite_is_not_assembled():
    model = arm(Undefined(name="odd"))
    for start, where in (
        (lambda: model.assemble(START), f"assemble() of model {model.name!r}"),
        (lambda: bough.simulate(model, START, duration=0.1), f"a simulation of model {model.name!r}"),
    ):
        with pytest.raises(bough.ModelError) as caught:
            start()
        assert str(caught.value) == (
            f"start of {where}\n"
            "  found: constraint 'odd' is nan there\n"
            "  do: give the constraint a finite value, or start from a configuration where it has one"
        )
    assert [row.worst for row in bough.check(model, show=False).wrong] == [
        "its value is nan everywhere",  # of the gradient, and of the rate
        "its value is nan everywhere",
    ]
