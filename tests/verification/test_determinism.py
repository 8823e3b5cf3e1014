"""The same run gives the same bits: again, in another process, in eight threads, step by step."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bough
from support.mechanisms import assembled, closed_chain, pendulum
from support.random_systems import Moving, random_system

METHODS = ["midpoint", "trapezoidal"]


def systems() -> dict[str, Moving]:
    chain = closed_chain()
    start = assembled(chain, {"J": 0.4, "H": -0.8, "K": -0.3, "M": -1.0, "A": 0.6, "C": 0.5, "E": 0.6})
    free = pendulum(8)
    return {
        "pendulum": Moving(_system(free), np.full(8, 0.3), np.zeros(8), np.zeros(0)),
        "everything": random_system(1, 7, constraints=3, driven_length=True),
        "closed chain": Moving(_system(chain), start, np.zeros(7), np.zeros(0)),
    }


def _system(model: bough.Model) -> bough.System:
    return bough.System.from_dict(model.system.to_dict())


SYSTEMS = systems()


def bits(run: bough.Trajectory) -> bytes:
    return b"".join(np.ascontiguousarray(x).tobytes() for x in (run.t, run.q, run.v, run.p, run.lam))


def one(name: str, method: str, shift: float = 0.0, duration: float = 0.5) -> bough.Trajectory:
    moving = SYSTEMS[name]
    settings = moving.start
    settings["v"] = moving.v + shift
    return bough.simulate(moving.model, **settings, duration=duration, dt=0.005, integrator=method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_again(name: str, method: str) -> None:
    first = bits(one(name, method))
    one(name, method, shift=0.3)  # whatever came between
    one("pendulum", "midpoint", duration=0.1)
    assert bits(one(name, method)) == first


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_eight_threads_with_one_model(name: str, method: str) -> None:
    shifts = [0.02 * n for n in range(16)]
    alone = [bits(one(name, method, shift)) for shift in shifts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda shift: bits(one(name, method, shift)), shifts))
    assert together == alone


@pytest.mark.parametrize("name", SYSTEMS)
def test_eight_threads_with_one_integrator(name: str) -> None:
    """Steps by hand: every step a function of its state alone, whichever thread makes it."""
    moving = SYSTEMS[name]
    vi = bough.MidpointVI(moving.model, 0.005)

    def last(shift: float) -> bytes:
        state = vi.start(moving.q, moving.v + shift)
        for n in range(60):
            state = vi.step(state, u=moving.u, k=moving.k(0.005 * (n + 1)))
        return state.q.tobytes() + state.p.tobytes() + state.v.tobytes()

    shifts = [0.02 * n for n in range(16)]
    alone = [last(shift) for shift in shifts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(last, shifts)) == alone
    assert [last(shift) for shift in reversed(shifts)] == alone[::-1]


def test_steps_by_hand_continue_a_run() -> None:
    """A state holds all that the next step depends on: saved and taken up again, the motion goes on."""
    moving = SYSTEMS["everything"]
    vi = bough.MidpointVI(moving.model, 0.005)

    def steps(state: bough.State, first: int, last: int) -> bough.State:
        for n in range(first, last):
            state = vi.step(state, u=moving.u, k=moving.k(0.005 * (n + 1)))
        return state

    begin = vi.start(moving.q, moving.v)
    middle = steps(begin, 0, 30)
    end = steps(middle, 30, 80)
    steps(vi.start(moving.q, 1.5 * moving.v), 0, 45)  # the integrator is used for something else
    again = steps(middle, 30, 80)
    assert again.q.tobytes() == end.q.tobytes()
    assert again.p.tobytes() == end.p.tobytes()


WORK = """
import hashlib, sys
sys.path[:0] = {paths!r}
from test_determinism import SYSTEMS, bits, one
for name in SYSTEMS:
    print(hashlib.sha256(bits(one(name, "midpoint"))).hexdigest())
"""


def test_another_process() -> None:
    here = os.path.dirname(__file__)
    code = WORK.format(paths=[here, os.path.dirname(here)])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    expected = [hashlib.sha256(bits(one(name, "midpoint"))).hexdigest() for name in SYSTEMS]
    assert done.stdout.split() == expected
