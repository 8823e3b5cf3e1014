"""What rolls and glides without slip: a disk, the sleigh of Chaplygin, a snakeboard, a car with trailers."""

from __future__ import annotations

import math
from typing import Any

from bough.description.shapes import Box, Cylinder
from bough.description.start import Start
from bough.description.system import System
from bough.elements.no_slip import Rolling, Skate
from bough.elements.potentials import ConfigurationSpring
from bough.errors import ModelError
from bough.gallery._parts import in_short_numbers


def rolling_disk(
    *, radius: float = 0.5, mass: float = 1.0, lean: float = 0.2, spin: float = 6.0, turn: float = 0.3
) -> System:
    """A thin disk that rolls on a plane, leans and wobbles: a coin, or a wheel let go.

    Parameters
    ----------
    radius, mass : float
    lean : float
        From the vertical, at the start.
    spin, turn : float
        The rates about the axis of the disk and about the vertical at the start.
    """
    system = System("rolling_disk")
    place = system.world.tx("x").ty("y").tz("z")
    moment = mass * radius**2 / 4.0
    disk = (
        place.rz("yaw").rx("lean").ry("roll", name="disk", mass=mass, inertia=(moment, 2.0 * moment, moment))
    )
    upright = [[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]]
    system.shape(disk, Cylinder(radius, 0.04 * radius), pose=upright)
    system.add(Rolling(disk, radius, axis=(0, 1, 0), name="plane"))
    along = radius * (spin + turn * math.sin(lean))
    system.start = Start(
        q={"z": radius * math.cos(lean), "lean": lean},
        v={"x": along, "yaw": turn, "roll": spin},
        duration=10.0,
    )
    return system


@in_short_numbers
def chaplygin_sleigh(
    *, mass: float = 1.0, inertia: float = 0.05, offset: float = 0.2, speed: float = 1.0, turn: float = 3.0
) -> System:
    """A sleigh on one blade, its centre of mass ahead of it: it stops turning, and goes straight and faster.

    Parameters
    ----------
    mass, inertia : float
        The moment of inertia is about the centre of mass.
    offset : float
        Of the centre of mass from the blade, forwards.
    speed, turn : float
        Along the blade and about the vertical, at the start.
    """
    system = System("chaplygin_sleigh", gravity=None)
    blade = system.world.tx("x").ty("y").rz("turn", name="blade")
    body = blade.tx(offset, name="body", mass=mass, inertia=(inertia, inertia, inertia))
    system.shape(body, Box((2.0 * offset, offset, 0.1 * offset)))
    system.add(Skate(blade, across=(0, 1, 0), name="runner"))
    system.start = Start(v={"x": speed, "turn": turn}, duration=10.0)
    return system


def snakeboard(
    *, length: float = 0.3, mass: float = 4.0, rotor: float = 0.3, stiffness: float = 20.0, twist: float = 1.2
) -> System:
    """A board on two axles that turn against each other, driven by a rotor on springs: it pushes itself forwards.

    Parameters
    ----------
    length : float
        From the middle of the board to an axle.
    mass, rotor : float
        The mass of the board, the moment of inertia of the rotor.
    stiffness : float
        Of the spring of the rotor.
    twist : float
        Of the rotor at the start.
    """
    system = System("snakeboard", gravity=None)
    moment = mass * length**2 / 3.0
    board = system.world.tx("x").ty("y").rz("turn", name="board", mass=mass, inertia=(moment, moment, moment))
    system.shape(board, Box((2.0 * length, 0.3 * length, 0.05 * length)))
    wheel: dict[str, Any] = {"mass": 0.1, "inertia": (0.02, 0.02, 0.02)}
    front = board.tx(length).rz("steer", name="front", **wheel)
    back = board.tx(-length).rz("steer", ratio=-1.0, name="back", **wheel)
    board.rz("rotor", name="rider", mass=1.0, inertia=(rotor, rotor, rotor))
    system.add(Skate(front, across=(0, 1, 0), name="front axle"))
    system.add(Skate(back, across=(0, 1, 0), name="back axle"))
    system.add(ConfigurationSpring("rotor", stiffness, name="rider's back"))
    system.add(ConfigurationSpring("steer", 0.04 * stiffness / rotor, name="rider's feet"))
    system.start = Start(q={"rotor": twist}, v={"steer": 2.0}, duration=10.0, dt=0.005)
    return system


def trailer(
    *, trailers: int = 2, wheelbase: float = 2.0, bar: float = 3.0, steer: float = 0.25, speed: float = 3.0
) -> System:
    """A car that rolls on with its steering wheel held, and trailers that follow it onto a circle.

    Parameters
    ----------
    trailers : int
    wheelbase : float
        From the rear axle of the car to the front axle.
    bar : float
        From the axle of a trailer to that ahead of it.
    steer : float
        The angle of the front wheels.
    speed : float
        Of the rear axle at the start.
    """
    if trailers != int(trailers) or trailers < 1:
        raise ModelError(
            asked=f"trailers={trailers:g} in gallery.trailer()",
            found="trailers is not a whole number above zero",
            do="give trailers as 1, 2, 3, ...",
        )
    system = System("trailer", gravity=None)
    car = system.world.tx("x").ty("y").rz("heading", name="rear axle")
    body = car.tx(wheelbase / 2.0, name="car", mass=1000.0, inertia=(500.0, 1500.0, 1500.0))
    system.shape(body, Box((1.5 * wheelbase, 0.8 * wheelbase, 0.3 * wheelbase)))
    system.add(Skate(car, across=(0, 1, 0), name="rear wheels"))
    system.add(Skate(car.tx(wheelbase).rz(steer, name="front axle"), across=(0, 1, 0), name="front wheels"))
    ahead = car
    for i in range(1, int(trailers) + 1):
        axle = ahead.rz(f"hitch{i}").tx(-bar, name=f"axle{i}", mass=500.0, inertia=(100.0, 400.0, 400.0))
        system.shape(axle, Box((0.8 * wheelbase, 0.7 * wheelbase, 0.3 * wheelbase)))
        system.add(Skate(axle, across=(0, 1, 0), name=f"wheels{i}"))
        ahead = axle
    yaw = speed * math.tan(steer) / wheelbase
    system.start = Start(
        v={"x": speed, "heading": yaw, "hitch1": -yaw},
        duration=10.0,
    )
    return system
