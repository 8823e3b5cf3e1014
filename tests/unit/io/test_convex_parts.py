"""Bodies with dents as convex parts."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import bough

OUTLINE = np.array([(0, 0), (1, 0), (1, 0.3), (0.3, 0.3), (0.3, 1), (0, 1)], dtype=float)


def bracket() -> bough.Mesh:
    """An L of 0.4 m width."""
    vertices = np.vstack([np.column_stack((OUTLINE, np.full(6, z))) for z in (0.0, 0.4)])
    flat = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [(a, c, b) for a, b, c in flat] + [(a + 6, b + 6, c + 6) for a, b, c in flat]
    for i in range(6):
        j = (i + 1) % 6
        faces += [(i, j, j + 6), (i, j + 6, i + 6)]
    return bough.Mesh(vertices=vertices, faces=faces)


def test_a_bracket_is_two_blocks_that_hold_a_ball():
    """The ball falls into the corner between them, which its hull would fill."""
    pytest.importorskip("coacd", reason="the package coacd is not installed")
    parts = bough.convex_parts(bracket())
    assert len(parts) == 2
    system = bough.System("ball")
    system.world.tx("x").ty("y").tz("z", name="ball", mass=1.0)
    pose = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])  # y of the bracket is up
    frame = system.world.fixed(pose, name="bracket")
    for i, part in enumerate(parts):
        system.add(bough.Contact("ball", bough.Sphere(0.1), against=(frame, part), name=f"part {i}"))
    model = system.build()
    run = bough.simulate(model, q={"x": 0.6, "y": -0.2, "z": 0.9}, duration=2.0, dt=0.01)
    assert run["z"][-1] == pytest.approx(0.4, abs=2e-3)  # cuts are within 0.1 % of the size
    assert run.gaps().min() > -1e-10


def test_a_convex_mesh_is_its_only_part():
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    whole = bough.Mesh(vertices=corners, faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], scale=2.0)
    (part,) = bough.convex_parts(whole)
    assert np.asarray(part.vertices).max() == 2.0


def test_bad_parts(monkeypatch):
    with pytest.raises(bough.ModelError, match="not closed"):
        bough.convex_parts(bough.Mesh(vertices=np.eye(3), faces=[(0, 1, 2)]))
    with pytest.raises(bough.ModelError, match=r"not from 0\.01 to 1"):
        bough.convex_parts(bracket(), concavity=2.0)
    with pytest.raises(bough.ModelError, match=r"most=0(.|\n)*not a whole number above zero"):
        bough.convex_parts(bracket(), most=0)
    with pytest.raises(bough.ModelError, match=r"nowhere\.stl"):
        bough.convex_parts(bough.Mesh("nowhere.stl"))
    with pytest.raises(bough.ModelError, match="this is not a mesh"):
        bough.convex_parts(bough.Sphere(1.0))  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(bough.ModelError, match=r"pip install 'bough\[parts\]'"):
        bough.convex_parts(bracket())
    system = bough.System("bad")
    system.world.tz("z", name="body", mass=1.0)
    with pytest.raises(bough.ModelError, match=r"bough\.convex_parts\(mesh\)"):
        system.add(bough.Contact("body", bracket()))
