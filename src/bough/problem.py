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
from bough.description.system import System
from bough.errors import ModelError, unknown_name
from bough.execute import execute
from bough.integrators.gauss import of_stages
from bough.integrators.reduced import ReducedVI
from bough.integrators.run import Plan
from bough.integrators.variational import VariationalIntegrator
from bough.method import ARGUMENTS, method_settings
from bough.model.model import Model
from bough.motion.consistent_start import ConsistentStart, momenta
from bough.motion.grid import Grid, grid
from bough.motion.held_inputs import warn_of_held, warn_of_held_by_parts
from bough.motion.named_start import warn_of
from bough.motion.own_start import own_start
from bough.motion.reduced_state import ReducedState
from bough.motion.run_start import Drive, Given, of_state, run_start
from bough.motion.servo_steps import check_servos
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.observation import NOTHING, Observation, observation
from bough.registry import FAMILY
from bough.tolerance import by_tolerance


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

    __slots__ = (
        "_arguments",
        "_begin",
        "_drive",
        "_observed",
        "_start",
        "_unkept",
        "grid",
        "model",
        "settings",
    )

    model: Model
    settings: MappingProxyType[str, Any]
    grid: Grid
    _arguments: _Arguments
    _begin: ReducedState | None
    _drive: Drive
    _observed: Observation
    _start: ConsistentStart
    _unkept: Mapping[str, ModelError]  # what q and v name and the start does not have

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
        if self._unkept:
            warn_of(*self._unkept.values())

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
        if options.get("tol", 0.0) is None:
            options = {name: value for name, value in options.items() if name != "tol"}
        if "tol" in options:
            named = {**dict(zip(ARGUMENTS, given, strict=True)), **options, "options": options}
            integrator, dt, options, control, stabilization = by_tolerance(model, named, where)
        method = method_settings(model, integrator, dt, alpha, stabilization, options, where)
        if duration is None:
            duration = default_duration(model, where)
        reduced = (
            isinstance(q, ReducedState) and method["integrator"] == "reduced" and v is None and p is None
        )
        begin = q if reduced else None
        given_start = Given(q, v, p)
        if isinstance(q, State):
            given_start, t0 = of_state(model, q, v, p), q.t if t0 is None else t0
        if begin is not None:  # velocities are defined in every orientation, unlike momenta of angles
            given_start = given_start._replace(v=begin.v, p=None)
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
            made = run_start(model, given_start, u, k, times, assemble, order, where)
        except MemoryError:
            raise too_long(times, where) from None
        if order == 2 < settings.get("order", 2):
            warn_of_held_by_parts(model, u, made.drive.inputs.rows, settings["order"])
        if control.get("control") == "ordinary":
            warn_of_held(model, u, k, made.drive, times, "tol", where)
        elif called == "simulate" and u is not None and FAMILY[settings["integrator"]].adaptive:
            warn_of_held(model, u, k, made.drive, times, "rtol", where)
        if model._servos:
            check_servos(model, made.begin.q, times.dt, settings["integrator"], order, where)
        put = object.__setattr__
        put(self, "model", model)
        put(self, "settings", MappingProxyType(settings))
        put(self, "_arguments", arguments)
        put(self, "_begin", begin)
        put(self, "_drive", made.drive)
        put(self, "_observed", observed)
        put(self, "grid", times)
        put(self, "_start", made.begin)
        put(self, "_unkept", made.unkept)

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
        replaces it. What q and v name now is kept before what they named earlier, if constraints do not allow
        both. With another integrator, the options of the first are left out. A model is an argument too.
        """
        made = self._replaced(**changes)
        if made._unkept:
            warn_of(*made._unkept.values())
        return made

    def _replaced(self, **changes: Any) -> Problem:
        """The problem with other arguments; what its start could not keep is in `_unkept`."""
        given = {**self.arguments, **self._parted(changes)}
        if given.get("tol") is not None:
            if "dt" in changes and "tol" not in changes:  # one choice of steps in place of the other
                given["tol"] = None
            elif "integrator" in changes and changes.get("tol", 0.0) is not None:
                raise ModelError(
                    asked=f"replace(integrator={validate.shown(changes['integrator'])}) of a problem of model"
                    f" {self.model.name!r} with tol={validate.shown(given['tol'])}",
                    found="steps that the tolerance chooses, and no dt",
                    do="give dt too, such as dt=0.01",
                )
        elif changes.get("tol") is not None and "dt" not in changes:
            given["dt"] = None
        if "integrator" in changes:
            given = {name: given[name] if name != "alpha" else None for name in ARGUMENTS}
        model = changes.pop("model", self.model)
        for name in {"q", "v", "p", "u", "k"} & changes.keys():
            changes[name] = replaced(model, name, given[name], changes[name])
        return _made_again(model, {**given, **changes})

    def _parted(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """A start given as a state or an array, as arguments of their own, if single values of its q change."""
        q, v, p, t0 = (self.arguments[name] for name in ("q", "v", "p", "t0"))
        if q is None or isinstance(q, Mapping) or not isinstance(changes.get("q"), Mapping):
            return {}
        if isinstance(q, State):
            if v is None and p is None:
                v, p = (None, momenta(self.model, q)) if "p" in changes else (q.v, None)
            return {**of_state(self.model, q, v, p)._asdict(), "t0": q.t if t0 is None else t0}
        return {"v": np.zeros(self.model.nv)} if v is None and p is None and self.model.start.v else {}

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
        steps = f"{validate.counted(self.grid.steps, 'step')} of {settings['dt']:g} s"
        if settings.get("control") == "reversible":
            steps = f"{settings['duration']:g} s in steps by tol = {settings['tol']:g}"
        return f"<Problem of {self.model.name!r}: {settings['integrator']}, {steps}>"


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


def _made_again(model: Model, arguments: Mapping[str, Any]) -> Problem:
    problem = Problem.__new__(Problem)
    options = {name: value for name, value in arguments.items() if name not in ARGUMENTS}
    with own_start(arguments["q"]):
        problem._make(model, tuple(arguments[name] for name in ARGUMENTS), options, "Problem")
    return problem


def default_duration(model: Model, where: str) -> float:
    """The duration given by the start of the system."""
    if model.start.duration is None:
        raise ModelError(
            asked=where,
            found="no duration, and the system has no start that says one",
            do="give duration=, in seconds",
        )
    return model.start.duration
