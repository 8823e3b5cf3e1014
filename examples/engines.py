"""The closed chain of [JM09] in other engines: how much of its energy each has left.

python engines.py [seconds]        20 s by default; 120 s in [JM09]
"""

import sys

import numpy as np

import bough
from bough import gallery
from bough.peers import mujoco, ode, with_inertia

duration = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
dt = 0.01

# other engines do not accept point masses
model = with_inertia(gallery.closed_chain(), 0.01).build()
rest = model.potential_energy(model.equilibrium().q)
run = bough.simulate(model, duration=duration, dt=dt)
energies = {"bough": run.energy()}

if ode.installed_version() is None:
    print("Open Dynamics Engine:", ode.MISSING)
else:
    energies["ODE"] = ode.OpenDynamicsEngine(model, dt=dt).energies(round(duration / dt))

if mujoco.installed_version() is None:
    print("MuJoCo:", mujoco.MISSING)
else:
    for integrator in ("Euler", "RK4"):
        engine = mujoco.MuJoCo(model, dt=dt, integrator=integrator)
        energies[f"MuJoCo {integrator}"] = engine.energies(round(duration / dt))

print(f"energy above rest after {duration:g} s, of that at the start")
for name, energy in energies.items():
    above = energy - rest
    print(
        f"  {name:13} {above[-1] / above[0]:7.2%}   largest change {np.abs(above / above[0] - 1).max():.0e}"
    )
