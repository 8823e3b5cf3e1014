"""Steps that cannot be made: the exact text of every message."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bough import (
    Contact,
    ConvergenceError,
    DistanceConstraint,
    MidpointVI,
    PointConstraint,
    Sphere,
    State,
    System,
    Trajectory,
    kinematic,
    simulate,
)
from bough._core import core
from support.error_runs import arm, hanging, heavy, pendulum, step
from support.messages import Case, check_message

nan = float("nan")

CASES: dict[str, Case] = {
    "vi dt": (
        lambda: MidpointVI(arm(), nan),
        "dt=nan in MidpointVI of model 'arm'",
        "dt is not finite",
        "give dt as a finite number",
    ),
    "step dt too small": (
        lambda: step(dt=1e-300),
        "dt=1e-300 in MidpointVI of model 'arm'",
        "dt is so small that its square is zero in floating point",
        "give a larger step, in seconds, such as dt=0.01",
    ),
    "vi system": (
        lambda: MidpointVI(System("s"), 0.1),
        "integrator of <System 's': 1 frame, 0 variables>",
        "not a model",
        "give a model, made by system.build()",
    ),
    "vi q": (
        lambda: MidpointVI(arm(), 0.1).start([1.0, 2.0]),
        "q of MidpointVI of model 'arm'",
        "shape (2,), but the model has 3 variables",
        "give 3 numbers, or a mapping from names to numbers",
    ),
    "vi v and p": (
        lambda: MidpointVI(arm(), 0.1).start(v=[0, 0, 0], p=[0, 0]),
        "v and p in start() of MidpointVI of model 'arm'",
        "both velocities and momenta",
        "give one of them",
    ),
    "vi u": (
        lambda: step(u=[1.0, 2.0]),
        "u of MidpointVI of model 'arm'",
        "shape (2,), but the model has 1 input",
        "give 1 number, or a mapping from names to numbers",
    ),
    "vi u nan": (
        lambda: step(u=[nan]),
        "u of MidpointVI of model 'arm'",
        "nan for 'torque'",
        "give finite numbers",
    ),
    "vi k": (
        lambda: step(k={"slide": 1.0}),
        "kinematic variable 'slide' in k of MidpointVI of model 'arm'",
        "no kinematic variable has this name; the names are 'rail'",
        "use one of these names",
    ),
    "vi step dt": (
        lambda: step(dt=-1.0),
        "dt=-1.0 in MidpointVI of model 'arm'",
        "dt is negative",
        "give a step above zero, in seconds, such as dt=0.01",
    ),
    "vi state": (
        lambda: MidpointVI(arm(), 0.1).step(State(0.0, [1.0])),
        "step with MidpointVI of model 'arm'",
        "a state with 1 variable; the model has 3",
        "give a state of this model, made by start() or step()",
    ),
    "vi momenta of a state": (
        lambda: MidpointVI(arm(), 0.1).step(State(0.0, [1.0, 0.0, 0.0], p=[1.0, 0.0, 0.0])),
        "step with MidpointVI of model 'arm'",
        "a state with 3 momenta; the model has 2",
        "give a state of this model, made by start() or step()",
    ),
    "vi velocities of a state": (
        lambda: MidpointVI(arm(), 0.1).step(State(0.0, [1.0, 0.0, 0.0], [1.0])),
        "step with MidpointVI of model 'arm'",
        "a state with 1 velocity; the model has 3",
        "give a state of this model, made by start() or step()",
    ),
    "vi state of a model with more constraints": (
        lambda: MidpointVI(pendulum(), 0.1).step(MidpointVI(hanging(1.0), 0.1).start()),
        "step with MidpointVI of model 'pendulum'",
        "a state with 1 constraint force; the model has 0",
        "give a state of this model, made by start() or step()",
    ),
    "vi state of a model with fewer constraints": (
        lambda: MidpointVI(hanging(1.0), 0.1).step(MidpointVI(pendulum(), 0.1).start()),
        "step with MidpointVI of model 'hanging'",
        "a state with 0 constraint forces; the model has 1",
        "give a state of this model, made by start() or step()",
    ),
    "vi not state": (
        lambda: MidpointVI(arm(), 0.1).step([1.0]),
        "step with MidpointVI of model 'arm'",
        "[1.0], which is not a state",
        "give a state of this model, made by start() or step()",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])


# --- steps of a run ---


def stretched(**settings: Any) -> Trajectory:
    """A bob on a link of length 1 is pulled away from a hook at distance 1: farther than 2 is impossible."""
    system = System("wire")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    hook = system.world.tx(1.0, name="hook")
    system.add(DistanceConstraint("bob", hook, kinematic("length"), name="wire"))
    return simulate(
        system.build(),
        {"angle": 0.0, "length": np.sqrt(2)},
        k={"length": lambda t: np.sqrt(2) + 0.3 * t},
        duration=3.0,
        dt=0.01,
        **settings,
    )


def test_message_of_a_step_that_leads_elsewhere() -> None:
    """A pendulum, steps of a sixth of its period: Newton's method converges, to a root of another motion."""
    settings: dict[str, Any] = {"dt": 0.3, "max_halvings": 0}
    with pytest.raises(ConvergenceError) as caught:
        simulate(heavy(), {"angle": 1.0}, duration=3.0, **settings)
    assert str(caught.value) == (
        "step 4 of 10 of a simulation of model 'heavy', from t = 0.9 to 1.2\n"
        "  found: Newton's method converged only to a solution far from where the motion led, or with an"
        " energy that nothing gave\n"
        "  do: take a smaller dt, or look at the motion before it, which this exception carries"
        " as .trajectory (on_failure='stop' returns it instead)"
    )
    assert caught.value.iterations == 0  # the last attempt begins at the root
    assert caught.value.residual <= 3e-11

    vi = MidpointVI(heavy(), **settings)
    state = vi.start({"angle": 1.0})
    for _ in range(3):
        state = vi.step(state)
    with pytest.raises(ConvergenceError) as alone:
        vi.step(state)
    assert alone.value.found == caught.value.found
    assert alone.value.iterations > 0


