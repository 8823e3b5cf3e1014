"""The measured numbers of the README and the pages: where each is printed, and the run that makes it.

`says` is the text of the page with `{}` in the place of each number. `measured` gives these numbers again,
and `rule` says how near the printed ones have to be. What is chosen or defined is in `STATED`.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import bough
from bough import gallery
from bough.figures import figure
from bough.peers import mujoco, ode, with_inertia

ROOT = Path(__file__).parents[2]
POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")

Rule = Callable[[str, float], bool]


def printed(text: str) -> float:
    """The number of a text: 0.031, −1.3, 10⁻¹²; "round-off" is anything below 1e-10."""
    if text == "round-off":
        return 1e-10
    if text.startswith("10") and text[2:] and text[2:].translate(POWERS) != text[2:]:
        return 10.0 ** int(text[2:].translate(POWERS))
    return float(text.replace("−", "-"))


def last_digit(text: str) -> float:
    """The value of a one in the last digit of a printed number."""
    mantissa, _, power = text.lstrip("−+-").partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(10.0 ** (int(power or 0) - decimals))


def digits(text: str, value: float) -> bool:
    """Right to the digits that are printed, the last of them to one: for what no machine changes."""
    return abs(value - printed(text)) <= 1.0 * last_digit(text)


def bound(text: str, value: float) -> bool:
    """Not above what is printed, and not below a tenth of it; anything below round-off."""
    return value <= printed(text) and (value > 0.1 * printed(text) or text in ("round-off", "10⁻¹²"))


def size(text: str, value: float) -> bool:
    """Of the same size: within a factor of three, for what round-off decides."""
    return printed(text) / 3.0 <= value <= 3.0 * printed(text)


class Claim(NamedTuple):
    """Numbers of a page."""

    page: str
    says: str
    measured: Callable[[], tuple[float, ...]]
    rule: Rule | tuple[Rule, ...] = digits
    needs: Any = None  # the module of a peer
    long: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(r"([^\s|(),]+)".join(re.escape(part) for part in self.says.split("{}")))

    def found(self, text: str) -> re.Match[str]:
        """Where the page says it: in one place."""
        (match,) = self.pattern.finditer(text)
        return match


# --- docs/simulation.md ---


@cache
def momentum_changes(integrator: str, dt: float, rotation: str = "angles") -> tuple[float, ...]:
    run = bough.simulate(gallery.humanoid(rotation=rotation).build(), integrator=integrator, dt=dt)
    L = run.angular_momentum()
    return tuple(np.abs(L - L[0]).max(axis=0).tolist())


def momentum_of_the_humanoid() -> tuple[float]:
    system = gallery.humanoid()
    L = system.build().angular_momentum(dict(system.start.q), dict(system.start.v))
    return (float(np.linalg.norm(L)),)


# --- docs/control.md ---


@cache
def satellite() -> dict[str, Any]:
    """The model and the turn of the page, by its own first lines."""
    page = (ROOT / "docs" / "control.md").read_text(encoding="utf-8")
    code = page.split("```python\n", 1)[1].split("run = bough.control.reorient", 1)[0]
    names: dict[str, Any] = {}
    exec(code, names)
    return names


def replayed(planner: str, *counts: int) -> Callable[[], tuple[float, ...]]:
    """How far attitude and joints are off after a replay in continuous time."""

    def measured() -> tuple[float, ...]:
        names, found = satellite(), []
        model = names["model"]
        for steps in counts:
            plan = getattr(bough.control, planner)
            run = plan(model, names["attitude"], names["stowed"], duration=20.0, steps=steps)
            again = bough.simulate(
                model, run.q[0], u=run.u[:-1], duration=20.0, dt=run.t[1], integrator="dop853"
            )
            ends = [model.pose("base", motion.q[-1])[:3, :3] for motion in (again, run)]
            turn = math.acos(np.clip((np.trace(ends[0].T @ ends[1]) - 1.0) / 2.0, -1.0, 1.0))
            found += [turn, float(np.abs(again.q[-1, 6:] - run.q[-1, 6:]).max())]
        return tuple(found)

    return measured


# --- docs/formulations.md ---

WAYS = ({"beta": 0.0}, {"beta": 0.2}, {"beta": 0.8}, {"stabilization": "projection"})


@cache
def closed_chain_of_bodies(dt: float) -> list[bough.Trajectory]:
    model = gallery.closed_chain().build()
    return [bough.simulate(model, duration=10.0, dt=dt, integrator="velocity", **way) for way in WAYS]


def energy_changes(dt: float) -> tuple[float, ...]:
    return tuple(float(np.diff(run.energy()[[0, -1]])[0]) for run in closed_chain_of_bodies(dt))


def drifts() -> tuple[float, ...]:
    metres = [float(run.bodies.drift[..., 0].max()) for run in closed_chain_of_bodies(0.01)]
    return metres[0], 1e3 * metres[1], 1e3 * metres[2], metres[3]


def largest_kinetic_energy() -> tuple[float]:
    run = bough.simulate(gallery.closed_chain().build(), duration=10.0, dt=0.01)
    return (float(run.kinetic_energy().max()),)


# --- docs/figures.md ---


def lift_error(amplitude: float, order: int = 2, dt: float = 0.01) -> float:
    theta = math.pi / 2 - amplitude
    run = bough.simulate(gallery.scissor_lift(5, theta=theta).build(), duration=10.0, dt=dt, order=order)
    return float(np.abs(run["theta"] - gallery.scissor_lift_angle(run.t, 5, theta=theta)).max())


def energy_lost_by_ode() -> tuple[float]:
    """Of V = - C cos x with the angle x from the vertical, by the last turning point."""
    x = np.pi / 2 - np.asarray(figure("scissor_lift_motion").data(False)["ODE 0.01"])
    last = np.abs(x[-150:]).max()  # a swing takes 1.2 s
    return (100.0 * float(1.0 - (1.0 - math.cos(last)) / (1.0 - math.cos(x[0]))),)


def band_of_bough() -> tuple[float]:
    """The band of the energy of a pendulum, relative to the energy that it can release."""
    return (float(np.abs(figure("pendulum_energy").data(True)["bough"]).max()),)


def band_of_mujoco() -> tuple[float]:
    data = figure("pendulum_energy").data(True)
    return (float(np.abs(data["MuJoCo"]).max() / np.abs(data["bough"]).max()),)


def energy_of_the_closed_chain() -> tuple[float, float]:
    model = with_inertia(gallery.closed_chain(), 0.01).build()
    run = bough.simulate(model, duration=120.0, dt=0.01)
    energy = run.energy()
    return float(np.abs(energy - energy[0]).max()), float(energy[0] - model.equilibrium().energy)


# --- docs/browser.md ---


def megabytes(system: bough.System, duration: float) -> float:
    with tempfile.TemporaryDirectory() as folder:
        run = bough.simulate(system.build(), duration=duration)
        return bough.export_html(run, Path(folder) / "run.html").stat().st_size / 1e6


# --- docs/user_elements.md ---


def derivative_errors() -> tuple[float, float, float]:
    """Of second derivatives by complex steps, and of first and second ones by differences."""

    class Formula(bough.Potential):
        def energy(self, at: bough.Instant) -> Any:
            return np.exp(np.sin(2.0 * at.q["x"]) * at.q["y"])

    class OfAbsoluteValues(bough.Potential):
        def energy(self, at: bough.Instant) -> Any:
            x, y = (float(np.real(at.q[name])) for name in "xy")  # takes no complex numbers
            return float(np.exp(np.sin(2.0 * x) * y))

    x, y = 0.4, 0.7
    s, c = math.sin(2.0 * x), math.cos(2.0 * x)
    V = math.exp(s * y)
    first = V * np.array([2.0 * c * y, s])
    cross = V * (2.0 * c + 2.0 * c * y * s)
    second = np.array([[V * ((2.0 * c * y) ** 2 - 4.0 * s * y), cross], [cross, V * s * s]])
    errors = []
    for kind in (Formula, OfAbsoluteValues):
        system = bough.System("formula", gravity=None)
        system.world.tx("x").ty("y", mass=1.0)
        system.add(kind())
        model = system.build()
        gradient, hessian = -model.L_dq([x, y], [0.0, 0.0]), -model.L_dqdq([x, y], [0.0, 0.0])
        errors.append((float(np.abs(gradient - first).max()), float(np.abs(hessian - second).max())))
    return errors[0][1], *errors[1]


CLAIMS = (
    Claim(
        "docs/simulation.md",
        "# J, of {} J above the lowest point",
        lambda: (float(3.0 * 9.81 * (1.0 - math.cos(0.8))),),
    ),
    Claim("docs/simulation.md", "whose angular momentum is {} kg m²/s", momentum_of_the_humanoid),
    Claim(
        "docs/simulation.md",
        '| floating, `"midpoint"`, dt = 0.01 s | {} | {} | {} |',
        lambda: momentum_changes("midpoint", 0.01, "ball"),
        bound,
    ),
    Claim(
        "docs/simulation.md",
        '| angles, `"midpoint"`, dt = 0.01 s | {} | {} | {} |',
        lambda: momentum_changes("midpoint", 0.01),
        (digits, digits, bound),
    ),
    Claim(
        "docs/simulation.md",
        '| angles, `"midpoint"`, dt = 0.005 s | {} | {} | {} |',
        lambda: momentum_changes("midpoint", 0.005),
        (digits, digits, bound),
    ),
    Claim(
        "docs/simulation.md",
        '| `"reduced"`, dt = 0.01 s | {} | {} | {} |',
        lambda: momentum_changes("reduced", 0.01),
        bound,
    ),
    Claim(
        "docs/gallery.md",
        "print(errors)  # {} and {} rad",
        lambda: (lift_error(math.pi / 2 - 0.6), lift_error(math.pi / 2 - 0.6, dt=0.005)),
    ),
    Claim("docs/control.md", "| `reorient`: attitude, joints | {} rad, {} rad |", replayed("reorient", 40)),
    Claim("docs/control.md", "| `plan`: attitude, joints | {} rad, {} rad |", replayed("plan", 40)),
    *(
        Claim(
            "docs/control.md",
            f"| `{planner}`: attitude, joints |" + " {} rad, {} rad |" * 3,
            replayed(planner, 40, 160, 320),
            long=True,
        )
        for planner in ("reorient", "plan")
    ),
    Claim("docs/formulations.md", "whose kinetic energy is {} J at most", largest_kinetic_energy),
    Claim("docs/formulations.md", "| 0.01 | {} J | {} J | {} J | {} J |", lambda: energy_changes(0.01)),
    Claim("docs/formulations.md", "| 0.0025 | {} J | {} J | {} J | {} J |", lambda: energy_changes(0.0025)),
    Claim(
        "docs/formulations.md",
        "| largest drift of a joint, dt = 0.01 | {} m | {} mm | {} mm | {} m |",
        drifts,
        (digits, digits, digits, bound),
    ),
    Claim(
        "docs/figures.md",
        "rule's error of phase: {} rad after 10 s ({} rad for an amplitude of 0.2 rad), a quarter of that"
        " with half the step, and {} rad\nwith `order=4` (below {} rad for 0.2 rad)",
        lambda: (
            lift_error(math.pi / 2 - 0.6),
            lift_error(0.2),
            lift_error(math.pi / 2 - 0.6, order=4),
            lift_error(0.2, order=4),
        ),
        (digits, digits, digits, bound),
    ),
    Claim(
        "docs/figures.md",
        "stays in a band of {} of what the pendulum can release",
        band_of_bough,
    ),
    Claim("README.md", "the energy of a pendulum stays within {} of what", band_of_bough),
    Claim("docs/figures.md", "in a band {} times wider", band_of_mujoco, size, mujoco),
    Claim(
        "docs/figures.md", "at 0.01 s loses {} % of its energy in 10 s", energy_lost_by_ode, size, ode, True
    ),
    Claim(
        "docs/figures.md",
        "bough's line moves by up to {} J where joints whip round within a step, of {} J above rest",
        energy_of_the_closed_chain,
    ),
    Claim(
        "docs/figures.md",
        "The error of the constraint is below {} m throughout",
        lambda: (float(figure("elastic_cable").data(False)["error"].max()),),
        bound,
    ),
    Claim("docs/browser.md", "It takes {} MB and little", lambda: (megabytes(gallery.pendulum(), 0.1),)),
    Claim(
        "docs/browser.md",
        "in 100 000 steps give {} MB",
        lambda: (megabytes(gallery.closed_chain(), 1000.0),),
        long=True,
    ),
    Claim(
        "docs/user_elements.md",
        "second ones to about {};\n3. by **finite differences**: to about {} and {}.",
        derivative_errors,
        lambda text, value: value <= 10.0 * printed(text),
    ),
)

#: Numbers of the pages that are chosen or defined, or that other tests measure; and times of one machine.
STATED = {
    "docs/balls.md": ("more than 1e-6 are refused",),  # checked by its error message
    "docs/optimal_control.md": (
        "1e-3 for a block of 1 kg",
        "smoothed by κ/1000, to 1e-3",
    ),  # choices of a user and of the search
    "README.md": ("5000 s", "0.01 s"),
    "docs/time.md": (
        "within 4e-15 s of the elliptic integral",
        "tol=1e-8",
        "`tol` is 1e-8 or less",
        "2000 s of a tumbling double pendulum",  # tests/verification/test_tolerance.py
        "less than 1e-7 of the largest kinetic energy",
        "no more than 1e-5 (or `tol`",
        "by more than 1e-7 of the largest kinetic energy",
        "held there during each 0.01 s",
    ),  # blocks of the page
    "docs/browser.md": ("0.01 s", "0.002 % of the size", "below 10 MB: 1000 s of the closed chain"),
    "docs/command_line.md": ("0.01 s", "10 s", "--tol 1e-8"),
    "docs/compare.md": ("2 m T", "1 mm", "1e-2 to 1e-12"),
    "docs/contact.md": (
        *("turns by no more than 0.1 rad", "below −1e-10 m", "by more than 1e-12 J"),  # (GE26); test_heaps.py
    ),
    "docs/control.md": ("to 1e-9 or so", "dt = 0.5 s, 40 steps"),
    "docs/elements.md": (
        "6.67430·10⁻¹¹",
        "by 10⁸ N m/rad and 10⁵ N m s/rad",
        "steps of 10 ms",
    ),  # tests/elements/test_servo.py
    "docs/figures.md": (
        "5000 s",
        "120 s",
        "10 s",
        "1000 s",
        "0.6 rad",
        "steps of 0.01 s",
        "at 0.0001 s follows the motion at 250 times the run time",  # of one machine
        "4e-4 m after 0.1 s at steps of 0.1 ms",  # tests/peers ask for it
    ),
    "docs/format.md": ("2e-3",),
    "docs/formulations.md": ("after 10 s", "at 2 m/s and turns by 1 rad/s", "circle of 2 m"),
    "docs/gallery.md": (
        "of 1e8 rad a number keeps 1.5e-8",  # its spacing
        "below 1e-11",
        "0.8 rad from",
        "0.6 m high",
        "1 rad from hanging",
        "stretched by 5 %",
        "1 m/s",
        "0.02 s",
        "the paper reports 80 s",
        "0.2 rad",
    ),
    "docs/import.md": ("`massless=1e-6`", "to 1e-12"),
    "docs/view.md": ("a pole of 1 m is 1 m long",),
    "docs/simulation.md": (
        *("below 1e-10", "1e-14", "1e-10", "1e-12", "more than 1 %", "more than 5 %", "more than 10 %"),
        *(
            "an error of 1e-2 to 1e-3",
            "an error of 1e-3 to 1e-4",
            "an error of 1e-5 or less",
            "`order=8` below 1e-6",
            'down to an error of about 1e-3, `"dop853"` down to about 1e-5',
        ),
    ),
}
