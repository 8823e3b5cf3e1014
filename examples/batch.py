"""The phase portrait of a pendulum: 90 000 states evaluated in one call.

python batch.py portrait.png
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import bough

system = bough.System("pendulum")
system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
model = system.build()

# q and v of shape (300, 300, 1): all leading axes are batch axes, looped in C++
angle, rate = np.meshgrid(np.linspace(-2 * np.pi, 2 * np.pi, 300), np.linspace(-9, 9, 300))
q, v = angle[..., np.newaxis], rate[..., np.newaxis]
energy = model.energy(q, v)
acceleration = model.acceleration(q, v)[..., 0]
print(f"energies {energy.shape} from {energy.min():.2f} J to {energy.max():.2f} J")
assert np.allclose(energy, 0.5 * rate**2 - 9.81 * np.cos(angle))

figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
axes.contourf(angle, rate, energy, levels=24, cmap="Blues", alpha=0.6)
axes.streamplot(angle, rate, rate, acceleration, color="0.25", density=1.3, linewidth=0.6, arrowsize=0.7)
axes.contour(angle, rate, energy, levels=[9.81], colors="tab:red")  # the separatrix
axes.set(xlabel="angle [rad]", ylabel="rate [rad/s]", title="pendulum: energy and flow")
path = sys.argv[1] if len(sys.argv) > 1 else "phase_portrait.png"
figure.savefig(path, dpi=150)
print(f"plot: {path}")
