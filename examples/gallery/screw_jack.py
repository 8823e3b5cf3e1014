"""A screw without friction lifts a load until it stands still, and is driven back by it."""

import bough
from bough import gallery

run = bough.simulate(gallery.screw_jack().build())
top = run["lift"].argmax()
turns = run["turn"][top] / 6.283185307179586
print(f"highest after {run.t[top]:.2f} s: {run['lift'][top]:.4f} m, {turns:.2f} turns of 0.01 m")
print(f"after {run.t[-1]:g} s: {run['lift'][-1]:.2f} m; the thread bears {-run.lam[0, 0]:.1f} N")
