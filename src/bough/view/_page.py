"""A page in the browser: a viser server on this machine, and one worker thread.

Callbacks of viser come from many threads at once. They only `post` a task; everything that moves the scene or
changes the panel happens in the worker thread. Of several tasks with the same key only the last one counts,
so that dragging a slider never queues up work.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import json
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from bough.errors import BoughError
from bough.view._gate import Gate, check_values, guarding

if TYPE_CHECKING:
    import viser

LOCALHOST = "127.0.0.1"
NOT_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
WIDTH = 310  # width of the panel, in pixels
PORTS = 100  # number of ports that are tried

S = TypeVar("S", bound="Served")
_one_at_a_time = threading.Lock()  # held while a server is made
# viser's note that there is no graphics card lies above the scene, and stays until it is clicked away
CLOSE_NOTE = """
let tries = 50;
const timer = setInterval(() => {
  for (const note of document.querySelectorAll("[class*=mantine-Notification-root]"))
    if (note.textContent.startsWith("Software WebGL")) { note.querySelector("button")?.click(); tries = 0; }
  if (tries-- <= 0) clearInterval(timer);
}, 200);
"""


class Page:
    """A server and its thread.

    Parameters
    ----------
    host : the address to listen at
    port : the first port to try
    label : shown above the panel
    allowed_hosts : names besides those of this machine under which the page is served

    Attributes
    ----------
    server : viser.ViserServer
    tick : callable or None
        Called by the thread after the tasks; returns the seconds until it is called again, or None to sleep.
    failed : callable
        Called with an error that a task or a tick raised.
    """

    def __init__(self, host: str, port: int, label: str, allowed_hosts: Sequence[str] = ()) -> None:
        self.port = free_port(host, port)
        self.host = host
        self.server = quiet_server(host, self.port, label, allowed_hosts)
        self.server.gui.main_panel.dock_right()
        self.server.gui.main_panel.set_width(WIDTH)
        self.tick: Callable[[], float | None] | None = None
        self.failed: Callable[[Exception], None] = lambda error: None
        self._notes: dict[Any, Callable[[], None]] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="bough.view", daemon=True)
        atexit.register(self.stop)

    @property
    def url(self) -> str:
        """The address for a browser."""
        host = "localhost" if self.host in (LOCALHOST, "0.0.0.0", "::") else self.host
        return f"http://{host}:{self.port}"

    @property
    def open(self) -> bool:
        """Whether the page is still served."""
        return not self._ended.is_set()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def post(self, key: Any, note: Callable[[], None]) -> None:
        """Queue a task for the thread; it replaces one posted earlier under this key."""
        with self._lock:
            self._notes[key] = note
        self._wake.set()

    def do(self, function: Callable[[], Any]) -> Any:
        """Let the thread run a function, and wait for what it returns or raises."""
        done = threading.Event()
        result: list[Any] = [None, None]

        def note() -> None:
            try:
                result[0] = function()
            except Exception as error:
                result[1] = error
            finally:
                done.set()

        self.post(done, note)
        while not done.wait(0.1):
            if not self._thread.is_alive():
                raise BoughError(
                    asked="something of a page in the browser",
                    found="the page is closed",
                    do="open it again with bough.view",
                )
        if result[1] is not None:
            raise result[1]
        return result[0]

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the page is closed; returns whether it is."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self._ended.wait(0.2):  # in pieces, so that Ctrl-C comes through everywhere
            if end is not None and time.monotonic() >= end:
                return False
        return True

    def stop(self) -> None:
        """End the thread and the server."""
        if self._ended.is_set():
            return
        self._ended.set()
        self._wake.set()
        atexit.unregister(self.stop)
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout=5.0)
        with quietly():
            self.server.stop()

    def _work(self) -> None:
        pause: float | None = 0.0
        while not self._ended.is_set():
            self._wake.wait(pause)
            self._wake.clear()
            with self._lock:
                notes, self._notes = list(self._notes.values()), {}
            for note in notes:
                self._call_guarded(note)
            pause = None if self.tick is None else self._call_guarded(self.tick)

    def _call_guarded(self, function: Callable[[], Any]) -> Any:
        """What a function returns; an error is shown in the page and on stderr, and the page lives on."""
        try:
            return function()
        except Exception as error:
            if self._ended.is_set():
                return None
            if not isinstance(error, BoughError):
                traceback.print_exc()
            self.failed(error)
            return None


def quiet_server(
    host: str, port: int, label: str | None = None, allowed_hosts: Sequence[str] = ()
) -> viser.ViserServer:
    """A viser server that prints nothing, and serves no page but its own."""
    import viser

    with _one_at_a_time, quietly():
        with guarding(Gate(host, allowed_hosts)) as guarded:
            server = viser.ViserServer(host=host, port=port, label=label, verbose=False)
        if not guarded:
            server.stop()
            raise BoughError(
                asked="a page in the browser",
                found=f"viser {viser.__version__} starts its server in a way that cannot be protected",
                do="install viser 1.1",
            )
    check_values(server)
    if label is not None:
        _prepare_tab(server, label)
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    server.scene.configure_default_lights(cast_shadow=False)
    server.scene.configure_environment_map(None)  # see Stage._add_light
    return server


def _prepare_tab(server: viser.ViserServer, label: str) -> None:
    """Name the tab of the browser and close a note above the scene, if this viser has the message for it."""
    from viser import _messages

    message = getattr(_messages, "RunJavascriptMessage", None)
    if message is not None:
        script = f"document.title = {json.dumps(label)};{CLOSE_NOTE}"
        server.gui._websock_interface.queue_message(message(script))


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Suppress the lines that viser prints through rich."""
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def free_port(host: str, first: int) -> int:
    """The first port from `first` on that nobody listens at."""
    for port in range(first, min(first + PORTS, 65536)):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as attempt:
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                attempt.bind((host, port))
            except PermissionError:
                continue
            except socket.gaierror as error:
                raise _bad_host(host, str(error)) from None
            except OSError as error:
                if error.errno in NOT_HERE:
                    raise _bad_host(host, (error.strerror or str(error)).lower()) from None
                continue
            return int(attempt.getsockname()[1])
    raise BoughError(
        asked=f"port {first} on {host}",
        found=f"this port and the {PORTS - 1} after it are in use or not allowed",
        do="end another viewer, or give another port, such as port=9000",
    )


def _bad_host(host: str, why: str) -> BoughError:
    return BoughError(
        asked=f"host {host!r}",
        found=f"this machine cannot listen at this address: {why}",
        do="leave host out for this machine alone, or give 0.0.0.0 for all that can reach it",
    )


class Served:
    """What a user holds of a page: its address, and how to wait for its end and to close it."""

    _page: Page

    @property
    def url(self) -> str:
        """The address for a browser."""
        return self._page.url

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until somebody stops it, or for some time; returns whether it is stopped."""
        return self._page.wait(seconds)

    def stop(self) -> None:
        """Close the page."""
        self._page.stop()

    def __enter__(self: S) -> S:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
