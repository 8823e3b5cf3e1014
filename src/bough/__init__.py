"""Simulation of articulated mechanical systems described as trees of frames."""

from bough._trajectory_file import load_trajectory
from bough.constraints import (
    DistanceConstraint,
    LineConstraint,
    ParallelConstraint,
    PlaneConstraint,
    PointConstraint,
    WeldConstraint,
)
from bough.elements import Constraint, Force, Potential
from bough.errors import BoughError, ConvergenceError, ModelError, ParseError
from bough.forces import ConfigurationForce, Damping
from bough.frame import Frame
from bough.functions import PiecewisePolynomial, Sinusoid
from bough.integrator import MidpointVI, TrapezoidalVI
from bough.model import Model
from bough.parameter import kinematic
from bough.potentials import ConfigurationSpring, LinearSpring
from bough.simulate import simulate
from bough.state import State
from bough.system import System
from bough.trajectory import Trajectory
from bough.variable_constraints import CamConstraint, EqualityConstraint, GearConstraint, ScrewConstraint

__all__ = [
    "BoughError",
    "CamConstraint",
    "ConfigurationForce",
    "ConfigurationSpring",
    "Constraint",
    "ConvergenceError",
    "Damping",
    "DistanceConstraint",
    "EqualityConstraint",
    "Force",
    "Frame",
    "GearConstraint",
    "LineConstraint",
    "LinearSpring",
    "MidpointVI",
    "Model",
    "ModelError",
    "ParallelConstraint",
    "ParseError",
    "PiecewisePolynomial",
    "PlaneConstraint",
    "PointConstraint",
    "Potential",
    "ScrewConstraint",
    "Sinusoid",
    "State",
    "System",
    "Trajectory",
    "TrapezoidalVI",
    "WeldConstraint",
    "kinematic",
    "load_trajectory",
    "simulate",
]
