"""Bodies, run-time changes and files of runs in maximal coordinates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bough
from support.formulations import double_pendulum, free_chain

I = (0.1, 0.12, 0.15)
G = 9.81


def rotation(quaternion: np.ndarray) -> np.ndarray:
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_bodies_are_where_the_recovered_configuration_puts_them() -> None:
    case = free_chain()
    run = bough.simulate(
        case.model, case.q, case.v, duration=0.3, dt=0.01, integrator="velocity", stabilization="projection"
    )
    assert run.bodies is not None
    assert run.bodies.names == ("base", "arm", "hand")
    for body, name in enumerate(run.bodies.names):
        pose = run.pose(name)
        assert np.abs(run.bodies.position[:, body] - pose[:, :3, 3]).max() < 1e-12
        turned = np.array([rotation(q) for q in run.bodies.quaternion[:, body]])
        assert np.abs(turned - pose[:, :3, :3]).max() < 1e-12
    assert np.abs(np.linalg.norm(run.bodies.quaternion, axis=-1) - 1.0).max() < 1e-14


def test_linear_momentum_of_a_free_chain_is_kept_to_round_off() -> None:
    case = free_chain()
    engine = bough.MaximalEngine(case.model, dt=0.01)
    engine.start(case.q, case.v)
    masses = np.array([2.0, 1.0, 0.5])
    centre = [masses @ engine.position]
    for _ in range(50):
        engine.step()
        centre.append(masses @ engine.position)
    second = np.diff(np.array(centre), 2, axis=0)
    assert np.abs(second).max() < 1e-14


def test_a_free_body_tumbles_through_gimbal_lock() -> None:
    """Spun about y, the middle Euler angle passes a quarter turn; the body does not notice."""
    system = bough.System("tumbler", gravity=(0, 0, 0))
    system.world.free("b", name="b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model = system.build()
    run = bough.simulate(model, v={"b_ry": 2.0}, duration=2.0, dt=0.01, integrator="velocity")
    angle = 2.0 * run.t
    expected = np.stack([np.cos(angle / 2), 0 * angle, np.sin(angle / 2), 0 * angle], axis=-1)
    assert run.bodies is not None
    assert np.abs(run.bodies.quaternion[:, 0] - expected).max() < 1e-12
    assert np.abs(run.pose("b")[:, 0, 0] - np.cos(angle)).max() < 1e-9


# --- changes at run time ---


def hanging(**options: object) -> bough.MaximalEngine:
    system = bough.System("hanging")
    bob = system.world.tx("x").tz("z", name="bob", mass=2.0)
    system.add(bough.DistanceConstraint(bob, "world", length=1.0, name="wire"))
    engine = bough.MaximalEngine(system.build(), dt=0.01, **options)
    engine.start(q={"z": -1.0})
    return engine


def test_a_wire_is_cut_and_tied_again() -> None:
    engine = hanging()
    for _ in range(10):
        state = engine.step()
    assert np.abs(state.v).max() < 1e-12
    assert state.lam is not None
    assert abs(state.lam[0] + 2.0 * G) < 1e-10  # tension is negative
    engine.disable("wire")
    for _ in range(5):
        state = engine.step()
    assert np.abs(state.v - (0.0, -0.05 * G)).max() < 1e-12
    assert np.array_equal(state.lam, [0.0])
    engine.enable("wire")
    for _ in range(200):
        state = engine.step()
    assert np.abs(state.q - (0.0, -1.0)).max() < 1e-12


def test_a_constraint_is_created() -> None:
    engine = hanging()
    frames = bough.System("another with a frame of this name").world.tx(0.0, name="bob")
    assert engine.add(bough.DistanceConstraint(frames, "world", 1.0, name="second")) == "second"
    assert engine.constraints == ("wire", "second")
    engine.step()
    engine.disable("wire")
    for _ in range(10):
        state = engine.step()
    assert np.abs(state.q - (0.0, -1.0)).max() < 1e-12


@pytest.mark.parametrize("integrator", ["velocity", "penalty-implicit"])
def test_a_wire_breaks_at_its_strength(integrator: str) -> None:
    """Released from the horizontal, the tension of a pendulum is 3 m g sin(angle)."""
    system = bough.System("wrecking ball")
    ball = system.world.tx("x").tz("z", name="ball", mass=1.0, inertia=I)
    system.add(bough.DistanceConstraint(ball, "world", length=1.0, name="wire"))
    model = system.build()
    run = bough.simulate(
        model,
        {"x": 1.0},
        duration=1.0,
        dt=1e-4,
        integrator=integrator,
        break_above={"wire": 2.4 * G},
    )
    reference = bough.simulate(model, {"x": 1.0}, duration=1.0, dt=1e-3, integrator="dop853")
    strong = np.flatnonzero(-reference["z"] >= 0.8)[0]
    assert run.bodies is not None
    ((when, name),) = run.bodies.events
    assert name == "wire"
    assert abs(when - reference.t[strong]) < 3e-3
    after = run.t > when + 1e-9
    fall = np.diff(run.v[after], axis=0) / 1e-4
    assert np.abs(fall - (0.0, -G)).max() < 1e-9


@pytest.mark.parametrize("integrator", ["velocity", "penalty-explicit", "penalty-implicit"])
def test_a_joint_breaks(integrator: str) -> None:
    case = double_pendulum()
    engine = bough.MaximalEngine(case.model, dt=1e-3, integrator=integrator)
    engine.start(case.q, case.v)
    for _ in range(100):
        engine.step()
    engine.disable("elbow")
    places = [engine.position[1]]
    for _ in range(50):
        engine.step()
        places.append(engine.position[1])
    fall = np.diff(np.array(places), 2, axis=0) / 1e-6
    assert np.abs(fall - (0.0, 0.0, -G)).max() < 1e-8


def test_a_joint_breaks_at_its_strength() -> None:
    """At rest the shoulder of a double pendulum carries both links, the elbow one."""
    case = double_pendulum()
    for stabilization in (None, "projection"):
        broken = {}
        for force in (0.99 * G, 1.01 * G, 1.99 * G, 2.01 * G):
            run = bough.simulate(
                case.model,
                duration=0.01,
                dt=1e-3,
                integrator="velocity",
                stabilization=stabilization,
                break_above={"elbow": force} if force < 1.5 * G else {"shoulder": force},
            )
            assert run.bodies is not None
            broken[force] = [name for _, name in run.bodies.events]
        assert list(broken.values()) == [["elbow"], [], ["shoulder"], []]


def test_the_energy_of_a_mass_on_a_circle() -> None:
    """Projection takes 1/w^2 up by h^2 in every step; beta keeps the angular momentum, but for the drift."""
    system = bough.System("circle", gravity=None)
    system.world.ry("angle").tz(-1.0, mass=1.0)
    model, w, h = system.build(), 2.0, 0.01
    settings = {"v": {"angle": w}, "duration": 10.0, "dt": h, "integrator": "velocity"}
    projected = bough.simulate(model, **settings, stabilization="projection")
    # the body turns by h w where its centre goes by tan(h w)
    np.testing.assert_allclose(projected.v[:, 0] ** -2, w**-2 + h * projected.t, rtol=(h * w) ** 4)
    pulled = bough.simulate(model, **settings)
    assert pulled.bodies is not None
    drift = pulled.bodies.drift[:, 0, 0].max()
    assert np.abs(pulled.energy() / pulled.energy()[0] - 1.0).max() < 10 * drift < 0.01


def test_what_broke_is_no_error() -> None:
    """The constraints before and behind the one that breaks keep their rows."""
    system = bough.System("three wires")
    for name in "abc":
        ball = system.world.tx(f"x{name}").tz(f"z{name}", name=name, mass=1.0)
        system.add(bough.DistanceConstraint(ball, "world", 1.0, name=None if name == "b" else f"wire {name}"))
    model = system.build()
    start = {f"z{name}": -1.0 for name in "abc"}
    settings = {"duration": 0.5, "integrator": "velocity", "break_above": {"DistanceConstraint #1": 12.0}}
    run = bough.simulate(model, start, {f"x{name}": 2.0 for name in "abc"}, **settings)
    ((when, name),) = run.bodies.events
    assert name == "DistanceConstraint #1"
    assert 0.0 < when < 0.1
    off = model.constraint(run.q)
    broken = run.t > when
    assert np.abs(off[-1, 1]) > 0.1
    assert not run.constraint_error()[broken, 1].any()
    assert np.array_equal(run.constraint_error()[~broken], off[~broken])
    assert np.array_equal(run.constraint_error()[:, ::2], off[:, ::2])
    assert not run[20:].constraint_error()[:, 1].any()


def test_a_broken_joint_does_not_drift() -> None:
    case = double_pendulum()
    settings = {"dt": 0.01, "integrator": "velocity", "break_above": {"elbow": 1.0}}
    run = bough.simulate(case.model, case.q, case.v, duration=0.5, **settings)
    engine = bough.MaximalEngine(case.model, **settings)
    engine.start(case.q, case.v)
    for _ in range(50):
        engine.step()
    ((when, name),) = run.bodies.events
    ends = run.pose("lower")[-1, :3, 3] - run.bodies.position[-1, 1]
    assert name == "elbow"
    assert np.linalg.norm(ends) > 0.1
    assert not run.bodies.drift[run.t > when, 1].any()
    assert not engine.drift[1].any()
    assert run.bodies.drift[run.t > when, 0, 0].all()
    assert engine.drift[0, 0] > 0.0


# --- runs ---


def test_files_keep_bodies(tmp_path: Path) -> None:
    case = double_pendulum()
    run = bough.simulate(
        case.model,
        case.q,
        duration=0.1,
        dt=0.01,
        integrator="velocity",
        break_above={"elbow": 1.0},
        contacts=[bough.Skate("lower", across=(0, 1, 0))],
    )
    again = bough.load_trajectory(run.save(tmp_path / "run.npz"))
    assert again == run
    assert again.bodies is not None
    assert run.bodies is not None
    assert again.bodies.names == run.bodies.names
    assert again.bodies.events == run.bodies.events != []
    assert again.rerun() == run
    part = run[2:8:2]
    assert part.bodies is not None
    assert np.array_equal(part.bodies.drift, run.bodies.drift[2:8:2])


def test_a_file_without_its_bodies_is_damaged(tmp_path: Path) -> None:
    case = double_pendulum()
    path = bough.simulate(case.model, case.q, duration=0.1, integrator="velocity").save(tmp_path / "run.npz")
    contents = dict(np.load(path))
    del contents["body_quaternion"]
    np.savez(path, **contents)
    with pytest.raises(bough.ParseError) as caught:
        bough.load_trajectory(path)
    assert "no array 'body_quaternion' of shape (11, 2, 4)" in caught.value.found


@pytest.mark.parametrize("integrator", ["velocity", "penalty-implicit"])
def test_what_was_computed_before_an_element_raised_is_kept(integrator: str) -> None:
    class Fragile(bough.Constraint):
        def value(self, at: bough.Instant) -> object:
            if at.q["z"] < -0.0123:  # between nodes 4 and 5
                raise ZeroDivisionError("too low")
            return at.q["x"]

        def gradient(self, at: bough.Instant) -> object:
            return np.array([1.0, 0.0])

        def hessian(self, at: bough.Instant) -> object:
            return np.zeros((2, 2))

    system = bough.System("fragile")
    system.world.tx("x").tz("z", name="b", mass=1.0, inertia=I)
    system.add(Fragile())
    with pytest.raises(ZeroDivisionError) as caught:
        bough.simulate(system.build(), duration=0.1, dt=0.01, integrator=integrator, every=3)
    run = caught.value.trajectory  # type: ignore[attr-defined]
    last = 0.05 if integrator == "velocity" else 0.04  # an implicit step looks at its end
    assert abs(run.t[-1] - last) < 1e-12
    assert abs(run["z"][-1] + 0.5 * G * last * (last + 0.01)) < 1e-12


def test_every_and_a_shorter_last_step() -> None:
    case = double_pendulum()
    whole = bough.simulate(case.model, case.q, duration=0.1, dt=0.01, integrator="velocity")
    some = bough.simulate(case.model, case.q, duration=0.105, dt=0.01, integrator="velocity", every=3)
    assert np.allclose(some.t, [0.0, 0.03, 0.06, 0.09, 0.105], atol=1e-15)
    assert np.array_equal(some.q[:4], whole.q[:10:3])
    assert np.array_equal(some.lam.shape, (5, 0))


def test_inputs_by_feedback() -> None:
    system = bough.System("held")
    system.world.ry("a").tx(0.5, name="b", mass=1.0, inertia=I)
    system.add(bough.ConfigurationForce("a", "torque"))
    run = bough.simulate(
        system.build(),
        duration=4.0,
        dt=1e-3,
        integrator="velocity",
        u={"torque": lambda t, state: -100.0 * state.q[0] - 20.0 * state.v[0]},
    )
    # gravity turns the arm down by a positive angle: m g r cos(a) = 100 a
    a = run["a"][-1]
    assert abs(G * 0.5 * np.cos(a) - 100.0 * a) < 1e-6
