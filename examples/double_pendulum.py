"""A double pendulum: describe it, simulate it, look at its energy.

python double_pendulum.py [plot.png]
"""

import sys

import matplotlib.pyplot as plt

import bough

# a frame is added to its parent and returned; a number is a constant, a string names a configuration variable
system = bough.System("double-pendulum", gravity=(0, 0, -9.81))
elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
tip = elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
model = system.build()
print(system)
print(model)

run = bough.simulate(model, q={"shoulder": 0.8}, duration=20.0, dt=0.01)  # at rest unless v= is given
energy = run.energy()
print(f"{len(run.t)} instants to t = {run.t[-1]:g} s")
print(f"energy {energy[0]:.6f} J, largest change {abs(energy - energy[0]).max():.1e} J")

if len(sys.argv) > 1:
    position = model.pose("tip", run.q)[:, :3, 3]
    figure, axes = plt.subplot_mosaic(
        [["angles", "angles"], ["path", "energy"]], figsize=(9, 6), layout="constrained"
    )
    for name in model.variables:
        axes["angles"].plot(run.t, run[name], label=name)
    axes["angles"].set(xlabel="t [s]", ylabel="angle [rad]", title="configuration")
    axes["angles"].legend(loc="upper right")
    axes["path"].plot(position[:, 0], position[:, 2], linewidth=0.7)
    axes["path"].set(xlabel="x [m]", ylabel="z [m]", title="path of the tip", aspect="equal", ylim=(-2.2, -1))
    axes["energy"].plot(run.t, 1e3 * (energy - energy[0]), linewidth=0.8)
    axes["energy"].set(xlabel="t [s]", ylabel="E − E(0) [mJ]", title="energy")
    figure.savefig(sys.argv[1], dpi=150)
    print(f"plot: {sys.argv[1]}")
