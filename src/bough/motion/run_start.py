"""Where a run begins and what drives it, from the arguments that `simulate` was given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.description.rotation import expanded
from bough.description.start import from_start
from bough.errors import ModelError
from bough.model.model import Model
from bough.motion.consistent_start import ConsistentStart, momenta, single, start
from bough.motion.grid import Grid
from bough.motion.inputs import Inputs, inputs, prescribed
from bough.motion.named_start import (
    assemble_named,
    changed,
    kept_names,
    kept_rates,
    unkept_configuration,
    unkept_velocity,
    with_named_velocities,
)
from bough.motion.rows import rate
from bough.motion.single_state import single_configuration, single_velocity
from bough.motion.stages import Stages, kinematic_rates, stages
from bough.motion.state import State

_HELD = np.zeros((0, 0))  # kinematic values of a model that has no kinematic variables
_NO_RATES = np.zeros(0)
_UNDRIVEN = Inputs(_HELD)  # inputs of a model that has none


class Drive(NamedTuple):
    """The drive of a run: inputs, kinematic values at the nodes, and both between the nodes."""

    inputs: Inputs
    prescribed: Array
    stages: Stages | None


class RunStart(NamedTuple):
    """A consistent start, the drive of the run, and what of q and v was named and could not be kept."""

    begin: ConsistentStart
    drive: Drive
    unkept: dict[str, ModelError]


class Given(NamedTuple):
    """A start as it is given: a configuration with velocities or momenta, or with neither."""

    q: Any
    v: Any
    p: Any


def of_state(model: Model, state: State, v: Any = None, p: Any = None) -> Given:
    """The start that a state gives; v or p by name change single values of its own, others replace them."""
    if v is None and p is None:
        return (
            Given(state.q, None, momenta(model, state))
            if state.p is not None
            else Given(state.q, state.v, None)
        )
    if isinstance(v, Mapping):
        rates = expanded(v, "v", f"a start of model {model.name!r}", model.balls) if model.balls else v
        v = changed(dict(zip(model.dynamic, state.v, strict=False)), rates)
    if isinstance(p, Mapping):
        p = {**dict(zip(model.dynamic, momenta(model, state), strict=True)), **p}
    return Given(state.q, v, p)


def run_start(
    model: Model, given: Given, u: Any, k: Any, times: Grid, assemble: bool, order: int, where: str
) -> RunStart:
    """The consistent start, and the drive of the run."""
    nd, nk, (q, v, p) = model.nd, model.nk, given
    if v is not None and p is not None:
        raise ModelError(
            asked=f"v and p in {where}",
            found="both velocities and momenta",
            do="give one of them",
        )
    array = type(q) is np.ndarray or (q is not None and not isinstance(q, Mapping))
    named: Mapping[str, Any] = {} if array or q is None else q
    kept, rates_kept = kept_names(q), kept_rates(model, q, v)
    q, v = from_start(model, q, v) if p is None else (from_start(model, q)[0], None)
    q0, start_k = single_configuration(model, q, where), model.nq - nk
    q0 = q0.copy() if array else q0
    v0 = None if v is None else single_velocity(model, v, where)
    p0 = None if p is None else single(p, model.dynamic, "p", where, "dynamic variables")
    applied = _UNDRIVEN if u is None and not model.inputs else inputs(model, u, times, where)
    driven = _HELD
    if nk or k is not None:
        stated = np.array([array or name in named for name in model.kinematic], dtype=bool)
        driven = prescribed(model, k, q0[start_k:], stated, times, where)
    within = stages(model, u, k, applied, driven, times, order, where) if order > 2 else None
    vk = np.zeros(nk) if nk else _NO_RATES
    if len(driven):
        q0[start_k:] = driven[0]
    if len(driven) > 1:
        rates = (
            rate(driven, times.nodes())
            if within is None
            else kinematic_rates(driven, within, times, order)[0]
        )
        vk = rates[0]
    if v0 is not None and nk:
        moving = v0[nd:] != 0.0
        if moving.any() and not len(driven):
            name = model.kinematic[int(np.argmax(moving))]
            raise ModelError(
                asked=f"v of {where}",
                found=f"a velocity for {name!r}, a kinematic variable that is held: k does not move it",
                do=f"prescribe its motion, such as k={{{name!r}: lambda t: ...}}, or leave it out of v",
            )
        vk = np.where(moving, v0[nd:], vk)
    unkept: dict[str, ModelError | None] = {}
    if assemble:
        asked, q0 = q0, assemble_named(model, q0, kept, times.t0, "assemble=True in a simulation")
        unkept["q"] = unkept_configuration(model, asked, q0, kept, times.t0, where)
    begin = start(model, q0, v0, p0, vk, where, times.t0)
    if model.nc and v0 is not None and rates_kept:
        begin = with_named_velocities(model, begin, v0, rates_kept, times.t0)
        unkept["v"] = unkept_velocity(model, v0, begin.v, rates_kept, where)
    lost = {name: error for name, error in unkept.items() if error is not None}
    return RunStart(begin, Drive(applied, driven, within), lost)
