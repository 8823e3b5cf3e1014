"""Mechanisms with loops in the plane: the closed chain of [JM09], a four-bar linkage, a slider-crank."""

from __future__ import annotations

import math

from bough.description.start import Start
from bough.description.system import System
from bough.elements.constraints import PointConstraint
from bough.gallery._parts import PLANE, in_short_numbers, rod_inertia, two_links


def closed_chain(*, J: float = 0.5, H: float = -0.3, A: float = 0.5) -> System:
    """The device of [JM09] Fig. 6, frame by frame as in Listing 1: three arms, closed to two loops.

    Parameters
    ----------
    J, H, A : float
        The angles of the start that may be chosen, at rest; the other four follow from the loops.
    """
    system = System("closed_chain")
    j = system.world.ry("J", name="J")
    j.tz(-0.5, name="I", mass=1.0)
    h = j.tz(-1.0).ry("H", name="H")
    h.tz(-1.0, name="G", mass=1.0)
    h.tz(-2.0, name="O2")
    k = system.world.tx(-1.5).ry("K", name="K")
    k.tz(-1.0, name="L", mass=1.0)
    m = k.tz(-2.0).ry("M", name="M")
    m.tz(-0.5, name="N", mass=1.0)
    m.tz(-1.0, name="O")
    a = system.world.tx(1.5).ry("A", name="A")
    a.tz(-1.0, name="B", mass=1.0)
    c = a.tz(-2.0).ry("C", name="C")
    c.tz(-0.375, name="D", mass=1.0)
    e = c.tz(-0.75).ry("E", name="E")
    e.tz(-0.5, name="F", mass=1.0)
    e.tz(-1.0, name="G2")
    for first, second in (("G", "G2"), ("O", "O2")):
        system.add(PointConstraint(first, second, axes=PLANE, name=first))
    system.start = Start(q=_closed_angles(J, H, A), duration=10.0)
    return system


def _closed_angles(J: float, H: float, A: float) -> dict[str, float]:
    """All angles of the closed chain."""

    def down(angle: float, length: float) -> tuple[float, float]:
        return -length * math.sin(angle), -length * math.cos(angle)

    x, z = down(J, 1.0)
    (gx, gz), (ox, oz), (ax, az) = down(J + H, 1.0), down(J + H, 2.0), down(A, 2.0)
    K, M = two_links(x + ox + 1.5, z + oz, 2.0, 1.0)
    C, E = two_links(x + gx - 1.5 - ax, z + gz - az, 0.75, 1.0, bend=-1.0)
    return {"J": J, "H": H, "K": K, "M": M, "A": A, "C": C - A, "E": E}


def four_bar(
    *,
    crank: float = 0.3,
    coupler: float = 1.0,
    rocker: float = 0.8,
    ground: float = 1.0,
    speed: float = 12.0,
) -> System:
    """A crank that turns fully and a rocker that swings, joined by a coupler: uniform rods of 1 kg per metre.

    Parameters
    ----------
    crank, coupler, rocker, ground : float
        The lengths; the pivots of crank and rocker are `ground` apart.
    speed : float
        Of the crank at the start, where it points down.
    """
    system = System("four_bar")
    first = system.world.ry("crank")
    second = first.tz(-crank, name="crank pin").ry("coupler")
    third = system.world.tx(ground, name="pivot").ry("rocker")
    for frame, name, length in (
        (first, "crank", crank),
        (second, "coupler", coupler),
        (third, "rocker", rocker),
    ):
        frame.tz(-length / 2, name=name, mass=length, inertia=rod_inertia(length, length)[::-1])
    second.tz(-coupler, name="coupler end")
    third.tz(-rocker, name="rocker end")
    system.add(PointConstraint("coupler end", "rocker end", axes=PLANE, name="loop"))
    # the rocker's end is on circles about its pivot and about the crank pin, straight below the origin
    swing, turn = two_links(ground, crank, coupler, rocker, bend=-1.0)
    q = {"crank": 0.0, "coupler": swing, "rocker": swing + turn + math.pi}
    # velocities along the loop: crank pin + coupler x its rate = rocker x its rate, solved for the two rates
    a, b = swing, q["rocker"]
    along = speed * crank / (math.sin(a - b))
    coupler_rate = along * math.sin(b) / coupler
    rocker_rate = along * math.sin(a) / rocker
    v = {"crank": speed, "coupler": coupler_rate - speed, "rocker": rocker_rate}
    system.start = Start(q=q, v=v, duration=10.0, dt=0.005)
    return system


@in_short_numbers
def slider_crank(
    *, crank: float = 0.1, rod: float = 0.3, piston: float = 0.5, flywheel: float = 0.02, speed: float = 10.0
) -> System:
    """A crank with a flywheel drives a piston along x through a rod of 0.4 kg.

    Parameters
    ----------
    crank, rod : float
        Lengths; the rod is the longer one.
    piston, flywheel : float
        The mass of the piston, and the moment of inertia of crank and flywheel.
    speed : float
        Of the crank at the start, where it points to the piston.
    """
    system = System("slider_crank")
    disc = (flywheel / 2, flywheel, flywheel / 2)
    turning = system.world.ry("crank", name="flywheel", mass=1.0, inertia=disc)
    connecting = turning.tx(crank, name="crank pin").ry("rod")
    connecting.tx(rod / 2, name="rod", mass=0.4, inertia=rod_inertia(0.4, rod))
    connecting.tx(rod, name="rod end")
    system.world.tx("piston", name="piston", mass=piston)
    system.add(PointConstraint("rod end", "piston", axes=PLANE, name="wrist pin"))
    q = {"piston": crank + rod}
    v = {"crank": speed, "rod": -speed * (1.0 + crank / rod)}
    system.start = Start(q=q, v=v, duration=10.0)
    return system
