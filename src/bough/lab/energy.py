"""Lesson: the energy of integrators side by side."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np

from bough.gallery.pendulums import pendulum
from bough.lab.lesson import Curve, Lesson, Shown, Slider
from bough.simulate import simulate

METHODS = {"variational": "midpoint", "semi-implicit Euler": "semi-implicit-euler", "Runge-Kutta 4": "rk4"}
DURATION = 60.0

TEXT = """
A pendulum that nothing brakes keeps its energy. No method does so exactly: what matters is **whether the
errors add up**.

Make the step longer. The error of Runge–Kutta is small at first and then goes one way; that of the
variational rule stays in its band however long the run. *After [JM08], Fig. 2, and [JM09].*
"""


def _compute(values: Mapping[str, float]) -> Shown:
    model = pendulum(round(values["links"])).build()
    q = dict.fromkeys(model.variables, 0.0) | {model.variables[0]: values["first angle [rad]"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # steps that are too long are the point of the lesson
        options = {"duration": DURATION, "dt": values["step [s]"], "on_failure": "stop", "progress": False}
        runs = {
            name: simulate(model, q=q, v={}, integrator=method, **options)  # type: ignore[arg-type]
            for name, method in METHODS.items()
        }
    first = runs["variational"]
    scale = float(first.kinetic_energy().max()) or 1.0
    lines = {}
    for name, run in runs.items():
        change = np.full(len(first), np.nan)
        change[: len(run)] = (run.energy() - run.energy()[0]) / scale
        lines[name] = np.clip(change, -1.0, 1.0)
    numbers = {
        f"{name}, at the end": f"{lines[name][-1]:+.1e}"
        if len(run) == len(first)
        else f"blew up at {run.t[-1]:.1f} s"
        for name, run in runs.items()
    }
    title = "change of the energy / largest kinetic energy"
    near = {name: lines[name] for name in ("variational", "Runge-Kutta 4")}
    curves = (Curve(title, first.t, lines), Curve("the same, without Euler", first.t, near))
    return Shown(first, curves, numbers)


LESSON = Lesson(
    "energy",
    "Energy of integrators",
    TEXT,
    {
        "step [s]": Slider(0.005, 0.1, 0.005, 0.05),
        "links": Slider(1, 5, 1, 2),
        "first angle [rad]": Slider(0.1, 2.0, 0.1, 1.0),
    },
    _compute,
)
