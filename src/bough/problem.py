"""A motion to simulate, as a value: model, start, drive, instants and method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough import validate
from bough.argument_values import PLAIN, content, copied, replaced
from bough.arguments import Array, Vector
from bough.description.start import from_start
from bough.description.system import System
from bough.errors import ModelError, unknown_name
from bough.execute import execute
from bough.integrators.gauss import of_stages
from bough.integrators.reduced import ReducedVI
from bough.integrators.run import Plan
from bough.integrators.variational import VariationalIntegrator
from bough.method import ARGUMENTS, method_settings
from bough.model.model import Model
from bough.motion.assemble import assemble_named
from bough.motion.consistent_start import ConsistentStart, momenta, single, start, warn_of_changed_velocities
from bough.motion.grid import Grid, grid
from bough.motion.inputs import Inputs, inputs, prescribed
from bough.motion.own_start import own_start
from bough.motion.reduced_state import ReducedState
from bough.motion.rows import rate
from bough.motion.servo_steps import check_servos
from bough.motion.single_state import single_configuration, single_velocity
from bough.motion.stages import Stages, kinematic_rates, stages
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.observation import NOTHING, Observation, observation
from bough.tolerance import by_tolerance


class Drive(NamedTuple):
    """The drive of a run: inputs, kinematic values at the nodes, and both between the nodes."""

    inputs: Inputs
    prescribed: Array
    stages: Stages | None


class _Arguments(NamedTuple):
    """Copies of what a problem was made with: the values of `ARGUMENTS`, and the options."""

    values: Sequence[Any]
    options: Mapping[str, Any]


class Problem:
    """A motion to simulate, checked when it is made: `problem.run()` is what `simulate(...)` does.

    A problem is a value: it does not change, it keeps copies of the arrays it was given, and two problems are
    equal if they make the same motion of equal models. It can be pickled if its functions can.

    Parameters
    ----------
    model, q, v, p, duration, dt, integrator, u, k, every, alpha, t0, assemble, stabilization, events,
    t_eval, dense, **options
        As in `simulate`.

    Attributes
    ----------
    model : Model
    settings : mapping
        Everything but start and drive, in plain values, as in `Trajectory.settings`.
    arguments : mapping
        The arguments it was made with.
    grid : its steps and the instants that are recorded
    q, v, p : arrays
        The start, consistent with the constraints.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> problem = bough.Problem(system.build(), q={"angle": 0.5}, duration=2.0, dt=0.01)
    >>> problem.run()
    <Trajectory of 'pendulum': 201 instants, t = 0 to 2 s, finished>
    >>> float(problem.replace(q={"angle": 0.3}).run()["angle"][0])
    0.3
    """

    __slots__ = ("_arguments", "_begin", "_drive", "_observed", "_start", "grid", "model", "settings")

    model: Model
    settings: MappingProxyType[str, Any]
    grid: Grid
    _arguments: _Arguments
    _begin: ReducedState | None
    _drive: Drive
    _observed: Observation
    _start: ConsistentStart

    def __init__(
        self,
        model: Model,
        q: Vector | State | None = None,
        v: Vector | None = None,
        *,
        p: Vector | None = None,
        duration: float | None = None,
        dt: float | None = None,
        integrator: str | VariationalIntegrator | ReducedVI = "midpoint",
        u: Any = None,
        k: Any = None,
        every: int = 1,
        alpha: float | None = None,
        t0: float | None = None,
        assemble: bool = False,
        stabilization: Any = None,
        events: Any = None,
        t_eval: npt.ArrayLike | None = None,
        dense: bool = False,
        **options: Any,
    ) -> None:
        start = (q, v, p, duration, dt, integrator, u, k, every, alpha, t0, assemble)
        with own_start(q):
            self._make(model, (*start, stabilization, events, t_eval, dense), options, "Problem")

    def _make(self, model: Model, given: tuple[Any, ...], options: dict[str, Any], called: str) -> None:
        """Check all arguments, in the order of ARGUMENTS, and fill the fields; called: by the user, for messages."""
        if not isinstance(model, Model):
            raise no_model(model, called)
        where = f"a simulation of model {model.name!r}"
        (q, v, p, duration, dt, integrator, u, k, every, alpha, t0, assemble) = given[:12]
        stabilization, events, t_eval, dense = given[12:]
        kept = called == "Problem"  # else it runs at once, and nobody asks for its arguments
        values = [value if type(value) in PLAIN else copied(value) for value in given] if kept else given
        arguments = _Arguments(values, copied(options) if options and kept else options)
        control: dict[str, Any] = {}
        if "tol" in options:
            named = {**dict(zip(ARGUMENTS, given, strict=True)), **options, "options": options}
            integrator, dt, options, control = by_tolerance(model, named, where)
        method = method_settings(model, integrator, dt, alpha, stabilization, options, where)
        if duration is None:
            duration = default_duration(model, where)
        begin = q if isinstance(q, ReducedState) and method["integrator"] == "reduced" else None
        if isinstance(q, State):
            q, v, p, t0 = _start_of_state(model, q, v, p, t0, where)
        if begin is not None:  # velocities are defined in every orientation, unlike momenta of angles
            v, p = begin.v, None
        times = grid(duration, method["dt"], every, 0.0 if t0 is None else t0, where)
        settings = {
            **method,
            "duration": times.duration,
            "t0": times.t0,
            "every": times.every,
            "assemble": bool(assemble),
            **control,
        }
        order = settings.get("order", 2)
        order = order if order == 2 or of_stages(settings) else 2  # a composition has steps of second order
        observed = NOTHING
        if events is not None or t_eval is not None or dense:
            observed = observation(model, settings, events, t_eval, dense, times, where)
            settings |= observed.settings
        try:
            consistent, drive = _start(model, q, v, p, u, k, times, assemble, order, where)
        except MemoryError:
            raise too_long(times, where) from None
        if model._servos:
            check_servos(model, consistent.q, times.dt, settings["integrator"], order, where)
        put = object.__setattr__
        put(self, "model", model)
        put(self, "settings", MappingProxyType(settings))
        put(self, "_arguments", arguments)
        put(self, "_begin", begin)
        put(self, "_drive", drive)
        put(self, "_observed", observed)
        put(self, "grid", times)
        put(self, "_start", consistent)

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments it was made with, but the model."""
        values, options = self._arguments
        return MappingProxyType({**dict(zip(ARGUMENTS, values, strict=True)), **options})

    @property
    def q(self) -> Array:
        """The configuration at the start."""
        return self._start.q

    @property
    def v(self) -> Array:
        """The velocities at the start."""
        return self._start.v

    @property
    def p(self) -> Array:
        """The momenta of the dynamic variables at the start."""
        return self._start.p

    def run(self, *, on_failure: str = "raise", progress: bool | None = None) -> Trajectory:
        """Simulate the motion; `on_failure` and `progress` are those of `simulate`."""
        where = f"a simulation of model {self.model.name!r}"
        if on_failure not in ("raise", "stop"):
            raise unknown_name("choice of on_failure", str(on_failure), ("raise", "stop"), where)
        drive = self._drive
        settings, (q, v, p) = self.settings.copy(), self._start
        plan = Plan(
            self.model,
            self.grid,
            q,
            v,
            p,
            drive.inputs if drive.inputs.function is None else drive.inputs.again(),
            drive.prescribed,
            settings,
            self._begin,
            stages=drive.stages,
            events=self._observed.events,
            instants=self._observed.instants,
        )
        if plan.instants is not None and plan.instants[0] > self.grid.t0:
            settings["start"] = {"q": q.tolist(), "v": v.tolist(), "p": p.tolist()}
        try:
            return execute(plan, on_failure, progress)
        except MemoryError:
            raise too_long(self.grid, where) from None

    def replace(self, **changes: Any) -> Problem:
        """The problem with other arguments.

        q, v, p, u and k by name change single values of what was given, those of a state too; anything else
        replaces it. With another integrator, the options of the first are left out. A model is an argument too.
        """
        given = {**self.arguments, **self._parted(changes)}
        if "integrator" in changes:
            kept = set(ARGUMENTS)
            given = {name: value for name, value in given.items() if name in kept and name != "alpha"}
        model = changes.pop("model", self.model)
        for name in {"q", "v", "p", "u", "k"} & changes.keys():
            changes[name] = replaced(model, name, given[name], changes[name])
        return Problem(model, **{**given, **changes})

    def _parted(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """A start that was given as a state, as arguments of its own, if single values of it change."""
        state = self.arguments["q"]
        if not isinstance(state, State) or not isinstance(changes.get("q", {}), Mapping):
            return {}
        if not {"q", "v", "p"} & changes.keys():
            return {}
        t0 = self.arguments["t0"]
        parts = {"q": state.q, "t0": state.t if t0 is None else t0}
        return parts | ({"p": momenta(self.model, state)} if "p" in changes else {"v": state.v})

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Problem does not change: problem.replace({name}=...) gives another one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a Problem does not change")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.model, repr(sorted(self.settings.items())), *(a.tobytes() for a in self._start)))

    def _content(self) -> tuple[Any, ...]:
        inputs, driven, within = self._drive
        arrays = [*self._start, driven]
        if within is not None:
            arrays += [within.inputs, within.timed, within.end, within.nodes]
        feedback = inputs.function is not None  # whose rows are filled only during a run
        arrays.append(np.zeros(inputs.rows.shape) if feedback else inputs.rows)
        told = (
            content(self.arguments["u"]) if feedback else None,
            *(g.function for g in self._observed.events),
        )
        if self._observed.instants is not None:
            arrays.append(self._observed.instants)
        begin = self._begin
        if begin is not None:  # angles do not tell a pose bit for bit
            arrays += [begin.g, begin.xi, begin.mu]
        return (self.model, dict(self.settings), [(a.shape, a.tobytes()) for a in arrays], told)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (self.model, dict(self.arguments))

    def __repr__(self) -> str:
        settings = self.settings
        return (
            f"<Problem of {self.model.name!r}: {settings['integrator']}, {validate.counted(self.grid.steps, 'step')} of"
            f" {settings['dt']:g} s>"
        )


def no_model(given: Any, called: str) -> ModelError:
    """The error for an argument that is not a model."""
    system = isinstance(given, System)
    return ModelError(
        asked=f"{called}({repr(given) if system else validate.shown(given)}, ...)",
        found="not a model",
        do="give system.build() in place of the system" if system else "give a model, made by system.build()",
    )


def too_long(times: Grid, where: str) -> ModelError:
    """The error for a run that does not fit into memory."""
    return ModelError(
        asked=where,
        found=f"{times.steps} steps, of which {times.rows} are recorded: more than fits into the memory",
        do="record fewer of them with every=, give a larger dt or a shorter duration",
    )


_HELD = np.zeros((0, 0))  # kinematic values of a model that has no kinematic variables
_NO_RATES = np.zeros(0)
_UNDRIVEN = Inputs(_HELD)  # inputs of a model that has none


def _made_again(model: Model, arguments: dict[str, Any]) -> Problem:
    return Problem(model, **arguments)


def default_duration(model: Model, where: str) -> float:
    """The duration given by the start of the system."""
    if model.start.duration is None:
        raise ModelError(
            asked=where,
            found="no duration, and the system has no start that says one",
            do="give duration=, in seconds",
        )
    return model.start.duration


def _start_of_state(
    model: Model, state: State, v: Any, p: Any, t0: float | None, where: str
) -> tuple[Array, Array | None, Array | None, float]:
    if v is not None or p is not None:
        raise ModelError(
            asked=f"{'v' if v is not None else 'p'} in {where}",
            found="q is a state, which has its own velocities",
            do="give q=state alone, or q=state.q with other velocities",
        )
    momentum = None if state.p is None else momenta(model, state)
    return state.q, state.v if momentum is None else None, momentum, state.t if t0 is None else t0


def _start(
    model: Model, q: Any, v: Any, p: Any, u: Any, k: Any, times: Grid, assemble: bool, order: int, where: str
) -> tuple[ConsistentStart, Drive]:
    """The consistent start, and the drive of the run."""
    nd, nk = model.nd, model.nk
    if v is not None and p is not None:
        raise ModelError(
            asked=f"v and p in {where}",
            found="both velocities and momenta",
            do="give one of them",
        )
    array = type(q) is np.ndarray or (q is not None and not isinstance(q, Mapping))
    named: Mapping[str, Any] = {} if array or q is None else q
    asked = v
    q, v = from_start(model, q, v) if p is None else (from_start(model, q)[0], None)
    q0, start_k = single_configuration(model, q, where), model.nq - nk
    q0 = q0.copy() if array else q0
    v0 = None if v is None else single_velocity(model, v, where)
    p0 = None if p is None else single(p, model.dynamic, "p", where, "dynamic variables")
    applied = _UNDRIVEN if u is None and not model.inputs else inputs(model, u, times, where)
    driven = _HELD
    if nk or k is not None:
        given = np.array([array or name in named for name in model.kinematic], dtype=bool)
        driven = prescribed(model, k, q0[start_k:], given, times, where)
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
    if assemble:
        q0 = assemble_named(model, q0, named, times.t0, "assemble=True in a simulation")
    made = start(model, q0, v0, p0, vk, where, times.t0)
    if model.nc and isinstance(asked, Mapping):
        warn_of_changed_velocities(model, asked, made.v, where)
    return made, Drive(applied, driven, within)
