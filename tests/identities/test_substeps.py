"""The parts that a step is made of, as the core reports them: halves of a step that fails, and compositions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from bough import gallery
from support.transforms import Array

DT = 0.08


def stepper(vi: Any, state: bough.State) -> Any:
    found = vi.new_stepper()
    vk = np.zeros(vi.model.nk)
    assert found.start(state.t, state.q, state.p, vk) < 0
    return found


def made(core_stepper: Any, vi: Any, dt: float) -> Array:
    """One step of a length; the q it leads to."""
    buffers = vi.buffers(1)
    status, *_ = core_stepper.run(1, dt, np.zeros((0, vi.model.nk)), np.zeros((1, 0)), 1, 0, *buffers, 0)
    assert status == 0
    return np.array(buffers[1][0])


def test_a_step_that_succeeds_has_one_part() -> None:
    vi = bough.MidpointVI(gallery.four_bar().build(), 0.01)
    core_stepper = stepper(vi, vi.start())
    made(core_stepper, vi, 0.01)
    assert core_stepper.parts == [0.01]


@pytest.mark.parametrize(("order", "count"), [(4, 5), (6, 9), (8, 17)])
def test_parts_of_higher_order(order: int, count: int) -> None:
    """They are symmetric and add up to the step, and their odd powers below the order to nothing."""
    vi = bough.TrapezoidalVI(gallery.four_bar().build(), 0.01, order=order)
    core_stepper = stepper(vi, vi.start())
    made(core_stepper, vi, 0.01)
    parts = np.array(core_stepper.parts) / 0.01
    assert len(parts) == count
    np.testing.assert_array_equal(parts, parts[::-1])
    assert parts.sum() == pytest.approx(1.0, abs=1e-15)
    for power in range(3, order, 2):
        assert (parts**power).sum() == pytest.approx(0.0, abs=1e-15)


def test_parts_of_halved_steps_make_the_same_motion() -> None:
    """Every step that is halved, made again part by part without halving."""
    model = gallery.closed_chain().build()
    vi = bough.MidpointVI(model, DT, max_halvings=6)
    alone = bough.MidpointVI(model, DT, max_halvings=0)
    whole, by_parts = (stepper(x, vi.start()) for x in (vi, alone))
    halved = 0
    for _ in range(60):
        q = made(whole, vi, DT)
        parts = whole.parts
        assert sum(parts) == pytest.approx(DT, rel=1e-14)
        assert all(np.log2(DT / part) == round(np.log2(DT / part)) for part in parts)
        halved += len(parts) > 1
        for part in parts:
            again = made(by_parts, alone, part)
        assert np.max(np.abs(again - q)) < 1e-7
    assert halved > 3
