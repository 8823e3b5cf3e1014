"""Free bodies and tops: an orbit, a gyroscope, a satellite with an arm, a T-handle, a tippe top."""

from __future__ import annotations

import math

import numpy as np

from bough import validate
from bough.description.shapes import Cylinder, Sphere
from bough.description.start import Start
from bough.description.system import System
from bough.elements.contacts import PlaneContact
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
    rotation: str = "angles",
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
    rotation : "angles" or "ball"
        What the disc turns by: the angles, which are singular upright, or a ball "top".
    """
    system = System("gyroscope")
    balls = validate.by_balls(rotation, "gallery.gyroscope()")
    axial = mass * radius**2 / 2
    across = mass * radius**2 / 4
    world = system.world
    turned = world.ball("top") if balls else world.rz("precession").ry("nutation").rz("spin")
    turned.tz(arm, name="disc", mass=mass, inertia=(across, across, axial))
    a, b, c = (across + mass * arm**2 - axial) * math.cos(tilt), axial * spin, mass * 9.81 * arm
    if b**2 < 4.0 * a * c:
        raise ModelError(
            asked=f"spin={spin:g} in gallery.gyroscope()",
            found="it is too slow for a steady precession",
            do=f"give a spin of at least {2.0 * math.sqrt(a * c) / axial:.4g} rad/s",
        )
    rate = 2.0 * c / (b + math.sqrt(b**2 - 4.0 * a * c))
    if balls:
        turn = (math.cos(0.5 * tilt), 0.0, math.sin(0.5 * tilt), 0.0)
        rates = (-rate * math.sin(tilt), 0.0, rate * math.cos(tilt) + spin)
        system.start = Start(q={"top": turn}, v={"top": rates}, duration=10.0, dt=0.002)
    else:
        system.start = Start(q={"nutation": tilt}, v={"precession": rate, "spin": spin}, duration=10.0)
    return system


@in_short_numbers
def satellite_arm(
    *,
    base: float = 100.0,
    side: float = 1.0,
    upper: float = 1.0,
    lower: float = 1.0,
    arm: float = 10.0,
    rotation: str = "ball",
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
    rotation : "ball" or "angles"
        What the base turns by: a quaternion, or the Euler angles of `Frame.free`, which `ReducedVI` and plans take.
    """
    system = System("satellite_arm", gravity=None)
    cube = base * side**2 / 6
    free = (
        system.world.floating if validate.by_balls(rotation, "gallery.satellite_arm()") else system.world.free
    )
    body = free("base", name="base", mass=base, inertia=(cube, cube, cube))
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


@in_short_numbers
def t_handle(*, mass: float = 0.3, spin: float = 12.0, wobble: float = 0.02) -> System:
    """A T-handle that spins without weight about its middle axis, and turns over again and again.

    A floating body, through every orientation. The time between the turns is that of Jacobi's elliptic functions.

    Parameters
    ----------
    mass : float
        Of the handle, a bar of 10 cm with a stem of 8 cm.
    spin, wobble : float
        The rates about the middle axis and about the two others, rad/s.
    """
    system = System("t_handle", gravity=None)
    inertia = tuple(mass * i for i in (6.5e-4, 2e-3, 2.4e-3))
    handle = system.world.floating("handle", name="handle", mass=mass, inertia=inertia)
    bar, stem = Cylinder(0.008, 0.1), Cylinder(0.006, 0.08)
    upright = ((1.0, 0.0, 0.0, -0.02), (0.0, 0.0, -1.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    level = ((0.0, 0.0, 1.0, 0.02), (0.0, 1.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    system.shape(handle, bar, pose=upright)
    system.shape(handle, stem, pose=level)
    system.start = Start(v={"handle": (wobble, spin, wobble)}, duration=10.0, dt=0.005)
    return system


@in_short_numbers
def tippe_top(
    *,
    mass: float = 0.02,
    radius: float = 0.02,
    eccentricity: float = 0.3,
    spin: float = 180.0,
    tilt: float = 0.1,
    friction: float = 0.3,
) -> System:
    """A ball with its centre of mass below its middle, spun on a table: it slides, turns over, and stands on its stem.

    The friction of the sliding contact, which takes energy away, lifts the centre of mass.

    Parameters
    ----------
    mass, radius : float
        Of the ball.
    eccentricity : float
        The depth of the centre of mass below the middle, in radii.
    spin, tilt : float
        The rate about the vertical at the start, rad/s, and the angle of the axis to it.
    friction : float
        Of the table.
    """
    system = System("tippe_top")
    across = 0.4 * mass * radius**2
    centre = system.world.floating("top", name="centre")
    centre.tz(-eccentricity * radius, name="body", mass=mass, inertia=(across, across, 0.95 * across))
    system.shape(centre, Sphere(radius))
    stem = np.eye(4)
    stem[2, 3] = 1.2 * radius
    system.shape(centre, Cylinder(0.2 * radius, 0.6 * radius), pose=stem)
    system.add(PlaneContact(centre, radius=radius, friction=friction, name="table"))
    turn = (math.cos(0.5 * tilt), math.sin(0.5 * tilt), 0.0, 0.0)
    rates = (0.0, spin * math.sin(tilt), spin * math.cos(tilt))
    system.start = Start(q={"top_tz": radius, "top": turn}, v={"top": rates}, duration=10.0, dt=0.001)
    return system
