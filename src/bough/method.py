"""The settings of a method from what a user chose: a name or an integrator, a step, options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bough import validate
from bough.errors import ModelError, nearest, quoted, unknown_name
from bough.integrators.reduced import ReducedVI
from bough.integrators.settings import no_contacts
from bough.integrators.stabilization import no_stabilization
from bough.integrators.variational import VARIATIONAL, VariationalIntegrator
from bough.model.model import Model
from bough.motion.grid import NOMINAL, step_size
from bough.registry import INTEGRATORS, Choice, family_of, options_of

# The arguments of `Problem` but the model and options of integrators.
ARGUMENTS = (
    *("q", "v", "p", "duration", "dt", "integrator", "u", "k", "every", "alpha", "t0", "assemble"),
    "stabilization",
    "events",
    "t_eval",
    "dense",
)


def method_settings(
    model: Model,
    integrator: Any,
    dt: float | None,
    alpha: float | None,
    stabilization: Any,
    options: Mapping[str, Any],
    where: str,
) -> dict[str, Any]:
    """The settings of the integrator, checked."""
    if not isinstance(integrator, str) and isinstance(integrator, VariationalIntegrator | ReducedVI):
        no_stabilization(stabilization, where)
        return _given(model, integrator, dt, alpha, options, where)
    size = step_size((model.start.dt or NOMINAL) if dt is None else dt, where)
    plain = alpha is None and stabilization is None and not options
    if plain and isinstance(integrator, str) and integrator in model._settings:
        return {**model._settings[integrator], "dt": size}
    family, name = family_of(integrator, where)
    known = family.options(name)
    for option in options:
        _check_option(option, name, where)
    if alpha is not None and "alpha" not in known:
        raise ModelError(
            asked=f"alpha={validate.shown(alpha)} in {where}",
            found=f"the integrator {name!r} has no alpha",
            do="leave alpha out, or use integrator='midpoint'",
        )
    chosen = {**({} if alpha is None else {"alpha": alpha}), **options}
    if name not in VARIATIONAL:
        no_contacts(model, f"integrator {name!r}", where)
    settings = family.settings(Choice(model, name, size, stabilization, chosen, where))
    if plain and name in VARIATIONAL:
        model._settings[name] = settings
    return settings


def _check_option(option: str, integrator: str, where: str) -> None:
    """Raise if an integrator does not have an option."""
    known = options_of(integrator)
    if option in known:
        return
    others = [name for name in INTEGRATORS if option in options_of(name)]
    asked = f"option {option!r} in {where} with integrator {integrator!r}"
    if others:
        own = f"those of {integrator!r} are {quoted(known)}" if known else f"{integrator!r} has none"
        raise ModelError(
            asked=asked,
            found=f"an option of {quoted(others)}; {own}",
            do=f"leave {option} out, or use integrator={others[0]!r}",
        )
    arguments = [*ARGUMENTS, "on_failure", "progress"]
    close = nearest(option, [*arguments, *known])
    if not close and not known:
        raise ModelError(asked=asked, found="an integrator without options", do=f"leave {option} out")
    raise unknown_name("option", option, close or known, f"{where} with integrator {integrator!r}")


def _given(
    model: Model,
    integrator: VariationalIntegrator | ReducedVI,
    dt: float | None,
    alpha: float | None,
    options: Mapping[str, Any],
    where: str,
) -> dict[str, Any]:
    """The settings of an integrator object: its own, which arguments may repeat but not contradict."""
    if integrator.model != model:
        raise ModelError(
            asked=f"integrator={integrator!r} in {where}",
            found=f"an integrator of another model, {integrator.model.name!r}",
            do="make the integrator for the model that is simulated",
        )
    settings = integrator.settings
    for option in options:
        _check_option(option, integrator.method, where)
    for name, value in {"dt": dt, "alpha": alpha, **options}.items():
        if value is not None and settings.get(name) != value:
            raise ModelError(
                asked=f"{name}={validate.shown(value)} in {where}",
                found=f"the integrator has {name}={validate.shown(settings[name])} of its own"
                if name in settings
                else f"the integrator has no {name}",
                do=f"leave {name} out, or give the integrator by name",
            )
    return settings
