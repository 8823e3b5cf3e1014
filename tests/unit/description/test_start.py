"""The start of a system: where it is kept, what it changes, and its messages."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough.io.system_file import parse_system, system_text
from support import console
from support.messages import Case, check_message


def arm(**start: Any) -> bough.System:
    """Two links on a rail that is prescribed."""
    system = bough.System("arm")
    rail = system.world.tx(bough.kinematic("rail"), name="base")
    elbow = rail.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    system.start = bough.Start(**start)
    return system


FULL = {"q": {"shoulder": 0.5, "rail": 2.0}, "v": {"forearm": 1.5}, "duration": 0.5, "dt": 0.02}


def test_a_run_begins_at_the_start() -> None:
    run = bough.simulate(arm(**FULL).build())
    assert run.q[0].tolist() == [0.5, 0.0, 2.0]
    assert run.v[0] == pytest.approx([0.0, 1.5, 0.0], abs=1e-14)
    assert (run.settings["duration"], run.settings["dt"]) == (0.5, 0.02)


def test_numbers_by_name_change_single_values() -> None:
    model = arm(**FULL).build()
    run = bough.simulate(model, {"forearm": 0.3}, {"shoulder": 1.0}, duration=0.1)
    assert run.q[0].tolist() == [0.5, 0.3, 2.0]
    assert run.v[0] == pytest.approx([1.0, 1.5, 0.0], abs=1e-14)


def test_an_array_replaces_the_start() -> None:
    model = arm(**FULL).build()
    run = bough.simulate(model, [0.1, 0.2, 0.3], duration=0.1)
    assert run.q[0].tolist() == [0.1, 0.2, 0.3]
    assert run.v[0].tolist() == [0.0, 0.0, 0.0]


def test_momenta_replace_velocities() -> None:
    run = bough.simulate(arm(**FULL).build(), p=[0.0, 0.0], duration=0.1)
    assert run.q[0].tolist() == [0.5, 0.0, 2.0]
    assert run.v[0].tolist() == [0.0, 0.0, 0.0]


def test_prescribed_motion_comes_before_the_start() -> None:
    run = bough.simulate(arm(**FULL).build(), k={"rail": lambda t: 1.0 + t}, duration=0.1)
    assert run["rail"][0] == 1.0


def test_a_step_by_hand_begins_there_too() -> None:
    model = arm(**FULL).build()
    state = bough.MidpointVI(model, dt=0.01).start()
    assert state.q.tolist() == [0.5, 0.0, 2.0]
    assert state.v.tolist() == [0.0, 1.5, 0.0]
    state = bough.MidpointVI(model, dt=0.01).start(q={"shoulder": 0.1}, p=[0.0, 0.0])
    assert (state.q.tolist(), state.v.tolist()) == ([0.1, 0.0, 2.0], [0.0, 0.0, 0.0])


def test_assembly_and_equilibrium_begin_there() -> None:
    model = arm(q={"shoulder": np.pi}).build()
    assert model.assemble().q.tolist() == [np.pi, 0.0, 0.0]
    assert model.assemble(q={"forearm": 0.1}).q.tolist() == [np.pi, 0.1, 0.0]
    assert model.equilibrium().q[0] == np.pi  # upside down, at rest
    assert abs(arm(q={"shoulder": 0.5}).build().equilibrium().q[0]) < 1e-9


def test_descriptions_files_models_and_pickles_keep_it(tmp_path: Path) -> None:
    system = arm(**FULL)
    again = bough.System.from_dict(json.loads(json.dumps(system.to_dict())))
    bough.save(system, tmp_path / "arm.sexp")
    loaded = bough.load(tmp_path / "arm.sexp")
    model = system.build()
    for other in (again, loaded, model.system, pickle.loads(pickle.dumps(model)).system):
        assert other.start == system.start
        assert other.to_dict() == system.to_dict()
    assert model != arm().build()
    assert "start" not in arm().to_dict()
    assert "start" not in system_text(arm())


def test_a_file_may_use_parameters_in_it() -> None:
    text = '(let ((a 0.25)) (system (ry "x" (tz 1 (mass 1))) (start (q ("x" (* 2 a))) (dt a))))'
    assert parse_system(text).start == bough.Start(q={"x": 0.5}, dt=0.25)
    assert parse_system(text, a=0.5).start == bough.Start(q={"x": 1.0}, dt=0.5)


def test_a_file_with_a_long_start_has_lines() -> None:
    system = bough.System("chain")
    frame = system.world
    for n in range(20):
        frame = frame.ry(f"angle{n}").tz(-1.0, mass=1.0)
    system.start = bough.Start(q={f"angle{n}": 0.1 * n for n in range(20)}, duration=3.0)
    assert "\n  (start\n    (q (" in system_text(system)
    assert parse_system(system_text(system)).start == system.start


def test_the_command_line_begins_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bough.save(arm(**FULL), "arm.sexp")

    def printed(command: str) -> Any:
        code, stdout, stderr = console.run(command)
        assert (code, stderr) == (0, "")
        return json.loads(stdout)

    data = printed("bough simulate arm.sexp --q forearm=0.3 --json")
    assert data["start"]["q"] == {"shoulder": 0.5, "forearm": 0.3, "rail": 2.0}
    assert data["start"]["v"] == {"shoulder": 0.0, "forearm": 1.5, "rail": 0.0}
    assert (data["dt"], data["duration"]) == (0.02, 0.5)
    assert printed("bough assemble arm.sexp --q forearm=0.3 --json")["q"] == data["start"]["q"]
    info = printed("bough info arm.sexp --json")
    assert info["q"] == {"shoulder": 0.5, "forearm": 0.0, "rail": 2.0}
    assert info["suggestions"] == []


def _assign(value: Any) -> Callable[[], object]:
    return lambda: setattr(bough.System("arm"), "start", value)


MESSAGES: dict[str, Case] = {
    "not a start": (
        _assign({"q": {}}),
        "start={'q': {}} of system 'arm'",
        "this is not a start",
        "give bough.Start(q={...}, v={...}, duration=..., dt=...), or some of these",
    ),
    "an array": (
        lambda: bough.Start(q=[0.1]),
        "q=[0.1] in Start",
        "q is not a mapping from names to numbers",
        "give the variables by name, such as q={'angle': 0.5}",
    ),
    "not a number": (
        lambda: bough.Start(v={"a": "fast"}),
        "v['a']='fast' in Start",
        "v['a'] is not a number",
        "give v['a'] as a real number",
    ),
    "not finite": (
        lambda: bough.Start(q={"a": float("nan")}),
        "q['a']=nan in Start",
        "q['a'] is not finite",
        "give q['a'] as a finite number",
    ),
    "no time": (
        lambda: bough.Start(duration=0.0),
        "duration=0.0 in Start",
        "duration is not above zero",
        "give duration above zero, in s",
    ),
    "unknown variable": (
        lambda: arm(q={"sholder": 0.1}).build(),
        "variable 'sholder' in q of the start of system 'arm'",
        "no variable has this name; the nearest is 'shoulder'",
        "correct the spelling",
    ),
    "velocity of a prescribed variable": (
        lambda: arm(v={"rail": 0.1}).build(),
        "v of the start of system 'arm'",
        "a velocity for 'rail', a kinematic variable: its motion is prescribed",
        "leave it out; give its motion to simulate(k=...)",
    ),
    "no duration": (
        lambda: bough.simulate(arm().build()),
        "a simulation of model 'arm'",
        "no duration, and the system has no start that says one",
        "give duration=, in seconds",
    ),
    "description that is no dictionary": (
        lambda: bough.System.from_dict({**arm().to_dict(), "start": 3}),
        "start of a description",
        "3 where a dictionary is needed",
        "give a dictionary with 'q', 'v', 'duration', 'dt', or some of them",
    ),
    "description with another field": (
        lambda: bough.System.from_dict({**arm().to_dict(), "start": {"w": 3}}),
        "field 'w' in the start of a description",
        "no field has this name; the names are 'q', 'v', 'duration', 'dt'",
        "use one of these names",
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_message(case: str) -> None:
    check_message(*MESSAGES[case])


FRAME = '(ry "a" (tz 1 (mass 1)))'
FILES: dict[str, tuple[str, str, str, str]] = {
    "unknown variable": (
        f'(system {FRAME} (start (q ("b" 1))))',
        "text:1:45: variable 'b' in start",
        "no variable has this name; the names are 'a'",
        "use one of these names",
    ),
    "inside a frame": (
        '(system (ry "a" (tz 1 (mass 1)) (start (dt 1))))',
        "text:1:34: start",
        "it stands inside a frame",
        "write (start ...) directly in the system",
    ),
    "twice": (
        f"(system {FRAME} (start (dt 1)) (start (dt 1)))",
        "text:1:50: start",
        "it is given twice, first in line 1",
        "give it once",
    ),
    "without a name": (
        f"(system {FRAME} (start 2))",
        "text:1:41: start",
        "the number 2 after 0 values without a name, and there are no more",
        "give its name, one of 'q', 'v', 'duration', 'dt'",
    ),
    "bad step": (
        f"(system {FRAME} (start (dt -2)))",
        "text:1:41: dt=-2.0 in Start",
        "dt is not above zero",
        "give dt above zero, in s",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_message_of_a_file(case: str) -> None:
    text, asked, found, do = FILES[case]
    with pytest.raises(bough.ParseError) as caught:
        parse_system(text)
    lines = str(caught.value).splitlines()
    assert lines[0] == asked
    assert lines[-2:] == [f"  found: {found}", f"  do: {do}"]
