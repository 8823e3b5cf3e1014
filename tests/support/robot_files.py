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
