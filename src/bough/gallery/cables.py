"""Cables of links: [NM], inextensible and elastic, in the plane and in space, hung at one end or both."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from bough import validate
from bough.description.frame import Frame
from bough.description.start import Start
from bough.description.system import System
from bough.elements.beam import BeamElement
from bough.elements.constraints import PointConstraint
from bough.errors import ModelError
from bough.gallery._parts import PLANE, count, in_short_numbers, rod_inertia

Array = npt.NDArray[np.float64]


def cable(
    segments: int = 10,
    *,
    elastic: float | None = None,
    bending: float = 0.0,
    fixed: bool = False,
    spatial: bool = False,
    length: float = 2.0,
    mass: float = 1.0,
    taut: float = 0.05,
) -> System:
    """A cable of equal segments, let go from rest along x: [NM] section V.B, Fig. 4, and section VI.

    One end is at the origin. Each segment has an angle to the one before it, about y (and about z in space),
    and if the cable is elastic a stretch. Between the ends of each segment is then a `BeamElement`; with the
    end section along the segment its energy is that of [NM] (16)-(19).

    Parameters
    ----------
    segments : int
    elastic : float or None
        E A in N, the stiffness against stretching; None for an inextensible cable.
    bending : float
        E I in N m^2, the stiffness against bending.
    fixed : bool
        Whether the far end is held where it starts: two rows of a constraint, three in space.
    spatial : bool
        Whether it moves in space; it then starts with a speed of 1 m/s across at its middle.
    length, mass : float
        Of the whole cable without stress.
    taut : float
        The stretch of a fixed cable between its ends at the start, relative to its length. A cable only
        pulls; one released without tension is compressed in places, which gives a `SlackWarning`.
    """
    segments = count(segments, "segments", "cable")
    if fixed and elastic is None:
        raise ModelError(
            asked="fixed=True in gallery.cable()",
            found="an inextensible cable that is stretched between its ends cannot move",
            do="give elastic= as well, or use gallery.hanging_cable()",
        )
    system = System("cable")
    each, part = length / segments, mass / segments
    node = system.world
    for i in range(1, segments + 1):
        before, hinge = node, node.ry(f"angle{i}")
        if spatial:
            hinge = hinge.rz(f"side{i}")
        if elastic is None:
            hinge.tx(each / 2, name=f"link{i}", mass=part, inertia=rod_inertia(part, each))
            node = hinge.tx(each, name=f"node{i}")
        else:
            node = hinge.tx(f"stretch{i}", offset=each, name=f"node{i}", mass=part)
        if elastic is not None or bending:
            axial = 0.0 if elastic is None else elastic
            beam = BeamElement(before, node, each, axial, bending, wire=elastic is not None, name=f"beam{i}")
            system.add(beam)
    stretch = each * validate.not_negative(taut, "taut", "gallery.cable()", "m/m") if fixed else 0.0
    if fixed:
        end = system.world.tx(segments * (each + stretch), name="anchor")
        system.add(PointConstraint(node, end, axes=(*PLANE, (0, 1, 0)) if spatial else PLANE, name="end"))
    q = {f"stretch{i}": stretch for i in range(1, segments + 1)} if stretch else {}
    v = _across(segments, each + stretch, fixed) if spatial else {}
    system.start = Start(q=q, v=v, duration=10.0, dt=0.002 if elastic is None else 0.005)
    return system


def _across(segments: int, each: float, fixed: bool) -> dict[str, float]:
    """Rates of the side angles by which the nodes move across: as half a wave between two fixed ends."""
    place = np.arange(segments + 1) / segments
    speed = np.sin(np.pi * place) if fixed else place
    slope = np.diff(speed) / each
    return {f"side{i}": float(rate) for i, rate in enumerate(np.diff(slope, prepend=0.0), start=1) if rate}


@in_short_numbers
def elastic_cable(
    segments: int = 10,
    *,
    elastic: float = 50.0,
    bending: float = 0.01,
    length: float = 1.0,
    mass: float = 0.5,
    taut: float = 0.05,
) -> System:
    """The elastic cable of [NM] section VI.C, Fig. 5 and 6: beam elements, fixed at both ends, let go level.

    Parameters
    ----------
    segments, elastic, bending, length, mass, taut
        As for `cable`.
    """
    system = cable(
        segments, elastic=elastic, bending=bending, fixed=True, length=length, mass=mass, taut=taut
    )
    system.name = "elastic_cable"
    return system


@in_short_numbers
def spatial_cable(
    segments: int = 10,
    *,
    elastic: float = 50.0,
    bending: float = 0.01,
    length: float = 1.0,
    mass: float = 0.5,
    taut: float = 0.05,
) -> System:
    """The elastic cable of `elastic_cable` in space, let go level with a swing across.

    Parameters
    ----------
    segments, elastic, bending, length, mass, taut
        As for `cable`.
    """
    system = cable(
        segments,
        elastic=elastic,
        bending=bending,
        fixed=True,
        spatial=True,
        length=length,
        mass=mass,
        taut=taut,
    )
    system.name = "spatial_cable"
    return system


def hanging_cable(
    segments: int = 20, *, span: float = 1.5, length: float = 2.0, mass: float = 1.0, shape: str = "arc"
) -> System:
    """An inextensible cable of rods that hangs between two points at equal height.

    Parameters
    ----------
    segments : int
    span, length, mass : float
        The distance of the points; length and mass of the cable.
    shape : "arc" or "catenary"
        How it starts, at rest: on an arc of a circle, from which it swings, or in its equilibrium.
    """
    segments = count(segments, "segments", "hanging_cable")
    _check_span(span, length)
    slopes = {"arc": _arc, "catenary": hanging_angles}.get(shape)
    if slopes is None:
        raise ModelError(
            asked=f"shape={shape!r} in gallery.hanging_cable()",
            found="it is neither 'arc' nor 'catenary'",
            do="give one of these",
        )
    system = System("hanging_cable")
    names = [f"angle{i}" for i in range(1, segments + 1)]
    end = _links(system.world, names, "node", length / segments, mass / segments)
    system.add(PointConstraint(end, system.world.tx(span, name="anchor"), axes=PLANE, name="end"))
    absolute = slopes(segments, span, length)
    q = dict(zip(names, np.diff(absolute, prepend=0.0).tolist(), strict=True))
    system.start = Start(q=q, duration=10.0, dt=0.005)
    return system


def suspended_load(*, load: float = 2.0, link: float = 0.5, mass: float = 0.2, push: float = 0.4) -> System:
    """A load on a rope that hangs from the middle of a cable between two points.

    34 variables and two rows of constraints, the size of the system of [NM] section VII and Fig. 7, whose
    step is 0.02 s: 24 links between the points, and ten to the load. All hangs at rest but for the rope,
    which is pushed.

    Parameters
    ----------
    load : float
        The mass of the load.
    link, mass : float
        Length and mass of each link, a uniform rod.
    push : float
        The rate of the rope's angle at the start.
    """
    system = System("suspended_load")
    names = [f"cable{i}" for i in range(1, 25)]
    span = 20.0 * link
    end = _links(system.world, names, "node", link, mass)
    system.add(PointConstraint(end, system.world.tx(span, name="anchor"), axes=PLANE, name="end"))
    absolute = hanging_angles(24, span, 24.0 * link, load / mass + 10.0)
    q = dict(zip(names, np.diff(absolute, prepend=0.0).tolist(), strict=True))
    ropes = [f"rope{i}" for i in range(1, 11)]
    weight = _links(system.frame("node12"), ropes, "knot", link, mass)
    weight.frame("load").mass = load
    q["rope1"] = math.pi / 2 - float(absolute[11])
    system.start = Start(q=q, v={"rope1": push}, duration=10.0, dt=0.02)
    return system


def _links(frame: Frame, variables: Sequence[str], node: str, each: float, part: float) -> Frame:
    """Uniform rods along x, hinged about y one after the other; gives the end of the last one."""
    for i, variable in enumerate(variables, start=1):
        hinge = frame.ry(variable)
        hinge.tx(each / 2, mass=part, inertia=rod_inertia(part, each))
        frame = hinge.tx(each, name=f"{node}{i}")
    return frame


def _check_span(span: float, length: float) -> None:
    if not 0.0 < span < length:
        raise ModelError(
            asked=f"span={span:g} and length={length:g} of a hanging cable",
            found="the points are not nearer to each other than the cable is long",
            do="give a span above zero and below the length",
        )


def _arc(segments: int, span: float, length: float) -> Array:
    """The angles from the horizontal of links inscribed in a circle; positive is down."""
    places = 0.5 * (segments - 1) - np.arange(segments)

    def excess(turn: float) -> float:
        return float(length / segments * np.cos(places * turn).sum() - span)

    return np.asarray(places * brentq(excess, 0.0, 2.0 * np.pi / segments, xtol=1e-16, rtol=1e-15))


def hanging_angles(segments: int, span: float, length: float, load: float = 0.0) -> Array:
    """The angles from the horizontal of uniform rods that hang at rest between two points at equal height.

    The horizontal force H is the same in all rods, the vertical force at the middle of rod i is the weight
    between it and the lowest point: tan(angle_i) = (n/2 + 1/2 - i) w / H, with H from the span. `load` is
    a load on the joint in the middle, in weights w of a rod, of which each side carries half.

    Examples
    --------
    >>> from bough import gallery
    >>> [round(float(angle), 3) for angle in gallery.hanging_angles(3, span=2.0, length=3.0)]
    [1.047, 0.0, -1.047]
    """
    places = 0.5 * (segments - 1) - np.arange(segments)
    places = places + 0.5 * load * np.sign(places)

    def excess(ratio: float) -> float:
        return float(length / segments * np.cos(np.arctan(places * ratio)).sum() - span)

    top = 1.0
    while excess(top) > 0.0:
        top *= 2.0
    return np.asarray(np.arctan(places * brentq(excess, 0.0, top, xtol=1e-16, rtol=1e-15)))


def catenary(x: npt.ArrayLike, span: float, length: float) -> Array:
    """The height of a uniform inextensible cable between (0, 0) and (span, 0): a catenary.

    Examples
    --------
    >>> from bough import gallery
    >>> round(float(gallery.catenary(1.0, span=2.0, length=3.0)), 3)
    -1.005
    """
    _check_span(span, length)
    # length = 2 a sinh(span / 2a), with u = span / 2a
    u = brentq(lambda u: np.sinh(u) / u - length / span, 1e-9, 700.0, xtol=1e-16, rtol=1e-15)
    a = span / (2.0 * u)
    return np.asarray(a * (np.cosh((np.asarray(x, dtype=np.float64) - span / 2) / a) - np.cosh(u)))
