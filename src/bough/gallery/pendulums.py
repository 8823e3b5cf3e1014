"""Pendulums: a chain of hinged links ([JM08] Fig. 3, [JM09] Fig. 7), one on a cart, one in space."""

from __future__ import annotations

import math

from bough.description.start import Start
from bough.description.system import System
from bough.elements.forces import ConfigurationForce
from bough.gallery._parts import count, rod_inertia


def pendulum(
    n: int = 1, *, length: float = 1.0, mass: float = 1.0, inertia: float = 0.0, angle: float = 0.8
) -> System:
    """`n` links hinged about y, each with its mass at the lower end, as in [JM08] Fig. 3 and [JM09] Fig. 7.

    Parameters
    ----------
    n : int
        How many links.
    length, mass, inertia : float
        Of each link; the moment of inertia is that about its lower end.
    angle : float
        Of the first link from the vertical at the start, at rest; the others continue it.
    """
    n = count(n, "n", "pendulum")
    system = System("pendulum")
    frame = system.world
    for i in range(1, n + 1):
        frame = frame.ry(f"angle{i}").tz(-length, name=f"bob{i}", mass=mass, inertia=(inertia,) * 3)
    system.start = Start(q={"angle1": angle}, duration=10.0)
    return system


def cart_pole(
    *, cart_mass: float = 1.0, pole_mass: float = 0.1, length: float = 1.0, angle: float = 0.2
) -> System:
    """A pole hinged on a cart, with an input `force` on the cart.

    Parameters
    ----------
    cart_mass, pole_mass, length : float
        The pole is a uniform rod.
    angle : float
        Of the pole from upright at the start, at rest.
    """
    system = System("cart_pole")
    cart = system.world.tx("x", name="cart", mass=cart_mass)
    along_z = rod_inertia(pole_mass, length)[::-1]
    cart.ry("angle").tz(length / 2, name="pole", mass=pole_mass, inertia=along_z)
    system.add(ConfigurationForce("x", "force", name="motor"))
    system.start = Start(q={"angle": angle}, duration=10.0)
    return system


def spherical_pendulum(*, length: float = 1.0, mass: float = 1.0, angle: float = 0.5) -> System:
    """A bob on a rod that may swing in all directions, started in a circle.

    The angles about x and y are singular only if the rod lies along the x axis.

    Parameters
    ----------
    length, mass : float
        Of the rod, and of the bob at its end.
    angle : float
        Of the circle from the vertical; the bob moves on it with the rate sqrt(g / (length cos(angle))).
    """
    system = System("spherical_pendulum")
    system.world.rx("roll").ry("pitch").tz(-length, name="bob", mass=mass)
    rate = math.sqrt(9.81 / (length * math.cos(angle)))
    # at pitch = angle, roll = 0 the bob moves along y by a turn about x
    system.start = Start(q={"pitch": angle}, v={"roll": rate * math.tan(angle)}, duration=10.0)
    return system
