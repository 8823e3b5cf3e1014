"""Who may talk to a page in the browser, and what may arrive from it.

Any web page can open a websocket to this machine; the browser only says where it comes from, in `Origin`.
A name under somebody else's control may also be pointed at this machine (DNS rebinding); the browser then
says so in `Host`. A request is served if its `Host` is a name of this viewer, and a websocket if besides its
`Origin` is the viewer's own page. A value is taken if the control it belongs to can show it, a camera if it
looks somewhere.
"""

from __future__ import annotations

import contextlib
import importlib
import ipaddress
import logging
import math
import re
import types
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bough import validate
from bough.errors import BoughError

if TYPE_CHECKING:
    import viser

LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::", "")  # addresses that listen on all networks

NAME = re.compile(r"[A-Za-z0-9.-]+")

FARTHEST = 1e100  # largest accepted distance in m, whose square is finite

log = logging.getLogger("bough.view")


class Gate:
    """The host names and origins that are served.

    Parameters
    ----------
    host : the address that is listened at
        Its own name and those of the loopback device are served. An address for all networks is reached by
        numbers, which no DNS server can fake, so that any IP address is served too.
    allowed : further host names
        Also as origins of a page that a proxy serves.
    """

    def __init__(self, host: str, allowed: Sequence[str] = ()) -> None:
        self._listed = {name.lower() for name in allowed}
        self._names = {*LOOPBACK, host.lower(), *self._listed} - set(EVERYWHERE)
        self._numbers = host not in LOOPBACK

    def refusal(self, headers: Any) -> str | None:
        """The reason why a request with these headers is not served; None for one that is."""
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if len(hosts) != 1 or len(origins) > 1:
            return "a request has one Host and at most one Origin"
        host = hosts[0].lower()
        name = host_name(f"//{host}")
        if name is None or not self._serves(name):
            return (
                f"{hosts[0]!r} is not a name of this viewer; if it should be, "
                "list it: bough.view(..., allowed_hosts=[...])"
            )
        if not headers.get_all("Upgrade"):
            return None
        if not origins:
            return "a websocket has an Origin"
        origin = origins[0].lower()
        own = origin in (f"http://{host}", f"https://{host}")
        return None if own or host_name(origin) in self._listed else f"{origins[0]!r} is another page"

    def _serves(self, name: str) -> bool:
        return name in self._names or (self._numbers and _is_number(name))


def host_name(address: str) -> str | None:
    """The host of an address, without its port; None for one that has none."""
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def checked_hosts(allowed: Any, where: str) -> tuple[str, ...]:
    """Host names without scheme and port."""
    if isinstance(allowed, str) or not isinstance(allowed, Sequence):
        allowed = (allowed,)
    for name in allowed:
        if not isinstance(name, str) or not (NAME.fullmatch(name) or _is_number(name)):
            raise BoughError(
                asked=f"allowed_hosts with {validate.shown(name)} in {where}",
                found="not the name of a host",
                do="give names without scheme and port, such as 'lab.example.org'",
            )
    return tuple(allowed)


@contextlib.contextmanager
def guarding(gate: Gate) -> Iterator[list[Any]]:
    """While a viser server is made: let the gate see each request first, for which viser has no option.

    viser starts its websocket server by `websockets.asyncio.server.serve`; in its module this name leads here
    for that time. Yields a list that stays empty if a version of viser starts it in another way.
    """
    infra: Any = importlib.import_module("viser.infra._infra")
    real, served = infra.websockets, list[Any]()

    def serve(*arguments: Any, process_request: Callable[..., Any], **options: Any) -> Any:
        def process(connection: Any, request: Any) -> Any:
            why = gate.refusal(request.headers)
            if why is not None:
                return connection.respond(403, f"refused: {why}\n")
            return process_request(connection, request)

        served.append(process)
        return real.asyncio.server.serve(*arguments, process_request=process, **options)

    server = types.SimpleNamespace(serve=serve)
    names = {name: getattr(real, name) for name in ("exceptions", "datastructures")}
    infra.websockets = types.SimpleNamespace(asyncio=types.SimpleNamespace(server=server), **names)
    try:
        yield served
    finally:
        infra.websockets = real


def check_values(server: viser.ViserServer) -> None:
    """Accept from a page only values that its controls can show, and cameras with a direction."""
    from viser import _messages

    connection: Any = server.gui._websock_interface
    handlers = connection._incoming_handlers
    (update,) = handlers[_messages.GuiUpdateMessage]

    async def checked(client_id: Any, message: Any) -> None:
        controls = server.gui._gui_input_handle_from_uuid
        control = controls.get(message.uuid) if isinstance(message.uuid, str) else None
        if control is None:
            return
        updates = message.updates
        if (
            not isinstance(updates, dict)
            or set(updates) != {"value"}
            or not can_show(control, updates["value"])
        ):
            log.warning("ignored a value that %r cannot have", type(control).__name__)
            return
        await update(client_id, message)

    drag = handlers.get(_messages.SceneNodeDragMessage, [])

    async def checked_drag(client_id: Any, message: Any) -> None:
        if not pulls_somewhere(message):
            log.warning("ignored a pull to nowhere")
            return
        for handler in drag:
            await handler(client_id, message)

    # messages that a page of bough never sends: uploads, forms, public links to this machine
    handlers.clear()
    connection.register_handler(_messages.GuiUpdateMessage, checked)
    connection.register_handler(_messages.SceneNodeDragMessage, checked_drag)

    def opened(client: Any) -> None:
        handlers = client._incoming_handlers
        (moved,) = handlers[_messages.ViewerCameraMessage]

        async def checked_camera(client_id: Any, message: Any) -> None:
            if looks_somewhere(message):
                await moved(client_id, message)
            else:
                log.warning("ignored a camera that looks nowhere")

        handlers.clear()
        client.register_handler(_messages.ViewerCameraMessage, checked_camera)

    connection.on_client_connect(opened)  # after viser's own, which takes the cameras


def can_show(control: Any, value: Any) -> bool:
    """Whether a control of a page can have this value: a finite number in its range, one of its options."""
    now = control.value
    if hasattr(control, "options"):
        return value in control.options
    if isinstance(now, bool):
        return isinstance(value, bool)
    if isinstance(now, int | float) and hasattr(control, "min"):
        slack = control.step  # pages round to steps, and ends need not be at one
        return _is_finite(value) and control.min - slack <= value <= control.max + slack
    return False


def pulls_somewhere(drag: Any) -> bool:
    """Whether a drag of a page is of a node by name, from a place to a place."""
    places = (drag.start_position, drag.end_position)
    return (
        isinstance(drag.name, str)
        and drag.phase in ("start", "update", "end")
        and all(_is_vector(place, 3) for place in places)
    )


def looks_somewhere(camera: Any) -> bool:
    """Whether the camera of a page has a place, a direction and an up, and its window a size."""
    vector = _is_vector
    position, target, up = camera.position, camera.look_at, camera.up_direction
    return (
        vector(position, 3)
        and vector(target, 3)
        and vector(up, 3)
        and vector(camera.wxyz, 4)
        and all(_is_finite(x) for x in (camera.fov, camera.near, camera.far))
        and all(_is_finite(x) and x >= 0 for x in (camera.image_width, camera.image_height))
        and math.dist(position, target) > 0.0
        and math.hypot(*up) > 0.0
        and math.hypot(*camera.wxyz) > 0.0
    )


def _is_vector(value: Any, size: int) -> bool:
    return (
        isinstance(value, tuple | list)
        and len(value) == size
        and all(_is_finite(x) and abs(x) < FARTHEST for x in value)
    )


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
