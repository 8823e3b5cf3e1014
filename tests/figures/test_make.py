"""Pictures and their data, the command, and figures where no peer is installed."""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

import bough
from bough.figures import FIGURES, figure, make, pendulum_runtime
from bough.figures._engines import engines
from bough.gallery import pendulum
from bough.peers import compiler, mujoco, ode, pinocchio
from support import console


def test_every_figure_says_what_it_is() -> None:
    for name in FIGURES:
        module = figure(name)
        assert module.TITLE
        assert module.SOURCE
        assert module.__doc__


def test_a_picture_and_its_data(tmp_path: Path) -> None:
    path = make("elastic_cable", tmp_path / "new", short=True)
    assert path == tmp_path / "new" / "elastic_cable.png"
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    with np.load(tmp_path / "new" / "elastic_cable.npz") as saved:
        data = dict(saved)
    assert data["error"].shape == data["t"].shape
    redrawn = figure("elastic_cable").draw(data)  # what is saved is enough to draw it again
    redrawn.savefig(tmp_path / "again.png", dpi=110)
    assert (tmp_path / "again.png").read_bytes() == path.read_bytes()


def test_an_unknown_figure() -> None:
    with pytest.raises(bough.BoughError) as caught:
        make("closed_chain")
    assert str(caught.value).startswith("figure 'closed_chain' in bough.figures\n")
    assert "'closed_chain_energy'" in str(caught.value)


def test_without_peers_the_figure_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (ode, mujoco):
        monkeypatch.setattr(module, "installed_version", lambda: None)
    data = figure("closed_chain_energy").data(True)
    assert data["engines"] == ["bough"]
    assert data["notes"][:2] == [
        "ODE: not installed (Debian package libode-dev, with pkg-config and a C++ compiler)",
        "MuJoCo: not installed (pip install 'bough[peers]')",
    ]
    picture = figure("closed_chain_energy").draw(data)
    assert "not installed" in picture.get_supxlabel()


@pytest.fixture
def without_headers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Engines whose adapters a compiler refuses; what it was asked to compile."""
    asked: list[str] = []

    def compiled(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command[-1])
        said = "In file included from adapter.cpp:1:\nx.hpp:3:10: fatal error: Eigen/Core: no such file"
        return subprocess.CompletedProcess(command, 1, "", said)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(compiler, "_failed", {})
    monkeypatch.setattr(compiler.subprocess, "run", compiled)
    monkeypatch.setattr(compiler, "compiler", lambda: "cc")
    monkeypatch.setattr(compiler.shutil, "which", lambda name: f"/usr/bin/{name}")
    for module, source in ((ode, "ode.cpp"), (pinocchio, "pinocchio.cpp")):
        monkeypatch.setattr(module, "installed_version", lambda: "1.0")
        monkeypatch.setattr(module, "_load", lambda *_, source=source: compiler.library(source, []))
    return asked


def test_a_peer_that_cannot_be_built_is_left_out_and_the_figure_says_why(without_headers: list[str]) -> None:
    reason = "not built: cc says 'Eigen/Core: no such file'"
    data = figure("closed_chain_energy").data(True)
    assert "ODE" not in data["engines"]
    assert "bough" in data["engines"]
    assert [line for line in data["notes"] if "not built" in line] == [f"ODE: {reason}"]
    assert len(without_headers) == 1


def test_a_peer_is_not_compiled_in_vain_twice(without_headers: list[str]) -> None:
    model, notes = pendulum(2, inertia=0.1).build(), []
    for _ in range(3):
        assert pendulum_runtime._pinocchio(model, notes) == {}
        assert list(engines(model, 0.01, ("ODE",), notes)) == []
    assert len(without_headers) == len(notes) == 2
    assert notes[0] == "Pinocchio: not built: cc says 'Eigen/Core: no such file'"


def test_without_a_compiler_the_figure_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setattr(compiler, "_failed", {})
    with pytest.raises(compiler.PeerError) as caught:
        compiler.library("ode.cpp", [])
    assert caught.value.reason == "not built: no C++ compiler 'no-such-compiler'"


def test_warnings_of_one_kind_are_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = figure("elastic_cable")
    usual = module.data

    def data(short: bool) -> object:
        for steps in range(15):
            warnings.warn(f"{steps} coarse steps", bough.CoarseStepWarning, stacklevel=1)
        warnings.warn("something else", UserWarning, stacklevel=1)
        return usual(short)

    monkeypatch.setattr(module, "data", data)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make("elastic_cable", tmp_path, short=True)
    assert [str(warning.message) for warning in caught] == [
        "0 coarse steps (the first of 15 such warnings of this figure)",
        "something else",
    ]


def test_the_command_lists_and_makes(tmp_path: Path) -> None:
    code, listed, _ = console.run("bough figures --list")
    assert code == 0
    assert [line.split()[0] for line in listed.splitlines()] == list(FIGURES)
    code, bare, _ = console.run("bough figures")  # lists them as well, and makes none
    assert code == 0
    assert bare.splitlines()[:-1] == listed.splitlines()
    assert bare.splitlines()[-1].startswith("bough figures NAME makes one of them")
    code, made, _ = console.run(f"bough figures elastic_cable --short --out {tmp_path}")
    assert code == 0
    assert made.startswith(f"{tmp_path / 'elastic_cable.png'}  ")
    assert (tmp_path / "elastic_cable.npz").exists()
    code, _, said = console.run("bough figures elastic")
    assert code == 2
    assert "'elastic_cable'" in said
