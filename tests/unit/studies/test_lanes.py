"""Runs that share the lanes of registers: those of the stepper alone to its tolerance, whatever their neighbours do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import bough
from bough._core import core
from bough.integrators.settings import LIMITS
from bough.studies import ensemble as study_module
from bough.studies.chunk import in_lanes
from support.product import Case, cases, motion
from support.product_elements import KINDS

JOINTS = ("tx", "ty", "tz", "rx", "ry", "rz")
BODIES: dict[str, Any] = {
    "point": {"mass": 1.2},
    "ball": {"mass": 0.8, "inertia": (0.05, 0.05, 0.05)},
    "body": {"mass": 0.9, "inertia": (0.05, 0.06, 0.04), "com": (0.05, -0.1, 0.02)},
}
ELEMENTS: dict[str, Callable[[str], list[Any]]] = {
    "none": lambda name: [],
    "spring": lambda name: [bough.ConfigurationSpring(name, stiffness=8.0, rest=0.1)],
    "law": lambda name: [bough.NonlinearConfigurationSpring(name, polynomial=(0.1, 2.0, 0.5, 3.0))],
    "table": lambda name: [
        bough.NonlinearConfigurationSpring(name, table=[(-1, -3), (0, 0), (0.4, 1), (1, 5)])
    ],
    "damping": lambda name: [bough.Damping(0.3)],
    "force": lambda name: [bough.ConfigurationForce(name, 1.5)],
    "input": lambda name: [bough.ConfigurationForce(name, "torque", gear=2.0, effort=0.8)],
    "all": lambda name: [
        bough.ConfigurationSpring(name, stiffness=8.0),
        bough.NonlinearConfigurationSpring("second", polynomial=(0.0, 1.0, 0.0, 2.0)),
        bough.Damping(0.2),
        bough.ConfigurationForce("third", "torque"),
    ],
}
DT, STEPS = 0.01, 25
LONG: Any = {"duration": 1.2, "dt": 0.04}  # too long for 20 lively links


def tree(
    joint: str, body: str, elements: str, ratio: float = 1.0, gravity: Any = (0, 0, -9.81)
) -> bough.System:
    """A joint that carries a turned branch and another one; a parameter in lengths, a mass and the pull."""
    system = bough.System(f"{joint} {body} {elements}", gravity=gravity)
    length = system.parameter("length", 0.4)
    first = getattr(system.world.tx(0.2), joint)("first", ratio=ratio, offset=0.1 if ratio != 1.0 else 0.0)
    hub = first.tz(-length, name="hub", **BODIES[body])
    hub.rx(0.5).ry("second").tx(0.3, mass=system.parameter("load", 0.5), inertia=(0.02, 0.03, 0.04))
    arm = hub.rz(-0.7).ty("third", mass=0.4).rx("fourth")
    arm.tz(-0.3, name="tip", **BODIES["point"])
    for element in ELEMENTS[elements]("first"):
        system.add(element)
    return system


def starts(model: bough.Model, count: int, size: float = 0.6) -> dict[str, Any]:
    random = np.random.default_rng(5)
    q, v = random.uniform(-size, size, (2, count, model.nq))
    return {"q": q, "v": v}


def difference(study: bough.Ensemble) -> float:
    """From runs by themselves, relative to the largest numbers."""
    worst = 0.0
    for index in np.ndindex(study.shape):
        run = study.problem_at(index).run()
        for mine, theirs in ((study.q[index], run.q), (study.p[index], run.p)):
            worst = max(worst, float(np.abs(mine - theirs).max() / np.abs(theirs).max()))
    return worst


@pytest.mark.parametrize(("joint", "body"), list(product(JOINTS, BODIES)))
def test_runs_are_those_of_the_stepper_alone(joint: str, body: str) -> None:
    """Each joint with each kind of body and of element, with alpha = 1/2 and another.

    Both solve the equations of a step to 1e-12 of the size of their terms; what that leaves grows in the 25 steps.
    """
    for elements, alpha in product(ELEMENTS, (0.5, 0.3)):
        model = tree(joint, body, elements, ratio=1.0 if alpha == 0.5 else -1.6).build()
        problem = bough.Problem(
            model,
            u={"torque": lambda t: 2.0 * np.cos(9.0 * t)} if model.nu else None,
            duration=STEPS * DT,
            dt=DT,
            every=5,
            alpha=alpha,
        )
        assert in_lanes(problem)
        rows = starts(model, 3)
        study = bough.ensemble(problem, samples={**rows, "parameter.length": [0.4, 0.5, 0.3]})
        assert study.failed == []
        assert difference(study) < 2e-9, (elements, alpha)


@pytest.mark.parametrize("gravity", [None, (1.0, -2.0, -9.0)])
def test_other_gravity_and_free_bodies(gravity: Any) -> None:
    system = bough.System("two bodies", gravity=gravity)
    hull = system.world.free("hull", name="hull", mass=2.0, inertia=(0.2, 0.3, 0.4))
    hull.tx(0.5).rz("boom").tx(0.4, mass=0.3)
    system.world.tx(4.0).ry("swing").tz(-1.0, mass=1.0)
    model = system.build()
    study = bough.ensemble(bough.Problem(model, duration=0.5, dt=0.01), samples=starts(model, 5))
    assert difference(study) < 2e-9


def lively(count: int, links: int) -> tuple[bough.Model, Any]:
    model = bough.gallery.pendulum(links).build()
    return model, np.random.default_rng(3).uniform(-1, 1, (count, links))


def test_bits_depend_neither_on_neighbours_nor_on_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long steps, so that some lanes leave for the stepper and come back."""
    model, q = lively(11, 20)
    problem = bough.Problem(model, **LONG)
    assert make(problem, q, True)[1]["alone"].sum() >= 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.CoarseStepWarning)
        expected = bough.ensemble(problem, {"q": q}, workers=1)
        for workers in (2, 3, 8):
            assert bough.ensemble(problem, {"q": q}, workers=workers).q.tobytes() == expected.q.tobytes()
        turned = bough.ensemble(problem, {"q": q[::-1]})
        assert turned.p[::-1].tobytes() == expected.p.tobytes()
        for steps in (70, 200, 400):
            monkeypatch.setattr(study_module, "CHUNK_STEPS", steps)
            assert bough.ensemble(problem, {"q": q}).q.tobytes() == expected.q.tobytes()


