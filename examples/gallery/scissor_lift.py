"""The scissor lift of [JM09] VI.C beside its exact motion; at theta = pi/2 all links lie on one line."""

import numpy as np

import bough
from bough import gallery

for theta in (np.pi / 2 - 0.2, 0.6):
    model = gallery.scissor_lift(5, theta=theta).build()
    print(f"from theta = {theta:.3f} rad, {model.nd} variables, {model.nc} rows of constraints")
    for dt in (0.01, 0.005, 0.0025):
        run = bough.simulate(model, dt=dt)
        exact = gallery.scissor_lift_angle(run.t, 5, theta=theta)
        passed = np.count_nonzero(np.diff(np.sign(run["theta"] - np.pi / 2)))
        error = np.abs(run["theta"] - exact).max()
        print(
            f"  dt {dt:6.4f} s: through pi/2 {passed} times, off the exact angle by {error:.1e} rad at most"
        )
        assert np.abs(run.constraint_error()).max() < 1e-12
