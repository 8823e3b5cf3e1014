"""A quadruped with a motor in each joint, and the scripts by which it stands and trots."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from bough import validate
from bough.description.frame import Frame
from bough.description.parameter import kinematic
from bough.description.shapes import Box, Capsule, Sphere
from bough.description.start import Start
from bough.description.system import System
from bough.elements.contact import Contact
from bough.elements.forces import ConfigurationForce
from bough.elements.servo import Servo
from bough.errors import ModelError, unknown_name
from bough.gallery._parts import in_short_numbers, ramp, two_links

Motion = dict[str, Callable[[float], float]]

LEGS = {
    "front_left": (1.0, 1.0),
    "front_right": (1.0, -1.0),
    "rear_left": (-1.0, 1.0),
    "rear_right": (-1.0, -1.0),
}
JOINTS = ("roll", "hip", "knee")
LINK, FOOT = 0.2, 0.02  # length of thigh and shank, radius of a foot, m
BEND = 0.8  # angle of the thigh from the vertical while it stands, rad; the knee bends by twice that
TALL = 2.0 * LINK * math.cos(BEND)  # from the hips to the middles of the feet while it stands
HIP, ASIDE = (0.19, 0.07), 0.06  # where the legs begin, and how far outside of that they hang
LONGEST, HIGHEST = (
    0.52,
    0.25,
)  # stride with which a foot is 0.545 of it away and the leg straight, and lift, m
DAMPING = 0.015  # of a servo, s, relative to its stiffness
BEGIN, GROW = 0.5, 1.0  # when the trot begins, and how long its strides grow, s


@in_short_numbers
def quadruped(
    *,
    stiffness: float = 800.0,
    friction: float = 0.8,
    drop: float = 0.02,
    motors: str = "servo",
    trunk: str = "free",
) -> System:
    """A robot of 15 kg on four legs with three joints each, whose round feet touch the floor: stands, and trots.

    All joints are zero while it stands. Without a motion it is dropped on its feet and stands;
    `quadruped_motion("trot")` moves the targets of its servos.

    Parameters
    ----------
    stiffness : float
        Of the servos, N m/rad.
    friction : float
    drop : float
        The height of its feet at the start.
    motors : "servo" or "torque"
        What moves the joints: servos with kinematic targets `front_left_hip_target`, or inputs `front_left_hip_torque`.
    trunk : "free" or "held"
        Held, it hangs in the air without a floor: the legs alone, for which feedback is found.
    """
    _one_of(motors, ("servo", "torque"), "motors")
    _one_of(trunk, ("free", "held"), "trunk")
    system, free = System("quadruped"), trunk == "free"
    middle = system.world.tz(TALL + FOOT)
    body = middle.floating("trunk", name="trunk") if free else middle.frame("trunk")
    if free:
        body.mass, body.inertia = 9.0, (0.05, 0.15, 0.17)
    system.shape(body, Box((0.44, 0.16, 0.1)))
    for leg, (ahead, side) in LEGS.items():
        foot = _leg(system, body.tx(HIP[0] * ahead).ty(HIP[1] * side), leg, ASIDE * side)
        if free:
            system.add(Contact(foot, Sphere(FOOT), friction=friction, name=str(foot.name)))
        for joint in (f"{leg}_{part}" for part in JOINTS):
            if motors == "torque":
                system.add(ConfigurationForce(joint, f"{joint}_torque"))
            else:
                target = kinematic(f"{joint}_target")
                system.add(Servo(joint, kp=stiffness, kd=DAMPING * stiffness, target=target))
    system.start = Start(q={"trunk_tz": drop} if free else {}, duration=10.0, dt=0.005)
    return system


def _leg(system: System, place: Frame, leg: str, aside: float) -> Frame:
    """Add a leg to the trunk; returns its foot."""
    name = leg.replace("_", " ")
    hip = place.rx(f"{leg}_roll", name=f"{name} hip", mass=0.5, inertia=(5e-4, 5e-4, 5e-4))
    system.shape(hip, Sphere(0.04))
    upper = hip.ty(aside).ry(f"{leg}_hip", offset=BEND)
    thigh = upper.tz(-0.5 * LINK, name=f"{name} thigh", mass=0.8, inertia=(3e-3, 3e-3, 4e-4))
    system.shape(thigh, Capsule(0.022, LINK))
    lower = upper.tz(-LINK).ry(f"{leg}_knee", offset=-2.0 * BEND)
    shank = lower.tz(-0.5 * LINK, name=f"{name} shank", mass=0.15, inertia=(5e-4, 5e-4, 3e-5))
    system.shape(shank, Capsule(0.012, LINK))
    foot = lower.tz(-LINK, name=f"{name} foot", mass=0.05, inertia=(2e-5, 2e-5, 2e-5))
    system.shape(foot, Sphere(FOOT))
    return foot


def _one_of(value: str, known: tuple[str, ...], what: str) -> None:
    if value not in known:
        raise ModelError(
            asked=f"{what}={value!r} in gallery.quadruped()",
            found=f"neither {' nor '.join(map(repr, known))}",
            do="give one of these",
        )


class Gait(NamedTuple):
    """A trot: two feet that are opposite each other across the trunk are on the ground at a time.

    Attributes
    ----------
    stride : how far a foot goes back under the trunk while it is on the ground, m
    lift : how high it is lifted, m
    period : s
    """

    stride: float
    lift: float
    period: float

    def foot(self, t: float, leg: str) -> tuple[float, float]:
        """Where a foot is, forward and up from where it stands: back at constant speed, forward through the air.

        It leaves and meets the ground at the speed of the ground.
        """
        ahead, side = LEGS[leg]
        phase = (t - BEGIN) / self.period + (0.25 if ahead * side > 0.0 else 0.75)
        s = 2.0 * (phase % 1.0)
        grown = ramp(t, BEGIN, BEGIN + GROW)
        if s < 1.0:
            return grown * self.stride * (0.5 - s), 0.0
        s -= 1.0
        return (
            grown * self.stride * (2.0 * s * s * (3.0 - 2.0 * s) - 0.5 - s),
            grown * self.lift * math.sin(math.pi * s) ** 2,
        )

    def angles(self, t: float, leg: str) -> tuple[float, float]:
        """The angles of hip and knee that put a foot there."""
        x, z = self.foot(t, leg)
        hip, knee = two_links(x, z - TALL, LINK, LINK, bend=-1.0)
        return hip - BEND, knee + 2.0 * BEND


def quadruped_motion(
    name: str = "trot", *, stride: float = 0.12, lift: float = 0.05, period: float = 0.4
) -> Motion:
    """The script "trot" or "stand" for `simulate(k=...)`: a function of time for each target of the `quadruped`.

    A trot goes on at 2 stride / period. It begins after half a second, with strides that grow for a second.

    Parameters
    ----------
    name : str
    stride, lift : float
        How far a foot goes back while it is on the ground, and how high it is lifted then, m.
    period : float
        The time from one step of a foot to the next, s.

    Examples
    --------
    >>> import bough
    >>> from bough import gallery
    >>> model = gallery.quadruped().build()
    >>> run = bough.simulate(model, k=gallery.quadruped_motion("trot"), duration=4.0)
    >>> bool(run["trunk_tx"][-1] > 1.5)
    True
    """
    if name not in MOTIONS:
        raise unknown_name("motion", name, MOTIONS, "quadruped_motion()")
    gait = _checked(Gait(stride, lift, period), "quadruped_motion()")
    still = name == "stand"
    targets: Motion = {}
    for leg in LEGS:
        for i, joint in enumerate(("hip", "knee")):
            targets[f"{leg}_{joint}_target"] = (lambda t: 0.0) if still else _angle(gait, leg, i)
    return targets


def _checked(gait: Gait, where: str) -> Gait:
    """Raise unless the legs reach where a gait puts their feet."""
    stride = validate.real(gait.stride, "stride", where)
    lift = validate.not_negative(gait.lift, "lift", where, "m")
    validate.positive(gait.period, "period", where, "s")
    if abs(stride) > LONGEST:
        raise ModelError(
            asked=f"stride={validate.shown(gait.stride)} in {where}",
            found=f"feet that the legs do not reach: they are {2 * LINK:g} m long, and the trunk is {TALL:g} m high",
            do=f"give a stride of at most {LONGEST:g} m",
        )
    if lift > HIGHEST:
        raise ModelError(
            asked=f"lift={validate.shown(gait.lift)} in {where}",
            found=f"feet above the middle of the trunk, which is {TALL:g} m high",
            do=f"give a lift of at most {HIGHEST:g} m",
        )
    return gait


def _angle(gait: Gait, leg: str, joint: int) -> Callable[[float], float]:
    return lambda t: gait.angles(t, leg)[joint]


MOTIONS = ("trot", "stand")
