"""States between the instants of a run: exact for cubics, of fourth order in q and third in v."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.motion.interpolation import hermite
from bough.motion.reduced_base import base_pose


def test_cubics_are_exact() -> None:
    c = np.array([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, -1.0, 0.25]])
    cubics = [np.polynomial.Polynomial(row) for row in c]
    t0, h = 0.3, 0.7

    def of(t: float, order: int) -> np.ndarray:
        return np.array([p.deriv(order)(t) if order else p(t) for p in cubics])

    for s in (0.0, 0.2, 0.5, 0.9, 1.0):
        q, v = hermite(s, h, of(t0, 0), of(t0, 1), of(t0 + h, 0), of(t0 + h, 1))
        np.testing.assert_allclose(q, of(t0 + s * h, 0), rtol=0, atol=1e-14)
        np.testing.assert_allclose(v, of(t0 + s * h, 1), rtol=0, atol=1e-13)


def test_errors_are_within_their_bounds_and_reach_them() -> None:
    """(IH3), (IH4) for x = t⁴, whose fourth derivative is 24 everywhere: the bounds are met with equality."""
    h = 0.4
    s = np.linspace(0.0, 1.0, 10001)
    found = [hermite(x, h, np.zeros(1), np.zeros(1), np.array([h**4]), np.array([4 * h**3])) for x in s]
    q, v = (np.array(part)[:, 0] for part in zip(*found, strict=True))
    assert np.abs(q - (s * h) ** 4).max() == pytest.approx(24 * h**4 / 384, rel=1e-6)
    assert np.abs(v - 4 * (s * h) ** 3).max() == pytest.approx(24 * np.sqrt(3) * h**3 / 216, rel=1e-6)


def double_pendulum() -> bough.Model:
    system = bough.System("double-pendulum")
    elbow = system.world.ry("shoulder").tz(-1.0, mass=1.0)
    elbow.ry("forearm").tz(-1.0, mass=1.0)
    return system.build()


def slopes(errors: list[float]) -> np.ndarray:
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def test_order() -> None:
    """The error of the interpolation alone: rows of one run, thinned out, against the rows left out."""
    exact = {"integrator": "dop853", "rtol": 1e-13, "atol": 1e-13}
    run = bough.simulate(double_pendulum(), {"shoulder": 0.8}, duration=1.6, dt=0.00625, **exact)
    of_q, of_v = [], []
    for every in (16, 8, 4):
        thin = run[::every]
        states = [thin.at(t) for t in run.t]
        of_q.append(max(np.abs(s.q - run.q[i]).max() for i, s in enumerate(states)))
        of_v.append(max(np.abs(s.v - run.v[i]).max() for i, s in enumerate(states)))
    assert (slopes(of_q) > 3.8).all()
    assert (slopes(of_v) > 2.8).all()


def test_order_of_a_free_base() -> None:
    system = bough.System("free", gravity=None)
    base = system.world.free("base", mass=10.0, inertia=(1, 2, 3))
    base.tx(0.5).rz("joint").tx(1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    model = system.build()
    vi = bough.ReducedVI(model, dt=0.0005)
    start = vi.start(xi=(0.4, 2.0, 0.3, 0.1, 0.0, 0.0), v={"joint": 1.0})
    run = bough.simulate(model, start, duration=1.024, integrator=vi)
    of_g, of_xi, of_r = [], [], []
    for every in (512, 256, 128):
        thin = run[::every]
        assert isinstance(thin, bough.ReducedTrajectory)
        states = [thin.at(t) for t in run.t[::32]]
        of_g.append(max(np.abs(s.g - g).max() for s, g in zip(states, run.g[::32], strict=True)))
        of_xi.append(max(np.abs(s.xi - x).max() for s, x in zip(states, run.xi[::32], strict=True)))
        of_r.append(max(abs(s.q["joint"] - r) for s, r in zip(states, run["joint"][::32], strict=True)))
        for s in states:
            np.testing.assert_allclose(base_pose(model, np.asarray(s.q)), s.g, rtol=0, atol=1e-12)
            np.testing.assert_allclose(s.mu, run.mu[0], rtol=0, atol=20 * of_xi[-1])  # 11 kg, 3 kg m²
    assert (slopes(of_g) > 3.6).all()
    assert (slopes(of_r) > 3.6).all()
    assert (slopes(of_xi) > 2.7).all()  # until that of the steps shows, dt²


def test_rows_are_the_recorded_states() -> None:
    run = bough.simulate(double_pendulum(), {"shoulder": 0.8}, duration=0.5)
    for i in (0, 7, -1):
        assert run.at(run.t[i]) == run[i]
    back = run[::-1]
    assert back.at(run.t[7]) == run[7]
    np.testing.assert_allclose(back.at(0.123).q, run.at(0.123).q, rtol=0, atol=1e-15)
    middle = run.at(0.123)
    assert middle.t == 0.123
    assert middle.p is not None
    np.testing.assert_allclose(middle.p, run.model.momentum(middle.q, middle.v), rtol=0, atol=1e-14)
    assert middle.q["shoulder"] == middle.q[0]


def test_a_run_goes_on_from_between() -> None:
    run = bough.simulate(double_pendulum(), {"shoulder": 0.8}, duration=1.0, dt=0.01)
    on = bough.simulate(run.model, run.at(0.305), duration=0.5, dt=0.01)
    np.testing.assert_allclose(on[-1].q, run.at(0.805).q, rtol=0, atol=2e-4)  # of the steps, dt² each way


@pytest.mark.parametrize("t", [-0.1, 0.6])
def test_times_outside_are_refused(t: float) -> None:
    run = bough.simulate(double_pendulum(), duration=0.5)
    with pytest.raises(bough.ModelError) as caught:
        run.at(t)
    assert str(caught.value) == (
        f"at({t:g}) of a run of model 'double-pendulum'\n"
        "  found: the run is from t = 0 to 0.5 s\n"
        "  do: give a time between these, or continue the run: bough.simulate(model, run[-1], ...)"
    )


def test_sums_of_steps_are_times_of_the_run() -> None:
    run = bough.simulate(double_pendulum(), duration=1.7, dt=0.1)
    t = 17 * 0.1
    assert t > run.t[-1] == 1.7
    assert run.at(t).t == 1.7
    assert np.array_equal(run.at(t).q, run.q[-1])
    with pytest.raises(bough.ModelError, match=r"^at\(1\.7000001\) of"):
        run.at(1.7000001)


def test_no_number_is_no_time() -> None:
    with pytest.raises(bough.ModelError):
        bough.simulate(double_pendulum(), duration=0.1).at("now")  # type: ignore[arg-type]
    with pytest.raises(bough.ModelError):
        bough.simulate(double_pendulum(), duration=0.1).at(float("nan"))
