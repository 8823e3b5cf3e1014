"""Names, numbers and displacements of configurations with balls."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from support.balls import branched, floating_arm, heavy_top

TURN = Rotation.from_rotvec([0.3, -0.8, 0.5])


def test_names() -> None:
    model = floating_arm().build()
    assert model.balls == ("base", "shoulder")
    assert model.variables[:7] == (
        *(f"base_{x}" for x in ("tx", "ty", "tz", "wx", "wy", "wz")),
        "shoulder_wx",
    )
    assert model.coordinates[3:7] == ("base_qw", "base_qx", "base_qy", "base_qz")
    assert (model.nq, model.nv, model.coordinates[-1]) == (12, 10, "elbow")
    plain = bough.gallery.pendulum().build()
    assert plain.coordinates == plain.variables
    assert plain.nq == plain.nv


@pytest.mark.parametrize(
    "value", [TURN, TURN.as_matrix(), TURN.as_rotvec(), TURN.as_quat()[[3, 0, 1, 2]]], ids=str
)
def test_forms_of_a_rotation(value: object) -> None:
    model = heavy_top().build()
    q = model.configuration({"top": value})
    assert np.allclose(np.abs(q @ TURN.as_quat()[[3, 0, 1, 2]]), 1.0, atol=1e-15)
    assert np.allclose(model.pose("disc", q)[:3, :3], TURN.as_matrix(), atol=1e-15)
    system = heavy_top()
    system.start = bough.Start(q={"top": value}, v={"top": (1.0, 2.0, 3.0)})
    state = bough.MidpointVI(system.build(), 0.01).start()
    assert np.allclose(state.q["top"], q)
    assert np.array_equal(state.v["top"], (1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    "phi", [(0.0, 0.25 * np.pi, 0.0), [0.3, -0.8, 0.5], (0, 1, 2), (-0.0, 0.0, 1e-9)], ids=str
)
def test_numbers_by_themselves_and_arrays_lead_to_the_same_bits(phi: tuple[float, ...]) -> None:
    model = floating_arm().build()
    rates = (0.1, -2, 3.0)
    both = [
        bough.simulate(
            model, {"base": form(phi), "elbow": one(0.5)}, {"shoulder": form(rates)}, duration=0.02, dt=0.01
        )
        for form, one in ((type(phi), float), (np.array, np.float64))
    ]
    assert both[0] == both[1]


def test_a_quaternion_by_its_numbers() -> None:
    model = floating_arm().build()
    q = model.configuration({"shoulder_qx": 1.0, "elbow": 0.5})
    assert q.tolist() == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5]
    with pytest.raises(bough.ModelError, match=r"length 0\.6"):
        model.configuration({"shoulder_qy": 0.6})


def test_displacements() -> None:
    model = branched().build()
    random = np.random.default_rng(0)
    q = np.array([model.random(random) for _ in range(5)])
    dv = 0.8 * random.normal(size=(5, model.nv))
    moved = model.integrate(q, dv)
    assert np.allclose(model.difference(q, moved), dv, atol=1e-13)
    assert np.allclose(model.difference(q, q), 0.0)
    assert np.array_equal(model.random(3), model.random(3))
    assert np.allclose(model.configuration({}), model.neutral())
    plain = bough.gallery.pendulum().build()
    assert np.array_equal(plain.integrate([0.5], [0.2]), [0.7])
    assert np.array_equal(plain.difference([0.5], [0.2]), [-0.3])


def test_files(tmp_path: Path) -> None:
    system = floating_arm()
    system.start = bough.Start(q={"base": TURN, "elbow": 0.2}, v={"base": (1.0, 2.0, 3.0)})
    system.add(bough.Damping({"shoulder": 0.2, "base_wx": 0.1, "elbow": 0.3}))
    system.add(bough.TorsionSpring("hull", "upper", 2.0, rest=TURN))
    path = tmp_path / "arm.sexp"
    bough.save(system, path)
    model = system.build()
    assert bough.load(path).build() == model
    assert pickle.loads(pickle.dumps(model)) == model
    text = '(system (name "a") (floating "base" (mass 1 0.1 0.2 0.3)) (ball "hip" (mass 1 0.1 0.2 0.3)))'
    path.write_text(text)
    assert bough.load(path).balls == ("base", "hip")
    run = bough.simulate(model, duration=0.2, dt=0.01)
    assert bough.load_trajectory(run.save(tmp_path / "run.npz")) == run
    header = run.save(tmp_path / "run.csv").read_text().partition("\n")[0].split(",")
    assert header[1 : 1 + model.nq] == [f"q.{name}" for name in model.coordinates]
    assert run.rerun() == run
    assert run.to_xarray()["q"].dims == ("t", "coordinate")


def test_states() -> None:
    model = floating_arm().build()
    vi = bough.MidpointVI(model, 0.01)
    start = vi.start(q={"shoulder": TURN}, v={"base": (1.0, 2.0, 3.0)})
    state = vi.step(start)
    assert np.array_equal(vi.step(pickle.loads(pickle.dumps(state))).q, vi.step(state).q)
    runner = vi.runner(start)
    runner.step()
    assert np.array_equal(runner.q, state.q)
    assert runner.q["base"].shape == (4,)
    again = vi.start_from_configurations(start.q, state.q)
    assert np.allclose(again.p, state.p, atol=1e-11)


def test_between_instants() -> None:
    """By cubics through q and v, whose error goes with h^4, that of v with h^3, at all times between the rows."""
    model = heavy_top().build()
    start = {"q": {"top": (0.3, 0.1, 0.0)}, "v": {"top": (0.2, 0.1, 8.0)}, "duration": 1.0}
    options = {"integrator": "dop853", "rtol": 1e-12, "atol": 1e-13}
    exact = bough.simulate(model, **start, dt=0.0025, **options)
    errors = []
    for dt in (0.08, 0.04, 0.02):
        run = bough.simulate(model, **start, dt=dt, **options).at(exact.t[:-1])
        assert np.abs(np.linalg.norm(run.q, axis=1) - 1.0).max() < 1e-15
        errors.append(
            [np.abs(model.difference(exact.q[:-1], run.q)).max(), np.abs(run.v - exact.v[:-1]).max()]
        )
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(orders - (4.0, 3.0)).max() < 0.3, orders
