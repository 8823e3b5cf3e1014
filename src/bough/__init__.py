"""Simulation of articulated mechanical systems described as trees of frames."""

from bough._trajectory_file import load_trajectory
from bough.beam import BeamElement
from bough.constraints import DistanceConstraint, PointConstraint
from bough.elements import Constraint, Force, Potential
from bough.errors import BoughError, ConvergenceError, ModelError, ParseError
from bough.forces import ConfigurationForce, Damping, Drag, LinearDamper
from bough.frame import Frame
from bough.gravity import CentralGravity, Gravity
from bough.integrator import MidpointVI, TrapezoidalVI
from bough.model import Model
from bough.parameter import kinematic
from bough.potentials import (
    ConfigurationSpring,
    LinearSpring,
    NonlinearConfigurationSpring,
    NonlinearSpring,
    TorsionSpring,
)
from bough.simulate import simulate
from bough.state import State
from bough.system import System
from bough.trajectory import Trajectory
from bough.wrenches import BodyWrench, HybridWrench, PointForce, SpatialWrench

__all__ = [
    "BeamElement",
    "BodyWrench",
    "BoughError",
    "CentralGravity",
    "ConfigurationForce",
    "ConfigurationSpring",
    "Constraint",
    "ConvergenceError",
    "Damping",
    "DistanceConstraint",
    "Drag",
    "Force",
    "Frame",
    "Gravity",
    "HybridWrench",
    "LinearDamper",
    "LinearSpring",
    "MidpointVI",
    "Model",
    "ModelError",
    "NonlinearConfigurationSpring",
    "NonlinearSpring",
    "ParseError",
    "PointConstraint",
    "PointForce",
    "Potential",
    "SpatialWrench",
    "State",
    "System",
    "TorsionSpring",
    "Trajectory",
    "TrapezoidalVI",
    "kinematic",
    "load_trajectory",
    "simulate",
]
