"""The arguments of a run that say what is observed within its steps: events, t_eval, dense."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bough import validate
from bough.arguments import Array
from bough.errors import ModelError
from bough.model.model import Model
from bough.motion.events import EventFunction, event_functions
from bough.motion.grid import Grid, instants
from bough.registry import family_of


class Observation(NamedTuple):
    """What is observed within the steps of a run, checked; `settings` says it in plain values."""

    events: tuple[EventFunction, ...]
    instants: Array | None
    settings: dict[str, Any]


NOTHING = Observation((), None, {})


def observation(
    model: Model, method: Mapping[str, Any], events: Any, t_eval: Any, dense: Any, times: Grid, where: str
) -> Observation:
    """The checked arguments of a run."""
    functions = event_functions(model, events, where)
    chosen = instants(t_eval, times.every, times, where)
    if not isinstance(dense, bool):
        raise ModelError(
            asked=f"dense={validate.shown(dense)} in {where}",
            found="neither True nor False",
            do="give dense=True, so that run.at(t) makes steps",
        )
    given = [name for name, there in (("events", functions), ("dense=True", dense)) if there]
    given += [] if chosen is None else ["t_eval"]
    if given and family_of(method["integrator"], where)[0].title == "maximal":
        raise ModelError(
            asked=f"{given[0]} in {where} with integrator {method['integrator']!r}",
            found="bodies in maximal coordinates, of which no state is known within a step",
            do=f"leave {given[0]} out, or use an integrator in generalised coordinates, such as 'midpoint'",
        )
    if dense and chosen is not None:
        raise ModelError(
            asked=f"dense=True and t_eval in {where}",
            found="chosen instants are no nodes, from which steps to other instants could start",
            do="leave one of them out",
        )
    settings: dict[str, Any] = {}
    if functions:
        settings["events"] = [function.settings() for function in functions]
    if chosen is not None:
        settings["t_eval"] = True
    if dense:
        settings["dense"] = True
    return Observation(functions, chosen, settings)
