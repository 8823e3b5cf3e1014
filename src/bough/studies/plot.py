"""Pictures of ensembles: a line, a map or a histogram of one number of each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bough.errors import ModelError
from bough.studies.result import Ensemble

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(study: Ensemble, name: str, ax: Any = None) -> Figure:
    """See `Ensemble.plot`."""
    values = study.end(name)
    if values.ndim > 2 or any(axis.ndim > 1 or axis.dtype.kind not in "iuf" for axis in study.axes.values()):
        raise ModelError(
            asked=f"plot({name!r}) of an ensemble over {', '.join(study.axes)}",
            found="more than two axes, or axes that are not numbers",
            do="plot a part of study[...] with matplotlib, or study.to_xarray()",
        )
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(layout="constrained")
    if study.dims == ("run",):
        ax.hist(values[np.isfinite(values)], bins="auto")
        ax.set_xlabel(name)
        ax.set_ylabel("runs")
    elif values.ndim == 1:
        (axis,) = study.axes
        ax.plot(study.axes[axis], values)
        ax.set_xlabel(axis)
        ax.set_ylabel(name)
    else:
        first, second = study.axes
        image = ax.pcolormesh(study.axes[first], study.axes[second], values.T, shading="nearest")
        ax.figure.colorbar(image, ax=ax, label=name)
        ax.set_xlabel(first)
        ax.set_ylabel(second)
    figure: Figure = ax.figure
    return figure
