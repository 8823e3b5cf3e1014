"""The axes of a study come before what its problem names: they are kept, or the run says why not."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import bough
from support.messages import check_message

CRANK, ROD = 0.1, 0.3


def slider_crank() -> bough.System:
    system = bough.System("slider-crank")
    pin = system.world.ry("crank").tx(CRANK, name="crank pin", mass=0.2)
    pin.ry("rod").tx(system.parameter("rod length", ROD), name="rod end", mass=0.4)
    system.world.tx("slider", name="slider", mass=1.0)
    system.add(bough.PointConstraint("rod end", "slider", axes=((1, 0, 0), (0, 0, 1)), name="wrist pin"))
    return system


MODEL = slider_crank().build()
GIVEN = {"duration": 0.05, "dt": 0.01, "assemble": True}
ANGLES = np.array([0.2, 0.4, 0.6])


def position(crank: Any, rod: Any = ROD) -> Any:
    """Where the slider is."""
    return CRANK * np.cos(crank) + np.sqrt(rod**2 - (CRANK * np.sin(crank)) ** 2)


def speed(crank: Any) -> Any:
    """The slider's velocity by the crank's."""
    return (
        -CRANK * np.sin(crank) * (1 + CRANK * np.cos(crank) / np.sqrt(ROD**2 - (CRANK * np.sin(crank)) ** 2))
    )


@pytest.mark.parametrize(
    "base",
    [
        {"slider": position(0.5)},
        {"slider": position(0.5), "crank": 0.5},
        MODEL.assemble({"crank": 0.5}, hold="crank").q,
        MODEL.assemble({"crank": 0.5}, hold="crank"),
    ],
    ids=["another name", "names", "an array", "a state"],
)
def test_an_axis_varies_what_it_names(base: Any) -> None:
    """The slider follows, whatever the start of the problem says of it."""
    problem = bough.Problem(MODEL, base, **GIVEN)
    study = bough.ensemble(problem, {"q.crank": ANGLES, "v.crank": [0.0, 3.0]})
    assert study.failed == []
    np.testing.assert_array_equal(study.q[:, :, 0, 0], np.repeat(ANGLES[:, None], 2, axis=1))
    np.testing.assert_allclose(study.q[:, 0, 0, 2], position(ANGLES), rtol=1e-12)
    np.testing.assert_allclose(study.v[:, 1, 0, 0], 3.0, rtol=1e-12)
    np.testing.assert_allclose(study.v[:, 1, 0, 2], 3.0 * speed(ANGLES), rtol=1e-10)
    other = bough.ensemble(
        problem, {"q.crank": ANGLES, "v.crank": [0.0, 3.0]}, keep=lambda run: {"q0": run.q[0]}
    )
    np.testing.assert_array_equal(other["q0"], study.q[:, :, 0])


def test_what_was_named_last_comes_first() -> None:
    """Also after copies, other changes and pickling; in one call it is what is named first."""
    problem = bough.Problem(MODEL, {"slider": position(0.5)}, **GIVEN)
    moved = problem.replace(q={"crank": 0.3})
    for same in (moved, moved.replace(dt=0.005), pickle.loads(pickle.dumps(moved)).replace(duration=0.1)):
        assert same.q[0] == 0.3
        assert dict(same.arguments["q"]) == {"crank": 0.3, "slider": position(0.5)}
    back = moved.replace(q={"slider": position(0.4)})
    assert back.q[2] == position(0.4)
    assert back.q[0] == pytest.approx(0.4, rel=1e-12)


def test_parameters_move_what_the_problem_names_last() -> None:
    """The crank stays, the slider follows the length of the rod: nothing of it is an axis, and it is told."""
    problem = bough.Problem(MODEL, {"crank": 0.5, "slider": position(0.5)}, **GIVEN)
    with pytest.warns(bough.BoughWarning) as told:
        study = bough.ensemble(problem, {"parameter.rod length": [0.3, 0.35]})
    assert str(told[0].message) == (
        "1 of 2 runs of an ensemble of model 'slider-crank' start elsewhere than the problem says: in the first of"
        f" them, the constraints move 'slider' from {position(0.5):.6g} to {position(0.5, 0.35):.6g} to fit 'crank',"
        " named before it; name only what is to be kept; a guess goes into the start of the system, or into"
        " q=model.assemble(guess, hold=('crank',))"
    )
    np.testing.assert_array_equal(study.q[:, 0, 0], 0.5)
    np.testing.assert_allclose(study.q[:, 0, 2], position(0.5, np.array([0.3, 0.35])), rtol=1e-12)


@pytest.mark.parametrize("keep", [None, lambda run: {"end": run.q[-1, 0]}])
def test_a_run_that_cannot_start_where_its_axes_say_fails(keep: Any) -> None:
    problem = bough.Problem(MODEL, {"crank": 0.5}, **GIVEN)
    with pytest.warns(bough.BoughWarning) as told:
        study = bough.ensemble(problem, {"q.slider": [0.3, 0.8]}, keep=keep)
    why = "the constraints move 'slider' from 0.8 to 0.399978"  # the nearest to a crank of 0.5, by weight
    assert str(told[0].message) == (
        "1 of 2 runs of an ensemble of model 'slider-crank' failed, for they cannot start where their axes say: in the"
        f" first of them, {why}; study.messages has them all"
    )
    assert study.failed == [(1,)]
    assert study.messages == {(1,): f"q of a simulation of model 'slider-crank', by name: {why}"}
    with pytest.raises(bough.ModelError, match=why):
        study.rerun(1)


def test_velocities_of_an_axis_that_do_not_fit() -> None:
    problem = bough.Problem(MODEL, {"crank": 0.5}, **GIVEN)
    fitting = 2.0 * float(speed(0.5))
    with pytest.warns(bough.BoughWarning, match="1 of 2 runs of an ensemble"):
        study = bough.ensemble(problem, samples={"v.crank": [2.0, 2.0], "v.slider": [fitting, 1.0]})
    assert study.failed == [(1,)]
    assert f"turn the velocity 1 of 'slider' into {fitting:.6g}" in study.messages[(1,)]


def test_velocities_that_the_problem_names_and_its_runs_do_not_have() -> None:
    velocities = {"crank": 2.0, "slider": 2.0 * float(speed(0.5))}
    problem = bough.Problem(MODEL, {"crank": 0.5}, velocities, **GIVEN)
    with pytest.warns(
        bough.BoughWarning, match="1 of 2 runs .* start elsewhere than the problem says: .*'slider'"
    ):
        study = bough.ensemble(problem, {"q.crank": [0.5, 0.7]})
    assert study.failed == []
    np.testing.assert_allclose(study.v[:, 0, 0], 2.0, rtol=1e-12)


def test_axes_without_effect_end_the_study() -> None:
    problem = bough.Problem(MODEL, {"crank": 0.5}, **GIVEN)
    check_message(
        lambda: bough.ensemble(problem, {"q.crank": [0.1, 0.2], "q.slider": [0.3]}),
        "axes 'q.crank', 'q.slider' of an ensemble of model 'slider-crank'",
        f"no run can start where they say: in the first, the constraints move 'slider' from 0.3 to {position(0.1):.6g}"
        " to fit 'crank', named before it",
        "vary as many q and v as the mechanism has degrees of freedom, model.mobility(q): the others follow",
    )


def test_an_array_as_the_start_has_no_velocities_of_the_system() -> None:
    """If single values of it change, as if none does."""
    system = slider_crank()
    system.start = bough.Start(q={"slider": position(0.0)}, v={"crank": 1.0})
    model = system.build()
    problem = bough.Problem(model, MODEL.assemble({"crank": 0.5}, hold="crank").q, **GIVEN)
    assert not problem.v.any()
    assert not problem.replace(q={"crank": 0.6}).v.any()
