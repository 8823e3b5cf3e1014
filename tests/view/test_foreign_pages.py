"""A foreign page cannot talk to a viewer, and nothing but a value of a control gets in."""

from __future__ import annotations

import contextlib
import logging
import math
import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import msgspec
import numpy as np
import pytest
import viser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

import bough
from bough.view import _page
from bough.view._gate import Gate
from support.waiting import eventually

PORT = 8700


def crane() -> bough.System:
    system = bough.System("crane")
    trolley = system.world.tx(bough.kinematic("trolley"), name="trolley", mass=1.0)
    trolley.ry("swing").tz(-1.0, name="load", mass=1.0)
    system.add(bough.BodyWrench("load", fx="push"))
    return system


@pytest.fixture(scope="module")
def viewer() -> Iterator[bough.Viewer]:
    with bough.view(crane(), live=True, port=PORT, allowed_hosts=["lab.example"]) as opened:
        yield opened


def opened(viewer: bough.Viewer, host: str, origin: str | None) -> ClientConnection:
    """A websocket as a browser opens it from a page at an origin, for a name that leads to this machine."""
    return connect(
        f"ws://{host}:{viewer.port}",
        sock=socket.create_connection(("127.0.0.1", viewer.port)),
        origin=origin,  # type: ignore[arg-type]
        subprotocols=[f"viser-v{viser.__version__}"],  # type: ignore[list-item]
        max_size=None,
    )


def status(viewer: bough.Viewer, host: str) -> int:
    """What a plain request for the page under this name is answered."""
    with contextlib.closing(HTTPConnection("127.0.0.1", viewer.port, timeout=10)) as connection:
        connection.request("GET", "/", headers={"Host": host})
        return connection.getresponse().status


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost", "http://localhost:{port}"),
        ("127.0.0.1", "http://127.0.0.1:{port}"),
        ("LocalHost", "http://localhost:{port}"),
        ("lab.example", "http://lab.example:{port}"),
        ("localhost", "https://lab.example"),  # a proxy that asks under its own name for this machine
    ],
)
def test_its_own_page_is_served(viewer: bough.Viewer, host: str, origin: str) -> None:
    with opened(viewer, host, origin.format(port=viewer.port)) as page:
        assert len(page.recv()) > 100  # the scene
    assert status(viewer, f"{host}:{viewer.port}") == 200


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost", "https://evil.example"),
        ("localhost", "http://localhost:1234"),  # another program of this machine
        ("localhost", "http://localhost.evil.example:{port}"),
        ("localhost", "http://localhost:{port}@evil.example"),
        ("localhost", "null"),  # a sandboxed frame
        ("localhost", None),
        ("evil.example", "http://evil.example:{port}"),  # DNS rebinding
        ("localhost.evil.example", "http://localhost.evil.example:{port}"),
        ("192.0.2.1", "http://192.0.2.1:{port}"),  # a number, but not one that is listened at
    ],
)
def test_others_are_refused(viewer: bough.Viewer, host: str, origin: str | None) -> None:
    with pytest.raises(InvalidStatus) as refused:
        opened(viewer, host, origin and origin.format(port=viewer.port))
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "localhost@evil.example", "[::1", ""]
)
def test_the_page_has_no_other_name(viewer: bough.Viewer, host: str) -> None:
    assert status(viewer, host.format(port=viewer.port)) == 403


def test_numbers_are_names_where_all_networks_are_served() -> None:
    headers = Headers({"Host": "192.0.2.7:8080", "Origin": "http://192.0.2.7:8080", "Upgrade": "websocket"})
    assert Gate("0.0.0.0").refusal(headers) is None
    assert Gate("127.0.0.1").refusal(headers) is not None
    named = Headers({"Host": "desk.example:8080"})
    assert Gate("0.0.0.0").refusal(named) == (
        "'desk.example:8080' is not a name of this viewer; if it should be, "
        "list it: bough.view(..., allowed_hosts=[...])"
    )
    assert Gate("desk.example").refusal(named) is None
    assert Gate("0.0.0.0", ["desk.example"]).refusal(named) is None


class Headers(dict[str, str]):
    """One value each."""

    def get_all(self, name: str) -> list[str]:
        return [self[name]] if name in self else []


@pytest.mark.parametrize("name", ["http://lab.example", "lab.example:80", "", 3])
def test_what_is_not_a_name(name: Any) -> None:
    with pytest.raises(bough.BoughError) as error:
        bough.view(crane(), allowed_hosts=[name])
    assert error.value.found == "not the name of a host"
    assert error.value.do == "give names without scheme and port, such as 'lab.example.org'"


