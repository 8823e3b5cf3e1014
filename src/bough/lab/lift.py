"""Lesson: a scissor lift passes the position where its constraints lose rank."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np

from bough.gallery.scissor import scissor_lift, scissor_lift_angle
from bough.lab.lesson import Curve, Lesson, Shown, Slider
from bough.model.model import Model
from bough.simulate import simulate

DURATION = 10.0

TEXT = """
Many loops, one degree of freedom. When the links lie on one line, at θ = π/2, the constraints **lose rank**:
the equations of motion have no unique solution there, and many simulators leave the branch or blow up.

The lift swings straight through. Its exact motion is known, and drawn beside it: shorten the step and see the
error fall with its square. *After [JM09], Fig. 9 to 13.*
"""


def _compute(values: Mapping[str, float]) -> Shown:
    segments, theta = round(values["segments"]), values["first angle [rad]"]
    model = scissor_lift(segments, theta=theta).build()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = simulate(model, duration=DURATION, dt=values["step [s]"], progress=False)
    exact = scissor_lift_angle(run.t, segments, theta=theta)
    found = np.asarray(run[model.variables[0]])
    energy = run.energy()
    numbers = {
        "largest error of θ": f"{np.abs(found - exact).max():.1e} rad",
        "constraints hold to": f"{np.abs(run.constraint_error()).max():.0e} m",
        "redundant rows at θ = π/2": f"{lost_rows(model)}",
    }
    return Shown(
        run,
        (
            Curve("angle θ of the first link [rad]", run.t, {"simulated": found, "exact": exact}),
            Curve("change of the energy [J]", run.t, {"": energy - energy[0]}),
        ),
        numbers,
    )


def lost_rows(model: Model) -> int:
    """The number of constraints that depend on others if all links lie on one line."""
    q = np.zeros(model.nv)
    q[0] = np.pi / 2
    sizes = np.linalg.svd(model.constraint_dq(q), compute_uv=False)
    return int(np.sum(sizes < 1e-9 * sizes.max()))


LESSON = Lesson(
    "lift",
    "The scissor lift",
    TEXT,
    {
        "segments": Slider(1, 8, 1, 4),
        "first angle [rad]": Slider(0.3, 1.4, 0.05, 0.6),
        "step [s]": Slider(0.002, 0.02, 0.001, 0.005),
    },
    _compute,
)
