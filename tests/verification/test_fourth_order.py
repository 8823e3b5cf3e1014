"""order=4 of the trapezoidal rule: the composed step is of fourth order. That of the midpoint rule: test_gauss.py."""

from __future__ import annotations

import numpy as np

import bough


def double_pendulum() -> bough.Model:
    system = bough.System("double pendulum")
    elbow = system.world.ry("a").tz(-1.0, mass=1.0)
    elbow.ry("b").tz(-1.0, mass=1.0)
    return system.build()


def test_order() -> None:
    model, start = double_pendulum(), {"a": 1.0, "b": 0.5}
    precise = {"integrator": "dop853", "rtol": 1e-13, "atol": 1e-13}
    truth = bough.simulate(model, start, duration=2.0, dt=0.5, **precise).q[-1]
    composed = {"integrator": "trapezoidal", "order": 4, "duration": 2.0}
    errors = [
        np.max(np.abs(bough.simulate(model, start, dt=dt, **composed).q[-1] - truth))
        for dt in (0.04, 0.02, 0.01)
    ]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(slopes - 4.0) < 0.15), slopes


def test_rerun_and_settings() -> None:
    composed = {"integrator": "trapezoidal", "order": 4}
    run = bough.simulate(double_pendulum(), {"a": 1.0}, duration=0.5, dt=0.01, **composed)
    assert run.settings["order"] == 4
    assert run.rerun() == run
