"""The summary of a run that `bough simulate` prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.cli._app import error_data, table
from bough.errors import BoughError, ModelError, quoted
from bough.maximal.contacts import contact_name
from bough.model.lower import constraint_rows
from bough.model.projection import round_off
from bough.motion.contact_trajectory import ContactTrajectory
from bough.motion.energy_check import conservative, dissipative, noticeable
from bough.motion.trajectory import Trajectory
from bough.registry import family_of
from bough.validate import counted

CHUNK = 4096  # number of instants processed at a time
EVENTS = 8  # listed in a summary
SHOWN = 6  # largest number of moved variables that are listed


@dataclass
class Summary:
    """A run in a few numbers.

    Attributes
    ----------
    given : the configuration asked for; None if it met the constraints, and the run starts there
    named : the variables of it that --q named
    repeated : whether a run from a file came out bit for bit; None if it is a new one, or of a plan
    planned : by how much the simulation of a plan from a file differs from it in q
    continued : when a run from a file ended, of which this is the continuation
    coarse : the warning of steps that are too long
    motion : the name of the script that moves the kinematic variables
    """

    run: Trajectory
    given: Array | None = None
    named: tuple[str, ...] = ()
    repeated: bool | None = None
    planned: float | None = None
    continued: float | None = None
    coarse: str | None = None
    motion: str | None = None
    error: BoughError | None = None
    written: list[str] = field(default_factory=list)

    def data(self) -> dict[str, Any]:
        """The summary in plain values, for JSON."""
        run, settings = self.run, self.run.settings
        wall = run.statistics["wall_time"]
        length = float(run.t[-1] - run.t[0])
        return {
            "model": run.model.name,
            "status": run.status,
            "integrator": settings["integrator"],
            "dt": settings["dt"],
            "duration": length,
            "steps": run.statistics["steps"],
            "instants": len(run),
            "run_time": wall,
            "real_time_factor": length / wall if wall > 0.0 else None,
            "energy": energy(run),
            "constraint_error": constraint_error(run),
            "joint_drift": joint_drift(run),
            "broken": [] if run.bodies is None else [{"name": name, "t": t} for t, name in run.bodies.events],
            "iterations_per_step": iterations_per_step(run),
            "coarse_steps": run.statistics.get("coarse", 0),
            "assembled": self.given is not None,
            "moved": self.moved(),
            "repeated": self.repeated,
            "planned": self.planned,
            "continued": self.continued,
            "motion": self.motion,
            "start": state_data(run, 0),
            "end": state_data(run, -1),
            "events": [{"t": event.t, "name": event.name} for event in self.run.events],
            "contacts": closed_contacts(run),
            "written": self.written,
            "error": None if self.error is None else error_data(self.error),
        }

    def text(self) -> str:
        """The summary as text."""
        data = self.data()
        run = self.run
        lines = [("start", text) for text in self._start()]
        if self.motion is not None:
            lines.append(("motion", self.motion))
        if data["real_time_factor"] is not None:
            speed = _speed_text(data["real_time_factor"])
            lines.append(("run time", f"{data['run_time']:.3g} s{speed}"))
        lines.append(_energy_line(data["energy"]))
        if data["constraint_error"] is not None:
            worst = data["constraint_error"]
            place = f": {worst['constraint']} at t = {worst['t']:g} s" if worst["max"] > 0.0 else ""
            lines.append(("constraint error", f"{worst['max']:.2g} at most{place}"))
        if data["joint_drift"] is not None:
            apart = data["joint_drift"]
            lines.append(("joint drift", f"{apart['length']:.2g} m, {apart['angle']:.2g} rad at most"))
        lines += _event_lines(data["events"])
        if data["contacts"]:
            lines.append(("contacts", _contacts_text(data["contacts"])))
        lines += [("broken", _broken_text(run, event)) for event in data["broken"]]
        if data["iterations_per_step"] is not None:
            lines.append(("Newton iterations", f"{data['iterations_per_step']:.2f} per step"))
        if self.coarse is not None:
            lines.append(("coarse steps", self.coarse))
        elif data["coarse_steps"]:
            text = f"{data['coarse_steps']} ended far from where the motion led: compare with a smaller --dt"
            lines.append(("coarse steps", text))
        lines += [("written", path) for path in self.written]
        return "\n".join([self._title(), *table(lines)])

    def moved(self) -> list[dict[str, Any]]:
        """The variables that assembly moved, those that --q named first."""
        if self.given is None:
            return []
        start = self.run.q[0]
        elsewhere = ~np.isclose(start, self.given, rtol=1e-9, atol=1e-9)
        values = zip(self.run.model.coordinates, self.given.tolist(), start.tolist(), elsewhere, strict=True)
        found = [{"name": name, "given": a, "became": b} for name, a, b, moved in values if moved]
        return sorted(found, key=lambda row: row["name"] not in self.named)

    def _title(self) -> str:
        run = self.run
        settings, steps = run.settings, counted(run.statistics["steps"], "step")
        if settings.get("control") == "reversible":
            how = f"{steps} chosen by tol = {settings['tol']:g}"
        else:
            size = f"{settings['dt']:g} s"
            adaptive = family_of(settings["integrator"], "a run")[0].adaptive
            how = f"{steps}, recorded every {size}" if adaptive else f"{steps} of {size}"
        end = f"{run.status} at t = {run.t[-1]:g} s"
        return f"{run.model.name}: {end}, {how}, integrator {settings['integrator']}"

    def _start(self) -> list[str]:
        lines = []
        if self.given is not None:
            off = np.abs(self.run.model.constraint(self.given)).max()
            lines.append(f"assembled: the configuration given was off the constraints by {off:.3g}")
            lines += _moved_text(self.moved())
        if self.planned is not None:
            lines.append(f"that of a plan, with its inputs; q differs from it by {self.planned:.2g} at most")
        if self.continued is not None:
            model = self.run.model
            held = " and ".join(
                text for text, there in (("inputs", model.nu), ("kinematic variables", model.nk)) if there
            )
            hold = f"; {held} hold their last values" if held else ""
            lines.append(f"that of the file, which ended at t = {self.continued:g} s and is continued{hold}")
        if self.repeated is not None:
            lines.append(
                "that of the file; the run is the same bit for bit"
                if self.repeated
                else "that of the file; the run differs from it in some bits"
            )
        return lines


def _event_lines(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The first events with their times, and how many more there are."""
    lines = [("event", f"{event['name']} at t = {event['t']:.12g} s") for event in events[:EVENTS]]
    more = len(events) - EVENTS
    return lines + ([("events", f"{more} more until t = {events[-1]['t']:.12g} s")] if more > 0 else [])


