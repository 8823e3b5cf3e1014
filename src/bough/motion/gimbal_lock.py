"""A warning if the energy is wrong because the Euler angles of a free base are near gimbal lock."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.errors import GimbalLockWarning, ModelError, warn
from bough.motion.energy_check import conservative
from bough.motion.trajectory import Trajectory

NEAR = 0.1  # cosine of the middle angle below which the rates of the other two are inaccurate
FALSE_ENERGY = 0.01  # smallest jump that is reported, relative to the kinetic energy about the centre of mass
ROUND_OFF = 1e-12  # fraction of the kinetic energy below which motion about the centre of mass is ignored


def warn_of_gimbal_lock(run: Trajectory) -> None:
    """Warn once if the energy of a conservative motion jumps while the angles are near lock.

    The rates of angles that momenta give are small differences of large numbers there.
    """
    model = run.model
    if not model.base_variables or run.bodies is not None or run.settings["integrator"] == "reduced":
        return
    near = near_lock(run)
    ends = np.flatnonzero(np.diff(near, prepend=False, append=False)).reshape(-1, 2)
    passed = [run[first - 1 : last + 1] for first, last in ends if first > 0 and last < len(run)]
    if not passed or not conservative(run):
        return
    size, time = max(_jump(part) for part in passed)
    if size > FALSE_ENERGY:
        warn(
            f"the Euler angles of {model.name!r} pass gimbal lock, and at t = {time:.4g} s the energy is off"
            f" by {size:.0%} of the kinetic energy about the centre of mass: use floating(name) in place of free(name),"
            " which has no such angles, integrator='reduced', or a smaller dt",
            GimbalLockWarning,
        )


def near_lock(run: Trajectory) -> npt.NDArray[np.bool_]:
    """Whether the middle angle of the base is near a quarter turn, at every instant."""
    return np.asarray(np.abs(np.cos(run[run.model.base_variables[4]])) < NEAR)


def _jump(part: Trajectory) -> tuple[float, float]:
    """The largest energy jump relative to the kinetic energy about the centre of mass, and its time.

    Wrong rates of angles change both in the same way. If only one is off, potentials took the energy, or
    the error is that of a flight.
    """
    try:
        kinetic = part.kinetic_energy()
    except ModelError:  # exactly at lock the energy is not defined, and asking for it raises
        return 0.0, 0.0
    flight = 0.5 * np.sum(part.linear_momentum() ** 2, axis=1) / part.model.total_mass
    about_centre = kinetic - flight
    jump = np.minimum(_off_line(about_centre), _off_line(kinetic + part.potential_energy()))
    scale = max(about_centre.max(), ROUND_OFF * kinetic.max(), np.finfo(float).tiny)
    worst = int(np.argmax(jump))
    return float(jump[worst] / scale), float(part.t[worst])


def _off_line(values: Array) -> Array:
    """The distance of values from the straight line between the first and the last."""
    return np.abs(values - np.linspace(values[0], values[-1], len(values)))
