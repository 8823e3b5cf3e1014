"""The viewer without a browser: what its panels do, ports, and how it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from bough.view._live import FOLLOW, followed
from bough.view._page import free_port
from bough.view._sliders import variable_groups
from support import mechanisms
from support.waiting import eventually

PORT = 8470


@pytest.fixture
def view() -> Iterator[Callable[..., bough.Viewer]]:
    """`bough.view` for one test."""
    opened: list[bough.Viewer] = []

    def show(*arguments: Any, **options: Any) -> bough.Viewer:
        opened.append(bough.view(*arguments, **{"port": PORT, **options}))
        return opened[-1]

    yield show
    for viewer in opened:
        viewer.stop()


def do(viewer: bough.Viewer, function: Callable[[Any], Any]) -> Any:
    """Something with the panel, in the thread of the page."""
    return viewer._page.do(lambda: function(viewer.panel))


def crane() -> bough.System:
    system = bough.System("crane")
    trolley = system.world.tx(bough.kinematic("trolley"), name="trolley", mass=1.0)
    trolley.ry("swing").tz(-1.0, name="load", mass=1.0)
    system.add(bough.BodyWrench("load", fx="push"))
    return system


# --- a model ---


def test_dragging_holds_the_constraints(view: Callable[..., bough.Viewer]) -> None:
    model = mechanisms.closed_chain()
    viewer = view(model, q={"J": 0.3})
    before = viewer.panel.q
    np.testing.assert_allclose(model.constraint(before), 0.0, atol=1e-12)
    for value in np.linspace(before[0], before[0] + 0.5, 11):
        do(viewer, lambda panel, value=value: panel.drag("J", value))
        q = viewer.panel.q
        assert q[0] == value
        assert np.abs(model.constraint(q)).max() < 1e-8
    assert np.abs(q[1:] - before[1:]).max() > 0.1
    do(viewer, lambda panel: panel.reset())
    np.testing.assert_array_equal(viewer.panel.q, before)


def test_out_of_reach_is_the_nearest_place(view: Callable[..., bough.Viewer]) -> None:
    system = bough.System("short wire")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    system.world.tx(1.0).tz(-1.0, name="nail")
    system.add(bough.DistanceConstraint("bob", "nail", length=0.5))
    model = system.build()
    viewer = view(model, q={"angle": -0.5})
    reached = viewer.panel.q[0]
    do(viewer, lambda panel: panel.drag("angle", 2.0))
    assert np.abs(model.constraint(viewer.panel.q)).max() < 1e-8
    assert abs(viewer.panel.q[0] - reached) < 1.0
    text = viewer.panel._message.content
    assert ">&#x27;angle&#x27; does not reach this far: the nearest place is shown<" in text


def test_constraints_that_cannot_be_met_are_told(view: Callable[..., bough.Viewer]) -> None:
    system = bough.System("torn")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    system.world.tx(9.0, name="nail")
    system.add(bough.DistanceConstraint("bob", "nail", length=0.5))
    viewer = view(system)
    assert "constraint" in viewer.panel._message.content
    assert viewer.panel._message.visible


# --- a run ---


def test_playback_shows_the_row_of_the_time(view: Callable[..., bough.Viewer]) -> None:
    run = bough.simulate(mechanisms.pendulum(2), q={"q0": 1.0}, duration=2.0, dt=0.01)
    viewer = view(run)
    do(viewer, lambda panel: panel.seek(0.505))
    assert viewer.panel.row() == 50
    for frame in ("m0", "m1"):
        np.testing.assert_allclose(viewer._stage.shown(frame), run.model.pose(frame, run.q[50]), atol=1e-12)
    assert "0.500 s" in viewer.panel._readout.content


def test_playing_ends_or_loops(view: Callable[..., bough.Viewer]) -> None:
    run = bough.simulate(mechanisms.pendulum(1), q={"q0": 1.0}, duration=0.3, dt=0.01)
    viewer = view(run)
    do(viewer, lambda panel: setattr(panel._loop, "value", False))
    do(viewer, lambda panel: panel.toggle())
    assert viewer.panel.playing
    assert eventually(lambda: not viewer.panel.playing)
    assert viewer.panel.now == run.t[-1]
    do(viewer, lambda panel: setattr(panel._loop, "value", True))
    do(viewer, lambda panel: panel.toggle())
    time.sleep(0.6)
    assert viewer.panel.playing
    assert viewer.panel.now <= run.t[-1]


def test_a_run_that_failed_says_so(view: Callable[..., bough.Viewer]) -> None:
    run = bough.simulate(mechanisms.pendulum(1), q={"q0": 1.0}, duration=0.3, dt=0.01)
    failed = bough.Trajectory(run.model, run.t, run.q, status="failed")
    assert ">this run failed at t = 0.3 s<" in view(failed).panel._message.content
    assert not view(run[:1]).panel._message.visible


# --- live ---


def test_live_steps_are_those_of_the_integrator(view: Callable[..., bough.Viewer]) -> None:
    system = crane()
    viewer = view(system, live=True, q={"swing": 0.5}, dt=0.02)
    assert eventually(lambda: viewer.panel.state.t > 0.3)
    do(viewer, lambda panel: panel.toggle())
    state = viewer.panel.state
    run = bough.simulate(system.build(), q={"swing": 0.5}, duration=1.0, dt=0.02)
    row = round(state.t / 0.02)
    np.testing.assert_allclose(state.q, run.q[row], atol=1e-12)


def test_live_inputs_and_kinematic_variables(view: Callable[..., bough.Viewer]) -> None:
    viewer = view(crane(), live=True)
    do(viewer, lambda panel: panel.move("trolley", 0.8))
    do(viewer, lambda panel: panel.move("push", 3.0))
    assert eventually(lambda: abs(viewer.panel.state.q[1] - 0.8) < 1e-3)
    assert viewer.panel.u.tolist() == [3.0]
    assert np.abs(viewer.panel.state.q[0]) > 1e-3
    do(viewer, lambda panel: (panel.reset(), panel.toggle()))
    assert viewer.panel.state.t == 0.0
    assert viewer.panel.u.tolist() == [0.0]
    assert not viewer.panel.running


def test_a_step_that_fails_stops_with_a_message(view: Callable[..., bough.Viewer]) -> None:
    system = bough.System("string")
    system.world.tx(bough.kinematic("hand"), name="hand")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    system.add(bough.DistanceConstraint("bob", "hand", length=1.2, name="string"))
    viewer = view(system, live=True, q={"angle": 0.1, "hand": 0.5})
    do(viewer, lambda panel: panel.move("hand", 50.0))
    assert eventually(lambda: not viewer.panel.running)
    text = viewer.panel._message.content
    assert ">stopped at t = " in text
    assert ". Reset begins again<" in text
    do(viewer, lambda panel: panel.reset())
    assert viewer.panel.running
    assert not viewer.panel._message.visible
    assert eventually(lambda: viewer.panel.state.t > 0.05)


def test_a_followed_slider_is_a_critically_damped_spring() -> None:
    """The exact solution: one step of dt is the same as many small ones, and it obeys its equation."""
    k, v, target = np.array([0.3]), np.array([-2.0]), np.array([1.0])
    whole = followed(k, v, target, 0.05)
    for _ in range(100):
        k, v = followed(k, v, target, 0.0005)
    np.testing.assert_allclose((k, v), whole, rtol=1e-12)
    h = 1e-4
    (_, before), (_, after) = (followed(k, v, target, step) for step in (-h, h))
    np.testing.assert_allclose(
        (after - before) / (2 * h), (target - k) / FOLLOW**2 - 2 * v / FOLLOW, rtol=1e-5
    )


# --- the page ---


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has more than one local address")
def test_served_to_this_machine_alone(view: Callable[..., bough.Viewer]) -> None:
    viewer = view(mechanisms.pendulum(1))
    assert viewer.url == f"http://localhost:{viewer.port}"
    with urllib.request.urlopen(f"http://127.0.0.1:{viewer.port}") as page:
        assert page.status == 200
    listening = socket.create_server(("127.0.0.2", viewer.port))  # free, since only 127.0.0.1 is taken
    listening.close()


def test_a_port_in_use_is_the_next_one(
    view: Callable[..., bough.Viewer], capsys: pytest.CaptureFixture[str]
) -> None:
    first = free_port("127.0.0.1", 8600)
    with socket.create_server(("127.0.0.1", first)):
        viewer = view(mechanisms.pendulum(1), port=first)
    assert viewer.port > first
    assert f"port {first} is in use: {viewer.port} instead\n" in capsys.readouterr().out


def test_stopping(view: Callable[..., bough.Viewer]) -> None:
    viewer = view(mechanisms.pendulum(1))
    assert viewer.running
    assert viewer._repr_html_().startswith(f'<iframe src="{viewer.url}"')
    with viewer:
        pass
    assert not viewer.running
    assert viewer.wait()
    viewer.stop()  # once more does nothing
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"http://127.0.0.1:{viewer.port}")
    assert repr(viewer) == f"<Viewer of 'pendulum of 1' at {viewer.url}, stopped>"
    with pytest.raises(bough.BoughError) as error:
        do(viewer, lambda panel: panel.reset())
    assert error.value.found == "the page is closed"


def test_ctrl_c_ends_the_command(tmp_path: Path) -> None:
    file = tmp_path / "pendulum.sexp"
    file.write_text('(system (ry "angle" (tz -1 (name "bob") (mass 1))))')
    command = [sys.executable, "-m", "bough", "view", str(file), "--no-browser", "--port", "8650"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("pendulum: http://localhost:")
        assert line.endswith(" (Ctrl-C ends)\n")
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out.strip(), err) == (0, "", "")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"live": True},
            "live=True in view of 'pendulum of 1'\n"
            "  found: a trajectory, which is shown as it was recorded\n"
            "  do: give its model: bough.view(run.model, live=True, q=run.q[0])",
        ),
        (
            {"port": 70000},
            "port=70000 in view of 'pendulum of 1'\n"
            "  found: not the number of a port\n"
            "  do: give a whole number from 1024 to 65535, or 0 for any free one",
        ),
        (
            {"host": "203.0.113.7"},
            "host '203.0.113.7'\n"
            "  found: this machine cannot listen at this address: cannot assign requested address\n"
            "  do: leave host out for this machine alone, or give 0.0.0.0 for all that can reach it",
        ),
    ],
)
def test_what_is_refused(view: Callable[..., bough.Viewer], options: dict[str, Any], text: str) -> None:
    model = mechanisms.pendulum(1)
    run = bough.Trajectory(model, [0.0], np.zeros((1, 1)))
    with pytest.raises(bough.BoughError) as error:
        view(run, **options)
    assert str(error.value) == text


def test_what_cannot_be_shown() -> None:
    with pytest.raises(bough.ModelError) as error:
        bough.view("pendulum.sexp")  # type: ignore[arg-type]
    assert error.value.found == "an object of type str"
    with pytest.raises(bough.ModelError) as speed:
        bough.view(mechanisms.pendulum(1), v={"q0": 1.0})
    assert speed.value.do == "give live=True with them"


def test_ranges_of_sliders() -> None:
    system = bough.System("ranges")
    system.world.tx("x").ry("angle").tz(-1.0, name="bob", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.world.tx(bough.kinematic("hand"), name="hand")
    system.add(bough.DistanceConstraint("bob", "hand", length=bough.kinematic("string")))
    model = system.build()
    q = model.configuration({"x": 5.0, "angle": 0.5, "string": 1.5})
    groups = variable_groups(model, q, 2.0, model.variables)
    assert groups == {
        "Distances [m]": {"x": (-2.0, 5.0, 5.0)},
        "Angles [rad]": {"angle": (-np.pi, np.pi, 0.5)},
        "Kinematic: distances [m]": {"hand": (-2.0, 2.0, 0.0), "string": (0.0, 3.0, 1.5)},
    }


def test_turning_a_ball(view: Callable[..., bough.Viewer]) -> None:
    """A handle gives the orientation of the frame in the world; the ball behind a turned parent follows."""
    system = bough.System("arm")
    post = system.world.rz("yaw", name="post", mass=1.0, inertia=(0.1, 0.1, 0.1))
    upper = post.ball("shoulder").tz(-0.5, name="upper", mass=1.0, inertia=(0.1, 0.1, 0.02))
    upper.ball("elbow").tz(-0.4, name="lower", mass=1.0, inertia=(0.1, 0.1, 0.02))
    model = system.build()
    viewer = view(model)
    do(viewer, lambda panel: panel.drag("yaw", 0.7))
    to = Rotation.from_rotvec((0.3, -0.8, 0.5))
    x, y, z, w = to.as_quat()
    q = do(viewer, lambda panel: (panel.turn("elbow", np.array([w, x, y, z])), panel.q)[1])
    np.testing.assert_allclose(model.pose("lower", q)[:3, :3], to.as_matrix(), atol=1e-12)
    np.testing.assert_array_equal(q[: 1 + 4], [0.7, 1.0, 0.0, 0.0, 0.0])  # nothing else turns
    handle = do(viewer, lambda panel: panel._turns._handles["elbow"])
    np.testing.assert_allclose(handle.position, model.pose("upper", q)[:3, 3], atol=1e-7)
    before = do(viewer, lambda panel: panel.q)
    for wrong in ((0.0, 0.0, 0.0, 0.0), (np.nan, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0)):
        do(viewer, lambda panel, wrong=wrong: panel.turn("elbow", np.array(wrong)))
    np.testing.assert_array_equal(do(viewer, lambda panel: panel.q), before)


def test_turning_a_ball_holds_the_constraints(view: Callable[..., bough.Viewer]) -> None:
    system = bough.System("closed")
    upper = system.world.ball("a").tz(-0.5, name="upper", mass=1.0, inertia=(0.1, 0.1, 0.02))
    upper.ball("b").tz(-0.5, name="lower", mass=1.0, inertia=(0.1, 0.1, 0.02))
    system.world.tx(0.6).frame("anchor")
    system.add(bough.PointConstraint("lower", "anchor"))
    model = system.build()
    viewer = view(model)
    w, x, y, z = np.cos(0.35), 0.0, -np.sin(0.35), 0.0
    q = do(viewer, lambda panel: (panel.turn("a", np.array([w, x, y, z])), panel.q)[1])
    assert np.abs(model.constraint(q)).max() < 1e-9


def test_live_with_balls(view: Callable[..., bough.Viewer]) -> None:
    viewer = view(bough.gallery.t_handle().build(), live=True)
    eventually(lambda: viewer.panel.state.t > 0.05)