def closed_contacts(run: Trajectory) -> dict[str, str]:
    """The contacts that are closed at the end of a run, each "stick" or "slide"."""
    if not isinstance(run, ContactTrajectory) or not len(run):
        return {}
    last = zip(run.model.gaps, run.contact_status[-1], strict=True)
    return {name: str(status) for name, status in last if status != "open"}


def _contacts_text(closed: Mapping[str, str]) -> str:
    """How many contacts stick and slide at the end, and the first of them."""
    parts = []
    for status, verb in (("stick", "holds"), ("slide", "slides")):
        names = [name for name, found in closed.items() if found == status]
        if names:
            parts.append(f"{quoted(names, 3)} {verb if len(names) == 1 else verb.rstrip('s')}")
    return f"at the end {', and '.join(parts)}"


def energy(run: Trajectory) -> dict[str, Any] | None:
    """The largest change of the energy; None if it is not known, as at a singular configuration."""
    try:
        kinetic, potential = run.kinetic_energy(), run.potential_energy()
    except ModelError:
        return None
    total = kinetic + potential
    with np.errstate(invalid="ignore"):  # the energy may not be finite
        drift = float(np.abs(total - total[0]).max())
    largest, rise = float(kinetic.max()), float(total.max() - total[0])
    lost = run.energy_lost() if isinstance(run, ContactTrajectory) else {}
    return {
        "conserved": conservative(run),
        "lost": {what: float(values[-1]) for what, values in lost.items() if values[-1] > 0.0},
        "start": float(total[0]),
        "end": float(total[-1]),
        "drift": drift,
        "relative_drift": drift / largest if largest > 0.0 else None,
        "impossible_rise": rise if dissipative(run) and noticeable(rise, largest, run.model) else None,
    }


