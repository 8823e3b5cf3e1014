"""The steps of a wheel without a rim settle where each impact takes the energy that the slope gives."""

import math

import numpy as np

import bough
from bough import gallery

n, slope, length = 8, 0.08, 0.5
run = bough.simulate(gallery.rimless_wheel(n=n, slope=slope, length=length).build(), duration=20.0)
given = 9.81 * math.sin(slope) * 2.0 * length * math.sin(math.pi / n)  # weight times descent of a step, 1 kg
pace = np.diff([impact.t for impact in run.impacts])
print(f"a step down the slope gives {given:.6f} J, the last impact took {run.impacts[-1].energy_lost:.6f} J")
print(f"steps take {pace[0]:.4f} s at first, {pace[-1]:.4f} s at the end")
