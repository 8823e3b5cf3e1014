"""A T-handle that flips over and over in free fall: the intermediate axis theorem, through every orientation.

Its Euler angles pass gimbal lock again and again. The reduced integrator has none: momentum is constant to
round-off, and the time between flips is that of Jacobi's elliptic functions.
"""

import numpy as np
from scipy.special import ellipk

import bough

INERTIA = np.array([1.0, 2.0, 3.0])

system = bough.System("handle", gravity=None)
system.world.free("base", name="handle", mass=1.0, inertia=INERTIA)
model = system.build()

spin = np.array([1e-2, 3.0, 0.0])  # almost about the intermediate axis, which is unstable
vi = bough.ReducedVI(model, dt=0.002, tau="exp")
run = bough.simulate(model, vi.start(xi=(*spin, 0, 0, 0)), integrator=vi, duration=30.0)

axis = run.xi[:, 1]  # changes sign at every flip
flips = run.t[1:][np.diff(np.sign(axis)) != 0]
twice_energy, momentum2 = np.dot(INERTIA, spin**2), np.dot(INERTIA, INERTIA * spin**2)
I1, I2, I3 = INERTIA
if (
    momentum2 < twice_energy * I2
):  # the formulas are for the other half of the sphere: exchange the outer axes
    I1, I3 = I3, I1
rate = np.sqrt((I3 - I2) * (momentum2 - twice_energy * I1) / (I1 * I2 * I3))
modulus = (I2 - I1) * (twice_energy * I3 - momentum2) / ((I3 - I2) * (momentum2 - twice_energy * I1))
period = 2 * ellipk(modulus) / rate

print(f"flips {np.diff(flips).mean():.3f} s apart, by Jacobi {period:.3f} s")
print(
    f"angular momentum kept to {np.abs(run.mu - run.mu[0]).max():.1e}, energy to {np.ptp(run.energy()):.1e} J"
)
print(f"closest to gimbal lock: cos(ry) = {np.abs(np.cos(run['base_ry'])).min():.1e}")
assert abs(np.diff(flips).mean() - period) < 0.01 * period
