"""Bodies that touch: boxes on each other, dominoes, a cradle, a box, a rattleback, a walker, a gripper, a hopper."""

from __future__ import annotations

import math

import numpy as np

from bough.arguments import Array
from bough.description.shapes import Box, Cylinder, Ellipsoid, Sphere
from bough.description.start import Start
from bough.description.system import System
from bough.elements.contact import Contact
from bough.elements.contacts import PlaneContact
from bough.elements.forces import ConfigurationForce
from bough.elements.joint_limit import JointLimit
from bough.elements.potentials import ConfigurationSpring
from bough.elements.servo import Servo
from bough.errors import ModelError
from bough.gallery._parts import in_short_numbers


@in_short_numbers
def stack(*, n: int = 5, top: float = 1.0, friction: float = 0.5, apart: float = 0.02) -> System:
    """Boxes dropped on each other that stand from then on, however heavy the one on top.

    Parameters
    ----------
    n : int
    top : float
        The mass of the last one; the others have 1 kg.
    friction : float
    apart : float
        The gaps between them at the start.
    """
    _at_least(n, 1, "n", "stack")
    system = System("stack")
    size = (0.2, 0.2, 0.1)
    for i in range(n):
        mass = top if i == n - 1 else 1.0
        body = system.world.floating(f"place{i}", name=f"box{i}", mass=mass, inertia=_of_box(mass, size))
        system.shape(body, Box(size))
        below = "world" if i == 0 else (f"box{i - 1}", Box(size))
        system.add(Contact(body, Box(size), below, friction=friction, name=f"layer{i}"))
    start = {f"place{i}_tz": 0.5 * size[2] + i * size[2] + (i + 1) * apart for i in range(n)}
    system.start = Start(q=start, duration=10.0, dt=0.004)
    return system


@in_short_numbers
def dominoes(*, n: int = 3, apart: float = 0.021, friction: float = 0.3, spin: float = 4.0) -> System:
    """A row of tiles: the first is pushed over its edge, and all fall and come to lie on each other.

    Tiles are 48 mm high, 24 mm wide and 7.5 mm thick.

    Parameters
    ----------
    n : int
    apart : float
        The distance between the faces of neighbours.
    friction : float
    spin : float
        With which the first one turns about its lower edge at the start, rad/s.
    """
    _at_least(n, 1, "n", "dominoes")
    system = System("dominoes")
    size, mass = (0.0075, 0.024, 0.048), 0.01
    for i in range(n):
        tile = system.world.floating(f"place{i}", name=f"tile{i}", mass=mass, inertia=_of_box(mass, size))
        system.shape(tile, Box(size))
        system.add(Contact(tile, Box(size), friction=friction, name=f"floor{i}"))
        if i:
            system.add(
                Contact(f"tile{i - 1}", Box(size), (tile, Box(size)), friction=friction, name=f"pair{i}")
            )
    q = {f"place{i}_tx": i * (apart + size[0]) for i in range(n)}
    q |= {f"place{i}_tz": 0.5 * size[2] for i in range(n)}
    v = {"place0_wy": spin, "place0_tx": 0.5 * spin * size[2], "place0_tz": 0.5 * spin * size[0]}
    system.start = Start(q=q, v=v, duration=10.0, dt=0.002)
    return system


@in_short_numbers
def newtons_cradle(*, n: int = 5, lifted: int = 1, length: float = 0.3, radius: float = 0.025) -> System:
    """Balls on rods side by side: as many leave on one side as arrive on the other.

    Parameters
    ----------
    n, lifted : int
        How many balls, and how many of them fall.
    length, radius : float
        Of rods and balls.
    """
    _at_least(n, 2, "n", "newtons_cradle")
    system = System("newtons_cradle")
    for i in range(n):
        pivot = system.world.tx(2.0 * radius * i, name=f"pivot{i}")
        ball = pivot.ry(f"angle{i}").tz(-length, name=f"ball{i}", mass=0.1, inertia=(4e-5, 4e-5, 4e-5))
        system.shape(ball, Sphere(radius))
        if i:
            system.add(
                Contact(
                    f"ball{i - 1}", Sphere(radius), (ball, Sphere(radius)), restitution=1.0, name=f"hit{i}"
                )
            )
    system.start = Start(q={f"angle{i}": 0.6 for i in range(lifted)}, duration=10.0)
    return system


