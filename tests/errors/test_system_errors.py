"""Names, parameters and whole systems that cannot be: the exact text of every message."""

from __future__ import annotations

import numpy as np
import pytest

from bough import System, kinematic
from support.messages import Case, check_message
from support.small_systems import anchored_arm as arm

nan, inf = float("nan"), float("inf")


# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "unknown frame, near a name": (
        lambda: arm().frame("elbw"),
        "frame 'elbw' in system 'arm'",
        "no frame has this name; the nearest is 'elbow'",
        "correct the spelling",
    ),
    "unknown frame, near no name": (
        lambda: arm().frame("zzz"),
        "frame 'zzz' in system 'arm'",
        "no frame has this name; the names are 'world', 'elbow', 'tip', 'anchor'",
        "use one of these names",
    ),
    "unknown label": (
        lambda: arm().frame("#99"),
        "frame '#99' in system 'arm'",
        "no frame has this name; the names are 'world', 'elbow', 'tip', 'anchor'",
        "use one of these names",
    ),
    "frame is a number": (
        lambda: arm().frame(3),
        "frame 3 in system 'arm'",
        "neither a frame nor the name of one",
        "give a frame, or its name as a string",
    ),
    "frame is empty": (
        lambda: arm().frame(""),
        "frame '' in system 'arm'",
        "no frame has this name; the names are 'world', 'elbow', 'tip', 'anchor'",
        "use one of these names",
    ),
    "frame of another system": (
        lambda: arm().frame(System("other").world.rz("a", name="hand")),
        "frame 'hand' in system 'arm'",
        "this frame belongs to another system, 'other'",
        "use a frame of system 'arm', or the name of one",
    ),
    "world of another system": (
        lambda: arm().frame(System("other").world),
        "world in system 'arm'",
        "this frame belongs to another system, 'other'",
        "use a frame of system 'arm', or the name of one",
    ),
    "duplicate name": (
        lambda: arm().frame("elbow").tx(0.5, name="tip"),
        "name='tip' in tx(0.5, name='tip') on frame 'elbow'",
        "another frame has this name: tz(-1) on frame #3",
        "choose another name; the frame that exists is system.frame('tip')",
    ),
    "duplicate name of a plain frame": (
        lambda: arm().world.frame("anchor"),
        "name='anchor' in frame('anchor') on world",
        "another frame has this name: tx(kinematic rail) on world",
        "choose another name; the frame that exists is system.frame('anchor')",
    ),
    "reserved name": (
        lambda: arm().world.rz("a", name="world"),
        "name='world' in rz('a', name='world') on world",
        "'world' is the reserved name of the root frame",
        "choose another name",
    ),
    "reserved first letter": (
        lambda: arm().world.rz("a", name="#1"),
        "name='#1' in rz('a', name='#1') on world",
        "names that start with '#' are reserved for frames without a name",
        "choose another name",
    ),
    "name is a number": (
        lambda: arm().world.rz("a", name=3),
        "name=3 in rz('a', name=3) on world",
        "name is not a string",
        "give name as a string, such as 'arm'",
    ),
    "name is empty": (
        lambda: arm().world.rz("a", name=""),
        "name='' in rz('a', name='') on world",
        "name is empty",
        "give name at least one letter",
    ),
    "name is blank": (
        lambda: arm().world.rz("a", name="  "),
        "name='  ' in rz('a', name='  ') on world",
        "name is empty",
        "give name at least one letter",
    ),
    "name with a line end": (
        lambda: arm().world.rz("a", name="a\nb"),
        "name='a\\nb' in rz('a', name='a\\nb') on world",
        "name contains a character that cannot be printed",
        "leave line ends, tabs and control characters out of name",
    ),
    "no name": (
        lambda: arm().world.frame(None),
        "name=None in frame(None) on world",
        "name is not a string",
        "give name as a string, such as 'arm'",
    ),
    "nan": (
        lambda: arm().frame("elbow").tx(nan),
        "parameter=nan in tx(nan) on frame 'elbow'",
        "parameter is not finite",
        "give parameter as a finite number",
    ),
    "infinite": (
        lambda: arm().frame("elbow").tx(-inf, name="x"),
        "parameter=-inf in tx(-inf, name='x') on frame 'elbow'",
        "parameter is not finite",
        "give parameter as a finite number",
    ),
    "integer beyond float": (
        lambda: arm().frame("elbow").tx(10**400),
        "parameter=100000000000000000...0000000000000000000"
        " in tx(100000000000000000...0000000000000000000) on frame 'elbow'",
        "parameter is not finite",
        "give parameter as a finite number",
    ),
    "bool": (
        lambda: arm().world.tx(True),
        "parameter=True in tx(True) on world",
        "a parameter that is neither a number nor the name of a variable",
        "give a number (constant), a string (dynamic variable) or bough.kinematic('name')",
    ),
    "None": (
        lambda: arm().world.tx(None),
        "parameter=None in tx(None) on world",
        "a parameter that is neither a number nor the name of a variable",
        "give a number (constant), a string (dynamic variable) or bough.kinematic('name')",
    ),
    "empty variable": (
        lambda: arm().world.tx(""),
        "variable='' in tx('') on world",
        "variable is empty",
        "give variable at least one letter",
    ),
    "list": (
        lambda: arm().world.tx([1.0]),
        "parameter=[1.0] in tx([1.0]) on world",
        "a parameter that is neither a number nor the name of a variable",
        "give a number (constant), a string (dynamic variable) or bough.kinematic('name')",
    ),
    "array": (
        lambda: arm().world.tx(np.zeros(3)),
        "parameter=an array of shape (3,) in tx(an array of shape (3,)) on world",
        "a parameter that is neither a number nor the name of a variable",
        "give a number (constant), a string (dynamic variable) or bough.kinematic('name')",
    ),
    "kinematic itself": (
        lambda: arm().world.tx(kinematic),
        "parameter=the function kinematic in tx(the function kinematic) on world",
        "a parameter that is neither a number nor the name of a variable",
        "give a number (constant), a string (dynamic variable) or bough.kinematic('name')",
    ),
    "complex": (
        lambda: arm().world.tx(1j),
        "parameter=1j in tx(1j) on world",
        "a parameter that is neither a number nor the name of a variable",
        "give a number (constant), a string (dynamic variable) or bough.kinematic('name')",
    ),
    "frame as parameter": (
        lambda: arm().world.tx(arm().frame("elbow")),
        "parameter=<Frame elbow: tz(-1) on frame #1> in tx(<Frame elbow: tz(-1) on frame #1>) on world",
        "a parameter that is neither a number nor the name of a variable",
        "give a number (constant), a string (dynamic variable) or bough.kinematic('name')",
    ),
    "variable with a tab": (
        lambda: arm().world.tx("a\tb"),
        "variable='a\\tb' in tx('a\\tb') on world",
        "variable contains a character that cannot be printed",
        "leave line ends, tabs and control characters out of variable",
    ),
    "empty kinematic": (
        lambda: kinematic(""),
        "name='' in kinematic(name)",
        "name is empty",
        "give name at least one letter",
    ),
    "kinematic of a number": (
        lambda: kinematic(1.0),
        "name=1.0 in kinematic(name)",
        "name is not a string",
        "give name as a string, such as 'arm'",
    ),
    "ratio zero": (
        lambda: arm().world.tx("a", ratio=0),
        "ratio=0 in tx('a') on world",
        "the transform would not depend on its variable",
        "give a ratio other than zero, or a number in place of the variable",
    ),
    "ratio nan": (
        lambda: arm().world.tx("a", ratio=nan),
        "ratio=nan in tx('a') on world",
        "ratio is not finite",
        "give ratio as a finite number",
    ),
    "ratio None": (
        lambda: arm().world.tx("a", ratio=None),
        "ratio=None in tx('a') on world",
        "ratio is not a number",
        "give ratio as a real number",
    ),
    "offset infinite": (
        lambda: arm().world.tx("a", offset=inf),
        "offset=inf in tx('a') on world",
        "offset is not finite",
        "give offset as a finite number",
    ),
    "offset a string": (
        lambda: arm().world.tx("a", offset="b"),
        "offset='b' in tx('a') on world",
        "offset is not a number",
        "give offset as a real number",
    ),
    "constant overflows": (
        lambda: arm().world.tx(1e300, ratio=1e300),
        "parameter=1e+300, ratio=1e+300, offset=0.0 in tx(1e+300) on world",
        "ratio * parameter + offset is not finite",
        "give smaller numbers",
    ),
    "kinematic after dynamic": (
        lambda: arm().world.tx(kinematic("shoulder")),
        "kinematic variable 'shoulder' in tx(kinematic('shoulder')) on world",
        "'shoulder' is already a dynamic variable, in ry(shoulder) on world",
        "choose another name, or write kinematic('shoulder') in every place",
    ),
    "dynamic after kinematic": (
        lambda: arm().world.tx("rail"),
        "dynamic variable 'rail' in tx('rail') on world",
        "'rail' is already a kinematic variable, in tx(kinematic rail) on world",
        "choose another name, or write kinematic('rail') in every place",
    ),
    "both in one joint": (
        lambda: arm().world.planar(("u", "v", kinematic("u"))),
        "kinematic variable 'u' in planar(('u', 'v', kinematic('u'))) on world",
        "'u' is already a dynamic variable, in the same joint",
        "choose another name, or write kinematic('u') in every place",
    ),
    "two angles": (
        lambda: arm().world.spherical(("a", "b")),
        "spherical(('a', 'b')) on world",
        "2 where 3 parameters are needed",
        "give 3 parameters (rz, ry, rx), or one name for all to begin with",
    ),
    "number for angles": (
        lambda: arm().world.spherical(1.0),
        "spherical(1.0) on world",
        "1.0 where 3 parameters are needed",
        "give 3 parameters (rz, ry, rx), or one name for all to begin with",
    ),
    "empty prefix": (
        lambda: arm().world.spherical(""),
        "prefix='' in spherical('') on world",
        "prefix is empty",
        "give prefix at least one letter",
    ),
    "None among angles": (
        lambda: arm().world.spherical(("a", "b", None)),
        "parameter=None in spherical(('a', 'b', None)) on world",
        "a parameter that is neither a number nor the name of a variable",
        "give a number (constant), a string (dynamic variable) or bough.kinematic('name')",
    ),
    "array for parameters": (
        lambda: arm().world.planar(np.zeros(2)),
        "planar(an array of shape (2,)) on world",
        "an array of shape (2,) where 3 parameters are needed",
        "give 3 parameters (tx, ty, rz), or one name for all to begin with",
    ),
    "two of six": (
        lambda: arm().world.free(("a", "b")),
        "free(('a', 'b')) on world",
        "2 where 6 parameters are needed",
        "give 6 parameters (tx, ty, tz, rz, ry, rx), or one name for all to begin with",
    ),
    "gravity a number": (
        lambda: System("s", gravity=9.81),
        "gravity in system 's'",
        "gravity is a single number",
        "give gravity as 3 numbers, such as (0, 0, -9.81), or None",
    ),
    "gravity nan": (
        lambda: System("s", gravity=(0, 0, nan)),
        "gravity in system 's'",
        "gravity[2] is nan",
        "give gravity in finite numbers",
    ),
    "system without a name": (
        lambda: System(""),
        "name='' in System(name)",
        "name is empty",
        "give name at least one letter",
    ),
    "gravity as name": (
        lambda: System((0, 0, -9.81)),
        "name=(0, 0, -9.81) in System(name)",
        "name is not a string",
        "give name as a string, such as 'arm'",
    ),
    "empty system": (
        lambda: System("void").build(),
        "build of system 'void'",
        "no configuration variable in 1 frame: nothing can move",
        "give a transform a name in place of a number, such as system.world.rz('angle')",
    ),
    "system without variables": (
        lambda: System("void").world.tx(1.0, mass=1.0).system.build(),
        "build of system 'void'",
        "no configuration variable in 2 frames: nothing can move",
        "give a transform a name in place of a number, such as system.world.rz('angle')",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])
