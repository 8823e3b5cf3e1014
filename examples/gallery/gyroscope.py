"""A gyroscope: steady precession, and nutation when it is only let go."""

import numpy as np

import bough
from bough import gallery

model = gallery.gyroscope().build()
steady = bough.simulate(model)
dropped = bough.simulate(model, v={"precession": 0.0})
for name, run in (("steady", steady), ("let go", dropped)):
    turn = run["precession"][-1] / (2 * np.pi)
    print(f"{name}: {turn:.3f} turns in 10 s, nutation {np.ptp(run['nutation']):.2e} rad")

# the same without angles, which has no singular place upright
ball = bough.simulate(gallery.gyroscope(rotation="ball").build())
axis = ball.rotation("top").as_matrix()[:, :, 2]
turn = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))[-1] / (2 * np.pi)
print(f"as a ball: {turn:.3f} turns in 10 s, nutation {np.ptp(np.arccos(axis[:, 2])):.2e} rad")
assert abs(turn - steady["precession"][-1] / (2 * np.pi)) < 1e-3
