"""A four-bar linkage goes from one pose to another with the least torque, in all three of its angles.

No coordinates are chosen: the loop is part of every step, and stays closed to round-off.
"""

import numpy as np

import bough
from bough.control import Effort

system = bough.System("four bar", gravity=(0, 0, -9.81))
end = system.world
for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.8)):
    end = end.ry(name).tx(length / 2, mass=length).tx(length / 2, name=f"{name}_end")
ground = system.world.tx(0.9, name="ground")
for axis in ((1, 0, 0), (0, 0, 1)):
    system.add(bough.PointConstraint(end, ground, axis=axis))
system.add(bough.ConfigurationForce("crank", "torque"))
system.add(bough.Damping(0.05))
model = system.build()

start = model.assemble({"crank": -0.5, "coupler": 0.2, "rocker": 1.8})
rest = model.equilibrium(start.q)
goal = rest.q[0] + 2.5
run = bough.control.optimize(
    model, q=rest.q, duration=1.5, dt=0.02, cost=Effort(1.0), end={"crank": goal}, end_weight=None
)
print(f"{run.statistics['iterations']} iterations, cost {run.statistics['cost']:.3f}")
print(f"loop open by at most {np.abs(run.constraint_error()).max():.1e} m")
assert abs(run["crank"][-1] - goal) < 1e-6
assert np.abs(run.constraint_error()).max() < 1e-9
