"""Instants, starts, inputs and prescribed motions that cannot be: the exact text of every message."""

from __future__ import annotations

import numpy as np
import pytest

from bough import (
    State,
    System,
    simulate,
)
from support.error_runs import pendulum, run
from support.messages import Case, check_message

nan, inf = float("nan"), float("inf")

TWO = "write it as a function of (t, state) for feedback, such as u=lambda t, state: ..."

EITHER = "write it as a function of t, or of (t, state) for feedback, such as u=lambda t, state: ..."
OF_TIME = "write it as a function of t, such as k=lambda t: ..."

CASES: dict[str, Case] = {
    "u of nothing": (
        lambda: run(u=lambda: [0.0]),
        "u in a simulation of model 'arm'",
        "a function of (), which is called with the time alone",
        EITHER,
    ),
    "u of three": (
        lambda: run(u={"torque": lambda t, state, gain: 0.0}),
        "u['torque'] in a simulation of model 'arm'",
        "a function of (t, state, gain), which is called with (t, state)",
        EITHER,
    ),
    "k of nothing": (
        lambda: run(k=lambda: [0.0]),
        "k in a simulation of model 'arm'",
        "a function of (), which is called with the time alone",
        OF_TIME,
    ),
    "k of the state": (
        lambda: run(k={"rail": lambda t, state: 0.0}),
        "k['rail'] in a simulation of model 'arm'",
        "a function of (t, state), which is called with the time alone",
        OF_TIME,
    ),
    "k that takes the time for a state": (
        lambda: run(k=lambda state: [state.t]),
        "k in a simulation of model 'arm'",
        "a function of one argument is called with the time t, and this one fails: 'float' object has no"
        " attribute 't'",
        "write it as a function of t alone",
    ),
    "u of the state alone": (
        lambda: run(u=lambda state: [0.0]),
        "u in a simulation of model 'arm'",
        "a function of (state), which would be called with the time in place of the state",
        TWO,
    ),
    "u of state and time": (
        lambda: run(u={"torque": lambda state, t: 0.0}),
        "u['torque'] in a simulation of model 'arm'",
        "a function of (state, t), which would be called with the time in place of the state",
        TWO,
    ),
    "u that takes the time for a state": (
        lambda: run(u=lambda s: [-s.v[0]]),
        "u in a simulation of model 'arm'",
        "a function of one argument is called with the time t, and this one fails: 'float' object has no"
        " attribute 'v'",
        TWO,
    ),
    "u of a name that takes the time for a state": (
        lambda: run(u={"torque": lambda s: -s[0]}),
        "u['torque'] in a simulation of model 'arm'",
        "a function of one argument is called with the time t, and this one fails: 'float' object is not"
        " subscriptable",
        TWO,
    ),
    "system instead of a model": (
        lambda: simulate(System("s"), duration=1.0),
        "simulate(<System 's': 1 frame, 0 variables>, ...)",
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
    "dt too small": (
        lambda: run(dt=1e-300),
        "dt=1e-300 in a simulation of model 'arm'",
        "dt is so small that its square is zero in floating point",
        "give a larger step, in seconds, such as dt=0.01",
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
        "give 3 numbers, or a mapping from names to numbers; many starts are"
        " bough.ensemble(bough.Problem(...), {'q': rows})",
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
    "state and v and p": (
        lambda: run(q=State(0.0, [0, 0, 0]), v={"forearm": 1}, p={"forearm": 1}),
        "v and p in a simulation of model 'arm'",
        "both velocities and momenta",
        "give one of them",
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
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])
