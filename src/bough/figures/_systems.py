"""Systems of the papers' figures that other engines can have too."""

from __future__ import annotations

import math

from bough.constraints import PointConstraint
from bough.start import Start
from bough.system import System


def pendulum(links: int, angle: float = math.pi / 4) -> System:
    """Links of 1 m with 1 kg and inertia 0.1 at their lower ends, straight and at rest at an angle."""
    system = System(f"pendulum of {links}", gravity=(0.0, 0.0, -9.81))
    frame = system.world
    for n in range(links):
        frame = frame.ry(f"q{n}").tz(-1.0, name=f"m{n}", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.start = Start(q={"q0": angle})
    return system


def closed_chain(inertia: float = 0.01) -> System:
    """The device of [JM09] Fig. 6 and Listing 1; its point masses have a little inertia, as ODE needs it."""
    system = System("closed chain", gravity=(0.0, 0.0, -9.81))
    moments = (inertia, inertia, inertia)
    j = system.world.ry("J", name="J")
    j.tz(-0.5, name="I", mass=1.0, inertia=moments)
    h = j.tz(-1.0).ry("H", name="H")
    h.tz(-1.0, name="G", mass=1.0, inertia=moments)
    h.tz(-2.0, name="O2")
    k = system.world.tx(-1.5).ry("K", name="K")
    k.tz(-1.0, name="L", mass=1.0, inertia=moments)
    m = k.tz(-2.0).ry("M", name="M")
    m.tz(-0.5, name="N", mass=1.0, inertia=moments)
    m.tz(-1.0, name="O")
    a = system.world.tx(1.5).ry("A", name="A")
    a.tz(-1.0, name="B", mass=1.0, inertia=moments)
    c = a.tz(-2.0).ry("C", name="C")
    c.tz(-0.375, name="D", mass=1.0, inertia=moments)
    e = c.tz(-0.75).ry("E", name="E")
    e.tz(-0.5, name="F", mass=1.0, inertia=moments)
    e.tz(-1.0, name="G2")
    for first, second in (("G", "G2"), ("O", "O2")):
        for axis in ((1, 0, 0), (0, 0, 1)):
            system.add(PointConstraint(first, second, axis=axis))
    guess = dict(zip("JHKMACE", (0.6, -0.2, -0.1, -0.9, 0.4, 1.2, 0.6), strict=True))
    model = system.build()
    closed = model.assemble(guess)
    system.start = Start(q=dict(zip(model.variables, closed.q.tolist(), strict=True)))
    return system
