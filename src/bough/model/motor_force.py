"""The forces of motors: what gear and effort make of a command, and what servos apply (VS1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bough.arguments import Array

if TYPE_CHECKING:
    from bough.model.model import Model

MOTORS = ("ConfigurationForce", "Servo")


def motors(model: Model) -> list[Any]:
    """The records of forces on variables that an input commands, and of servos."""
    return [
        record
        for record in model._records
        if isinstance(record, tuple) and record[0] in MOTORS and (record[0] == "Servo" or record[3][0] >= 0)
    ]


def changes_commands(model: Model) -> bool:
    """Whether the force of a motor may be another than its command."""
    return any(record[0] == "Servo" or record[4][1:] != [1.0, np.inf] for record in motors(model))


def motor_force(model: Any, q: Array, v: Array, u: Array) -> Array:
    """The generalised force of all motors, (..., nv), at variables (..., nv), velocities and inputs."""
    out = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1], u.shape[:-1]), model.nv))
    for kind, _, variables, inputs, values in motors(model):
        i = variables[0]
        if kind == "ConfigurationForce":
            _, gear, effort = values
            out[..., i] += gear * np.clip(u[..., inputs[0]], -effort, effort)
            continue
        kp, kd, effort, target, rate, follows = values  # (VS1)
        if len(variables) > 1:
            k = variables[1]
            target, moving = target * q[..., k], target * v[..., k]
            rate = moving if follows else rate
        elif inputs[0] >= 0:
            target = target * u[..., inputs[0]]
        if inputs[1] >= 0 and not follows:
            rate = rate * u[..., inputs[1]]
        out[..., i] += np.clip(kp * (target - q[..., i]) + kd * (rate - v[..., i]), -effort, effort)
    return out
