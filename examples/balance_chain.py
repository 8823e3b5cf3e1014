"""Twenty links stand upright on each other, held by one torque per joint: three lines of feedback."""

import numpy as np

import bough

system = bough.System("chain", gravity=(0, 0, -9.81))
frame = system.world
for i in range(20):
    frame = frame.ry(f"joint{i}").tz(1.0, name=f"link{i}", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add(bough.ConfigurationForce(f"joint{i}", f"torque{i}"))
model = system.build()

upright = model.equilibrium({})
hold = bough.control.lqr(model, q=upright, Q=1e5, R=1e-3, dt=0.02)
run = bough.simulate(model, q={"joint0": np.radians(5.0)}, u=hold, duration=6.0, dt=0.02)
print(
    f"upright it is {upright.stability}; 5° off at the start, {np.degrees(np.abs(run.q[-1]).max()):.3f}° after 6 s"
)
assert np.abs(run.q[-1]).max() < 1e-3
