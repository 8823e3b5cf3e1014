"""A pole swings up on its cart with the least effort, within its track, and feedback keeps it there."""

import numpy as np

import bough
from bough.control import Effort, Track

model = bough.gallery.cart_pole().build()
run = bough.control.optimize(
    model,
    q={"angle": np.pi},
    duration=2.0,
    dt=0.025,
    cost=[Effort(0.05), Track({"x": 0.0}, weight=0.1)],
    end={"x": 0.0, "angle": 0.0},
    lower={"x": -1.0},
    upper={"x": 1.0},
    effort={"force": 10.0},
)
print(f"cost {run.statistics['cost']:.4f} after {run.statistics['iterations']} iterations")
print(f"largest force {np.abs(run.u).max():.3f} N, farthest place {np.abs(run['x']).max():.3f} m")
assert np.abs(run.q[-1]).max() < 1e-6

follow = bough.control.lqr(run, Q=10.0, R=0.1)  # then the same gains at the end of the motion hold it
start = {"angle": np.pi - 0.1}
for name, u in (("open loop", run.u[:-1]), ("feedback", follow)):
    again = bough.simulate(model, q=start, u=u, duration=2.0, dt=0.025)
    print(f"{name}: 0.1 rad off at the start, {abs(again['angle'][-1]):.3f} rad off at the end")
