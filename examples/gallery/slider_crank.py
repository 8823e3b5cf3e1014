"""A crank drives a piston: the stroke, and the force at the wrist pin."""

import numpy as np

import bough
from bough import gallery

run = bough.simulate(gallery.slider_crank().build())
angle, piston = run["crank"], run["piston"]
exact = 0.1 * np.cos(angle) + np.sqrt(0.3**2 - (0.1 * np.sin(angle)) ** 2)
print(f"stroke {np.ptp(piston):.4f} m, off the closed form by {np.abs(piston - exact).max():.1e} m")
force = np.linalg.norm(run.lam[:-1], axis=1)
print(f"{np.ptp(angle) / (2 * np.pi):.1f} turns, wrist pin up to {force.max():.1f} N")
