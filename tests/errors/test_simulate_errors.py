"""Integrators and their options that cannot be: the exact text of every message."""

from __future__ import annotations

import pytest

from bough import MidpointVI, simulate
from bough.registry import INTEGRATORS
from support.error_runs import arm, hanging, pendulum, run
from support.messages import Case, check_message

nan = float("nan")

CASES: dict[str, Case] = {
    "integrator": (
        lambda: run(integrator="midpint"),
        "integrator 'midpint' in a simulation of model 'arm'",
        "no integrator has this name; the nearest is 'midpoint'",
        "correct the spelling",
    ),
    "integrator number": (
        lambda: run(integrator=3),
        "integrator '3' in a simulation of model 'arm'",
        f"no integrator has this name; the names are {', '.join(map(repr, INTEGRATORS))}",
        "use one of these names",
    ),
    "integrator of other": (
        lambda: run(integrator=MidpointVI(pendulum(), 0.1), dt=None),
        "integrator=MidpointVI('pendulum', dt=0.1, alpha=0.5) in a simulation of model 'arm'",
        "an integrator of another model, 'pendulum'",
        "make the integrator for the model that is simulated",
    ),
    "integrator dt": (
        lambda: run(integrator=MidpointVI(arm(), 0.2)),
        "dt=0.1 in a simulation of model 'arm'",
        "the integrator has dt=0.2 of its own",
        "leave dt out, or give the integrator by name",
    ),
    "integrator option": (
        lambda: run(integrator=MidpointVI(arm(), 0.1), rtol=1e-3),
        "option 'rtol' in a simulation of model 'arm' with integrator 'midpoint'",
        "an option of 'dop853', 'rk45', 'rk23', 'scipy-dop853', 'radau', 'bdf', 'lsoda'; those of 'midpoint'"
        " are 'tolerance', 'constraint_tolerance', 'max_iterations', 'max_halvings', 'order', 'locate', 'alpha'",
        "leave rtol out, or use integrator='dop853'",
    ),
    "argument misspelt": (
        lambda: simulate(arm(), durration=1.0),  # and no duration, which is only what follows from it
        "option 'durration' in a simulation of model 'arm' with integrator 'midpoint'",
        "no option has this name; the nearest is 'duration'",
        "correct the spelling",
    ),
    "argument that is an option too, misspelt": (
        lambda: run(alhpa=0.5),
        "option 'alhpa' in a simulation of model 'arm' with integrator 'midpoint'",
        "no option has this name; the nearest is 'alpha'",
        "correct the spelling",
    ),
    "argument misspelt, with an integrator": (
        lambda: simulate(arm(), durration=1.0, integrator=MidpointVI(arm(), 0.1)),
        "option 'durration' in a simulation of model 'arm' with integrator 'midpoint'",
        "no option has this name; the nearest is 'duration'",
        "correct the spelling",
    ),
    "option of maximal coordinates": (
        lambda: run(contacts=[]),
        "option 'contacts' in a simulation of model 'arm' with integrator 'midpoint'",
        "an option of 'velocity'; those of 'midpoint' are 'tolerance', 'constraint_tolerance',"
        " 'max_iterations', 'max_halvings', 'order', 'locate', 'alpha'",
        "leave contacts out, or use integrator='velocity'",
    ),
    "option of no integrator": (
        lambda: run(integrator="rk4", rubber=1.0),
        "option 'rubber' in a simulation of model 'arm' with integrator 'rk4'",
        "an integrator without options",
        "leave rubber out",
    ),
    "option": (
        lambda: run(tolerence=1e-3),
        "option 'tolerence' in a simulation of model 'arm' with integrator 'midpoint'",
        "no option has this name; the nearest is 'tolerance'",
        "correct the spelling",
    ),
    "option of scipy": (
        lambda: run(integrator="rk45", tolerance=1e-3),
        "option 'tolerance' in a simulation of model 'arm' with integrator 'rk45'",
        "an option of 'midpoint', 'trapezoidal', 'reduced', 'implicit-midpoint', 'penalty-implicit'; those of"
        " 'rk45' are 'rtol', 'atol', 'max_step', 'first_step'",
        "leave tolerance out, or use integrator='midpoint'",
    ),
    "rtol": (
        lambda: run(integrator="rk45", rtol=0.0),
        "rtol=0.0 in a simulation of model 'arm'",
        "rtol is not above zero",
        "give rtol above zero",
    ),
    "tolerance": (
        lambda: run(tolerance=-1.0),
        "tolerance=-1.0 in MidpointVI of model 'arm'",
        "tolerance is not above zero",
        "give tolerance above zero",
    ),
    "max_iterations": (
        lambda: run(max_iterations=0),
        "max_iterations=0 in MidpointVI of model 'arm'",
        "max_iterations is not a whole number of 1 or more",
        "give max_iterations as a whole number, such as 20",
    ),
    "too many max_halvings": (
        lambda: run(max_halvings=10**9),
        "max_halvings=1000000000 in MidpointVI of model 'arm'",
        "max_halvings is above 60",
        "give max_halvings as a whole number, such as 6",
    ),
    "max_halvings": (
        lambda: run(max_halvings=1.5),
        "max_halvings=1.5 in MidpointVI of model 'arm'",
        "max_halvings is not a whole number of 0 or more",
        "give max_halvings as a whole number, such as 6",
    ),
    "alpha": (
        lambda: run(alpha=1.5),
        "alpha=1.5 in MidpointVI of model 'arm'",
        "alpha is not between 0 and 1",
        "give alpha from 0 to 1; 0.5 gives second order",
    ),
    "alpha nan": (
        lambda: run(alpha=nan),
        "alpha=nan in MidpointVI of model 'arm'",
        "alpha is not finite",
        "give alpha as a finite number",
    ),
    "alpha scipy": (
        lambda: run(alpha=0.5, integrator="rk45"),
        "alpha=0.5 in a simulation of model 'arm'",
        "the integrator 'rk45' has no alpha",
        "leave alpha out, or use integrator='midpoint'",
    ),
    "alpha trapezoidal": (
        lambda: run(alpha=0.5, integrator="trapezoidal"),
        "alpha=0.5 in a simulation of model 'arm'",
        "the integrator 'trapezoidal' has no alpha",
        "leave alpha out, or use integrator='midpoint'",
    ),
    "on_failure": (
        lambda: run(on_failure="ignore"),
        "choice of on_failure 'ignore' in a simulation of model 'arm'",
        "no choice of on_failure has this name; the names are 'raise', 'stop'",
        "use one of these names",
    ),
    "stabilization vi": (
        lambda: run(stabilization="projection"),
        "stabilization='projection' in a simulation of model 'arm'",
        "a variational integrator, which meets the constraints at every step",
        "leave stabilization out, or use another integrator, such as 'dop853'",
    ),
    "stabilization": (
        lambda: run(integrator="rk45", stabilization="baumgarte"),
        "stabilization='baumgarte' in a simulation of model 'arm'",
        "not a method of stabilisation",
        "give 'projection', or ('baumgarte', g1, g2) with gains in 1/s, such as ('baumgarte', 10.0, 10.0)",
    ),
    "option of another integrator": (
        lambda: run(integrator="rk4", tolerance=1e-9),
        "option 'tolerance' in a simulation of model 'arm' with integrator 'rk4'",
        "an option of 'midpoint', 'trapezoidal', 'reduced', 'implicit-midpoint', 'penalty-implicit'; 'rk4'"
        " has none",
        "leave tolerance out, or use integrator='midpoint'",
    ),
    "tolerance of the implicit midpoint": (
        lambda: run(integrator="implicit-midpoint", tolerance=-1.0),
        "tolerance=-1.0 in a simulation of model 'arm'",
        "tolerance is not above zero",
        "give tolerance above zero",
    ),
    "iterations of the implicit midpoint": (
        lambda: run(integrator="implicit-midpoint", max_iterations=0.5),
        "max_iterations=0.5 in a simulation of model 'arm'",
        "max_iterations is not a whole number of 1 or more",
        "give max_iterations as a whole number, such as 50",
    ),
    "stabilization gains": (
        lambda: run(integrator="rk45", stabilization=("baumgarte", 1.0, -2.0)),
        "stabilization=('baumgarte', 1.0, -2.0) in a simulation of model 'arm'",
        "a gain that is not a number of zero or more",
        "give 'projection', or ('baumgarte', g1, g2) with gains in 1/s, such as ('baumgarte', 10.0, 10.0)",
    ),
    "start off the constraint": (
        lambda: run(hanging()),
        "start of a simulation of model 'hanging'",
        "q does not meet constraint 'wire': it is off by -0.5",
        "start where it holds: model.assemble(q=...) finds the nearest q (simulate: assemble=True)",
    ),
    "integrator started off the constraint": (
        lambda: MidpointVI(hanging(), 0.1).start(),
        "start of MidpointVI of model 'hanging'",
        "q does not meet constraint 'wire': it is off by -0.5",
        "start where it holds: model.assemble(q=...) finds the nearest q (simulate: assemble=True)",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])
