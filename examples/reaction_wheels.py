"""Three reaction wheels turn a satellite within limits of speed and torque; they end wherever they are."""

import numpy as np

import bough

system = bough.System("wheels", gravity=(0, 0, 0))
hub = system.world.free("hub", name="hub", mass=50.0, inertia=(3.0, 4.0, 5.0))
wheels = ("wheel_x", "wheel_y", "wheel_z")
for wheel, turn in zip(wheels, (hub.rx, hub.ry, hub.rz), strict=True):
    axis = wheels.index(wheel)
    turn(wheel, name=wheel, mass=1.0, inertia=[0.02 if i == axis else 0.011 for i in range(3)])
    system.add(bough.ConfigurationForce(wheel, f"{wheel}_torque"))
model = system.build()

half = np.radians(60.0) / 2  # a turn of 60 degrees about the diagonal
w, x = np.cos(half), np.sin(half) / np.sqrt(3)
cross = np.array([[0, -x, x], [x, 0, -x], [-x, x, 0]])
target = np.eye(3) + 2 * w * cross + 2 * cross @ cross

run = bough.control.plan(model, target, free=wheels, duration=60.0, steps=60, velocity=8.0, effort=0.02)

again = bough.simulate(model, u=run.u[:-1], duration=run.t[-1], dt=run.t[1], integrator="reduced")
error = again.g[-1, :3, :3] - target
speed = np.abs(np.diff(run.q[:, 6:], axis=0) / run.t[1]).max(axis=0)
momentum = np.abs(model.angular_momentum(again.q, again.v)).max()
print(f"attitude reached to {np.abs(error).max():.1e}, total angular momentum {momentum:.0e}")
for wheel, fastest, torque in zip(wheels, speed, np.abs(run.u).max(axis=0), strict=True):
    print(
        f"{wheel}: up to {fastest:.2f} rad/s and {torque:.4f} N m, ends turned by {run[wheel][-1]:+.1f} rad"
    )
