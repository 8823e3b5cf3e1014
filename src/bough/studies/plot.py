"""Pictures of ensembles: a line, a map or a histogram of one number of each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bough.errors import ModelError
from bough.studies.result import Ensemble

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKED = 60  # largest number of runs along a line that are marked each
TICKS = 8  # largest number of values that each have a tick on a logarithmic axis


def plot(study: Ensemble, name: str, ax: Any = None) -> Figure:
    """See `Ensemble.plot`."""
    values = study.end(name)
    table = study.dims == ("run",)
    if not table and values.ndim > 2:
        raise ModelError(
            asked=f"plot({name!r}) of an ensemble over {', '.join(study.axes)}",
            found="more than two axes",
            do="plot a part of study[...] with matplotlib, or study.to_xarray()",
        )
    axes = {axis: _drawn(given) for axis, given in study.axes.items()}
    if ax is None:
        import matplotlib.pyplot as plt

        from bough.view.figure import NotebookFigure

        _, ax = plt.subplots(FigureClass=NotebookFigure, layout="constrained")
    if table:
        ax.hist(values[np.isfinite(values)], bins="auto")
        ax.set_xlabel(name)
        ax.set_ylabel("runs")
    elif values.ndim == 1:
        (axis,) = axes
        marked = "o" if len(values) <= MARKED else None  # runs beside failed ones are no line
        if _scale(axes[axis]) == "log":
            ax.set_xscale("log")
        ax.plot(_places(axes[axis], ax.xaxis), values, marker=marked, markersize=4.0)
        ax.set_xlabel(axis)
        ax.set_ylabel(name)
    else:
        first, second = axes
        scales = {"xscale": _scale(axes[first]), "yscale": _scale(axes[second])}
        ax.set(**{side: scale for side, scale in scales.items() if scale == "log"})
        places = _places(axes[first], ax.xaxis), _places(axes[second], ax.yaxis)
        image = ax.pcolormesh(*map(_edges, places, scales.values()), values.T, shading="flat")
        ax.figure.colorbar(image, ax=ax, label=name)
        ax.set_xlabel(first)
        ax.set_ylabel(second)
    ax.set_title(_title(study, name))
    figure: Figure = ax.figure
    return figure


def _drawn(values: Any) -> Any:
    """The numbers or words along an axis; of anything else, such as controllers, the places in their list."""
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iufU":
        return values
    return np.array([str(place) for place in range(len(values))])


def _places(values: Any, axis: Any) -> Any:
    """Where the values of an axis are drawn: words side by side, each with its name; powers with ticks."""
    if values.dtype.kind != "U":
        if axis.get_scale() == "log" and len(values) <= TICKS:
            axis.set_ticks(values, labels=[f"{value:.3g}" for value in values])
            axis.set_ticks([], minor=True)
        return values
    axis.set_ticks(range(len(values)), labels=values.tolist())
    return range(len(values))


def _scale(values: Any) -> str:
    """ "log" if neighbours have a ratio rather than a distance, as those of `numpy.geomspace` have."""
    if values.dtype.kind == "U" or len(values) < 3 or values.min() <= 0.0:
        return "linear"
    ratios = np.diff(np.log(values))
    return "log" if np.allclose(ratios, ratios[0], rtol=1e-6) and abs(ratios[0]) > 1e-6 else "linear"


def _edges(places: Any, scale: str) -> Any:
    """The borders of the cells of a map, halfway between their centres on its scale."""
    middle = np.asarray(places, dtype=np.float64)
    if scale == "log":
        return np.exp(_edges(np.log(middle), "linear"))
    if len(middle) == 1:
        return middle[0] + np.array([-0.5, 0.5])
    inner = 0.5 * (middle[1:] + middle[:-1])
    return np.concatenate([[2.0 * middle[0] - inner[0]], inner, [2.0 * middle[-1] - inner[-1]]])


def _title(study: Ensemble, name: str) -> str:
    """What is drawn, of which model, and how many runs are not in the picture."""
    model, failed = study.problem.model, len(study.failed)
    end = " at the end" if name not in study.names else ""
    return f"{model.name}: {name}{end}" + (f" ({failed} of {len(study)} runs failed)" if failed else "")
