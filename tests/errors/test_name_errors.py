"""Names and words of other programs: the message says what to write here."""

from __future__ import annotations

from typing import Any

import pytest

import bough
from support.messages import check_message


def two_motors() -> bough.Model:
    system = bough.System("arm")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="hand", mass=1.0)
    system.add(bough.ConfigurationForce("shoulder", "first"))
    system.add(bough.ConfigurationForce("forearm", "second"))
    return system.build()


ARM = two_motors()
RUN = bough.simulate(ARM, {"shoulder": 0.3}, {"forearm": 0.5}, duration=0.05)
BALL = bough.Sphere(0.1)
CONTACT = "frame, shape, against, at=, against_at=, normal=, origin=, friction=, restitution=, name="
PLANE = "frame, against, name=, points=, radius=, normal=, origin=, friction=, restitution="
ONE = "contacts have one coefficient, the same at rest, in sliding and in all directions"
ONE_DO = (
    "give one number, such as friction=0.5; what turns or rolls with a loss of its own has bough.DryFriction on its"
    " variable"
)

ERRORS: dict[str, tuple[Any, str, str, str]] = {
    "a frame as a column": (
        lambda: RUN["hand"],
        "run['hand'] of model 'arm'",
        "'hand' is a frame; run[...] gives columns of variables, inputs and constraints",
        "write run.pose('hand'), its poses, or run.pose('hand')[:, :3, 3], its positions",
    ),
    "accelerations": (
        lambda: RUN["a.forearm"],
        "run['a.forearm'] of model 'arm'",
        "accelerations are not recorded",
        "write run.model.acceleration(run.q, run.v, run.u)[:, 1], or np.gradient(run['v.forearm'], run.t)",
    ),
    "velocities": (
        lambda: RUN["qd.forearm"],
        "run['qd.forearm'] of model 'arm'",
        "velocities are called v, run['v.forearm']",
        "write run['v.forearm']",
    ),
    "energy": (
        lambda: RUN["energy"],
        "run['energy'] of model 'arm'",
        "no column, but a quantity of its own",
        "write run.energy(), run.kinetic_energy() or run.potential_energy()",
    ),
    "a frame of a state": (
        lambda: RUN[0]["hand"],
        "variable 'hand' in model 'arm'",
        "no variable has this name; the names are 'shoulder', 'forearm'",
        "use one of these names",
    ),
    "an acceleration of a state": (
        lambda: RUN[0]["a.forearm"],
        "state['a.forearm'] of model 'arm'",
        "accelerations are not recorded",
        "write model.acceleration(state.q, state.v, u)[1]",
    ),
    "an input of a state": (
        lambda: RUN[0]["u.first"],
        "state['u.first'] of model 'arm'",
        "inputs are no part of a state",
        "write run['u.first'], which a run has",
    ),
    "momenta of a state without": (
        lambda: ARM.assemble()["p.forearm"],
        "state['p.forearm'] of model 'arm'",
        "a state without p",
        "take a state of a run, which has p",
    ),
    "a place in a state": (
        lambda: RUN[0][0],
        "state[0]",
        "a state is one instant, whose numbers have names",
        "write state.q[0], state.v[0] or state['NAME']; run[0] is a state of a run",
    ),
    "a state without a model": (
        lambda: bough.State(0.0, [0.0])["x"],
        "state['x']",
        "a state that was made without a model, whose numbers have no names",
        "write state.q[0], or take a state of a run, of model.assemble() or of an integrator",
    ),
    "mu of a contact": (
        lambda: bough.Contact("hand", BALL, mu=0.3),
        "Contact('hand', Sphere(radius=0.1), mu=0.3)",
        "no argument is called 'mu'; here it is 'friction'",
        f"give bough.Contact({CONTACT})",
    ),
    "mu of a plane": (
        lambda: bough.PlaneContact("hand", mu=0.3),
        "PlaneContact('hand', mu=0.3)",
        "no argument is called 'mu'; here it is 'friction'",
        f"give bough.PlaneContact({PLANE})",
    ),
    "a contact without a shape": (
        lambda: bough.Contact("hand"),
        "Contact('hand')",
        "missing a required argument: 'shape'",
        f"give bough.Contact({CONTACT})",
    ),
    "two coefficients": (
        lambda: bough.PlaneContact("hand", friction=(0.4, 0.3)),
        "friction=(0.4, 0.3) in PlaneContact",
        f"2 numbers; {ONE}",
        ONE_DO,
    ),
    "two coefficients of a group": (
        lambda: bough.ContactGroup(["hand", "elbow"], friction=[0.4, 0.3]),
        "friction=[0.4, 0.3] in ContactGroup",
        f"2 numbers; {ONE}",
        ONE_DO,
    ),
    "a number for two inputs": (
        lambda: bough.simulate(ARM, u=5.0, duration=0.1),
        "u of a simulation of model 'arm'",
        "shape (), but the model has 2 inputs",
        "give an array of shape (..., 2), or a mapping from names to numbers",
    ),
    "a number for two variables": (
        lambda: bough.simulate(ARM, q=5.0, duration=0.1),
        "q of a simulation of model 'arm'",
        "5.0, but the model has 2 variables",
        "give 2 numbers, or a mapping from names to numbers",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_message(name: str) -> None:
    check_message(*ERRORS[name])


def test_numbers_of_a_state_have_the_names_of_a_run() -> None:
    for row in (0, 3):
        for key in ("forearm", "q.forearm", "v.forearm", "p.shoulder"):
            assert RUN[row][key] == RUN[key][row]
    stepped = bough.MidpointVI(ARM, 0.01)
    state = stepped.step(stepped.start({"shoulder": 0.3}))
    assert state["v.forearm"] == state.v["forearm"]
    with pytest.raises(TypeError):
        list(RUN[0])  # type: ignore[call-overload]
