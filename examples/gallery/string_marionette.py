"""The marionette walks on strings that only pull."""

import bough
from bough import gallery

system = gallery.string_marionette()
run = bough.simulate(system.build(), k=gallery.marionette_motion("walk", system), duration=5.0)
slack = run.gaps()
for name, row in zip(run.model.gaps, slack.T, strict=True):
    print(f"{name}: slack for {(row > 1e-9).mean():4.0%} of the time")
print(f"no string is longer by more than {max(0.0, -slack.min()):.0e} m; {len(run.events)} events")
