"""A system with every kind of contact and shape goes through files and saved runs, and moves the same afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import bough
from support import console

TETRAHEDRON = bough.Mesh(
    vertices=[[0.0, 0.0, 0.2], [0.2, 0.0, 0.0], [-0.2, 0.2, 0.0], [-0.2, -0.2, 0.0]],
    faces=[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]],
)
SHAPES = (
    bough.Sphere(0.1),
    bough.Capsule(0.05, 0.2),
    bough.Cylinder(0.1, 0.2),
    bough.Box((0.2, 0.2, 0.1)),
    bough.Ellipsoid((0.1, 0.15, 0.2)),
    TETRAHEDRON,
)
NOT_ON_GROUND = (bough.Cylinder, bough.Ellipsoid)


def everything() -> bough.System:
    """A body of each shape above floor and ground, beside its neighbour, and an arm with stops, friction, strings."""
    system = bough.System("everything")
    x = np.linspace(-6.0, 6.0, 7)
    ground = bough.Heightfield(x, x, -3.0 + 0.1 * x[:, None] + 0.0 * x)
    for i, shape in enumerate(SHAPES):
        place = system.world.tx(1.5 * i - 4.0)
        body = place.floating(f"place{i}", name=f"body{i}", mass=1.0, inertia=(0.01, 0.01, 0.01))
        system.shape(body, shape)
        system.add(bough.Contact(body, shape, friction=0.4, restitution=0.1 * i, name=f"floor{i}"))
        if type(shape) not in NOT_ON_GROUND:
            system.add(bough.Contact(body, shape, against=ground, friction=0.4, name=f"ground{i}"))
    for i in range(5):
        other = (f"body{i + 1}", SHAPES[i + 1])
        system.add(bough.Contact(f"body{i}", SHAPES[i], other, friction=0.3, name=f"pair{i}"))
    system.add(bough.Contact("body0", bough.Point((0.0, 0.0, -0.1)), against=ground, name="tip"))
    names = ["body0", "body1", "body2"]
    system.add(bough.ContactGroup(names, exclude=[("body0", "body1")], friction=0.2, name="group"))
    system.world.tz(5.0, name="bar")
    system.world.tz(4.0).ry("elbow", name="arm").tz(-1.0, name="hand", mass=1.0)
    stop = bough.kinematic("stop")
    system.add(bough.JointLimit("elbow", lower=-1.0, upper=stop, restitution=0.2, name="limit"))
    system.add(bough.DryFriction("elbow", 0.3, name="rub"))
    system.add(bough.String("hand", "bar", length=2.5, via=["arm"], name="string"))
    system.add(bough.String("hand", "bar", length=bough.kinematic("rope"), name="winch"))
    q = {f"place{i}_tz": 1.0 + 0.1 * i for i in range(6)} | {"stop": 1.5, "rope": 3.0}
    system.start = bough.Start(q=q, duration=0.8, dt=0.005)
    return system


def test_every_contact_goes_through_files(tmp_path: Path) -> None:
    system = everything()
    bough.save(system, tmp_path / "all.sexp")
    read = bough.load(tmp_path / "all.sexp")
    assert read.to_dict() == system.to_dict()
    assert bough.System.from_dict(json.loads(json.dumps(system.to_dict()))).to_dict() == system.to_dict()
    model, again = system.build(), read.build()
    assert again == model
    assert again.digest == model.digest
    run = bough.simulate(model)
    assert {"floor0", "floor4"} <= {name for impact in run.impacts for name in impact.contacts}
    assert bough.simulate(again) == run
    run.save(tmp_path / "all.npz")
    kept = bough.load_trajectory(tmp_path / "all.npz")
    assert kept == run
    assert kept.rerun() == run
    assert np.array_equal(np.asarray(kept.gaps()), np.asarray(run.gaps()))
    assert np.array_equal(kept.contact_status, run.contact_status)
    assert [impact.t for impact in kept.impacts] == [impact.t for impact in run.impacts]


@pytest.mark.parametrize("command", ["simulate", "info"])
def test_every_contact_goes_through_commands(tmp_path: Path, command: str) -> None:
    bough.save(everything(), tmp_path / "all.sexp")
    code, text, error = console.run(f"bough {command} {tmp_path / 'all.sexp'}")
    assert (code, error) == (0, "")
    expected = {
        "simulate": "floor0 at t = 0.428",
        "info": "ContactGroup  group",
        "check": "closed at the start",
    }
    assert expected[command] in text
