"""State: a small value that does not change."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from bough import State


def test_arrays_are_copied_and_read_only():
    q = np.array([1.0, 2.0])
    state = State(0.5, q, [3.0, 4.0], [5.0], [])
    q[0] = 9.0
    assert (state.t, state.q.tolist(), state.v.tolist(), state.p.tolist()) == (0.5, [1, 2], [3, 4], [5])
    assert state.lam.shape == (0,)
    for array in (state.q, state.v, state.p, state.lam):
        assert not array.flags.writeable
    with pytest.raises(AttributeError):
        state.q = q


def test_velocity_is_computed_once_and_only_when_asked_for():
    calls = []

    def velocity():
        calls.append(1)
        return np.array([7.0])

    state = State(0.0, [0.0], velocity)
    assert calls == []
    assert state.v.tolist() == [7.0] == state.v.tolist()
    assert calls == [1]


def test_without_velocity_at_rest():
    state = State(0.0, [1.0, 2.0])
    assert state.v.tolist() == [0.0, 0.0]
    assert state.p is None
    assert state.lam is None


def test_equal_by_content():
    a = State(1.0, [1.0, 2.0], [0.0, 1.0], [3.0, 4.0], [])
    assert a == State(1.0, [1.0, 2.0], lambda: np.array([0.0, 1.0]), [3.0, 4.0], [])
    assert hash(a) == hash(State(1.0, [1.0, 2.0]))
    assert a != State(1.0, [1.0, 2.0], [0.0, 1.0], [3.0, 4.5], [])
    assert a != State(1.0, [1.0, 2.0], [0.0, 1.0])
    assert a != "state"


def test_pickles_with_its_memory():
    memory = (0.01, np.ones((2, 1)), np.zeros(2))
    state = State(1.0, [1.0], lambda: np.array([2.0]), [3.0], [4.0], memory=memory)
    copy = pickle.loads(pickle.dumps(state))
    assert copy == state
    assert copy._memory[0] == 0.01
    assert np.array_equal(copy._memory[1], memory[1])


def test_text():
    assert repr(State(0.25, [1.0, 2.0], [0.5, 0.0])) == "State(t=0.25, q=[1., 2.], v=[0.5, 0. ])"