def test_message_of_a_step_whose_contacts_are_not_followed() -> None:
    """Its equations are solved: nothing is said of Newton's method, and the parts of shapes come first."""
    system = System("ball")
    system.world.tz("z", name="ball", mass=1.0)
    system.add(Contact("ball", Sphere(0.1), name="floor"))
    vi = MidpointVI(system.build(), dt=0.01)
    assert vi.failure_text(core.StepStatus.no_convergence, 0.0, 0) == (
        "the equations of the step are solved, but its contacts could not be followed: shapes touch with another"
        " part of theirs than the step began with, or an impact in it was not found or has no solution;"
        " or this is a solution far from where the motion led, or with an energy that nothing gave"
    )


def test_message_of_a_step_that_does_not_converge() -> None:
    with pytest.raises(ConvergenceError) as caught:
        stretched(max_iterations=15, max_halvings=3)
    residual = caught.value.residual
    assert str(caught.value) == (
        "step 196 of 300 of a simulation of model 'wire', from t = 1.95 to 1.96\n"
        "  found: Newton's method did not converge in 15 iterations, nor after 3 halvings of the step;"
        f" the largest relative residual is {residual:.2g}, of constraint 'wire';"
        " the mechanism locks: no configuration is found that meets the constraints at length = 2.002\n"
        "  do: prescribe a motion that the mechanism can follow, or change its lengths; the motion before it is"
        " .trajectory of this exception (on_failure='stop' returns it instead)"
    )


def test_message_of_a_single_step_that_does_not_converge() -> None:
    run = stretched(on_failure="stop")
    vi = MidpointVI(run.model, 0.01)
    with pytest.raises(ConvergenceError) as caught:
        vi.step(run[-1], k={"length": 2.1})
    assert str(caught.value) == (
        "step from t = 1.95 to 1.96 with MidpointVI of model 'wire'\n"
        "  found: Newton's method did not converge in 20 iterations, nor after 6 halvings of the step;"
        f" the largest relative residual is {caught.value.residual:.2g}, of constraint 'wire'\n"
        "  do: take a smaller dt; if that fails too, the motion may run into a singular configuration"
    )
    assert caught.value.time == run.t[-1]


def test_message_of_a_method_of_scipy_that_stops() -> None:
    with pytest.raises(ConvergenceError) as caught:
        stretched(integrator="dop853")
    first, found, do = str(caught.value).split("\n")
    assert first == "step 196 of 300 of a simulation of model 'wire', from t = 1.95 to 1.96"
    assert found.startswith("  found: the method stopped at t = 1.95")
    assert do == (
        "  do: look at the motion before it, which this exception carries as .trajectory"
        " (on_failure='stop' returns it instead); smaller rtol and atol may help"
    )


def test_message_of_a_drive_that_a_linkage_cannot_follow() -> None:
    """A rod and a rocker in line reach 0.6 m: the crank of 0.6 m turns until its pin is that far from the rocker."""
    system = System("short", gravity=None)
    crank = system.world.ry(kinematic("crank")).tx(0.6, name="crank pin")
    rod = crank.ry("rod").tx(0.45, name="rod end", mass=1.0)
    system.world.tx(1.0).ry("rocker").tx(0.15, name="rocker end", mass=1.0)
    system.add(PointConstraint(rod, "rocker end", axes=((1, 0, 0), (0, 0, 1)), name="pin"))
    model = system.build()
    start = model.assemble({"rod": -0.3, "rocker": -1.5})
    most = np.arccos((1.0 + 0.6**2 - 0.6**2) / (2.0 * 0.6))  # the law of cosines; the pivots are 1 m apart
    with pytest.raises(ConvergenceError) as caught:
        simulate(model, start.q, k={"crank": lambda t: t}, duration=2.0, dt=0.01)
    assert caught.value.found.endswith(
        "; the mechanism locks: no configuration is found that meets the constraints at crank ="
        f" {0.01 * np.ceil(most / 0.01):.4g}"
    )
    assert caught.value.do == (
        "prescribe a motion that the mechanism can follow, or change its lengths; the motion before it is .trajectory"
        " of this exception (on_failure='stop' returns it instead)"
    )
