"""The cameras of a page: each sees the whole scene beside the panels, until somebody moves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.model.model import Model
from bough.model.units import turning
from bough.view.camera import camera
from bough.view.parts import Camera

if TYPE_CHECKING:
    from bough.view._page import Page
    from bough.view._stage import Stage

CHANGED = 0.02  # relative change of the aspect ratio after which a camera is placed again
MOVED = 0.02  # relative displacement by hand after which a camera is left alone
NARROWEST, WIDEST = 0.1, 10.0  # range of aspect ratios accepted from a page
SEEN = 0.3  # least part of a mechanism that stays in the picture
KEPT = 3  # number of past cameras that a browser may still report


class Placed(NamedTuple):
    """A camera, and the width over height that it was placed for."""

    aspect: float
    camera: Camera


class Framing:
    """Places the camera of every browser that opens a page, and again when its window changes."""

    def __init__(self, page: Page, stage: Stage) -> None:
        self._page, self._stage, self._first = page, stage, stage.first
        self._placed: dict[int, list[Placed]] = {}
        page.server.on_client_connect(self._on_open)
        page.server.on_client_disconnect(self._on_close)

    def _on_open(self, client: Any) -> None:
        def changed(_: Any) -> None:
            self._page.post(("camera", client.client_id), lambda: self._check(client))

        client.camera.on_update(changed)
        changed(None)

    def _on_close(self, client: Any) -> None:
        self._placed.pop(client.client_id, None)

    def _check(self, client: Any) -> None:
        """Place a camera that nobody has moved, if its window has changed since."""
        if client.client_id not in self._page.server.get_clients():
            return  # the window is closed
        aspect = aspect_of(client)
        before = self._placed.get(client.client_id)
        if before is not None:
            same = abs(aspect - before[-1].aspect) <= CHANGED * aspect
            # a browser may still report an earlier camera, or its first one
            known = [self._first, *(placed.camera for placed in before)]
            if same or all(_is_moved(client.camera, each) for each in known):
                return
        self._place(client, aspect, *self._stage.framed(aspect))

    def show(self, stage: Stage, again: bool) -> None:
        """Take another scene; with `again`, every camera is moved to see all of it."""
        self._stage, self._first = stage, stage.first
        if again:
            for client in self._page.server.get_clients().values():
                aspect = aspect_of(client)
                self._place(client, aspect, *stage.framed(aspect))

    def fit(self, client: Any, q: Array, u: Array | None) -> None:
        """Show all of some configurations in a browser, from its present direction."""
        self._fit_points(client, self._stage.points(q, u))

    def _fit_points(self, client: Any, points: Array) -> None:
        towards = client.camera.position - client.camera.look_at
        size = float(np.linalg.norm(towards))
        aspect = aspect_of(client)
        direction = towards / size if 0.0 < size < np.inf else None
        wanted = camera(points, self._stage.scene.plane if direction is None else direction, aspect)
        self._place(client, aspect, wanted)

    def keep_in_sight(self, q: Array) -> bool:
        """Turn the cameras in whose pictures most of what moves has left to it, in a configuration (1, nq).

        Returns whether there were any.
        """
        points, lost = self._stage.moving_points(q), False
        for client in list(self._page.server.get_clients().values()):
            if (
                client.client_id in self._placed
                and seen_part(client.camera, points, aspect_of(client)) < SEEN
            ):
                lost = True
                self._fit_points(client, points)
        return lost

    def _place(self, client: Any, aspect: float, wanted: Camera) -> None:
        before = self._placed.setdefault(client.client_id, [])
        before[:] = [*before[-KEPT:], Placed(aspect, wanted)]
        with client.atomic():
            client.camera.up_direction = wanted.up
            client.camera.position = wanted.position
            client.camera.look_at = wanted.target


def aspect_of(client: Any) -> float:
    """Width over height of the part of a window in which the scene is."""
    width, height = client.camera.image_width, client.camera.image_height
    return float(min(max(width / height, NARROWEST), WIDEST)) if width > 0 and height > 0 else 1.0


def seen_part(view: Any, points: Array, aspect: float) -> float:
    """The part of some points that a camera sees."""
    towards = view.position - view.look_at
    towards = towards / np.linalg.norm(towards)
    right = np.cross(view.up_direction, towards)
    right = right / (np.linalg.norm(right) or 1.0)
    away = points - view.position
    depth = -away @ towards
    half = np.tan(view.fov / 2.0) * depth
    inside = (
        (depth > 0.0)
        & (np.abs(away @ right) <= aspect * half)
        & (np.abs(away @ np.cross(towards, right)) <= half)
    )
    return float(inside.mean())


def _is_moved(now: Any, placed: Camera) -> bool:
    reach = MOVED * float(np.linalg.norm(placed.position - placed.target))
    away = max(np.abs(now.position - placed.position).max(), np.abs(now.look_at - placed.target).max())
    return not away <= reach  # True for NaN as well


def swung(model: Model, q: Array, size: float) -> Array:
    """A configuration, and those in which one variable is a quarter turn or most of the size off it."""
    reach = np.where(turning(model), 0.5 * np.pi, 0.8 * size)
    moves = np.diag(reach)
    return np.concatenate([q[None], model.integrate(q, moves), model.integrate(q, -moves)])
