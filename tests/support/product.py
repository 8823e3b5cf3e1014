"""The product of everything: element kinds, trees, what else there is in them, and integrators.

A `Case` is one system of the product; `disagreements` runs it with every integrator and compares with SciPy's DOP853.
Errors are compared at dt and dt / 2: what is left out or wrong in a step does not get smaller with dt, and what
is right does, as the order of the method says.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import bough
from support.transforms import Array

DT, STEPS = 0.0005, 20
SHAPES = ("chain", "branched", "free", "floating")  # the last with balls
NOT_WITH_BALLS = ("user potential", "user force", "user constraint", "FunctionForce")
JOINTS = (1, 2, 3, 5, 8, 11, 12, 14, 20, 40)
INERTIA = (0.02, 0.03, 0.025)
U = 1.7


class Places(NamedTuple):
    """What elements are put on: frames (the last, one near it, one half way, one at rest) and variables."""

    last: str
    near: str
    middle: str
    anchor: bough.Frame
    first: str
    second: str
    slide: str
    at: Callable[[str], Array]  # pose of a frame at the start
    q: dict[str, float]  # the start
    system: bough.System

    def fixed_at(self, frame: str, shift: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> bough.Frame:
        """A frame at rest in the place that another one has at the start, or shifted from there."""
        pose = self.at(frame).copy()
        pose[:3, 3] += shift
        return self.system.world.fixed(pose, name=f"at {frame} {len(self.system.elements)}")


class UserPotential(bough.Potential):
    """Of a difference of two variables; nothing tells which, so that it may couple all."""

    def weights(self, at: bough.Instant) -> Array:
        weights = np.zeros(len(at.q))
        weights[0], weights[-1] = 1.0, -0.7
        return weights

    def energy(self, at: bough.Instant) -> Any:
        return 6.0 * (self.weights(at) @ np.asarray(at.q)) ** 2

    def gradient(self, at: bough.Instant) -> Any:
        return 12.0 * (self.weights(at) @ np.asarray(at.q)) * self.weights(at)

    def hessian(self, at: bough.Instant) -> Any:
        return 12.0 * np.outer(self.weights(at), self.weights(at))


class UserForce(bough.Force):
    """Friction of the first variable against the last, and an input."""

    def inputs(self) -> tuple[str, ...]:
        return ("push",)

    def force(self, at: bough.Instant) -> Any:
        f = np.zeros(len(at.q))
        v = np.asarray(at.v)
        f[0] = at.u["push"] - 0.8 * (v[0] - v[-1])
        return f

    def force_dq(self, at: bough.Instant) -> Any:
        return np.zeros((len(at.q), len(at.q)))

    def force_dv(self, at: bough.Instant) -> Any:
        D = np.zeros((len(at.q), len(at.q)))
        D[0, 0] -= 0.8
        D[0, -1] += 0.8
        return D


@dataclass(frozen=True)
class UserConstraint(bough.Constraint):
    """sin(first) + second keeps its value."""

    first: str
    second: str
    total: float
    variable_fields = ("first", "second")

    def value(self, at: bough.Instant) -> Any:
        return np.sin(at.q[self.first]) + at.q[self.second] - self.total

    def gradient(self, at: bough.Instant) -> Any:
        return {self.first: np.cos(at.q[self.first]), self.second: 1.0}

    def hessian(self, at: bough.Instant) -> Any:
        return {(self.first, self.first): -np.sin(at.q[self.first])}


Element = bough.Potential | bough.Force | bough.Constraint


def _chord(x: Places) -> tuple[float, float, float]:
    """The direction from the near frame to the last at the start, in the axes of the near one.

    A beam whose end section is turned by half a turn against its chord has an energy that jumps there.
    """
    near = np.eye(4) if x.near == "still" else x.at(x.near)
    chord = near[:3, :3].T @ (x.at(x.last)[:3, 3] - near[:3, 3])
    return tuple((chord / np.linalg.norm(chord)).tolist())


def _parallel(x: Places) -> bough.ParallelConstraint:
    axis = (0.3, 0.5, 0.8)
    return bough.ParallelConstraint(x.last, x.fixed_at(x.last), axis=axis)


def _rolling(x: Places) -> bough.Rolling:
    """A wheel that touches a plane across (0.2, 0.5, 0.7) where it starts."""
    normal = np.array([0.2, 0.5, 0.7]) / np.sqrt(0.78)
    pose = x.at(x.last)
    along = float(normal @ pose[:3, 1])
    height = float(normal @ pose[:3, 3]) - 0.1 * float(np.sqrt(1.0 - along**2))
    return bough.Rolling(x.last, 0.1, axis=(0, 1, 0), normal=tuple(normal), height=height)


TABLE = tuple((float(s), 8.0 * float(s) - 1.0) for s in np.linspace(-2.0, 6.0, 9))
POTENTIALS: dict[str, Callable[[Places], list[Element]]] = {
    "LinearSpring": lambda x: [
        bough.LinearSpring(x.last, x.near, 30.0, 0.2),
        bough.LinearSpring(x.middle, x.anchor, 12.0, 0.4),
    ],
    "ConfigurationSpring": lambda x: [bough.ConfigurationSpring(x.first, 15.0, 0.2)],
    "GearSpring": lambda x: [bough.GearSpring({x.second: -0.5, x.first: 2.0}, 8.0, 0.1)],
    "NonlinearSpring": lambda x: [
        bough.NonlinearSpring(x.last, x.near, polynomial=(9.0, 2.0, 1.0), rest_length=0.2),
        bough.NonlinearSpring(x.middle, x.anchor, table=TABLE),
    ],
    "NonlinearConfigurationSpring": lambda x: [
        bough.NonlinearConfigurationSpring(x.first, polynomial=(9.0, 2.0, 1.0), rest=0.1),
        bough.NonlinearConfigurationSpring(x.second, table=TABLE),
    ],
    "TorsionSpring": lambda x: [
        bough.TorsionSpring(x.last, x.near, 1.5),
        bough.TorsionSpring(x.middle, x.anchor, 0.7, axis=(0.0, 1.0, 0.0)),
    ],
    "BeamElement": lambda x: [bough.BeamElement(x.near, x.last, 0.3, 8.0, 0.02, 0.02, axis=_chord(x))],
    "Gravity": lambda x: [bough.Gravity((2.0, -3.0, 1.0), frames=sorted({x.last, x.middle}))],
    "CentralGravity": lambda x: [bough.CentralGravity(x.anchor, x.last, mu=5.0)],
    "user potential": lambda x: [UserPotential()],
}
FORCES: dict[str, Callable[[Places], list[Element]]] = {
    "Damping": lambda x: [bough.Damping(0.15), bough.Damping({x.first: 0.4})],
    "ConfigurationForce": lambda x: [bough.ConfigurationForce(x.first, "push")],
    "LinearDamper": lambda x: [
        bough.LinearDamper(x.last, x.near, 0.8),
        bough.LinearDamper(x.middle, x.anchor, 0.4),
    ],
    "Drag": lambda x: [bough.Drag(x.last, 0.3, ("push", 0.0, 1.0))],
    "BodyWrench": lambda x: [bough.BodyWrench(x.last, fx="push", ty=0.4, fz=1.0)],
    "HybridWrench": lambda x: [bough.HybridWrench(x.last, fy="push", tx=0.4, fz=1.0)],
    "SpatialWrench": lambda x: [bough.SpatialWrench(x.last, fx="push", tz=0.4)],
    "PointForce": lambda x: [
        bough.PointForce(x.last, fx="push", fz=0.5),
        bough.PointForce(x.middle, fy=0.7, point=(0.1, 0.2, 0.0), axes="body"),
    ],
    "Servo": lambda x: [
        bough.Servo(x.first, 20.0, 0.5, target="push"),
        bough.Servo(x.second, 50.0, 0.1, target=2.0, effort=1.5, gear=2.0),
    ],
    "FunctionForce": lambda x: [
        bough.FunctionForce(x.first, lambda t, q, v: np.cos(3.0 * t) - 0.2 * v[x.first])
    ],
    "user force": lambda x: [UserForce()],
}
CONSTRAINTS: dict[str, tuple[int, Callable[[Places], list[Element]]]] = {
    "PointConstraint": (2, lambda x: [
        bough.PointConstraint(x.last, x.fixed_at(x.last), axes=((1.0, 0.0, 0.0), (0.0, 0.6, 0.8)))
    ]),
    "PointConstraint in a frame": (1, lambda x: [
        bough.PointConstraint(
            x.last, x.fixed_at(x.last), axis=(0.0, 0.6, 0.8), in_frame=x.middle,
            offset=bough.Sinusoid(0.01, 2.0),
        )
    ]),
    "PlaneConstraint": (1, lambda x: [
        bough.PlaneConstraint(x.last, x.fixed_at(x.last), normal=(0.2, 0.5, 0.7))
    ]),
    "LineConstraint": (2, lambda x: [bough.LineConstraint(x.last, x.fixed_at(x.last), axis=(0.2, 0.5, 0.7))]),
    "ParallelConstraint": (2, lambda x: [_parallel(x)]),
    "WeldConstraint": (6, lambda x: [bough.WeldConstraint(x.last, x.fixed_at(x.last))]),
    "DistanceConstraint": (1, lambda x: [
        bough.DistanceConstraint(x.last, x.fixed_at(x.last, (0.3, 0.2, 0.4)), float(np.sqrt(0.29)))
    ]),
    "GearConstraint": (1, lambda x: [
        bough.GearConstraint({x.first: 1.0, x.second: -2.0}, x.q[x.first] - 2.0 * x.q[x.second])
    ]),
    "ScrewConstraint": (1, lambda x: [bough.ScrewConstraint(x.first, x.slide, 0.3)]),
    "EqualityConstraint": (1, lambda x: [bough.EqualityConstraint((x.first, x.second))]),
    "CamConstraint": (1, lambda x: [
        bough.CamConstraint(x.second, x.first, bough.Sinusoid(0.3, 1.0, 0.2, 0.1))
    ]),
    "Rolling": (3, lambda x: [_rolling(x)]),
    "Skate": (1, lambda x: [bough.Skate(x.last, across=(0.3, 1.0, 0.2))]),
    "user constraint": (1, lambda x: [
        UserConstraint(x.first, x.second, float(np.sin(x.q[x.first]) + x.q[x.second]))
    ]),
}  # fmt: skip
HOLONOMIC = [kind for kind in CONSTRAINTS if kind not in ("Rolling", "Skate")]
KINDS = (*POTENTIALS, *FORCES, *CONSTRAINTS)


class Method(NamedTuple):
    """An integrator and the order of its error."""

    name: str
    options: dict[str, Any]
    order: int

    def takes(self, case: Case) -> bool:
        """Not constraints and coordinates of a free base for `ReducedVI`, nor servos for bodies.

        Nor rows that hold velocities for the midpoint rule with stages, nor balls but for the rule on geodesics.
        """
        if case.shape == "floating" and (self.name in WITHOUT_BALLS or "alpha" in self.options):
            return False
        if self.name == "midpoint" and self.options.get("order", 2) > 2 and case.kind in ("Rolling", "Skate"):
            return False
        if self.name == "velocity":
            return case.kind != "Servo"
        coordinates = ["Damping", "FunctionForce", "user potential", "user force"]
        if case.joints == 1:
            coordinates += ["NonlinearConfigurationSpring", "GearSpring", "Servo"]
        return self.name != "reduced" or not (
            case.rows or case.own_rows or (case.shape == "free" and case.kind in coordinates)
        )

    def order_in(self, case: Case) -> int:
        """A composed step takes kinematic variables as linear: with balls those of the midpoint rule too."""
        composed = self.name == "trapezoidal" or (self.name == "midpoint" and case.shape == "floating")
        return min(2, self.order) if composed and case.kinematic else self.order


WITHOUT_BALLS = ("trapezoidal", "reduced", "implicit-midpoint", "velocity")
METHODS = (
    Method("midpoint", {}, 2),
    Method("midpoint", {"alpha": 0.3}, 1),
    Method("midpoint", {"order": 4}, 4),
    Method("midpoint", {"order": 6}, 6),
    Method("midpoint", {"order": 8}, 8),
    Method("trapezoidal", {}, 2),
    Method("trapezoidal", {"order": 4}, 4),
    Method("reduced", {}, 2),
    Method("reduced", {"tau": "exp", "alpha": 0.3}, 1),
    Method("semi-implicit-euler", {}, 1),
    Method("rk4", {}, 4),
    Method("dop853", {"rtol": 1e-12, "atol": 1e-13}, 8),
    Method("implicit-midpoint", {}, 2),
    Method("velocity", {"stabilization": "projection"}, 1),
)


@dataclass(frozen=True)
class Case:
    """A system of the product."""

    kind: str
    shape: str
    joints: int
    rows: bool
    kinematic: bool
    shared: bool

    def __str__(self) -> str:
        flags = [name for name in ("rows", "kinematic", "shared") if getattr(self, name)]
        return f"{self.kind}, {self.shape} of {self.joints}" + "".join(f", {name}" for name in flags)

    @property
    def own_rows(self) -> int:
        return CONSTRAINTS[self.kind][0] if self.kind in CONSTRAINTS else 0

    @property
    def fits(self) -> bool:
        """Whether two variables at least are left to move freely, and those that the kind couples exist."""
        if self.shape == "floating" and self.kind in NOT_WITH_BALLS:
            return False
        variables = self.joints + (6 if self.shape in ("free", "floating") else 0)
        needed = self.own_rows + (2 if self.rows else 0)
        return needed == 0 or variables >= needed + 2


def cases(kind: str) -> Iterator[Case]:
    """All systems with a kind of element."""
    for shape, joints, *flags in product(SHAPES, JOINTS, *3 * [(False, True)]):
        case = Case(kind, shape, joints, *flags)
        if case.fits:
            yield case


def tree(case: Case, parametric: bool = False) -> tuple[bough.System, list[str]]:
    """The tree alone, and its frames; frame i is on joint i, which has the variable f"q{i}".

    parametric : with parameters in the place of some of its numbers
    """
    system = bough.System(str(case), gravity=(0.5, 0.3, -9.81))

    def number(name: str, value: float) -> Any:
        return system.parameter(name, value) if parametric else value

    if parametric:
        system.gravity = (0.5, 0.3, -number("gravity", 9.81))
    body: dict[str, Any] = {"mass": 0.6, "inertia": INERTIA}
    other = {"mass": number("mass", 0.6), "inertia": (number("moment", 0.02), 0.03, 0.025)}
    length, ratio = number("length", 0.2), number("ratio", -0.5)
    root = system.world
    if case.shape == "free":
        root = system.world.free("base", name="base", mass=2.0, inertia=(0.3, 0.4, 0.5))
    if case.shape == "floating":
        root = system.world.floating("base", name="base", mass=2.0, inertia=(0.3, 0.4, 0.5))
    frames: list[bough.Frame] = []
    for i in range(case.joints):
        parent = (i - 1 if case.shape == "chain" else (i - 1) // 2) if i else -1
        at = (root if parent < 0 else frames[parent]).tx(0.08).tz(-length if i == 1 else -0.2)
        if case.kinematic and i == case.joints // 2:
            at = at.ry(bough.kinematic("drive"))
        move = getattr(at, ("ry", "rx", "tz", "ball" if case.shape == "floating" else "rz", "ry")[i % 5])
        frames.append(move(f"q{i}").tz(-0.15, name=f"b{i}", **(other if i % 2 else body)))
    if case.shared:
        frames[-1].tx(0.1).rx("q0", ratio=ratio, offset=0.2).ty(0.15, name="sharing", **body)
    return system, [frame.name for frame in frames]


def start(case: Case, model: bough.Model) -> tuple[Array, Array]:
    """Of order 0.3, and such that the relations between variables hold."""
    n = np.arange(model.nv)
    q = dict(zip(model.variables, 0.3 * np.sin(1.0 + 2.1 * n), strict=True))
    v = 0.6 * np.cos(0.3 + 1.7 * n)
    first, second, slide = variables(case, model)
    if case.kind == "ScrewConstraint":
        q[slide] = 0.3 * q[first]
    if case.kind == "EqualityConstraint":
        q[second] = q[first]
    if case.kind == "CamConstraint":
        q[second] = float(bough.Sinusoid(0.3, 1.0, 0.2, 0.1)(q[first]))
    return model.integrate(model.neutral(), np.array([q[name] for name in model.variables])), v


def variables(case: Case, model: bough.Model) -> tuple[str, str, str]:
    """The first and the last that turn, and one that slides; of a free base only where there are no others.

    Of a floating base, whose rates are no coordinates, translations.
    """
    names = [f"q{i}" for i in range(case.joints)]
    turning = [
        name for i, name in enumerate(names) if i % 5 not in ((2, 3) if case.shape == "floating" else (2,))
    ]
    slides = [name for i, name in enumerate(names) if i % 5 == 2]
    if case.shape == "free":
        base = [name for name in model.dynamic if name not in names]
        turning += base[3:] if len(turning) < 2 else []
        slides += base[:1] if not slides else []
    if case.shape == "floating":
        turning += ["base_ty"] if len(turning) < 2 else []
        slides += ["base_tx"] if not slides else []
    return turning[0], turning[-1], slides[-1] if slides else turning[-1]


class Motion(NamedTuple):
    model: bough.Model
    arguments: dict[str, Any]

    def away(self, what: str, x: Array, exact: Array) -> Array:
        """How far q or v is from the truth, along the dynamic variables."""
        return self.model.difference(exact, x)[: self.model.nd] if what == "q" else x - exact


def with_parameters(system: bough.System, element: Any) -> Any:
    """The element with a parameter in the place of each of its numbers.

    The rest angle of a torsion spring without an axis is zero and means nothing else.
    """
    fields = [field.name for field in dataclasses.fields(element) if field.init]
    if isinstance(element, bough.TorsionSpring) and element.axis is None:
        fields.remove("rest")
    numbers = {name: value for name in fields if type(value := getattr(element, name)) is float}
    kind = f"{type(element).__name__}{len(system.elements)}"
    named = {name: system.parameter(f"{kind}_{name}", value) for name, value in numbers.items()}
    return dataclasses.replace(element, **named)


def motion(case: Case, parametric: bool = False) -> Motion:
    """The system of a case, and where it starts."""
    system, names = tree(case, parametric)
    bare = system.build()
    q, v = start(case, bare)
    system.world.fixed(np.eye(4), name="still")
    anchor = system.world.tx(0.7).ty(-0.4).tz(0.3, name="anchor")
    near = (
        names[max(0, len(names) - 3)]
        if len(names) > 1
        else ("base" if case.shape in ("free", "floating") else "still")
    )
    places = Places(
        names[-1], near, names[len(names) // 2], anchor, *variables(case, bare),
        lambda name: bare.pose(name, q), dict(zip(bare.coordinates, q.tolist(), strict=True)), system,
    )  # fmt: skip
    make = CONSTRAINTS[case.kind][1] if case.kind in CONSTRAINTS else {**POTENTIALS, **FORCES}[case.kind]
    for element in make(places):
        system.add(with_parameters(system, element) if parametric else element)
    if case.rows:
        # a screw and the rail may hold all that moves the middle of a small tree
        far = names[-1] if case.own_rows == 0 or case.kind == "ScrewConstraint" else names[len(names) // 2]
        fixed = places.fixed_at(far, (0.5, -0.3, 0.4))
        system.add(bough.DistanceConstraint(far, fixed, float(np.sqrt(0.5)), name="wire"))
        # a wheel at the end of few joints does not roll if one of them is held too
        held = names[-2] if case.kind == "Rolling" and case.shape == "branched" else names[0]
        system.add(bough.PlaneConstraint(held, places.fixed_at(held), normal=(0.9, 0.3, 0.2), name="rail"))
    model = system.build()
    state = model.assemble(q, v)
    arguments: dict[str, Any] = {"q": state.q, "v": state.v, "u": np.full(model.nu, U)}
    if model.nk:
        k0, vk = state.q[model.nq - model.nk :], state.v[model.nd :]
        arguments["k"] = lambda t: k0 + vk * np.sin(2.0 * t) / 2.0
    return Motion(model, arguments)


def end(moving: Motion, method: str, steps: int, **options: Any) -> tuple[Array, Array]:
    """q, and v of the dynamic variables, at the end."""
    run = bough.simulate(
        moving.model, **moving.arguments, duration=DT * STEPS, dt=DT * STEPS / steps, every=steps,
        integrator=method, **options,
    )  # fmt: skip
    return run.q[-1], run.v[-1, : moving.model.nd]


# The ten intervals of the reference leave 3e-11 of that with forty, in a quarter of the time.
# What is left between SciPy's DOP853 at 1e-12 a step and a run solved to 1e-11 of its momenta; a force of a newton that
# were missing would move a kilogram by 5e-5 m.
FLOOR = {"q": 1e-9, "v": 1e-7}
# Of the error at dt, in that at dt / 2, beyond what the order says: the next power of dt.
NEXT_ORDER = 1.35


def run_through(case: Case, methods: tuple[Method, ...] = METHODS) -> None:
    """The steps of every integrator, for a core that stops at what is wrong in them (`make sanitize`)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.BoughWarning)
        moving = motion(case)
        for method in methods:
            if method.takes(case):
                end(moving, method.name, STEPS, **method.options)


def disagreements(case: Case, methods: tuple[Method, ...] = METHODS) -> list[str]:
    """What every integrator makes of a case, where it is not the motion by SciPy's DOP853."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.BoughWarning)  # order=4 with kinematic variables
        moving = motion(case)
        options = {"stabilization": "projection"} if moving.model.nc else {}
        truth = end(moving, "scipy-dop853", 10, rtol=1e-12, atol=1e-13, **options)
        for method in methods:
            if not method.takes(case):
                continue
            coarse, fine = (end(moving, method.name, n, **method.options) for n in (STEPS, 2 * STEPS))
            for what, a, b, exact in zip("qv", coarse, fine, truth, strict=True):
                errors = [float(np.linalg.norm(moving.away(what, x, exact))) for x in (a, b)]
                if not errors[1] <= NEXT_ORDER * 0.5 ** method.order_in(case) * errors[0] + FLOOR[what]:
                    text = ", ".join(f"{key}={value}" for key, value in method.options.items())
                    found.append(f"{case}: {method.name}({text}): {what} {errors[0]:.2g} -> {errors[1]:.2g}")
    return found
