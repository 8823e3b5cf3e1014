"""A runner: in place, with the errors of `step`, and where it was after one."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough import MidpointVI, TrapezoidalVI, gallery
from support.error_runs import arm, pendulum


def test_arrays_of_a_runner() -> None:
    vi = MidpointVI(gallery.cart_pole().build(), 0.01)
    runner = vi.runner(vi.start(v={"x": 1.0}))
    q, p, before = runner.q, runner.p, runner.q.copy()
    runner.step(np.array([2.0]))
    state = vi.step(vi.start(v={"x": 1.0}), {"force": 2.0})
    assert runner.q is q
    assert runner.p is p
    assert not np.array_equal(q, before)  # one array, whose numbers change
    assert np.array_equal(q, state.q)
    assert np.array_equal(p, state.p)
    assert np.array_equal(runner.v, state.v)
    assert (runner.t, runner.q["angle"], runner.v["x"]) == (state.t, state.q["angle"], state.v["x"])
    for array in (q, p):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    with pytest.raises(AttributeError):
        runner.q = before  # type: ignore[misc]
    assert repr(runner) == f"Runner(t=0.01, q={np.array2string(np.asarray(q), precision=6, separator=', ')})"
    del runner
    assert np.array_equal(q, state.q)  # the arrays keep what they look into


@pytest.mark.parametrize("order", [2, 4])
def test_a_state_of_a_runner_stays(order: int) -> None:
    vi = MidpointVI(gallery.closed_chain().build(), 0.01, order=order)
    start = vi.start()
    runner = vi.runner(start)
    states = [start]
    for _ in range(20):
        runner.step()
        states.append(runner.state)
    state = start
    for kept in states[1:]:
        state = vi.step(state)
        assert kept == state
    assert np.array_equal(runner.lam, state.lam)
    q = runner.q
    runner.state = states[5]  # back, as a new episode does
    runner.step()
    assert runner.q is q
    assert runner.state == states[6]
    runner.state = start
    assert runner.state.t == 0.0


@pytest.mark.parametrize("kind", [MidpointVI, TrapezoidalVI])
def test_from_a_state_of_something_else(kind: type[MidpointVI] | type[TrapezoidalVI]) -> None:
    """Of another order, of a run, without a memory: as `step` takes them."""
    model = gallery.cart_pole().build()
    vi = kind(model, 0.01)
    other = MidpointVI(model, 0.02, order=4)
    run = bough.simulate(model, duration=0.1, dt=0.01)
    for state in (
        other.step(other.start(v={"x": 0.5})),
        run[5],
        bough.State(0.5, [0.1, 0.2], [1.0, 2.0]),
        TrapezoidalVI(model, 0.01).step(vi.start()),
    ):
        runner = vi.runner(state)
        assert np.array_equal(runner.q, state.q)
        for _ in range(3):
            runner.step([0.3])
            state = vi.step(state, np.array([0.3]))
            assert runner.state == state


def test_functions_of_time_and_steps_of_other_sizes() -> None:
    vi = MidpointVI(arm(), 0.01)
    state = vi.start()
    runner = vi.runner(state)
    for dt in (None, 0.02, 0.005):
        arguments = (lambda t: [np.sin(t)], lambda t: [0.1 * t], dt)
        runner.step(*arguments)
        state = vi.step(state, *arguments)
        assert runner.state == state
    assert runner.t == pytest.approx(0.035)


def test_errors_are_those_of_a_step() -> None:
    vi = MidpointVI(arm(), 0.1)
    start = vi.start()
    runner = vi.runner(start)
    runner.step()
    before = runner.state
    for arguments in (
        ([1.0, 2.0],),
        ([np.nan],),
        (None, {"slide": 1.0}),
        (None, None, -1.0),
        (None, None, "a"),
    ):
        with pytest.raises(bough.ModelError) as by_step:
            vi.step(before, *arguments)
        with pytest.raises(bough.ModelError) as by_runner:
            runner.step(*arguments)
        assert str(by_runner.value) == str(by_step.value)
        assert runner.state == before
    for wrong in (MidpointVI(pendulum(), 0.1).start(), bough.State(0.0, [1.0]), [1.0]):
        with pytest.raises(bough.ModelError) as by_step:
            vi.step(wrong)
        with pytest.raises(bough.ModelError) as by_runner:
            vi.runner(wrong)
        assert str(by_runner.value) == str(by_step.value)
        with pytest.raises(bough.ModelError) as by_runner:
            runner.state = wrong
        assert str(by_runner.value) == str(by_step.value)
        assert runner.state == before


def test_a_step_that_fails_leaves_a_runner_where_it_was() -> None:
    system = bough.System("chain")
    frame = system.world
    for i in range(6):
        frame = frame.ry(f"q{i}").tz(-1.0, mass=1.0)
    vi = MidpointVI(system.build(), 0.02, max_halvings=0)
    states = [vi.start(q=np.random.default_rng(1).uniform(-2.0, 2.0, 6))]
    runner = vi.runner(states[0])

    def until_it_fails() -> None:
        for _ in range(10):
            runner.step(dt=0.4)
            states.append(vi.step(states[-1], dt=0.4))

    with pytest.raises(bough.ConvergenceError) as by_runner:
        until_it_fails()
    state = states[-1]
    assert runner.state == state
    with pytest.raises(bough.ConvergenceError) as by_step:
        vi.step(state, dt=0.4)
    assert str(by_runner.value) == str(by_step.value)
    assert by_runner.value.iterations == by_step.value.iterations
    for _ in range(20):
        runner.step()
        state = vi.step(state)
        assert runner.state == state


@pytest.mark.filterwarnings("ignore:Fuse has no method")
def test_an_element_that_raises() -> None:
    class Fuse(bough.Force):
        def force(self, at: bough.Instant) -> dict[str, float]:
            if at.t > 0.05:
                raise ArithmeticError("blown")
            return {"angle": -0.1 * at.v["angle"]}

    system = bough.System("fused")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    system.add(Fuse())
    vi = MidpointVI(system.build(), 0.01)
    state = vi.start(q={"angle": 0.5})
    runner = vi.runner(state)
    for _ in range(5):
        state = vi.step(state)
        runner.step()
    for attempt in (lambda: vi.step(state), runner.step):
        with pytest.raises(ArithmeticError, match="blown"):
            attempt()
    assert runner.state == state
