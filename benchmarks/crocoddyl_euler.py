"""Tasks of optimal control for crocoddyl: Pinocchio's forward dynamics in Euler steps, solved by FDDP.

An end is a cost in crocoddyl. Where fewer inputs than variables act, the matrix of inputs is a class in Python, as
crocoddyl's own examples have it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import crocoddyl
import numpy as np
import pinocchio as pin

from benchmarks.systems import Array

Joint = tuple[
    str, float, float, float, float
]  # kind, height above its parent, mass, height of the mass, inertia


def chain(joints: Sequence[Joint]) -> Any:
    """A planar chain of Pinocchio: slides along x and hinges about y."""
    model, parent = pin.Model(), 0
    for i, (kind, height, mass, centre, inertia) in enumerate(joints):
        joint = {"slide": pin.JointModelPX, "hinge": pin.JointModelRY}[kind]()
        place = pin.SE3(np.eye(3), np.array([0.0, 0.0, height]))
        parent = model.addJoint(parent, joint, place, f"q{i}")
        body = pin.Inertia(mass, np.array([0.0, 0.0, centre]), inertia * np.eye(3))
        model.appendBodyToJoint(parent, body, pin.SE3.Identity())
    return model


class _First(crocoddyl.ActuationModelAbstract):
    """One input, which drives the first variable."""

    def __init__(self, state: Any) -> None:
        crocoddyl.ActuationModelAbstract.__init__(self, state, 1)

    def calc(self, data: Any, x: Any, u: Any = None) -> None:
        data.tau = np.concatenate([u if u is not None else [0.0], np.zeros(self.state.nv - 1)])

    def calcDiff(self, data: Any, x: Any, u: Any = None) -> None:
        data.dtau_du = np.eye(self.state.nv, 1)

    def commands(self, data: Any, x: Any, tau: Any) -> None:
        data.u = tau[:1]


def problem(
    model: Any,
    start: Array,
    goal: Array,
    dt: float,
    steps: int,
    *,
    effort: float,
    track: Array | float = 0.0,
    end: float,
    full: bool = False,
) -> Any:
    """Least Σ dt/2 (effort u² + track (x − goal)²) + end/2 (x − goal)² at the last node."""
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFull(state) if full else _First(state)
    weights = np.broadcast_to(np.asarray(track, dtype=float), (2 * model.nv,)).copy()
    running, last = (crocoddyl.CostModelSum(state, actuation.nu) for _ in range(2))
    off = crocoddyl.ResidualModelState(state, goal, actuation.nu)
    control = crocoddyl.CostModelResidual(state, crocoddyl.ResidualModelControl(state, actuation.nu))
    running.addCost("effort", control, effort)
    if weights.any():
        activation = crocoddyl.ActivationModelWeightedQuad(weights)
        running.addCost("track", crocoddyl.CostModelResidual(state, activation, off), 1.0)
    last.addCost("end", crocoddyl.CostModelResidual(state, off), end)
    free = crocoddyl.DifferentialActionModelFreeFwdDynamics
    node = crocoddyl.IntegratedActionModelEuler(free(state, actuation, running), dt)
    terminal = crocoddyl.IntegratedActionModelEuler(free(state, actuation, last), 0.0)
    return crocoddyl.ShootingProblem(start, [node] * steps, terminal)


def fddp(shooting: Any, iterations: int = 1000) -> Callable[[], Any]:
    """A function that solves a problem by FDDP from no inputs and returns the solver."""
    nu, steps, start = shooting.runningModels[0].nu, shooting.T, shooting.x0

    def solve() -> Any:
        solver = crocoddyl.SolverFDDP(shooting)
        solver.th_stop = 1e-9
        solver.solve([start] * (steps + 1), [np.zeros(nu)] * steps, iterations, False)
        return solver

    return solve


def gains(shooting: Any) -> Callable[[], Any]:
    """A function that computes the derivatives and the gains of all steps along the motion that stays at the start."""
    nu, steps = shooting.runningModels[0].nu, shooting.T
    solver = crocoddyl.SolverDDP(shooting)
    solver.setCandidate([shooting.x0] * (steps + 1), [np.zeros(nu)] * steps, False)

    def once() -> Any:
        solver.computeDirection(True)
        return solver.K

    return once