def constraint_error(run: Trajectory) -> dict[str, Any] | None:
    """The worst error of a constraint; None if there is no constraint."""
    model = run.model
    if model.nc == 0:
        return None
    error = np.abs(run.constraint_error())
    row, worst = np.unravel_index(int(np.argmax(error)), error.shape)
    relative = 0.0
    for first in range(0, len(run), CHUNK):
        part = slice(first, first + CHUNK)
        scale = round_off(model, run.q[part], run.t[part]) + np.finfo(float).tiny
        relative = max(relative, float((error[part] / scale).max()))
    return {
        "max": float(error[row, worst]),
        "relative": relative,
        "constraint": model.constraints[int(worst)],
        "t": float(run.t[row]),
    }


def joint_drift(run: Trajectory) -> dict[str, float] | None:
    """The largest gaps of joints, in maximal coordinates."""
    if run.bodies is None:
        return None
    length, angle = run.bodies.drift.max(axis=(0, 1), initial=0.0)
    return {"length": float(length), "angle": float(angle)}


def iterations_per_step(run: Trajectory) -> float | None:
    """The iterations of Newton's method; None for the other methods."""
    statistics = run.statistics
    if "iterations" not in statistics or not statistics["steps"]:
        return None
    return float(statistics["iterations"] / statistics["steps"])


def state_data(run: Trajectory, row: int) -> dict[str, Any]:
    """One instant by name."""
    try:
        velocities: Array | None = run.v[row]
    except ModelError:
        velocities = None
    names = run.model.variables
    return {
        "t": float(run.t[row]),
        "q": dict(zip(run.model.coordinates, run.q[row].tolist(), strict=True)),
        "v": None if velocities is None else dict(zip(names, velocities.tolist(), strict=True)),
    }


def _broken_text(run: Trajectory, event: dict[str, Any]) -> str:
    text = f"{event['name']} at t = {event['t']:g} s"
    contacts = map(contact_name, run.settings.get("contacts") or ())
    if event["name"] in (*constraint_rows(run.model._elements), *contacts):
        return text
    return f"joint {text}: energy and constraint error after it are those of q, not of the bodies"


def _moved_text(moved: list[dict[str, Any]]) -> list[str]:
    numbers = [(row["name"], f"{row['given']:.4g}", f"{row['became']:.4g}") for row in moved]
    texts = [f"{name} {given} became {became}" for name, given, became in numbers if given != became]
    more = f", and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
    return [", ".join(texts[:SHOWN]) + more] if texts else []


def _speed_text(factor: float) -> str:
    if factor <= 0.0:
        return ""
    ratio = max(factor, 1.0 / factor)
    text = f"{ratio:,.0f}" if ratio >= 100.0 else f"{ratio:.3g}"
    return f", {text} times {'faster' if factor >= 1.0 else 'slower'} than real time"


def _energy_line(data: dict[str, Any] | None) -> tuple[str, str]:
    if data is None:
        return "energy", "not known: the run reached a singular configuration"
    if not data["conserved"]:
        rise, why = data["impossible_rise"], "forces or prescribed motions do work"
        if rise is not None:
            why = f"it rose by {rise:.2g} J, which its forces cannot do: compare with a smaller --dt"
        return "energy", f"from {data['start']:.6g} J to {data['end']:.6g} J: {why}"
    if data["lost"]:
        parts = " and ".join(f"{loss:.3g} J by {what}" for what, loss in data["lost"].items())
        rest = data["start"] - data["end"] - sum(data["lost"].values())
        return (
            "energy",
            f"from {data['start']:.6g} J to {data['end']:.6g} J: lost {parts}; error of the steps {-rest:+.2g} J",
        )
    relative = data["relative_drift"]
    of = "" if relative is None else f", {relative:.2g} of the largest kinetic energy"
    return "energy drift", f"{data['drift']:.2g} J at most{of}"
