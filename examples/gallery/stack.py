"""A stack stands with a thousand times the weight on top, and its corners share the load."""

import bough
from bough import gallery

for top in (1.0, 1000.0):
    run = bough.simulate(gallery.stack(top=top).build(), duration=2.0)
    layer = [float(run.contact_force(f"layer1[{i}]").normal[-2]) for i in range(8)]
    shares = ", ".join(f"{force:.3f}" for force in layer if force > 0.0)
    print(
        f"{top:4.0f} kg on top: height {run['place4_tz'][-1]:.9f} m, corners of the second box press with {shares} N"
    )
