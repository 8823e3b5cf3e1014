"""Plots of a trajectory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.errors import ModelError, unknown_name
from bough.model.dry_friction import dry_friction
from bough.model.motor_force import changes_commands, motors
from bough.model.units import (
    FORCE,
    coordinate_units,
    gap_units,
    input_units,
    multiplier_units,
    variable_units,
)
from bough.motion.columns import column, place_of
from bough.motion.contact_trajectory import ContactTrajectory
from bough.motion.trajectory import Trajectory
from bough.plain_text import in_figure, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = (
    "configuration",
    "velocity",
    "energy",
    "constraint",
    "multiplier",
    "gap",
    "contact",
    "input",
    "motor",
)
NAMED = 8  # number of lines with a colour and a name: those that move most; the others are grey
FLAT, ROUND_OFF = 1e-2, 1e-6  # motions relative to the largest, between which a line has a plot of its own
STILL = (
    1e-12  # motion of all lines, relative to the largest of them and 1, that is round-off and drawn as none
)
LETTERS, TITLE = 28, 80  # largest number of characters of a name in a legend, and in a title


class Panel(NamedTuple):
    """One plot over time."""

    title: str
    label: str
    lines: dict[str, Array]
    log: bool = False
    ticks: tuple[float, ...] = ()


def plot(run: Trajectory, what: str | Sequence[str] | None = None) -> Figure:
    """A figure with one plot above the other, sharing the time axis."""
    import matplotlib.pyplot as plt

    from bough.view.figure import NotebookFigure

    panels = all_panels(run, what, f"plot({what!r}) of a trajectory of {run.model.name!r}")
    heights = [
        1.0 if len(panel.lines) > 1 or panel.title in ("angles", "distances") else 0.8 for panel in panels
    ]
    figure, axes = plt.subplots(
        len(panels),
        1,
        sharex=True,
        squeeze=False,
        figsize=(9.0, 0.8 + 2.1 * sum(heights)),
        gridspec_kw={"height_ratios": heights},
        layout="constrained",
        FigureClass=NotebookFigure,
    )
    for panel, axis in zip(panels, axes[:, 0], strict=True):
        _draw(axis, run.t, panel)
    axes[-1, 0].set_xlabel("t [s]")
    ending = "" if run.status == "finished" else f" ({run.status})"
    figure.suptitle(in_figure(f"{shortened(run.model.name, TITLE)}{ending}"))
    return figure


def all_panels(run: Trajectory, what: str | Sequence[str] | None, asked: str) -> list[Panel]:
    """The panels of all requested kinds, at least one."""
    panels = [panel for name in panel_names(run, what) for panel in panels_of(run, name)]
    if not panels:
        raise ModelError(
            asked=asked,
            found="nothing of this kind in the model",
            do=f"choose from {', '.join(panel_names(run, None))}",
        )
    return panels


def panel_names(run: Trajectory, what: str | Sequence[str] | None) -> Sequence[str]:
    """The names of the panels: the requested ones, or all that apply to the model."""
    if what is None:
        bound = bool(run.model.constraints)
        touching = isinstance(run, ContactTrajectory)
        has = {
            "constraint": bound,
            "multiplier": bound,
            "gap": touching,
            "contact": touching,
            "input": bool(run.model.inputs),
            "motor": changes_commands(run.model),
        }
        return [name for name in PANELS if has.get(name, True)]
    names = [what] if isinstance(what, str) else list(what)
    for name in names:
        if name not in PANELS:
            _check_column(run, str(name))
    return names


def _check_column(run: Trajectory, name: str) -> None:
    try:
        column(run, name)
    except ModelError:
        known, where = (*PANELS, *run.model.coordinates), f"plot() of a trajectory of {run.model.name!r}"
        raise unknown_name("panel", name, known, where, len(PANELS)) from None


def panels_of(run: Trajectory, name: str) -> list[Panel]:
    """The plots of one kind: one for each unit."""
    model = run.model
    if name in ("configuration", "velocity"):
        symbol, values, per, prefix = (
            ("q", run.q, "", "") if name == "configuration" else ("v", run.v, "/s", "rates of ")
        )
        units = variable_units(model) if symbol == "v" else coordinate_units(model)
        kinds = [f"{unit}{per}" if unit else "" for unit in units]
        titles = {f"rad{per}": "angles", f"m{per}": "distances", "": "other variables"}
        titles = {unit: f"{prefix}{title}" for unit, title in titles.items()}
        return _by_unit(
            titles, symbol, values, model.coordinates if symbol == "q" else model.variables, kinds
        )
    if name == "energy":
        energy = run.energy()
        return [Panel(f"energy, {energy[0]:.6g} J at the start", "E − E(0) [J]", {"": energy - energy[0]})]
    if name == "motor":
        return _motor_panels(run)
    if name == "input":
        limited = ", as commanded" if changes_commands(model) else ""
        titles = {
            "N": f"input forces{limited}",
            "N m": f"input moments{limited}",
            "rad": "targets of angles",
            "m": "targets of distances",
            "rad/s": "targets of angular rates",
            "m/s": "input velocities",
            "": "inputs",
        }
        return _by_unit(titles, "u", run.u, model.inputs, input_units(model))
    if name in ("gap", "contact"):
        return _contact_panels(run, name)
    if name not in PANELS:
        return _column_panels(run, name)
    if not model.constraints:
        return []
    if name == "multiplier":
        titles = {"N": "constraint forces", "N m": "constraint moments", "": "multipliers of constraints"}
        return _by_unit(titles, "lam", run.lam, model.constraints, multiplier_units(model))
    largest = np.abs(run.constraint_error()).max(axis=1)
    label = "max |h(q)| [m]" if set(multiplier_units(model)) == {"N"} else "max |h(q)|"
    return [Panel("largest error of a constraint", label, {"": largest}, log=bool((largest > 0).any()))]


def _column_panels(run: Trajectory, key: str) -> list[Panel]:
    """What `run[key]` gives: one line, or those of a ball or of a constraint of several rows."""
    model = run.model
    symbol, place = place_of(model._names, key, "run", model.frames)
    names, units = {
        "q": lambda: (model.coordinates, coordinate_units(model)),
        "v": lambda: (model.variables, [f"{unit}/s" if unit else "" for unit in variable_units(model)]),
        "p": lambda: (model.dynamic, [""] * model.nd),
        "k": lambda: (model.kinematic, variable_units(model)[model.nd :]),
        "u": lambda: (model.inputs, input_units(model)),
        "lam": lambda: (model.constraints, multiplier_units(model)),
    }[symbol]()
    if isinstance(place, slice):
        titles = dict.fromkeys(units[place], key)
        return _by_unit(titles, symbol, column(run, key), names[place], units[place])
    label = f"{symbol} [{units[place]}]" if units[place] else symbol
    return [Panel(key, label, {"": column(run, key)})]


def _motor_panels(run: Trajectory) -> list[Panel]:
    """What the motors of a run apply, after gears and effort limits."""
    model = run.model
    driven = sorted({variables[0] for _, _, variables, _, _ in motors(model)})
    units = [FORCE[variable_units(model)[i]] for i in driven]
    titles = {"N": "motor forces, as applied", "N m": "motor moments, as applied", "": "motors, as applied"}
    names = [model.variables[i] for i in driven]
    return _by_unit(titles, "τ", np.asarray(run.motor_force())[:, driven], names, units) if driven else []


def _contact_panels(run: Trajectory, name: str) -> list[Panel]:
    """Gaps, or normal forces of contacts, sizes of their friction, and dry friction; impacts are ticks."""
    if not isinstance(run, ContactTrajectory):
        return []
    model, impacts = run.model, tuple(event.t for event in run.impacts)
    friction, units = dry_friction(model), dict(zip(model.gaps, gap_units(model), strict=True))
    touching = [label for label in model.gaps if label not in friction]
    if name == "gap":
        titles = {"m": "gaps", "rad": "gaps of angles", "": "gaps"}
        gaps = np.asarray(run.gaps())[:, [label not in friction for label in model.gaps]]
        panels = _by_unit(titles, "gap", gaps, touching, [units[label] for label in touching])
    else:
        titles = {"N": "normal forces of contacts", "N m": "moments of stops", "": "forces of contacts"}
        rubbing = {"N": "dry friction", "N m": "moments of dry friction", "": "dry friction"}
        forces = {label: run.contact_force(label) for label in model.gaps}
        sliding = {label: np.linalg.norm(forces[label].tangent, axis=-1) for label in touching}
        panels = [
            panel
            for kinds, columns in (
                (titles, {label: forces[label].normal for label in touching}),
                ({"N": "friction of contacts"}, {name: size for name, size in sliding.items() if size.any()}),
                (rubbing, {label: forces[label].tangent[:, 0] for label in sorted(friction)}),
            )
            if columns
            for panel in _by_unit(
                kinds,
                "force",
                np.stack(list(columns.values()), axis=1),
                list(columns),
                [FORCE[units[label]] for label in columns],
            )
        ]
    ticked = "; ticks are impacts" if impacts else ""
    return [panel._replace(title=f"{panel.title}{ticked}", ticks=impacts) for panel in panels]


def _by_unit(
    titles: Mapping[str, str], symbol: str, values: Array, names: Sequence[str], units: Sequence[str]
) -> list[Panel]:
    """A panel for each unit that occurs, and another one for lines that would be flat beside the largest."""
    panels = []
    for unit, title in titles.items():
        lines = {name: values[:, i] for i, name in enumerate(names) if units[i] == unit}
        label = f"{symbol} [{unit}]" if unit else symbol
        large, small = by_scale(lines)
        if large:
            panels.append(Panel(title, label, large))
        if small:
            panels.append(Panel(f"{title}, the small ones", label, small))
    return panels


def by_scale(lines: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, Array]]:
    """The lines that can be read in one plot, and those that move less than a hundredth of the largest of them.

    What does not move, but for round-off, stays with the first. Of more lines than have names, none is set apart:
    those that move less are grey.
    """
    if len(lines) > NAMED:
        return dict(lines), {}
    moves = {name: _move(values) for name, values in lines.items()}
    largest = max(moves.values(), default=0.0)
    small = {name for name, way in moves.items() if ROUND_OFF * largest < way < FLAT * largest}
    return (
        {name: values for name, values in lines.items() if name not in small},
        {name: values for name, values in lines.items() if name in small},
    )


def _move(values: Array) -> float:
    """The difference of the largest and the smallest finite value; gaps of contacts that are not there are infinite."""
    finite = values[np.isfinite(values)]
    return float(np.ptp(finite)) if len(finite) else 0.0


def _draw(axis: Axes, t: Array, panel: Panel) -> None:
    named = that_move_most(panel.lines)
    rest = [values for name, values in panel.lines.items() if name not in named]
    for k, values in enumerate(rest):
        words = others(len(rest)) if k == 0 else None
        axis.plot(t, values, label=words, color="0.8", linewidth=0.8)
    for name in named:
        values = panel.lines[name]
        shown = np.where(values > 0, values, np.nan) if panel.log else values
        axis.plot(t, shown, label=in_figure(shortened(name, LETTERS)) or None, linewidth=1.2)
    if panel.ticks:
        axis.plot(
            panel.ticks,
            np.zeros(len(panel.ticks)),
            "|",
            color="0.3",
            markersize=7,
            transform=axis.get_xaxis_transform(),
            clip_on=False,
        )
    if panel.log:
        axis.set_yscale("log")
    elif "" not in panel.lines and (limits := still(list(panel.lines.values()))) is not None:
        axis.set_ylim(*limits)
    axis.set_ylabel(panel.label)
    axis.set_title(panel.title, loc="left", fontsize="medium")
    axis.grid(alpha=0.3)
    axis.margins(x=0.0)
    if "" in panel.lines:
        return
    handles, names = axis.get_legend_handles_labels()
    last = [0] if rest else []  # the grey ones, which are drawn first
    order = [*range(len(last), len(names)), *last]
    axis.legend(
        [handles[i] for i in order],
        [names[i] for i in order],
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        fontsize="small",
        frameon=False,
    )


def still(lines: Sequence[Array]) -> tuple[float, float] | None:
    """Limits for lines none of which moves but for round-off; None if one does."""
    values = np.concatenate([np.zeros(0), *lines])
    values = values[np.isfinite(values)]
    largest = float(np.abs(values).max(initial=1.0))
    if not len(values) or np.ptp(values) > STILL * largest:
        return None
    middle, half = float(values.mean()), 0.05 * largest
    return middle - half, middle + half


def others(count: int) -> str:
    """The name of the lines that have none of their own."""
    return "1 other, which moves less" if count == 1 else f"{count} others, which move less"


def that_move_most(lines: Mapping[str, Array], most: int = NAMED) -> list[str]:
    """The names of the lines that get a colour, in their own order."""
    ways = sorted(lines, key=lambda name: -_move(lines[name]))
    chosen = set(ways[:most])
    return [name for name in lines if name in chosen]
