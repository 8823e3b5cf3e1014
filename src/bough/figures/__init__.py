"""The figures of the papers and of this project, each reproduced beside the engines that are installed.

Every figure is one module with a `TITLE`, the `SOURCE` it stands in, `data(short)`, which computes arrays,
and `draw(data)`, which needs nothing but these arrays. `make` saves them as NAME.npz beside the picture
NAME.png.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.errors import unknown_name, warn
from bough.write import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = (
    "pendulum_runtime",
    "pendulum_methods",
    "pendulum_energy",
    "closed_chain_energy",
    "scissor_lift_motion",
    "scissor_lift_long",
    "scissor_lift_runtime",
    "cable_snapshots",
    "elastic_cable",
    "work_precision",
    "marionette_energy",
)

Data = dict[str, Any]


def figure(name: str) -> ModuleType:
    """The module of a figure."""
    if name not in FIGURES:
        raise unknown_name("figure", name, FIGURES, "bough.figures")
    return importlib.import_module(f"bough.figures.{name}")


def make(name: str, out: str | Path = ".", short: bool = False) -> Path:
    """Compute a figure, save its data as NAME.npz and its picture as NAME.png, and return the latter's path.

    Parameters
    ----------
    name : str
        One of `FIGURES`.
    out : path
        A directory, created if missing.
    short : bool
        A shortened run that shows the same in a few seconds.
    """
    module = figure(name)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    with _together():
        data: Data = module.data(short)
    arrays: Any = {key: np.asarray(value) for key, value in data.items()}
    with replacing(folder / f"{name}.npz") as part:
        np.savez_compressed(part, **arrays)
    return save(module.draw(data), folder / f"{name}.png")


@contextmanager
def _together() -> Iterator[None]:
    """Merge warnings of one kind: figures that compare steps take some that are too long on purpose."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    kinds: dict[type[Warning], list[str]] = {}
    for entry in caught:
        kinds.setdefault(entry.category, []).append(str(entry.message))
    for kind, texts in kinds.items():
        more = f" (the first of {len(texts)} such warnings of this figure)" if len(texts) > 1 else ""
        warn(texts[0] + more, kind)


def save(picture: Figure, path: Path) -> Path:
    """Write a picture without a screen."""
    with replacing(path) as part:
        picture.savefig(part, dpi=110)
    return path
