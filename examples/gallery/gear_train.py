"""A weight drives a flywheel through two pairs of gears: speeds, and the force in the rope."""

import bough
from bough import gallery

run = bough.simulate(gallery.gear_train().build())
speeds = dict(zip(run.model.variables, run.v[-1], strict=True))
for name in ("first", "second", "third"):
    print(f"{name} shaft: {speeds[name]:+8.3f} rad/s, {speeds[name] / speeds['third']:+.1f} times the third")
rope = run.lam[0, run.model.constraints.index("rope")]
print(f"the weight falls {-run['height'][-1]:.3f} m; the rope bears {rope:.3f} N of {2.0 * 9.81:.3f} N")
