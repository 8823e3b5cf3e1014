"""Simulation of articulated mechanical systems described as trees of frames.

Only the names of `bough` itself are public. Parts that most programs do not need, such as pictures, files and
planners, are imported on first use.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from bough.description.element import Constraint, Force, Potential, UnilateralConstraint
from bough.description.expression import cos, sin, sqrt, tan
from bough.description.frame import Frame
from bough.description.functions import PiecewisePolynomial, Sinusoid
from bough.description.heightfield import Heightfield, Point
from bough.description.parameter import kinematic
from bough.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from bough.description.start import Start
from bough.description.system import System
from bough.elements.beam import BeamElement
from bough.elements.constraints import (
    DistanceConstraint,
    PointConstraint,
    WeldConstraint,
)
from bough.elements.contact import Contact
from bough.elements.contact_group import ContactGroup
from bough.elements.contacts import DryFriction, PlaneContact
from bough.elements.direction_constraints import LineConstraint, ParallelConstraint, PlaneConstraint
from bough.elements.forces import ConfigurationForce, Damping, Drag, LinearDamper
from bough.elements.function_force import FunctionForce
from bough.elements.gravity import CentralGravity, Gravity
from bough.elements.instant import Instant
from bough.elements.joint_limit import JointLimit
from bough.elements.no_slip import Rolling, Skate
from bough.elements.potentials import (
    ConfigurationSpring,
    GearSpring,
    LinearSpring,
    NonlinearConfigurationSpring,
    NonlinearSpring,
    TorsionSpring,
)
from bough.elements.servo import Servo
from bough.elements.shape_contact import ShapeContact
from bough.elements.string import String
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
    DerivativeWarning,
    EventError,
    GimbalLockWarning,
    ModelError,
    ParseError,
    SlackWarning,
)
from bough.integrators.reduced import ReducedVI
from bough.integrators.runner import Runner
from bough.integrators.variational import MidpointVI, TrapezoidalVI
from bough.model.model import Model
from bough.model.retraction import Retraction
from bough.motion.events import Event
from bough.motion.reduced_state import ReducedState, ReducedTrajectory
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.problem import Problem
from bough.simulate import simulate

if TYPE_CHECKING:
    __version__: str
    from bough import control, gallery
    from bough.comparison.compare import compare
    from bough.comparison.result import Comparison
    from bough.io import load, save
    from bough.io.convex_parts import convex_parts
    from bough.io.trajectory_file import load_trajectory
    from bough.maximal import BodyMotion, MaximalEngine
    from bough.model.check import check
    from bough.motion.equilibrium import Equilibrium
    from bough.motion.modes import Modes
    from bough.studies.ensemble import ensemble
    from bough.studies.result import Ensemble
    from bough.view import draw, export_video
    from bough.view.html import export_html
    from bough.view.viewer import Viewer, view

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
    "Contact",
    "ContactGroup",
    "ConvergenceError",
    "Cylinder",
    "Damping",
    "DerivativeWarning",
    "DistanceConstraint",
    "Drag",
    "DryFriction",
    "Ellipsoid",
    "Ensemble",
    "EqualityConstraint",
    "Equilibrium",
    "Event",
    "EventError",
    "Force",
    "Frame",
    "FunctionForce",
    "GearConstraint",
    "GearSpring",
    "GimbalLockWarning",
    "Gravity",
    "Heightfield",
    "HybridWrench",
    "Instant",
    "JointLimit",
    "LineConstraint",
    "LinearDamper",
    "LinearSpring",
    "MaximalEngine",
    "Mesh",
    "MidpointVI",
    "Model",
    "ModelError",
    "Modes",
    "NonlinearConfigurationSpring",
    "NonlinearSpring",
    "ParallelConstraint",
    "ParseError",
    "PiecewisePolynomial",
    "Plane",
    "PlaneConstraint",
    "PlaneContact",
    "Point",
    "PointConstraint",
    "PointForce",
    "Potential",
    "Problem",
    "ReducedState",
    "ReducedTrajectory",
    "ReducedVI",
    "Retraction",
    "Rolling",
    "Runner",
    "ScrewConstraint",
    "Servo",
    "Shape",
    "ShapeContact",
    "Sinusoid",
    "Skate",
    "SlackWarning",
    "SpatialWrench",
    "Sphere",
    "Start",
    "State",
    "String",
    "System",
    "TorsionSpring",
    "Trajectory",
    "TrapezoidalVI",
    "UnilateralConstraint",
    "Viewer",
    "WeldConstraint",
    "__version__",
    "check",
    "compare",
    "control",
    "convex_parts",
    "cos",
    "draw",
    "ensemble",
    "export_html",
    "export_video",
    "gallery",
    "kinematic",
    "load",
    "load_trajectory",
    "save",
    "simulate",
    "sin",
    "sqrt",
    "tan",
    "view",
]

# Names that are imported on first use, and their modules.
_LATER = {
    "BodyMotion": "bough.maximal",
    "Comparison": "bough.comparison.result",
    "Ensemble": "bough.studies.result",
    "Equilibrium": "bough.motion.equilibrium",
    "MaximalEngine": "bough.maximal",
    "Modes": "bough.motion.modes",
    "Viewer": "bough.view.viewer",
    "check": "bough.model.check",
    "compare": "bough.comparison.compare",
    "control": "bough.control",
    "draw": "bough.view",
    "ensemble": "bough.studies.ensemble",
    "export_html": "bough.view.html",
    "export_video": "bough.view",
    "gallery": "bough.gallery",
    "gym": "bough.gym",
    "peers": "bough.peers",
    "convex_parts": "bough.io.convex_parts",
    "load": "bough.io",
    "load_trajectory": "bough.io.trajectory_file",
    "save": "bough.io",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name not in _LATER:
        from bough.other_words import no_such_name

        raise no_such_name(name, __all__)
    module = import_module(_LATER[name])
    value = module if module.__name__ == f"bough.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("bough")
    except PackageNotFoundError:  # sources that are not installed
        return "unknown"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """The package: `bough.view` is the function, although a subpackage has the same name."""

    @property
    def view(self) -> Any:
        return import_module("bough.view.viewer").view

    @view.setter
    def view(self, subpackage: ModuleType) -> None:
        """Ignore the subpackage, which the import system puts here."""


sys.modules[__name__].__class__ = _Package
