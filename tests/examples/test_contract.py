"""How user code reads: the calls that the public face promises, as they are written there.

The lines below are run in order, in an empty folder. Where the promise leaves something open (`…`, a file, a
model to be built again), the test fills it in between. A line that needs a name which bough does not have yet
waits; `WAITING` says which these are, so that a new name cannot be forgotten here.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest

import bough

PENDULUM = """
system = bough.System("double-pendulum", gravity=(0, 0, -9.81))
elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
tip = elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
model = system.build()
"""
RUN = """
run = bough.simulate(model, q={"shoulder": 0.8}, duration=20.0, dt=0.01)
run.t, run.q, run.v, run.p, run.lam
run.energy()
run.save("run.npz"); bough.load_trajectory("run.npz")
run.plot()
bough.view(run)
bough.export_html(run, "run.html")
"""
FILES = """
model = bough.load("closed_chain.sexp").build()
"""
ASSEMBLE = """
state = model.assemble(q={"J": 0.3})
"""
ELEMENTS = """
system.add(bough.PointConstraint(tip, system.world.frame("anchor"), axis=(1, 0, 0)))
system.add(bough.DistanceConstraint(tip, "anchor", length=1.3, name="wire"))
system.add(bough.LinearSpring(elbow, "anchor", stiffness=20.0, rest_length=0.5))
system.add(bough.Damping(0.1))
system.add(bough.BodyWrench(tip, fx="thrust"))
"""
STEP = """
vi = bough.MidpointVI(model, dt=0.01, alpha=0.5)
"""
FORCES = (
    "Damping",
    "LinearDamper",
    "ConfigurationForce",
    "BodyWrench",
    "HybridWrench",
    "SpatialWrench",
    "PointForce",
    "Drag",
)

WAITING: set[str] = set()


def execute(code: str, names: dict[str, Any]) -> None:
    """Run lines of code, except those that wait."""
    for line in code.strip().splitlines():
        if not WAITING & set(re.findall(r"bough\.(\w+)", line)):
            exec(line, names)


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    return {"bough": bough}


def test_what_waits() -> None:
    used = set(re.findall(r"bough\.(\w+)", PENDULUM + RUN + FILES + ASSEMBLE + ELEMENTS + STEP))
    assert {name for name in used if not callable(getattr(bough, name, None))} == WAITING


def test_a_run(names: dict[str, Any]) -> None:
    execute(PENDULUM + RUN, names)
    run = names["run"]
    assert run.t.shape == (2001,)
    assert run.q.shape == run.v.shape == run.p.shape == (2001, 2)
    assert run.lam.shape == (2001, 0)
    np.testing.assert_array_equal(run["forearm"], run.q[:, 1])
    np.testing.assert_allclose(run.energy(), run.energy()[0], atol=1e-3)
    assert bough.load_trajectory("run.npz") == run


def test_assemble(names: dict[str, Any]) -> None:
    shutil.copy(Path(__file__).parents[2] / "examples" / "closed_chain.sexp", ".")
    execute(FILES + ASSEMBLE, names)
    assert isinstance(names["state"], bough.State)
    np.testing.assert_allclose(names["model"].constraint(names["state"].q), 0.0, atol=1e-13)


def test_elements_and_steps(names: dict[str, Any]) -> None:
    execute(PENDULUM + ELEMENTS, names)
    system, model = names["system"], names["system"].build()
    assert model.inputs == ("thrust",)
    assert model.constraints == ("PointConstraint #0", "wire")
    assert [type(element).__name__ for element in system.elements][-1] == "BodyWrench"

    names["model"] = model
    execute(STEP, names)
    vi = names["vi"]
    start = model.assemble(q={"shoulder": 0.8, "forearm": -1.6})
    for state in (vi.start(q=start.q, v=start.v), vi.start(q=start.q, p=np.zeros(2))):
        for _ in range(10):
            state = vi.step(state, u=[2.0], k=None)
        # two conditions on two variables: all it can do is hold
        np.testing.assert_allclose(state.q, start.q, atol=1e-12)
        held = model.L_dq(state.q, np.zeros(2)) + model.generalized_force(state.q, np.zeros(2), [2.0])
        np.testing.assert_allclose(held + model.constraint_dq(state.q).T @ state.lam, 0.0, atol=1e-10)
    from_two = vi.start_from_configurations(start.q, start.q)
    np.testing.assert_allclose(vi.step(from_two, u={"thrust": 2.0}).q, start.q, atol=1e-12)


def test_thrust_moves_the_pendulum(names: dict[str, Any]) -> None:
    execute(PENDULUM, names)
    execute("\n".join(ELEMENTS.strip().splitlines()[-2:]), names)
    model = names["system"].build()
    run = bough.simulate(model, duration=0.1, dt=0.001, u={"thrust": 3.0})
    # from hanging straight down, the thrust pulls the tip along x: a = M^-1 J^T f
    expected = np.linalg.solve(model.mass_matrix([0.0, 0.0]), 3.0 * model.jacobian("tip", [0.0, 0.0])[3])
    np.testing.assert_allclose(run.q[10] / (run.t[10] ** 2 / 2.0), expected, atol=0.01)
    assert model.pose("tip", run.q[-1])[0, 3] > 0.01


@pytest.mark.parametrize("name", FORCES)
def test_every_force_is_there(name: str) -> None:
    assert issubclass(getattr(bough, name), bough.Force)
