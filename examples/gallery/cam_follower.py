"""A cam lifts a follower: where a follower that is only pressed against it would leave it."""

import bough
from bough import gallery

for speed in (12.0, 40.0, 120.0, 200.0):
    model = gallery.cam_follower(speed=speed).build()
    run = bough.simulate(model, duration=20.0 / speed, dt=0.01 / speed)
    least = run.lam[:-1, 0].min()
    print(f"{speed:5.0f} rad/s: least force of the cam {least:8.2f} N{' - it floats' if least < 0 else ''}")
