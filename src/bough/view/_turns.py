"""Handles in the scene that turn the balls of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.arguments import Array
from bough.description import rotation
from bough.model.model import Model

if TYPE_CHECKING:
    import viser

SIZE = 0.15  # of a handle, relative to the size of the system


class Turns:
    """A handle of three rings for each ball, at its place. Only turns by the user are reported."""

    def __init__(
        self, server: viser.ViserServer, model: Model, size: float, turned: Callable[[str, Array], None]
    ) -> None:
        self._model, self._turned = model, turned
        frames = {str(f.parameter): f.label for f in model.system.frames if f.kind == "ball"}
        self._frames = {name: frames[name] for name in model.balls}
        self._handles: dict[str, Any] = {}
        for number, name in enumerate(model.balls):  # names of balls are no part of names in the scene
            handle = server.scene.add_transform_controls(
                f"/turns/{number}", SIZE * size, disable_axes=True, disable_sliders=True, depth_test=False
            )
            handle.on_update(self._callback(name))
            self._handles[name] = handle

    def _callback(self, name: str) -> Callable[[Any], None]:
        def moved(event: Any) -> None:
            if event.client_id is not None:
                self._turned(name, np.asarray(event.target.wxyz, dtype=float))

        return moved

    def rotated(self, q: Array, name: str, to: Array) -> Array | None:
        """q with a ball turned so that its frame has this orientation in the world; None if it is none."""
        length = float(np.linalg.norm(to))
        if to.shape != (4,) or not 0.5 < length < 2.0:
            return None
        place = self._model._balls[name][1]
        old = q[place : place + 4]
        now = rotation.from_matrix(self._model.pose(self._frames[name], q)[:3, :3], name, "the viewer")
        before = rotation.product(now, rotation.conjugate(old))  # the orientation that the ball turns
        new = rotation.product(rotation.conjugate(before), to / length)
        result = q.copy()
        result[place : place + 4] = (new if new @ old >= 0.0 else -new) / np.linalg.norm(new)
        return result

    def show(self, q: Array) -> None:
        """Put the handles at their places."""
        for name, handle in self._handles.items():
            pose = self._model.pose(self._frames[name], q)
            handle.position = pose[:3, 3]
            handle.wxyz = rotation.from_matrix(pose[:3, :3], name, "the viewer")
