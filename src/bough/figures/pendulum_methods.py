"""A pendulum by explicit Euler and by the variational integrator of [NM], beside the exact motion.

The integrator of [NM] is eq. 6, corrected: (theta_k+1 - 2 theta_k + theta_k-1) / dt^2 + g sin(theta_k) = 0;
it is what `TrapezoidalVI` gives for one angle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bough.arguments import Array
from bough.description.system import System
from bough.figures import Data
from bough.figures._style import COLORS, name_lines, panels
from bough.model.model import Model
from bough.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "A pendulum of 1 m and 1 kg from rest at 1 rad"
SOURCE = "[NM] Fig. 1, 2 and 3"
ANGLE, DURATION, FINE, COARSE = 1.0, 10.0, 0.01, 0.2


def pendulum() -> Model:
    """A point of 1 kg on 1 m."""
    system = System("pendulum", gravity=(0.0, 0.0, -9.81))
    system.world.ry("theta").tz(-1.0, name="bob", mass=1.0)
    return system.build()


def euler(model: Model, dt: float) -> tuple[Array, Array]:
    """Explicit Euler: q += dt v, v += dt a."""
    steps = round(DURATION / dt)
    q, v = np.zeros((2, steps + 1))
    q[0] = ANGLE
    for k in range(steps):
        q[k + 1] = q[k] + dt * v[k]
        v[k + 1] = v[k] + dt * model.acceleration(q[k : k + 1], v[k : k + 1])[0]
    return np.linspace(0.0, DURATION, steps + 1), q


def variational(model: Model, dt: float) -> tuple[Array, Array]:
    """The integrator of [NM]."""
    run = simulate(model, q=[ANGLE], duration=DURATION, dt=dt, integrator="trapezoidal")
    return run.t, run["theta"]


def exact(model: Model, dt: float) -> Array:
    """The motion to 1e-12, every dt."""
    run = simulate(model, q=[ANGLE], duration=DURATION, dt=dt, integrator="dop853", rtol=1e-13, atol=1e-14)
    return run["theta"]


def data(short: bool = False) -> Data:
    """Motions at the fine and the coarse step, and root mean square errors at many steps."""
    model = pendulum()
    counts = np.unique(np.round(np.geomspace(50, 20_000, 6 if short else 14))).astype(int)
    found: Data = {"step": DURATION / counts}
    for name, method in (("euler", euler), ("variational", variational)):
        found[f"{name}_error"] = [_rms(model, method(model, DURATION / n)[1]) for n in counts]
        for label, dt in (("fine", FINE), ("coarse", COARSE)):
            found[f"t_{label}"], found[f"{name}_{label}"] = method(model, dt)
    return {**found, "exact": exact(model, FINE)}


def _rms(model: Model, theta: Array) -> float:
    difference = theta - exact(model, DURATION / (len(theta) - 1))
    return float(np.sqrt(np.mean(difference**2)))


def draw(data: Data) -> Figure:
    """Fine steps, errors, coarse steps."""
    picture, (fine, errors, coarse) = panels(TITLE, 3, size=(7.0, 8.5))
    t = data["t_fine"]
    fine.plot(t, data["exact"], color=COLORS["exact"], lw=3, alpha=0.5, label="exact")
    fine.plot(t, data["variational_fine"], color=COLORS["bough"], lw=1, label="variational")
    fine.plot(t, data["euler_fine"], color=COLORS["ODE"], label="explicit Euler")
    fine.set(title=f"steps of {FINE} s", xlabel="time / s", ylabel="θ / rad")
    for name, label, engine in (("euler", "explicit Euler", "ODE"), ("variational", "variational", "bough")):
        errors.loglog(data["step"], data[f"{name}_error"], "o-", ms=3, color=COLORS[engine], label=label)
    errors.set(title="error over 10 s", xlabel="step / s", ylabel="root mean square / rad")
    coarse.plot(t, data["exact"], color=COLORS["exact"], lw=3, alpha=0.5, label="exact")
    coarse.plot(
        data["t_coarse"],
        data["variational_coarse"],
        "o-",
        ms=3,
        lw=1,
        color=COLORS["bough"],
        label="variational",
    )
    coarse.set(title=f"steps of {COARSE} s", xlabel="time / s", ylabel="θ / rad")
    for axes in (fine, errors, coarse):
        name_lines(axes)
    return picture
