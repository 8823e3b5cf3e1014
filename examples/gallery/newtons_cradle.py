"""As many balls leave on one side as arrive on the other."""

import numpy as np

import bough
from bough import gallery

for lifted in (1, 2, 3):
    run = bough.simulate(gallery.newtons_cradle(lifted=lifted).build(), duration=0.4)
    fast = np.abs(run.v[-1]) > 0.1
    print(f"{lifted} lifted: {fast.sum()} move after the first impact, {run.impacts[0].passes} passes")
