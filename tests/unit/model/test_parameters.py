"""Parameters of a system: formulas, other values without a new build, files, descriptions."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app
from bough.io.system_file import parse_system, system_text

Number = Callable[[str, float], Any]

VALUES = {"a": 1.3, "b": 0.7, "c": 2.1}
OTHERS = {"a": 0.9, "b": 1.1, "c": 1.7}


def rotation(angle: Any) -> list[list[Any]]:
    """A pose turned about y, and moved."""
    c, s = bough.cos(angle), bough.sin(angle)
    return [[c, 0, s, angle / 3], [0, 1, 0, 0], [-s, 0, c, 0.2], [0, 0, 0, 1]]


def everywhere(a: Any, b: Any, c: Any, system: bough.System) -> None:
    """A system with a, b and c in every place that takes a number."""
    system.gravity = (0.1 * a, 0.0, -9.81 * b)
    moment = a * b**2 / 12
    arm = system.world.ry("p", mass=a, com=(0, 0, -b / 2), inertia=(moment, moment, a / 100), name="arm")
    tip = arm.tz(-b, name="tip", mass=0.5 * a)
    full = [[a, 0.1 * b, 0], [0.1 * b, a, 0], [0, 0, a]]
    hand = tip.fixed(rotation(c / 4)).rx("q", name="hand", mass=c, inertia=full, com=(0.1 * b, 0, 0))
    hand.twist((0, 0, 1, 0, 0.3 * a, 0), "r", mass=1.0, inertia=(1, 1, 1), name="screw")
    hand.helical("s", (0, 0, 1), pitch=0.2 * c, mass=1.0, inertia=(1, 1, 1))
    slide = system.world.ty(a - 2 * b).tx("x", ratio=b, offset=-c, name="slide", mass=bough.sqrt(a * c))
    system.world.tx(bough.kinematic("k"), offset=a, ratio=2.0, name="driven")
    slide.prismatic(a, (0, -1, 0), name="end")
    system.add(bough.LinearSpring(tip, slide, stiffness=10 * a, rest_length=b / 2, name="spring"))
    system.add(bough.ConfigurationSpring("p", stiffness=c, rest=a - b))
    system.add(bough.GearSpring({"p": a, "q": 2.0}, stiffness=b, rest=c))
    system.add(bough.NonlinearSpring(tip, slide, polynomial=(a, 2.0, b * c), rest_length=a / 4))
    system.add(bough.NonlinearConfigurationSpring("r", polynomial=(0, a), rest=b))
    system.add(bough.TorsionSpring("arm", "hand", stiffness=a, axis=(0, 1, 0), rest=0.1 * c))
    system.add(
        bough.BeamElement("arm", "tip", length=b, axial=10 * a, bending=(a, c), torsion=b, axis=(0, 0, 1))
    )
    system.add(bough.Gravity((0, 0, a)))
    system.add(bough.CentralGravity("hand", "slide", constant=0.1 * b))
    system.add(bough.Damping({"p": a / 10, "q": 0.2}))
    system.add(bough.LinearDamper("tip", "slide", coefficient=c))
    system.add(bough.ConfigurationForce("p", a - b, gear=c))
    system.add(bough.Servo("q", kp=a, kd=b, target=0.1 * c, gear=-c, effort=5 * a))
    system.add(bough.BodyWrench("hand", fx=a, tz=-b))
    system.add(bough.PointForce("tip", fz=c, point=(a, 0, b), axes="body"))
    system.add(bough.Drag("tip", coefficient=0.1 * a, wind=(b, "gust", 0.0)))
    system.add(bough.DistanceConstraint("end", "world", length=a * 2, name="wire"))
    system.add(bough.PointConstraint("screw", "driven", axis=(0, 0, 1), offset=b))
    system.add(bough.PlaneConstraint("screw", "world", normal=(1, 0, 0), origin=(a, 0, 0), offset=c))
    system.add(bough.GearConstraint({"p": 1.0, "q": -a}, offset=bough.Sinusoid(amplitude=b, frequency=c)))
    system.add(bough.ScrewConstraint("s", "x", pitch=0.1 * b))
    weld = [[1, 0, 0, a], [0, 1, 0, b], [0, 0, 1, c], [0, 0, 0, 1]]
    system.add(bough.WeldConstraint("screw", "world", pose=weld))
    profile = bough.PiecewisePolynomial((0.0, 1.0), ((a, b),))
    system.add(bough.CamConstraint("x", "s", profile))
    system.start = bough.Start(q={"p": a / 2}, v={"q": -b}, duration=c, dt=b / 100)


def described(values: dict[str, float]) -> bough.System:
    system = bough.System("everywhere")
    everywhere(*(system.parameter(name, value) for name, value in values.items()), system)
    return system


def numbers(values: dict[str, float]) -> bough.System:
    """The same system without parameters."""
    system = bough.System("everywhere")
    everywhere(*values.values(), system)
    return system


def same_numbers(first: bough.Model, second: bough.Model) -> None:
    """The mechanics of two models agree in every bit."""
    random = np.random.default_rng(3)
    for record, other in zip(first._records, second._records, strict=True):
        assert record == other
    for _ in range(3):
        q, v, u = random.normal(size=first.nq), random.normal(size=first.nq), random.normal(size=first.nu)
        assert (first.mass_matrix(q) == second.mass_matrix(q)).all()
        assert first.lagrangian(q, v) == second.lagrangian(q, v)
        assert (first.L_dq(q, v) == second.L_dq(q, v)).all()
        assert (first.generalized_force(q, v, u=u) == second.generalized_force(q, v, u=u)).all()
        assert (first.constraint(q, t=0.3) == second.constraint(q, t=0.3)).all()
        for frame in first.frames:
            assert (first.pose(frame, q) == second.pose(frame, q)).all()
    assert (first.start.q, first.start.v) == (second.start.q, second.start.v)
    assert (first.start.duration, first.start.dt) == (second.start.duration, second.start.dt)
    assert first.total_mass == second.total_mass


@pytest.mark.parametrize("changes", [OTHERS, {"a": 0.9}, {"b": 1.1}, {"c": 1.7}])
def test_other_values_are_a_new_build_in_every_bit(changes: dict[str, float]) -> None:
    model = described(VALUES).build()
    same_numbers(model, numbers(VALUES).build())
    other = model.with_parameters(**changes)
    same_numbers(other, numbers({**VALUES, **changes}).build())
    assert other == described({**VALUES, **changes}).build()
    assert other.parameters == {**VALUES, **changes}
    assert model.parameters == VALUES
    same_numbers(other.with_parameters(**VALUES), model)
    same_numbers(model, numbers(VALUES).build())  # the first model did not change


def test_a_run_with_other_values_is_that_of_a_new_build() -> None:
    def pendulum(length: Any, system: bough.System) -> bough.Model:
        system.world.ry("angle").tz(-length, name="bob", mass=1.0)
        system.add(bough.Damping(length / 50))
        return system.build()

    system = bough.System("pendulum")
    model = pendulum(system.parameter("length", 1.0), system)
    run = bough.simulate(model.with_parameters(length=1.7), {"angle": 1.0}, duration=1.0)
    expected = bough.simulate(pendulum(1.7, bough.System("pendulum")), {"angle": 1.0}, duration=1.0)
    assert (run.q == expected.q).all()
    assert (run.p == expected.p).all()


def contacts(a: Any, b: Any, system: bough.System) -> None:
    """Parameters in every number of the contacts."""
    ball = system.world.tx("x").tz("z", name="ball", mass=1.0)
    hook = system.world.tz(2.0, name="hook")
    pulley = system.world.tx(0.2).tz(2.5, name="pulley")
    floor = {"points": [(0.0, 0.0, -a / 10)], "origin": (0.0, 0.0, b / 100)}
    system.add(
        bough.PlaneContact(ball, radius=a / 10, friction=b / 2, restitution=b / 3, name="floor", **floor)
    )
    system.add(bough.String(hook, ball, a + 2, via=[pulley], radius=b / 50, restitution=b / 4, name="string"))
    system.add(bough.JointLimit("x", lower=-a, upper=b, restitution=b / 2))
    system.add(bough.DryFriction("x", torque=a / 20))


def test_contacts_with_other_values_are_those_of_a_new_build() -> None:
    system, other = bough.System("contacts"), bough.System("contacts")
    contacts(system.parameter("a", 0.8), system.parameter("b", 0.9), system)
    contacts(1.1, 0.6, other)
    changed, new = system.build().with_parameters(a=1.1, b=0.6), other.build()
    q = np.array([0.2, 0.7])
    assert (changed.gap(q) == new.gap(q)).all()
    runs = [bough.simulate(model, q, {"x": 1.0}, duration=0.6, dt=0.01) for model in (changed, new)]
    assert runs[0].impacts  # it reaches the floor
    assert runs[0].q.tobytes() == runs[1].q.tobytes()
    assert [impact.t for impact in runs[0].impacts] == [impact.t for impact in runs[1].impacts]


def test_round_trips() -> None:
    system = described(VALUES)
    model, other = system.build(), described(OTHERS).build()
    text = system_text(system)
    assert system_text(parse_system(text)) == text
    for again in (
        pickle.loads(pickle.dumps(model)),
        bough.System.from_dict(json.loads(json.dumps(system.to_dict()))).build(),
        model.system.build(),
        parse_system(text, path="everywhere.sexp").build(),
    ):
        assert again == model
        same_numbers(again.with_parameters(**OTHERS), other)
    changed = model.with_parameters(**OTHERS)
    for again in (pickle.loads(pickle.dumps(changed)), changed.system.build()):
        assert again == other
        assert again.parameters == OTHERS
        same_numbers(again, other)
        same_numbers(again.with_parameters(**VALUES), model)
    assert model != other
    assert model.digest != numbers(VALUES).build().digest


def test_entries_have_exact_derivatives() -> None:
    """Every entry is the number in the arrays; its derivatives are those of central differences."""
    system = described(VALUES)
    model = system.build()
    arrays = model._parametric.arrays  # type: ignore[union-attr]
    step = 1e-6
    seen = set()
    for name in VALUES:
        ahead, behind = (model.with_parameters(**{name: VALUES[name] + sign * step}) for sign in (1.0, -1.0))
        expected: dict[tuple[str, tuple[int, ...]], float] = {}
        for key in ("value", "ratio", "offset", "pose", "screw", "mass", "com", "inertia", "gravity"):
            difference = (ahead._parametric.arrays[key] - behind._parametric.arrays[key]) / (2 * step)  # type: ignore[union-attr]
            expected |= {(key, tuple(map(int, i))): difference[tuple(i)] for i in np.argwhere(difference)}
        for number, (first, second) in enumerate(zip(ahead._records, behind._records, strict=True)):
            for place, (x, y) in enumerate(zip(first[4], second[4], strict=True)):
                if x != y:
                    expected["element", (number, place)] = (x - y) / (2 * step)
        found = {
            (entry.array, entry.place): entry.expression.derivatives()[name]
            for entry in model.parameter_entries
            if name in entry.expression.names
        }
        assert expected.keys() <= found.keys()
        for key, value in found.items():
            assert value == pytest.approx(expected.get(key, 0.0), rel=1e-8, abs=1e-8)
        seen |= {array for array, _ in found}
    assert seen == {
        "value", "ratio", "offset", "pose", "screw", "mass", "com", "inertia", "gravity", "element"
    }  # fmt: skip
    for entry in model.parameter_entries:
        stored = (
            model._records[entry.place[0]][4][entry.place[1]]
            if entry.array == "element"
            else arrays[entry.array][entry.place]
        )
        assert entry.expression.value == stored


def test_arithmetic() -> None:
    system = bough.System("numbers")
    x, y = system.parameter("x", 0.8), system.parameter("y", 1.9)
    cases: list[tuple[Callable[[Any, Any], Any], float]] = [
        (lambda x, y: x + 2 * y - 1, 0.8 + 2 * 1.9 - 1),
        (lambda x, y: 3 - x / y, 3 - 0.8 / 1.9),
        (lambda x, y: 2 / x**3, 2 / 0.8**3),
        (lambda x, y: x**y, 0.8**1.9),
        (lambda x, y: 2**x, 2**0.8),
        (lambda x, y: -x * np.float64(2.5), -0.8 * 2.5),
        (lambda x, y: np.float64(2.5) / x, 2.5 / 0.8),
        (lambda x, y: abs(-x), 0.8),
        (lambda x, y: bough.sqrt(x) * bough.sin(y) + bough.cos(x * y) / bough.tan(y), math.nan),
    ]
    for formula, value in cases:
        made = formula(x, y)
        if not math.isnan(value):
            assert made.value == value
        for name, derivative in made.derivatives().items():
            h = 1e-6
            shifted = [
                made.at({"x": 0.8, "y": 1.9, name: {"x": 0.8, "y": 1.9}[name] + s * h}) for s in (1, -1)
            ]
            assert derivative == pytest.approx((shifted[0].value - shifted[1].value) / (2 * h), rel=1e-8)
    assert x * 1.0 is x
    assert x + 0 is x
    assert repr(x * y**2 / 3) == "x * (y ** 2) / 3"
    vector = np.array([1.0, 2.0]) * x
    assert [part.value for part in vector] == [0.8, 1.6]
    assert (bough.sqrt(4.0), bough.sin(0.0), bough.cos(0.0), bough.tan(0.0)) == (2.0, 0.0, 1.0, 0.0)
    for dropped in (math.sin, float, np.sin):
        with pytest.raises(TypeError):  # a name is never dropped in silence
            dropped(x)


def test_user_elements_keep_parameters() -> None:
    system = bough.System("oscillator", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(Quartic(system.parameter("stiffness", 2.0)))
    model = system.build()
    other = model.with_parameters(stiffness=3.0)
    assert (model.potential_energy([0.5]), other.potential_energy([0.5])) == (2.0 / 16, 3.0 / 16)
    assert pickle.loads(pickle.dumps(other)).potential_energy([0.5]) == 3.0 / 16


@dataclass(frozen=True)
class Quartic(bough.Potential):
    stiffness: float

    def energy(self, at: Any) -> Any:
        return self.stiffness * at.q["x"] ** 4

    def gradient(self, at: Any) -> Any:
        return {"x": 4 * self.stiffness * at.q["x"] ** 3}

    def hessian(self, at: Any) -> Any:
        return {("x", "x"): 12 * self.stiffness * at.q["x"] ** 2}


def test_setters_keep_and_forget() -> None:
    system = bough.System("bob")
    mass = system.parameter("mass", 2.0)
    bob = system.world.tx("x", name="bob")
    bob.mass = mass
    bob.com = (mass / 4, 0, 0)
    assert system.build().with_parameters(mass=3.0).total_mass == 3.0
    bob.mass = 1.0
    model = system.build()
    assert model.with_parameters(mass=3.0).total_mass == 1.0
    assert {entry.array for entry in model.parameter_entries} == {"com"}


def test_files_and_command_line(tmp_path: Path) -> None:
    path = tmp_path / "swing.sexp"
    path.write_text(
        '(system (parameter "length" 1) (parameter "odd name" 2) (gravity 0 0 -9.81)\n'
        '  (let ((half (/ length 2))) (ry "angle" tz (- half) (name "bob") (mass (parameter "odd name")))))'
    )
    model = bough.load(path, length=3).build()
    assert model.parameters == {"length": 3.0, "odd name": 2.0}
    assert model.with_parameters(length=5.0).pose("bob", [0.0])[2, 3] == -2.5
    run = str(tmp_path / "r.npz")
    command = ["simulate", str(path), "--param", "length=3", "--duration", "0.1", "-o", run]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert bough.load_trajectory(run).model == model
    out = CliRunner().invoke(app, ["info", run, "--param", "length=4", "--param", "odd name=1"])
    assert out.exit_code == 0
    assert "variables, mass 1 kg\n" in out.stdout
    assert "parameter" in str(model)
    assert "odd name" in str(model)
