"""A steel rule clamped at one end: it sags under its own weight, and swings when it is let go straight.

The sag is compared with Euler and Bernoulli, its slowest vibration with that of a clamped beam.
"""

import numpy as np

import bough

length, width, thickness, density, young = 0.5, 0.03, 0.001, 7850.0, 2.1e11
area, moment = width * thickness, width * thickness**3 / 12
weight, elements = density * area * 9.81, 10
h = length / elements

system = bough.System("rule")
node = system.world
for i in range(1, elements + 1):
    mass = density * area * h * (1.0 if i < elements else 0.5)
    inertia = mass * h**2 / 12
    last, node = (
        node,
        system.world.tx(i * h).tx(f"u{i}").tz(f"w{i}").ry(f"turn{i}", mass=mass, inertia=(inertia,) * 3),
    )
    system.add(bough.BeamElement(last, node, length=h, axial=young * area, bending=young * moment))
model = system.build()

rest = model.equilibrium(np.zeros(model.nq))
sag = weight * length**4 / (8 * young * moment)
tip = model.index(f"w{elements}")
print(f"sag of the tip: {-1000 * rest.q[tip]:.2f} mm, by the formula {1000 * sag:.2f} mm")
assert rest.stable
assert abs(-rest.q[tip] / sag - 1.0) < 0.01

first = 1.875104**2 * np.sqrt(young * moment / (density * area * length**4))
print(f"first frequency: {np.sqrt(rest.eigenvalues[0]):.2f} rad/s, by the formula {first:.2f} rad/s")
assert abs(np.sqrt(rest.eigenvalues[0]) / first - 1.0) < 0.01

run = bough.simulate(model, q=np.zeros(model.nq), duration=1.0, dt=0.001)
energy = run.energy()
print(f"swing of the tip: {1000 * run.q[:, tip].min():.2f} mm to {1000 * run.q[:, tip].max():.2f} mm")
swinging = run.kinetic_energy().max()
print(f"the energy stays within {np.abs(energy - energy[0]).max():.1e} J, of {swinging:.1e} J that swing")
