"""A double pendulum in the browser, or as one file that plays offline.

python browser.py             opens it and waits for Ctrl-C
python browser.py run.html    writes the file
"""

import sys

import bough

system = bough.System("double pendulum")
elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
run = bough.simulate(system.build(), q={"shoulder": 2.0}, duration=10.0, dt=0.01)

if len(sys.argv) > 1:
    print(bough.export_html(run, sys.argv[1]))
else:
    bough.view(run)
