"""The lower pairs built into the tree, and made of constraints; the gear and the cam pair."""

import numpy as np

import bough

Z = (0, 0, 1)
BODY = {"mass": 1.0, "inertia": (0.2, 0.3, 0.4)}

joints = {
    "revolute": lambda world: world.revolute("q"),
    "prismatic": lambda world: world.prismatic("q"),
    "helical": lambda world: world.helical("q", pitch=0.1),
    "cylindrical": lambda world: world.cylindrical("q", "d"),
    "spherical": lambda world: world.spherical("q"),
    "planar": lambda world: world.planar("q"),
}
point, line = bough.PointConstraint("body", "world"), bough.LineConstraint("body", "world", Z)
plane, parallel = bough.PlaneConstraint("body", "world", Z), bough.ParallelConstraint("body", "world", Z)
key = bough.PlaneConstraint("side", "world", (0, 1, 0))
pairs = {
    "revolute": (point, parallel),
    "prismatic": (line, parallel, key),
    "helical": (bough.WeldConstraint("body", "nut"), bough.ScrewConstraint("turn", "advance", pitch=0.1)),
    "cylindrical": (line, parallel),
    "spherical": (point,),
    "planar": (plane, parallel),
}

print("pair          freedoms of the joint, of the constraints (rows)")
for name, joint in joints.items():
    tree = bough.System(name)
    joint(tree.world).frame("body", **BODY)
    loose = bough.System(name)
    if name == "helical":
        loose.world.cylindrical("turn", "advance").frame("nut", **BODY)
    loose.world.free("free", name="body", **BODY).tx(0.3, name="side")
    for constraint in pairs[name]:
        loose.add(constraint)
    first, second = tree.build(), loose.build()
    freedoms = first.mobility(np.zeros(first.nq)), second.mobility(np.zeros(second.nq))
    print(f"{name:12}  {freedoms[0]}, {freedoms[1]} ({second.nc})")
    assert freedoms[0] == freedoms[1]

gears = bough.System("gears")
for gear in ("small", "large"):
    gears.world.revolute(gear, **BODY)
gears.add(bough.GearConstraint({"small": 10, "large": 20}))
print("gears        ", gears.build().mobility({}))

cam = bough.System("cam")
cam.world.revolute("shaft", **BODY)
cam.world.prismatic("follower", mass=0.1)
cam.add(bough.CamConstraint("follower", "shaft", bough.Sinusoid(amplitude=0.01, frequency=1.0)))
print("cam          ", cam.build().mobility({}))
