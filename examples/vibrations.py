"""Natural frequencies of a loop: modes of a four-bar that hangs at rest, and the same frequency in its motion."""

import numpy as np

import bough

system = bough.System("swing")
left = system.world.ry("left").tz(-0.6, mass=0.2)
seat = left.ry("seat").tx(1.0, name="seat end", mass=1.5)
right = system.world.tx(1.1).ry("right").tz(-0.7, name="right end", mass=0.2)
system.add(bough.PointConstraint(seat, right, axes=((1, 0, 0), (0, 0, 1)), name="pin"))
system.add(bough.Damping({"left": 0.05, "right": 0.05}))
model = system.build()

rest = model.equilibrium()
modes = model.modes(rest)
print(modes)
print("shape:", modes.shape(0))

start = rest.q + 0.02 * modes.shapes[:, 0].real
run = bough.simulate(model, start, assemble=True, duration=10.0, dt=0.005)
y = run["left"] - rest.q[0]
rises = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
instants = run.t[rises] - y[rises] * 0.005 / (y[rises + 1] - y[rises])
measured = 1.0 / np.diff(instants).mean()
print(f"measured: {measured:.4f} Hz, by modes {modes.frequencies[0]:.4f} Hz")
assert abs(measured / modes.frequencies[0] - 1.0) < 1e-3
