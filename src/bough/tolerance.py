"""The argument `tol`: a method whose steps are chosen, for motions that keep their energy and for others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from bough import validate
from bough.description.element import Force
from bough.errors import ModelError
from bough.model.configurations import refuse_balls
from bough.model.model import Model

SMALLEST, LARGEST = 1e-14, 1.0
EIGHTH = 1e-8  # tolerances up to here take order 8, others order 6


class ByTolerance(NamedTuple):
    """The method that a tolerance stands for: arguments of `Problem`, and what the settings say of it."""

    integrator: str
    dt: float | None
    options: dict[str, Any]
    settings: dict[str, Any]
    stabilization: Any


def by_tolerance(model: Model, given: Mapping[str, Any], where: str) -> ByTolerance:
    """The method for the arguments of a problem with `tol`."""
    refuse_balls(model, "tol=", "give dt; order=4, 6, 8 compose steps of balls")
    tol = validate.real(given["tol"], "tol", where)
    asked = f"tol={validate.shown(given['tol'])}"
    if not SMALLEST < tol < LARGEST:
        raise ModelError(
            asked=f"{asked} in {where}",
            found=f"a tolerance that is not above {SMALLEST:g} and below {LARGEST:g}",
            do="give the error that is allowed, in rad or parts of the size of the system, such as tol=1e-8",
        )
    if model.gaps:
        raise ModelError(
            asked=f"{asked} in {where}",
            found="contacts, whose impacts no chosen step of higher order keeps",
            do="leave tol out and give dt, or build the system without contacts",
        )
    for name, why in (
        ("dt", "both a step and a tolerance that chooses it"),
        ("alpha", "a rule of fixed step"),
    ):
        if given[name] is not None:
            raise ModelError(
                asked=f"{asked} and {name}={validate.shown(given[name])} in {where}",
                found=why,
                do=f"leave {name} out, or give dt without tol",
            )
    if given["integrator"] != "midpoint":
        raise ModelError(
            asked=f"{asked} with integrator {validate.shown(given['integrator'])} in {where}",
            found="a tolerance chooses the method too",
            do="leave integrator out; 'dop853' and SciPy's methods take rtol and atol",
        )
    options = {name: value for name, value in given["options"].items() if name != "tol"}
    if _keeps_energy(model, given):
        order = options.setdefault("order", 8 if tol <= EIGHTH else 6)
        if order == 2:
            raise ModelError(
                asked=f"{asked} and order=2 in {where}",
                found="an order for which a step is not chosen",
                do="leave order out, or give 4, 6 or 8",
            )
        options.setdefault("tolerance", 0.0)  # until stages stagnate: what is left would add up
        settings = {"tol": tol, "control": "reversible"}
        return ByTolerance("midpoint", None, options, settings, given["stabilization"])
    if options:
        name = next(iter(options))
        raise ModelError(
            asked=f"{asked} and {name}={validate.shown(options[name])} in {where}",
            found="a motion that forces or prescribed variables drive, which is integrated by 'dop853'",
            do=f"leave {name} out",
        )
    settings = {"tol": tol, "control": "ordinary"}
    options = {"rtol": tol, "atol": tol}
    held = "projection" if model.nc else None  # else what a step leaves of the constraints adds up
    stabilization = held if given["stabilization"] is None else given["stabilization"]
    return ByTolerance("dop853", None, options, settings, stabilization)


def _keeps_energy(model: Model, given: Mapping[str, Any]) -> bool:
    """Whether nothing drives or damps the motion, so that reversible steps keep its energy."""
    if given["k"] is not None or any(isinstance(element, Force) for element in model._elements):
        return False
    if model._velocity_rows:  # which the rule with stages does not hold
        return False
    q = np.zeros(model.nv)
    return model.nc == 0 or bool(np.all(model.constraint(q, 0.0) == model.constraint(q, np.pi)))
