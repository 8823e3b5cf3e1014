"""A valve driven by a cam: a lift curve by table, a spring, and the speed at which the valve would float.

The follower is held from both sides, as in a desmodromic valve: if the force on it is negative,
a follower that is only pressed against the cam would lift off.
"""

import numpy as np

import bough

angle = np.linspace(0.0, 2.0 * np.pi, 13)
lift = 0.01 * np.array([0, 0, 0, 0, 0.2, 0.75, 1.0, 0.75, 0.2, 0, 0, 0, 0])
profile = bough.PiecewisePolynomial.through(angle, lift, periodic=True)

system = bough.System("valve", gravity=None)
system.world.rz("shaft", mass=1.0, inertia=(0.01, 0.01, 0.01))
system.world.tz("valve", mass=0.15)
system.add(bough.ConfigurationSpring("valve", stiffness=20000.0, rest=-0.02))
system.add(bough.CamConstraint("valve", "shaft", profile, name="cam"))
model = system.build()
print(model)

for rpm in (1000, 4000, 7000):
    speed = rpm * 2.0 * np.pi / 60.0
    run = bough.simulate(model, v={"shaft": speed}, duration=4.0 * np.pi / speed, dt=0.001 / speed)
    least = run.lam[1:-1, 0].min()
    print(f"{rpm:5d} rpm: least force on the valve {least:8.1f} N", "(it would float)" if least < 0.0 else "")
    assert np.abs(run.constraint_error()).max() < 1e-12
