"""Simulation of articulated mechanical systems described as trees of frames."""

from importlib.metadata import PackageNotFoundError, version

from bough import control, gallery
from bough.comparison.compare import compare
from bough.comparison.result import Comparison
from bough.description.element import Constraint, Force, Potential
from bough.description.frame import Frame
from bough.description.functions import PiecewisePolynomial, Sinusoid
from bough.description.parameter import kinematic
from bough.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from bough.description.start import Start
from bough.description.system import System
from bough.elements.beam import BeamElement
from bough.elements.constraints import (
    DistanceConstraint,
    LineConstraint,
    ParallelConstraint,
    PlaneConstraint,
    PointConstraint,
    WeldConstraint,
)
from bough.elements.forces import ConfigurationForce, Damping, Drag, LinearDamper
from bough.elements.function_force import FunctionForce
from bough.elements.gravity import CentralGravity, Gravity
from bough.elements.instant import Instant
from bough.elements.potentials import (
    ConfigurationSpring,
    GearSpring,
    LinearSpring,
    NonlinearConfigurationSpring,
    NonlinearSpring,
    TorsionSpring,
)
from bough.elements.servo import Servo
from bough.elements.user import DerivativeWarning
from bough.elements.variable_constraints import (
    CamConstraint,
    EqualityConstraint,
    GearConstraint,
    ScrewConstraint,
)
from bough.elements.wrenches import BodyWrench, HybridWrench, PointForce, SpatialWrench
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
from bough.integrators.reduced import ReducedVI
from bough.integrators.variational import MidpointVI, TrapezoidalVI
from bough.io import load, save
from bough.io.trajectory_file import load_trajectory
from bough.maximal import BodyMotion, MaximalEngine, Rolling, Skate
from bough.model.check import check
from bough.model.model import Model
from bough.model.retraction import Retraction
from bough.motion.equilibrium import Equilibrium
from bough.motion.reduced_state import ReducedState, ReducedTrajectory
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.simulate import simulate
from bough.view import draw, export_video
from bough.view.html import export_html
from bough.view.viewer import Viewer, view

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
