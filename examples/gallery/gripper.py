"""Two fingers lift a cup if they grip hard enough; once it is held, it does not creep."""

import bough
from bough import gallery

for grip in (2.0, 10.0):
    run = bough.simulate(gallery.gripper(grip=grip).build())
    lifted, creep = run["place_tz"][-1] - 0.05, abs((run["place_tz"] - run["lift"])[400:] - 0.05).max()
    held = f", creeps by {creep:.0e} m in eight seconds" if lifted > 0.01 else ""
    print(f"{grip:4.1f} N: the hand is lifted by {run['lift'][-1]:.3f} m, the cup by {lifted:.3f} m{held}")
