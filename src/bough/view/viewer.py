"""`bough.view`: a model, a trajectory or a running simulation in the browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable, Sequence
from typing import Any

from bough import validate
from bough.arguments import Array, Vector
from bough.description.start import from_start
from bough.description.system import System
from bough.errors import ModelError
from bough.model.model import Model
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.view._gate import checked_hosts
from bough.view._live import LivePanel
from bough.view._page import LOCALHOST, Page, Served
from bough.view._playback import PlaybackPanel
from bough.view._pose import PosePanel, held_to_constraints
from bough.view._sampling import check_drawable, check_followed, thinned

PORT = 8080
STEP = 0.01  # default step of a live simulation, in s
ASPECT, BESIDE_PLOTS = 1.2, 0.8  # width over height of the scene, without and with plots beside it
FRAMED = 200  # number of instants of a run that the camera is framed on


def view(
    x: System | Model | Trajectory,
    *,
    live: bool = False,
    q: Vector | None = None,
    v: Vector | None = None,
    u: Callable[[float, State], Any] | None = None,
    dt: float | None = None,
    follow: str | None = None,
    host: str = LOCALHOST,
    port: int = PORT,
    allowed_hosts: Sequence[str] = (),
    browser: bool | None = None,
    block: bool | None = None,
) -> Viewer:
    """Show something in the browser.

    A model (or a system, which is built) gets a slider for each configuration variable; while one is dragged,
    the constraints hold. A trajectory plays, with plots beside it. With `live`, a simulation of the model
    runs in real time, with sliders for its inputs and kinematic variables.

    Parameters
    ----------
    x : System, Model or Trajectory
    live : whether to simulate
    q, v : the configuration to begin with, and for `live` its velocities
        By default those of the system's start. If q is off the constraints, it is assembled.
    u : for `live`, a feedback u(t, state), such as `control.lqr` and `control.Tracker` make; sliders add to it
        It is asked at every step.
    dt : the step of a live simulation, by default that of the feedback, of the system's start, or 0.01
    follow : a frame that the camera moves with; the panel has a list of them
    host : the address to listen at, by default that of this machine alone
    port : the port; if it is in use, the next free one
    allowed_hosts : names under which the page is served besides those of this machine
        Such as the name of a proxy. Requests for other names, and from other pages, are refused.
    browser : whether to open a browser; by default in a script that waits, if there is a display
    block : whether to wait for Ctrl-C; by default in a script that runs in a terminal

    Returns
    -------
    Viewer
        `url` is its address; `stop()` ends it. A notebook displays it.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> model = system.build()
    >>> viewer = bough.view(model)  # doctest: +SKIP
    >>> viewer.stop()  # doctest: +SKIP
    """
    model, run = _model_and_run(x)
    where = f"view of {model.name!r}"
    if run is not None and (live or q is not None or v is not None):
        raise ModelError(
            asked=f"{'live=True' if live else 'q or v'} in {where}",
            found="a trajectory, which is shown as it was recorded",
            do="give its model: bough.view(run.model, live=True, q=run.q[0])",
        )
    if v is not None and not live:
        raise ModelError(
            asked=f"v in {where}",
            found="velocities for a model that is not simulated",
            do="give live=True with them",
        )
    if u is not None and not (live and callable(u)):
        raise ModelError(
            asked=f"u in {where}",
            found="a model that is not simulated" if not live else f"{type(u).__name__}, not a function",
            do="give a function of (t, state) with live=True, such as the feedback of control.lqr",
        )
    if run is not None:
        check_drawable(run, where)
    waits = in_terminal() if block is None else bool(block)
    names = checked_hosts(allowed_hosts, where)
    viewer = Viewer(model, run, live, q, v, dt, host, _port(port, where), names, follow, u)
    try:
        if viewer.port != port and port:
            print(f"port {port} is in use: {viewer.port} instead")
        print(f"{model.name}: {viewer.url}{' (Ctrl-C ends)' if waits else ''}", flush=True)
        if (waits and has_display()) if browser is None else browser:
            webbrowser.open(viewer.url)
        if waits:
            viewer.wait()
            viewer.stop()
    except KeyboardInterrupt:
        viewer.stop()
        if not waits:
            raise
    return viewer


class Viewer(Served):
    """A page in the browser that is served until `stop()`. Made by `bough.view`.

    Attributes
    ----------
    url : str
    port : int
    panel : PosePanel, PlaybackPanel or LivePanel
        The panel beside the scene, with the present values.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> model = system.build()
    >>> viewer = bough.view(model, live=True)  # doctest: +SKIP
    >>> viewer.stop()  # doctest: +SKIP
    """

    def __init__(
        self,
        model: Model,
        run: Trajectory | None,
        live: bool,
        q: Vector | None,
        v: Vector | None,
        dt: float | None,
        host: str,
        port: int,
        allowed_hosts: Sequence[str] = (),
        follow: str | None = None,
        u: Callable[[float, State], Any] | None = None,
    ) -> None:
        from bough.view._stage import Stage

        self.model = model
        check_followed(model, follow, f"view of {model.name!r}")
        first, speed = from_start(model, q, v)
        start = model.configuration({} if first is None else first)
        if run is None:
            start = _assemble(model, start)
        self._page = page = Page(host, port, model.name, allowed_hosts)
        try:
            if run is None:
                stage = Stage(page.server, model, start[None], spread=True, aspect=ASPECT, follow=follow)
            else:
                framed = thinned(len(run), FRAMED)
                q_framed, u_framed = run.q[framed], run.u[framed]
                stage = Stage(page.server, model, q_framed, u_framed, aspect=BESIDE_PLOTS, follow=follow)
            self._stage = stage
            self.panel: PosePanel | PlaybackPanel | LivePanel
            if run is not None:
                self.panel = PlaybackPanel(page, stage, run, follow)
            elif live:
                step = (getattr(u, "dt", None) or model.start.dt or STEP) if dt is None else dt
                self.panel = LivePanel(page, stage, model, start, speed, step, follow, u)
            else:
                self.panel = PosePanel(page, stage, model, start, follow)
        except BaseException:
            page.stop()
            raise
        page.start()

    @property
    def port(self) -> int:
        """The port it listens at."""
        return self._page.port

    @property
    def running(self) -> bool:
        """Whether it is still served."""
        return self._page.open

    def __repr__(self) -> str:
        return f"<Viewer of {self.model.name!r} at {self.url}{'' if self.running else ', stopped'}>"

    def _repr_html_(self) -> str:
        if not self.running:
            return "<em>this viewer is stopped</em>"
        return f'<iframe src="{self.url}" width="100%" height="560" style="border: 0"></iframe>'


def in_terminal() -> bool:
    """Whether this is a script in a terminal, not a notebook, a prompt or a program without a terminal."""
    prompt = hasattr(sys, "ps1") or bool(sys.flags.interactive) or _in_ipython()
    streams = (sys.stdin, sys.stdout)
    return not prompt and all(stream is not None and stream.isatty() for stream in streams)


def _in_ipython() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and shell.get_ipython() is not None


def has_display() -> bool:
    """Whether a browser can show itself here."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _model_and_run(x: Any) -> tuple[Model, Trajectory | None]:
    if isinstance(x, System):
        return x.build(), None
    if isinstance(x, Model):
        return x, None
    if isinstance(x, Trajectory):
        return x.model, x
    raise ModelError(
        asked=f"view({validate.shown(x)})",
        found=f"an object of type {type(x).__name__}",
        do="give a system, a model or a trajectory; bough.load and bough.load_trajectory read files",
    )


def _assemble(model: Model, q: Array) -> Array:
    """The nearest configuration that meets the constraints; the panel says so if there is none."""
    try:
        return held_to_constraints(model, q)
    except ModelError:
        return q


def _port(port: Any, where: str) -> int:
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        raise ModelError(
            asked=f"port={validate.shown(port)} in {where}",
            found="not the number of a port",
            do="give a whole number from 1024 to 65535, or 0 for any free one",
        )
    return port
