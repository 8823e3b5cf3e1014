"""Triangles of shapes, and the lines of springs, strings and beams."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import bough
from bough.description.mesh_file import UnreadableMesh
from bough.view import lines
from bough.view._nodes import FEWEST, ROUNDNESS, sides
from bough.view.simplify import simplified
from bough.view.surfaces import AROUND, corners, surface

POLYGON = AROUND / 2.0 * np.sin(2.0 * np.pi / AROUND)  # area of the regular polygon in the unit circle


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    """By the divergence theorem: positive for a closed surface seen from outside."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0)


SOLIDS = {
    "box": (bough.Box((1.0, 2.0, 3.0)), 6.0, 1e-12),
    "cylinder": (bough.Cylinder(0.5, 2.0), POLYGON * 0.5, 1e-12),
    "sphere": (bough.Sphere(2.0), 4.0 / 3.0 * np.pi * 8.0, 0.05),
    "ellipsoid": (bough.Ellipsoid((1.0, 2.0, 3.0)), 8.0 * np.pi, 0.05),
    "capsule": (bough.Capsule(0.5, 2.0), np.pi * (0.25 * 2.0 + 4.0 / 3.0 * 0.125), 0.04),
}


@pytest.mark.parametrize("radius", [0.001, 0.01, 0.03, 0.1, 1.0])
def test_round_bodies_have_sides_by_their_size(radius: float) -> None:
    """Few for small ones, but the outline stays within ROUNDNESS of the size of the scene, or has all sides."""
    around = sides(radius, 1.0)
    assert FEWEST <= around <= AROUND
    assert around % 4 == 0
    assert around == AROUND or radius * (1.0 - np.cos(np.pi / around)) <= ROUNDNESS
    assert around == FEWEST or radius * (1.0 - np.cos(np.pi / (around - 4))) > ROUNDNESS
    for geometry, expected in (
        (bough.Sphere(1.0), 4.0 / 3.0 * np.pi),
        (bough.Capsule(1.0, 2.0), 10.0 / 3.0 * np.pi),
    ):
        vertices, faces = surface(geometry, around)
        assert 0.85 * expected < volume(vertices, faces) < expected
        assert np.allclose(np.linalg.norm(vertices[:, :2], axis=1).max(), 1.0)


@pytest.mark.parametrize("kind", SOLIDS)
def test_solids_are_closed_and_have_their_volume(kind: str):
    geometry, expected, tolerance = SOLIDS[kind]
    vertices, faces = surface(geometry)
    assert volume(vertices, faces) == pytest.approx(expected, rel=tolerance)
    # moving a closed surface does not change its volume
    assert volume(vertices + np.array((3.0, 4.0, 5.0)), faces) == pytest.approx(volume(vertices, faces))
    box = corners(geometry)
    np.testing.assert_allclose(box.min(axis=0), vertices.min(axis=0), atol=1e-12)
    np.testing.assert_allclose(box.max(axis=0), vertices.max(axis=0), atol=1e-12)


def test_a_plane_lies_in_z_zero():
    vertices, faces = surface(bough.Plane((2.0, 4.0)))
    np.testing.assert_array_equal(np.ptp(vertices, axis=0), (2.0, 4.0, 0.0))
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    np.testing.assert_allclose(np.cross(b - a, c - a).sum(axis=0) / 2.0, (0.0, 0.0, 8.0))


def test_meshes_of_files_and_of_arrays(tmp_path: Path):
    vertices, faces = surface(bough.Box((1.0, 2.0, 3.0)))
    text = "".join("v {} {} {}\n".format(*corner) for corner in vertices)
    file = tmp_path / "box.obj"
    file.write_text(text + "".join("f {} {} {}\n".format(*(face + 1)) for face in faces))
    for mesh in (bough.Mesh(file, 2.0), bough.Mesh(vertices=vertices, faces=faces, scale=2.0)):
        assert volume(*surface(mesh)) == pytest.approx(48.0)
        np.testing.assert_allclose(np.ptp(corners(mesh), axis=0), (2.0, 4.0, 6.0))
    mirrored = bough.Mesh(file, (1.0, -1.0, 1.0))
    assert volume(*surface(mirrored)) == pytest.approx(6.0)


