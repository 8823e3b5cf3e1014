"""The check of a run of balls: rows side by side, and turns that chords do not see."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from bough._core import core
from support.balls import chain
from support.transforms import Array


def tree_of_balls(links: int) -> bough.System:
    """A tree of balls alone, in frames and with inertias of all kinds."""
    system, random = (
        bough.System(f"tree of {links} balls", gravity=(0.5, -1.0, -9.0)),
        np.random.default_rng(links),
    )
    frames = [system.world]
    for i in range(links):
        turned = frames[random.integers(len(frames))].fixed(
            pose(Rotation.random(rng=random), random.normal(size=3))
        )
        inertia, mass = np.diag(random.uniform(0.1, 0.2, 3)), random.uniform(0.5, 2.0)
        if i % 3 == 0:
            inertia = 0.1 * np.eye(3)
        com = random.uniform(-0.3, 0.3, 3)
        body = turned.ball(f"b{i}").fixed(
            pose(Rotation.random(rng=random), random.normal(size=3)),
            name=f"l{i}",
            mass=mass,
            inertia=inertia,
            com=com,
        )
        frames.append(body)
    return system


def pose(turn: Rotation, way: Array) -> Array:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = turn.as_matrix(), way
    return found


@pytest.mark.parametrize("links", [1, 2, 4, 7])
def test_rows_of_balls_are_checked_side_by_side(links: int) -> None:
    """From momenta, four rows of balls at once, (BJ21) to (BJ23), as from velocities, one row after another."""
    model, random, nothing = tree_of_balls(links).build(), np.random.default_rng(7), np.zeros(0)
    rows = 21
    q = np.array([model.random(random) for _ in range(rows)])
    v = random.normal(size=(rows, model.nv))
    p = np.array([model.momentum(*row) for row in zip(q, v, strict=True)])
    t, u = np.linspace(0.0, 2.0, rows), np.zeros((1, 0))
    tail = (u, np.zeros(rows), True, True, -1, nothing, nothing, nothing, nothing)
    of_momenta = core.check_steps(model._core, t, q, p, nothing, *tail)
    of_velocities = core.check_steps(model._core, t, q, nothing, v, *tail)
    assert of_momenta[0] == of_velocities[0] == core.Coarse.energy
    assert of_momenta[1:] == pytest.approx(of_velocities[1:], rel=1e-12)


def test_chords_of_balls_are_those_of_their_geodesics() -> None:
    """A body of four links turns by 4.5 rad a step, of which chords see 2 pi - 4.5 the other way: (CS4)."""
    model, nothing = chain(4, gravity=0.0).build(), np.zeros(0)
    shape = model.random(np.random.default_rng(3))
    turn, rows = 4.5, 12
    v = np.zeros(model.nv)
    q = []
    for row in range(rows):
        first = Rotation.from_rotvec([0.0, 0.0, turn * row]) * Rotation.from_quat(
            shape[:4], scalar_first=True
        )
        q.append(np.concatenate([first.as_quat(scalar_first=True), shape[4:]]))
    v[:3] = Rotation.from_quat(shape[:4], scalar_first=True).inv().apply([0.0, 0.0, turn / 0.1])
    p = np.array([model.momentum(row, v) for row in q])
    t, u = 0.1 * np.arange(rows), np.zeros((1, 0))
    kind, *_, shown = core.check_steps(
        model._core,
        t,
        np.array(q),
        p,
        nothing,
        u,
        np.zeros(rows),
        True,
        True,
        -1,
        nothing,
        nothing,
        nothing,
        nothing,
    )
    assert kind == core.Coarse.hidden
    # The body turns about the vertical through its hinge, midway as at both ends.
    assert shown == pytest.approx(((2.0 * np.pi - turn) / turn) ** 2, rel=1e-12)
