"""What goes wrong in a function of the user, and what is kept."""

from __future__ import annotations

import contextlib
import gc
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
