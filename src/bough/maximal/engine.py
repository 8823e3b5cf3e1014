"""Stepping by hand in maximal coordinates, with changes between steps."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from bough import validate
from bough.arguments import Array, Vector
from bough.description.element import Constraint
from bough.description.frame import Frame
from bough.elements.no_slip import Rolling, Skate
from bough.elements.user import UserElement
from bough.errors import ConvergenceError, ModelError, unknown_name
from bough.integrators.settings import no_contacts
from bough.maximal import _settings
from bough.maximal._bodies import Bodies
from bough.maximal.contacts import NoSlip, plain
from bough.model.configurations import refuse_balls
from bough.model.model import Model
from bough.motion.consistent_start import single, start
from bough.motion.grid import step_size
from bough.motion.named_start import unkept_velocity, warn_of, with_named_velocities
from bough.motion.state import State


class MaximalEngine:
    """Rigid bodies held together by constraints, stepped one by one.

    Between steps constraints can be switched off and on, broken, and added, as in a game engine.

    Parameters
    ----------
    model : Model
    dt : float
        May be changed between steps: engine.dt = 0.005.
    integrator : "velocity", "penalty-explicit" or "penalty-implicit"
    stabilization : None or "projection"
        With "velocity": project positions and velocities onto the constraints after each step.
    **options
        As in `bough.simulate` with this integrator: beta, gyroscopic, break_above, contacts; stiffness, ...

    Examples
    --------
    >>> import bough
    >>> system = bough.System("wire")
    >>> bob = system.world.tx("x").tz("z", name="bob", mass=1.0)
    >>> wire = system.add(bough.DistanceConstraint(bob, "world", length=1.0, name="wire"))
    >>> engine = bough.MaximalEngine(system.build(), dt=0.01)
    >>> state = engine.start(q={"z": -1.0})
    >>> state = engine.step()
    >>> engine.disable("wire")
    >>> float(round(engine.step().v[1], 4))
    -0.0981
    """

    def __init__(
        self,
        model: Model,
        dt: float,
        integrator: str = "velocity",
        *,
        stabilization: Any = None,
        **options: Any,
    ) -> None:
        where = f"MaximalEngine of model {model.name!r}"
        if integrator not in _settings.INTEGRATORS:
            raise unknown_name("integrator", str(integrator), tuple(_settings.INTEGRATORS), where)
        refuse_balls(model, "MaximalEngine", "use spherical(name) or free(name) in place of balls")
        no_contacts(model, f"MaximalEngine with {integrator!r}", where)
        self.model = model
        self.dt = step_size(dt, where)
        self.settings = _settings.settings(integrator, self.dt, stabilization, options, where)
        self._where = where
        self._bodies = Bodies(model, self.settings, where)
        self._events: list[tuple[float, str]] = []
        self._broken: dict[int, str] = {}  # body -> how its joint broke
        self._started = False

    # --- motion ---

    def start(self, q: Vector | None = None, v: Vector | None = None, *, t: float = 0.0) -> State:
        """Place the bodies by q, with the velocities nearest to v that meet the constraints and keep those named."""
        model = self.model
        q0 = np.zeros(model.nv) if q is None else single(q, model.variables, "q", self._where)
        v0 = np.zeros(model.nv) if v is None else single(v, model.variables, "v", self._where)
        begin = start(model, q0, v0, None, v0[model.nd :], self._where, t)
        if model.nc and isinstance(v, Mapping):
            begin = with_named_velocities(model, begin, v0, v, t)
            warn_of(unkept_velocity(model, v0, begin.v, v, self._where))
        self._bodies.start(float(t), begin.q, begin.v, self.dt)
        self._started = True
        return self.state

    def step(self, u: Vector | None = None, k: Vector | None = None) -> State:
        """One step with inputs u, to the values k of the kinematic variables; returns the state after it."""
        if not self._started:
            raise ModelError(
                asked=f"step() of {self._where}", found="no start", do="call start(q=..., v=...) first"
            )
        model = self.model
        inputs = (
            np.zeros((1, model.nu))
            if u is None
            else single(u, model.inputs, "u", self._where, "inputs")[None]
        )
        driven = np.zeros((0, model.nk))
        if k is not None:
            driven = single(k, model.kinematic, "k", self._where, "kinematic variables")[None]
        t, q, v, x, o, drift = self._bodies.buffers(1)
        status, _, _, _, broken, raised = self._bodies.core.run(
            self._bodies.method,
            1,
            self.dt,
            driven,
            inputs,
            1,
            0,
            t,
            q,
            v,
            np.zeros((1, model.nc)),
            x,
            o,
            drift,
            0,
        )
        if isinstance(raised, BaseException):
            raise raised
        if status:
            found, do = self._bodies.failure(status, self.dt)
            raise ConvergenceError(
                asked=f"step() of {self._where} from t = {self.t:.6g}", found=found, do=do, time=self.t
            )
        for _, event in broken:
            self._events.append((self.t, self._bodies.event_name(event)))
            if event < 0:
                force = self._bodies.strength[event]
                self._broken[-event] = f"broke at t = {self.t:.6g} s, when its force exceeded {force:g} N"
        return self.state

    # --- state ---

    @property
    def t(self) -> float:
        """The time."""
        return float(self._bodies.core.t)

    @property
    def state(self) -> State:
        """Time, recovered configuration and velocity, and the forces of the model's constraints."""
        t, q, v, *_ = self._bodies.recorded()
        lam = np.array(self._bodies.core.lam[: self.model.nc])
        return State(t[0], q[0], v[0], lam=lam, names=self.model._names)

    @property
    def names(self) -> tuple[str, ...]:
        """The frame that names each body."""
        return self._bodies.names

    @property
    def constraints(self) -> tuple[str, ...]:
        """The constraints and contacts by name, those added at run time last."""
        return tuple(self._bodies.constraints)

    @property
    def position(self) -> Array:
        """Centres of mass, (bodies, 3)."""
        rows: Array = self._bodies.recorded()[3][0]
        return rows

    @property
    def quaternion(self) -> Array:
        """Orientations, scalar first, (bodies, 4)."""
        rows: Array = self._bodies.recorded()[4][0]
        return rows

    @property
    def drift(self) -> Array:
        """The gap of the joint inboard of each body, (bodies, 2): metres and radians; zero if it broke."""
        rows: Array = self._bodies.recorded()[5][0]
        rows[[slot - 1 for slot in self._broken]] = 0.0
        return rows

    @property
    def events(self) -> tuple[tuple[float, str], ...]:
        """The times and names of the constraints and joints that broke."""
        return tuple(self._events)

    # --- changes ---

    def disable(self, name: str) -> None:
        """Switch off a constraint or contact, or break the joint of a variable for good."""
        index = self._bodies.breakable(name)
        if index < 0:
            self._bodies.core.break_joint(-index)
            self._broken.setdefault(-index, f"was broken by disable() at t = {self.t:.6g} s")
        else:
            self._bodies.enable(name, False)

    def enable(self, name: str) -> None:
        """Switch a constraint or contact on again; its error is then removed like drift."""
        bodies = self._bodies
        if name in bodies.joints and name not in bodies.constraints:
            how = self._broken.get(bodies.joints[name])
            raise ModelError(
                asked=f"enable({name!r}) of {self._where}",
                found=f"a variable, whose joint {'is whole' if how is None else how}",
                do="leave this out: enable() is for constraints and contacts"
                if how is None
                else "a broken joint stays broken: add a constraint between its frames, such as"
                " bough.PointConstraint or bough.WeldConstraint, with add(), or make another engine",
            )
        bodies.enable(name, True)

    def break_above(self, name: str, force: float) -> None:
        """Break a constraint, or the joint of a variable, when its force exceeds a threshold."""
        thresholds = _settings._thresholds({name: force}, self._where)
        self._bodies.break_above(name, thresholds[name])

    def add(self, constraint: Constraint | NoSlip) -> str:
        """Add a constraint between frames of the model, or a contact; returns its name."""
        if isinstance(constraint, Rolling | Skate):
            if self._bodies.method:
                raise ModelError(
                    asked=f"add({constraint!r}) to {self._where}",
                    found="contacts act on velocities, penalty springs on positions",
                    do="use integrator='velocity'",
                )
            return self._bodies.add_contact(plain(constraint, self._where))
        if not isinstance(constraint, Constraint):
            raise ModelError(
                asked=f"add({validate.shown(constraint)}) to {self._where}",
                found="neither a constraint nor a contact",
                do="give a constraint such as bough.DistanceConstraint(a, b, 1.0), or bough.Rolling(...)",
            )
        name = constraint.name or f"{type(constraint).__name__} +{len(self._bodies.constraints)}"
        if name in self._bodies.constraints:
            raise ModelError(
                asked=f"add({constraint._text()}) to {self._where}",
                found=f"there is a constraint {name!r} already",
                do="give it another name",
            )
        frames = {field: getattr(constraint, field) for field in constraint.frame_fields}
        labels = {field: frame.label for field, frame in frames.items() if isinstance(frame, Frame)}
        named = dataclasses.replace(constraint, **labels)  # the model's frames are those of the same labels
        extended = self.model._system_with((*self.model._elements, named)).build()
        record = extended._records[-1]
        if isinstance(record, UserElement):
            record.bind(self.model)
        self._bodies.constraints[name] = self._bodies.core.add_record(record)
        return name
