"""Figures: what is drawn where, and what cannot be drawn."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.collections import PolyCollection
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text

import bough
from bough.view import Scene
from bough.view.draw import nearest_rows
from bough.view.projection import Projection
from elements.test_all_derivatives import ELEMENTS
from elements.test_all_derivatives import model as with_element
from support.mechanisms import closed_chain
from support.messages import Case
from support.small_systems import stretched


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def pendulum() -> bough.Model:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-2.0, name="bob", mass=1.0)
    return system.build()


def polygons(figure: Any) -> list[tuple[np.ndarray, tuple[float, ...]]]:
    """(corners, colour) of everything that is filled, in drawing order."""
    found = []
    for collection in figure.axes[0].collections:
        if isinstance(collection, matplotlib.collections.PolyCollection):
            for path, color in zip(collection.get_paths(), collection.get_facecolor(), strict=True):
                if color[3] > 0.0:
                    found.append((path.vertices, tuple(color)))
    return found


def middle(corners: np.ndarray) -> np.ndarray:
    return (corners.min(axis=0) + corners.max(axis=0)) / 2.0


def test_a_planar_figure_shows_things_where_they_are():
    model = pendulum()
    figure = bough.draw(model, {"angle": 0.7})
    x, _, z = model.pose("bob", [0.7])[:3, 3]
    balls = [corners for corners, color in polygons(figure) if color[2] > 0.6]
    (ball,) = balls
    np.testing.assert_allclose(middle(ball), (x, z), atol=1e-9)
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("x [m]", "z [m]", "pendulum")
    rod = next(corners for corners, color in polygons(figure) if color[0] < 0.6 and np.ptp(corners) > 1.0)
    np.testing.assert_allclose(middle(rod), (x / 2, z / 2), atol=0.02)


def test_a_spatial_figure_shows_things_in_perspective():
    system = bough.System("ball")
    system.world.rx("a").ry("b").tz(-1.0, name="bob", mass=1.0)
    system.shape("bob", bough.Box((0.01, 0.01, 0.01)), color=(1.0, 0.0, 0.0))
    model = system.build()
    q = np.array((0.4, 0.9))
    figure = bough.draw(model, q, figsize=(8.0, 6.0))
    red = np.concatenate(
        [corners for corners, color in polygons(figure) if color[0] > 0.3 and color[1] == 0.0]
    )
    scene = Scene(model, q)
    place, _ = Projection(None, scene.camera(q, aspect=8.0 / 6.0))(model.pose("bob", q)[:3, 3])
    np.testing.assert_allclose(red.mean(axis=0), place, atol=0.01)
    assert not figure.axes[0].axison


def test_nearer_things_cover_further_ones():
    system = bough.System("two balls")
    for name, y in (("far", 1.0), ("near", -1.0)):
        system.world.rx(f"a {name}").rz(f"b {name}").ty(y, name=name, mass=1.0)
    system.shape("far", bough.Sphere(0.3), color=(0.0, 1.0, 0.0))
    system.shape("near", bough.Sphere(0.3), color=(1.0, 0.0, 0.0))
    order = [
        np.argmax(color[:3])
        for _, color in polygons(bough.draw(system.build()))
        if max(color[:3]) - min(color[:3]) > 0.3
    ]
    # the camera looks from -y: green first, then red
    assert order == sorted(order, reverse=True)
    assert set(order) == {0, 1}


@pytest.mark.parametrize("kind", ELEMENTS)
def test_every_kind_of_element_is_drawn(kind: str):
    model = with_element(ELEMENTS[kind])
    figure = bough.draw(model, np.full(model.nq, 0.3), u=np.ones(model.nu), frames=True, labels=True)
    figure.canvas.draw()
    assert len(polygons(figure)) > 10


def test_labels_name_frames_and_named_elements():
    system = pendulum().system
    system.add(bough.LinearSpring("bob", "world", 1.0, name="rubber band"))
    system.add(bough.LinearDamper("bob", "world", 1.0))
    texts = {text.get_text() for text in bough.draw(system, labels=True).axes[0].texts}
    assert texts == {"bob", "rubber band", "", "g"}  # the arrow of gravity has an empty text
    assert {text.get_text() for text in bough.draw(system).axes[0].texts} == {"", "g"}


@pytest.mark.parametrize("name", ["closed_chain", "marionette"])
def test_labels_do_not_cover_each_other(name: str):
    figure = bough.draw(bough.load(f"gallery:{name}"), labels=True)
    figure.canvas.draw()
    boxes = [Text.get_window_extent(text) for text in figure.axes[0].texts if text.get_text()]
    shared = [a.overlaps(b.padded(-0.5)) for a, b in combinations(boxes, 2)]  # half a pixel of rounding
    assert len(shared) > 100
    assert not any(shared)


@pytest.mark.parametrize("layout", ["constrained", None])
def test_a_picture_in_a_part_of_a_figure(run: bough.Trajectory, layout: str | None):
    whole = plt.figure(figsize=(9.0, 4.0), layout=layout)
    left, right = whole.subfigures(1, 2)
    assert bough.draw(run.model, run.q[0], labels=True, figure=left) is left
    run.strobe(3, figure=right)
    whole.canvas.draw()
    assert isinstance(whole.get_layout_engine(), ConstrainedLayoutEngine)
    assert len(polygons(right)) == 3 * len(polygons(left)) > 0


def test_without_q_constraints_are_met_where_they_can_be():
    model = closed_chain()
    system = model.system
    given = bough.draw(model, model.assemble().q)
    assert [color for _, color in polygons(bough.draw(system))] == [color for _, color in polygons(given)]
    for (found, _), (expected, _) in zip(polygons(bough.draw(system)), polygons(given), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_model_that_cannot_be_assembled_is_drawn_all_the_same():
    system = stretched()
    system.add(bough.DistanceConstraint("bob", "world", 9.0, name="too long"))
    assert len(polygons(bough.draw(system))) > 3


def test_a_string_that_is_slack_hangs():
    system = bough.System("winch")
    load = system.world.tx("x").tz("z", name="load", mass=1.0)
    system.add(bough.DistanceConstraint(load, "world", length=bough.kinematic("wire")))
    model = system.build()

    def lowest(wire: float) -> float:
        (collection,) = bough.draw(model, {"x": 1.0, "z": 0.0, "wire": wire}).axes[0].collections
        line = max(
            (path.vertices for path in collection.get_paths()), key=lambda v: v[:, 0].max() - v[:, 0].min()
        )
        return float(line[:, 1].min())

    assert lowest(1.0) == 0.0
    assert lowest(1.2) < -0.2


# --- several instants ---


@pytest.fixture(scope="module")
def run() -> bough.Trajectory:
    return bough.simulate(pendulum(), q={"angle": 1.0}, duration=1.0, dt=0.01)


def test_strobe_shows_instants_at_equal_times(run: bough.Trajectory):
    figure = run.strobe(5)
    balls = [
        (middle(corners), color)
        for corners, color in polygons(figure)
        if color[2] > color[0] + 0.1 and np.ptp(corners[:, 0]) < 0.3
    ]
    expected = run.pose("bob")[::25, [0, 2], 3]
    np.testing.assert_allclose([place for place, _ in balls], expected, atol=1e-9)
    reds = [color[0] for _, color in balls]
    assert reds == sorted(reds, reverse=True)  # ever less pale
    (path,) = figure.axes[0].get_lines()
    np.testing.assert_allclose(np.column_stack(path.get_data()), run.pose("bob")[:, [0, 2], 3], atol=1e-12)


def test_strobe_is_framed_on_the_whole_motion(run: bough.Trajectory):
    axes = run.strobe(2).axes[0]
    places = run.pose("bob")[:, [0, 2], 3]
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert left < places[:, 0].min()
    assert right > places[:, 0].max()
    assert bottom < places[:, 1].min()
    assert top > 0.0


def test_chosen_traces(run: bough.Trajectory):
    assert len(run.strobe(2, trace=["bob", "#1"]).axes[0].get_lines()) == 2
    assert run.strobe(2, trace=()).axes[0].get_lines()[:] == []


def test_rows_nearest_to_times():
    t = np.array((0.0, 0.1, 0.4, 1.0))
    assert nearest_rows(t, np.array((-1.0, 0.0, 0.06, 0.2, 0.69, 0.71, 5.0))) == [0, 0, 1, 1, 2, 3, 3]
    assert nearest_rows(t[:1], np.array((0.0, 1.0))) == [0, 0]


def test_multipliers_can_be_plotted():
    model = closed_chain()
    run = bough.simulate(model, q=model.assemble().q, duration=0.05, dt=0.01)
    figure = run.plot("multiplier")
    assert figure.axes[0].get_ylabel() == "lam [N]"
    lines = figure.axes[0].get_lines()
    assert [line.get_label() for line in lines] == list(model.constraints)
    np.testing.assert_array_equal(lines[2].get_ydata(), run.lam[:, 2])


def test_strobe_shows_each_instant_once(run: bough.Trajectory):
    few = run[:3]
    assert few.strobe(100).axes[0].get_title().startswith(f"{run.model.name}, 3 instants")


MESSAGES: dict[str, Case] = {
    "a run": (
        lambda: bough.draw(bough.simulate(pendulum(), duration=0.1, dt=0.1)),  # type: ignore[arg-type]
        "draw(<Trajectory of 'pendulum': 2 instants, t = 0 to 0.1 s, finished>)",
        "not a model",
        "use run.strobe(), or draw(run.model, run.q[0])",
    ),
    "a name": (
        lambda: bough.draw("gallery:four_bar"),  # type: ignore[arg-type]
        "draw('gallery:four_bar')",
        "not a model",
        "give a model or a system, such as bough.load(path)",
    ),
    "a film of a model": (
        lambda: bough.export_video(pendulum(), "x.gif"),  # type: ignore[arg-type]
        "export_video('x.gif')",
        f"{pendulum()!r}, which is not a motion",
        "give a trajectory, such as bough.simulate(...)",
    ),
    "nan": (
        lambda: bough.draw(pendulum(), [np.nan]),
        "q of model 'pendulum'",
        "nan for 'angle'",
        "give finite numbers",
    ),
    "many": (
        lambda: bough.draw(pendulum(), np.zeros((3, 1))),
        "draw('pendulum') with q of shape (3, 1)",
        "more than one configuration",
        "give one, or use run.strobe() for a motion",
    ),
    "count": (
        lambda: bough.simulate(pendulum(), duration=0.1, dt=0.1).strobe(0),
        "strobe(count=0) of a trajectory of 'pendulum'",
        "not a number of instants",
        "give a whole number above zero",
    ),
    "trace": (
        lambda: bough.simulate(pendulum(), duration=0.1, dt=0.1).strobe(trace="bab"),
        "frame 'bab' in model 'pendulum'",
        "no frame has this name; the nearest is 'bob'",
        "correct the spelling",
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_message(case: str):
    make, asked, found, do = MESSAGES[case]
    with pytest.raises(bough.ModelError) as caught:
        make()
    assert (caught.value.asked, caught.value.found, caught.value.do) == (asked, found, do)


def test_a_large_floor_is_drawn_in_perspective_behind_everything() -> None:
    """A plate of 4 m reaches behind the viewer: what is in front of the viewer is drawn, before all else."""
    system = bough.System("spatial pendulum")
    pose = np.eye(4)
    pose[2, 3] = -1.0
    system.shape("world", bough.Box((4.0, 4.0, 0.1)), pose=pose, color=(1.0, 0.0, 0.0))
    system.world.ry("a").rx("b").tz(-0.5, name="tip", mass=1.0)
    figure = bough.draw(system, {"a": 0.5})
    (collection,) = (each for each in figure.axes[0].collections if isinstance(each, PolyCollection))
    colors = collection.get_facecolor()
    red = (colors[:, 0] > 0.5) & (colors[:, 1] == 0.0)
    count = int(red.sum())
    assert count >= 2
    assert red[:count].all()
    seen = np.concatenate([path.vertices for path in collection.get_paths()[:count]])
    low, high = seen.min(axis=0), seen.max(axis=0)
    (left, right), (bottom, _) = figure.axes[0].get_xlim(), figure.axes[0].get_ylim()
    assert low[0] < left < right < high[0]
    assert low[1] < bottom
    assert np.isfinite(seen).all()


def test_what_stands_does_not_hide_earlier_instants() -> None:
    """A wall of the size of the system is drawn once, before all instants of a strobe."""
    system = bough.System("pendulum beside a wall")
    system.world.ry("a").tz(-1.0, name="tip", mass=1.0)
    system.shape("world", bough.Box((1.0, 0.1, 1.0)), color=(1.0, 0.0, 0.0))
    run = bough.simulate(system.build(), {"a": 1.0}, duration=0.5, dt=0.01)
    pictures = [each for each in run.strobe(3).axes[0].collections if isinstance(each, PolyCollection)]
    red = [int((each.get_facecolor()[:, 1] == 0.0).sum()) for each in pictures]
    assert red == [1, 0, 0, 0]


def test_smaller_things_of_one_kind_are_in_front() -> None:
    system = bough.System("wheel in a housing")
    system.world.tx("x", name="wheel", mass=1.0)
    system.shape("wheel", bough.Sphere(0.1), color=(0.0, 0.0, 1.0))
    system.shape("wheel", bough.Box((1.0, 0.5, 0.5)), color=(1.0, 0.0, 0.0))
    (picture,) = bough.draw(system).axes[0].collections
    colors = picture.get_facecolor()[:, :3].tolist()
    assert colors.index([1.0, 0.0, 0.0]) < colors.index([0.0, 0.0, 1.0])
