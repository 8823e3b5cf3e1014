"""The contacts and the impacts of a run as arrays of an `.npz` file.

Forces, statuses and losses are the `extra` arrays of `ContactTrajectory`.

====================== ================================================================================
impact_numbers         (impacts, 5): time, passes, guard, energy lost, 1 if ended without restitution
impact_impulses        (impacts, rows of contacts)
impact_hits            (impacts, gaps): 0, 1 for a contact with an impulse, 2 if it opens again at once
impact_nodes           (impacts, nq + 2 nv): configuration, velocities before and after
====================== ================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.io._motion_file import check_times
from bough.io.npz import Archive, Damaged
from bough.model.model import Model
from bough.motion.contact_trajectory import STATUS, ContactTrajectory, Impact, impacts_of, shapes, starts_of

NUMBERS = 5
IMPACTS = ("impact_numbers", "impact_impulses", "impact_hits", "impact_nodes")
NAMES = (*ContactTrajectory.extra, *IMPACTS)


def arrays(run: ContactTrajectory) -> dict[str, Array]:
    """The arrays of the impacts."""
    model, found = run.model, run.impacts
    starts, places = starts_of(model), {name: i for i, name in enumerate(model.gaps)}
    numbers = np.zeros((len(found), NUMBERS))
    impulses = np.zeros((len(found), starts[-1]))
    hits = np.zeros((len(found), len(model.gaps)))
    nodes = np.zeros((len(found), model.nq + 2 * model.nv))
    for row, impact in enumerate(found):
        numbers[row] = (impact.t, impact.passes, impact.guard, impact.energy_lost, impact.plastic)
        nodes[row] = (*impact.q, *impact.v_before, *impact.v_after)
        for name, parts in impact.impulse.items():
            i = places[name]
            impulses[row, starts[i] : starts[i + 1]] = parts
            hits[row, i] = 2.0 if name in impact.opened else 1.0
    return {
        "impact_numbers": numbers,
        "impact_impulses": impulses,
        "impact_hits": hits,
        "impact_nodes": nodes,
    }


def check(model: Model, columns: Mapping[str, Array]) -> None:
    """Raise unless statuses, lengths of steps and features of shapes are what a run records."""
    state, contacts = columns["contact_state"], len(model.gaps)
    if not np.isin(state[:, :contacts], range(len(STATUS))).all():
        raise Damaged("array 'contact_state' holds a status other than 0, 1 and 2")
    if (state[:, contacts] < 0.0).any():
        raise Damaged("array 'contact_state' holds a step of negative length")
    features, phi = state[:, contacts + 1 :], np.empty((len(state), contacts))
    if not features.size:
        return
    try:
        whole = bool((features == np.floor(features)).all())
        core.frozen_gap(model._core, columns["q"], columns["t"], state, phi)
    except IndexError:
        whole = False
    if not whole:
        raise Damaged("array 'contact_state' holds numbers of features that the shapes do not have")


def impacts(archive: Archive, model: Model, t: Array) -> list[Impact]:
    """The impacts in an archive, of a run with these times."""
    widths = (NUMBERS, shapes(model)["contact_rows"][0], len(model.gaps), model.nq + 2 * model.nv)
    sizes = dict(zip(IMPACTS, widths, strict=True))
    count = (archive.shape("impact_numbers") or (0,))[0]
    numbers, impulses, hits, nodes = (archive.numbers(name, (count, size)) for name, size in sizes.items())
    ends = [model.nq, model.nq + model.nv]
    if not np.isin(hits, (0.0, 1.0, 2.0)).all():
        raise Damaged("array 'impact_hits' holds other numbers than 0, 1 and 2")
    check_times(numbers[:, 0], t, "impacts")
    passes, guard, plastic = numbers[:, 1], numbers[:, 2], numbers[:, 4]
    right = (
        (passes == np.floor(passes)) & (passes >= 0.0) & (passes < 2.0**31)
        & (guard >= 0.0) & (guard <= 1.0) & np.isin(plastic, (0.0, 1.0))
    )  # fmt: skip
    if not right.all():
        raise Damaged("array 'impact_numbers' holds passes, guards or flags that no impact has")
    return impacts_of(
        model,
        [
            (t, int(passes), guard, lost, bool(plastic), parts, which, *node)
            for (t, passes, guard, lost, plastic), parts, which, node in zip(
                numbers.tolist(),
                impulses.tolist(),
                hits.astype(int).tolist(),
                [[part.tolist() for part in np.split(node, ends)] for node in nodes],
                strict=True,
            )
        ],
    )
