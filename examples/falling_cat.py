"""A falling cat turns over with zero angular momentum: two halves, a spine that bends, sways, twists."""

import numpy as np

import bough

# gravity pulls both halves alike: in the frame that falls with the cat there is none
system = bough.System("cat", gravity=(0, 0, 0))
hind = system.world.free("hind", name="hind", mass=2.0, inertia=(0.005, 0.02, 0.02), com=(-0.1, 0, 0))
front = hind.ry("bend").rz("sway").rx("twist", name="front")
front.tx(0.12, name="chest", mass=2.0, inertia=(0.005, 0.02, 0.02))
for joint in ("bend", "sway", "twist"):
    system.add(bough.ConfigurationForce(joint, f"{joint}_torque"))
model = system.build()

# the hind half must end upside down, the spine as straight as it was; it bends and twists only so far
over = np.diag([1.0, -1.0, -1.0])
limits = {"bend": 1.6, "sway": 1.6, "twist": 1.2}
run = bough.control.reorient(
    model,
    over,
    duration=0.6,
    steps=40,
    lower={joint: -limit for joint, limit in limits.items()},
    upper=limits,
)

turned = np.degrees(np.arccos(np.clip(model.pose("hind", run.q)[:, 2, 2], -1, 1)))
print(f"turned over by {turned[-1]:.4f} degrees in {run.t[-1]:g} s")
for joint in limits:
    print(f"{joint}: between {run[joint].min():+.2f} and {run[joint].max():+.2f} rad")
print(f"torques up to {np.abs(run.u).max():.2f} N m; effort {run.statistics['effort']:.4g}")

# the same torques in a simulation: the same fall, with no angular momentum at any time
again = bough.simulate(model, u=run.u[:-1], duration=run.t[-1], dt=run.t[1], integrator="reduced")
spin, apart = np.abs(model.angular_momentum(again.q, again.v)).max(), np.abs(again.q - run.q).max()
print(f"simulated: the same motion to {apart:.0e}, angular momentum at most {spin:.0e} kg m²/s")
