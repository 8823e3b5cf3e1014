"""A crane hoists its load while the trolley drives: the rope is never longer than what the winch has let out."""

import bough
from bough import gallery

model = gallery.crane().build()
run = bough.simulate(
    model, u={"hoist": lambda t: -60.0 if t < 3.0 else 0.0, "drive": lambda t: 100.0 if t < 2.0 else 0.0}
)
print(f"load at x = {run['x'][-1]:.2f} m, z = {run['z'][-1]:.2f} m; least slack {run.gaps().min():.0e} m")
print(f"rope pulls with {run.contact_force('rope').normal[1:-1].max():.0f} N at most")
