"""A run takes the stepper that an earlier one has left: it makes the same motion, bit for bit, as with a new one."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest

import bough
from bough.integrators.variational import new_stepper
from bough.integrators.variational_run import VariationalRun
from bough.motion.state import packed


def arm(wire: bool = False) -> bough.Model:
    system = bough.System("arm")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("elbow angle").tz(-0.8, name="hand", mass=0.5)
    system.add(bough.ConfigurationForce("elbow angle", "torque"))
    if wire:
        system.world.tx(1.5, name="anchor")
        system.add(bough.DistanceConstraint("anchor", "hand", 1.9))
    return system.build()


def simulate(model: bough.Model, q: float, dt: float = 0.01, **more: object) -> bough.Trajectory:
    start = {"shoulder": q, "elbow angle": 0.3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.BoughWarning)
        return bough.simulate(model, start, duration=0.4, dt=dt, on_failure="stop", assemble=True, **more)


@pytest.mark.parametrize("wire", [False, True])
@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal"])
def test_as_with_a_new_stepper(wire, integrator):
    model = arm(wire)
    for q in (2.9, 0.4, -1.2):
        simulate(model, q, 0.2, integrator=integrator, u={"torque": 40.0})  # halvings, detours, failures
        simulate(model, q + 0.1, integrator=integrator, u={"torque": -1.0})
        assert any(model._steppers.values())  # so that the next run takes one of them
        run = simulate(model, q, integrator=integrator, u={"torque": 1.0})
        alone = simulate(arm(wire), q, integrator=integrator, u={"torque": 1.0})
        assert run == alone
        counts = [{name: x for name, x in r.statistics.items() if "time" not in name} for r in (run, alone)]
        assert counts[0] == counts[1]


def test_a_run_within_a_run_has_a_stepper_of_its_own():
    model = arm()
    plain = simulate(model, 0.5, u=lambda t, state: [0.2])

    def torque(t: float, state: bough.State) -> list[float]:
        simulate(model, 1.5)
        return [0.2]

    assert simulate(model, 0.5, u=torque) == plain


def test_threads_do_not_share_a_stepper():
    model, starts = arm(), np.linspace(0.1, 1.5, 8)
    alone = [simulate(arm(), q) for q in starts]
    found: dict[int, bool] = {}

    def work(i: int) -> None:
        found[i] = all(
            bough.simulate(model, alone[i].q[0], duration=0.4, dt=0.01) == alone[i] for _ in range(5)
        )

    simulate(model, 0.3)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(starts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(starts)
    assert all(found.values())


def test_a_stepper_that_counted_coarse_steps_is_not_taken_again():
    system = bough.System("oscillator", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.NonlinearConfigurationSpring("x", polynomial=(0, 100, 0, 0.001)))
    model = system.build()
    with pytest.warns(bough.CoarseStepWarning, match="1 of 10 steps"):
        bough.simulate(model, [1.0], duration=3.0, dt=0.3)
    assert not any(model._steppers.values())
    assert bough.simulate(model, [1.0], duration=3.0, dt=0.02).statistics["coarse"] == 0
    assert any(model._steppers.values())


def test_nothing_of_earlier_runs_is_remembered():
    model, memories = arm(wire=True), []
    settings = simulate(model, 0.4).settings
    run = VariationalRun.__new__(VariationalRun)
    used = next(iter(model._steppers.values()))[0].stepper
    before = packed(used.save(np.zeros(0), np.zeros(1)))
    for stepper in (run._new_stepper(model, settings), new_stepper(model, settings)):
        stepper.start(0.0, np.array([0.3, 0.4]), np.array([0.5, 0.6]), np.zeros(0))
        memories.append(packed(stepper.save(np.zeros(0), np.zeros(1))))
    assert before != memories[0] == memories[1]
