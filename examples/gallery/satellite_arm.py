"""A satellite turns when its arm moves ([K]): a swing of the arm leaves the base in another attitude."""

import numpy as np

import bough
from bough import gallery

model = gallery.satellite_arm().build()


def torque(t: float) -> list[float]:
    """Swing the arm out and brake it."""
    return [np.sin(np.pi * t / 2), 2.0 * np.sin(np.pi * t / 2), np.sin(np.pi * t / 2)]


run = bough.simulate(model, np.zeros(9), duration=4.0, u=torque)
angles = dict(zip(model.variables, run.q[-1].round(3).tolist(), strict=True))
print("arm: ", {name: angles[name] for name in ("shoulder_yaw", "shoulder_pitch", "elbow")})
print("base:", {name: angles[f"base_{name}"] for name in ("rz", "ry", "rx")})
print(f"momentum {np.abs(run.linear_momentum()).max():.1e} kg m/s all the time")
assert np.abs(run.linear_momentum()).max() < 1e-9
