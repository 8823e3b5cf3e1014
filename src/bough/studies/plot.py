"""Pictures of ensembles: lines, a map or a histogram of one number of each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bough.errors import ModelError
from bough.studies.result import Ensemble

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKED = 60  # largest number of runs along a line that are marked each
LINES = 5  # largest number of values of an axis that have a line each
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
        _draw_lines(ax, axes, values[:, None], name)
    elif min(values.shape) <= LINES:
        along = _abscissa(axes)
        ordered = {axis: axes[axis] for axis in sorted(axes, key=lambda axis: axis != along)}
        _draw_lines(ax, ordered, values if next(iter(axes)) == along else values.T, name)
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


def _draw_lines(ax: Any, axes: dict[str, Any], values: Any, name: str) -> None:
    """The number over the first axis, with a line for each value of the second, if there is one."""
    first, *second = axes
    marked = "o" if len(values) <= MARKED else None  # runs beside failed ones are no line
    if _scale(axes[first]) == "log":
        ax.set_xscale("log")
    places = _places(axes[first], ax.xaxis)
    for k, line in enumerate(values.T):
        label = _short(axes[second[0]][k]) if second else None
        ax.plot(places, line, marker=marked, markersize=4.0, label=label)
    if second:
        look = {"fontsize": "small", "title_fontsize": "small", "frameon": False}
        ax.legend(title=second[0], loc="center left", bbox_to_anchor=(1.01, 0.5), **look)
    ax.set_xlabel(first)
    ax.set_ylabel(name)


def _abscissa(axes: dict[str, Any]) -> str:
    """The axis along which lines are drawn: rather numbers than words, and the longer one; the other has few values."""
    lengths = [len(values) for values in axes.values()]
    able = [axis for axis, other in zip(axes, reversed(lengths), strict=True) if other <= LINES]
    return max(able, key=lambda axis: (axes[axis].dtype.kind != "U", len(axes[axis])))


def _short(value: Any) -> str:
    return str(value) if isinstance(value, str) else f"{value:.4g}"


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
