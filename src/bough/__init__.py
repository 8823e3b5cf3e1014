"""Simulation of articulated mechanical systems described as trees of frames."""

from bough import control
from bough._trajectory_file import load_trajectory
from bough._user_element import DerivativeWarning
from bough.beam import BeamElement
from bough.check import check
from bough.constraints import (
    DistanceConstraint,
    LineConstraint,
    ParallelConstraint,
    PlaneConstraint,
    PointConstraint,
    WeldConstraint,
)
from bough.elements import Constraint, Force, Potential
from bough.equilibrium import Equilibrium
from bough.errors import BoughError, CoarseStepWarning, ConvergenceError, ModelError, ParseError
from bough.forces import ConfigurationForce, Damping, Drag, LinearDamper
from bough.frame import Frame
from bough.function_force import FunctionForce
from bough.functions import PiecewisePolynomial, Sinusoid
from bough.gravity import CentralGravity, Gravity
from bough.instant import Instant
from bough.integrator import MidpointVI, TrapezoidalVI
from bough.io import BoughWarning, load, save
from bough.model import Model
from bough.parameter import kinematic
from bough.potentials import (
    ConfigurationSpring,
    LinearSpring,
    NonlinearConfigurationSpring,
    NonlinearSpring,
    TorsionSpring,
)
from bough.reduced import ReducedVI
from bough.reduced_state import ReducedState, ReducedTrajectory
from bough.retraction import Retraction
from bough.simulate import simulate
from bough.state import State
from bough.system import System
from bough.trajectory import Trajectory
from bough.variable_constraints import CamConstraint, EqualityConstraint, GearConstraint, ScrewConstraint
from bough.wrenches import BodyWrench, HybridWrench, PointForce, SpatialWrench

__all__ = [
    "BeamElement",
    "BodyWrench",
    "BoughError",
    "BoughWarning",
    "CamConstraint",
    "CentralGravity",
    "CoarseStepWarning",
    "ConfigurationForce",
    "ConfigurationSpring",
    "Constraint",
    "ConvergenceError",
    "Damping",
    "DerivativeWarning",
    "DistanceConstraint",
    "Drag",
    "EqualityConstraint",
    "Equilibrium",
    "Force",
    "Frame",
    "FunctionForce",
    "GearConstraint",
    "Gravity",
    "HybridWrench",
    "Instant",
    "LineConstraint",
    "LinearDamper",
    "LinearSpring",
    "MidpointVI",
    "Model",
    "ModelError",
    "NonlinearConfigurationSpring",
    "NonlinearSpring",
    "ParallelConstraint",
    "ParseError",
    "PiecewisePolynomial",
    "PlaneConstraint",
    "PointConstraint",
    "PointForce",
    "Potential",
    "ReducedState",
    "ReducedTrajectory",
    "ReducedVI",
    "Retraction",
    "ScrewConstraint",
    "Sinusoid",
    "SpatialWrench",
    "State",
    "System",
    "TorsionSpring",
    "Trajectory",
    "TrapezoidalVI",
    "WeldConstraint",
    "check",
    "control",
    "kinematic",
    "load",
    "load_trajectory",
    "save",
    "simulate",
]
