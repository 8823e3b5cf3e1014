"""Systems to start from: those of the papers and classics of mechanics, as functions.

Each function gives a `System` with a start, so that `bough.simulate(gallery.four_bar().build())` is a run.
`gallery.names()` lists them, and `bough.load("gallery:four_bar")` is `gallery.four_bar()`.
"""

from typing import TYPE_CHECKING, NoReturn

from bough.errors import unknown_name
from bough.gallery._catalog import Entry, entries, motions, names, system
from bough.gallery.bodies import gyroscope, kepler, satellite_arm, t_handle, tippe_top
from bough.gallery.cables import (
    cable,
    catenary,
    elastic_cable,
    hanging_angles,
    hanging_cable,
    spatial_cable,
    suspended_load,
)
from bough.gallery.humans import falling_humanoid, humanoid, planar_human, ragdoll
from bough.gallery.legged import quadruped, quadruped_motion
from bough.gallery.machines import cam_follower, gear_train, screw_jack
from bough.gallery.pendulums import cart_pole, pendulum, spherical_pendulum
from bough.gallery.planar import closed_chain, four_bar, slider_crank
from bough.gallery.puppet import marionette, marionette_motion, string_marionette
from bough.gallery.rolling import chaplygin_sleigh, rolling_disk, snakeboard, trailer
from bough.gallery.scissor import scissor_lift, scissor_lift_angle
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

__all__ = [
    "Entry",
    "block_and_tackle",
    "bouncing_box",
    "cable",
    "cable_robot",
    "cam_follower",
    "cart_pole",
    "catenary",
    "chaplygin_sleigh",
    "closed_chain",
    "crane",
    "dominoes",
    "elastic_cable",
    "entries",
    "falling_humanoid",
    "four_bar",
    "gear_train",
    "gripper",
    "gyroscope",
    "hanging_angles",
    "hanging_cable",
    "hopper",
    "humanoid",
    "kepler",
    "marionette",
    "marionette_motion",
    "motions",
    "names",
    "newtons_cradle",
    "pendulum",
    "planar_human",
    "quadruped",
    "quadruped_motion",
    "ragdoll",
    "rattleback",
    "rimless_wheel",
    "rolling_disk",
    "satellite_arm",
    "scissor_lift",
    "scissor_lift_angle",
    "screw_jack",
    "slider_crank",
    "snakeboard",
    "spatial_cable",
    "spherical_pendulum",
    "stack",
    "string_marionette",
    "suspended_load",
    "system",
    "t_handle",
    "tippe_top",
    "trailer",
]

if not TYPE_CHECKING:  # a checker of types finds unknown names itself

    def __getattr__(name: str) -> NoReturn:
        """Say which name is near: notebooks do not."""
        raise AttributeError(str(unknown_name("system or function", name, __all__, "bough.gallery")))
