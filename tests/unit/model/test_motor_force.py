"""What motors apply: the command after gear and effort limit, and the force of servos."""

from __future__ import annotations

import numpy as np
import pytest

import bough


def arm() -> bough.Model:
    """Motors are its only forces; a kinematic target, and a ball beside the joints."""
    system = bough.System("arm")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    hand = elbow.ry("forearm").tz(-1.0, mass=0.5).tx("slide", name="hand", mass=0.3)
    hand.ball("wrist", name="tool", mass=0.2, inertia=(0.1, 0.1, 0.2))
    system.add(bough.ConfigurationForce("shoulder", "torque", gear=-3.0, effort=2.0))
    system.add(bough.ConfigurationForce("shoulder", "torque"))
    system.add(bough.Servo("shoulder", 4.0, 0.5, target="pose", effort=1.5, target_rate="rate", gear=2.0))
    system.add(bough.Servo("forearm", 10.0, 1.0, target=bough.kinematic("way"), effort=3.0))
    system.add(bough.Servo("slide", 7.0, 2.0, target=0.4, target_rate=0.1))
    return system.build()


def test_it_is_the_force_of_models_with_no_other_forces() -> None:
    """Within the limits and beyond them, of single states and of batches."""
    model, random = arm(), np.random.default_rng(3)
    q = np.array([model.random(random) for _ in range(40)])
    v, u = random.normal(size=(40, model.nv)), 3.0 * random.normal(size=(40, model.nu))
    expected = model.generalized_force(q, v, u)
    np.testing.assert_allclose(model.motor_force(q, v, u), expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(model.motor_force(q[3], v[3], u[3]), expected[3], rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(model.motor_force(q, v), model.generalized_force(q, v), atol=1e-13)
    assert (np.abs(expected[:, model.index("forearm")]) == 3.0).any()


def test_a_run_has_the_command_and_what_its_limit_leaves() -> None:
    system = bough.System("motor")
    system.world.ry("angle", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.world.tx("slide", mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque", effort=2.0))
    system.add(bough.ConfigurationForce("slide", -9.0))  # a load, which nobody commands
    run = bough.simulate(system.build(), u={"torque": lambda t: 10.0 * t}, duration=0.4, dt=0.1)
    np.testing.assert_allclose(run.u["torque"], [0.0, 1.0, 2.0, 3.0, 3.0])
    np.testing.assert_allclose(run.motor_force()["angle"], [0.0, 1.0, 2.0, 2.0, 2.0])
    assert not run.motor_force()["slide"].any()
    np.testing.assert_allclose(np.diff(run.v["angle"]) / 0.1, run.motor_force()["angle"][:-1], rtol=1e-12)
    titles = [axis.get_title(loc="left") for axis in run.plot(["input", "motor"]).axes]
    assert titles == ["input moments, as commanded", "motor moments, as applied"]
    assert "motor moments, as applied" in [axis.get_title(loc="left") for axis in run.plot().axes]


def test_motors_that_apply_their_commands_have_no_panel_of_their_own() -> None:
    system = bough.System("motor")
    system.world.ry("angle", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add(bough.ConfigurationForce("angle", "torque"))
    run = bough.simulate(system.build(), u=5.0, duration=0.1)
    titles = [axis.get_title(loc="left") for axis in run.plot().axes]
    assert "input moments" in titles
    assert not any(title.startswith("motor") for title in titles)
    assert [axis.get_title(loc="left") for axis in run.plot("motor").axes] == ["motor moments, as applied"]


@pytest.mark.parametrize("integrator", ["midpoint", "rk4", "dop853"])
def test_the_number_of_a_single_input(integrator: str) -> None:
    system = bough.System("motor")
    system.world.tx(bough.kinematic("way")).ry("angle", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add(bough.ConfigurationForce("angle", "torque"))
    model = system.build()
    given = {"duration": 0.1, "integrator": integrator}
    assert bough.simulate(model, u=5.0, **given) == bough.simulate(model, u=[5.0], **given)
    assert bough.simulate(model, u=5, k=0.3, **given) == bough.simulate(model, u=[5.0], k=[0.3], **given)
    assert bough.Problem(model, u=np.float64(5.0), **given).run().u[0, 0] == 5.0
    vi = bough.MidpointVI(model, 0.01)
    assert vi.step(vi.start(), u=5.0) == vi.step(vi.start(), u=[5.0])
    q, v = np.zeros(2), np.zeros(2)
    assert model.acceleration(q, v, u=5.0).tolist() == model.acceleration(q, v, u=[5.0]).tolist()
