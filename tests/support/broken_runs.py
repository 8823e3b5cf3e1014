"""Files of runs with something wrong in them: one to three random changes, the same for the same seed.

A file is changed as bytes, as arrays, or in the JSON of its header, settings and description; the latter two
with right checksums, as somebody with a purpose would do.
"""

from __future__ import annotations

import io
import json
import math
import random
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

import bough

TEXTS = ("header", "settings", "description")
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, 10**6, 10**30, 10**400, 0.5, -0.0, 1e-320, 1e308, -1e308,
    float("nan"), float("inf"), "", "x", "a", "angle", "world", "#1", "\ud800", "\0", "[/]", "os:abort",
    "json:loads", [], {}, [[]], [None], {"": 0}, [0.0] * 3, [0.0, 0.0, 1.0], [[1.0] * 4] * 4, "9" * 5000,
    {"kinematic": "k"}, {"kinematic": 3}, {"function": {}}, {"python": "os:abort"},
    {"mapping": []}, {"mapping": {"a": 1}},
)  # fmt: skip
DTYPES = ("<c16", "<f4", ">f8", "<i8", "|b1", "<U4", "|u1", "<f2", "|O", "|V8", "<M8[s]")
SHAPE = re.compile(rb"'shape': \(([\d, ]*)\)")
NUMBERS = (float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 1e-320, 0.0, -1.0, 7.0)


def bases() -> list[bytes]:
    """Good files: inputs and prescribed motion, constraints, a free base, bodies, parts, contacts, quaternions."""
    return [_saved(run) for run in _runs()]


