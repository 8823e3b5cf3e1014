"""A toy crane, drawn from its description alone: a stroboscopic figure of its swinging load.

python pictures.py [crane.png]
"""

import sys

import bough
from bough.view import Scene

system = bough.System("crane")
arm = system.world.tz(2.0, name="mast").ry(
    bough.kinematic("lift"), name="arm", mass=20.0, inertia=(15, 15, 0.1)
)
jib = arm.tx(1.5, name="jib")
load = system.world.tx("x").tz("z", name="load", mass=5.0)
system.add(bough.DistanceConstraint(load, jib, length=bough.kinematic("rope"), name="rope"))
system.add(
    bough.LinearSpring(
        arm, system.world.tx(-0.6, name="anchor"), stiffness=100.0, rest_length=1.0, name="stay"
    )
)
system.add(bough.HybridWrench(load, fx="wind"))

# shapes replace the automatic picture of a frame
system.shape(
    "arm", bough.Box((1.6, 0.1, 0.15)), pose=[[1, 0, 0, 0.7], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
)
system.shape("load", bough.Sphere(0.12), color="orange")
model = system.build()

start = {"lift": -0.3, "rope": 1.2, "x": 2.2, "z": 1.6}
state = model.assemble(start)
scene = Scene(model, state.q)
print(
    f"{model.name}: {len(scene.rigid)} things on {len(scene.frames)} frames, {len(scene.links)} between them"
)
print("seen face-on" if scene.plane is not None else "seen in perspective")

run = bough.simulate(model, q=state.q, duration=1.5, dt=0.01, u={"wind": 8.0})
print(f"the load moves from x = {run['x'][0]:.3f} to {run['x'][-1]:.3f} m")

if len(sys.argv) > 1:
    run.strobe(6, trace="load").savefig(sys.argv[1], dpi=120)
    print(f"picture: {sys.argv[1]}")
