"""The lessons of `bough lab` against closed forms; every end of every slider gives something to look at."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import bough
from bough.lab import LESSONS, Shown, open_lab
from bough.lab import cat as cat_lesson
from bough.lab.catenary import catenary
from bough.lab.loop import freudenstein
from bough.view._charts import places


def shown(name: str, **values: float) -> Shown:
    lesson = LESSONS[name]
    given = {key.split(" ")[0]: key for key in lesson.sliders}
    return lesson.compute(lesson.start() | {given[key]: value for key, value in values.items()})


LONG = ("loop", "catenary")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.verify if name in LONG else ()) for name in LESSONS]
)
def test_the_ends_of_all_sliders(name: str) -> None:
    lesson = LESSONS[name]
    for ends in itertools.product(*((slider.low, slider.high) for slider in lesson.sliders.values())):
        result = lesson.compute(dict(zip(lesson.sliders, ends, strict=True)))
        assert np.isfinite(result.run.q).all()
        for curve in result.curves:
            assert {len(line) for line in curve.lines.values()} == {len(curve.x)}
        assert all(result.numbers.values())


def test_energy_of_the_variational_rule_is_in_a_band_and_that_of_rk4_drifts() -> None:
    curve = shown("energy", step=0.05).curves[0]
    halves = {
        name: [np.abs(part).max() for part in np.array_split(line, 2)] for name, line in curve.lines.items()
    }
    assert halves["variational"][1] < 1.2 * halves["variational"][0]
    assert halves["Runge-Kutta 4"][1] > 1.7 * halves["Runge-Kutta 4"][0]


def test_the_lift_errs_with_the_square_of_the_step() -> None:
    errors = []
    for step in (0.004, 0.002):
        lines = shown("lift", segments=3, step=step).curves[0].lines
        errors.append(np.abs(lines["simulated"] - lines["exact"]).max())
    assert 3.5 < errors[0] / errors[1] < 4.5
    assert shown("lift", segments=3).numbers["redundant rows at θ = π/2"] == "3"


def test_the_turn_of_the_cat_depends_on_the_shape_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    once = shown("cat", rounds=1).curves[0].lines[""][-1]
    back = shown("cat", rounds=-1).curves[0].lines[""][-1]
    assert abs(once) > 1.0
    assert back == pytest.approx(-once, abs=1e-9)
    for name in ("TURN", "RAMP", "STEP", "PAUSE"):
        monkeypatch.setattr(cat_lesson, name, 0.5 * getattr(cat_lesson, name))
    assert shown("cat", rounds=1).curves[0].lines[""][-1] == pytest.approx(once, abs=1e-9)  # twice as fast


def test_chains_come_near_the_catenary_with_the_square_of_their_links() -> None:
    x = np.linspace(0.0, 1.5, 2001)
    z = catenary(x, 1.5, 2.0)
    assert np.hypot(np.diff(x), np.diff(z)).sum() == pytest.approx(2.0, abs=1e-6)  # as long as the chain
    errors = []
    for links in (10, 20):
        lines = shown("catenary", links=links).curves[0].lines
        errors.append(np.abs(lines["chain"] - lines["catenary"]).max())
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_the_string_carries_weight_and_inertia() -> None:
    result = shown("strings", A=0.2, frequency=0.8, mass=2.0)
    lines = result.curves[0].lines
    np.testing.assert_allclose(lines["simulated"], lines["m (g + z″)"], atol=1e-3 * 2.0 * 9.81)
    assert result.numbers["the string"] == "is taut"
    assert shown("strings", A=0.5, frequency=1.0).numbers["the string"] == "would push: slack"


def test_the_rocker_obeys_freudenstein() -> None:
    result = shown("loop")
    lines = result.curves[0].lines
    np.testing.assert_allclose(lines["assembled"], lines["Freudenstein"], atol=1e-9)
    assert result.numbers["the crank"] == "turns"
    # the pin closes in the plane: its distance from the end of the crank is the coupler
    angle = np.linspace(0.0, 6.0, 50)
    rocker = freudenstein(angle, 0.3, 1.0, 0.7)
    crank_end = 0.3 * np.stack((np.cos(angle), -np.sin(angle)))
    pin = np.stack((1.0 + 0.7 * np.cos(rocker), -0.7 * np.sin(rocker)))
    np.testing.assert_allclose(np.hypot(*(pin - crank_end)), 1.0, atol=1e-12)


def test_an_unknown_lesson_is_named() -> None:
    with pytest.raises(bough.BoughError, match=r"lesson .katenary."):
        open_lab("katenary")


def test_a_lesson_starts_at_the_values_of_its_sliders() -> None:
    for lesson in LESSONS.values():
        assert lesson.start() == {name: slider.value for name, slider in lesson.sliders.items()}
        assert all(slider.low <= slider.value <= slider.high for slider in lesson.sliders.values())


def test_a_line_has_one_colour_in_all_plots_of_a_lesson() -> None:
    assert places(("variational", "Euler", "Runge-Kutta"), ()) == [0, 1, 2]
    assert places(("variational", "Runge-Kutta"), ("variational", "Euler", "Runge-Kutta")) == [0, 2]
    assert places(("other", "Euler"), ("variational", "Euler")) == [0, 1]
    assert places(("a", "variational", "b"), ("variational",)) == [1, 0, 2]
    assert max(places(tuple("abcdefghij"), ())) < 7  # colours repeat when there are no more
