"""The sweep over pairs of configurations (DB1)-(DB5) against that over Jacobians and Hessians of all steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bough
from bough._core import core
from bough.control import Effort, Step, Track, optimize
from bough.control._direction import Local
from bough.control._model_task import Kernels
from bough.control._newton import Failed, Newton
from bough.control._optimize import EXACT, problem_of, task_of
from bough.control._pairs import PairStages
from bough.control._stages import Stages
from support.control_models import closed_chain, crane, driven_pendulum, four_bar, on_circle, rod_on_slides
from support.finite_difference import derivative

GIVEN = {
    "method": "newton",
    "end": None,
    "end_weight": None,
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


def task(case, integrator="midpoint", dt=0.02, steps=10, threads=1):
    """A case with some steps."""
    model, q, given = CASES[case]()
    options = {"integrator": integrator, "order": 2, "alpha": None, "t0": 0.0}
    problem = problem_of(model, q, None, steps * dt, dt, options, case)
    weight = {"end_weight": 1e2} if "end" in given else {}
    return task_of(problem, {**GIVEN, "threads": threads, **weight, **given}, case)


def both(case, integrator="midpoint"):
    """The derivatives of a motion with some of all controls, as pairs and as Jacobians, and their point."""
    of = task(case, integrator)
    model = of.model
    rng = np.random.default_rng(0)
    c = np.concatenate([rng.normal(size=(10, model.nu)), 0.003 * rng.normal(size=(10, model.nk))], axis=1)
    newton, other = Newton(of, lambda row: None), Newton(of, lambda row: None)
    for one in (newton, other):
        one.barrier, one.reduced = 0.1 * len(of.bounds), False
    other.paired = False
    point = rolled(newton, c)
    pairs, whole = Local(newton, point), Local(other, point)
    assert type(pairs.stages) is PairStages
    assert type(whole.stages) is Stages
    return pairs, whole, point


def rolled(newton, c):
    """The point that controls lead to."""
    x = np.empty((len(c) + 1, len(newton.task.x0)))
    x[0] = newton.task.x0
    return newton.point(*newton.task.roll(x, c, None, None, 0.0), np.zeros(len(newton.task.ends)))


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


@pytest.mark.parametrize("threads", [1, 2])
def test_second_derivatives_are_found_where_a_sweep_comes_to_them(threads):
    """With the same bits as if they were found at once, and no more of them than the sweep needs."""
    steps = 100
    c = np.random.default_rng(0).normal(size=(steps, 3))
    shift, directions = 0.0, []
    for convex in (True, False):
        of = task("inputs", steps=steps, threads=threads)
        newton, pairs = Newton(of, lambda row: None), of.kernels.pairs
        newton.convex = convex
        local = Local(newton, point := rolled(newton, c))
        assert pairs.curved == (steps if convex else 0)
        shift = shift or -2.0 * local.control_size
        assert local.direction(point, shift, True, 1.0) is None
        assert convex or 0 < pairs.curved < steps
        directions.append(local.direction(point, convex_shift(local, point), True, 1.0))
        assert pairs.curved == steps
    np.testing.assert_array_equal(directions[0].G, directions[1].G)
    np.testing.assert_array_equal(directions[0].d, directions[1].d)


def halved(dt, steps, size):
    """A motion with a step that does not converge but in halves, and what minimises over it."""
    model = driven_pendulum(2)
    options = {"integrator": "midpoint", "order": 2, "alpha": None, "t0": 0.0}
    problem = problem_of(model, {"q0": 0.4}, None, steps * dt, dt, options, "halves")
    of = task_of(problem, {**GIVEN, "end": {"q0": 1.0}}, "halves")
    c = size * np.random.default_rng(0).normal(size=(steps, 2))
    with pytest.raises(Failed):
        rolled(Newton(of, lambda row: None), c)
    step = Step(model, dt, max_halvings=1, tolerance=EXACT)
    return Newton(replace(of, step=step, kernels=Kernels(step, 1)), lambda row: None), c


def test_steps_that_may_be_halved_have_jacobians_in_the_place_of_pairs():
    """The gradient beside differences of the cost, and a direction that descends."""
    newton, c = halved(0.6, 2, 300.0)
    assert newton.task.kernels.pairs is None
    local = Local(newton, point := rolled(newton, c))
    assert type(local.stages) is Stages
    expected, _ = derivative(lambda flat: rolled(newton, flat.reshape(c.shape)).cost, c.ravel(), 1e-3)
    close(local.gradient.ravel(), expected, 1e-7)
    assert local.direction(point, convex_shift(local, point), True, 1.0).slope < 0.0


def test_a_step_that_alone_ends_elsewhere_is_refused():
    """Whether and where it is halved depends on the motion before it, which its derivatives do not know."""
    newton, c = halved(0.2, 4, 10.0)
    with pytest.raises(bough.ConvergenceError, match="ends elsewhere if it is made alone"):
        Local(newton, rolled(newton, c))


def test_pairs_of_composed_steps_are_refused():
    model = driven_pendulum(2)
    with pytest.raises(ValueError, match="several parts"):
        core.Pairs(model._core, 0, 0.5, 1e-12, 1e-12, 20, 2, 2, 1)


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
