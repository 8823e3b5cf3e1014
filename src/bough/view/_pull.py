"""A hand that pulls a body of a running simulation: a spring and a damper from the point that was grabbed to the mouse.

With the point at x(q), its Jacobian J and the mouse at m, the force is F = k (m − x) − c J v, on the variables J^T F.
The mass that the hand feels is that of the point, 1/a with a = tr(J M^-1 J^T) / 3: k = ω²/a and c = 2 ω/a make a
critically damped spring of the same time constant 1/ω for a finger and for a whole machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.elements.forces import ConfigurationForce
from bough.model.model import Model
from bough.view._nodes import rgb
from bough.view.colors import RED

if TYPE_CHECKING:
    from bough.view._page import Page
    from bough.view._stage import Stage

OMEGA = 12.0  # 1/s
STRONGEST = 20.0  # largest force, in weights of the whole system
LINE = 3.0  # width of the line to the mouse, in pixels


class Grip(NamedTuple):
    """A point of a frame, and where it is pulled to."""

    frame: str
    point: Array
    target: Array


def pulled_model(model: Model) -> Model:
    """The model with one more input for each dynamic variable."""
    system = model.system
    for variable in model.dynamic:
        system.add(ConfigurationForce(variable, f"pull of {variable}", name=f"pull of {variable}"))
    return system.build()


class Pull:
    """Grips a body when it is dragged in a page, and says what force that is."""

    def __init__(self, page: Page, stage: Stage, model: Model) -> None:
        self._page, self._stage, self._model = page, stage, model
        self._grip: Grip | None = None
        self._strongest = STRONGEST * 9.81 * model.total_mass
        self._line: Any = page.server.scene.add_line_segments(
            "/pull", np.zeros((1, 2, 3)), rgb(RED), thickness=LINE, thickness_units="screen", visible=False
        )
        frames = {part.name: part.frame for part in stage.scene.rigid}
        heard: set[int] = set()  # rods of one link share a handle
        for name, handle in stage.solids.items():
            if hasattr(handle, "on_drag") and frames[name] != "world" and id(handle) not in heard:
                heard.add(id(handle))
                self._listen(handle, frames[name])

    def _listen(self, handle: Any, frame: str) -> None:
        async def dragged(event: Any) -> None:  # in the order of the mouse
            phase, start = event.phase, np.array(event.start_position)
            end = np.array(event.end_position)
            self._page.post(("pull", phase), lambda: self.drag(phase, frame, start, end))

        handle.on_drag(dragged)

    def drag(self, phase: str, frame: str, start: Array, end: Array) -> None:
        """Grip a point of a frame, pull it to another place, or let it go."""
        shift = self._stage.shift
        if phase == "end":
            self.release()
        elif phase == "start" or self._grip is None:
            pose = self._stage.shown(frame)
            point = pose[:3, :3].T @ (start - shift - pose[:3, 3])
            self._grip = Grip(frame, point, end - shift)
        else:
            self._grip = self._grip._replace(target=end - shift)

    def release(self) -> None:
        """Let go."""
        self._grip = None
        self._line.visible = False

    def forces(self, q: Array, v: Array) -> Array:
        """The forces on the dynamic variables, (nd,)."""
        nd = self._model.nd
        if self._grip is None:
            return np.zeros(nd)
        x, J = self._at(q)
        mass = self._model.mass_matrix(q)[:nd, :nd]
        a = float(np.trace(J[:, :nd] @ np.linalg.solve(mass, J[:, :nd].T))) / 3.0
        if not a > 0.0:  # the point does not move
            return np.zeros(nd)
        F = (OMEGA**2 * (self._grip.target - x) - 2.0 * OMEGA * (J @ v)) / a
        size = float(np.linalg.norm(F))
        return np.asarray(J[:, :nd].T @ F * min(1.0, self._strongest / size if size > 0.0 else 1.0))

    def show(self, q: Array) -> None:
        """Draw the line to the mouse."""
        if self._grip is not None:
            shift = self._stage.shift
            self._line.points = np.array([[self._at(q)[0], self._grip.target]]) + shift
            self._line.visible = True

    def _at(self, q: Array) -> tuple[Array, Array]:
        """The point in the world, and its Jacobian (3, nq)."""
        assert self._grip is not None
        pose, J = self._model.pose(self._grip.frame, q), self._model.jacobian(self._grip.frame, q, "hybrid")
        arm = pose[:3, :3] @ self._grip.point
        return pose[:3, 3] + arm, J[3:] + np.cross(J[:3], arm, axis=0)
