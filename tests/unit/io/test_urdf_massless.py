"""URDF: joints and links that move no mass."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("yourdfpy", reason="yourdfpy is not installed: pip install 'bough[urdf]'")

import bough
from bough import BoughWarning
from support.urdf_text import joint, links, load

MASSLESS = '<link name="{}"/>'


def _gripper() -> str:
    """An arm whose fingers have no mass; the second follows the first, the third is behind a hinge."""
    empty = "".join(MASSLESS.format(name) for name in ("left", "right", "tip"))
    return (
        links("base", "arm")
        + empty
        + joint("continuous", "base", "arm", name="shoulder")
        + joint("prismatic", "arm", "left", name="grip")
        + joint("prismatic", "arm", "right", '<mimic joint="grip" multiplier="-1" offset="0.25"/>', "grip2")
        + joint("continuous", "left", "tip", name="turn")
    )


def test_joints_that_move_no_mass_are_named_with_the_option(tmp_path: Path):
    with pytest.warns(BoughWarning) as caught:
        system = load(tmp_path, _gripper())
    assert [str(warning.message) for warning in caught] == [
        "robot.urdf: joints that move no mass, which build() refuses: 'grip', 'grip2', 'turn'; load the file"
        " with massless='merge' to keep them at zero, or with massless=1e-06 to give their links this mass"
        " and inertia, in kg and kg m²"
    ]
    with pytest.raises(bough.ModelError, match="massless='merge'"):
        system.build()


def test_joints_that_move_no_mass_are_kept_at_zero(tmp_path: Path):
    with pytest.warns(
        BoughWarning, match="joints that move no mass are kept at zero: 'grip', 'grip2', 'turn'"
    ):
        model = load(tmp_path, _gripper(), massless="merge").build()
    assert model.variables == ("shoulder",)
    assert model.pose("right", {"shoulder": 0.0})[0, 3] == 0.25  # the offset of the follower


def test_links_without_mass_get_the_least(tmp_path: Path):
    with pytest.warns(
        BoughWarning, match="links without mass have 0.001 kg and 0.001 kg m²: 'left', 'right', 't"
    ):
        model = load(tmp_path, _gripper(), massless=0.001).build()
    assert model.variables == ("shoulder", "grip", "turn")
    mass = model.mass_matrix(np.zeros(3))
    np.testing.assert_allclose(np.diag(mass)[1:], (0.003, 0.001), rtol=1e-14)  # left, tip and right; tip


def test_a_finger_that_moves_mass_with_another_is_no_finger_without(tmp_path: Path):
    content = (
        links("base", "arm")
        + MASSLESS.format("pointer")
        + joint("revolute", "base", "arm", name="shoulder")
        + joint("revolute", "arm", "pointer", '<mimic joint="shoulder"/>', "follower")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load(tmp_path, content).build().variables == ("shoulder",)


def _floating_gripper(multiplier: float) -> str:
    """A root without mass, and two fingers without mass that slide together."""
    return (
        "".join(MASSLESS.format(name) for name in ("palm", "left", "right"))
        + joint("prismatic", "palm", "left", name="grip")
        + joint("prismatic", "palm", "right", f'<mimic joint="grip" multiplier="{multiplier:g}"/>', "grip2")
    )


@pytest.mark.parametrize("multiplier", [1.0, -1.0])
def test_a_floating_root_without_mass_gets_the_least(tmp_path: Path, multiplier: float):
    """With a root of no mass, fingers that slide alike move as the root does: M is singular."""
    with pytest.warns(BoughWarning) as caught:
        model = load(tmp_path, _floating_gripper(multiplier), floating=True, massless=1e-6).build()
    assert [str(warning.message) for warning in caught] == [
        "robot.urdf: the floating root 'palm' has 1e-06 kg and 1e-06 kg m², as neither it nor a link fixed to it"
        " has mass",
        "robot.urdf: links without mass have 1e-06 kg and 1e-06 kg m²: 'left', 'right'",
    ]
    M = model.mass_matrix(model.integrate(model.neutral(), 0.1 * np.arange(1.0, 8.0)))
    assert np.linalg.eigvalsh(M)[0] > 1e-7  # of 3e-6 kg in all
    run = bough.simulate(model, v={"grip": 0.1}, duration=0.1, dt=0.01)
    assert run.status == "finished"


def test_a_floating_root_with_mass_fixed_to_it_is_left_alone(tmp_path: Path):
    content = (
        MASSLESS.format("base") + links("body", "arm")
        + joint("fixed", "base", "body")
        + joint("continuous", "body", "arm", name="shoulder")
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = load(tmp_path, content, floating=True, massless=1e-6).build()
    assert model.total_mass == load(tmp_path, content, floating=True).build().total_mass


def test_massless_is_merge_or_a_number(tmp_path: Path):
    for wrong in ("join", 0.0, -1e-6, True):
        with pytest.raises(bough.ModelError) as caught:
            load(tmp_path, links("base"), massless=wrong)
        assert caught.value.found == "neither 'merge' nor a number above zero"