@in_short_numbers
def bouncing_box(*, friction: float = 0.5, restitution: float = 0.5, height: float = 0.6) -> System:
    """A box thrown with spin onto the floor: it bounces, tumbles, slides, and lies still.

    Parameters
    ----------
    friction, restitution, height : float
    """
    system = System("bouncing_box")
    size = (0.3, 0.2, 0.1)
    body = system.world.floating("place", name="box", mass=1.0, inertia=_of_box(1.0, size))
    system.shape(body, Box(size))
    system.add(Contact(body, Box(size), friction=friction, restitution=restitution, name="floor"))
    v = {"place_tx": 0.8, "place_ty": 0.3, "place_wx": 4.0, "place_wy": -2.0, "place_wz": 1.0}
    system.start = Start(q={"place_tz": height}, v=v, duration=10.0)
    return system


@in_short_numbers
def rattleback(*, product: float = -2e-5, friction: float = 1.0, spin: float = -5.0) -> System:
    """A boat whose principal axes are off its long axis: spun the wrong way it rattles, stops, and turns back.

    The sizes and moments are those of Kane and Levinson.

    Parameters
    ----------
    product : float
        The product of inertia Ixy, whose sign says which way it does not like.
    friction : float
    spin : float
        About the vertical at the start, rad/s.
    """
    system = System("rattleback")
    radii = (0.2, 0.03, 0.02)
    inertia = ((2e-4, product, 0.0), (product, 1.6e-3, 0.0), (0.0, 0.0, 1.7e-3))
    body = system.world.floating("place", name="boat", mass=1.0, inertia=inertia, com=(0.0, 0.0, -0.01))
    system.shape(body, Ellipsoid(radii))
    system.add(Contact(body, Ellipsoid(radii), friction=friction, name="floor"))
    v = {"place_wx": 0.01, "place_wy": 0.05, "place_wz": spin}
    system.start = Start(q={"place_tz": radii[2]}, v=v, duration=10.0, dt=0.002)
    return system


@in_short_numbers
def rimless_wheel(*, n: int = 8, slope: float = 0.08, length: float = 0.5, inertia: float = 0.05) -> System:
    """The simplest walker: spokes that step down a slope, where each impact takes the energy that the slope gives.

    The wheel has 1 kg; z is across the slope.

    Parameters
    ----------
    n : int
        The number of spokes.
    slope : float
        The angle of the slope, rad.
    length : float
        Of a spoke.
    inertia : float
        The moment of inertia of the wheel about its axis, kg m^2.
    """
    _at_least(n, 3, "n", "rimless_wheel")
    g, half = 9.81, math.pi / n
    system = System("rimless_wheel", gravity=(g * math.sin(slope), 0.0, -g * math.cos(slope)))
    moments = (0.5 * inertia, inertia, 0.5 * inertia)
    wheel = system.world.tx("x").tz("z").ry("turn", name="wheel", mass=1.0, inertia=moments)
    angles = [2.0 * half * i for i in range(n)]
    ends = tuple((length * math.sin(angle), 0.0, -length * math.cos(angle)) for angle in angles)
    system.add(PlaneContact(wheel, points=ends, friction=1.0, name="spoke"))
    for angle, end in zip(angles, ends, strict=True):  # each spoke is drawn from the axis to its end
        along, across = math.cos(angle), math.sin(angle)
        pose = np.eye(4)
        pose[0, [0, 2]], pose[2, [0, 2]] = (along, -across), (across, along)
        pose[:3, 3] = [0.5 * x for x in end]
        system.shape(wheel, Box((0.02, 0.04, length)), pose=pose)
    rate = 2.0  # about the spoke in front, with which the next step begins
    v = {"turn": rate, "x": rate * length * math.cos(half), "z": rate * length * math.sin(half)}
    system.start = Start(q={"z": length * math.cos(half), "turn": half}, v=v, duration=10.0, dt=0.005)
    return system


