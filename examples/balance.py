"""A control loop: a pole is kept upright on its cart, 400 times a second, with a torque that a filter smooths.

`vi.runner` steps in place. Its arrays `q` and `p` stay the same objects while their numbers change:
copy what you keep.
"""

import numpy as np

import bough

model = bough.gallery.cart_pole(angle=0.3).build()
vi = bough.MidpointVI(model, dt=0.0025)
gains = np.array([1.0, 28.0, 2.2, 6.5])  # gains of x, angle and their rates

runner = vi.runner(vi.start())
force, angles = np.zeros(1), []
while runner.t < 8.0:
    wanted = gains @ np.concatenate([runner.q, runner.v])
    force += 0.2 * (np.clip(wanted, -20.0, 20.0) - force)
    runner.step(force)
    angles.append(runner.q["angle"])

print(f"after {runner.t:g} s: x = {runner.q['x']:.1e} m, angle = {runner.q['angle']:.1e} rad")
assert np.abs(angles[-400:]).max() < 1e-3
