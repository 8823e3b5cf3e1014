"""Simulation of articulated mechanical systems described as trees of frames."""

from importlib.metadata import PackageNotFoundError, version

from bough import control, gallery
from bough._trajectory_file import load_trajectory
from bough._user_element import DerivativeWarning
from bough.beam import BeamElement
from bough.check import check
from bough.compare import compare
from bough.comparison.result import Comparison
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
from bough.errors import (
    BoughError,
    BoughWarning,
    CoarseStepWarning,
    ConvergenceError,
    GimbalLockWarning,
    ModelError,
    ParseError,
    SlackWarning,
)
from bough.forces import ConfigurationForce, Damping, Drag, LinearDamper
from bough.frame import Frame
from bough.function_force import FunctionForce
from bough.functions import PiecewisePolynomial, Sinusoid
from bough.gravity import CentralGravity, Gravity
from bough.instant import Instant
from bough.integrator import MidpointVI, TrapezoidalVI
from bough.io import load, save
from bough.maximal import BodyMotion, MaximalEngine, Rolling, Skate
from bough.model import Model
from bough.parameter import kinematic
from bough.potentials import (
    ConfigurationSpring,
    GearSpring,
    LinearSpring,
    NonlinearConfigurationSpring,
    NonlinearSpring,
    TorsionSpring,
)
from bough.reduced import ReducedVI
from bough.reduced_state import ReducedState, ReducedTrajectory
from bough.retraction import Retraction
from bough.servo import Servo
from bough.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from bough.simulate import simulate
from bough.start import Start
from bough.state import State
from bough.system import System
from bough.trajectory import Trajectory
from bough.variable_constraints import CamConstraint, EqualityConstraint, GearConstraint, ScrewConstraint
from bough.view import draw, export_video
from bough.view.html import export_html
from bough.view.viewer import Viewer, view
from bough.wrenches import BodyWrench, HybridWrench, PointForce, SpatialWrench

try:
    __version__ = version("bough")
except PackageNotFoundError:  # sources that are not installed
    __version__ = "unknown"
del PackageNotFoundError, version

__all__ = [
    "BeamElement",
    "BodyMotion",
    "BodyWrench",
    "BoughError",
    "BoughWarning",
    "Box",
    "CamConstraint",
    "Capsule",
    "CentralGravity",
    "CoarseStepWarning",
    "Comparison",
    "ConfigurationForce",
    "ConfigurationSpring",
    "Constraint",
    "ConvergenceError",
    "Cylinder",
    "Damping",
    "DerivativeWarning",
    "DistanceConstraint",
    "Drag",
    "Ellipsoid",
    "EqualityConstraint",
    "Equilibrium",
    "Force",
    "Frame",
    "FunctionForce",
    "GearConstraint",
    "GearSpring",
    "GimbalLockWarning",
    "Gravity",
    "HybridWrench",
    "Instant",
    "LineConstraint",
    "LinearDamper",
    "LinearSpring",
    "MaximalEngine",
    "Mesh",
    "MidpointVI",
    "Model",
    "ModelError",
    "NonlinearConfigurationSpring",
    "NonlinearSpring",
    "ParallelConstraint",
    "ParseError",
    "PiecewisePolynomial",
    "Plane",
    "PlaneConstraint",
    "PointConstraint",
    "PointForce",
    "Potential",
    "ReducedState",
    "ReducedTrajectory",
    "ReducedVI",
    "Retraction",
    "Rolling",
    "ScrewConstraint",
    "Servo",
    "Shape",
    "Sinusoid",
    "Skate",
    "SlackWarning",
    "SpatialWrench",
    "Sphere",
    "Start",
    "State",
    "System",
    "TorsionSpring",
    "Trajectory",
    "TrapezoidalVI",
    "Viewer",
    "WeldConstraint",
    "__version__",
    "check",
    "compare",
    "control",
    "draw",
    "export_html",
    "export_video",
    "gallery",
    "kinematic",
    "load",
    "load_trajectory",
    "save",
    "simulate",
    "view",
]
