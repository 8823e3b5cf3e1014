"""Euler angles of a free base near a quarter turn of the middle one: a warning where energies are false."""

from __future__ import annotations

import warnings

import numpy as np

from bough._conservative import conservative
from bough.errors import ModelError
from bough.trajectory import Trajectory

NEAR = 0.1  # the cosine of the middle angle, below which the rates of the other two tell little
FALSE = 0.01  # of the largest kinetic energy


def warn_of_gimbal_lock(run: Trajectory) -> None:
    """Warn once where the energy of a conservative motion jumps while the angles are near lock.

    The rates of angles that momenta give are small differences of large numbers there.
    """
    model = run.model
    if not model.base_variables or run.bodies is not None or run.settings["integrator"] == "reduced":
        return
    near = np.abs(np.cos(run[model.base_variables[4]])) < NEAR
    ends = np.flatnonzero(np.diff(near, prepend=False, append=False)).reshape(-1, 2)
    passed = [run[first - 1 : last + 1] for first, last in ends if first > 0 and last < len(run)]
    if not passed:
        return
    try:
        size, time = max(_jump(part) for part in passed) if conservative(run) else (0.0, 0.0)
    except ModelError:  # there is no energy exactly at lock, which is said to whoever asks for it
        return
    if size > FALSE:
        from bough.io import BoughWarning

        warnings.warn(
            f"the Euler angles of {model.name!r} pass gimbal lock, and at t = {time:.4g} s the energy is off"
            f" by {size:.0%} of the kinetic energy: use integrator='reduced', which has no such angles, or a"
            " smaller dt",
            BoughWarning,
            stacklevel=4,
        )


def _jump(part: Trajectory) -> tuple[float, float]:
    """How far the energy is from the line between the first and the last instant, and when most."""
    energy = part.energy()
    off = np.abs(energy - np.linspace(energy[0], energy[-1], len(energy)))
    kinetic = part.model.kinetic_energy(part.q[0], part.v[0])
    return float(off.max() / max(kinetic, np.finfo(float).tiny)), float(part.t[int(np.argmax(off))])
