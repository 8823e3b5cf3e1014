"""Elements of a user that cannot work: the exact text of every message."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough import FunctionForce, Model, ModelError, System, kinematic
from support.messages import Case, check_message


def arm(element: Any) -> Model:
    system = System("arm")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    system.world.tx(kinematic("rail"), name="anchor")
    system.add(element)
    return system.build()


def potential(energy: Callable[[Any], Any], **methods: Any) -> Any:
    return type("Mine", (bough.Potential,), {"energy": lambda self, at: energy(at), **methods})(name="own")


def force(function: Callable[[Any], Any], **methods: Any) -> Any:
    return type("Push", (bough.Force,), {"force": lambda self, at: function(at), **methods})()


def value(function: Callable[[Any], Any], **methods: Any) -> Any:
    return type("Hold", (bough.Constraint,), {"value": lambda self, at: function(at), **methods})()


q, v = np.array([0.1, 0.2, 0.3]), np.zeros(3)

# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "energy that is no number": (
        lambda: arm(potential(lambda at: at.q)).potential_energy(q),
        "energy of Mine 'own'",
        "shape (3,)",
        "return a number",
    ),
    "energy that is text": (
        lambda: arm(potential(lambda at: "much")).potential_energy(q),
        "energy of Mine 'own'",
        "str that is not made of numbers",
        "return a number",
    ),
    "energy that is nothing": (
        lambda: arm(potential(lambda at: None)).potential_energy(q),
        "energy of Mine 'own'",
        "nothing",
        "return a number",
    ),
    "energy that is complex": (
        lambda: arm(potential(lambda at: 1j)).potential_energy(q),
        "energy of Mine 'own'",
        "complex numbers",
        "return a number",
    ),
    "force of the wrong shape": (
        lambda: arm(force(lambda at: [1.0, 2.0])).generalized_force(q, v),
        "force of Push",
        "shape (2,)",
        "return an array of shape (3,), or a dictionary with names of variables as keys",
    ),
    "hessian of the wrong shape": (
        lambda: arm(potential(lambda at: 0.0, hessian=lambda self, at: np.zeros(3))).L_dqdq(q, v),
        "hessian of Mine 'own'",
        "shape (3,)",
        "return an array of shape (3, 3), or a dictionary with names of variables as keys",
    ),
    "rows of a constraint": (
        lambda: arm(value(lambda at: [1.0, 2.0, 3.0], rows=2)).constraint(q),
        "value of Hold",
        "shape (3,)",
        "return an array of shape (2,)",
    ),
    "force on an unknown variable": (
        lambda: arm(force(lambda at: {"fourarm": 1.0})).generalized_force(q, v),
        "variable 'fourarm' in force of Push",
        "no variable has this name; the nearest is 'forearm'",
        "correct the spelling",
    ),
    "unknown variable": (
        lambda: arm(potential(lambda at: at.q["fourarm"])).potential_energy(q),
        "variable or input 'fourarm' in an element",
        "no variable or input has this name; the nearest is 'forearm'",
        "correct the spelling",
    ),
    "unknown frame": (
        lambda: arm(potential(lambda at: at.position("top")[2])).potential_energy(q),
        "frame 'top' in model 'arm'",
        "no frame has this name; the nearest is 'tip'",
        "correct the spelling",
    ),
    "velocities in a potential": (
        lambda: arm(potential(lambda at: at.v["forearm"])).potential_energy(q),
        "velocities in Mine 'own'",
        "it may not depend on velocities",
        "write it as a force",
    ),
    "time in a potential": (
        lambda: arm(potential(lambda at: at.t)).potential_energy(q),
        "time in Mine 'own'",
        "it may not depend on time",
        "write it as a force",
    ),
    "inputs in a constraint": (
        lambda: arm(value(lambda at: at.u["motor"])).constraint(q),
        "inputs in Hold",
        "it may not depend on inputs",
        "use inputs in forces only",
    ),
    "unknown way to a derivative": (
        lambda: arm(potential(lambda at: 0.0, derivatives="compex")).L_dq(q, v),
        "way 'compex' in derivatives of Mine 'own'",
        "no way has this name; the nearest is 'complex'",
        "correct the spelling",
    ),
    "function that is none": (
        lambda: FunctionForce("forearm", 3.0),  # type: ignore[arg-type]
        "function=3.0 in FunctionForce",
        "not a function",
        "give a function of (t, q, v)",
    ),
    "function for a kinematic variable": (
        lambda: arm(FunctionForce("rail", lambda t, q, v: 0.0)),
        "variable 'rail' in field 'variables' of FunctionForce",
        "'rail' is a kinematic variable: its motion is prescribed, and no force changes it",
        "name a dynamic variable",
    ),
    "function with too many numbers": (
        lambda: arm(FunctionForce(("shoulder", "forearm"), lambda t, q, v: [1, 2, 3])).generalized_force(
            q, v
        ),
        "function of FunctionForce",
        "3 numbers for 2 variables",
        "return one number for each variable, in their order",
    ),
    "check of something else": (
        lambda: bough.check(System("arm")),  # type: ignore[arg-type]
        "check of System",
        "not a model",
        "give a model, made by system.build()",
    ),
    "unknown class in a description": (
        lambda: System.from_dict({"name": "arm", "frames": [], "elements": [{"type": "Quadrupole"}]}),
        "element type 'Quadrupole' in a description",
        "no class of this name is known",
        "import the module that defines class Quadrupole first",
    ),
    "unknown function in a description": (
        lambda: System.from_dict(
            {
                "name": "arm",
                "frames": [{"parent": 0, "transform": "tx", "parameter": "x", "mass": 1.0}],
                "elements": [
                    {"type": "FunctionForce", "variables": "x", "function": {"python": "mine:push"}}
                ],
            }
        ),
        "function 'mine:push' of a description",
        "no function of this name in a module that is imported",
        "import its module first",
    ),
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("os:abort", "not a function that is written in Python"),
        ("builtins:exec", "not a function that is written in Python"),
        ("bough:System", "not a function that is written in Python"),
        ("shutil:rmtree", "a function of 'shutil', not of a module of yours"),
        ("numpy:save", "a function of 'numpy"),
        ("bough.validate:shown", "a function of 'bough', not of a module of yours"),
        (f"{__name__}:check_message", f"a function of 'support.messages', not of {__name__!r}"),
        ("sys:modules.clear", "not a function that is written in Python"),
    ],
)
def test_a_description_names_only_functions_of_the_user(path: str, found: str) -> None:
    """A description may come from anywhere: what it names is called with numbers of the motion."""
    data = {
        "name": "arm",
        "frames": [{"parent": 0, "transform": "tx", "parameter": "x", "mass": 1.0}],
        "elements": [{"type": "FunctionForce", "variables": "x", "function": {"python": path}}],
    }
    with pytest.raises(ModelError) as caught:
        System.from_dict(data)
    assert found in caught.value.found


PUSH = "def push(t, q, v):\n    return 1.0\n"


@pytest.mark.parametrize("text", [PUSH, "import bough\n" + PUSH, "from bough import System\n" + PUSH])
@pytest.mark.parametrize("folder", ["site-packages", "mine"])
def test_of_installed_packages_only_those_that_use_bough(
    text: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / folder / "pushers"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(text)
    (package / "inner.py").write_text(PUSH)
    monkeypatch.syspath_prepend(str(package.parent))
    for name in ("pushers", "pushers.inner"):
        monkeypatch.setitem(sys.modules, name, None)  # so that it is forgotten after the test
        del sys.modules[name]
        importlib.import_module(name)
    data: dict[str, Any] = {
        "name": "arm",
        "frames": [{"parent": 0, "transform": "tx", "parameter": "x", "mass": 1.0}],
        "elements": [
            {"type": "FunctionForce", "variables": "x", "function": {"python": "pushers.inner:push"}}
        ],
    }
    if folder == "mine" or "bough" in text:
        assert bough.simulate(System.from_dict(data).build(), duration=0.1).v[-1, 0] == pytest.approx(0.1)
        return
    with pytest.raises(ModelError) as caught:
        System.from_dict(data)
    assert caught.value.found.startswith(
        "a function of 'pushers', an installed package that does not use bough:"
    )


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])


def test_a_file_whose_class_is_not_imported_says_so(tmp_path: Any, monkeypatch: Any) -> None:
    mine = potential(lambda at: 0.0, gradient=lambda self, at: {}, hessian=lambda self, at: {})
    path = bough.simulate(arm(mine), duration=0.05).save(tmp_path / "run.npz")
    monkeypatch.delitem(bough.description.element._kinds, "Mine")
    with pytest.raises(bough.ParseError) as caught:
        bough.load_trajectory(path)
    assert caught.value.do.startswith("import the module that defines class Mine first")
