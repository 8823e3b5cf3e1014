"""The part of a trajectory that evaluates quantities of its model at every instant."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bough.arguments import Array
from bough.description.frame import Frame
from bough.errors import ModelError, unknown_name
from bough.model.lower import constraint_rows
from bough.model.model import Model
from bough.motion.rows import rate, second_rate
from bough.named import Named

if TYPE_CHECKING:
    from bough.motion.body_motion import BodyMotion
    from bough.motion.joint_force import JointForce
    from bough.motion.trajectory import Driving


Columns: TypeAlias = "Sequence[int] | None"


class RunQuantities:
    """Quantities along a motion."""

    model: Model
    bodies: BodyMotion | None
    t: Array
    settings: dict[str, Any]
    _vk: Array | None
    _given_ak: Array | None
    _driving: Driving | None

    if TYPE_CHECKING:  # computed on first access

        @cached_property
        def q(self) -> Named: ...
        @cached_property
        def v(self) -> Named: ...
        @cached_property
        def u(self) -> Named: ...

    def kinetic_energy(self) -> Array:
        """T at every instant, (rows,)."""
        return self.model.kinetic_energy(self.q, self.v)

    def potential_energy(self) -> Array:
        """V at every instant, (rows,)."""
        return self.model.potential_energy(self.q)

    def energy(self) -> Array:
        """T + V at every instant, (rows,)."""
        return self.model.energy(self.q, self.v)

    def momentum(self) -> Array:
        """The generalised momenta dL/dv of all variables, (rows, nv)."""
        return self.model.momentum(self.q, self.v)

    def linear_momentum(self) -> Array:
        """The total linear momentum, (rows, 3)."""
        return self.model.linear_momentum(self.q, self.v)

    def angular_momentum(self) -> Array:
        """The total angular momentum about the world origin, (rows, 3)."""
        return self.model.angular_momentum(self.q, self.v)

    def constraint_error(self) -> Array:
        """The values h(q, t) of the constraints, zero if they hold, (rows, nc).

        They are also zero after a constraint broke (`bodies.events`).
        """
        h = self.model.constraint(self.q, self.t)
        if self.bodies is not None:
            rows = constraint_rows(self.model._elements)
            for time, name in self.bodies.events:
                if name in rows:  # else a joint or contact
                    h[self.t > time, rows[name]] = 0.0
        return h

    def motor_force(self) -> Named:
        """What the motors of each variable apply at every instant, (rows, nv), in N m or N: not u, the command.

        Gears and effort limits are in it, and the forces of servos: `Model.motor_force`. Inputs are those held
        from that instant on.
        """
        return Named(self.model.motor_force(self.q, self.v, self.u), self.model._names.variables)

    def drive_force(self) -> Named:
        """What it takes to move the kinematic variables as prescribed, (rows, nk), in N m or N: their drive torques.

        From the equations of motion at every instant, with constraint forces and all elements:
        τ = d/dt ∂L/∂v − ∂L/∂q − f − Dhᵀ lam − Jᵀ r, with the forces r of contacts, but for impulses of impacts.
        """
        return Named(self._force_left(self.model, self.q)[:, self.model.nd :], self.model._names.kinematic)

    def joint_force(self, joint: str | Frame, axes: str = "world") -> JointForce:
        """The force and the moment that a joint carries at every instant, each (rows, 3), in N and N m.

        What the parent exerts on the frame that the joint moves, with all that acts through the joint: bearings, and
        motors, springs, limits, friction and gears of its variable. From the equations of motion, as `drive_force`;
        elements between frames and contacts act on the frames themselves.

        Parameters
        ----------
        joint : str or Frame
            A variable, or a frame: between frames that are rigid in each other, the force in the section there.
        axes : "world" or "body"
            The axes of the result: of the world, or of the frame.

        Examples
        --------
        >>> import bough
        >>> system = bough.System("pendulum")
        >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=2.0)
        >>> run = bough.simulate(system.build(), duration=0.1, dt=0.01)
        >>> run.joint_force("angle").force[0].round(2)
        array([ 0.  ,  0.  , 19.62])
        """
        from bough.motion.joint_force import joint_force

        return joint_force(self, joint, axes)

    def _force_left(self, model: Model, q: Array, columns: Columns = None) -> Array:
        """What is left of the equations of motion at every instant, (rows, nv): the forces of what prescribes motions.

        `model` is that of the run, or one with more kinematic variables, which rest; `columns` are then the places
        of the variables of the run among its own.
        """
        own = self.model
        load = self._contact_load(own, self.q) if own.gaps else np.zeros((len(self.t), own.nv))
        a, lam = own.acceleration_and_multipliers(self.q, self.v, self.u, ak=self._ak(), force=load, t=self.t)
        v: Array = self.v
        if columns is not None:
            v, a = (spread(each, columns, model.nv) for each in (v, a))
        force = model.inverse_dynamics(q, v, a) - model.generalized_force(q, v, self.u, self.t)
        if model.nc:
            force -= np.einsum("ti,tij->tj", lam, model.constraint_dq(q, self.t))
        return force - self._contact_load(model, q) if model.gaps else force

    def _contact_load(self, model: Model, q: Array) -> Array:
        """The generalised forces of contacts on a model with those of the run, (rows, nv)."""
        raise ModelError(
            asked=f"the forces of contacts in a trajectory of {model._where}",
            found="a trajectory that does not record them",
            do="use a run of bough.simulate",
        )

    def _ak(self) -> Array:
        """Accelerations of the kinematic variables, from their values at all steps if these are known."""
        if self._given_ak is not None:
            return self._given_ak
        k = np.zeros(0) if self._driving is None else self._driving.prescribed
        if len(k) > 2:
            dt, t0, duration = (self.settings[name] for name in ("dt", "t0", "duration"))
            nodes = t0 + np.minimum(np.arange(len(k)) * dt, duration)
            return second_rate(k, nodes, self.t)
        return rate(self.v[:, self.model.nd :] if self._vk is None else self._vk, self.t)

    def rotation(self, ball: str) -> Any:
        """The rotations of a ball at all instants, as a SciPy `Rotation`."""
        from scipy.spatial.transform import Rotation

        if ball not in self.model._balls:
            raise unknown_name("ball", str(ball), self.model.balls, self.model._where)
        w, x, y, z = np.asarray(self.q[ball]).T
        return Rotation.from_quat(np.stack([x, y, z, w], axis=-1))

    def pose(self, frame: str | Frame) -> Array:
        """The pose of a frame at every instant, (rows, 4, 4)."""
        return self.model.pose(frame, self.q)


def spread(rows: Array, columns: Sequence[int], count: int) -> Array:
    """Rows (n, ...) as rows (n, count) with their numbers in some columns, and zeros in the others."""
    found = np.zeros((len(rows), count))
    found[:, columns] = rows
    return found