def make(problem: bough.Problem, q: Any, lanes: bool, check: bool = False, p: Any = None) -> tuple[Any, Any]:
    """Runs straight from the core, from rest unless p is given: their last configurations and how they ended."""
    model, grid, count = problem.model, problem.grid, len(q)
    out = np.full((count, grid.rows, model.nq), np.nan)
    made = core.make_runs(
        models=[model._core],
        model=np.zeros(count, dtype=np.int32),
        method=0,
        alpha=0.5,
        **{name: problem.settings[name] for name in LIMITS},
        t0=0.0,
        dt=grid.dt,
        last=grid.last,
        steps=grid.steps,
        every=grid.every,
        q=np.ascontiguousarray(q),
        p=np.zeros((count, model.nd)) if p is None else p,
        vk=np.zeros(0),
        k=np.zeros((0, 0)),
        u=np.zeros((1, 1, model.nu)),
        u_runs=1,
        u_steps=1,
        t=grid.time(grid.recorded(grid.steps)) if check else np.zeros(0),
        lock_angle=-1,
        out_q=out,
        out_p=np.zeros((count, grid.rows, model.nd)),
        out_work=np.zeros((count, grid.rows)),
        threads=1,
        lanes=lanes,
    )
    names = ("status", "done", "iterations", "halvings", "coarse", "residual", "worst", "alone")
    return out[:, -1], dict(zip(names, map(np.array, made), strict=True))


def test_newton_takes_as_many_iterations() -> None:
    """The matrix of lanes leaves out what is of order dt^3: a matrix with gravity twice takes half as many again."""
    model = bough.gallery.pendulum(10).build()
    q = np.random.default_rng(1).uniform(-0.3, 0.3, (8, 10))
    problem = bough.Problem(model, duration=4.0, dt=0.01)
    (_, together), (_, alone) = make(problem, q, True), make(problem, q, False)
    assert together["alone"].sum() == 0
    assert together["iterations"].sum() < 1.1 * alone["iterations"].sum()


def test_a_reversible_start_saves_iterations() -> None:
    """Ten steps of ten links take 13.7 iterations; without rows from before the start, 18.4."""
    q = np.random.default_rng(7).uniform(-0.3, 0.3, (40, 10))
    problem = bough.Problem(bough.gallery.pendulum(10).build(), duration=0.1, dt=0.01)
    _, made = make(problem, q, True)
    assert made["iterations"].mean() < 14


@pytest.mark.parametrize("elements", ["none", "damping", "law"])
@pytest.mark.parametrize("moving", [False, True])
def test_openings_save_iterations(elements: str, moving: bool) -> None:
    """The first two steps take fewer than those of a stepper alone, whose guesses are the start and a straight line."""
    model = tree("ry", "body", elements).build()
    q, p = starts(model, 12)["q"], 0.1 * starts(model, 12)["v"]
    problem = bough.Problem(model, duration=0.02, dt=0.01)
    (mine, together), (theirs, alone) = (
        make(problem, q, lanes, p=p if moving else None) for lanes in (True, False)
    )
    assert np.abs(mine - theirs).max() < 1e-11
    assert together["iterations"].sum() < 0.9 * alone["iterations"].sum()


