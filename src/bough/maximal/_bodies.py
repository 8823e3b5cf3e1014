"""An engine of the core built from a model and settings, with the names of its parts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.description.element import Constraint
from bough.elements.no_slip import Rolling, Skate
from bough.elements.servo import Servo
from bough.errors import ModelError, unknown_name
from bough.maximal._settings import METHOD
from bough.maximal.contacts import contact_name, on_the_plane, plain, slips
from bough.model.lower import constraint_rows
from bough.model.model import Model


class Bodies:
    """An engine of the core at a start, and the names of its bodies, joints and constraints."""

    def __init__(self, model: Model, settings: Mapping[str, Any], where: str) -> None:
        self.model = model
        self.settings = settings
        self.where = where
        self.method = METHOD[settings["integrator"]]
        self.core = core.MaximalEngine(
            model._core,
            settings.get("beta", 0.0),
            settings.get("stabilization") == "projection",
            settings["gyroscopic"] == "implicit",
            1.0,
            1.0,
            0.0,
            settings.get("smallest_inertia", 0.0),
            settings.get("tolerance", 1e-10),
            settings.get("max_iterations", 60),
        )
        self.constraints: dict[str, int] = {}  # name -> index in the core
        self.strength: dict[int, float] = {}  # index -> breaking force, as given to `breakable`
        self._contacts: dict[str, Mapping[str, Any]] = {}
        self._elements(model)
        self.names = self._body_names()
        variables = self.core.joint_variables()
        self.joints = {model.variables[i]: body + 1 for body, row in enumerate(variables) for i in row}
        self.joint_names = [", ".join(dict.fromkeys(model.variables[i] for i in row)) for row in variables]
        for contact in settings.get("contacts") or ():
            self.add_contact(contact)
        for name, force in (settings.get("break_above") or {}).items():
            self.break_above(name, force)
        if self.method:
            self._need_inertia()

    def _elements(self, model: Model) -> None:
        names = iter(constraint_rows(model._elements))
        for element, record in zip(model._elements, model._records, strict=True):
            if isinstance(element, Servo):
                raise ModelError(
                    asked=f"integrator={self.settings['integrator']!r} in {self.where}",
                    found=f"{element._text()} on {element.variable!r}: maximal coordinates take forces on"
                    " variables as they are at the start of a step, where a servo of high gain is not stable",
                    do="use integrator='midpoint'; or apply the force by ConfigurationForce and an input",
                )
            if isinstance(element, Rolling | Skate):
                self._add_element(element, next(names))
                continue
            index = self.core.add_record(record)
            if isinstance(element, Constraint):
                self.constraints[next(names)] = index

    def _add_element(self, element: Rolling | Skate, name: str) -> None:
        """Rolling or a skate of the model as rows of velocities."""
        if self.method:
            raise ModelError(
                asked=f"integrator={self.settings['integrator']!r} in {self.where}",
                found=f"{element._text()} acts on velocities, penalty springs on positions",
                do="use integrator='velocity' or 'midpoint', or leave the element out",
            )
        self.add_contact(plain(element, self.where), name)

    def _body_names(self) -> tuple[str, ...]:
        """The frame that names each body: that with its mass, or the first one on it."""
        joints = np.array(self.core.frame_joints)
        names = []
        for link in self.core.links:
            frames = np.flatnonzero(joints == link + 1)
            heavy = [frame for frame in frames if self.model._masses[frame] > 0.0]
            names.append(self.model.frames[(heavy or list(frames))[0]])
        return tuple(names)

    def add_contact(self, contact: Mapping[str, Any], known_as: str | None = None) -> str:
        """Add a contact; returns its name."""
        frame = self.model._frame(contact["frame"])
        index = self.core.add_no_slip(
            contact["kind"] == "Rolling",
            frame,
            np.array(contact["axis"]),
            contact.get("radius", 0.0),
            np.array(contact.get("normal", (0.0, 0.0, 1.0))),
            contact.get("height", 0.0),
        )
        if index < 0:
            raise ModelError(
                asked=f"{contact['kind']} of frame {contact['frame']!r} in {self.where}",
                found="the frame is fixed to the world, or to a link without mass",
                do="give a frame that is fixed to a link with mass",
            )
        name = known_as or contact_name(contact)
        self.constraints[name] = index
        self._contacts[name] = contact
        return name

    def constraint(self, name: str) -> int:
        """The index of a constraint."""
        if name not in self.constraints:
            raise unknown_name("constraint", str(name), tuple(self.constraints), self.where)
        return self.constraints[name]

    def enable(self, name: str, on: bool) -> None:
        """Switch a constraint or contact on or off."""
        self.core.enable(self.constraint(name), on)

    def breakable(self, name: str) -> int:
        """The index of a constraint, or minus the slot of the body outboard of a joint."""
        if name in self.constraints:
            return self.constraints[name]
        if name not in self.joints:
            known = (*self.constraints, *self.joints)
            raise unknown_name("constraint or variable of a joint", str(name), known, self.where)
        return -self.joints[name]

    def break_above(self, name: str, force: float) -> None:
        """Break a constraint, or the joint of a variable, when its force exceeds a threshold."""
        index = self.breakable(name)
        self.core.break_above(index, force)
        self.strength[index] = force

    def event_name(self, event: int) -> str:
        """The names of the parts that broke."""
        if event < 0:
            return self.joint_names[-event - 1]
        return next(name for name, index in self.constraints.items() if index == event)

    def _need_inertia(self) -> None:
        if massless := self.core.massless():
            name = self.names[massless[0] - 1]
            raise ModelError(
                asked=f"integrator={self.settings['integrator']!r} in {self.where}",
                found=f"several bodies hang from frame {name!r}, which has no mass that a spring could move",
                do=f"give frame {name!r} a mass and inertia, or use integrator='velocity'",
            )
        lacking = self.core.lacking()
        if lacking and not self.settings["smallest_inertia"] > 0.0:
            name = self.names[lacking[0] - 1]
            raise ModelError(
                asked=f"integrator={self.settings['integrator']!r} in {self.where}",
                found=f"body {name!r} has no rotational inertia about some axis, so that a spring at its"
                " joint would turn it infinitely fast",
                do=f"give frame {name!r} inertia=(Ixx, Iyy, Izz), all above zero; or smallest_inertia=1e-3"
                " (in kg m², added to such bodies, which changes the motion); or use integrator='velocity'",
            )

    # --- start ---

    def start(self, t: float, q: Array, v: Array, dt: float, again: bool = False) -> Array:
        """Place the bodies and choose open settings; returns velocities that keep the contacts.

        With `again`, v is one that this returned before and is used unchanged.
        """
        touching = [
            contact
            for name, contact in self._contacts.items()
            if self.core.enabled(self.constraints[name])  # neither switched off nor broken
        ]
        for contact in touching:
            on_the_plane(self.model, contact, q, self.where)
        self.core.start(t, q, v)
        if not again and any(slips(self.model, contact, q, v) for contact in touching):
            self.core.project_velocities()
            v = self.recorded()[2][0]
            self.core.start(t, q, v)  # so that a start with these velocities is the same to the last bit
        if self.method:
            self._choose_stiffness(dt)
        return v

    def buffers(self, rows: int) -> tuple[Array, ...]:
        """Buffers for this many rows of t, q, v, positions, quaternions and drifts."""
        nq, count = self.model.nv, self.core.n_bodies
        sizes = ((), (nq,), (nq,), (count, 3), (count, 4), (count, 2))
        return tuple(np.empty((rows, *size)) for size in sizes)

    def recorded(self) -> tuple[Array, ...]:
        """The present t, q, v, positions, quaternions and drifts, each with a first axis of length one."""
        t, q, v, x, o, drift = arrays = self.buffers(1)
        self.core.record(t, q, v, x, o, drift, 0)
        return arrays

    def _choose_stiffness(self, dt: float) -> None:
        """The stiffness; by default stable up to 2 dt if explicit, a hundred times that if implicit."""
        explicit = self.method == METHOD["penalty-explicit"]
        linear, angular = self.settings["stiffness"], self.settings["angular_stiffness"]
        damping = self.settings["damping"]
        if linear is None:
            ratio = self.core.gyration
            self.core.set_stiffness(1.0, ratio, 0.0)
            unit = self.core.penalty_eigenvalue()
            linear = (2.0 / 3.0 if explicit else 200.0 / 3.0) / (max(unit, 1e-300) * dt**2)
        angular = linear * self.core.gyration if angular is None else angular
        self.relaxation = 0.5 * dt if damping is None else damping / linear
        self.stiffness, self.angular_stiffness = linear, angular
        self.core.set_stiffness(linear, angular, self.relaxation)
        if explicit:
            self.first_limit = largest = self.largest_step()
        if explicit and dt > largest * (1.0 + 1e-9):
            raise ModelError(
                asked=f"dt={dt:g} in {self.where} with integrator 'penalty-explicit'",
                found=f"springs of {linear:.3g} N/m and {angular:.3g} N m/rad at the joints, which explode"
                f" at this step: the largest stable dt is {largest:.3g} s",
                do=f"take dt={_below(largest):g} or a lower stiffness, or use integrator='penalty-implicit'",
            )

    def largest_step(self) -> float:
        """The largest stable step of explicit penalties in the present state: (MB1) of the theory."""
        kappa = self.core.penalty_eigenvalue()
        if kappa == 0.0:
            return math.inf
        return math.sqrt(self.relaxation**2 + 4.0 / kappa) - self.relaxation

    def failure(self, status: int, dt: float) -> tuple[str, str]:
        """The parts "found" and "do" of the message for a failed step."""
        look = (
            "look at the motion before it, which this exception carries as .trajectory"
            " (on_failure='stop' returns it instead)"
        )
        if status == core.StepStatus.singular:
            slot = self.core.failed_slot
            name, joint = self.names[slot - 1], self.joint_names[slot - 1]
            return (
                f"the joint {joint!r} of body {name!r} moves no mass in this configuration",
                f"give frame {name!r} an inertia that resists this motion, or {look}",
            )
        if status == core.StepStatus.exploded:
            here = self.largest_step()
            return (
                f"the joints came apart: with springs of {self.stiffness:.3g} N/m and"
                f" {self.angular_stiffness:.3g} N m/rad the largest stable dt was {self.first_limit:.3g} s"
                f" at the start and is {here:.3g} s here",
                f"take dt={_below(min(self.first_limit, here, dt)):g} or a lower stiffness, or use"
                " integrator='penalty-implicit'",
            )
        if status == core.StepStatus.no_convergence:
            return "Newton's method did not converge", f"take a smaller dt, or {look}"
        return "the velocities are not finite", f"take a smaller dt, or {look}"


def _below(step: float) -> float:
    """A round number below nine tenths of a step."""
    power = 10.0 ** math.floor(math.log10(0.9 * step))
    return math.floor(0.9 * step / power) * power
