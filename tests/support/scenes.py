"""Bodies of simple shapes that float, with contacts between all of them and the floor; rough ground."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import bough

Shapes = bough.Box | bough.Sphere | bough.Capsule | bough.Cylinder

LEVER = 0.01  # m: of the resistance to rolling, as on soft ground


def moments(shape: Any, mass: float = 1.0) -> tuple[float, ...]:
    """Of a box, a sphere, a cylinder or (nearly) a capsule of even density."""
    if isinstance(shape, bough.Sphere):
        return (0.4 * mass * shape.radius**2,) * 3
    if isinstance(shape, bough.Capsule | bough.Cylinder):
        r, length = shape.radius, shape.length + (shape.radius if isinstance(shape, bough.Capsule) else 0.0)
        return (*(mass * (length**2 / 12.0 + r**2 / 4.0),) * 2, mass * r**2 / 2.0)
    x, y, z = (size**2 for size in shape.size)
    return (mass * (y + z) / 12.0, mass * (x + z) / 12.0, mass * (x + y) / 12.0)


def stack(
    masses: list[float], friction: float = 0.5, size: tuple[float, float, float] = (0.2, 0.2, 0.1)
) -> bough.Model:
    """Boxes on each other, the first on the floor."""
    system = bough.System("stack")
    box = bough.Box(size)
    for i, mass in enumerate(masses):
        system.world.floating(f"q{i}", name=f"box {i}", mass=mass, inertia=moments(box, mass))
        against: Any = "world" if i == 0 else (f"box {i - 1}", box)
        system.add(bough.Contact(f"box {i}", box, against, friction=friction, name=f"layer {i}"))
    return system.build()


def heights(model: bough.Model, size: float = 0.1, apart: float = 0.0) -> np.ndarray:
    """The configuration of a stack whose boxes are a distance apart."""
    q = model.neutral()
    for i in range(len(q) // 7):
        q[7 * i + 2] = 0.5 * size + i * (size + apart) + apart
    return q


def heap(
    seed: int,
    bodies: int,
    kinds: tuple[str, ...] = ("box", "sphere", "capsule"),
    damping: float | None = None,
    turning: float | None = None,
    **properties: float,
) -> tuple[bough.Model, np.ndarray]:
    """Random shapes, turned at random, above each other over the floor; what rolls stops.

    Coulomb's law lets a sphere or a capsule roll for ever, and one that lies on a point spin. Dry friction resists
    each rate of turning by up to the weight of the body times LEVER, as if the ground pushed that far in front of the
    point of contact: it ends all rolling in finite time, and holds what lies in a hollow. In its place may be losses
    that never end: `damping` [1/s] of all velocities but the vertical ones in proportion to mass, so that whatever
    takes part in a motion over the floor it decays at that rate, or `turning` [N m s] of each rate.
    """
    random = np.random.default_rng(seed)
    system = bough.System(f"heap {seed}")
    names = []
    for i in range(bodies):
        shape = random_shape(str(random.choice(kinds)), random)
        mass = float(random.uniform(0.5, 2.0))
        inertia = moments(shape, mass)
        frame = system.world.floating(f"q{i}", name=f"body {i}", mass=mass, inertia=inertia)
        system.shape(frame, shape)
        rates = [f"q{i}_{x}" for x in ("wx", "wy", "wz")]
        if damping is not None:
            sizes = {f"q{i}_tx": mass, f"q{i}_ty": mass, **dict(zip(rates, inertia, strict=True))}
            system.add(bough.Damping({rate: damping * size for rate, size in sizes.items()}))
        elif turning is not None:
            system.add(bough.Damping(dict.fromkeys(rates, turning)))
        else:
            for rate in rates:
                system.add(bough.DryFriction(rate, 9.81 * mass * LEVER))
        names.append(f"body {i}")
    system.shape("world", bough.Plane())
    system.add(bough.ContactGroup([*names, "world"], name="contacts", **properties))
    model = system.build()
    q = model.neutral()
    for i in range(bodies):
        at = model.coordinates.index(f"q{i}_tx")
        q[at : at + 3] = (*random.uniform(-0.15, 0.15, 2), 0.4 + 0.45 * i)
        x, y, z, w = Rotation.random(random_state=int(random.integers(1 << 30))).as_quat()
        q[at + 3 : at + 7] = (w, x, y, z)
    return model, q


def random_shape(kind: str, random: np.random.Generator) -> Shapes:
    """A shape of between one and three decimetres."""
    if kind == "sphere":
        return bough.Sphere(random.uniform(0.05, 0.15))
    if kind == "capsule":
        return bough.Capsule(random.uniform(0.04, 0.08), random.uniform(0.1, 0.25))
    if kind == "cylinder":
        return bough.Cylinder(random.uniform(0.05, 0.15), random.uniform(0.1, 0.3))
    return bough.Box(random.uniform(0.1, 0.3, 3).tolist())


def tumbling(seed: int, kind: str = "box") -> tuple[bough.Model, tuple[float, ...], dict[str, float]]:
    """A box or a hull of twelve corners over rough ground, turned at random, with a push along x."""
    random = np.random.default_rng(seed)
    shape: bough.Box | bough.Mesh
    if kind == "box":
        shape = bough.Box(random.uniform(0.1, 0.3, 3).tolist())
        inertia = moments(shape)
    else:
        shape, inertia = random_hull(random), (0.004, 0.004, 0.004)
    system = bough.System("tumbling")
    system.world.floating("at", name="body", mass=1.0, inertia=inertia)
    system.add(bough.Contact("body", shape, against=rough(seed), friction=0.5, name="ground"))
    x, y, z, w = Rotation.random(random_state=seed).as_quat()
    return system.build(), (0.0, 0.0, 0.4, w, x, y, z), {"at_tx": 0.5}


def random_hull(random: np.random.Generator, corners: int = 12, radius: float = 0.13) -> bough.Mesh:
    """Of points on a sphere."""
    points = random.normal(size=(corners, 3))
    points *= radius / np.linalg.norm(points, axis=1)[:, None]
    hull = ConvexHull(points)
    faces = []
    for face, normal in zip(hull.simplices, hull.equations[:, :3], strict=True):
        a, b, c = points[face]
        outwards = np.cross(b - a, c - a) @ normal > 0.0
        faces.append(tuple(int(i) for i in (face if outwards else face[::-1])))
    return bough.Mesh(vertices=points.tolist(), faces=faces)


def rough(seed: int, cells: int = 24) -> bough.Heightfield:
    """Ground with random heights of a few centimetres, 2.4 m wide."""
    random = np.random.default_rng(seed)
    x = np.linspace(-1.2, 1.2, cells + 1)
    return bough.Heightfield(x, x, 0.04 * random.normal(size=(cells + 1, cells + 1)))
