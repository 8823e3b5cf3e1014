"""How a scene draws masses: balls of one density, and solids of the inertia of a body."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.view import Scene
from bough.view.bodies import LARGEST, SMALLEST, uniform_solid
from bough.view.see_through import OPACITY
from bough.view.tree import Tree


def test_balls_have_one_density():
    system = bough.System("two")
    system.world.ry("a").tz(-1.0, name="large", mass=8.0)
    system.world.ry("b").tz(-1.0, name="small", mass=1.0)
    radii = {part.name: part.geometry.radius for part in Scene(system.build()).rigid if part.role == "mass"}
    assert radii["mass/large"] == pytest.approx(2.0 * radii["mass/small"])


def body(mass: float, inertia: np.ndarray) -> bough.Model:
    system = bough.System("body")
    system.world.free("b", name="body", mass=mass, inertia=inertia, com=(1.0, 2.0, 3.0))
    return system.build()


@pytest.mark.parametrize("seed", range(5))
def test_a_solid_has_the_inertia_of_its_body(seed: int):
    random = np.random.default_rng(seed)
    mass, turn = 2.5, np.linalg.qr(random.normal(size=(3, 3)))[0]
    a, b, c = random.uniform(0.4, 0.6, 3) * (1.0, 2.0, 3.0)
    r, h = random.uniform(0.2, 0.3, 2) * ((1.0, 4.0) if seed % 2 else (4.0, 1.0))  # a rod, a disc
    round_ = (mass * (3 * r * r + h * h) / 12.0, mass * (3 * r * r + h * h) / 12.0, mass * r * r / 2.0)
    moments = {
        "box": mass / 12.0 * np.array((b * b + c * c, a * a + c * c, a * a + b * b)),
        "cylinder": np.array(round_),
    }
    sizes = {"box": sorted((a, b, c)), "cylinder": [r, h]}
    for kind in moments:
        inertia = turn @ np.diag(moments[kind]) @ turn.T
        model = body(mass, inertia)
        solid, axes = uniform_solid(Tree(model, set(), set()).nodes[-1])
        assert solid.kind == kind
        size = solid.to_dict()["size"]
        np.testing.assert_allclose(sorted(size) if kind == "box" else size, sizes[kind], rtol=1e-9)
        np.testing.assert_allclose(np.linalg.det(axes), 1.0)
        if kind == "box":
            squares = np.array(size) ** 2
            back = mass / 12.0 * (squares.sum() - squares)
        else:
            back = np.array(round_)
        np.testing.assert_allclose(axes @ np.diag(back) @ axes.T, inertia, atol=1e-9)
        (part,) = Scene(model).rigid
        np.testing.assert_allclose(part.pose[:3, 3], (1.0, 2.0, 3.0))
        np.testing.assert_allclose(part.pose[:3, :3], axes)


@pytest.mark.parametrize("inertia", [(2.0, 2.0, 2.0), (1.0, 1.0, 1.1), (0.0, 0.0, 0.0)])
def test_what_is_like_a_ball_is_drawn_as_one(inertia: tuple[float, float, float]):
    system = bough.System("ball")
    system.world.ry("a").tz(-1.0, name="bob", mass=1.0, inertia=inertia)
    assert Scene(system.build()).rigid[-1].geometry.kind == "sphere"


def test_a_solid_is_neither_too_large_nor_too_thin():
    system = bough.System("wheel")
    hub = system.world.ry("wheel", name="hub", mass=1.0, inertia=(50.0, 100.0, 50.0))  # 28 m across
    hub.tz(-1.0, name="needle", mass=1.0, inertia=(0.1, 0.1, 1e-9))
    scene = Scene(system.build())
    sizes = {part.name: part.geometry for part in scene.rigid if part.role == "mass"}
    rest = np.sqrt(1.0 + 1.2)  # of the needle alone, 1.1 m long and 1 m below the hub
    assert 28.0 > scene.size > rest
    assert scene.size < 1.2 * LARGEST * rest
    assert 2.0 * sizes["mass/hub"].radius == pytest.approx(scene.size)
    assert sizes["mass/needle"].radius == pytest.approx(SMALLEST * scene.size)


def test_a_flywheel_does_not_hide_its_crank():
    """What another body is in is seen through; what only touches its neighbours is not."""
    system = bough.System("press", gravity=None)
    crank = system.world.ry("crank", name="wheel", mass=20.0, inertia=(0.3, 0.5, 0.3))
    rod = crank.tz(0.06).ry("rod", name="rod", mass=0.5, com=(0.06, 0, 0), inertia=(1e-4, 6e-4, 6e-4))
    rod.tx(0.12).ry("arm", name="arm", mass=0.5, com=(0.3, 0, 0), inertia=(1e-3, 1.5e-2, 1.5e-2))
    seen = {part.name: part.opacity for part in Scene(system.build()).rigid if part.role == "mass"}
    assert seen == {"mass/wheel": OPACITY, "mass/rod": 1.0, "mass/arm": 1.0}


def test_a_shape_stays_as_it_was_given():
    system = bough.System("press", gravity=None)
    crank = system.world.ry("crank", name="wheel", mass=20.0, inertia=(0.3, 0.5, 0.3))
    crank.shape(bough.Cylinder(0.2, 0.1))
    crank.tz(0.06).ry("rod", name="rod", mass=0.5, com=(0.06, 0, 0), inertia=(1e-4, 6e-4, 6e-4))
    assert {part.opacity for part in Scene(system.build()).rigid} == {1.0}
