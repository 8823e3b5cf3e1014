"""The integrators by name: one registry for `simulate`, `compare` and the command line.

A family is a group of integrators that one class runs. Adding one to `FAMILIES` makes its names known
everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from bough.errors import unknown_name
from bough.integrators import continuous_run as _continuous
from bough.integrators import dop853_run as _dop853
from bough.integrators import fixed_step_run as _one_step
from bough.integrators.density_run import DensityRun
from bough.integrators.fixed_step_run import FixedStepRun
from bough.integrators.gauss import of_stages
from bough.integrators.gauss_run import GaussRun
from bough.integrators.reduced import LIMITS as REDUCED_LIMITS
from bough.integrators.reduced import ReducedVI
from bough.integrators.reduced_run import ReducedRun
from bough.integrators.run import Plan, Run
from bough.integrators.scipy_run import METHODS as SCIPY_METHODS
from bough.integrators.scipy_run import ScipyRun
from bough.integrators.settings import LIMITS, count
from bough.integrators.stabilization import no_stabilization, stabilization
from bough.integrators.variational import VARIATIONAL
from bough.integrators.variational_run import VariationalRun
from bough.maximal import _settings as maximal
from bough.maximal._run import MaximalRun
from bough.model.configurations import refuse_balls
from bough.model.model import Model
from bough.validate import positive


class Choice(NamedTuple):
    """What a user chose, with the step checked already.

    Attributes
    ----------
    options : the options given, all of them of this family
    where : for messages
    """

    model: Model
    name: str
    dt: float
    stabilization: Any
    options: Mapping[str, Any]
    where: str


class Family(NamedTuple):
    """Integrators that one class runs.

    Attributes
    ----------
    title : what `bough compare` calls the formulation
    names : the names of the integrators
    options : the options of an integrator, by its name
    settings : everything that makes a run, in plain values, checked; "integrator" and "dt" among them
    runner : from the plan of a run, whose settings these are, to what runs it
    adaptive : dt is only the distance of the instants recorded
    """

    title: str
    names: tuple[str, ...]
    options: Callable[[str], Mapping[str, Any]]
    settings: Callable[[Choice], dict[str, Any]]
    runner: Callable[[Plan], Run]
    adaptive: bool = False


def _variational(choice: Choice) -> dict[str, Any]:
    no_stabilization(choice.stabilization, choice.where)
    return VARIATIONAL[choice.name](choice.model, choice.dt, **choice.options).settings


def _variational_run(plan: Plan) -> Run:
    if "tol" in plan.settings:
        return DensityRun(plan)
    staged = plan.settings["order"] > 2 and of_stages(plan.settings)
    return GaussRun(plan) if staged else VariationalRun(plan)


def _reduced(choice: Choice) -> dict[str, Any]:
    no_stabilization(choice.stabilization, choice.where)
    return ReducedVI(choice.model, choice.dt, **choice.options).settings


def _one_step_settings(choice: Choice) -> dict[str, Any]:
    if choice.name == "implicit-midpoint":
        refuse_balls(
            choice.model,
            "integrator 'implicit-midpoint'",
            "use 'midpoint', which moves balls along geodesics",
        )
    settings: dict[str, Any] = {"integrator": choice.name, "dt": choice.dt}
    for option, default in _one_step_options(choice.name).items():
        value = choice.options.get(option, default)
        settings[option] = (
            count(value, option, 1, choice.where, int(default))
            if option == "max_iterations"
            else positive(value, option, choice.where)
        )
    settings["stabilization"] = stabilization(choice.stabilization, choice.where)
    return settings


def _one_step_options(name: str) -> Mapping[str, float]:
    return _one_step.LIMITS if name == "implicit-midpoint" else {}


def _continuous_settings(choice: Choice) -> dict[str, Any]:
    settings: dict[str, Any] = {"integrator": choice.name, "dt": choice.dt}
    for option, default in _continuous.OPTIONS.items():
        value = choice.options.get(option, default)
        settings[option] = None if value is None else positive(value, option, choice.where)
    settings["stabilization"] = stabilization(choice.stabilization, choice.where)
    return settings


def _maximal(choice: Choice) -> dict[str, Any]:
    refuse_balls(
        choice.model, f"integrator {choice.name!r}", "use spherical(name) or free(name) in place of balls"
    )
    return maximal.settings(choice.name, choice.dt, choice.stabilization, choice.options, choice.where)


FAMILIES = (
    Family(
        "variational",
        tuple(VARIATIONAL),
        lambda name: {**LIMITS, "locate": True, **({"alpha": 0.5} if name == "midpoint" else {})},
        _variational,
        _variational_run,
    ),
    Family(
        "reduced",
        (ReducedVI.method,),
        lambda name: {**REDUCED_LIMITS, "alpha": 0.5, "tau": "cayley"},
        _reduced,
        ReducedRun,
    ),
    Family("generalised", _one_step.METHODS, _one_step_options, _one_step_settings, FixedStepRun),
    Family(
        "maximal", tuple(maximal.INTEGRATORS), lambda name: maximal.INTEGRATORS[name], _maximal, MaximalRun
    ),
    Family(
        "generalised",
        (_dop853.METHOD,),
        lambda name: _continuous.OPTIONS,
        _continuous_settings,
        _dop853.Dop853Run,
        adaptive=True,
    ),
    Family(
        "SciPy",
        tuple(SCIPY_METHODS),
        lambda name: _continuous.OPTIONS,
        _continuous_settings,
        ScipyRun,
        adaptive=True,
    ),
)
FAMILY = {name: family for family in FAMILIES for name in family.names}
INTEGRATORS = tuple(FAMILY)


def options_of(integrator: str) -> list[str]:
    """The names of the options of an integrator."""
    return list(family_of(integrator, "")[0].options(integrator))


def family_of(integrator: Any, where: str) -> tuple[Family, str]:
    """The family of an integrator and its name in lower case; raises if the name is unknown."""
    name = integrator.lower() if isinstance(integrator, str) else ""
    if name in FAMILY:
        return FAMILY[name], name
    raise unknown_name("integrator", str(integrator), INTEGRATORS, where, len(INTEGRATORS))
