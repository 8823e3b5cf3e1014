"""Machine elements whose joints are relations between variables: a screw jack, a gear train, a cam."""

from __future__ import annotations

import math

from bough.description.functions import Sinusoid
from bough.description.start import Start
from bough.description.system import System
from bough.elements.potentials import ConfigurationSpring
from bough.elements.variable_constraints import CamConstraint, GearConstraint, ScrewConstraint


def screw_jack(*, lead: float = 0.01, screw: float = 0.2, load: float = 100.0, speed: float = 40.0) -> System:
    """A screw that turns without friction and lifts a load: it slows down, stops, and is driven back.

    Parameters
    ----------
    lead : float
        The lift of the load in one turn.
    screw, load : float
        The moment of inertia of the screw and the mass of the load.
    speed : float
        Of the screw at the start.
    """
    system = System("screw_jack")
    system.world.rz("turn", name="screw", mass=2.0, inertia=(screw, screw, screw))
    system.world.tx(0.2).tz("lift", name="load", mass=load)
    pitch = lead / (2.0 * math.pi)
    system.add(ScrewConstraint("turn", "lift", pitch=pitch, name="thread"))
    system.start = Start(v={"turn": speed, "lift": speed * pitch}, duration=10.0)
    return system


def gear_train(
    *,
    teeth: tuple[int, int, int, int] = (20, 60, 15, 45),
    weight: float = 2.0,
    drum: float = 0.05,
    flywheel: float = 0.05,
) -> System:
    """Two pairs of gears on three shafts: a weight on a drum of the last turns a flywheel on the first.

    Parameters
    ----------
    teeth : four whole numbers
        Of the first shaft's gear, of the two gears on the second shaft, and of the third shaft's gear.
    weight, drum : float
        The mass that hangs from a rope, and the radius of the drum that the rope runs off.
    flywheel : float
        The moment of inertia of the first shaft; that of the others is 1 % of it.
    """
    a, b, c, d = teeth
    system = System("gear_train")
    module = 0.002  # the diameter of a gear for each of its teeth
    places = (0.0, module * (a + b) / 2, module * (a + b + c + d) / 2)
    for name, place, share in zip(("first", "second", "third"), places, (1.0, 0.01, 0.01), strict=True):
        inertia = share * flywheel
        system.world.tx(place).ry(name, name=f"{name} shaft", mass=1.0, inertia=(inertia,) * 3)
    system.world.tx(places[2] + drum).tz("height", name="weight", mass=weight)
    system.add(GearConstraint({"first": 1.0, "second": b / a}, name="first pair"))
    system.add(GearConstraint({"second": 1.0, "third": d / c}, name="second pair"))
    system.add(GearConstraint({"height": 1.0, "third": drum}, name="rope"))
    system.start = Start(duration=10.0)
    return system


def cam_follower(
    *,
    lift: float = 0.02,
    follower: float = 0.5,
    stiffness: float = 2000.0,
    flywheel: float = 0.05,
    speed: float = 12.0,
) -> System:
    """A cam on a flywheel lifts a follower against a spring, by a harmonic curve.

    The follower is held to the cam from both sides, as in a grooved cam.

    Parameters
    ----------
    lift : float
        Between the lowest and the highest position of the follower, half a turn apart.
    follower, flywheel : float
        The mass of the follower, the moment of inertia of cam and flywheel.
    stiffness : float
        Of the spring, which is compressed by `lift` at the lowest position.
    speed : float
        Of the cam at the start, at the lowest position.
    """
    system = System("cam_follower")
    system.world.ry("cam", name="cam", mass=2.0, inertia=(flywheel,) * 3)
    system.world.tz("follower", name="follower", mass=follower)
    system.add(ConfigurationSpring("follower", stiffness=stiffness, rest=-lift, name="spring"))
    profile = Sinusoid(amplitude=lift / 2, frequency=1.0, phase=-math.pi / 2, mean=lift / 2)
    system.add(CamConstraint("follower", "cam", profile, name="profile"))
    system.start = Start(v={"cam": speed}, duration=10.0)
    return system
