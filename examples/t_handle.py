"""A T-handle that flips over and over: a floating body that spins about its middle axis, and all six momenta of it.

With Euler angles this motion passes gimbal lock again and again. A floating body has none.
"""

import numpy as np

import bough

system = bough.System("T-handle", gravity=None)
system.world.floating("handle", name="handle", mass=0.3, inertia=(2e-4, 6e-4, 7e-4))
model = system.build()

run = bough.simulate(model, v={"handle": (0.02, 12.0, 0.02)}, duration=20.0, dt=0.005)
spin = run["v.handle"][:, 1]
flips = np.count_nonzero(np.diff(np.sign(spin)))
L = run.angular_momentum()

print(f"{flips} flips in {run.t[-1]:g} s, angular momentum kept to {np.abs(L - L[0]).max():.0e}")
assert flips > 5
assert np.abs(L - L[0]).max() < 1e-14
assert np.abs(np.linalg.norm(run["handle"], axis=1) - 1.0).max() < 1e-15
