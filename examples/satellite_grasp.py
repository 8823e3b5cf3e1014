"""A satellite grasps a target with its arm and ends with its antenna where it pointed before. [K]"""

import numpy as np

import bough

system = bough.System("satellite", gravity=(0, 0, 0))
base = system.world.free("base", name="base", mass=20.0, inertia=(2.0, 1.6, 1.8))
shoulder = base.tx(0.4).rz("shoulder_yaw").ry("shoulder_pitch")
shoulder.tx(0.35, name="upper arm", mass=3.0, inertia=(0.02, 0.13, 0.13))
elbow = shoulder.tx(0.7).ry("elbow")
elbow.tx(0.3, name="forearm", mass=2.0, inertia=(0.01, 0.08, 0.08)).tx(0.35, name="hand")
joints = ("shoulder_yaw", "shoulder_pitch", "elbow")
for joint in joints:
    system.add(bough.ConfigurationForce(joint, f"{joint}_torque"))
model = system.build()

stowed = {"shoulder_yaw": 0.0, "shoulder_pitch": -1.4, "elbow": 2.6}
grasping = {"shoulder_yaw": 0.7, "shoulder_pitch": -0.3, "elbow": 0.8}
# the joints cannot move the centre of mass, so attitude and shape at the end determine where the base is
pose = bough.control.reachable_pose(model, np.eye(3), stowed, r=grasping)
target = model.pose("hand", {**grasping, **dict(zip(model.variables[:3], pose[:3, 3], strict=True))})[:3, 3]

run = bough.control.plan(model, pose, stowed, r=grasping, duration=10.0, steps=50, upper=2.8, lower=-2.8)

hand = np.linalg.norm(model.pose("hand", run.q)[:, :3, 3] - target, axis=1)
attitude = np.abs(run.q[:, 3:6]).max(axis=1)
print(f"{run.statistics['iterations']} iterations, effort {run.statistics['effort']:.4g} N² m² s")
print(
    f"hand {hand[0]:.3f} m from the target at first, {1e3 * hand[-1]:.1f} mm at last (the error of 50 steps)"
)
print(f"attitude off by up to {np.degrees(attitude.max()):.1f} degrees, {attitude[-1]:.0e} rad at last")

again = bough.simulate(model, run.q[0], u=run.u[:-1], duration=run.t[-1], dt=run.t[1], integrator="reduced")
apart = np.abs(again.q - run.q).max()
print(f"torques of up to {np.abs(run.u).max():.2f} N m; a simulation with them is the same to {apart:.0e}")
