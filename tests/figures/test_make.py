"""Pictures and their data, the command, and figures where no peer is installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bough
from bough.figures import FIGURES, figure, make
from bough.peers import mujoco, ode
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


def test_the_command_lists_and_makes(tmp_path: Path) -> None:
    code, listed, _ = console.run("bough figures --list")
    assert code == 0
    assert [line.split()[0] for line in listed.splitlines()] == list(FIGURES)
    code, made, _ = console.run(f"bough figures elastic_cable --short --out {tmp_path}")
    assert code == 0
    assert made.startswith(f"{tmp_path / 'elastic_cable.png'}  ")
    assert (tmp_path / "elastic_cable.npz").exists()
    code, _, said = console.run("bough figures elastic")
    assert code == 2
    assert "'elastic_cable'" in said