@in_short_numbers
def gripper(*, grip: float = 10.0, friction: float = 0.6, cup: float = 0.3, height: float = 0.1) -> System:
    """A hand with two fingers that lifts a cup by friction alone.

    Parameters
    ----------
    grip : float
        The force of each finger, N.
    friction : float
    cup : float
        The mass of the cup.
    height : float
        To which it is lifted.
    """
    system = System("gripper")
    hand, finger = 0.5, 0.1
    palm = system.world.tz(0.05).tz("lift", name="palm", mass=hand, inertia=(1e-3, 1e-3, 1e-3))
    system.shape(palm, Box((0.16, 0.03, 0.02)), pose=_above(0.09))
    held = system.world.floating("place", name="cup", mass=cup, inertia=(4e-4, 4e-4, 3e-4))
    side, pad = Cylinder(0.04, 0.1), Box((0.02, 0.03, 0.04))
    system.shape(held, side)
    system.add(Contact(held, side, friction=friction, name="table"))
    for name, sign in (("left", -1.0), ("right", 1.0)):
        tip = palm.tx(0.05 * sign).tx(name, name=f"{name} finger", mass=finger, inertia=(3e-5, 3e-5, 3e-5))
        system.shape(tip, pad)
        system.shape(tip, Box((0.01, 0.03, 0.06)), pose=_above(0.05))
        system.add(Contact(tip, pad, (held, side), friction=friction, name=f"{name} pad"))
        system.add(ConfigurationForce(name, -sign * grip))
    system.add(ConfigurationForce("lift", 9.81 * (hand + 2.0 * finger + cup)))
    system.add(Servo("lift", kp=100.0, kd=60.0, target=height))
    system.start = Start(q={"place_tz": 0.05}, duration=10.0, dt=0.005)
    return system


@in_short_numbers
def hopper(*, body: float = 3.0, foot: float = 0.3, stiffness: float = 600.0, height: float = 0.2) -> System:
    """A body on a springy leg, dropped on its foot: it hops, lower each time, by what the foot loses when it lands.

    Its input `thrust` pushes body and foot apart.

    Parameters
    ----------
    body, foot : float
        Their masses.
    stiffness : float
        Of the leg, N/m.
    height : float
        From which the foot falls.
    """
    system, length = System("hopper"), 0.5
    toe = system.world.tz("height", name="foot", mass=foot, inertia=(1e-4, 1e-4, 1e-4))
    trunk = toe.tz("leg", name="body", mass=body, inertia=(0.02, 0.02, 0.02))
    system.shape(toe, Sphere(0.04), pose=_above(0.04))
    system.shape(trunk, Box((0.2, 0.2, 0.15)))
    system.add(PlaneContact(toe, name="ground"))
    system.add(JointLimit("leg", lower=0.2, upper=0.6, name="stop"))
    system.add(ConfigurationSpring("leg", stiffness, length))
    system.add(ConfigurationForce("leg", "thrust"))
    system.start = Start(q={"height": height, "leg": length}, duration=10.0, dt=0.005)
    return system


def _above(height: float) -> Array:
    pose = np.eye(4)
    pose[2, 3] = height
    return pose


def _of_box(mass: float, size: tuple[float, float, float]) -> tuple[float, float, float]:
    x, y, z = (length**2 for length in size)
    return mass * (y + z) / 12.0, mass * (x + z) / 12.0, mass * (x + y) / 12.0


def _at_least(value: int, least: int, what: str, where: str) -> None:
    if value < least:
        raise ModelError(
            asked=f"{what}={value} in gallery system {where!r}",
            found=f"less than {least}",
            do=f"give {what} of at least {least}",
        )
