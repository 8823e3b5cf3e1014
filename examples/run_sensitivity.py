"""The length, damping and payload of an arm from a recorded swing.

One backward sweep gives the gradient of the misfit by all of them.
"""

import numpy as np
from scipy.optimize import minimize

import bough

system = bough.System("arm", gravity=(0, 0, -9.81))
length, load = system.parameter("length", 0.8), system.parameter("load", 0.4)
elbow = system.world.ry("shoulder").tz(-length, name="elbow", mass=1.0)
elbow.ry("forearm").tz(-0.5, name="hand", mass=load)
system.add(bough.Damping(system.parameter("damping", 0.05)))
guess = system.build()

truth = {"length": 0.7, "load": 0.6, "damping": 0.12}
start = {"q": [0.9, -0.4], "duration": 2.0, "dt": 0.01}
recorded = bough.simulate(guess.with_parameters(**truth), **start)


def misfit(values):
    """Half the squared distance to the recorded motion, and its gradient."""
    model = guess.with_parameters(**dict(zip(guess.parameters, values.tolist(), strict=True)))
    run = bough.simulate(model, **start)
    off = np.asarray(run.q) - np.asarray(recorded.q)
    gradient = run.sensitivity(of={"q": off})
    return 0.5 * (off**2).sum(), np.array(list(gradient.parameters.values()))


found = minimize(misfit, list(guess.parameters.values()), jac=True, method="BFGS", options={"gtol": 1e-8})
for name, value in zip(guess.parameters, found.x, strict=True):
    print(f"{name}: {guess.parameters[name]:g} -> {value:.6f}")
assert np.allclose(found.x, [truth[name] for name in guess.parameters], atol=1e-5)

forward = bough.simulate(guess, **start).sensitivity()
last = forward.q_dtheta[-1]  # (2, 3): the last row by length, load and damping
print(f"at the end, the shoulder moves by {last[0, 0]:.3f} rad for a metre of length")
