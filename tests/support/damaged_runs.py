"""Saved runs with one thing wrong in them: each function writes a file to a path and returns the path."""

from __future__ import annotations

import json
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bough import Box, Capsule, Contact, Model, Point, System, Trajectory, simulate
from support.broken_runs import npy, read, written

WRITTEN = "give the path of an .npz file written by run.save(path)"  # what to do with any other file


def pendulum() -> Model:
    system = System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    return system.build()


def run(model: Model) -> Trajectory:
    """Ten steps."""
    return simulate(model, duration=1.0, dt=0.1)


def rewritten(path: Path, **members: Any) -> Path:
    """A saved pendulum with some members replaced."""
    with np.load(run(pendulum()).save(path)) as archive:
        contents = {name: archive[name] for name in archive.files}
    for name, value in members.items():
        text = json.dumps(value) if isinstance(value, dict | list) else value
        contents[name] = np.frombuffer(text.encode(), dtype=np.uint8) if isinstance(text, str) else text
    np.savez(path, **contents)
    return path


def text_file(path: Path) -> Path:
    path.write_text("t,q\n0,1\n")
    return path


def foreign_archive(path: Path) -> Path:
    np.savez(path, x=np.zeros(3))
    return path


def single_array(path: Path) -> Path:
    with open(path, "wb") as stream:
        np.save(stream, np.zeros(3))
    return path


def pickled(path: Path) -> Path:
    np.savez(path, header=np.array([{}], dtype=object))
    return path


def flipped(path: Path) -> Path:
    """One changed byte in the middle of q."""
    run(pendulum()).save(path)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        data[archive.getinfo("q.npy").header_offset + 190] ^= 0xFF
    path.write_bytes(data)
    return path


def bomb(path: Path) -> Path:
    """A few kilobytes that would be gigabytes."""
    size = 2 * 10**8
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("t.npy", "w") as stream:
        stream.write(npy("<f8", (size // 8,), b""))
        for _ in range(20):
            stream.write(bytes(size // 20))
    return path


def announced(path: Path) -> Path:
    """A header that announces terabytes."""
    members = read(run(pendulum()).save(path).read_bytes())
    members["t.npy"] = npy("<f8", (10**12,), bytes(80))
    path.write_bytes(written(members))
    return path


def twice(path: Path) -> Path:
    run(pendulum()).save(path)
    with zipfile.ZipFile(path, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("q.npy", b"")
    return path


def bouncing(path: Path, change: Callable[[dict[str, Any]], Any]) -> Path:
    """A saved run with a quaternion, contacts, an impact and an event, some of its arrays changed."""
    system = System("bouncing")
    system.world.tz("z", name="point", mass=1.0)
    system.world.ball("top", mass=1.0, inertia=(1.0, 2.0, 3.0))
    system.add(Contact("point", Point(), restitution=0.5, name="tip"))
    found = simulate(system.build(), {"z": 0.05}, duration=0.2, events=["z = 0.02"])
    with np.load(found.save(path)) as archive:
        contents = {name: archive[name].copy() for name in archive.files}
    change(contents)
    np.savez(path, **contents)
    return path


def touching(number: float) -> Callable[[Path], Path]:
    """A saved run of a ball on a box, with another number of a feature."""
    system = System("table")
    system.world.tz(-0.1, name="table")
    system.world.tx("x").tz("z", name="body", mass=1.0)
    system.add(Contact("body", Capsule(0.1, 0.2), ("table", Box((1.0, 1.0, 0.2))), name="pair"))
    model = system.build()

    def made(path: Path) -> Path:
        with np.load(simulate(model, {"z": 0.25}, duration=0.2).save(path)) as archive:
            contents = {name: archive[name].copy() for name in archive.files}
        contents["contact_state"][3, -1] = number
        np.savez(path, **contents)
        return path

    return made


def with_number(name: str, place: tuple[int, ...], value: float) -> Callable[[Path], Path]:
    def changed(contents: dict[str, Any]) -> None:
        contents[name][place] = value

    return lambda path: bouncing(path, changed)


def without(*names: str) -> Callable[[Path], Path]:
    return lambda path: bouncing(path, lambda contents: [contents.pop(name) for name in names])


def with_event(time: Any) -> Callable[[Path], Path]:
    def changed(contents: dict[str, Any]) -> None:
        header = json.loads(bytes(contents["header"]))
        header["found"][0][0] = time
        contents["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)

    return lambda path: bouncing(path, changed)