@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")  # what is nearly singular moves fast
def test_bits_do_not_depend_on_how_neighbours_start() -> None:
    """Lanes at rest beside lanes that move, and one whose mass matrix is nearly singular."""
    system = bough.System("arm")
    elbow = system.world.ry("shoulder").tz(-1.0, mass=1.0)
    elbow.ry("forearm").tx(system.parameter("reach", 0.5), mass=0.5)
    problem = bough.Problem(system.build(), duration=0.3, dt=0.01)
    rows = {
        "q": [[0.4, 0.1], [0.4, 0.1], [-0.3, 0.2], [0.4, 0.1], [0.7, 0.0]],
        "p": [[0.0, 0.0], [0.3, -0.1], [0.0, 0.0], [0.0, 0.0], [-0.2, 0.1]],
        "parameter.reach": [0.5, 0.5, 0.4, 1e-6, 0.3],
    }
    study = bough.ensemble(problem, samples=rows, workers=1)
    assert in_lanes(problem)
    assert study.failed == []
    for i in range(5):
        row = {name: values[i : i + 1] for name, values in rows.items()}
        assert bough.ensemble(problem, samples=row).p.tobytes() == study.p[i].tobytes()
    assert difference(bough.ensemble(problem, samples={n: v[:3] for n, v in rows.items()})) < 2e-9


def test_a_singular_mass_matrix_is_a_row() -> None:
    """A gimbal that starts locked fails as a run alone does; its neighbours run."""
    system = bough.System("gimbal")
    inner = system.world.rz("outer").ry("middle").rx("inner", name="rotor", mass=1.0, inertia=(0.1, 0.2, 0.3))
    inner.tx(0.3, mass=0.2)
    problem = bough.Problem(system.build(), {"middle": 0.3}, duration=0.1, dt=0.01)
    angles = [0.3, np.pi / 2, 0.4]
    (mine, together), (theirs, alone) = (
        make(problem, np.array([[0.1, angle, 0.2] for angle in angles]), lanes) for lanes in (True, False)
    )
    assert together["status"].tolist() == alone["status"].tolist()
    assert [status != 0 for status in together["status"].tolist()] == [False, True, False]
    assert together["done"].tolist() == [10, 0, 10]
    assert np.isnan(mine[1]).all()
    assert np.allclose(mine[::2], theirs[::2], rtol=0, atol=1e-10)


def test_doubtful_roots_are_left_to_the_stepper() -> None:
    """Steps so long that Newton's method fails or finds other roots in some: the stepper halves them.

    Roots that are near each other fall apart by a bit: one run in ten has another halving somewhere.
    """
    model, q = lively(64, 20)
    (mine, together), (theirs, alone) = (
        make(bough.Problem(model, **LONG), q, lanes) for lanes in (True, False)
    )
    assert together["alone"].sum() >= 40
    assert abs(together["halvings"].sum() - alone["halvings"].sum()) <= 0.05 * alone["halvings"].sum()
    assert (together["halvings"] == alone["halvings"]).mean() > 0.8
    # as far apart as 1e-12 in each step may lead, in a motion that multiplies differences by 1e4
    assert np.median(np.abs(mine - theirs).max(axis=1)) < 1e-6


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("elements", ["none", "law"])
def test_long_steps_are_found_as_by_a_run_alone(elements: str, every: int) -> None:
    """Energies of rows by lanes: from wide starts some runs are too coarse, from narrow ones none."""
    model = tree("ry", "body", elements).build()
    problem = bough.Problem(model, duration=3.6, dt=0.06, every=every)
    q = np.linspace(0.05, 3.0, 16)[:, None] * np.array([1.0, -0.8, 0.0, 0.9])
    (_, together), (_, alone) = (make(problem, q, lanes, check=True) for lanes in (True, False))
    assert together["coarse"].tolist() == alone["coarse"].tolist()
    assert 0 < together["coarse"].sum() < 16


def test_steps_that_jump_over_the_motion_are_found() -> None:
    """A stiff spring keeps the energy of its nodes at any dt; only the chords tell."""
    system = bough.System("stiff", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.ConfigurationSpring("x", stiffness=1e6))
    problem = bough.Problem(system.build(), duration=0.5, dt=0.01)
    for dt, expected in ((0.01, 1), (0.0005, 0)):
        _, made = make(problem.replace(dt=dt), np.array([[0.1], [0.2]]), True, check=True)
        assert made["coarse"].tolist() == [expected, expected]


