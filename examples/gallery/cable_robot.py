"""A platform on four cables: which of them pull."""

import numpy as np

import bough
from bough import gallery

run = bough.simulate(gallery.cable_robot().build())
for name, slack in zip(run.model.gaps, run.gaps().T, strict=True):
    print(f"{name}: taut for {np.mean(slack < 1e-9):4.0%} of the time, at most {slack.max():.3f} m slack")
