"""The panel of a running simulation: real time, with inputs, kinematic variables and bodies moved by hand."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.arguments import Array, Vector
from bough.errors import ConvergenceError, ModelError
from bough.integrators.variational import MidpointVI
from bough.model.model import Model
from bough.motion.state import State
from bough.validate import counted
from bough.view._page import Page
from bough.view._panel import Options, message, readout, said, words
from bough.view._pull import Pull, pulled_model
from bough.view._sliders import Sliders, around, variable_groups

if TYPE_CHECKING:
    from bough.view._stage import Stage

FRAME = 1.0 / 30.0  # time between two pictures, in s
BEHIND = 0.1  # largest lag of the simulation before it runs slower than real time, in s
FOLLOW = 0.08  # time constant with which a kinematic variable follows its slider, in s
READOUT = 0.1  # time between two read-outs, in s
LOOK = 0.5  # time between two looks whether the mechanism is still seen, in s
AGAIN = 3.0  # a mechanism that leaves the picture twice within this time is followed, in s


class LivePanel:
    """Steps of `MidpointVI` in real time; pause and reset; sliders; a step that fails stops with a message.

    A kinematic variable follows its slider like a mass on a critically damped spring, so that a sudden move
    of the hand is a fast motion and not a jump. A feedback is asked for inputs at every step; sliders add to them.

    Attributes
    ----------
    state : State
    running : bool
    u, driven : arrays (nu,)
        The inputs of the sliders, and those of the last step.
    """

    def __init__(
        self,
        page: Page,
        stage: Stage,
        model: Model,
        q: Array,
        v: Vector | None,
        dt: float,
        follow: str | None = None,
        feedback: Callable[[float, State], Any] | None = None,
    ) -> None:
        self._page, self._stage, self.model = page, stage, model
        self._feedback = feedback
        self.pull = Pull(page, stage, model)
        self.integrator = MidpointVI(pulled_model(model), dt=dt)
        self._start = self.integrator.start(q=q, v=v)
        self.state, self.running = self._start, True
        self._clock = time.monotonic()
        self._done = self._start.t  # simulated time at which real time is now
        self._said = self._looked = 0.0
        self._lost = -math.inf  # when it had last left the picture
        self._chased = False  # whether it is followed for that
        self._build(page, stage, follow)
        page.failed = self._on_failure
        page.tick = self._tick
        self.reset()

    def _build(self, page: Page, stage: Stage, follow: str | None) -> None:
        gui, model = page.server.gui, self.model
        self._message = gui.add_html("", visible=False)
        self._button = gui.add_button("Pause")
        self._button.on_click(lambda event: page.post("run", self.toggle))
        gui.add_button("Reset").on_click(lambda event: page.post("run", self.reset))
        self._readout = gui.add_html("")
        hint = (
            "Pull a body with the mouse." if self.pull else "Its own elements keep bodies from being pulled."
        )
        gui.add_html(words(hint))
        self._sliders = Sliders(page.server, self._on_slider)
        scale = _force_scale(model)
        self._sliders.group("Inputs", {name: around(0.0, scale) for name in model.inputs})
        for title, ranges in variable_groups(model, self._start.q, stage.scene.size, model.kinematic).items():
            self._sliders.group(title, ranges)
        self._options = Options(page, stage, lambda: (self.state.q[None], None), follow)

    # --- actions of the user ---

    def _on_slider(self, name: str, value: float) -> None:
        self._page.post(("slider", name), lambda: self.move(name, value))

    def move(self, name: str, value: float) -> None:
        """Set an input, or the target of a kinematic variable."""
        if name in self.model.inputs:
            self.u[self.model.inputs.index(name)] = value
        else:
            self._target[self.model.kinematic.index(name)] = value

    def toggle(self) -> None:
        """Run or pause."""
        self.running = not self.running
        self._catch_up()
        self._button.label = "Pause" if self.running else "Run"

    def reset(self) -> None:
        """Return to the start, and run."""
        model = self.model
        self.state = self._start
        self.pull.release()
        if self._chased:
            self._chased = False
            self._stage.follow(None)
        self.u, self.driven = np.zeros(model.nu), np.zeros(model.nu)
        self._target = self._start.q[model.nq - model.nk :].copy()
        self._k, self._vk = self._target.copy(), np.zeros(model.nk)
        self._sliders.show(dict.fromkeys(model.inputs, 0.0))
        self._sliders.show(dict(zip(model.kinematic, self._target.tolist(), strict=True)))
        self.running = True
        self._button.label = "Pause"
        message(self._message, "")
        self._catch_up()
        self._show()

    # --- time ---

    def _catch_up(self) -> None:
        self._clock, self._done = time.monotonic(), self.state.t

    def _tick(self) -> float | None:
        if not self.running:
            return None
        begin = time.monotonic()
        self._done += begin - self._clock
        self._clock = begin
        while self.state.t + self.integrator.dt <= self._done:
            if time.monotonic() - begin > BEHIND:  # too slow for real time
                self._done = self.state.t
                break
            self._step()
        self._show()
        return max(0.0, FRAME - (time.monotonic() - begin))

    def _step(self) -> None:
        dt = self.integrator.dt
        k, vk = followed(self._k, self._vk, self._target, dt)
        self.driven = self.u if self._feedback is None else self.u + self._asked()
        u = np.append(self.driven, self.pull.forces(self.state.q, self.state.v))
        self.state = self.integrator.step(self.state, u=u if len(u) else None, k=k if len(k) else None)
        self._k, self._vk = k, vk

    def _asked(self) -> Array:
        """What the feedback says."""
        assert self._feedback is not None
        u = np.asarray(self._feedback(self.state.t, self.state), dtype=float)
        if u.shape == (self.model.nu,):
            return u
        raise ModelError(
            asked=f"u of a live view of {self.model.name!r}",
            found=f"a feedback that returns shape {u.shape}",
            do=f"return {counted(self.model.nu, 'number')}, one for each input",
        )

    def _on_failure(self, error: Exception) -> None:
        advice = ". Reset begins again" if isinstance(error, ConvergenceError) else ""
        message(self._message, f"stopped at t = {self.state.t:.3f} s: {said(error)}{advice}")
        self._button.label = "Run"
        self.running = False
        self._show()

    def _show(self) -> None:
        with self._page.server.atomic():
            self._stage.show(self.state.q, self.driven, self.state.t)
            self.pull.show(self.state.q)
            clock = time.monotonic()
            if clock - self._looked > LOOK:
                self._looked = clock
                self._watch(clock)
            if self.running and clock - self._said < READOUT:
                return
            self._said = clock
            self._readout.content = readout(self._numbers())

    def _watch(self, clock: float) -> None:
        """Keep the mechanism in the picture; if it leaves it again and again, as what falls freely, follow it."""
        if not self._options.framing.keep_in_sight(self.state.q[None]):
            return
        if clock - self._lost < AGAIN and self._stage.followed is None:
            self._chased = True
            self._stage.follow(self._stage.moving_frame)
        self._lost = clock

    def _numbers(self) -> dict[str, str]:
        model, state = self.model, self.state
        rows = {
            "t": f"{state.t:.2f} s",
            "energy": f"{model.energy(state.q, state.v):.6g} J",
            "kinetic": f"{model.kinetic_energy(state.q, state.v):.4g} J",
            "potential": f"{model.potential_energy(state.q):.4g} J",
        }
        if model.nc:
            rows["constraint error"] = f"{np.abs(model.constraint(state.q, state.t)).max():.1e}"
        return rows


def followed(k: Array, vk: Array, target: Array, dt: float) -> tuple[Array, Array]:
    """Position and velocity after dt of a critically damped spring towards a target.

    With d = k - target and r = 1/FOLLOW, d'' = -r^2 d - 2 r d' has the solution
    d(t) = (d + (v + r d) t) e^{-rt},  v(t) = (v - r (v + r d) t) e^{-rt}.
    """
    rate = 1.0 / FOLLOW
    d = k - target
    drive = vk + rate * d
    decay = math.exp(-rate * dt)
    return target + (d + drive * dt) * decay, (vk - rate * drive * dt) * decay


def _force_scale(model: Model) -> float:
    """A force or torque that moves the model well: of the order of its weight."""
    weight = 10.0 * model.total_mass
    digits = 10.0 ** math.floor(math.log10(weight)) if weight > 0.0 else 1.0
    return math.ceil(weight / digits) * digits
