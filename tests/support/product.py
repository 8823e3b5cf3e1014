"""The product of everything: element kinds, trees, what else there is in them, and integrators.

A `Case` is one system of the product; `disagreements` runs it with every integrator and compares with SciPy's DOP853.
Errors are compared at dt and dt / 2: what is left out or wrong in a step does not get smaller with dt, and what
is right does, as the order of the method says.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import bough
from support.product_elements import CONSTRAINTS, FORCES, POTENTIALS, Places, U
from support.transforms import Array

DT, STEPS = 0.0005, 20
SHAPES = ("chain", "branched", "free", "floating")  # the last with balls
NOT_WITH_BALLS = ("user potential", "user force", "user constraint", "FunctionForce")
JOINTS = (1, 2, 3, 5, 8, 11, 12, 14, 20, 40)
INERTIA = (0.02, 0.03, 0.025)


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
