"""Signed distances of shapes beside coal, and what of them touches."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import bough
from support.cpp import program

coal = pytest.importorskip("coal", reason="the package coal, which comes with pin, is not installed")

CONVEX = ("sphere", "capsule", "cylinder", "box", "ellipsoid", "hull")


@dataclass
class Shape:
    """A kind with sizes as `bough.Sphere` and its like have them, and the same shape in coal."""

    kind: str
    text: str
    peer: Any
    farthest: Callable[[np.ndarray], np.ndarray]
    radius: float = 0.0


def shape(kind: str, random: np.random.Generator) -> Shape:
    size = random.uniform(0.2, 1.0, 3)
    if kind == "plane":
        return Shape(kind, kind, coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0), lambda d: np.zeros(3))
    if kind == "sphere":
        return Shape(kind, numbers(kind, size[:1]), coal.Sphere(size[0]), lambda d: size[0] * d)
    if kind == "capsule":
        return Shape(
            kind,
            numbers(kind, size[:2]),
            coal.Capsule(size[0], size[1]),
            lambda d: size[0] * d + np.array([0.0, 0.0, np.copysign(0.5 * size[1], d[2])]),
        )
    if kind == "cylinder":
        return Shape(
            kind,
            numbers(kind, size[:2]),
            coal.Cylinder(size[0], size[1]),
            lambda d: np.array(
                [*(size[0] * d[:2] / max(np.hypot(*d[:2]), 1e-300)), np.copysign(0.5 * size[1], d[2])],
            ),
        )
    if kind == "ellipsoid":
        return Shape(
            kind,
            numbers(kind, size),
            coal.Ellipsoid(*size),
            lambda d: size**2 * d / np.linalg.norm(size * d),
        )
    if kind == "box":
        return Shape(kind, numbers(kind, size), coal.Box(*size), lambda d: np.copysign(0.5 * size, d))
    return hull(random.normal(size=(12, 3)) * size)


def hull(points: np.ndarray) -> Shape:
    found = ConvexHull(points)
    corners = points[found.vertices]
    number = {old: new for new, old in enumerate(found.vertices)}
    triangles = []
    for row, equation in zip(found.simplices, found.equations, strict=True):
        a, b, c = (number[i] for i in row)
        turn = np.dot(np.cross(corners[b] - corners[a], corners[c] - corners[a]), equation[:3])
        triangles.append([a, b, c] if turn > 0.0 else [a, c, b])
    faces = coal.StdVec_Triangle()
    for t in triangles:
        faces.append(coal.Triangle(*t))
    vertices = coal.StdVec_Vec3s()
    for x in corners:
        vertices.append(x)
    return Shape(
        "hull",
        f"{numbers(f'hull {len(corners)}', corners.ravel())} {len(triangles)} "
        + " ".join(map(str, itertools.chain(*triangles))),
        coal.Convex(vertices, faces),
        lambda d: corners[np.argmax(corners @ d)],
    )


def numbers(kind: str, values: Any) -> str:
    return " ".join([kind, *(f"{float(value):.17g}" for value in values)])


@dataclass
class Pose:
    R: np.ndarray
    p: np.ndarray

    def text(self) -> str:
        return numbers("", [*self.R.ravel(), *self.p])


@dataclass
class Found:
    gap: float
    normal: np.ndarray
    features: list[tuple[int, int, int, float, np.ndarray, np.ndarray]]


Pair = tuple[Shape, Pose, Shape, Pose]


def narrow_phase(pairs: list[Pair]) -> list[Found]:
    text = "\n".join(f"{a.text} {A.text()} {b.text} {B.text()}" for a, A, b, B in pairs)
    done = subprocess.run(
        [program(), "--narrow-phase"],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    found = []
    for line in done.stdout.splitlines():
        x = [float(word) for word in line.split()]
        rows = np.array(x[5:]).reshape(int(x[4]), 10)
        features = [(int(r[0]), int(r[1]), int(r[2]), r[3], r[4:7], r[7:]) for r in rows]
        found.append(Found(x[0], np.array(x[1:4]), features))
    assert len(found) == len(pairs)
    return found


def pose(random: np.random.Generator, far: float) -> Pose:
    return Pose(Rotation.random(random_state=random).as_matrix(), far * random.uniform(-1.0, 1.0, 3))


def random_pairs(a: str, b: str, count: int, far: float) -> list[Pair]:
    random = np.random.default_rng([ord(c) for c in a + b])
    return [(shape(a, random), pose(random, far), shape(b, random), pose(random, far)) for _ in range(count)]


def distance(a: Shape, A: Pose, b: Shape, B: Pose) -> float:
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = 1e-12
    request.gjk_max_iterations = 1000
    request.enable_signed_distance = True
    return coal.distance(
        a.peer, coal.Transform3s(A.R, A.p), b.peer, coal.Transform3s(B.R, B.p), request, result
    )


def along(a: Shape, A: Pose, b: Shape, B: Pose, n: np.ndarray) -> float:
    """How far a is from b along n: at most the signed distance, whatever n."""
    low = A.p + A.R @ a.farthest(-A.R.T @ n)
    high = B.p + B.R @ b.farthest(B.R.T @ n) if b.kind != "plane" else B.p
    return float(n @ (low - high))


@pytest.mark.parametrize(("a", "b"), [*itertools.combinations_with_replacement(CONVEX, 2)])
def test_signed_distances(a: str, b: str) -> None:
    """Along the normal the shapes are that far from each other, and along no other direction further.

    Of curved shapes coal stops at its tolerance of 1e-6, and where they overlap at times in a direction that is not the
    best: the directions tell.
    """
    pairs = random_pairs(a, b, 30, 1.0)
    directions = np.random.default_rng(1).normal(size=(30, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    apart, off = [], []
    for pair, found in zip(pairs, narrow_phase(pairs), strict=True):
        assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)
        assert found.gap == pytest.approx(along(*pair, found.normal), abs=1e-9)
        near = found.normal + np.repeat([1e-5, 1e-4, 1e-3], 10)[:, None] * directions
        near /= np.linalg.norm(near, axis=1)[:, None]
        assert max(along(*pair, n) for n in [*directions, *near]) <= found.gap + 1e-11
        apart.append(found.gap > 0.0)
        off.append(distance(*pair) - found.gap)
    assert 3 < sum(apart) < 27
    curved = {a, b} & {"cylinder", "ellipsoid"}
    if curved:
        assert max(off) < 3e-6
        assert np.median(np.abs(off)) < 1e-8
    else:
        assert max(map(abs, off)) < 1e-9


@pytest.mark.parametrize("a", CONVEX)
def test_on_a_plane(a: str) -> None:
    pairs = random_pairs(a, "plane", 30, 1.0)
    for pair, found in zip(pairs, narrow_phase(pairs), strict=True):
        plane = pair[3]
        assert found.normal == pytest.approx(plane.R[:, 2], abs=1e-15)
        assert found.gap == pytest.approx(along(*pair, found.normal), abs=1e-12)
        assert found.gap == pytest.approx(distance(*pair), abs=1e-9)
        assert found.gap == pytest.approx(min(f[3] for f in found.features), abs=1e-15)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("sphere", "sphere"),
        ("sphere", "capsule"),
        ("capsule", "capsule"),
        ("sphere", "box"),
        ("capsule", "box"),
        ("box", "sphere"),
        ("capsule", "sphere"),
    ],
)
def test_features_of_round_shapes_are_their_distance(a: str, b: str) -> None:
    """The least gap of the features is the signed distance, and their points are that far apart along the normal."""
    pairs = random_pairs(a, b, 40, 1.5)
    for found in narrow_phase(pairs):
        if found.gap < -0.2:
            continue
        assert found.gap == pytest.approx(min(f[3] for f in found.features), abs=1e-12)
        nearest = min(found.features, key=lambda f: f[3])
        assert nearest[4] - nearest[5] == pytest.approx(nearest[3] * found.normal, abs=1e-9)


TOUCHING = ("sphere", "capsule", "cylinder", "box", "ellipsoid", "hull")


def geometry(given: Shape) -> bough.Sphere | bough.Cylinder | bough.Box | bough.Ellipsoid | bough.Mesh:
    x = [float(word) for word in given.text.split()[1:]]
    if given.kind == "sphere":
        return bough.Sphere(x[0])
    if given.kind == "capsule":
        return bough.Capsule(x[0], x[1])
    if given.kind == "cylinder":
        return bough.Cylinder(x[0], x[1])
    if given.kind == "box":
        return bough.Box(x)
    if given.kind == "ellipsoid":
        return bough.Ellipsoid(x)
    n = int(x[0])
    corners = np.array(x[1 : 1 + 3 * n]).reshape(n, 3)
    return bough.Mesh(vertices=corners, faces=np.array(x[2 + 3 * n :], dtype=int).reshape(-1, 3))


@pytest.mark.parametrize(("a", "b"), [*itertools.combinations_with_replacement(TOUCHING, 2)])
def test_gaps_of_contacts_are_distances(a: str, b: str) -> None:
    """As long as shapes are apart; along no direction are they further from each other."""
    directions = np.random.default_rng(1).normal(size=(30, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    apart = 0
    for first, A, second, B in random_pairs(a, b, 15, 1.0):
        truth = distance(first, A, second, B)
        if truth < 0.01:
            continue
        apart += 1
        system = bough.System("pair")
        system.world.floating("q", name="a", mass=1.0, inertia=(1.0, 1.0, 1.0))
        system.world.frame("b")
        at = [np.block([[X.R, X.p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]]) for X in (A, B)]
        contact = bough.Contact(
            "a", geometry(first), against=("b", geometry(second)), at=at[0], against_at=at[1]
        )
        system.add(contact)
        model = system.build()
        gap = model.gap(model.neutral())
        assert gap.min() == pytest.approx(truth, abs=3e-6 if {a, b} & {"cylinder", "ellipsoid"} else 1e-9)
        assert max(along(first, A, second, B, n) for n in directions) <= gap.min() + 1e-11
    assert apart > 2
