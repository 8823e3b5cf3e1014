"""A quadruped stands still to round-off, and trots by targets of its servos: its feet stick to the floor."""

import numpy as np

import bough
from bough import gallery

model = gallery.quadruped().build()
still = bough.simulate(model)
print(f"stands: moves by {np.ptp(still.q[400:], axis=0).max():.0e} in eight seconds")

run = bough.simulate(model, k=gallery.quadruped_motion("trot"))
x, y, _ = run.pose("trunk")[-1, :3, 3]
tilt = np.degrees(np.abs(run.pose("trunk")[:, 2, :2]).max())
print(f"trots: {x:.2f} m forward in ten seconds, {abs(y):.2f} m aside, tilts by at most {tilt:.1f} degrees")
sliding = np.mean(run.contact_status == "slide") / np.mean(run.contact_status != "open")
print(f"of the time that a foot is on the floor it slides for {100 * sliding:.0f} %")
