"""The options of the integrators in maximal coordinates, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bough import validate
from bough.errors import ModelError, unknown_name
from bough.maximal.contacts import plain

COMMON: dict[str, Any] = {"gyroscopic": "explicit", "break_above": None}
PENALTY: dict[str, Any] = {
    **COMMON,
    "stiffness": None,
    "angular_stiffness": None,
    "damping": None,
    "smallest_inertia": 0.0,
}
INTEGRATORS: dict[str, dict[str, Any]] = {
    "velocity": {**COMMON, "beta": 0.2, "contacts": None},
    "penalty-explicit": PENALTY,
    "penalty-implicit": {**PENALTY, "tolerance": 1e-10, "max_iterations": 60},
}
POSITIVE = ("stiffness", "angular_stiffness", "tolerance")
METHOD = {"velocity": 0, "penalty-explicit": 1, "penalty-implicit": 2}


def settings(
    name: str, dt: float, stabilization: Any, options: Mapping[str, Any], where: str
) -> dict[str, Any]:
    """Everything that determines a run with this integrator, in plain values."""
    known = INTEGRATORS[name]
    for option in options:
        if option not in known:
            raise unknown_name("option", option, tuple(known), f"{where} with integrator {name!r}")
    found: dict[str, Any] = {"integrator": name, "dt": dt}
    for option, default in known.items():
        value = default if options.get(option) is None else options[option]
        found[option] = value if value is None else _check_option(option, value, where)
    if name == "velocity":
        if stabilization not in (None, "projection"):
            raise ModelError(
                asked=f"stabilization={validate.shown(stabilization)} in {where}",
                found="the integrator 'velocity' takes drift back by beta, or projects it away",
                do="give beta= between 0 and 1, or stabilization='projection'",
            )
        found["stabilization"] = stabilization
    elif stabilization is not None:
        raise ModelError(
            asked=f"stabilization={validate.shown(stabilization)} in {where}",
            found=f"the springs of {name!r} pull the joints together",
            do="leave stabilization out; give stiffness= and damping=, or use integrator='velocity'",
        )
    return found


def _check_option(option: str, value: Any, where: str) -> Any:
    asked = f"{option}={validate.shown(value)} in {where}"
    if option == "gyroscopic":
        if value not in ("explicit", "implicit"):
            raise unknown_name("gyroscopic term", str(value), ("explicit", "implicit"), where)
        return value
    if option == "break_above":
        return _thresholds(value, where)
    if option == "contacts":
        if not isinstance(value, list | tuple):
            value = [value]
        return [plain(contact, where) for contact in value]
    if option == "max_iterations":
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ModelError(
                asked=asked, found="not a whole number above zero", do="give max_iterations=1 or more"
            )
        return value
    number = validate.real(value, option, where)
    if number < 0.0 or (option in POSITIVE and number == 0.0) or (option == "beta" and number > 1.0):
        wanted = {"beta": "a number from 0 to 1"}.get(option, "a number above zero")
        raise ModelError(asked=asked, found=f"{option} is {number:g}", do=f"give {option} as {wanted}")
    return number


def _thresholds(value: Any, where: str) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise ModelError(
            asked=f"break_above={validate.shown(value)} in {where}",
            found="not a mapping from names to forces",
            do="give break_above={'wire': 50.0}: names of constraints, or of variables for their joints",
        )
    found = {}
    for name, force in value.items():
        limit = validate.real(force, f"break_above[{name!r}]", where)
        if limit < 0.0:
            raise ModelError(
                asked=f"break_above[{name!r}]={validate.shown(force)} in {where}",
                found="a negative force",
                do="give the size of the force, zero or more",
            )
        found[str(name)] = limit
    return found
