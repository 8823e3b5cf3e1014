"""The more falls, the less weight carries the load, and the farther it goes."""

import bough
from bough import gallery

for falls in (2, 4, 6):
    weight = 102.0 / falls
    run = bough.simulate(
        gallery.block_and_tackle(falls=falls, load=100.0, weight=weight).build(), duration=5.0
    )
    exact = 0.5 * 9.81 * 2.0 / (100.0 + falls * 102.0) * 25.0
    up, down = run["lift"][-1], -run["fall"][-1] - 0.5
    print(f"{falls} falls, {weight:4.1f} kg: up by {up:.6f} m (exact {exact:.6f}), down by {down:.3f} m")
