"""The panel of a model: move its variables by hand, while its constraints hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bough.arguments import Array
from bough.errors import ModelError
from bough.model.model import Model
from bough.view._page import Page
from bough.view._panel import Options, message, readout, said
from bough.view._sliders import Sliders, variable_groups
from bough.view._turns import Turns

if TYPE_CHECKING:
    from bough.view._stage import Stage


class PosePanel:
    """Sliders for all configuration variables, handles that turn balls, energy and constraint error.

    Attributes
    ----------
    q : array (nq,)
        The configuration shown; it meets the constraints, if one that does was found.
    """

    def __init__(self, page: Page, stage: Stage, model: Model, q: Array, follow: str | None = None) -> None:
        self._page, self._stage, self.model = page, stage, model
        gui = page.server.gui
        self._message = gui.add_html("", visible=False)
        self._readout = gui.add_html("")
        reset = gui.add_button("Reset")
        self._sliders = Sliders(page.server, self._on_slider)
        for title, ranges in variable_groups(model, q, stage.scene.size, model.variables).items():
            self._sliders.group(title, ranges)
        self._turns = Turns(page.server, model, stage.scene.size, self._on_turn)
        Options(page, stage, lambda: (self.q[None], None), follow)
        self._start = q
        self.q = q
        reset.on_click(lambda event: page.post("drag", self.reset))
        page.failed = lambda error: message(self._message, said(error))
        self.reset()

    def reset(self) -> None:
        """Return to the configuration at the start."""
        self.q = self._start
        self._move(self._start)

    def _on_slider(self, name: str, value: float) -> None:
        self._page.post("drag", lambda: self.drag(name, value))

    def _on_turn(self, ball: str, to: Array) -> None:
        self._page.post("drag", lambda: self.turn(ball, to))

    def turn(self, ball: str, to: Array) -> None:
        """Turn a ball to an orientation (w, x, y, z) of its frame in the world; others follow by the constraints."""
        wanted = self._turns.rotated(self.q, ball, to)
        if wanted is not None:
            self._move(wanted, ball)

    def drag(self, name: str, value: float) -> None:
        """Set one variable; the others follow by the constraints."""
        wanted = self.q.copy()
        wanted[self.model._coordinate_places[name]] = value
        self._move(wanted, name)

    def _move(self, wanted: Array, held: str | None = None) -> None:
        """Show the configuration nearest to the one wanted that meets the constraints."""
        text = ""
        try:
            self.q = held_to_constraints(self.model, wanted, held)
        except ModelError as error:
            text = said(error)
            if held is None:  # nothing better is known: show it unassembled
                self.q = wanted
        else:
            place = None if held is None else self.model._names.coordinates.places[held]
            if place is not None and np.abs(self.q[place] - wanted[place]).max() > 1e-9:
                text = f"{held!r} does not reach this far: the nearest place is shown"
        self._show(text)

    def _show(self, text: str = "") -> None:
        model, q = self.model, self.q
        with self._page.server.atomic():
            self._stage.show(q)
            single = (model.variables[i] for i in model._single[0])
            self._sliders.show(dict(zip(single, q[model._single[1]].tolist(), strict=True)))
            self._turns.show(q)
            rows = {"potential energy": f"{model.potential_energy(q):.6g} J"}
            if model.nc:
                rows["constraint error"] = f"{np.abs(model.constraint(q)).max():.1e}"
            self._readout.content = readout(rows)
            message(self._message, text)


def held_to_constraints(model: Model, wanted: Array, held: str | None = None) -> Array:
    """The nearest configuration that meets the constraints, with `held` fixed if possible."""
    if model.nc == 0:
        return wanted
    if held is not None and (held in model.dynamic or held in model.balls):
        try:
            return model.assemble(q=wanted, hold=held).q
        except ModelError:
            pass  # out of reach: show the nearest
    return model.assemble(q=wanted).q