def test_a_changed_file_is_read_again(tmp_path: Path):
    file = tmp_path / "triangle.obj"
    for size in (1.0, 2.0):
        file.write_text(f"v 0 0 0\nv {size} 0 0\nv 0 1 0\nf 1 2 3\n")
        os.utime(file, ns=(0, int(size * 1e9)))
        assert np.ptp(surface(bough.Mesh(file))[0][:, 0]) == size


def test_unreadable_meshes(tmp_path: Path):
    with pytest.raises(UnreadableMesh, match="No such file"):
        surface(bough.Mesh(tmp_path / "nothing.stl"))
    (tmp_path / "noise.stl").write_bytes(b"\x00\x01\x02")
    with pytest.raises(UnreadableMesh, match=r"noise\.stl"):
        surface(bough.Mesh(tmp_path / "noise.stl"))


def test_large_meshes_are_simplified():
    n = 120
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, n, endpoint=False), np.linspace(0.01, np.pi - 0.01, n))
    vertices = np.stack((np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)), axis=-1).reshape(-1, 3)
    here = (np.arange(n - 1)[:, None] * n + np.arange(n)).reshape(-1)
    after = (np.arange(n - 1)[:, None] * n + (np.arange(n) + 1) % n).reshape(-1)
    faces = np.concatenate(
        (np.stack((here, after + n, after), -1), np.stack((here, here + n, after + n), -1))
    )
    assert len(faces) > 25_000
    few_vertices, few = simplified(bough.Mesh(vertices=vertices, faces=faces))
    assert 200 < len(few) <= 1500
    assert volume(few_vertices, few) == pytest.approx(volume(vertices, faces), rel=0.06)


def test_a_coil_ends_where_it_should_and_keeps_its_radius():
    start, end = np.array((1.0, 2.0, 3.0)), np.array((2.0, 0.0, 3.5))
    points = lines.coil(start, end, 0.1)
    np.testing.assert_array_equal(points[[0, -1]], (start, end))
    along = (end - start) / np.linalg.norm(end - start)
    across = points - start - np.outer((points - start) @ along, along)
    np.testing.assert_allclose(np.linalg.norm(across[2:-2], axis=1), 0.1, rtol=1e-9)
    assert np.isfinite(lines.coil(start, start, 0.1)).all()


@pytest.mark.parametrize("spare", [0.002, 0.01])
def test_a_slack_string_has_its_length(spare: float):
    start, end, down = np.zeros(3), np.array((1.0, 0.0, 0.0)), np.array((0.0, 0.0, -1.0))
    points = lines.hanging(start, end, 1.0 + spare, down, count=201)
    length = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    assert length - 1.0 == pytest.approx(spare, rel=0.03)  # exact for a flat arc
    assert points[:, 2].min() < 0.0
    np.testing.assert_array_equal(lines.hanging(start, end, 0.9, down), (start, end))  # too short: straight


def test_a_beam_leaves_and_arrives_along_its_tangents():
    start, end = np.zeros(3), np.array((1.0, 0.2, 0.0))
    out, into = np.array((1.0, 0.0, 0.0)), np.array((0.0, 1.0, 0.0))
    points = lines.bent(start, end, out, into, count=1001)
    np.testing.assert_array_equal(points[[0, -1]], (start, end))
    first, last = points[1] - points[0], points[-1] - points[-2]
    np.testing.assert_allclose(first / np.linalg.norm(first), out, atol=3e-3)
    np.testing.assert_allclose(last / np.linalg.norm(last), into, atol=3e-3)
    straight = lines.bent(start, out, out, out)
    np.testing.assert_allclose(straight[:, 1:], 0.0, atol=1e-15)


def test_a_moment_turns_in_its_sense():
    points = lines.around(np.zeros(3), np.array((0.0, 0.0, 2.0)))
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 0.6)
    assert (np.cross(points[:-1], points[1:])[:, 2] > 0.0).all()
