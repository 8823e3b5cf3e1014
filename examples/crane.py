"""A trolley carries a load on a rope and sets it down without swing; a feedback calms a load that swings."""

import numpy as np

import bough
from bough.control import Effort

system = bough.System("crane", gravity=(0, 0, -9.81))
trolley = system.world.tx(bough.kinematic("trolley"), name="trolley")
trolley.ry("swing").tz(-2.0, name="load", mass=50.0)
model = system.build()

run = bough.control.optimize(
    model,
    duration=4.0,
    dt=0.02,
    cost=Effort(1.0),  # the rate of the trolley
    end={"trolley": 3.0, "swing": 0.0},
    velocity={"trolley": 1.0},
)
after = bough.simulate(model, run.q[-1], p=run.p[-1], duration=3.0, dt=0.02)  # the trolley stands still
print(
    f"fastest {np.diff(run['trolley']).max() / 0.02:.3f} m/s, swing afterwards {np.abs(after['swing']).max():.1e}"
)
assert np.abs(after["swing"]).max() < 1e-6

calm = bough.control.lqr(
    model, {"swing": 10.0, "v.swing": 10.0, "trolley": 1.0}, 0.5, q={"swing": 0.0}, dt=0.02
)
swinging = calm.simulate(q={"swing": 0.3}, duration=8.0)
print(f"from 0.3 rad to {np.abs(swinging['swing'][-50:]).max():.1e} rad in 8 s")
assert np.abs(swinging["swing"][-50:]).max() < 1e-2