def test_a_server_that_cannot_be_protected_is_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by a version of viser that starts its server in another way."""
    monkeypatch.setattr(_page, "guarding", lambda gate: contextlib.nullcontext([]))
    with pytest.raises(bough.BoughError) as error:
        bough.view(crane(), port=PORT + 20)
    assert "cannot be protected" in error.value.found
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", PORT + 20), timeout=5)


# --- values ---

BAD = [math.nan, math.inf, -math.inf, 1e9, "1", None, True, [0.1], {"value": 0.1}]


def send(page: ClientConnection, control: Any, updates: Any) -> None:
    """What a page sends when a control is moved."""
    message = {"type": "GuiUpdateMessage", "uuid": control._impl.uuid, "updates": updates}
    page.send(msgspec.msgpack.encode(message))


def test_a_value_that_is_none_is_ignored(viewer: bough.Viewer, caplog: pytest.LogCaptureFixture) -> None:
    panel = viewer.panel
    push, trolley = (panel._sliders._handles[name] for name in ("push", "trolley"))  # type: ignore[union-attr]
    with (
        opened(viewer, "localhost", f"http://localhost:{viewer.port}") as page,
        caplog.at_level(logging.WARNING, "bough.view"),
    ):
        hello(page)
        for value in BAD:
            send(page, push, {"value": value})
            send(page, trolley, {"value": value})
        send(page, push, {"value": 1.0, "min": math.nan})
        send(page, push, {"update_cb": []})
        send(page, push, [])
        send(page, panel._button, {"value": math.nan})
        page.send(msgspec.msgpack.encode({"type": "ShareUrlRequest"}))
        send(page, push, {"value": 2.5})  # and one that counts
        assert eventually(lambda: panel.u.tolist() == [2.5])  # type: ignore[union-attr]
    assert len(caplog.records) == 2 * len(BAD) + 4
    assert panel.running  # type: ignore[union-attr]
    assert np.isfinite(panel.state.q).all()  # type: ignore[union-attr]
    assert (trolley.value, push.min) == (0.0, -push.max)
    reached = panel.state.t  # type: ignore[union-attr]
    assert eventually(lambda: panel.state.t > reached + 0.05)  # type: ignore[union-attr]
    assert viewer._page.server._share_tunnel is None


CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": (1.0, 0.0, 0.0, 0.0),
    "position": (1.0, 1.0, 1.0),
    "fov": 1.0,
    "near": 0.1,
    "far": 10.0,
    "image_height": 300,
    "image_width": 400,
    "look_at": (0.0, 0.0, 0.0),
    "up_direction": (0.0, 0.0, 1.0),
}


def hello(page: ClientConnection) -> None:
    """The camera, with which a page begins."""
    page.send(msgspec.msgpack.encode(CAMERA))


BAD_CAMERAS = [
    {"position": (math.nan, 0.0, 0.0)},
    {"look_at": (math.inf, 0.0, 0.0)},
    {"look_at": (1.0, 1.0, 1.0)},  # where it is
    {"up_direction": (0.0, 0.0, 0.0)},
    {"wxyz": (math.nan, 0.0, 0.0, 0.0)},
    {"wxyz": (0.0, 0.0, 0.0, 0.0)},
    {"position": (1e200, 0.0, 0.0)},
    {"fov": math.nan},
    {"image_width": -5},
]


def test_a_camera_that_looks_nowhere_is_ignored(
    viewer: bough.Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    """As the first one of a page, and as one that follows; the simulation runs on."""
    panel = viewer.panel
    address = f"http://localhost:{viewer.port}"
    with caplog.at_level(logging.WARNING, "bough.view"):
        for begins in (False, True):
            with opened(viewer, "localhost", address) as page:
                if begins:
                    hello(page)
                for wrong in BAD_CAMERAS:
                    page.send(msgspec.msgpack.encode({**CAMERA, **wrong}))
                page.send(
                    msgspec.msgpack.encode({"type": "GuiUpdateMessage", "uuid": [], "updates": {}})
                )  # a control that cannot be
                assert eventually(
                    lambda: len(caplog.records) == (1 + begins) * len(BAD_CAMERAS)  # noqa: B023
                )
    with opened(viewer, "localhost", address) as page:
        hello(page)
        reached = panel.state.t  # type: ignore[union-attr]
        assert eventually(lambda: panel.state.t > reached + 0.05)  # type: ignore[union-attr]
    assert panel.running  # type: ignore[union-attr]