def _runs() -> list[bough.Trajectory]:
    arm = bough.System("arm")
    arm.world.tx(bough.kinematic("slide")).ry("angle").tz(-1.0, name="elbow", mass=1.0)
    arm.frame("elbow").ry("forearm").tz(-1.0, name="tip", mass=1.0, inertia=(0.1, 0.2, 0.15))
    arm.add(bough.ConfigurationForce("angle", "torque"))
    arm.add(bough.NonlinearConfigurationSpring("forearm", polynomial=(0.0, -1.0, 0.0, -1.0)))
    arm.add(bough.Damping({"angle": 0.1}, name="friction"))
    arm.shape("tip", bough.Box((0.1, 0.1, 0.1)))
    arm.start = bough.Start(q={"angle": 0.3}, duration=1.0)
    loop = bough.System("loop")
    loop.world.tx("x").tz("z", name="bob", mass=2.0)
    loop.add(bough.DistanceConstraint("bob", "world", 1.0, name="wire"))
    sine = bough.Sinusoid(amplitude=0.1, frequency=1.0)
    cam = bough.System("cam")
    cam.world.tx("x", name="follower", mass=1.0).rz("turn", mass=1.0, inertia=(1, 1, 1)).ty("y", mass=1.0)
    cam.add(
        bough.CamConstraint("x", "turn", bough.PiecewisePolynomial([0.0, 1.0, 2.0], [[0.0, 1.0], [1.0, 1.0]]))
    )
    cam.add(bough.PlaneConstraint("follower", "world", (1.0, 0.0, 0.0), offset=sine))
    cam.shape("follower", bough.Mesh(vertices=np.eye(4)[:, :3], faces=[[0, 1, 2], [0, 1, 3]]))
    cam.shape("follower", bough.Sphere(0.1), color="red")
    free = bough.System("free", gravity=None)
    free.world.free("base", mass=10.0, inertia=(1, 2, 3)).tx(0.5).rz("joint").tx(1.0, mass=1.0)
    ball = bough.System("ball")
    ball.world.free("ball", name="ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model = arm.build()
    table, motion = np.full((10, 1), 0.3), np.linspace(0.0, 0.1, 11)[:, None]
    options: dict[str, Any] = {"u": table, "k": motion, "duration": 0.1, "progress": False}
    first = bough.simulate(model, **options)
    return [
        first,
        bough.simulate(model, u={"torque": 0.1}, duration=0.105, every=3, integrator="trapezoidal"),
        bough.simulate(model, integrator="dop853", **options),
        bough.simulate(model, integrator="rk4", every=2, **options),
        bough.simulate(loop.build(), {"z": -1.0}, {"x": 0.1}, duration=0.1),
        bough.simulate(loop.build(), {"z": -1.0}, integrator="rk4", stabilization="projection", duration=0.1),
        bough.simulate(cam.build(), duration=0.1, assemble=True),
        bough.simulate(free.build(), v={"joint": 1.0}, duration=0.1, integrator="reduced"),
        bough.simulate(
            ball.build(),
            {"ball_tz": 0.1},
            {"ball_tx": 0.1, "ball_ry": 1.0},
            duration=0.1,
            integrator="velocity",
            contacts=[bough.Rolling("ball", 0.1)],
            break_above={"ball_tx": 1e6},
        ),
        first + bough.simulate(model, first[-1], u={"torque": 0.1}, duration=0.05, order=4),
        *_contact_runs(),
        bough.simulate(free.build(), v={"joint": 1.0}, duration=0.1)[2:7],
    ]


def _contact_runs() -> list[bough.Trajectory]:
    """Runs with impacts and friction, quaternions, strings, rolling wheels and events."""
    hopper = bough.System("hopper")
    hopper.world.tx("x").tz("z", name="point", mass=1.0)
    hopper.world.tx("y", name="slider", mass=1.0)
    hopper.add(bough.Contact("point", bough.Point(), friction=0.3, restitution=0.5, name="tip"))
    hopper.add(bough.JointLimit("y", lower=-0.1, upper=0.02, restitution=0.2))
    block = bough.System("block")
    block.world.floating("body", name="body", mass=2.0, inertia=(0.1, 0.2, 0.3)).rz("joint").tx(0.3, mass=0.5)
    block.add(bough.Contact("body", bough.Sphere(0.1), friction=0.5))
    stack = bough.System("stack")
    stack.world.tx("x").tz("z").ry("turn", name="upper", mass=1.0, inertia=(0.02, 0.02, 0.02))
    stack.world.tz("low", name="lower", mass=1.0)
    stack.add(bough.Contact("lower", bough.Box((0.4, 0.4, 0.2))))
    stack.add(
        bough.Contact(
            "upper", bough.Box((0.3, 0.3, 0.2)), ("lower", bough.Box((0.4, 0.4, 0.2))), friction=0.4
        )
    )
    solid = bough.Mesh(vertices=np.eye(4)[:, :3], faces=[[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])
    hull = bough.System("hull")
    hull.world.tz("z", name="solid", mass=1.0)
    hull.add(bough.Contact("solid", solid))
    hull.add(bough.Contact("solid", bough.Capsule(0.1, 0.2), ("world", bough.Box((0.8, 0.8, 0.2)))))
    hull.add(bough.Contact("solid", bough.Sphere(0.1), ("world", bough.Cylinder(0.4, 0.2))))
    string = bough.System("string")
    string.world.tx("x").tz("z", name="bob", mass=1.0)
    string.world.tx(1.0).tz(bough.kinematic("bar"), name="bar")
    string.add(bough.String("bob", "world", 1.0, name="rope"))
    string.add(bough.String("bob", "bar", 2.1, via=["world"], name="via"))
    wheel = bough.System("wheel")
    wheel.world.floating("wheel", name="wheel", mass=1.0, inertia=(0.1, 0.2, 0.1))
    wheel.add(bough.Rolling("wheel", 0.3, axis=(0, 1, 0)))
    top = bough.System("top", gravity=None)
    top.world.ball("top", name="top", mass=1.0, inertia=(1.0, 2.0, 3.0)).tx(0.2, name="tip", mass=0.1)
    crossing = "v.top_wy = 0.101"
    hop = bough.simulate(hopper.build(), {"x": 0.1, "z": 0.01, "y": 0.0}, {"x": 1.0, "y": 1.0}, duration=0.2)
    assert hop.events  # impacts
    return [
        hop,
        hop + bough.simulate(hop.model, hop[-1], duration=0.05),
        bough.simulate(block.build(), {"body_tz": 0.11}, {"body_tx": 0.2, "joint": 1.0}, duration=0.2),
        bough.simulate(stack.build(), {"z": 0.34, "turn": 0.1, "low": 0.1}, {"x": 0.1}, duration=0.2),
        bough.simulate(hull.build(), {"z": 0.4}, duration=0.2),
        bough.simulate(string.build(), {"z": -0.999, "bar": 0.1}, {"z": -0.5, "x": 0.3}, duration=0.1),
        bough.simulate(wheel.build(), {"wheel_tz": 0.3}, {"wheel_tx": 0.3, "wheel_wy": 1.0}, duration=0.1),
        bough.simulate(
            top.build(), v={"top_wx": 1.0, "top_wy": 0.1}, duration=0.1, order=6, events=[crossing]
        ),
        bough.simulate(top.build(), v={"top_wx": 1.0, "top_wy": 0.1}, duration=0.1, integrator="rk4"),
    ]


def _saved(run: bough.Trajectory) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return run.save(Path(folder, "run.npz")).read_bytes()


def broken(files: list[bytes], seed: int) -> bytes:
    """A file with one to three changes."""
    rng = random.Random(seed)
    data = rng.choice(files)
    if rng.random() < 0.25:
        for _ in range(rng.randint(1, 3)):
            data = _bytes(data, rng)
        return data
    members = read(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        rng.choice((_text, _text, _text, _array, _array, _members))(members, rng)
    return written(members, rng)


def read(data: bytes) -> dict[str, bytes]:
    """The entries of a file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(members: dict[str, bytes], rng: random.Random | None = None) -> bytes:
    """The file of entries."""
    stream = io.BytesIO()
    packed = rng is not None and rng.random() < 0.05
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
        for name, entry in members.items():
            archive.writestr(name, entry)
    return stream.getvalue()


def _bytes(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    way = rng.randrange(5)
    if way == 0:
        return data[:at]
    if way == 1:
        return data[:at] + data[at + rng.randrange(1, 60) :]
    if way == 2:
        return data[:at] + rng.randbytes(rng.choice((1, 4, 40))) + data[at:]
    if way == 3:  # in the directory at the end
        at = max(0, len(data) - rng.randrange(1, 900))
    return data[:at] + rng.choice((b"\0", b"\xff", b"\xff\xff\xff\xff", rng.randbytes(2))) + data[at + 1 :]


def _text(members: dict[str, bytes], rng: random.Random) -> None:
    """A change of one of the JSON texts."""
    name = f"{rng.choice(TEXTS)}.npy"
    if name not in members:
        return
    text = members[name][128:]
    if rng.random() < 0.1:
        text = _bytes(text, rng)
    elif rng.random() < 0.05:
        text = rng.choice((b"[" * 5000, b'{"a":' * 5000, b"1" * 10**5, b"", b"null", b'{"kind":1}'))
    else:
        try:
            text = json.dumps(_changed(json.loads(text), rng)).encode("utf-8", "surrogatepass")
        except (ValueError, RecursionError):  # changed before
            return
    members[name] = npy("|u1", (len(text),), text)


def _changed(data: Any, rng: random.Random) -> Any:
    """One place in nested lists and dictionaries changed."""
    places: list[tuple[Any, Any]] = []
    waiting = [data]
    while waiting and isinstance(data, dict | list):
        item = waiting.pop()
        for key in list(item) if isinstance(item, dict) else range(len(item)):
            places.append((item, key))
            if isinstance(item[key], dict | list):
                waiting.append(item[key])
    if not places or rng.random() < 0.01:
        return rng.choice(ODD)
    item, key = rng.choice(places)
    way = rng.randrange(6)
    if way == 0:
        del item[key]
    elif way == 1 and isinstance(item, dict):
        item[rng.choice(("x", "steps", "type", "name", "kinematic", "python"))] = rng.choice(ODD)
    elif way == 2:
        other, there = rng.choice(places)
        item[key] = (
            json.loads(json.dumps(other[there])) if there in range(len(other)) or there in other else 0
        )
    elif way == 3 and type(item[key]) in (int, float) and abs(item[key]) < 1e300:
        item[key] = rng.choice((item[key] * 1.5, -item[key], item[key] + 1, item[key] * 1000))
    else:
        value = rng.choice(ODD)
        for _ in range(rng.choice((0, 0, 0, 0, 200))):
            value = [value]
        item[key] = value
    return data


def _array(members: dict[str, bytes], rng: random.Random) -> None:
    """A change of an array: its type, its shape, or a number."""
    names = [name for name in members if name.removesuffix(".npy") not in TEXTS]
    if not names:
        return
    name = rng.choice(names)
    entry = members[name]
    way = rng.randrange(7)
    match = SHAPE.search(entry[:128])
    shape = tuple(int(n) for n in match[1].replace(b",", b" ").split()) if match else ()
    if math.prod(shape) * 8 != len(entry) - 128:  # changed before
        return
    array = np.frombuffer(entry[128:]).reshape(shape)
    if way == 0:
        dtype = rng.choice(DTYPES)
        size = 8 if dtype in ("|O", "<M8[s]") else np.dtype(dtype).itemsize
        members[name] = npy(dtype, array.shape, bytes(size * array.size))
    elif way == 1:
        shape = rng.choice((
            (), (0,), (1,), (-1,), (10**12,), (10**30, 2), array.shape[::-1], (*array.shape, 1),
            (1, *array.shape), (0, *array.shape[1:]), tuple(n + 1 for n in array.shape),
            tuple(max(n - 1, 0) for n in array.shape),
        ))  # fmt: skip
        kept = rng.random() < 0.5 or any(n < 0 or n > 100 for n in shape)
        size = 8 * array.size if kept else 8 * int(np.prod(shape))
        members[name] = npy("<f8", shape, bytes(size))
    elif way == 2:
        members[name] = entry[:10] + _bytes(entry[10:128], rng) + entry[128:]
    elif way == 3:
        members[name] = npy("<f8", array.shape, np.ascontiguousarray(array[::-1]).tobytes())
    elif way == 4:
        members[name] = npy(">f8", array.shape, array.astype(">f8").tobytes())
    elif array.size:
        changed = np.array(array, dtype=np.float64)
        changed.flat[rng.randrange(changed.size)] = rng.choice(NUMBERS)
        members[name] = npy("<f8", array.shape, changed.tobytes())


def _members(members: dict[str, bytes], rng: random.Random) -> None:
    """A change of what there is."""
    if not members:
        return
    name, other = rng.choice(list(members)), rng.choice(list(members))
    way = rng.randrange(4)
    if way == 0:
        del members[name]
    elif way == 1:
        members[name], members[other] = members[other], members[name]
    elif way == 2:
        members[rng.choice(("g.npy", "xi.npy", "extra.npy", "inputs.npy", "../t.npy"))] = members[name]
    else:
        members[name] = _bytes(members[name], rng)


def npy(dtype: str, shape: tuple[int, ...], data: bytes) -> bytes:
    """An array as numpy would write it, whether or not the data are of this shape."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (117 - len(text)) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data
