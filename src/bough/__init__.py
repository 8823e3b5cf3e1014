"""Simulation of articulated mechanical systems described as trees of frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bough.constraints import DistanceConstraint, PointConstraint
from bough.elements import Constraint, Force, Potential
from bough.errors import BoughError, ConvergenceError, ModelError, ParseError
from bough.forces import ConfigurationForce, Damping
from bough.frame import Frame
from bough.parameter import kinematic
from bough.potentials import ConfigurationSpring, LinearSpring
from bough.system import System

if TYPE_CHECKING:
    from bough.model import Model

__all__ = [
    "BoughError",
    "ConfigurationForce",
    "ConfigurationSpring",
    "Constraint",
    "ConvergenceError",
    "Damping",
    "DistanceConstraint",
    "Force",
    "Frame",
    "LinearSpring",
    "Model",
    "ModelError",
    "ParseError",
    "PointConstraint",
    "Potential",
    "System",
    "kinematic",
]


def __getattr__(name: str) -> Any:
    if name == "Model":  # needs the compiled core, which a description does not
        from bough.model import Model

        return Model
    raise AttributeError(f"module 'bough' has no attribute {name!r}")
