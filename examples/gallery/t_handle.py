"""A T-handle turns over and over: it spins about its middle axis, through every orientation, and all six momenta stay.

With Euler angles this motion passes gimbal lock again and again. A floating body has none.
"""

import numpy as np
from scipy.special import ellipk

import bough
from bough import gallery

model = gallery.t_handle().build()
run = bough.simulate(model, duration=40.0)
spin, L = run["v.handle"], run.angular_momentum()
turns = run.t[1:][np.diff(np.sign(spin[:, 1])) != 0]

I1, I2, I3 = np.diag(model.mass_matrix(model.neutral())[3:, 3:])
w = spin[0]
twice_energy, square = (
    I1 * w[0] ** 2 + I2 * w[1] ** 2 + I3 * w[2] ** 2,
    np.sum((np.array([I1, I2, I3]) * w) ** 2),
)
if square < twice_energy * I2:  # the formulas are for the other half of the sphere: exchange the outer axes
    I1, I3 = I3, I1
rate = np.sqrt((I3 - I2) * (square - twice_energy * I1) / (I1 * I2 * I3))
modulus = (I2 - I1) * (twice_energy * I3 - square) / ((I3 - I2) * (square - twice_energy * I1))
period = 2.0 * ellipk(modulus) / rate

print(f"it turns over every {np.diff(turns).mean():.3f} s, by Jacobi's elliptic functions {period:.3f} s")
print(f"angular momentum is kept to {np.abs(L - L[0]).max():.0e} kg m²/s")
assert abs(np.diff(turns).mean() - period) < 0.01 * period
assert np.abs(L - L[0]).max() < 1e-14
assert np.abs(np.linalg.norm(run["handle"], axis=1) - 1.0).max() < 1e-15
