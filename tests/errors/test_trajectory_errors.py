"""Trajectories that cannot be, and what they refuse: the exact text of every message."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from bough import BoughError, ModelError, Trajectory, load_trajectory
from support.damaged_runs import WRITTEN, pendulum, run
from support.messages import Case, check_message

nan = float("nan")


# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "column": (
        lambda: run(pendulum())["angel"],
        "variable 'angel' in model 'pendulum'",
        "no variable has this name; the nearest is 'angle'",
        "correct the spelling",
    ),
    "slice": (
        lambda: run(pendulum())[20:],
        "run[20:] of a trajectory",
        "no row of 11 is in this range",
        "choose rows from 0 to 10",
    ),
    "panel": (
        lambda: run(pendulum()).plot("positions"),
        "panel 'positions' in plot() of a trajectory of 'pendulum'",
        "no panel has this name; the names are 'configuration', 'velocity', 'energy',"
        " 'constraint', 'multiplier', 'gap', 'contact', 'input', 'motor', 'angle'",
        "use one of these names",
    ),
    "no panel": (
        lambda: run(pendulum()).plot("constraint"),
        "plot('constraint') of a trajectory of 'pendulum'",
        "nothing of this kind in the model",
        "choose from configuration, velocity, energy",
    ),
    "suffix": (
        lambda: run(pendulum()).save("run.JSON"),
        "a trajectory in 'run.JSON'",
        "the suffix '.JSON', of no kind of file that holds a trajectory",
        "use one of '.npz', '.csv', '.nc'",
    ),
    "MATLAB": (
        lambda: run(pendulum()).save("run.mat"),
        "a trajectory in 'run.mat'",
        "the suffix '.mat', of no kind of file that holds a trajectory",
        "use one of '.npz', '.csv', '.nc'; for MATLAB: scipy.io.savemat(path, {'t': run.t, 'q': run.q, 'v':"
        " run.v})",
    ),
    "no folder": (
        lambda: run(pendulum()).save("missing/folder/run.npz"),
        "a file at 'missing/folder/run.npz'",
        "there is no folder 'missing/folder'",
        "make the folder first, or give a path in one that exists",
    ),
    "no path": (
        lambda: load_trajectory(pendulum()),
        "load_trajectory(<Model 'pendulum': 1 dynamic and 0 kinematic variables, 3 frames>)",
        "not a path",
        WRITTEN,
    ),
    "rerun of part": (
        lambda: run(pendulum())[:3].rerun(),
        "rerun() of a trajectory",
        "a part of a run, or numbers that no simulation made",
        "rerun the whole trajectory that simulate() returned or load_trajectory() read",
    ),
    "trajectory shape": (
        lambda: Trajectory(pendulum(), [0.0, 1.0], [[0.0]]),
        "q of a trajectory",
        "shape (1, 1)",
        "give an array of shape (2, 1)",
    ),
    "trajectory empty": (
        lambda: Trajectory(pendulum(), [], []),
        "t of a trajectory",
        "no rows",
        "give one instant or more",
    ),
    "trajectory status": (
        lambda: Trajectory(pendulum(), [0.0], [[0.0]], status="done"),
        "Trajectory",
        "status 'done'",
        "use one of finished, event, failed, interrupted",
    ),
    "nan t": (
        lambda: Trajectory(pendulum(), [0.0, nan], [[0.0], [1.0]]),
        "t of a trajectory",
        "a number in row 1 that is not finite",
        "give finite numbers",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])


def test_rerun_checks_what_drives_it() -> None:
    model = pendulum()
    made = run(model)
    odd = Trajectory(
        model,
        made.t,
        made.q,
        v=made.v,
        settings=made.settings,
        driving=(np.zeros((0, 0)), np.zeros((3, 1)), None),
    )
    with pytest.raises(ModelError) as caught:
        odd.rerun()
    assert str(caught.value) == (
        "rerun()\n"
        "  found: kinematic values of shape (3, 1) for 10 steps and 0 kinematic variables\n"
        "  do: give a run as simulate() made it"
    )


def test_message_without_xarray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(BoughError) as caught:
        run(pendulum()).to_xarray()
    assert str(caught.value) == (
        "to_xarray() of a trajectory\n"
        "  found: the package xarray is not installed\n"
        "  do: install it: pip install 'bough[xarray]'"
    )
