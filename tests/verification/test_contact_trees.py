"""Every kind of contact in every kind of tree, with constraints, kinematic and shared variables, and balls.

The whole product is in `make verify`; here a sample of it. Motions are compared with finer ones of themselves, and
with the balance of energy, which the steps do not use; joint limits also with SciPy's DOP853 with events.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

import bough
from support.contact_product import JOINTS, KINDS, SHAPES, Case, cases, motion, tree
from support.stops import with_stops

SANITIZED = os.environ.get("BOUGH_CORE", "base") != "base"  # a core by its file: that of `make sanitize`
DURATION, DT = 0.08, 0.002
NEAR = 1e-6  # errors that are too small for their order to be told


def sample(kind: str) -> list[Case]:
    """One system of each shape, of different sizes and with different companions."""
    found, place = [], list(KINDS).index(kind)
    for i, shape in enumerate(SHAPES):
        size = JOINTS[(place + 2 * i) % len(JOINTS)]
        fitting = [case for case in cases(kind) if case.shape == shape and case.joints >= size]
        if not fitting:
            continue
        least = [case for case in fitting if case.joints == fitting[0].joints]
        found.append(least[(3 * place + 5 * i) % len(least)])
    return found


def disagreements(case: Case) -> list[str]:
    """What is wrong with a motion: contacts passed, loops open, energy from nothing, or the order of its error."""
    model, arguments = motion(case)
    runs, found = [], []
    for dt in (DT, DT / 2, DT / 8):
        run = bough.simulate(model, **arguments, duration=DURATION, dt=dt)
        gaps = run.gaps()
        if gaps.min() < -1e-12:
            found.append(f"{case}: dt = {dt:g}: a contact is passed by {-gaps.min():.2g}")
        if model.nc and np.abs(run.constraint_error()).max() > 1e-11:
            found.append(f"{case}: dt = {dt:g}: a loop is open by {np.abs(run.constraint_error()).max():.2g}")
        if model.nk == 0:
            lost = sum(run.energy_lost().values())
            balance = run.energy() + lost
            off = np.abs(balance - balance[0]).max()
            size = float(model.kinetic_energy(np.asarray(run.q), np.asarray(run.v)).max())
            if off > 0.02 * size:
                found.append(f"{case}: dt = {dt:g}: energy is off by {off:.2g} J of {size:.2g} J")
        runs.append(run)
    errors = errors_of(case, runs)
    if errors[1] > NEAR and errors[1] > 0.6 * errors[0]:
        errors += finer_errors(case)
        if errors[3] > 0.6 * errors[2] or errors[3] > errors[0]:
            found.append(f"{case}: error " + " -> ".join(f"{error:.2g}" for error in errors))
    return found


def finer_errors(case: Case) -> list[float]:
    """At shorter steps, for motions whose error goes through zero between the longer ones."""
    model, arguments = motion(case)
    runs = [bough.simulate(model, **arguments, duration=DURATION, dt=dt) for dt in (DT / 4, DT / 8, DT / 32)]
    return errors_of(case, runs)


def errors_of(case: Case, runs: list[bough.Trajectory]) -> list[float]:
    """Those of two runs against the third, at the last step of DT that does not end among bounces."""
    model, arguments = motion(case)
    t = last_told(runs[-1])
    ends = []
    for run in runs:
        row = int(np.argmin(np.abs(run.t - t)))
        ends.append(np.concatenate([model.difference(arguments["q"], run.q[row]), run.v[row]]))
    return [float(np.abs(end - ends[-1]).max()) for end in ends[:2]]


def last_told(run: bough.Trajectory) -> float:
    """The last multiple of DT at which no contact is in the middle of bounces shorter than that.

    A step ends bounces that are shorter than itself. While they go on in truth, the velocities differ by theirs, of
    first order; after them, by what the bounces would have lost, of second order.
    """
    for step in range(round(DURATION / DT), 0, -1):
        t = step * DT
        before = [
            [x.t for x in run.impacts if name in x.contacts and x.t <= t][-2:] for name in run.model.gaps
        ]
        if not any(len(hits) == 2 and t - hits[0] < 2.0 * DT for hits in before):
            return t
    return DURATION


def test_every_kind_is_in_the_product() -> None:
    public = [getattr(bough, name) for name in bough.__all__]
    base = bough.UnilateralConstraint
    kinds = {x.__name__ for x in public if isinstance(x, type) and issubclass(x, base) and x is not base}
    assert kinds <= set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_sample(kind: str) -> None:
    found = [text for case in sample(kind) for text in disagreements(case)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("joints", [2, 5])
@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("shared", [False, True])
def test_limits_against_dop853(joints: int, restitution: float, shared: bool) -> None:
    kind = "JointLimit" if restitution else "JointLimit at rest"
    case = Case(kind, "chain", joints, rows=False, kinematic=False, shared=shared)
    model, arguments = motion(case)
    limit = next(x for x in model._elements if isinstance(x, bough.JointLimit))
    free = tree(case)[0].build()
    bounds = (
        model.variables.index("q0"),
        -np.inf if limit.lower is None else float(limit.lower),  # type: ignore[arg-type]
        np.inf if limit.upper is None else float(limit.upper),  # type: ignore[arg-type]
    )
    truth = with_stops(
        free, np.array(arguments["q"]), np.array(arguments["v"]), DURATION, bounds, restitution
    )
    errors = []
    for dt in (DT, DT / 2):
        run = bough.simulate(model, **arguments, duration=DURATION, dt=dt)
        errors.append(np.abs(np.concatenate([run.q[-1], run.v[-1]]) - truth).max())
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] > 3.0


@pytest.mark.verify
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_all(kind: str, shape: str) -> None:
    every = [case for case in cases(kind) if case.shape == shape]
    if SANITIZED:
        for case in every:
            model, arguments = motion(case)
            bough.simulate(model, **arguments, duration=20 * DT, dt=DT)
        return
    found = [text for case in every for text in disagreements(case)]
    assert not found, "\n".join(found)
