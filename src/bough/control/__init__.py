"""Derivatives of steps, feedback, optimal control and identification of any model; plans of floating bodies."""

from bough.control._costs import Cost, Effort, Track
from bough.control._feedback import Feedback
from bough.control._identify import Identification, identify
from bough.control._kalman import Estimator, kalman
from bough.control._linearize import linearize
from bough.control._lqr import lqr
from bough.control._optimize import optimize
from bough.control._planner import plan, reachable_pose, reorient
from bough.control._reduced_linear import Reach, controllability, observability
from bough.control._reduced_step import ReducedStep
from bough.control._shooting import Shooting
from bough.control._step import Step
from bough.control._tracker import Tracker

__all__ = [
    "Cost",
    "Effort",
    "Estimator",
    "Feedback",
    "Identification",
    "Reach",
    "ReducedStep",
    "Shooting",
    "Step",
    "Track",
    "Tracker",
    "controllability",
    "identify",
    "kalman",
    "linearize",
    "lqr",
    "observability",
    "optimize",
    "plan",
    "reachable_pose",
    "reorient",
]
