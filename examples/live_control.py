"""A pole that is balanced by a plan made anew at every step, in the browser: pull it with the mouse.

python live_control.py        opens it and waits for Ctrl-C
"""

import bough
from bough.control import Effort, Track, Tracker

model = bough.gallery.cart_pole().build()
upright = {"x": 0.0, "angle": 0.0}
tracker = Tracker(
    model,
    horizon=0.6,
    dt=0.02,
    cost=[Effort(0.01), Track(upright, weight=5.0)],
    end=upright,
    end_weight=20.0,
    effort={"force": 20.0},
)
caught = bough.simulate(model, q={"angle": 0.3}, u=tracker, duration=2.0, dt=0.02)
print(f"0.3 rad off at the start, {abs(caught['angle'][-1]):.4f} rad after two seconds")
bough.view(model, live=True, q={"angle": 0.1}, u=tracker)
