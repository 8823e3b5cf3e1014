"""Simulation of articulated mechanical systems described as trees of frames."""

from bough._trajectory_file import load_trajectory
from bough._user_element import DerivativeWarning
from bough.check import check
from bough.constraints import DistanceConstraint, PointConstraint
from bough.elements import Constraint, Force, Potential
from bough.equilibrium import Equilibrium
from bough.errors import BoughError, ConvergenceError, ModelError, ParseError
from bough.forces import ConfigurationForce, Damping
from bough.frame import Frame
from bough.function_force import FunctionForce
from bough.instant import Instant
from bough.integrator import MidpointVI, TrapezoidalVI
from bough.model import Model
from bough.parameter import kinematic
from bough.potentials import ConfigurationSpring, LinearSpring
from bough.simulate import simulate
from bough.state import State
from bough.system import System
from bough.trajectory import Trajectory

__all__ = [
    "BoughError",
    "ConfigurationForce",
    "ConfigurationSpring",
    "Constraint",
    "ConvergenceError",
    "Damping",
    "DerivativeWarning",
    "DistanceConstraint",
    "Equilibrium",
    "Force",
    "Frame",
    "FunctionForce",
    "Instant",
    "LinearSpring",
    "MidpointVI",
    "Model",
    "ModelError",
    "ParseError",
    "PointConstraint",
    "Potential",
    "State",
    "System",
    "Trajectory",
    "TrapezoidalVI",
    "check",
    "kinematic",
    "load_trajectory",
    "simulate",
]
