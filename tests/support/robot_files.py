"""Robot descriptions that PyPI packages ship, and the maps between their variables and those of bough."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bough import System

# of example-robot-data
ROBOTS = (
    "panda_description/urdf/panda.urdf",  # mimic joint, prismatic fingers
    "ur_description/urdf/ur5_robot.urdf",  # a root link called world
    "anymal_c_simple_description/urdf/anymal.urdf",  # inertias that no body has
    "baxter_description/urdf/baxter.urdf",
    "talos_data/robots/talos_full_v2.urdf",  # mimic joints before those they follow
    "icub_description/robots/icub.urdf",
    "pr2_description/urdf/pr2.urdf",  # continuous, prismatic and mimic joints
    "tiago_description/robots/tiago.urdf",
    "go2_description/urdf/go2.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "kinova_description/robots/kinova.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "human_description/robots/human.urdf",
)

# of gymnasium and dm_control
GYMNASIUM = "gymnasium/envs/mujoco/assets/"
SUITE = "dm_control/suite/"
MODELS = (
    *(
        GYMNASIUM + name
        for name in ("ant.xml", "half_cheetah.xml", "hopper.xml", "humanoid.xml", "pusher_v5.xml")
    ),
    *(
        GYMNASIUM + name
        for name in ("reacher.xml", "swimmer.xml", "walker2d_v5.xml", "inverted_double_pendulum.xml")
    ),
    *(SUITE + name for name in ("acrobot.xml", "cheetah.xml", "dog.xml", "finger.xml", "humanoid_CMU.xml")),
    *(SUITE + name for name in ("manipulator.xml", "quadruped.xml", "stacker.xml", "walker.xml")),
    "dm_control/mujoco/testing/assets/model_with_ball_joints.xml",
    "dm_control/third_party/kinova/jaco_arm.xml",  # inertias of meshes
    "dm_control/locomotion/walkers/assets/rodent.xml",
)


def package_folder(package: str) -> Path | None:
    """The folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(package)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def urdf_file(name: str) -> Path:
    """A file of example-robot-data, or the test is skipped."""
    for place in map(Path, sys.path):
        file = place / "cmeel.prefix" / "share" / "example-robot-data" / "robots" / name
        if file.is_file():
            return file
    pytest.skip("example-robot-data is not installed: pip install 'bough[robots]'")


def mjcf_file(name: str) -> Path:
    """A file of gymnasium or dm_control, or the test is skipped."""
    package, _, rest = name.partition("/")
    folder = package_folder(package)
    if folder is None:
        pytest.skip(f"{package} is not installed: pip install 'bough[robots]'")
    return folder / rest


def quietly(load: Callable[..., System], path: Path, **options: Any) -> System:
    """The system of a file whose warnings are not the matter of the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load(path, **options)


def rotation(axis: int, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    i, j = ((1, 2), (2, 0), (0, 1))[axis]
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = -s, s
    return matrix


def euler(z: float, y: float, x: float) -> tuple[np.ndarray, np.ndarray]:
    """Rz Ry Rx, and the body angular velocity per rate of (z, y, x)."""
    rx, ry = rotation(0, x), rotation(1, y)
    rates = np.column_stack(((ry @ rx).T @ (0.0, 0.0, 1.0), rx.T @ (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)))
    return rotation(2, z) @ ry @ rx, rates
