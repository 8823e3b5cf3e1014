"""Free bodies and tops: an orbit, a gyroscope, a satellite with an arm."""

from __future__ import annotations

import math

from bough.description.start import Start
from bough.description.system import System
from bough.elements.forces import ConfigurationForce
from bough.elements.gravity import CentralGravity
from bough.errors import ModelError
from bough.gallery._parts import in_short_numbers, rod_inertia


def kepler(*, mu: float = 1.0, axis: float = 1.0, eccentricity: float = 0.3, mass: float = 1.0) -> System:
    """A body on an elliptic orbit around a fixed centre, started at its nearest point.

    Parameters
    ----------
    mu : float
        Strength of the centre, m^3/s^2: the period is 2 pi sqrt(axis^3 / mu).
    axis, eccentricity : float
        The semi-major axis and the eccentricity of the orbit.
    mass : float
        Of the body, which does not change its motion.
    """
    system = System("kepler", gravity=None)
    system.world.tx("x").ty("y", name="planet", mass=mass)
    system.add(CentralGravity("world", "planet", mu=mu, name="sun"))
    nearest = axis * (1.0 - eccentricity)
    speed = math.sqrt(mu / axis * (1.0 + eccentricity) / (1.0 - eccentricity))
    system.start = Start(q={"x": nearest}, v={"y": speed}, duration=10.0)
    return system


@in_short_numbers
def gyroscope(
    *,
    mass: float = 1.0,
    radius: float = 0.1,
    arm: float = 0.1,
    tilt: float = 1.0,
    spin: float = 150.0,
) -> System:
    """A disc that spins at the end of an arm on a fixed point, started in steady precession.

    The angles are precession, nutation (zero upright) and spin: a heavy symmetric top. With A the moment of
    inertia across the axis about the fixed point and C that about the axis, the rate W of the slow steady
    precession solves (A - C) cos(tilt) W^2 - C spin W + mass g arm = 0.

    Parameters
    ----------
    mass, radius, arm : float
        Of the disc, a thin one, and its distance from the fixed point.
    tilt, spin : float
        The nutation, and the rate of the spin angle.
    """
    system = System("gyroscope")
    axial = mass * radius**2 / 2
    across = mass * radius**2 / 4
    turned = system.world.rz("precession").ry("nutation").rz("spin")
    turned.tz(arm, name="disc", mass=mass, inertia=(across, across, axial))
    a, b, c = (across + mass * arm**2 - axial) * math.cos(tilt), axial * spin, mass * 9.81 * arm
    if b**2 < 4.0 * a * c:
        raise ModelError(
            asked=f"spin={spin:g} in gallery.gyroscope()",
            found="it is too slow for a steady precession",
            do=f"give a spin of at least {2.0 * math.sqrt(a * c) / axial:.4g} rad/s",
        )
    rate = 2.0 * c / (b + math.sqrt(b**2 - 4.0 * a * c))
    system.start = Start(q={"nutation": tilt}, v={"precession": rate, "spin": spin}, duration=10.0)
    return system


@in_short_numbers
def satellite_arm(
    *, base: float = 100.0, side: float = 1.0, upper: float = 1.0, lower: float = 1.0, arm: float = 10.0
) -> System:
    """A satellite with a two-link arm, after the example of [K]: shoulder of two angles, elbow of one.

    Nothing holds the base: it turns when the arm moves. Each joint has a motor with an input torque. At the
    start the base does not move and the arm swings.

    Parameters
    ----------
    base, side : float
        The mass of the base, a uniform cube, and the length of its edges.
    upper, lower, arm : float
        The lengths of the two links of the arm and the mass of each.
    """
    system = System("satellite_arm", gravity=None)
    cube = base * side**2 / 6
    body = system.world.free("base", name="base", mass=base, inertia=(cube, cube, cube))
    shoulder = body.tx(side / 2, name="mount").rz("shoulder_yaw").ry("shoulder_pitch", name="shoulder")
    shoulder.tx(upper / 2, name="upper arm", mass=arm, inertia=rod_inertia(arm, upper, 0.05))
    elbow = shoulder.tx(upper).ry("elbow", name="elbow")
    elbow.tx(lower / 2, name="forearm", mass=arm, inertia=rod_inertia(arm, lower, 0.05))
    elbow.tx(lower, name="hand")
    for joint in ("shoulder_yaw", "shoulder_pitch", "elbow"):
        system.add(ConfigurationForce(joint, f"{joint}_torque", name=f"{joint} motor"))
    system.start = Start(
        q={"shoulder_pitch": -0.6, "elbow": 1.2},
        v={"shoulder_yaw": 0.3, "shoulder_pitch": 0.2, "elbow": -0.4},
        duration=10.0,
    )
    return system
