"""Simulation of articulated mechanical systems described as trees of frames."""

from bough.errors import BoughError, ConvergenceError, ModelError, ParseError
from bough.frame import Frame
from bough.parameter import kinematic
from bough.system import System

__all__ = [
    "BoughError",
    "ConvergenceError",
    "Frame",
    "ModelError",
    "ParseError",
    "System",
    "kinematic",
]
