"""Messages of ensembles."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from support.messages import Case, check_message
from support.studies import ARM, HOPPER, TOP

PROBLEM = bough.Problem(ARM, duration=0.1)
WHERE = "an ensemble of model 'arm'"
ERRORS: list[Case] = [
    (
        lambda: bough.ensemble(ARM, {"q.shoulder": [1.0]}),  # type: ignore[arg-type]
        f"ensemble({ARM!r}, ...)",
        "not a problem",
        "give bough.Problem(model, q=..., duration=..., dt=...)",
    ),
    (
        lambda: bough.ensemble(PROBLEM),
        WHERE,
        "neither axes nor samples",
        "give axes such as {'q.angle': [0.1, 0.2]}, all combinations of which are run, or samples=table, one run"
        " for each row",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"q.sholder": [1.0]}),
        "variable 'sholder' in axis 'q.sholder' of an ensemble of model 'arm'",
        "no variable has this name; the nearest is 'shoulder'",
        "correct the spelling",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"q.shoulder": [1.0, float("nan")]}),
        "axis 'q.shoulder' in an ensemble of model 'arm'",
        "value 1 is nan",
        "give finite numbers",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"q.shoulder": []}),
        "axis 'q.shoulder' = [] in an ensemble of model 'arm'",
        "not one or more values",
        "give a list or an array, such as [0.1, 0.2]",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"k.shoulder": [1.0]}),
        "axis 'k.shoulder' in an ensemble of model 'arm'",
        "the model has no kinematic variables",
        "vary something else",
    ),
    (
        lambda: bough.ensemble(
            bough.Problem(bough.gallery.pendulum(1).build(), duration=0.1), {"parameter.length": [1.0]}
        ),
        "axis 'parameter.length' in an ensemble of model 'pendulum'",
        "the model has no parameters",
        "name a number of the system, system.parameter('length', VALUE), and put it where the number stands",
    ),
    (
        lambda: bough.ensemble(PROBLEM, samples={"q.shoulder": [1, 2], "v.shoulder": [1]}),
        "samples of an ensemble of model 'arm'",
        "columns of different lengths: q.shoulder 2, v.shoulder 1",
        "give each column as many values as there are runs",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"v.shoulder": [1.0], "p.forearm": [1.0]}),
        "axes 'v.shoulder' and 'p.forearm' in an ensemble of model 'arm'",
        "both velocities and momenta",
        "vary one of them",
    ),
    (
        lambda: bough.ensemble(PROBLEM.replace(p=[0.1, 0.0]), {"v.shoulder": [1.0]}),
        "axis 'v.shoulder' in an ensemble of model 'arm'",
        "a problem that is given momenta, p",
        "vary p, or leave p out of the problem",
    ),
    (
        lambda: bough.ensemble(PROBLEM.replace(v=[0.1, 0.0]), {"p": [[1.0, 0.0]]}),
        "axis 'p' in an ensemble of model 'arm'",
        "a problem that is given velocities, v",
        "vary v, or leave v out of the problem",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"q": [[1.0, 0.0]], "q.forearm": [1.0]}),
        "axes 'q' and 'q.forearm' in an ensemble of model 'arm'",
        "'q' gives all of them",
        "vary 'q', or single ones",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"dt": [0.01, 0.02], "q.forearm": [1.0]}),
        WHERE,
        "axis 'dt', with which motions have instants of their own",
        "give keep=, a function of each run that returns the numbers to keep",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"q.shoulder": [1.0]}, workers=0),
        "workers=0 in ensemble",
        "not a whole number above zero",
        "give the number of threads, or leave workers out for all cores",
    ),
    (
        lambda: bough.ensemble(
            PROBLEM, {"q": [{"shoulder": np.float64(0.1), "forearm": 1 / 3}, [1, 2, 3], 3]}
        ),
        "axis 'q' = [{'shoulder': 0.1, 'forearm': 0.333333}, [1, 2, ...], ...] in an ensemble of model 'arm'",
        "not one or more rows",
        "give a list or an array of rows of 2 numbers each, in the order of model.variables, or of mappings from names"
        " to numbers",
    ),
    (
        lambda: bough.ensemble(bough.Problem(TOP, duration=0.1), {"q": (0.5,)}),
        "axis 'q' = (0.5) in an ensemble of model 'top'",
        "not one or more rows",
        "give a list or an array of rows of 11 numbers each, in the order of model.coordinates, or of mappings from"
        " names to numbers",
    ),
    (
        lambda: bough.ensemble(bough.Problem(TOP, duration=0.1), {"v.shoulder": [0.5]}),
        "axis 'v.shoulder' = [0.5] in an ensemble of model 'top'",
        "not one or more rows",
        "give a list or an array of rows of 3 numbers each",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"q": [{"shoulder": 0.1}, {"sholder": 0.1}]}),
        "variable 'sholder' in row 1 of axis 'q' in an ensemble of model 'arm'",
        "no variable has this name; the nearest is 'shoulder'",
        "correct the spelling",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"v": [{"shoulder": float("inf")}]}),
        "row 0 of axis 'v' in an ensemble of model 'arm'",
        "inf for 'shoulder'",
        "give finite numbers",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"load": [0.1]}),
        "axis 'load' in an ensemble of model 'arm'",
        "no axis has this name; the model has a parameter 'load'",
        "did you mean 'parameter.load'?",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"shoulder": [0.1]}),
        "axis 'shoulder' in an ensemble of model 'arm'",
        "no axis has this name; the model has a variable 'shoulder'",
        "did you mean 'q.shoulder'?",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"torqe": [0.1]}),
        "axis 'torqe' in an ensemble of model 'arm'",
        "no axis has this name; the model has an input 'torque'",
        "did you mean 'u.torque'?",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"q.load": [0.1]}),
        "axis 'q.load' in an ensemble of model 'arm'",
        "no axis has this name; the model has a parameter 'load'",
        "did you mean 'parameter.load'?",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"params.load": [0.1]}),
        "axis 'params.load' in an ensemble of model 'arm'",
        "no axis has this name; the model has a parameter 'load'",
        "did you mean 'parameter.load'?",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"durtion": [0.1]}),
        "axis 'durtion' in an ensemble of model 'arm'",
        "no axis has this name; the nearest is 'duration'",
        "correct the spelling",
    ),
    (
        lambda: bough.Problem(HOPPER, duration=0.1),
        "start of a simulation of model 'hopper'",
        "q is beyond 2 contacts: 'floor' by 0.1 m, 'string' by 0.05 m",
        "start where all gaps are open: model.assemble(q=...) finds the nearest q (simulate: assemble=True); a Problem"
        " needs a valid start of its own, q=, even if 'q' is an axis of bough.ensemble: give one of its values",
    ),
    (
        lambda: bough.Problem(HOPPER, {"z": 0.0}, duration=0.1),
        "start of a simulation of model 'hopper'",
        "q is beyond 2 contacts: 'floor' by 0.1 m, 'string' by 0.05 m",
        "start where all gaps are open: model.assemble(q=...) finds the nearest q (simulate: assemble=True)",
    ),
    (
        lambda: bough.simulate(ARM, np.zeros((1000, 2)), duration=0.1),
        "q of a simulation of model 'arm'",
        "shape (1000, 2), but the model has 2 variables",
        "give 2 numbers, or a mapping from names to numbers; many starts are"
        " bough.ensemble(bough.Problem(...), {'q': rows})",
    ),
]


@pytest.mark.parametrize("case", ERRORS)
def test_messages(case: Case) -> None:
    check_message(*case)
