"""Plots over time: every line has a unit, and what is asked for is there."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pytest

import bough
from bough.view._page_plots import page_plots
from bough.view.plots import PANELS, all_panels


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


def arm() -> bough.Trajectory:
    system = bough.System("arm")
    system.world.ry("elbow").tz(-1.0, name="hand", mass=1.0)
    system.world.tx("slide", name="slide", mass=1.0)
    system.add(bough.JointLimit("elbow", -1.0, 1.0, name="stop"))
    system.add(bough.PlaneContact("hand", origin=(0, 0, -2), name="floor"))
    system.add(bough.Servo("elbow", kp=10.0, kd=1.0, target="angle", target_rate="rate"))
    system.add(bough.Servo("slide", kp=10.0, kd=1.0, target="place", target_rate="speed"))
    return bough.simulate(system.build(), u={"angle": 0.3}, duration=0.2, dt=0.01)


def test_gaps_and_forces_have_units() -> None:
    run = arm()
    labels = {name: [panel.label for panel in all_panels(run, name, "")] for name in ("gap", "contact")}
    assert labels == {"gap": ["gap [m]", "gap [rad]"], "contact": ["force [N]", "force [N m]"]}


def test_targets_of_servos_are_plotted() -> None:
    run = arm()
    panels = all_panels(run, "input", "")
    assert {name: panel.label for panel in panels for name in panel.lines} == {
        "angle": "u [rad]",
        "rate": "u [rad/s]",
        "place": "u [m]",
        "speed": "u [m/s]",
    }
    assert {name for panel in all_panels(run, None, "") for name in panel.lines} >= set(run.model.inputs)
    assert run.plot("input").axes[0].get_ylabel() == "u [rad]"


def test_what_is_not_in_a_model_is_not_offered() -> None:
    run = bough.simulate(bough.gallery.pendulum(1).build(), duration=0.1, dt=0.01)
    there = ("configuration", "velocity", "energy")
    for name in set(PANELS) - set(there):
        with pytest.raises(bough.ModelError) as caught:
            run.plot(name)
        assert caught.value.found == "nothing of this kind in the model"
        assert caught.value.do == f"choose from {', '.join(there)}"


def test_one_line_beyond_the_named_ones_is_one() -> None:
    model = bough.gallery.pendulum(9).build()
    run = bough.simulate(model, {"angle1": 0.1}, duration=0.1, dt=0.01)
    legend = run.plot("configuration").axes[0].get_legend()
    assert legend is not None
    assert legend.get_texts()[-1].get_text() == "1 other, which moves less"


def test_an_exported_page_marks_impacts():
    """The title of a plot says that ticks are impacts."""
    system = bough.System("ball")
    system.world.tz("height", name="ball", mass=1.0)
    system.add(bough.PlaneContact("ball", radius=0.1, restitution=0.8, name="floor"))
    run = bough.simulate(system.build(), q={"height": 1.1}, duration=1.5, dt=0.01)
    (plot,) = page_plots(run, "gap", "test")
    marks = np.frombuffer(base64.b64decode(plot["marks"]), dtype="<f4")
    assert len(marks) == 2
    assert np.abs(marks - [impact.t for impact in run.impacts]).max() < 1e-6


def test_single_variables_and_rows_are_plotted() -> None:
    """What `run[name]` takes, `plot` takes too, each with its unit; a constraint with all of its rows."""
    system = bough.System("slider")
    pin = system.world.ry("crank").tx(0.1, mass=0.2)
    pin.ry("rod").tx(0.3, name="rod end", mass=0.4)
    system.world.tx("slide", name="slider", mass=1.0)
    system.add(bough.PointConstraint("rod end", "slider", axes=((1, 0, 0), (0, 0, 1)), name="wrist"))
    system.add(bough.ConfigurationForce("crank", "motor"))
    run = bough.simulate(
        system.build(), q={"slide": 0.4}, v={"crank": 20.0}, assemble=True, duration=0.1, dt=1e-3
    )
    names = ["crank", "v.slide", "p.slide", "u.motor", "lam.wrist[0]", "lam.wrist", "energy"]
    panels = all_panels(run, names, "")
    assert [(panel.title, panel.label, list(panel.lines)) for panel in panels[:-1]] == [
        ("crank", "q [rad]", [""]),
        ("v.slide", "v [m/s]", [""]),
        ("p.slide", "p", [""]),
        ("u.motor", "u [N m]", [""]),
        ("lam.wrist[0]", "lam [N]", [""]),
        ("lam.wrist", "lam [N]", ["wrist[0]", "wrist[1]"]),
    ]
    np.testing.assert_array_equal(panels[1].lines[""], run["v.slide"])
    assert len(run.plot(["crank", "lam.wrist"]).axes) == 2
