"""A marionette on seven strings, after [JM08] section VIII, and scripts that move its control frame."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from bough.description.parameter import kinematic
from bough.description.start import Start
from bough.description.system import System
from bough.elements.constraints import DistanceConstraint
from bough.elements.forces import Damping
from bough.elements.potentials import ConfigurationSpring
from bough.elements.string import String
from bough.errors import unknown_name
from bough.gallery._parts import in_short_numbers, ramp
from bough.gallery.humans import HAND, HEAD, SIDES, THIGH, Figure

Motion = dict[str, Callable[[float], float]]

CONTROL = tuple(f"control_{kind}" for kind in ("tx", "ty", "tz", "rz", "ry", "rx"))
ABOVE = 1.6  # height of the control frame, in heights of the figure
TRUNK = ("waist", "back", "neck")
PERIOD = 1.5  # duration of two steps of the walk, in s

# a posture in which no string is along a limb and no joint is straight
POSTURE = {
    "shoulder_ry": -0.35,
    "elbow": -0.9,
    "hip_ry": -0.12,
    "knee": 0.24,
    "ankle_ry": -0.12,
}


@in_short_numbers
def string_marionette(*, height: float = 0.6, mass: float = 1.2, damping: float = 1.0) -> System:
    """The marionette on strings that only pull: they go slack when a limb swings towards them, and catch it again.

    All but the strings is as in `marionette`, and so are the scripts of `marionette_motion`.

    Parameters
    ----------
    height, mass : float
        Of the puppet.
    damping : float
        Of all joints, relative to that by which the puppet comes to rest within a few seconds.
    """
    return _puppet("string_marionette", height, mass, damping, pulling=True)


@in_short_numbers
def marionette(*, height: float = 0.6, mass: float = 1.2, damping: float = 1.0) -> System:
    """A puppet on strings: 43 dynamic variables, and 13 kinematic ones for the control frame and the strings.

    The figure is that of `humanoid`. Seven strings run from a control frame above it to both sides of the
    head, to hands and knees, and to the lower back. They are distances of prescribed length, as in [JM08]:
    they do not go slack, and a run in which one pushes ends with a `SlackWarning`. `marionette_motion` gives
    scripts for `simulate(k=...)`; without one the control frame stays where it is.

    Parameters
    ----------
    height, mass : float
        Of the puppet.
    damping : float
        Of all joints, relative to that by which the puppet comes to rest within a few seconds.
    """
    return _puppet("marionette", height, mass, damping, pulling=False)


def _puppet(name: str, height: float, mass: float, damping: float, pulling: bool) -> System:
    system = System(name)
    root = system.world.free("pelvis", name="root")
    Figure(system, height, mass).body(root)
    system.world.free(tuple(kinematic(name) for name in CONTROL), name="control")
    unit = mass * height**2
    joints = system.dynamic[6:]
    drag = dict(zip(system.dynamic, [2.0 * mass] * 3 + [0.05 * unit] * 3, strict=False))
    for joint in joints:
        trunk = joint.startswith(TRUNK)
        rest = POSTURE.get(_kind(joint), 0.0)
        stiffness = (0.5 if trunk else 0.02) * unit
        system.add(ConfigurationSpring(joint, stiffness=stiffness, rest=rest, name=f"{joint} spring"))
        drag[joint] = (0.05 if trunk else 0.006) * unit
    system.add(Damping({name: damping * value for name, value in drag.items()}, name="damping"))
    q = {joint: POSTURE[_kind(joint)] for joint in joints if _kind(joint) in POSTURE}
    q |= {"pelvis_tx": 0.10 * height, "pelvis_tz": 0.55 * height, "control_tz": ABOVE * height}
    ends = _strings(system, height)
    model = system.build()
    lengths = {}
    for name, (hook, eye) in ends.items():
        length = kinematic(f"{name}_string")
        if pulling:
            system.add(String(hook, eye, length, name=f"{name} string"))
        else:
            system.add(DistanceConstraint(hook, eye, length, wire=True, name=f"{name} string"))
        apart = model.pose(hook, q)[:3, 3] - model.pose(eye, q)[:3, 3]
        lengths[f"{name}_string"] = float(np.linalg.norm(apart))
    system.start = Start(q=q | lengths, duration=10.0)
    return system


def _kind(joint: str) -> str:
    """`elbow` for left_elbow."""
    return joint.split("_", 1)[1]


def _strings(system: System, h: float) -> dict[str, tuple[str, str]]:
    """Hooks on the control frame and eyes on the figure, by string."""
    control, eyes = system.frame("control"), {}
    hooks = {"back": (-0.20, 0.0)}
    eyes["back"] = system.frame("pelvis").tx(-0.08 * h).tz(0.03 * h, name="back eye")
    for side, sign in SIDES.items():
        hooks |= {
            f"{side}_head": (0.10, 0.07 * sign),
            f"{side}_hand": (0.35, 0.28 * sign),
            f"{side}_knee": (0.30, 0.08 * sign),
        }
        ear = system.frame("head").tz(0.1 * HEAD.length * h)
        eyes[f"{side}_head"] = ear.ty(0.05 * sign * h, name=f"{side} ear")
        eyes[f"{side}_hand"] = system.frame(f"{side} hand").tz(0.3 * HAND.length * h, name=f"{side} hand eye")
        knee = system.frame(f"{side} thigh").tz(-0.4 * THIGH.length * h)
        eyes[f"{side}_knee"] = knee.tx(0.04 * h, name=f"{side} knee eye")
    names = {}
    for name, (x, y) in hooks.items():
        hook = control.tx(x * h).ty(y * h, name=f"{name} hook")
        names[name] = (str(hook.name), str(eyes[name].name))
    return names


# --- scripts ---


def marionette_motion(name: str, system: System | None = None) -> Motion:
    """The script "walk", "wave" or "bow" for `simulate(k=...)`: a function of time for each variable moved.

    Parameters
    ----------
    name : str
    system : System or None
        The marionette it is for, by default `marionette()`.

    Examples
    --------
    >>> import bough
    >>> from bough import gallery
    >>> model = gallery.marionette().build()
    >>> run = bough.simulate(model, k=gallery.marionette_motion("bow"), duration=0.1)
    """
    if name not in _SCRIPTS:
        raise unknown_name("motion", name, tuple(_SCRIPTS), "marionette_motion()")
    start = (marionette() if system is None else system).start.q
    height = start["control_tz"] / ABOVE
    return {
        variable: _shift(change, start.get(variable, 0.0), height)
        for variable, change in _SCRIPTS[name]().items()
    }


def _shift(change: Callable[[float], float], start: float, height: float) -> Callable[[float], float]:
    return lambda t: start + height * change(t)


def _walk() -> Motion:
    """Steps by the strings of the knees, arms against them, forward at a third of the height per second."""

    def lift(phase: float, amount: float) -> Callable[[float], float]:
        def change(t: float) -> float:
            wave = math.sin(2.0 * math.pi * t / PERIOD + phase)
            return -amount * ramp(t, 0.0, 1.5) * max(wave, 0.0) ** 3

        return change

    def swing(phase: float, amount: float) -> Callable[[float], float]:
        return lambda t: amount * ramp(t, 0.0, 1.5) * math.sin(2.0 * math.pi * t / PERIOD + phase)

    def forward(t: float) -> float:
        s = min(t / 1.5, 1.0)
        return 0.33 * (1.5 * (s**4 * (2.5 - 3.0 * s + s**2)) + max(t - 1.5, 0.0))  # the integral of the ramp

    return {
        "control_tx": forward,
        "control_ty": swing(0.0, 0.02),
        "back_string": lambda t: -0.04 * ramp(t, 0.0, 1.5),  # so that it leans forward
        "left_knee_string": lift(0.0, 0.11),
        "right_knee_string": lift(math.pi, 0.11),
        "left_hand_string": swing(0.0, 0.06),
        "right_hand_string": swing(math.pi, 0.06),
    }


def _wave() -> Motion:
    """The right hand goes up and waves, and comes down again."""

    def hand(t: float) -> float:
        up = ramp(t, 0.5, 2.5) - ramp(t, 7.5, 9.5)
        return -up * (0.45 + 0.06 * math.sin(2.0 * math.pi * 1.2 * t))

    def turn(t: float) -> float:
        return 0.15 * (ramp(t, 0.5, 2.5) - ramp(t, 7.5, 9.5))

    return {"right_hand_string": hand, "control_rz": turn}


def _bow() -> Motion:
    """The head sinks forward while the back is held, and rises again."""

    def down(amount: float, late: float = 0.0) -> Callable[[float], float]:
        return lambda t: amount * (ramp(t, 0.5 + late, 3.5 + late) - ramp(t, 5.0, 8.0))

    return {
        "left_head_string": down(0.2),
        "right_head_string": down(0.2),
    }


_SCRIPTS: dict[str, Callable[[], Motion]] = {"walk": _walk, "wave": _wave, "bow": _bow}
MOTIONS = tuple(_SCRIPTS)