def test_a_failed_lane_says_what_the_stepper_says() -> None:
    model, q = lively(6, 20)
    problem = bough.Problem(model, duration=0.6, dt=0.06, max_halvings=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.CoarseStepWarning)
        study = bough.ensemble(problem, {"q": q})
    assert len(study.failed) > 0
    for index in study.failed:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bough.CoarseStepWarning)
            run = study.rerun(index, on_failure="stop")
        step = run.statistics["steps"]
        assert study.messages[index].startswith(f"step {step + 1} of 10, from t = ")
        assert np.allclose(study.q[index][: step + 1], run.q, rtol=0, atol=1e-6)
        assert np.isnan(study.q[index][step + 1 :]).all()


def refused() -> dict[str, bough.Problem]:
    """What the stepper makes alone."""

    def of(change: Callable[[bough.System], Any], **options: Any) -> bough.Problem:
        system = tree("ry", "body", "none")
        change(system)
        return bough.Problem(system.build(), duration=0.1, dt=0.01, **options)

    def add(element: Any) -> Callable[[bough.System], Any]:
        return lambda system: system.add(element)

    def nothing(system: bough.System) -> None:
        pass

    def kinematic(system: bough.System) -> None:
        system.frame("tip").tz(bough.kinematic("held")).tx(0.1, mass=0.1)

    def shared(system: bough.System) -> None:
        system.frame("tip").ry("fourth", ratio=2.0).tx(0.1, mass=0.1)

    def screw(system: bough.System) -> None:
        system.frame("tip").twist((0, 0, 1, 0, 0, 0.1), "screw", mass=0.1, inertia=(0.1, 0.1, 0.1))

    return {
        "constraint": of(add(bough.GearConstraint({"first": 1.0, "second": 2.0}))),
        "servo": of(add(bough.Servo("first", kp=10.0, kd=1.0))),
        "spring between frames": of(add(bough.LinearSpring("world", "tip", stiffness=1.0, rest_length=0.1))),
        "kinematic": of(kinematic),
        "shared": of(shared),
        "screw": of(screw),
        "trapezoidal": of(nothing, integrator="trapezoidal"),
        "composed": of(nothing, integrator="trapezoidal", order=4),
    }


@pytest.mark.parametrize("name", refused())
def test_the_rest_runs_alone_bit_for_bit(name: str) -> None:
    problem = refused()[name]
    assert not in_lanes(problem)
    study = bough.ensemble(problem, {"parameter.load": [0.4, 0.5, 0.6, 0.7, 0.8]})
    assert study.failed == []
    for index in range(5):
        assert (study.q[index] == study.problem_at(index).run().q).all()


IN_LANES = {"ConfigurationSpring", "NonlinearConfigurationSpring", "Damping", "ConfigurationForce"}


def compare_with_runs_alone(case: Case) -> None:
    """To the tolerance of a step if runs share registers, else bit for bit."""
    moving = motion(case)
    model, given = moving
    problem = bough.Problem(model, **given, duration=0.01, dt=0.0005, every=5)
    together = in_lanes(problem)
    scalar = case.rows or case.kinematic or case.shared or case.shape == "floating"
    assert together == (case.kind in IN_LANES and not scalar), str(case)
    study = bough.ensemble(problem, {"q": [problem.q, problem.q]})
    assert study.failed == [], str(case)
    alone = problem.run()
    if together:
        assert difference(study) < 1e-10, str(case)
    else:
        assert (study.q[1] == alone.q).all(), str(case)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_element(kind: str) -> None:
    compare_with_runs_alone(Case(kind, "branched", 8, rows=False, kinematic=False, shared=False))


@pytest.mark.verify
@pytest.mark.filterwarnings("ignore::bough.BoughWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_element_in_every_tree(kind: str) -> None:
    for case in cases(kind):
        if case.joints <= 14:
            compare_with_runs_alone(case)


def test_models_of_another_structure_have_their_own_registers() -> None:
    """An elbow without an offset, and one without a turn: flags of the compiled model differ between lanes."""
    system = bough.System("arm")
    length = system.parameter("length", 0.5)
    elbow = system.world.ry("shoulder").tx(length, name="elbow", mass=1.0, inertia=(0.1, 0.1, 0.1))
    elbow.rz(system.parameter("turn", 0.3)).ry("forearm").tx(0.4, mass=1.0)
    problem = bough.Problem(system.build(), duration=0.5, dt=0.01)
    axes = {"parameter.length": [0.5, 0.0, 0.7], "parameter.turn": [0.0, 0.2, 0.4], "q.shoulder": [0.1, 0.4]}
    study = bough.ensemble(problem, axes, workers=1)
    assert difference(study) < 2e-9
    alone = [bough.ensemble(problem, samples=[study._design.changes(i)]).q for i in range(len(study))]
    assert np.concatenate(alone).tobytes() == study.q.tobytes()
