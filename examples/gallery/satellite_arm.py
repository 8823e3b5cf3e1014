"""A satellite turns when its arm moves ([K]): a swing of the arm leaves the base in another attitude."""

import numpy as np

import bough
from bough import gallery

model = gallery.satellite_arm().build()


def torque(t: float) -> list[float]:
    """Swing the arm out and brake it."""
    return [np.sin(np.pi * t / 2), 2.0 * np.sin(np.pi * t / 2), np.sin(np.pi * t / 2)]


run = bough.simulate(model, model.neutral(), duration=4.0, u=torque)
arm = {name: round(float(run[name][-1]), 3) for name in ("shoulder_yaw", "shoulder_pitch", "elbow")}
print("arm: ", arm)
print("base turned by", run.rotation("base")[-1].as_rotvec().round(3).tolist())
print(f"momentum {np.abs(run.linear_momentum()).max():.1e} kg m/s all the time")
assert np.abs(run.linear_momentum()).max() < 1e-9
