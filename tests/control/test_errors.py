"""Bad input to the planner: what was asked, what was found, what to do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from support.floating import END, START, satellite

Q = np.concatenate((np.zeros(6), START))
TARGET = Rotation.from_rotvec((0.1, 0.2, 0.3)).as_matrix()
HERE = "control.reorient() of model 'satellite'"


def message(call, kind=bough.ModelError):
    with pytest.raises(kind) as error:
        call()
    return str(error.value)


def reorient(model=None, target=TARGET, **options):
    settings = {"q": Q, "r": END, "duration": 5.0, "steps": 20} | options
    return message(lambda: bough.control.reorient(model or satellite().build(), target, **settings))


def test_pose_outside_reach():
    pose = np.eye(4)
    pose[:3, :3] = TARGET
    pose[:3, 3] = (1.0, 0.0, 0.0)
    reachable = bough.control.reachable_pose(satellite().build(), TARGET, Q, r=END)
    away = np.linalg.norm(reachable[:3, 3] - pose[:3, 3])
    x, y, z = reachable[:3, 3]
    assert reorient(target=pose) == (
        f"target of {HERE}\n"
        f"  found: outside reach: the base would have to be {away:.3g} m from where its attitude and the"
        " joints put it, because no joint moves the centre of mass\n"
        f"  do: give the position ({x:.6g}, {y:.6g}, {z:.6g}), or the attitude alone, as 3x3 numbers"
    )


def test_attitude_outside_reach():
    """A planar arm turns the base about one axis only."""
    system = bough.System("planar", gravity=(0, 0, 0))
    base = system.world.free("base", name="base", mass=5.0, inertia=(1.0, 1.0, 1.0))
    arm = base.tx(0.3).rz("shoulder").tx(0.5, mass=1.0).rz("elbow").tx(0.5, mass=1.0)
    assert arm.label
    for joint in ("shoulder", "elbow"):
        system.add(bough.ConfigurationForce(joint, f"{joint}_torque"))
    target = Rotation.from_rotvec((0.3, 0.0, 0.0)).as_matrix()
    text = message(
        lambda: bough.control.reorient(system.build(), target, q={"elbow": 0.5}, duration=3.0, steps=10),
        bough.ConvergenceError,
    )
    head, found, do = text.splitlines()
    assert head == "control.reorient() of model 'planar'"
    assert found.startswith(
        "  found: the attitude stays 0.3 rad from the target, not reached by the joints 'shoulder', 'elbow'"
    )
    assert do == (
        "  do: give a target that the joints can turn the base to, more guesses, a longer duration or"
        " wider limits"
    )


def test_conflicting_limits():
    assert reorient(velocity={"elbow": 0.1}) == (
        f"velocity of 'elbow' in {HERE}\n"
        "  found: a limit of 0.1, but its mean over 1.4 in 5 s is 0.28\n"
        "  do: allow a higher velocity or a longer duration"
    )
    assert reorient(effort={"elbow": 0.1}) == (
        f"effort of 'elbow' in {HERE}\n"
        "  found: an acceleration of at most 0.1, but from rest to rest over 1.4 in 5 s needs 0.224\n"
        "  do: allow a higher effort or a longer duration"
    )
    assert reorient(lower=1.0, upper=-1.0) == (
        f"limits of 'yaw' in {HERE}\n  found: lower 1 is not below upper -1\n  do: give lower below upper"
    )
    assert reorient(upper={"yaw": 0.5}) == (
        f"limits of 'yaw' in {HERE}\n"
        "  found: its end, 0.8, is not between -inf and 0.5\n"
        "  do: give limits that contain the start and the end"
    )


def test_limits_that_conflict_with_the_target():
    """Each limit can be met alone, the turn within them cannot: the nearest motion comes with the message,

    which tells the limit that it violates most, by how much and when.
    """
    with pytest.raises(bough.ConvergenceError) as error:
        bough.control.reorient(
            satellite().build(),
            Rotation.from_rotvec((0.0, 1.5, 0.0)).as_matrix(),
            Q,
            r=END,
            duration=5.0,
            steps=20,
            lower=-0.5,
            upper=1.1,
            guesses=1,
            max_iterations=40,
        )
    run = error.value.trajectory
    assert run.status == "failed"
    assert error.value.iterations > 0
    row, joint = np.unravel_index(np.argmax(np.abs(run.q[:, 6:] - 0.3)), (21, 3))
    value = run.q[row, 6 + joint]
    name = ("yaw", "pitch", "elbow")[joint]
    above = value > 0.3
    assert str(error.value) == (
        "control.reorient() of model 'satellite'\n"
        f"  found: no motion within the limits: in the nearest that was found, {name!r} is {value:.3g} rad at"
        f" t = {run.t[row]:.3g} s, {value - 1.1 if above else -0.5 - value:.2g} rad"
        f" {'above its upper limit 1.1' if above else 'below its lower limit -0.5'}"
        f" (after {error.value.iterations} iterations)\n"
        "  do: widen this limit or another, or give a longer duration"
    )


def line(joint):
    """A massless base, and three masses that are on one line where the joint is zero."""
    system = bough.System("line", gravity=(0, 0, 0))
    base = system.world.free("base", name="base")
    base.tx(-0.5, name="left", mass=1.0)
    base.tx(0.5, name="right", mass=1.0)
    base.rz("joint").tx(1.0, name="bob", mass=1.0)
    system.add(bough.ConfigurationForce("joint", "torque"))
    options = {"q": {"joint": joint}, "r": {"joint": 1.0}, "duration": 1.0, "steps": 10}
    return message(lambda: bough.control.reorient(system.build(), None, **options))


def test_singular_locked_inertia_at_the_start():
    assert line(0.0) == (
        "connection of model 'line'\n"
        "  found: the locked inertia is singular: with its joints locked, the body can turn or"
        " move without moving mass\n"
        "  do: give the base a mass and an inertia, or move the masses off one line"
    )


def test_singular_locked_inertia_on_the_way():
    assert line(-1.0) == (
        "control.reorient() of model 'line'\n"
        "  found: the locked inertia is singular in step 5 of the straight line to the end: all mass is"
        " on one line\n"
        "  do: give the base a mass and an inertia, or another shape at the end"
    )


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda s: s.add(bough.Damping(0.1)), "Damping, which the planner does not know"),
        (lambda s: None, "no input of their own for 'yaw', 'pitch', 'elbow'"),
    ],
)
def test_models(change, found):
    system = satellite(inputs=False)
    change(system)
    assert f"  found: {found}\n" in reorient(system.build())


def test_gravity():
    system = bough.System("falling")
    base = system.world.free("base", name="base", mass=1.0, inertia=(1, 1, 1))
    base.rz("joint").tx(0.5, mass=1.0)
    assert message(lambda: bough.control.reorient(system.build(), None, duration=1.0)) == (
        "control.reorient() of model 'falling'\n"
        "  found: gravity, which moves all bodies alike\n"
        "  do: plan in the frame that falls with the body: gravity=(0, 0, 0)"
    )


def test_fixed_base():
    system = bough.System("arm", gravity=(0, 0, 0))
    system.world.rz("joint").tx(0.5, mass=1.0)
    assert message(lambda: bough.control.plan(system.build(), None, duration=1.0)) == (
        "control.plan() of model 'arm'\n"
        "  found: no free base that everything hangs from\n"
        "  do: hang the whole tree from one system.world.free(...), with dynamic variables only"
    )


def test_numbers():
    assert reorient(steps=2) == (
        f"steps=2 in {HERE}\n"
        "  found: not a whole number of at least 4\n"
        "  do: give a whole number, such as steps=100"
    )
    assert reorient(free="elbo") == (
        f"joint variable 'elbo' in free of {HERE}\n"
        "  found: no joint variable has this name; the nearest is 'elbow'\n"
        "  do: correct the spelling"
    )


def test_unknown_options():
    assert reorient(effrt=1.0) == (
        f"option 'effrt' in {HERE}\n"
        "  found: no option has this name; the nearest is 'effort'\n"
        "  do: correct the spelling"
    )
    assert reorient(v={"base_rz": 1.0}) == (
        f"v in {HERE}\n"
        "  found: a velocity at the start, but reorient turns a body that is at rest\n"
        "  do: use bough.control.plan, which takes v"
    )
    text = message(lambda: bough.control.plan(satellite().build(), TARGET, Q, duration=1.0, integrator="rk4"))
    assert text == (
        "option 'integrator' in control.plan() of model 'satellite'\n"
        "  found: no option has this name; the names are 'v', 'r', 'free', 'duration', 'steps', 'lower',"
        " 'upper', 'velocity', 'effort', 'weight', 'tolerance', 'max_iterations', 'guesses', 'progress'\n"
        "  do: use one of these names"
    )


def test_reachable_pose():
    """Of a start by name with the base at rest; a target that is none."""
    model = satellite().build()
    by_name = bough.control.reachable_pose(model, TARGET, {"yaw": 0.3, "pitch": 0.7}, r={"pitch": 0.1})
    q = np.concatenate((np.zeros(6), (0.3, 0.7, 0.0)))
    reached = np.concatenate((by_name[:3, 3], Rotation.from_matrix(TARGET).as_euler("ZYX"), (0.3, 0.1, 0.0)))
    np.testing.assert_allclose(model.center_of_mass(reached), model.center_of_mass(q), atol=1e-14)
    assert message(lambda: bough.control.reachable_pose(model, END, Q)) == (
        "target in control.reachable_pose() of model 'satellite'\n"
        "  found: target has shape (3,)\n"
        "  do: give target as 3x3 numbers (attitude) or 4x4 numbers (pose)"
    )


def test_momentum_that_cannot_be_planned():
    model = satellite().build()
    text = message(lambda: bough.control.plan(model, TARGET, Q, v={"base_tx": 1.0}, duration=1.0))
    assert text == (
        "v of control.plan() of model 'satellite'\n"
        "  found: a centre of mass that moves\n"
        "  do: plan in the frame that moves with the centre of mass: choose v so that linear_momentum is zero"
    )
