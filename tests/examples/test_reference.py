"""Every example of the reference runs, and every public name has one; systems of the gallery have a program each."""

from __future__ import annotations

import doctest
import inspect
import io
from pathlib import Path
from typing import Any

import pytest

import bough
from bough import peers
from bough.peers import mujoco, ode, pinocchio, states

MODULES = {"": bough, "control.": bough.control, "gallery.": bough.gallery}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
PUBLIC = {
    prefix + name: getattr(module, name)
    for prefix, module in MODULES.items()
    for name in module.__all__
    if inspect.isclass(getattr(module, name)) or inspect.isroutine(getattr(module, name))
}
PEERS = {
    "peers.with_inertia": peers.with_inertia,
    "peers.mujoco.MuJoCo": mujoco.MuJoCo,
    "peers.ode.OpenDynamicsEngine": ode.OpenDynamicsEngine,
    "peers.pinocchio.Pinocchio": pinocchio.Pinocchio,
    "peers.states.to_mujoco": states.to_mujoco,
    "peers.states.from_mujoco": states.from_mujoco,
    "peers.states.to_pinocchio": states.to_pinocchio,
    "peers.states.from_pinocchio": states.from_pinocchio,
}
ENGINES = {"mujoco": mujoco, "ode": ode, "pinocchio": pinocchio}
EXAMPLES = Path(__file__).parents[2] / "examples" / "gallery"


def examples(thing: Any, name: str) -> list[doctest.DocTest]:
    """The examples of a public name, with those of its methods."""
    found = doctest.DocTestFinder(recurse=False).find(thing, name, globs={})
    if inspect.isclass(thing):
        for own in dir(thing):
            member = inspect.getattr_static(thing, own)
            member = member.fget if isinstance(member, property) else member
            member = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if not own.startswith("_") and inspect.isfunction(member):
                found += doctest.DocTestFinder(recurse=False).find(member, f"{name}.{own}", globs={})
    return [each for each in found if each.examples]


@pytest.mark.filterwarnings("ignore::bough.BoughWarning")
@pytest.mark.parametrize("name", PUBLIC)
def test_examples_of_the_reference_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(PUBLIC[name], name)


def run(thing: Any, name: str) -> None:
    for each in examples(thing, name):
        out = io.StringIO()
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        runner.run(each, out=out.write)
        assert runner.failures == 0, out.getvalue()


@pytest.mark.parametrize(
    "name",  # the loops of Pinocchio are compiled for minutes
    [pytest.param(name, marks=pytest.mark.verify if "Pinocchio" in name else ()) for name in PEERS],
)
def test_examples_of_other_engines_run(name: str) -> None:
    for engine, module in ENGINES.items():
        if engine in name and module.installed_version() is None:
            pytest.skip(f"{engine} is not installed")
    run(PEERS[name], name)


def test_the_environment_of_gymnasium_has_an_example_that_runs() -> None:
    pytest.importorskip("gymnasium")
    from bough.gym import Environment

    assert ">>>" in (inspect.getdoc(Environment) or "")
    run(Environment, "gym.Environment")


@pytest.mark.parametrize("name", PUBLIC | PEERS)
def test_every_name_has_an_example(name: str) -> None:
    """Systems of the gallery have a program, which their pages show; its run is tested with the other programs."""
    if name.removeprefix("gallery.") in bough.gallery.names():
        assert (EXAMPLES / f"{name.removeprefix('gallery.')}.py").is_file()
    else:
        assert ">>>" in (inspect.getdoc((PUBLIC | PEERS)[name]) or "")
