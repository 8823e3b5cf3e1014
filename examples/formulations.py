"""One model by four formulations: what each loses, and what it costs.

A double pendulum in generalised coordinates, and in maximal coordinates the way game engines do it.
"""

import bough

system = bough.System("double pendulum")
upper = system.world.ry("shoulder").tz(-0.5, name="upper", mass=1.0, inertia=(0.1, 0.1, 0.02))
upper.tz(-0.5).ry("elbow").tz(-0.5, name="lower", mass=1.0, inertia=(0.1, 0.1, 0.02))
model = system.build()

for integrator in ("midpoint", "velocity", "penalty-explicit", "penalty-implicit"):
    run = bough.simulate(model, q={"shoulder": 1.0}, duration=5.0, dt=0.005, integrator=integrator)
    energy = run.energy()
    drift = "none" if run.bodies is None else f"{run.bodies.drift[..., 0].max():.1e} m"
    print(f"{integrator:16s}  energy {energy[-1] - energy[0]:+.4f} J   drift of the joints {drift}")

# A wire that holds 30 N breaks on the way, and the load flies off.
swing = bough.System("wrecking ball")
ball = swing.world.tx("x").tz("z", name="ball", mass=2.0)
swing.add(bough.DistanceConstraint(ball, "world", length=1.0, name="wire"))
run = bough.simulate(
    swing.build(), q={"x": 1.0}, duration=1.0, dt=0.001, integrator="velocity", break_above={"wire": 30.0}
)
print("broken:", ", ".join(f"{name} at {time:.3f} s" for time, name in run.bodies.events))
