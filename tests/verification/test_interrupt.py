"""Ctrl-C inside a long run: it stops and keeps what there is. Each case is a process of its own.

How soon it stops is in tests/unit/test_runner.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

WORK = """
import json, os, signal, sys, threading, time
import numpy as np
import bough

system = bough.System("pendulum")
frame = system.world
for n in range({links}):
    frame = frame.ry(f"q{{n}}").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
system.add(bough.ConfigurationForce("q0", "torque"))
model = system.build()

def interrupt():
    time.sleep(0.7)
    os.kill(os.getpid(), signal.SIGINT)

settings = dict(q={{"q0": 0.4}}, duration=1e5, dt={dt}, every={every}, {options})
bough.simulate(model, **settings | dict(duration=0.05))  # loads what is loaded at first use
threading.Thread(target=interrupt, daemon=True).start()
try:
    run = bough.simulate(model, **settings)
    raised = False
except KeyboardInterrupt as stop:
    run = stop.trajectory
    raised = True
begin = bough.simulate(model, **settings | dict(duration=float(run.t[min(len(run) - 1, 20)])))
print(json.dumps(dict(raised=raised, status=run.status, rows=len(run), end=float(run.t[-1]),
    steps=run.statistics["steps"], finite=bool(np.isfinite(run.q).all() and np.isfinite(run.v).all()),
    same=bool(np.allclose(run.q[: len(begin) - 1], begin.q[:-1], rtol=0, atol=1e-9)))))
"""

CASES = {
    "midpoint": (20, 0.01, 50, ""),
    "midpoint, returned": (20, 0.01, 50, "on_failure='stop'"),
    "trapezoidal": (20, 0.01, 50, "integrator='trapezoidal'"),
    "rk4": (20, 0.01, 50, "integrator='rk4'"),
    "implicit midpoint": (20, 0.01, 50, "integrator='implicit-midpoint'"),
    "large system": (2000, 0.01, 50, ""),
    "feedback": (5, 0.01, 50, "u=lambda t, state: [-0.1 * state.v[0]]"),
    "dop853": (5, 0.01, 50, "integrator='dop853'"),
}


@pytest.mark.parametrize("case", CASES)
def test_interrupt(case: str) -> None:
    links, dt, every, options = CASES[case]
    code = WORK.format(links=links, dt=dt, every=every, options=options)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["status"] == "interrupted"
    assert result["raised"] == ("stop" not in options)
    # it was under way, and all of it is there
    assert 0.0 < result["end"] < 1e5
    assert result["rows"] > 1
    assert result["finite"]
    assert result["same"]
