"""A diver completes a somersault and adds a twist by the arms alone, with the momentum of the board."""

import numpy as np

import bough

# gravity pulls all parts alike: in the frame that falls with the diver there is none
system = bough.System("diver", gravity=(0, 0, 0))
trunk = system.world.free("trunk", name="trunk", mass=60.0, inertia=(10.0, 9.5, 1.0))
for side, sign in (("left", 1.0), ("right", -1.0)):
    shoulder = trunk.ty(0.2 * sign).tz(0.45).rx(side, ratio=-sign)
    shoulder.tz(0.3, name=f"{side} arm", mass=4.0, inertia=(0.12, 0.12, 0.005))
    system.add(bough.ConfigurationForce(side, f"{side}_torque"))
model = system.build()

# arms up and at rest, the trunk turns about its y axis, the centre of mass stays fixed
start, duration = {"left": 0.3, "right": 0.3}, 1.5
spin = {"trunk_ry": 4.0}
spin["trunk_tx"] = -model.linear_momentum(start, spin)[0] / model.total_mass

# a whole somersault, which a rigid body would miss by 0.28 rad, and a twist of 0.3 rad about the long axis z
c, s = np.cos(0.3), np.sin(0.3)
target = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
run = bough.control.plan(
    model, target, start, v=spin, duration=duration, steps=30, lower=-0.2, upper=3.2, weight=1e-4
)

again = bough.simulate(
    model, run.q[0], spin, u=run.u[:-1], duration=duration, dt=run.t[1], integrator="reduced"
)
momentum = model.angular_momentum(again.q, again.v)
print(f"attitude reached to {np.abs(again.g[-1, :3, :3] - target).max():.0e} after {duration:g} s")
print(f"angular momentum {momentum[0].round(3)}, kept to {np.abs(momentum - momentum[0]).max():.0e} kg m²/s")
for side in ("left", "right"):
    torque = np.abs(run.u[:, model.inputs.index(f"{side}_torque")]).max()
    print(f"{side} arm: between {run[side].min():.2f} and {run[side].max():.2f} rad, up to {torque:.0f} N m")
