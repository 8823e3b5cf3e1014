"""Your own spring in ten lines: hard when stretched, slack when pushed. Checked, simulated, at rest.

python my_spring.py
"""

from dataclasses import dataclass

import numpy as np

import bough


@dataclass(frozen=True)
class Rope(bough.Potential):
    """A rope that pulls with stiffness * stretch ** 2, and does not push."""

    a: str
    b: str
    length: float
    stiffness: float
    frame_fields = ("a", "b")

    def energy(self, at):
        d = at.position(self.a) - at.position(self.b)
        stretch = max(np.sqrt(d @ d) - self.length, 0.0)
        return self.stiffness * stretch**3 / 3

    def gradient(self, at):
        d = at.position(self.a) - at.position(self.b)
        length = np.sqrt(d @ d)
        pull = self.stiffness * max(length - self.length, 0.0) ** 2
        return pull * (at.position_dq(self.a) - at.position_dq(self.b)) @ d / length

    # hessian(self, at) is not defined: bough computes it from the gradient, and says so once


system = bough.System("bungee")
stone = system.world.tx("x").tz("z", name="stone", mass=2.0)
system.add(Rope("stone", "world", length=1.0, stiffness=400.0, name="rope"))
system.add(bough.Damping(0.2))
model = system.build()

bough.check(model, q={"z": -1.3}, spread=0.1)  # every derivative against finite differences

rest = model.equilibrium({"x": 0.1, "z": -1.1})
stretch = np.sqrt(2.0 * 9.81 / 400.0)
print(f"at rest at z = {rest.q[1]:.6f} m (by hand {-1 - stretch:.6f}), {rest.stability}")
print(f"it bounces at {np.sqrt(rest.eigenvalues[-1]) / (2 * np.pi):.3f} Hz")

run = bough.simulate(model, q={"x": 0.3, "z": -0.8}, duration=5.0, dt=0.005)
print(f"dropped from z = -0.8 m, it falls to z = {run['z'].min():.3f} m")
