"""Human figures as trees: in space ([JM08] Fig. 1) and in the plane ([JM09] Fig. 2).

Lengths and masses of the parts are rounded shares of a person's height and mass. The figure stands upright
with all angles zero, x forward, y to its left, z up.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from bough import validate
from bough.description.frame import Frame
from bough.description.shapes import Box, Capsule, Ellipsoid, Plane, Sphere
from bough.description.start import Start
from bough.description.system import System
from bough.elements.constraints import PointConstraint
from bough.elements.contact_group import ContactGroup
from bough.elements.forces import Damping
from bough.elements.joint_limit import JointLimit
from bough.elements.potentials import ConfigurationSpring, TorsionSpring
from bough.gallery._parts import PLANE, in_short_numbers

SIDES = {"left": 1.0, "right": -1.0}


class Part(NamedTuple):
    """A body part: its share of the height (length, radius) and of the mass."""

    length: float
    radius: float
    mass: float


PELVIS = Part(0.10, 0.080, 0.142)
ABDOMEN = Part(0.10, 0.075, 0.139)
CHEST = Part(0.17, 0.085, 0.216)
HEAD = Part(0.15, 0.050, 0.081)
UPPER_ARM = Part(0.17, 0.022, 0.028)
FOREARM = Part(0.15, 0.017, 0.016)
HAND = Part(0.08, 0.015, 0.006)
THIGH = Part(0.245, 0.040, 0.100)
SHANK = Part(0.245, 0.027, 0.0465)
FOOT = Part(0.10, 0.020, 0.012)
TOES = Part(0.04, 0.015, 0.0025)
TRUNK = Part(0.27, 0.075, 0.355)
LOWER_ARM = Part(0.20, 0.017, 0.022)
WHOLE_FOOT = Part(0.14, 0.020, 0.0145)
SHOULDER = (0.14, 0.115)  # height above the chest joint and sideways distance, in body heights
HIP = 0.055  # sideways distance of the hip, in body heights
RAISED = 2.2  # angle by which the arm of the ragdoll is raised sideways, rad
FINE = ("wrist", "toes", "twist", "ankle")  # joints with softer springs
ACROSS = (
    (1.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, -1.0, 0.0),
    (0.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
)  # z to the left
AHEAD = ((0.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))  # z forward
ANKLE = 0.04  # height of the ankle above the sole, in body heights


class Figure:
    """A figure being built: adds parts of the right size to frames of a system."""

    def __init__(self, system: System, height: float, mass: float, balls: bool = False) -> None:
        self.system = system
        self.height = height
        self.mass = mass
        self.balls = balls
        self.sockets: dict[str, tuple[Frame, Frame]] = {}  # the frames before and behind each ball

    def sizes(self, part: Part) -> tuple[float, float, tuple[float, float, float]]:
        """Length, radius, and the moments of inertia of a cylinder along z."""
        m, l, r = part.mass * self.mass, part.length * self.height, part.radius * self.height
        across = m * (3.0 * r**2 + l**2) / 12.0
        return l, r, (across, across, 0.5 * m * r**2)

    def hang(self, joint: Frame, part: Part, name: str, direction: float = -1.0) -> Frame:
        """Add a part along z outboard of a joint, down or up (1); returns the frame at its end."""
        l, r, inertia = self.sizes(part)
        joint.tz(0.5 * direction * l, name=name, mass=part.mass * self.mass, inertia=inertia)
        self.system.shape(name, Capsule(r, l - r) if direction < 0.0 else Ellipsoid((0.75 * r, r, 0.53 * l)))
        return joint.tz(direction * l)

    def reach(self, joint: Frame, part: Part, name: str) -> Frame:
        """Add a part along x outboard of a joint; returns the frame at its end."""
        l, r, inertia = self.sizes(part)
        joint.tx(0.5 * l, name=name, mass=part.mass * self.mass, inertia=inertia[::-1])
        self.system.shape(name, Box((1.1 * l, 2.0 * r, r)))
        return joint.tx(l)

    def body(self, root: Frame) -> None:
        """Add all parts in space to the frame of the pelvis, between the hips: 37 angles, or 16 angles and 7 balls."""
        h = self.height
        l, r, inertia = self.sizes(PELVIS)
        root.tz(0.2 * l, name="pelvis", mass=PELVIS.mass * self.mass, inertia=inertia)
        self.system.shape("pelvis", Ellipsoid((0.8 * r, 1.1 * r, 0.7 * l)))
        waist = self.joint(root.tz(0.5 * l), "waist", "waist")
        back = self.joint(self.hang(waist, ABDOMEN, "abdomen", 1.0), "back", "back")
        neck = self.joint(self.hang(back, CHEST, "chest", 1.0), "neck", "neck")
        self.hang(neck, HEAD, "head", 1.0)
        for side, sign in SIDES.items():
            socket = back.tz(SHOULDER[0] * h).ty(sign * SHOULDER[1] * h, name=f"{side} shoulder")
            shoulder = self.joint(socket, f"{side}_shoulder")
            elbow = self.hang(shoulder, UPPER_ARM, f"{side} upper arm")
            elbow = elbow.ry(f"{side}_elbow", name=f"{side} elbow").rz(f"{side}_forearm_twist")
            wrist = self.hang(elbow, FOREARM, f"{side} forearm")
            wrist = wrist.ry(f"{side}_wrist_ry").rx(f"{side}_wrist_rx", name=f"{side} wrist")
            self.hang(wrist, HAND, f"{side} hand")
        for side, sign in SIDES.items():
            hip = self.joint(root.ty(sign * HIP * h, name=f"{side} hip"), f"{side}_hip")
            knee = self.hang(hip, THIGH, f"{side} thigh").ry(f"{side}_knee", name=f"{side} knee")
            ankle = self.hang(knee, SHANK, f"{side} shank")
            ankle = ankle.ry(f"{side}_ankle_ry").rx(f"{side}_ankle_rx", name=f"{side} ankle")
            ball = self.reach(ankle.tz(-0.5 * ANKLE * h), FOOT, f"{side} foot")
            self.reach(ball.ry(f"{side}_toes"), TOES, f"{side} toes")

    def rounded_body(self, root: Frame) -> None:
        """Add fewer parts, capsules and a ball, to the frame of the pelvis: 6 hinges and 6 balls."""
        h, m = self.height, self.mass
        l, r, inertia = self.sizes(PELVIS)
        root.mass, root.inertia = PELVIS.mass * m, (inertia[0], inertia[2], inertia[0])
        self.system.shape(root, Capsule(0.06 * h, 0.06 * h), pose=ACROSS)
        neck = self.limb(self.joint(root.tz(0.5 * l), "waist"), TRUNK, "trunk", 1.0)
        l, r, inertia = self.sizes(HEAD)
        head = self.joint(neck, "neck").tz(0.5 * l, name="head", mass=HEAD.mass * m, inertia=inertia)
        self.system.shape(head, Sphere(1.1 * r))
        for side, sign in SIDES.items():
            socket = neck.tz(-0.03 * h).ty(sign * SHOULDER[1] * h, name=f"{side} shoulder")
            elbow = self.limb(self.joint(socket, f"{side}_shoulder"), UPPER_ARM, f"{side} upper arm")
            self.limb(elbow.ry(f"{side}_elbow"), LOWER_ARM, f"{side} forearm")
            hip = self.joint(root.ty(sign * HIP * h, name=f"{side} hip"), f"{side}_hip")
            knee = self.limb(hip, THIGH, f"{side} thigh")
            ankle = self.limb(knee.ry(f"{side}_knee"), SHANK, f"{side} shank").ry(f"{side}_ankle")
            l, r, inertia = self.sizes(WHOLE_FOOT)
            sole = ankle.tx(0.25 * l).tz(-r, name=f"{side} foot")
            sole.mass, sole.inertia = WHOLE_FOOT.mass * m, inertia[::-1]
            self.system.shape(sole, Capsule(r, l - 2.0 * r), pose=AHEAD)

    def limb(self, joint: Frame, part: Part, name: str, direction: float = -1.0) -> Frame:
        """Add a capsule along z outboard of a joint, down or up (1); returns the frame at its end."""
        l, r, inertia = self.sizes(part)
        frame = joint.tz(0.5 * direction * l, name=name, mass=part.mass * self.mass, inertia=inertia)
        self.system.shape(frame, Capsule(r, l - r))
        return joint.tz(direction * l)

    def soften(self, stiffness: float, damping: float, shares: dict[str, float]) -> None:
        """Give all joints behind the root a spring and damping, for each kilogram; of some, a share of it."""
        system, m = self.system, self.mass
        hinges = [name for name in system.dynamic[6:] if not name.endswith(("_wx", "_wy", "_wz"))]
        share = {name: shares.get(name, 1.0) for name in (*hinges, *self.sockets)}
        for name in hinges:
            system.add(ConfigurationSpring(name, share[name] * stiffness * m, name=f"{name} spring"))
        for name, (before, behind) in self.sockets.items():
            system.add(TorsionSpring(before, behind, stiffness * m, name=f"{name} spring"))
        system.add(Damping({name: part * damping * m for name, part in share.items()}))

    def joint(self, frame: Frame, variable: str, name: str | None = None) -> Frame:
        """A joint in all directions: a ball, or forward, to the side, turn, singular at a quarter turn to the side."""
        if not self.balls:
            return frame.ry(f"{variable}_ry").rx(f"{variable}_rx").rz(f"{variable}_rz", name=name)
        moved = frame.ball(variable, name=name)
        self.sockets[variable] = frame, moved
        return moved


@in_short_numbers
def humanoid(
    *, height: float = 1.75, mass: float = 70.0, stiffness: float = 1.0, rotation: str = "ball"
) -> System:
    """A person in space, of 43 variables, after [JM08] Fig. 1: floats without weight and turns.

    Springs hold all joints in a relaxed posture. There is no ground and no gravity, so that momentum and
    angular momentum do not change.

    Parameters
    ----------
    height, mass : float
        Of the person.
    stiffness : float
        Of the springs, N m/rad for each kilogram of the person.
    rotation : "ball" or "angles"
        What the pelvis turns by: a quaternion, or the Euler angles of `Frame.free`, which `ReducedVI` takes.
    """
    system = System("humanoid", gravity=None)
    balls = validate.by_balls(rotation, "gallery.humanoid()")
    place = system.world.tz(0.53 * height)
    root = place.floating("pelvis", name="root") if balls else place.free("pelvis", name="root")
    Figure(system, height, mass).body(root)
    rest = {
        "left_elbow": -0.6,
        "right_elbow": -0.6,
        "left_knee": 0.5,
        "right_knee": 0.5,
        "left_hip_ry": -0.4,
        "right_hip_ry": -0.4,
        "left_shoulder_rx": 0.3,
        "right_shoulder_rx": -0.3,
    }
    for joint in system.dynamic[6:]:
        share = 0.02 if any(word in joint for word in FINE) else 1.0
        spring = ConfigurationSpring(
            joint, stiffness=share * stiffness * mass, rest=rest.get(joint, 0.0), name=f"{joint} spring"
        )
        system.add(spring)
    v = {
        "pelvis_wz" if balls else "pelvis_rz": 0.6,
        "left_shoulder_ry": -2.0,
        "right_shoulder_ry": 2.0,
        "left_hip_ry": 0.3,
    }
    system.start = Start(q=rest, v=v, duration=10.0)
    return system


@in_short_numbers
def ragdoll(
    *, height: float = 1.75, mass: float = 70.0, stiffness: float = 0.7, damping: float = 0.05
) -> System:
    """A limp figure that hangs by its left hand and swings: a floating pelvis, balls in waist, back, neck and limbs.

    Every joint has a soft spring, that of a ball by the angle of its rotation, and is damped. The hand is held by a
    constraint.

    Parameters
    ----------
    height, mass : float
        Of the figure.
    stiffness, damping : float
        Of its joints, N m/rad and N m s/rad for each kilogram of the figure.
    """
    system = System("ragdoll")
    figure = Figure(system, height, mass, balls=True)
    figure.body(system.world.floating("pelvis", name="root"))
    figure.soften(
        stiffness, damping, {name: 0.05 for name in system.dynamic if any(word in name for word in FINE)}
    )
    raised: dict[str, Any] = {"left_shoulder": (math.cos(0.5 * RAISED), math.sin(0.5 * RAISED), 0.0, 0.0)}
    system.start = Start(q=raised, duration=10.0, dt=0.005)
    hand = system.build().pose("left hand", raised)[:3, 3]
    system.world.tx(float(hand[0])).ty(float(hand[1])).tz(float(hand[2]), name="hook")
    system.add(PointConstraint("left hand", "hook", name="grip"))
    return system


@in_short_numbers
def falling_humanoid(
    *,
    height: float = 1.75,
    mass: float = 70.0,
    stiffness: float = 0.5,
    damping: float = 0.1,
    friction: float = 0.6,
) -> System:
    """A limp person on the floor, let go leaning forward: falls on the knees, then on the hands, and lies still.

    The parts are rounded; they touch the floor and each other. Balls are in waist, neck, shoulders and hips, hinges
    with stops in elbows and knees.

    Parameters
    ----------
    height, mass : float
        Of the person.
    stiffness, damping : float
        Of the joints, N m/rad and N m s/rad for each kilogram of the person.
    friction : float
    """
    system = System("falling_humanoid")
    figure = Figure(system, height, mass, balls=True)
    figure.rounded_body(system.world.tz(0.55 * height).floating("pelvis", name="root"))
    figure.soften(stiffness, damping, {"left_ankle": 0.2, "right_ankle": 0.2})
    for side in SIDES:
        system.add(JointLimit(f"{side}_knee", lower=0.0, upper=2.4, name=f"{side} knee stop"))
        system.add(JointLimit(f"{side}_elbow", lower=-2.4, upper=0.0, name=f"{side} elbow stop"))
    system.shape("world", Plane(), color=(0.9, 0.92, 0.94, 1.0))
    frames = [shape.frame for shape in system.shapes]
    system.add(ContactGroup(frames, friction=friction, name="touch"))
    lean = 0.12
    q: dict[str, Any] = {
        "pelvis": (math.cos(0.5 * lean), 0.0, math.sin(0.5 * lean), 0.0),
        "left_knee": 0.3,
        "right_knee": 0.2,
        "left_elbow": -0.4,
        "right_elbow": -0.6,
    }
    system.start = Start(q=q, v={"pelvis_wx": 0.3, "pelvis_wy": 0.3}, duration=10.0, dt=0.005)
    return system


@in_short_numbers
def planar_human(
    *, height: float = 1.75, mass: float = 70.0, stiffness: float = 3.0, swing: float = 1.0
) -> System:
    """A person in the plane, after [JM09] Fig. 2: a gymnast who swings on a high bar.

    The tree begins at the hips: place and pitch, then chest and head, arms and legs. Both hands are held at
    the bar by constraints. Springs keep the body straight.

    Parameters
    ----------
    height, mass : float
        Of the person.
    stiffness : float
        Of the springs, N m/rad for each kilogram of the person.
    swing : float
        The angle from the vertical at which the straight body is let go.
    """
    system = System("planar_human")
    figure = Figure(system, height, mass)
    trunk = Part(CHEST.length + ABDOMEN.length, CHEST.radius, CHEST.mass + ABDOMEN.mass)
    hips = system.world.tx("x").tz("z").ry("pitch", name="hips", mass=PELVIS.mass * mass)
    neck = figure.hang(hips.tz(0.05 * height).ry("waist"), trunk, "trunk", 1.0)
    figure.hang(neck.ry("neck"), HEAD, "head", 1.0)
    system.world.frame("bar")
    for side in SIDES:
        elbow = figure.hang(neck.ry(f"{side}_shoulder", offset=math.pi), UPPER_ARM, f"{side} upper arm")
        wrist = figure.hang(elbow.ry(f"{side}_elbow"), FOREARM, f"{side} forearm")
        wrist.frame(f"{side} hand").mass = HAND.mass * mass
        knee = figure.hang(hips.ry(f"{side}_hip"), THIGH, f"{side} thigh")
        ankle = figure.hang(knee.ry(f"{side}_knee"), SHANK, f"{side} shank")
        figure.reach(ankle.ry(f"{side}_ankle"), FOOT, f"{side} foot")
        system.add(PointConstraint(f"{side} hand", "bar", axes=PLANE, name=f"{side} grip"))
    for joint in system.dynamic[3:]:
        share = 0.1 if joint == "neck" or "ankle" in joint else 1.0
        system.add(ConfigurationSpring(joint, stiffness=share * stiffness * mass, name=f"{joint} spring"))
    below = (0.05 + trunk.length + UPPER_ARM.length + FOREARM.length) * height  # from the bar to the hips
    q = {"x": -below * math.sin(swing), "z": -below * math.cos(swing), "pitch": swing}
    system.start = Start(q=q, duration=10.0, dt=0.005)
    return system
