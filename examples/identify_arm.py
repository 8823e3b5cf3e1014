"""The mass, a length, a stiffness and the damping of an arm, from a measured motion with one per cent of noise."""

import numpy as np

import bough

system = bough.System("arm", gravity=(0, 0, -9.81))
mass, length = system.parameter("mass", 1.0), system.parameter("length", 0.9)
stiffness, damping = system.parameter("stiffness", 4.0), system.parameter("damping", 0.1)
upper = system.world.ry("shoulder").tz(-length, mass=mass, inertia=(0.02, 0.02, 0.001))
fore = upper.ry("elbow").tz(-0.5, mass=0.8, inertia=(0.01, 0.01, 0.001))
fore.ry("wrist").tz(-0.3, name="hand", mass=0.4, inertia=(0.005, 0.005, 0.001))
system.add(bough.ConfigurationSpring("elbow", stiffness=stiffness))
system.add(bough.Damping({"shoulder": damping, "elbow": damping, "wrist": damping}))
system.add(bough.ConfigurationForce("shoulder", "torque"))
guess = system.build()

true = {"mass": 1.4, "length": 0.7, "stiffness": 6.0, "damping": 0.25}
torque = 4.0 * np.sin(0.04 * np.arange(150))[:, None]
run = bough.simulate(guess.with_parameters(**true), q={"shoulder": 0.5}, u=torque, duration=3.0, dt=0.02)
noise = 0.01 * np.abs(run.q).max()
measured = run.q + noise * np.random.default_rng(0).normal(size=run.q.shape)

data = {"t": run.t, "torque": run.u[:, 0], "q": run.q[0]}
data |= {name: measured[:, i] for i, name in enumerate(guess.variables)}
fit = bough.control.identify(guess, data, list(true), noise=noise)
print(fit)
for name, value in true.items():
    assert abs(fit.values[name] - value) < 0.02 * value
