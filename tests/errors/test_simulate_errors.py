"""Simulations and integrators that cannot be: the exact text of every message."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bough import (
    ConfigurationForce,
    ConvergenceError,
    DistanceConstraint,
    MidpointVI,
    Model,
    State,
    System,
    Trajectory,
    kinematic,
    simulate,
)
from bough._families import INTEGRATORS
from support.messages import Case, check_message

nan, inf = float("nan"), float("inf")


def arm() -> Model:
    system = System("arm")
    rail = system.world.tx(kinematic("rail"), mass=1.0)
    elbow = rail.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    system.add(ConfigurationForce("shoulder", "torque"))
    return system.build()


def pendulum() -> Model:
    system = System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    return system.build()


def heavy() -> Model:
    system = System("heavy")
    system.world.ry("angle").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    return system.build()


def hanging(wire: float = 1.5) -> Model:
    """A pendulum of length 1 on a wire, of length 1.5 if nothing else is said."""
    system = System("hanging")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    system.add(DistanceConstraint("bob", "world", wire, name="wire"))
    return system.build()


def run(model: Model | None = None, **settings: Any) -> Trajectory:
    """Ten steps."""
    return simulate(arm() if model is None else model, **{"duration": 1.0, "dt": 0.1, **settings})


def step(**options: Any) -> State:
    vi = MidpointVI(arm(), 0.1)
    return vi.step(vi.start(), **options)


# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "system instead of a model": (
        lambda: simulate(System("s"), duration=1.0),
        "simulate(<System 's': 1 frames, 0 variables>, ...)",
        "not a model",
        "give system.build() in place of the system",
    ),
    "number instead of a model": (
        lambda: simulate(3, duration=1.0),
        "simulate(3, ...)",
        "not a model",
        "give a model, made by system.build()",
    ),
    "dt zero": (
        lambda: run(dt=0.0),
        "dt=0.0 in a simulation of model 'arm'",
        "dt is zero",
        "give a step above zero, in seconds, such as dt=0.01",
    ),
    "dt negative": (
        lambda: run(dt=-0.1),
        "dt=-0.1 in a simulation of model 'arm'",
        "dt is negative",
        "give a step above zero, in seconds, such as dt=0.01",
    ),
    "dt nan": (
        lambda: run(dt=nan),
        "dt=nan in a simulation of model 'arm'",
        "dt is not finite",
        "give dt as a finite number",
    ),
    "dt a string": (
        lambda: run(dt="0.1"),
        "dt='0.1' in a simulation of model 'arm'",
        "dt is not a number",
        "give dt as a real number",
    ),
    "dt zero with SciPy's methods": (
        lambda: run(dt=0, integrator="dop853"),
        "dt=0 in a simulation of model 'arm'",
        "dt is zero",
        "give a step above zero, in seconds, such as dt=0.01",
    ),
    "duration negative": (
        lambda: run(duration=-1.0),
        "duration=-1.0 in a simulation of model 'arm'",
        "duration is negative",
        "give a duration of zero or more, in seconds; to run backwards, reverse v",
    ),
    "duration nan": (
        lambda: run(duration=nan),
        "duration=nan in a simulation of model 'arm'",
        "duration is not finite",
        "give duration as a finite number",
    ),
    "duration inf": (
        lambda: run(duration=inf),
        "duration=inf in a simulation of model 'arm'",
        "duration is not finite",
        "give duration as a finite number",
    ),
    "too many steps": (
        lambda: run(duration=1e300),
        "duration=1e+300, dt=0.1 in a simulation of model 'arm'",
        "1e+301 steps",
        "give a larger dt or a shorter duration",
    ),
    "memory": (
        lambda: run(duration=1e14),
        "a simulation of model 'arm'",
        "1000000000000000 steps, of which 1000000000000001 are recorded: more than fits into the memory",
        "record fewer of them with every=, give a larger dt or a shorter duration",
    ),
    "every zero": (
        lambda: run(every=0),
        "every=0 in a simulation of model 'arm'",
        "every is not a whole number of steps",
        "give every=1 to record every step, every=10 to record every tenth",
    ),
    "every not whole": (
        lambda: run(every=1.5),
        "every=1.5 in a simulation of model 'arm'",
        "every is not a whole number of steps",
        "give every=1 to record every step, every=10 to record every tenth",
    ),
    "t0 nan": (
        lambda: run(t0=nan),
        "t0=nan in a simulation of model 'arm'",
        "t0 is not finite",
        "give t0 as a finite number",
    ),
    "q nan": (
        lambda: run(q=[0.0, nan, 0.0]),
        "q of a simulation of model 'arm'",
        "nan for 'forearm'",
        "give finite numbers",
    ),
    "q nan by name": (
        lambda: run(q={"shoulder": nan}),
        "q of a simulation of model 'arm'",
        "nan for 'shoulder'",
        "give finite numbers",
    ),
    "q too short": (
        lambda: run(q=[0.0, 1.0]),
        "q of a simulation of model 'arm'",
        "shape (2,), but the model has 3 variables",
        "give 3 numbers, or a mapping from names to numbers",
    ),
    "q a batch": (
        lambda: run(q=np.zeros((4, 3))),
        "q of a simulation of model 'arm'",
        "shape (4, 3), but the model has 3 variables",
        "give 3 numbers, or a mapping from names to numbers",
    ),
    "q unknown name": (
        lambda: run(q={"sholder": 0.8}),
        "variable 'sholder' in q of a simulation of model 'arm'",
        "no variable has this name; the nearest is 'shoulder'",
        "correct the spelling",
    ),
    "v nan": (
        lambda: run(v=[0.0, 0.0, inf]),
        "v of a simulation of model 'arm'",
        "inf for 'rail'",
        "give finite numbers",
    ),
    "v size": (
        lambda: run(v=[1.0]),
        "v of a simulation of model 'arm'",
        "shape (1,), but the model has 3 variables",
        "give 3 numbers, or a mapping from names to numbers",
    ),
    "p size": (
        lambda: run(p=[1.0, 2.0, 3.0]),
        "p of a simulation of model 'arm'",
        "shape (3,), but the model has 2 dynamic variables",
        "give 2 numbers, or a mapping from names to numbers",
    ),
    "p nan": (
        lambda: run(p=[1.0, nan]),
        "p of a simulation of model 'arm'",
        "nan for 'forearm'",
        "give finite numbers",
    ),
    "v and p": (
        lambda: run(v=[0, 0, 0], p=[0, 0]),
        "v and p in a simulation of model 'arm'",
        "both velocities and momenta",
        "give one of them",
    ),
    "state and v": (
        lambda: run(q=State(0.0, [0, 0, 0]), v=[1, 0, 0]),
        "v in a simulation of model 'arm'",
        "q is a state, which has its own velocities",
        "give q=state alone, or q=state.q with other velocities",
    ),
    "v of a kinematic variable that is held": (
        lambda: run(v={"rail": 1.0}),
        "v of a simulation of model 'arm'",
        "a velocity for 'rail', a kinematic variable that is held: k does not move it",
        "prescribe its motion, such as k={'rail': lambda t: ...}, or leave it out of v",
    ),
    "u nan": (
        lambda: run(u=[nan]),
        "u of a simulation of model 'arm'",
        "nan for 'torque'",
        "give finite numbers",
    ),
    "u size": (
        lambda: run(u=[1.0, 2.0]),
        "u in a simulation of model 'arm'",
        "shape (2,)",
        "give shape (1,) or (10, 1): one row for each step",
    ),
    "u wrong number of rows": (
        lambda: run(u=np.zeros((7, 1))),
        "u in a simulation of model 'arm'",
        "shape (7, 1)",
        "give shape (1,) or (10, 1): one row for each step",
    ),
    "u unknown name": (
        lambda: run(u={"torqe": 1.0}),
        "input 'torqe' in u of a simulation of model 'arm'",
        "no input has this name; the nearest is 'torque'",
        "correct the spelling",
    ),
    "u wrong length by name": (
        lambda: run(u={"torque": np.zeros(7)}),
        "u['torque'] in a simulation of model 'arm'",
        "shape (7,)",
        "give one number, or 10 of them: one row for each step",
    ),
    "u 3d": (
        lambda: run(u=np.zeros((2, 10, 1))),
        "u in a simulation of model 'arm'",
        "shape (2, 10, 1)",
        "give shape (1,) or (10, 1): one row for each step",
    ),
    "u row nan": (
        lambda: run(u=np.array([[0.0]] * 6 + [[nan]] + [[0.0]] * 3)),
        "u of a simulation of model 'arm'",
        "nan for 'torque' in row 6",
        "give finite numbers",
    ),
    "u function size": (
        lambda: run(u=lambda t, state: [1.0, 2.0]),
        "u(0, state) of a simulation of model 'arm'",
        "shape (2,), but the model has 1 input",
        "give 1 number, or a mapping from names to numbers",
    ),
    "u function nan": (
        lambda: run(u=lambda t, state: [nan if t > 0.25 else 0.0]),
        "u(0.3, state) of a simulation of model 'arm'",
        "nan for 'torque'",
        "give finite numbers",
    ),
    "u function none": (
        lambda: run(u=lambda t, state: None),
        "u(0, state) of a simulation of model 'arm'",
        "None, but the model has 1 input",
        "give 1 number, or a mapping from names to numbers",
    ),
    "u function batch": (
        lambda: run(u=lambda t, state: [[1.0]]),
        "u(0, state) of a simulation of model 'arm'",
        "shape (1, 1), but the model has 1 input",
        "give 1 number, or a mapping from names to numbers",
    ),
    "u function by name": (
        lambda: run(u={"torque": lambda t, state: nan}),
        "u['torque'](0, state)=nan in a simulation of model 'arm'",
        "u['torque'](0, state) is not finite",
        "give u['torque'](0, state) as a finite number",
    ),
    "u function by wrong name": (
        lambda: run(u={"twist": lambda t, state: 0.0}),
        "input 'twist' in u of a simulation of model 'arm'",
        "no input has this name; the names are 'torque'",
        "use one of these names",
    ),
    "u without inputs": (
        lambda: run(pendulum(), u=[1.0]),
        "u in a simulation of model 'pendulum'",
        "model 'pendulum' has no inputs",
        "leave u out, or add a force with an input, such as ConfigurationForce('joint', 'torque')",
    ),
    "u function without inputs": (
        lambda: run(pendulum(), u=lambda t, state: []),
        "u in a simulation of model 'pendulum'",
        "model 'pendulum' has no inputs",
        "leave u out, or add a force with an input, such as ConfigurationForce('joint', 'torque')",
    ),
    "k nan": (
        lambda: run(k={"rail": nan}),
        "k of a simulation of model 'arm'",
        "nan for 'rail'",
        "give finite numbers",
    ),
    "k function nan": (
        lambda: run(k={"rail": lambda t: nan}),
        "k['rail'](0)=nan in a simulation of model 'arm'",
        "k['rail'](0) is not finite",
        "give k['rail'](0) as a finite number",
    ),
    "k function size": (
        lambda: run(k=lambda t: [1.0, 2.0]),
        "k(0) of a simulation of model 'arm'",
        "shape (2,), but the model has 1 kinematic variable",
        "give 1 number, or a mapping from names to numbers",
    ),
    "k rows": (
        lambda: run(k=np.zeros((10, 1))),
        "k in a simulation of model 'arm'",
        "shape (10, 1)",
        "give shape (1,) or (11, 1): one row for the start and one for the end of each step",
    ),
    "k column": (
        lambda: run(k={"rail": np.zeros(10)}),
        "k['rail'] in a simulation of model 'arm'",
        "shape (10,)",
        "give one number, or 11 of them: one row for the start and one for the end of each step",
    ),
    "k name": (
        lambda: run(k={"rial": 1.0}),
        "kinematic variable 'rial' in k of a simulation of model 'arm'",
        "no kinematic variable has this name; the nearest is 'rail'",
        "correct the spelling",
    ),
    "k dynamic": (
        lambda: run(k={"shoulder": 1.0}),
        "kinematic variable 'shoulder' in k of a simulation of model 'arm'",
        "no kinematic variable has this name; the names are 'rail'",
        "use one of these names",
    ),
    "k without": (
        lambda: run(pendulum(), k=[1.0]),
        "k in a simulation of model 'pendulum'",
        "model 'pendulum' has no kinematic variables",
        "leave k out, or write bough.kinematic('name') for a variable whose motion is prescribed",
    ),
    "k against q": (
        lambda: run(q={"rail": 1.0}, k={"rail": 2.0}),
        "k in a simulation of model 'arm'",
        "'rail' starts at 2 in k, but at 1 in q",
        "give the same value in both, or leave it out of q",
    ),
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
        "rtol=0.001 in a simulation of model 'arm'",
        "the integrator has no rtol",
        "leave rtol out, or give the integrator by name",
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
        "no option has this name; the names are 'rtol', 'atol', 'max_step', 'first_step'",
        "use one of these names",
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
        "not a way to stabilise",
        "give 'projection', or ('baumgarte', g1, g2) with gains in 1/s, such as ('baumgarte', 10.0, 10.0)",
    ),
    "option of another integrator": (
        lambda: run(integrator="rk4", tolerance=1e-9),
        "option 'tolerance' in a simulation of model 'arm' with integrator 'rk4'",
        "an integrator without options",
        "leave tolerance out",
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
    "vi dt": (
        lambda: MidpointVI(arm(), nan),
        "dt=nan in MidpointVI of model 'arm'",
        "dt is not finite",
        "give dt as a finite number",
    ),
    "vi system": (
        lambda: MidpointVI(System("s"), 0.1),
        "integrator of <System 's': 1 frames, 0 variables>",
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
        "a state with 1 variables; the model has 3",
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
        "a state with 1 velocities; the model has 3",
        "give a state of this model, made by start() or step()",
    ),
    "vi state of a model with more constraints": (
        lambda: MidpointVI(pendulum(), 0.1).step(MidpointVI(hanging(1.0), 0.1).start()),
        "step with MidpointVI of model 'pendulum'",
        "a state with 1 constraint forces; the model has 0",
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


# --- steps that cannot be made ---


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
        "  found: Newton's method converged only to a solution far from where the motion led\n"
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


def test_message_of_a_step_that_does_not_converge() -> None:
    with pytest.raises(ConvergenceError) as caught:
        stretched(max_iterations=15, max_halvings=3)
    residual = caught.value.residual
    assert str(caught.value) == (
        "step 196 of 300 of a simulation of model 'wire', from t = 1.95 to 1.96\n"
        "  found: Newton's method did not converge in 15 iterations, nor after 3 halvings of the step;"
        f" the largest relative residual is {residual:.2g}, of constraint 'wire'\n"
        "  do: take a smaller dt, or look at the motion before it, which this exception carries"
        " as .trajectory (on_failure='stop' returns it instead)"
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
