"""Pulling a body of a running simulation: the law of the hand, and in Chromium the mouse itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from bough.view._framing import seen_part
from bough.view._pull import OMEGA, pulled_model
from bough.view.camera import camera
from support import mechanisms
from support.browser import Drawn
from view.test_camera_in_browser import SEEN, until

PORT = 8620


def steps(viewer: bough.Viewer, count: int) -> None:
    panel: Any = viewer.panel
    viewer._page.do(lambda: [panel._step() for _ in range(count)])


def test_a_hand_is_a_critically_damped_spring() -> None:
    system = bough.System("mass", gravity=(0.0, 0.0, 0.0))
    system.world.tx("x").ty("y").tz("z", name="body", mass=3.0)
    with bough.view(system, live=True, dt=0.001, port=PORT) as viewer:
        panel: Any = viewer.panel
        viewer._page.do(panel.toggle)
        viewer._page.do(panel.reset)
        viewer._page.do(panel.toggle)  # it stands still but for the steps made here
        start, end = np.zeros(3), np.array([0.3, 0.0, -0.4])
        viewer._page.do(lambda: panel.pull.drag("start", "body", start, start))
        viewer._page.do(lambda: panel.pull.drag("update", "body", start, end))
        before = panel.state
        for _ in range(3):
            steps(viewer, 50)
            t = panel.state.t - before.t
            expected = end * (1.0 - (1.0 + OMEGA * t) * np.exp(-OMEGA * t))
            np.testing.assert_allclose(panel.state.q, expected, atol=0.02 * np.linalg.norm(end))
        viewer._page.do(lambda: panel.pull.drag("end", "body", start, end))
        v = panel.state.v.copy()
        steps(viewer, 20)
        np.testing.assert_allclose(panel.state.v, v, atol=1e-9)  # let go, it flies on


def test_a_point_of_a_body_is_pulled_not_its_frame() -> None:
    """The power of the forces on the variables is that of the force at the point."""
    model = mechanisms.pendulum(2)
    with bough.view(model, live=True, q={"q0": 0.7, "q1": -0.4}, port=PORT) as viewer:
        panel: Any = viewer.panel
        viewer._page.do(panel.toggle)
        q, v = panel.state.q.copy(), np.array([0.3, -0.8])
        viewer._page.do(lambda: viewer._stage.show(q))
        pose = model.pose("m1", q)
        grabbed, target = pose[:3, 3] + pose[:3, :3] @ (0.1, 0.0, 0.2), np.array([1.0, 0.0, -1.0])
        viewer._page.do(lambda: panel.pull.drag("start", "m1", grabbed, target))
        found = panel.pull.forces(q, v)

    def place(q: np.ndarray) -> np.ndarray:
        pose = model.pose("m1", q)
        return pose[:3, 3] + pose[:3, :3] @ np.array((0.1, 0.0, 0.2))

    step = 1e-6
    J = np.stack([(place(q + step * e) - place(q - step * e)) / (2 * step) for e in np.eye(2)], axis=1)
    a = np.trace(J @ np.linalg.solve(model.mass_matrix(q), J.T)) / 3.0
    force = (OMEGA**2 * (target - place(q)) - 2.0 * OMEGA * J @ v) / a
    force *= min(1.0, 20.0 * 9.81 * model.total_mass / np.linalg.norm(force))
    np.testing.assert_allclose(found, J.T @ force, rtol=1e-6)


def test_the_model_that_is_pulled_moves_as_the_model_itself() -> None:
    model = mechanisms.pendulum(3)
    one = bough.simulate(model, q={"q0": 1.0}, duration=0.5, dt=0.01)
    two = bough.simulate(pulled_model(model), q={"q0": 1.0}, duration=0.5, dt=0.01)
    np.testing.assert_array_equal(one.q, two.q)


def test_how_much_is_seen() -> None:
    points = np.random.default_rng(0).uniform(-1.0, 1.0, (200, 3))
    view = camera(points, None, 1.3)

    class Seen:
        position, look_at, up_direction, fov = view.position, view.target, view.up, view.fov

    assert seen_part(Seen, points, 1.3) == 1.0
    assert seen_part(Seen, points + np.array((30.0, 0.0, 0.0)), 1.3) == 0.0
    assert seen_part(Seen, points + 20.0 * (view.position - view.target), 1.3) == 0.0  # behind the camera


def test_a_body_that_falls_freely_is_all_that_must_be_seen() -> None:
    """Neither the ground nor the frames of its joint that stay behind count."""
    system = bough.System("falling")
    system.world.floating("base", name="body", mass=1.0, inertia=(0.1, 0.2, 0.3))
    system.shape("body", bough.Box((0.3, 0.2, 0.1)))
    system.shape("world", bough.Box((5.0, 5.0, 0.1)))
    with bough.view(system, live=True, port=PORT) as viewer:
        panel: Any = viewer.panel
        viewer._page.do(panel.toggle)
        far = viewer._page.do(lambda: panel.integrator.start(q={"base_tz": -100.0}).q)
        points = viewer._page.do(lambda: viewer._stage.moving_points(far[None]))
        np.testing.assert_allclose(points.min(axis=0), (-0.15, -0.1, -100.05), atol=1e-9)
        np.testing.assert_allclose(points.max(axis=0), (0.15, 0.1, -99.95), atol=1e-9)
        assert viewer._stage.moving_frame == "body"


@pytest.mark.verify
def test_the_mouse_pulls_and_what_flies_away_is_followed(browser: Any) -> None:
    system = bough.System("sled", gravity=(0.0, 0.0, 0.0))
    system.world.tx("x").tz("z", name="sled", mass=1.0)
    system.shape("sled", bough.Sphere(0.3))
    with bough.view(system, live=True, port=PORT) as viewer:
        panel: Any = viewer.panel
        page = Drawn(browser, viewer.url)
        page.node("/grid")
        where = page.page.evaluate(SEEN, [[0.0, 0.0, 0.0]])[0]
        box = page.page.locator("canvas").first.bounding_box()
        x = box["x"] + box["width"] * (where[0] + 1.0) / 2.0
        y = box["y"] + box["height"] * (1.0 - where[1]) / 2.0
        page.page.mouse.move(x, y)
        page.page.mouse.down()
        for k in range(1, 6):
            page.page.mouse.move(x + 12 * k, y)
            page.page.wait_for_timeout(100)
        assert until(page, lambda: panel.state.q[0] > 0.05), panel.state.q
        page.page.mouse.up()
        assert until(page, lambda: panel.pull._grip is None)
        viewer._page.do(lambda: setattr(panel, "state", panel.integrator.start(q={"x": 200.0}, v={"x": 5.0})))
        assert until(
            page,
            lambda: abs(page.page.evaluate(SEEN, [[panel.state.q[0], 0.0, panel.state.q[1]]])[0][0]) < 1.0,
        )
        # what leaves the picture again and again is followed, until it is reset
        viewer._page.do(lambda: setattr(panel, "state", panel.integrator.start(v={"x": 300.0})))
        assert until(page, lambda: viewer._stage.followed == "sled")
        assert until(
            page,
            lambda: (
                np.abs(page.page.evaluate(SEEN, [page.pose(page.node("/sled"))[:3, 3].tolist()])).max() < 1.0
            ),
        )
        viewer._page.do(panel.reset)
        assert viewer._stage.followed is None
        assert page.errors == []
        page.close()


@pytest.mark.parametrize("kind", ["lqr", "tracker"])
def test_a_feedback_answers_a_push_of_the_mouse(kind: str) -> None:
    """A pole that is pulled aside comes back, by gains or by a plan made anew at every step; without, it falls."""
    model = bough.gallery.cart_pole().build()
    upright = {"x": 0.0, "angle": 0.0}
    if kind == "lqr":
        feedback: Any = bough.control.lqr(model, q=model.equilibrium({"angle": 0.0}), Q=1.0, R=0.1, dt=0.02)
    else:
        feedback = bough.control.Tracker(
            model,
            horizon=0.6,
            dt=0.02,
            cost=[bough.control.Effort(0.01), bough.control.Track(upright, weight=5.0)],
            end=upright,
            end_weight=20.0,
        )
    pushed, after = _pushed(model, feedback)
    assert after < 0.5 * pushed
    assert _pushed(model, None)[1] > 0.5


def _pushed(model: bough.Model, u: Any) -> tuple[float, float]:
    """How far the pole and its cart are off at the end of a push, and four seconds after it."""
    with bough.view(model, live=True, q={"angle": 0.0}, u=u, dt=0.02, port=PORT) as viewer:
        panel: Any = viewer.panel
        viewer._page.do(lambda: panel.toggle() if panel.running else None)
        viewer._page.do(panel.reset)
        viewer._page.do(panel.toggle)
        frame, aside = model.frames[-1], np.array([0.3, 0.0, 0.0])
        place = model.pose(frame, panel.state.q)[:3, 3]
        viewer._page.do(lambda: panel.pull.drag("start", frame, place, place))
        viewer._page.do(lambda: panel.pull.drag("update", frame, place, place + aside))
        steps(viewer, 8)
        viewer._page.do(lambda: panel.pull.drag("end", frame, place, place))
        pushed = float(np.abs(panel.state.q).max())
        assert pushed > 0.01
        assert (np.abs(panel.driven).max() > 0.0) == (u is not None)
        steps(viewer, 200)
        return pushed, float(np.abs(panel.state.q).max())


def test_feedbacks_that_cannot_be_are_told() -> None:
    model = bough.gallery.cart_pole().build()
    with pytest.raises(bough.ModelError, match="a model that is not simulated"):
        bough.view(model, u=lambda t, state: [0.0])
    with pytest.raises(bough.ModelError, match="list, not a function"):
        bough.view(model, live=True, u=[0.0])  # type: ignore[arg-type]
