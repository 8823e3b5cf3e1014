"""The choice of rows of a run that are shown, and a check that they can be."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.errors import ModelError, unknown_name
from bough.model.model import Model
from bough.motion.trajectory import Trajectory

FAR = 1e30  # largest drawable distance in m: browsers use single precision


def thinned(count: int, most: int) -> npt.NDArray[np.int64]:
    """Row numbers from the first to the last, `most` of them or all."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))


def sampled(t: Array, count: int) -> npt.NDArray[np.int64]:
    """The rows nearest to `count` equal steps of time from the first to the last, each once."""
    wanted = np.linspace(t[0], t[-1], count)
    after = np.clip(np.searchsorted(t, wanted), 1, max(1, len(t) - 1))
    nearer = after - ((wanted - t[after - 1]) <= (t[np.minimum(after, len(t) - 1)] - wanted))
    return np.unique(np.clip(nearer, 0, len(t) - 1))


def check_drawable(run: Trajectory, where: str) -> None:
    """Raise if a run goes farther than can be drawn, with the time."""
    far = np.abs(run.q) > FAR
    if far.any():
        row, place = (int(i) for i in np.argwhere(far)[0])
        value, name = run.q[row, place], run.model.variables[place]
        raise ModelError(
            asked=where,
            found=f"{name!r} is {value:.2g} at t = {run.t[row]:g} s, which is too far to be drawn",
            do=f"show the motion before it, run[:{row}]" if row else "give a run that starts nearer",
        )


def check_followed(model: Model, frame: str | None, where: str) -> None:
    """Raise if a frame that a camera should move with is not one of the model."""
    if frame is not None and frame not in model.frames:
        raise unknown_name("frame", str(frame), model.frames, where)
