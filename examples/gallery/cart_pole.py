"""A pole is balanced on a cart by a linear feedback, found from the model's own derivatives."""

import numpy as np
from scipy.linalg import solve_continuous_are

import bough
from bough import gallery

model = gallery.cart_pole(angle=0.3).build()
rest = np.zeros(2)

# the linear system x' = A x + B u about upright, from exact second derivatives of the Lagrangian
inverse = np.linalg.inv(model.mass_matrix(rest))
A = np.block([[np.zeros((2, 2)), np.eye(2)], [inverse @ model.L_dqdq(rest, rest), np.zeros((2, 2))]])
B = np.concatenate([np.zeros(2), inverse[:, 0]])[:, None]
P = solve_continuous_are(A, B, np.diag([1.0, 1.0, 0.1, 0.1]), np.eye(1))
gain = B.T @ P

run = bough.simulate(model, u=lambda t, state: -gain @ np.concatenate([state.q, state.v]))
print("feedback gains", gain.round(2).ravel())
print(f"the pole leans by {run['angle'][0]:.2f} rad at first and by {run['angle'][-1]:.1e} rad after 10 s")
print(f"the largest force is {np.abs(run.u).max():.1f} N")
assert np.abs(run["angle"][-1]) < 1e-3
