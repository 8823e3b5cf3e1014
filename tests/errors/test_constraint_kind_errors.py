"""Planes, lines, welds, gears, cams that cannot be: the exact text of every message."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bough import (
    CamConstraint,
    DistanceConstraint,
    EqualityConstraint,
    GearConstraint,
    LineConstraint,
    ParallelConstraint,
    PlaneConstraint,
    PointConstraint,
    ScrewConstraint,
    Sinusoid,
    System,
    WeldConstraint,
    kinematic,
)
from support.messages import Case, check_message

nan = float("nan")
WAVE = Sinusoid(0.1, 1.0)


def arm() -> System:
    system = System("arm")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    system.world.tx(kinematic("rail"), name="anchor").tz(kinematic("lift"))
    return system


def built(element: GearConstraint | CamConstraint) -> Callable[[], object]:
    def build() -> object:
        system = arm()
        system.add(element)
        return system.build()

    return build


ONE_FRAME = "both ends are on one frame, so that nothing depends on the configuration"
NO_DIRECTION = "give {} a component other than zero; its length does not matter"

# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "point: unknown frame of the axes": (
        lambda: arm().add(PointConstraint("tip", "anchor", in_frame="elbo")),
        "frame 'elbo' in field 'in_frame' of PointConstraint",
        "no frame has this name; the nearest is 'elbow'",
        "correct the spelling",
    ),
    "point: axes in something else": (
        lambda: PointConstraint("tip", "anchor", in_frame=3),  # type: ignore[arg-type]
        "frame 3 in field 'in_frame' of PointConstraint",
        "neither a frame nor the name of one",
        "give a frame, or its name as a string",
    ),
    "point: axis and axes": (
        lambda: PointConstraint("tip", "anchor", (1, 0, 0), axes=((1, 0, 0),), name="pin"),
        "axis and axes in PointConstraint 'pin'",
        "both of them",
        "give one direction or several",
    ),
    "point: four axes": (
        lambda: PointConstraint("tip", "anchor", axes=((1, 0, 0),) * 4),
        "axes in PointConstraint",
        "4 where one to three directions are needed",
        "give axes as one to three directions, such as ((1, 0, 0), (0, 0, 1))",
    ),
    "point: axes a word": (
        lambda: PointConstraint("tip", "anchor", axes="xz"),  # type: ignore[arg-type]
        "axes in PointConstraint",
        "'xz' where one to three directions are needed",
        "give axes as one to three directions, such as ((1, 0, 0), (0, 0, 1))",
    ),
    "point: a zero axis of several": (
        lambda: PointConstraint("tip", "anchor", axes=((1, 0, 0), (0, 0, 0))),
        "axes[1] in PointConstraint",
        "axes[1] is (0, 0, 0), which has no direction",
        NO_DIRECTION.format("axes[1]"),
    ),
    "point: dependent axes": (
        lambda: PointConstraint("tip", "anchor", axes=((1, 0, 0), (0, 1, 0), (1, 1, 0)), name="pin"),
        "axes in PointConstraint 'pin'",
        "directions that depend on each other, so that a row says nothing new",
        "give directions of which none is a combination of the others",
    ),
    "point: offsets of another number": (
        lambda: PointConstraint("tip", "anchor", offset=(0.1, 0.2)),
        "offset in PointConstraint",
        "2 for 3 directions",
        "give one number or function of time, or one for each direction",
    ),
    "point: offset a string": (
        lambda: PointConstraint("tip", "anchor", offset=(0.1, 0.2, "wave")),  # type: ignore[arg-type]
        "offset[2]='wave' in PointConstraint",
        "offset[2] is neither a number nor a function of bough",
        "give a number, bough.Sinusoid(...) or bough.PiecewisePolynomial(...)",
    ),
    "plane: unknown frame": (
        lambda: arm().add(PlaneConstraint("tipp", "anchor", (0, 0, 1))),
        "frame 'tipp' in field 'a' of PlaneConstraint",
        "no frame has this name; the nearest is 'tip'",
        "correct the spelling",
    ),
    "plane: both ends on one frame": (
        lambda: arm().add(PlaneConstraint("tip", "tip", (0, 0, 1), name="floor")),
        "PlaneConstraint 'floor' between 'tip' and 'tip'",
        ONE_FRAME,
        "give two different frames",
    ),
    "plane: zero normal": (
        lambda: PlaneConstraint("tip", "anchor", (0, 0, 0)),
        "normal in PlaneConstraint",
        "normal is (0, 0, 0), which has no direction",
        NO_DIRECTION.format("normal"),
    ),
    "plane: origin of two numbers": (
        lambda: PlaneConstraint("tip", "anchor", (0, 0, 1), origin=(1, 2)),  # type: ignore[arg-type]
        "origin in PlaneConstraint",
        "origin has shape (2,)",
        "give origin as 3 numbers, a point in b",
    ),
    "plane: offset a kinematic variable": (
        lambda: PlaneConstraint("tip", "anchor", (0, 0, 1), offset=kinematic("lift")),  # type: ignore[arg-type]
        "offset=kinematic('lift') in PlaneConstraint",
        "offset is neither a number nor a function of bough",
        "give a number, bough.Sinusoid(...) or bough.PiecewisePolynomial(...)",
    ),
    "line: both ends on one frame": (
        lambda: arm().add(LineConstraint("tip", "tip", (0, 0, 1), name="wire")),
        "LineConstraint 'wire' between 'tip' and 'tip'",
        ONE_FRAME,
        "give two different frames",
    ),
    "line: zero axis": (
        lambda: LineConstraint("tip", "anchor", (0, 0, 0), name="wire"),
        "axis in LineConstraint 'wire'",
        "axis is (0, 0, 0), which has no direction",
        NO_DIRECTION.format("axis"),
    ),
    "line: origin with nan": (
        lambda: LineConstraint("tip", "anchor", (0, 0, 1), origin=(0, nan, 0)),
        "origin in LineConstraint(...)",
        "origin contains nan",
        "give origin in finite numbers",
    ),
    "parallel: unknown frame": (
        lambda: arm().add(ParallelConstraint("tip", "ancor", (0, 0, 1))),
        "frame 'ancor' in field 'b' of ParallelConstraint",
        "no frame has this name; the nearest is 'anchor'",
        "correct the spelling",
    ),
    "parallel: both on one frame": (
        lambda: arm().add(ParallelConstraint("tip", "tip", (0, 0, 1))),
        "ParallelConstraint between 'tip' and 'tip'",
        ONE_FRAME,
        "give two different frames",
    ),
    "parallel: zero axis of b": (
        lambda: ParallelConstraint("tip", "anchor", (0, 0, 1), (0, 0, 0)),
        "axis_b in ParallelConstraint",
        "axis_b is (0, 0, 0), which has no direction",
        NO_DIRECTION.format("axis_b"),
    ),
    "weld: both on one frame": (
        lambda: arm().add(WeldConstraint("tip", "tip", name="seam")),
        "WeldConstraint 'seam' between 'tip' and 'tip'",
        ONE_FRAME,
        "give two different frames",
    ),
    "weld: a reflection": (
        lambda: WeldConstraint("tip", "anchor", np.diag([1.0, 1.0, -1.0, 1.0])),  # type: ignore[arg-type]
        "pose in WeldConstraint",
        "its 3x3 part R is a reflection: det R = -1",
        "give a pose [[R, p], [0, 1]] with det R = +1, without mirrored axes",
    ),
    "distance: length a Python function": (
        lambda: DistanceConstraint("tip", "anchor", np.sin),  # type: ignore[arg-type]
        "length=a value of type ufunc in DistanceConstraint",
        "a length that is neither a number, a kinematic variable nor a function of time",
        "give a number above zero, in m, bough.kinematic('name'), or a function such as bough.Sinusoid(...)",
    ),
    "gear: unknown variable": (
        lambda: arm().add(GearConstraint({"shoulder": 1.0, "forearms": 2.0}, name="mesh")),
        "variable 'forearms' in field 'coefficients' of GearConstraint 'mesh'",
        "no variable has this name; the nearest is 'forearm'",
        "correct the spelling",
    ),
    "gear: no mapping": (
        lambda: GearConstraint(("shoulder", "forearm")),  # type: ignore[arg-type]
        "coefficients=('shoulder', 'forearm') in GearConstraint",
        "not a mapping from variables to numbers",
        "give a dictionary such as {'small': 10, 'large': 20}",
    ),
    "gear: nothing": (
        lambda: GearConstraint({}),
        "coefficients={} in GearConstraint",
        "not a mapping from variables to numbers",
        "give a dictionary such as {'small': 10, 'large': 20}",
    ),
    "gear: coefficient of zero": (
        lambda: GearConstraint({"shoulder": 1.0, "forearm": 0}),
        "coefficients['forearm']=0 in GearConstraint",
        "a coefficient of zero: the relation does not depend on this variable",
        "give a coefficient other than zero, or leave the variable out",
    ),
    "gear: offset a string": (
        lambda: GearConstraint({"shoulder": 1.0}, offset="motor"),  # type: ignore[arg-type]
        "offset='motor' in GearConstraint",
        "offset is neither a number nor a function of bough",
        "give a number, bough.Sinusoid(...) or bough.PiecewisePolynomial(...)",
    ),
    "gear: kinematic variables alone": (
        built(GearConstraint({"rail": 1.0, "lift": 1.0}, name="mesh")),
        "build with GearConstraint 'mesh'",
        "a relation between kinematic variables alone, whose motion is prescribed",
        "relate at least one dynamic variable",
    ),
    "screw: pitch of zero": (
        lambda: ScrewConstraint("shoulder", "rail", 0.0),
        "pitch=0.0 in ScrewConstraint",
        "pitch is zero: the rotation would not advance",
        "give pitch in m per rad, or use a revolute joint",
    ),
    "screw: one variable": (
        lambda: ScrewConstraint("shoulder", "shoulder", 0.1, name="thread"),
        "variable 'shoulder' in ScrewConstraint 'thread'",
        "the same variable twice",
        "give different variables",
    ),
    "screw: a frame for a variable": (
        lambda: ScrewConstraint(arm().world, "rail", 0.1),  # type: ignore[arg-type]
        "variable <Frame world: world> in field 'angle' of ScrewConstraint",
        "not the name of a variable",
        "give the name of a variable as a string",
    ),
    "equality: one variable": (
        lambda: EqualityConstraint(("shoulder",)),
        "variables=('shoulder',) in EqualityConstraint",
        "fewer than two variables",
        "give two or more names, such as ('left', 'right')",
    ),
    "equality: a word": (
        lambda: EqualityConstraint("shoulder"),  # type: ignore[arg-type]
        "variables='shoulder' in EqualityConstraint",
        "fewer than two variables",
        "give two or more names, such as ('left', 'right')",
    ),
    "equality: twice the same": (
        lambda: EqualityConstraint(("shoulder", "forearm", "shoulder")),
        "variable 'shoulder' in EqualityConstraint",
        "the same variable twice",
        "give different variables",
    ),
    "equality: unknown variable": (
        lambda: arm().add(EqualityConstraint(("shoulder", "elbow"))),
        "variable 'elbow' in field 'variables' of EqualityConstraint",
        "no variable has this name; the names are 'shoulder', 'forearm', 'rail', 'lift'",
        "use one of these names",
    ),
    "cam: one variable": (
        lambda: CamConstraint("shoulder", "shoulder", WAVE),
        "variable 'shoulder' in CamConstraint",
        "the same variable twice",
        "give different variables",
    ),
    "cam: profile a Python function": (
        lambda: CamConstraint("shoulder", "forearm", np.sin, name="cam"),  # type: ignore[arg-type]
        "profile=a value of type ufunc in CamConstraint 'cam'",
        "neither a function of bough nor a spline of SciPy",
        "give bough.PiecewisePolynomial.through(angle, lift), bough.Sinusoid(...) or a spline",
    ),
    "cam: kinematic variables alone": (
        built(CamConstraint("rail", "lift", WAVE)),
        "build with CamConstraint",
        "a relation between kinematic variables alone, whose motion is prescribed",
        "relate at least one dynamic variable",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])
