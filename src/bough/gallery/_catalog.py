"""The systems of the gallery by name, and their files."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bough.description.system import System
from bough.errors import ModelError, unknown_name
from bough.gallery.bodies import gyroscope, kepler, satellite_arm, t_handle, tippe_top
from bough.gallery.cables import cable, elastic_cable, hanging_cable, spatial_cable, suspended_load
from bough.gallery.humans import falling_humanoid, humanoid, planar_human, ragdoll
from bough.gallery.legged import MOTIONS as GAITS
from bough.gallery.legged import quadruped, quadruped_motion
from bough.gallery.machines import cam_follower, gear_train, screw_jack
from bough.gallery.pendulums import cart_pole, pendulum, spherical_pendulum
from bough.gallery.planar import closed_chain, four_bar, slider_crank
from bough.gallery.puppet import MOTIONS, marionette, marionette_motion, string_marionette
from bough.gallery.rolling import chaplygin_sleigh, rolling_disk, snakeboard, trailer
from bough.gallery.scissor import scissor_lift
from bough.gallery.strings import block_and_tackle, cable_robot, crane
from bough.gallery.touching import (
    bouncing_box,
    dominoes,
    gripper,
    hopper,
    newtons_cradle,
    rattleback,
    rimless_wheel,
    stack,
)

Script = Mapping[str, Callable[[float], float]]  # functions of time by kinematic variable


class Entry(NamedTuple):
    """A system of the gallery.

    Attributes
    ----------
    name : str
    what : a short description
    paper : its source, "" for a classic of mechanics
    function : makes the system
    motions : names of scripts for its kinematic variables, the usual one first
    script : the functions of time of a motion for a system, by its name

    Examples
    --------
    >>> from bough import gallery
    >>> entry = next(each for each in gallery.entries() if each.name == "crane")
    >>> entry.function().build().nc
    0
    """

    name: str
    what: str
    paper: str
    function: Callable[..., System]
    motions: tuple[str, ...] = ()
    script: Callable[[str, System], Script] | None = None

    @property
    def file(self) -> Path:
        """The file of the system in the package."""
        return Path(__file__).parent / "models" / f"{self.name}.sexp"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of the function."""
        return tuple(inspect.signature(self.function).parameters)


def _gait(name: str, system: System) -> Script:
    return quadruped_motion(name)


