"""The sweep over pairs of configurations (DB1)-(DB5) against that over Jacobians and Hessians of all steps."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.control import Effort, Track, optimize
from bough.control._direction import Local
from bough.control._newton import Newton
from bough.control._optimize import problem_of, task_of
from bough.control._pairs import PairStages
from bough.control._stages import Stages
from support.control_models import closed_chain, crane, driven_pendulum, four_bar, on_circle, rod_on_slides

GIVEN = {
    "method": "newton",
    "end": None,
    "end_weight": 1e2,
    "rest": False,
    "cost": [Effort(0.3)],
    "threads": 1,
    "free_start": (),
    **dict.fromkeys(("lower", "upper", "velocity", "effort", "force")),
}


def on_balls():
    """A pendulum of two bodies on balls, driven about one axis and by a spring of prescribed length."""
    system = bough.System("balls", gravity=(0, 0, -9.81))
    upper = system.world.ball("shoulder").tz(-1.0, name="upper", mass=1.0, inertia=(0.2, 0.3, 0.4))
    upper.ball("elbow").tz(-0.7, name="lower", mass=0.5, inertia=(0.1, 0.2, 0.1))
    upper.tx(0.3).tz(bough.kinematic("reach"), name="hand", mass=0.2)
    return system.build()


def angles(model, **more):
    return {
        "cost": [Effort(0.3), Track({name: 0.1 * i for i, name in enumerate(model.variables)}, 2.0)],
        **more,
    }


CASES = {
    "inputs": lambda: (m := driven_pendulum(3, 0.1), {"q0": 0.4}, angles(m, end={"q0": 1.0})),
    "rates": lambda: (
        driven_pendulum(2),
        {"q0": 0.4},
        {"cost": [Effort(0.1), Track({"q1": 0.3}, v=0.7)], "end": {"q0": 1.0}, "rest": True},
    ),
    "frames": lambda: (driven_pendulum(2), None, {"cost": [Effort(0.1), Track({"bob1": (0.3, 0.0, -1.0)})]}),
    "hard end": lambda: (m := driven_pendulum(2), None, angles(m, end={"q0": 0.2}, end_weight=None)),
    "trolley": lambda: (m := crane(), {"swing": 0.3}, angles(m, end={"swing": 0.0}, rest=True)),
    "rod": lambda: (m := rod_on_slides(), on_circle(0.5), {"end": {m.variables[0]: 0.2}}),
    "superfluous row": lambda: (m := rod_on_slides(superfluous=True), on_circle(0.5), angles(m)),
    "four-bar": lambda: (*(made := four_bar()), angles(made[0])),
    "closed chain": lambda: (m := closed_chain(), None, angles(m)),
    "strings": lambda: (m := bough.gallery.marionette().build(), None, angles(m)),
    "tension": lambda: (m := bough.gallery.marionette().build(), None, angles(m, force=(-500.0, 500.0))),
    "limits": lambda: (
        m := crane(),
        {"swing": 0.3},
        angles(m, upper={"swing": 2.0}, velocity={"trolley": 9.0}),
    ),
    "free start": lambda: (m := driven_pendulum(2), None, angles(m, end={"q0": 0.2}, free_start=("q1",))),
    "balls": lambda: (on_balls(), {"reach": 0.4}, {"cost": [Effort(0.3), Track({"reach": 0.5}, 3.0)]}),
}


def both(case, integrator="midpoint"):
    """The derivatives of a motion with some of all controls, as pairs and as Jacobians, and their point."""
    model, q, given = CASES[case]()
    options = {"integrator": integrator, "order": 2, "alpha": None, "t0": 0.0}
    problem = problem_of(model, q, None, 0.2, 0.02, options, case)
    task = task_of(problem, {**GIVEN, **given}, case)
    rng = np.random.default_rng(0)
    c = np.concatenate([rng.normal(size=(10, model.nu)), 0.003 * rng.normal(size=(10, model.nk))], axis=1)
    newton, other = Newton(task, lambda row: None), Newton(task, lambda row: None)
    for one in (newton, other):
        one.barrier, one.reduced = 0.1 * len(task.bounds), False
    other.paired = False
    x = np.empty((11, len(task.x0)))
    x[0] = task.x0
    point = newton.point(*newton.roll(x, c, None, None, 0.0), np.zeros(len(task.ends)))
    pairs, whole = Local(newton, point), Local(other, point)
    assert type(pairs.stages) is PairStages
    assert type(whole.stages) is Stages
    return pairs, whole, point


def close(found, expected, bound=1e-10):
    size = np.abs(expected).max(
        initial=1e-300
    )  # gains lose digits by the condition of the Hessians by controls
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=bound * size)


def convex_shift(of, point):
    """A shift of the Hessians by controls that makes a random motion convex."""
    shift = 10.0 * of.control_size
    while of.direction(point, shift, True, 1.0) is None:
        shift *= 10.0
    return shift


@pytest.mark.parametrize(
    ("case", "integrator"),
    [*((case, "midpoint") for case in CASES), *((case, "trapezoidal") for case in CASES if case != "balls")],
)
def test_the_step_over_pairs_is_that_over_jacobians(case, integrator):
    pairs, whole, point = both(case, integrator)
    close(pairs.gradient, whole.gradient)
    close(pairs.costate, whole.costate)
    assert pairs.control_size == pytest.approx(whole.control_size, rel=1e-10)
    for curved in (True, False):
        shift = convex_shift(whole, point) if curved else 1e-6
        one, other = (of.direction(point, shift, curved, 1.0) for of in (pairs, whole))
        close(one.d, other.d)
        close(one.G, other.G)
        close(one.start, other.start)
        assert one.slope == pytest.approx(other.slope, rel=1e-9)
        assert one.curvature == pytest.approx(other.curvature, rel=1e-9)


@pytest.mark.parametrize("case", ["inputs", "trolley", "hard end", "free start"])
def test_curvature_is_that_of_the_quadratic_model(case):
    """Σ zᵀHz and the end, written out, beside what the slopes say of it."""
    _, whole, point = both(case)
    found = whole.direction(point, convex_shift(whole, point), True, 1.0)
    J, H, x = whole.stages.J, whole.stages.H, whole.T @ found.start
    total = 0.0
    for k, G in enumerate(found.G):
        z = np.concatenate([x, found.d[k] - G @ x])
        total += z @ H[k] @ z
        x = J[k] @ z
    end = whole.end_value + whole.end_curved + (whole.C.T @ whole.C if whole.task.ends.hard else 0.0)
    assert found.curvature == pytest.approx(total + x @ end @ x, rel=1e-8)


def test_a_stage_that_is_not_convex_is_told():
    pairs, whole, point = both("inputs")
    shift = -2.0 * whole.control_size
    assert pairs.direction(point, shift, False, 0.0) is None
    assert whole.direction(point, shift, False, 0.0) is None


@pytest.mark.filterwarnings("ignore::bough.SlackWarning")
def test_numbers_do_not_depend_on_threads():
    model = bough.gallery.marionette().build()
    runs = [
        optimize(
            model,
            duration=0.1,
            dt=0.01,
            cost=[Effort(1e-3), Track({model.variables[3]: 0.1}, 10.0)],
            threads=threads,
            progress=False,
        )
        for threads in (1, 3)
    ]
    assert runs[0] == runs[1]
