"""The impacts of a run as arrays of an `.npz` file.

====================== ================================================================================
impact_numbers         (impacts, 5): time, passes, guard, energy lost, 1 if ended without restitution
impact_impulses        (impacts, rows of contacts)
impact_hits            (impacts, gaps): 0, 1 for a contact with an impulse, 2 if it opens again at once
====================== ================================================================================
"""

from __future__ import annotations

import numpy as np

from bough.arguments import Array
from bough.io.npz import Archive, Damaged
from bough.model.model import Model
from bough.motion.contact_trajectory import ContactTrajectory, Impact, impacts_of, shapes, starts_of

NUMBERS = 5


def arrays(run: ContactTrajectory) -> dict[str, Array]:
    """The arrays of the impacts."""
    model, found = run.model, run.impacts
    starts, places = starts_of(model), {name: i for i, name in enumerate(model.gaps)}
    numbers = np.zeros((len(found), NUMBERS))
    impulses = np.zeros((len(found), starts[-1]))
    hits = np.zeros((len(found), len(model.gaps)))
    for row, impact in enumerate(found):
        numbers[row] = (impact.t, impact.passes, impact.guard, impact.energy_lost, impact.plastic)
        for name, parts in impact.impulse.items():
            i = places[name]
            impulses[row, starts[i] : starts[i + 1]] = parts
            hits[row, i] = 2.0 if name in impact.opened else 1.0
    return {"impact_numbers": numbers, "impact_impulses": impulses, "impact_hits": hits}


def impacts(archive: Archive, model: Model) -> list[Impact]:
    """The impacts in an archive."""
    sizes = {
        "impact_numbers": NUMBERS,
        "impact_impulses": shapes(model)["contact_rows"][0],
        "impact_hits": len(model.gaps),
    }
    for name in sizes:
        if name not in archive:
            raise Damaged(f"no array {name!r}")
    count = (archive.shape("impact_numbers") or (0,))[0]
    numbers, impulses, hits = (archive.numbers(name, (count, size)) for name, size in sizes.items())
    if not np.isin(hits, (0.0, 1.0, 2.0)).all():
        raise Damaged("array 'impact_hits' holds other numbers than 0, 1 and 2")
    return impacts_of(
        model,
        [
            (t, int(passes), guard, lost, bool(plastic), parts, which)
            for (t, passes, guard, lost, plastic), parts, which in zip(
                numbers.tolist(), impulses.tolist(), hits.astype(int).tolist(), strict=True
            )
        ],
    )