_ENTRIES = (
    Entry("pendulum", "a chain of hinged links", "[JM08] Fig. 3", pendulum),
    Entry("closed_chain", "three arms closed to two loops", "[JM09] Fig. 6", closed_chain),
    Entry("scissor_lift", "many loops, one degree of freedom", "[JM09] VI.C", scissor_lift),
    Entry("marionette", "a puppet on seven strings", "[JM08] VIII", marionette, MOTIONS, marionette_motion),
    Entry("planar_human", "a gymnast on a high bar", "[JM09] Fig. 2", planar_human),
    Entry("humanoid", "a person in space", "[JM08] Fig. 1", humanoid),
    Entry("ragdoll", "a limp figure hangs by one hand", "", ragdoll),
    Entry("cable", "an inextensible cable let go level", "[NM] V.B", cable),
    Entry("elastic_cable", "beam elements fixed at both ends", "[NM] VI.C", elastic_cable),
    Entry("spatial_cable", "the elastic cable in space", "[NM] VI.A", spatial_cable),
    Entry("hanging_cable", "a cable between two points", "[NM]", hanging_cable),
    Entry("suspended_load", "a load on a rope on a cable", "[NM] VII", suspended_load),
    Entry("satellite_arm", "a free satellite with an arm", "[K]", satellite_arm),
    Entry("cart_pole", "a pole on a cart with a motor", "", cart_pole),
    Entry("spherical_pendulum", "a pendulum in space on a circle", "", spherical_pendulum),
    Entry("gyroscope", "a spinning disc that precesses", "", gyroscope),
    Entry("t_handle", "a spin that turns over", "", t_handle),
    Entry("tippe_top", "a spinning top turns upside down", "", tippe_top),
    Entry("four_bar", "crank, coupler and rocker", "", four_bar),
    Entry("slider_crank", "a crank drives a piston", "", slider_crank),
    Entry("screw_jack", "a screw lifts a load", "", screw_jack),
    Entry("gear_train", "a weight drives three shafts", "", gear_train),
    Entry("cam_follower", "a cam lifts a follower", "", cam_follower),
    Entry("kepler", "an elliptic orbit", "", kepler),
    Entry("rolling_disk", "a coin that rolls and wobbles", "", rolling_disk),
    Entry("chaplygin_sleigh", "a sleigh on one blade", "", chaplygin_sleigh),
    Entry("snakeboard", "a board that pushes itself", "", snakeboard),
    Entry("trailer", "a car with trailers on a circle", "", trailer),
    Entry("crane", "a trolley, a winch and a load", "", crane),
    Entry("block_and_tackle", "a load on several falls", "", block_and_tackle),
    Entry("cable_robot", "a platform on four cables", "", cable_robot),
    Entry("string_marionette", "strings that only pull", "", string_marionette, MOTIONS, marionette_motion),
    Entry("stack", "boxes dropped on each other", "", stack),
    Entry("dominoes", "a row of tiles that fall", "", dominoes),
    Entry("newtons_cradle", "balls that hit each other", "", newtons_cradle),
    Entry("bouncing_box", "a box thrown with spin", "", bouncing_box),
    Entry("rattleback", "a boat that turns back", "", rattleback),
    Entry("rimless_wheel", "spokes that walk down a slope", "", rimless_wheel),
    Entry("gripper", "two fingers lift a cup", "", gripper),
    Entry("hopper", "a body on a springy leg", "", hopper),
    Entry("quadruped", "a robot that stands and trots", "", quadruped, GAITS, _gait),
    Entry("falling_humanoid", "a person who falls and lies still", "", falling_humanoid),
)


def entries() -> tuple[Entry, ...]:
    """All systems of the gallery.

    Examples
    --------
    >>> from bough import gallery
    >>> [entry.name for entry in gallery.entries() if entry.motions]
    ['marionette', 'string_marionette', 'quadruped']
    """
    return _ENTRIES


def names() -> tuple[str, ...]:
    """The names of all systems of the gallery.

    Examples
    --------
    >>> from bough import gallery
    >>> "scissor_lift" in gallery.names()
    True
    """
    return tuple(entry.name for entry in _ENTRIES)


def motions(name: str) -> tuple[str, ...]:
    """The scripts for the kinematic variables of a system: see `marionette_motion`, `quadruped_motion`.

    Examples
    --------
    >>> from bough import gallery
    >>> gallery.motions("marionette")
    ('walk', 'wave', 'bow')
    """
    return next((entry.motions for entry in _ENTRIES if entry.name == name), ())


def system(name: str, **parameters: Any) -> System:
    """The system with this name; `parameters` are those of its function.

    Examples
    --------
    >>> from bough import gallery
    >>> gallery.system("pendulum", n=3)
    <System 'pendulum': 7 frames, 3 variables>
    """
    entry = next((entry for entry in _ENTRIES if entry.name == name), None)
    if entry is None:
        raise unknown_name("system", name, names(), "the gallery")
    for parameter, value in parameters.items():
        if parameter not in entry.parameters:
            raise unknown_name("parameter", parameter, entry.parameters, f"gallery system {name!r}")
        if isinstance(value, str) and not isinstance(_default(entry, parameter), str):
            raise ModelError(
                asked=f"{parameter}={value!r} in gallery system {name!r}",
                found=f"{parameter} is not a number",
                do=f"give {parameter} as a number",
            )
    return entry.function(**parameters)


def _default(entry: Entry, parameter: str) -> Any:
    return inspect.signature(entry.function).parameters[parameter].default
