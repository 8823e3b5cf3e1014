"""Tasks of optimal control, each once for `bough.control.optimize` and once in CasADi for IPOPT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

import bough
from benchmarks.control_models import closed_chain, double_pendulum_cart, four_bar
from benchmarks.discrete_casadi import Control, Mechanism, Rod, solver
from benchmarks.systems import Array
from bough.control import Effort, Track, optimize


@dataclass(frozen=True)
class Task:
    """What `optimize` is given, and the same problem for IPOPT."""

    name: str
    model: bough.Model
    given: dict[str, Any]
    mechanism: Mechanism
    control: Control

    def solve(self, **options: Any) -> bough.Trajectory:
        """By bough, from no inputs."""
        return optimize(self.model, **self.given, **options)

    def ipopt(self) -> Callable[[], tuple[float, Array]]:
        """A function that solves it by IPOPT from no inputs: the cost, and the configurations."""
        dt = self.control.duration / self.control.steps
        still = bough.simulate(self.model, q=self.control.start, duration=self.control.duration, dt=dt)
        solve = solver(self.mechanism, self.control)
        return lambda: solve(still.q)


def swing_up(*, limits: bool = True) -> Task:
    """A cart-pole from hanging to upright in 2 s, with a force of 20 N at most within 1 m of the middle."""
    q = ca.SX.sym("q", 2)
    pole = ca.vertcat(q[0] + 0.5 * ca.sin(q[1]), 0.5 * ca.cos(q[1]))
    rods = [Rod(1.0, ca.vertcat(q[0], 0.0)), Rod(0.1, pole, q[1], 0.1 / 12.0)]
    bounds = {"lower": {"x": -1.0}, "upper": {"x": 1.0}, "effort": {"force": 20.0}} if limits else {}
    return Task(
        "cart-pole" if limits else "cart-pole without limits",
        bough.gallery.cart_pole().build(),
        {
            "q": {"angle": np.pi},
            "duration": 2.0,
            "dt": 0.025,
            "cost": [Effort(0.05), Track({"x": 0.0}, weight=0.1)],
            "end": {"x": 0.0, "angle": 0.0},
            **bounds,
        },
        Mechanism(q, rods, [0]),
        Control(
            np.array([0.0, np.pi]),
            2.0,
            80,
            0.05,
            track={0: 0.1},
            end=ca.vertcat,
            **({"inputs": 20.0, "variables": {0: 1.0}} if limits else {}),
        ),
    )


def double_swing_up() -> Task:
    """Two rods on a cart from hanging to upright in 4 s."""
    q = ca.SX.sym("q", 3)
    joint = ca.vertcat(q[0] + 0.6 * ca.sin(q[1]), 0.6 * ca.cos(q[1]))
    upper = q[1] + q[2]
    rods = [
        Rod(1.0, ca.vertcat(q[0], 0.0)),
        Rod(0.2, ca.vertcat(q[0] + 0.3 * ca.sin(q[1]), 0.3 * ca.cos(q[1])), q[1], 0.006),
        Rod(0.2, joint + 0.3 * ca.vertcat(ca.sin(upper), ca.cos(upper)), upper, 0.006),
    ]
    end = {"x": 0.0, "lower": 0.0, "upper": 0.0}
    return Task(
        "double pendulum",
        double_pendulum_cart(),
        {"q": {"lower": np.pi}, "duration": 4.0, "dt": 0.025, "cost": Effort(0.1), "end": end},
        Mechanism(q, rods, [0]),
        Control(np.array([0.0, np.pi, 0.0]), 4.0, 160, 0.1, end=ca.vertcat),
    )


def turned_four_bar() -> Task:
    """A four-bar linkage in its three angles whose motor turns the crank by one radian."""
    model, start = four_bar()
    q = ca.SX.sym("q", 3)
    tip, angle, rods = ca.SX.zeros(2), 0.0, []
    for i, length in enumerate((0.4, 1.0, 0.8)):
        angle = angle + q[i]
        along = ca.vertcat(ca.cos(angle), -ca.sin(angle))
        rods.append(Rod(length, tip + 0.5 * length * along))
        tip = tip + length * along
    goal = float(start[0] + 1.0)
    return Task(
        "four-bar",
        model,
        {
            "q": start,
            "duration": 0.8,
            "dt": 0.04,
            "cost": Effort(1.0),
            "end": {"crank": goal},
            "end_weight": 100.0,
            "rest": False,
        },
        Mechanism(q, rods, [0], 0.05, tip - ca.vertcat(0.9, 0.0)),
        Control(start, 0.8, 20, 1.0, end_cost=lambda q: 50.0 * (q[0] - goal) ** 2),
    )


def chain_between_poses() -> Task:
    """The closed chain of [JM09] in its seven angles, at rest in both poses, by motors at the pivots of its arms."""
    model, goal = closed_chain(), bough.gallery.closed_chain(J=0.2, H=0.1, A=0.35).start.q
    q = ca.SX.sym("q", 7)
    J, H, K, M, A, C, E = (q[model.index(name)] for name in "JHKMACE")

    def hanging(angle: Any, length: float) -> Any:
        return -length * ca.vertcat(ca.sin(angle), ca.cos(angle))

    left, right = ca.vertcat(-1.5, 0.0), ca.vertcat(1.5, 0.0)
    knee, elbow = left + hanging(K, 2.0), right + hanging(A, 2.0)
    wrist = elbow + hanging(A + C, 0.75)
    G, O2 = (hanging(J, 1.0) + hanging(J + H, length) for length in (1.0, 2.0))
    G2, O = wrist + hanging(A + C + E, 1.0), knee + hanging(K + M, 1.0)
    places = [
        *(hanging(J, 0.5), G, left + hanging(K, 1.0), knee + hanging(K + M, 0.5)),
        *(right + hanging(A, 1.0), elbow + hanging(A + C, 0.375), wrist + hanging(A + C + E, 0.5)),
    ]
    rows = ca.vertcat(G - G2, O - O2)
    last, told = model.configuration(goal), [model.index(name) for name in "JME"]
    # at rest: no momentum along the moves that the loops allow
    normal = np.array(ca.Function("Dh", [q], [ca.jacobian(rows, q)])(last))
    tangent = np.linalg.svd(normal)[2][len(normal) :]
    return Task(
        "closed chain",
        model,
        {"duration": 1.5, "dt": 0.02, "cost": Effort(1.0), "end": {name: goal[name] for name in "JME"}},
        Mechanism(q, [Rod(1.0, place) for place in places], [model.index(n) for n in "JKA"], 0.05, rows),
        Control(
            model.configuration(model.start.q),
            1.5,
            75,
            1.0,
            end=lambda q, p: ca.vertcat(q[told] - last[told], tangent @ p),
        ),
    )
