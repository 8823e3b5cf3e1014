"""Bodies at rest on each other: `bough.simulate` beside MuJoCo `mj_step`, time of a step at equal dt.

A stack of five boxes, and the humanoid and the quadruped of dm_control that have fallen and lie. Both engines start
from where they have come to rest themselves; the notes say how fast each still moves, which is the error at rest, and
how deep bodies are in each other.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np

import bough
from benchmarks.harness import Contender, Row, interleave
from bough import gallery

STEPS = 500
ROBOTS = {"humanoid": (1.5, 0.005, 2.0), "quadruped": (0.8, 0.005, 1.0)}  # height, dt, target
STACK_DT = 0.01


def rows() -> Iterator[Row]:
    yield _stack()
    for name in ROBOTS:
        yield _robot(name)


def _stack() -> Row:
    model = gallery.stack(apart=0.0).build()
    q = model.neutral()
    q[2::7] = 0.05 + 0.1 * np.arange(5)
    boxes = "".join(
        f'<body pos="0 0 {z}"><freejoint/><geom type="box" size=".1 .1 .05" mass="1" friction=".5"/></body>'
        for z in q[2::7]
    )
    text = f'<mujoco><worldbody><geom type="plane" size="1 1 1" friction=".5"/>{boxes}</worldbody></mujoco>'
    return _row("5 boxes", model, q, STACK_DT, 2.0, lambda mujoco: mujoco.MjModel.from_xml_string(text))


def _robot(name: str) -> Row:
    found = util.find_spec("dm_control")
    if found is None or found.submodule_search_locations is None:
        return Row("contact", name, "step", {}, notes={"bough": "dm_control is not installed"})
    path = Path(found.submodule_search_locations[0]) / "suite" / f"{name}.xml"
    height, dt, target = ROBOTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = bough.load(path, contacts=True, rotation="ball").build()
    q = model.neutral()
    for i, coordinate in enumerate(model.coordinates):  # the quadruped has a ball beside it
        if coordinate.endswith("_tz"):
            q[i] += height
        if coordinate.endswith("_tx") and coordinate != "root_tx":
            q[i] += 2.0
    run = bough.simulate(model, q=q, duration=10.0, dt=dt, every=100)
    return _row(
        f"{name} lying", model, run.q[-1], dt, target, lambda mujoco: mujoco.MjModel.from_xml_path(str(path))
    )


def _row(what: str, model: bough.Model, q: Any, dt: float, target: float, peer: Callable[[Any], Any]) -> Row:
    contenders = [
        Contender("bough", lambda: bough.simulate(model, q, duration=STEPS * dt, dt=dt, every=STEPS), STEPS)
    ]
    last = bough.simulate(model, q, duration=STEPS * dt, dt=dt)
    gaps = last.gaps()
    notes = {
        "bough": f"{np.abs(last.v[-1]).max():.0e} rad/s or m/s, {-min(gaps[np.isfinite(gaps)].min(), 0.0):.0e} m deep"
    }
    try:
        import mujoco
    except ImportError:
        notes["MuJoCo"] = "not installed"
        return Row("contact", what, "step", interleave(contenders), notes=notes)
    compiled = peer(mujoco)
    compiled.opt.timestep = dt
    data = mujoco.MjData(compiled)
    mujoco.mj_step(compiled, data, nstep=int(10.0 / dt))
    depth = -min((contact.dist for contact in data.contact), default=0.0)
    notes["MuJoCo"] = f"{np.abs(data.qvel).max():.0e} rad/s or m/s, {max(depth, 0.0):.0e} m deep"
    contenders.append(Contender("MuJoCo", lambda: mujoco.mj_step(compiled, data, nstep=STEPS), STEPS))
    return Row("contact", what, "step", interleave(contenders), "bough", "MuJoCo", target, notes)
