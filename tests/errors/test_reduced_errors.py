"""What the reduced integrator refuses, and the exact words."""

import numpy as np
import pytest

import bough
from support.free_bodies import rigid_body, satellite
from support.messages import check_message


def arm() -> bough.Model:
    system = bough.System("arm")
    system.world.ry("joint").tz(-1.0, name="tip", mass=1.0)
    return system.build()


def with_element(element) -> bough.Model:
    system = satellite()
    system.add(element)
    return system.build()


class Own(bough.Potential):
    def energy(self, at):
        return at.q["elbow"] ** 2


def hanging() -> bough.Model:
    system = satellite()
    system.add(bough.DistanceConstraint("tip", "world", length=1.6))
    return system.build()


REFUSED = (
    "let it act on frames (BodyWrench, LinearSpring, LinearDamper, ...) or name the joints it acts on;"
    " or use MidpointVI"
)
OF = "ReducedVI of model 'satellite'"

CASES = {
    "constraints": (
        lambda: bough.ReducedVI(hanging(), 0.01),
        OF,
        "1 row of constraints, which the reduced integrator does not have",
        "use MidpointVI (integrator='midpoint'), which holds constraints",
    ),
    "damping of all": (
        lambda: bough.ReducedVI(with_element(bough.Damping(0.1)), 0.01),
        OF,
        "Damping acts on 'base_tx', a variable of the free base, which is a pose here",
        REFUSED,
    ),
    "spring on an angle": (
        lambda: bough.ReducedVI(with_element(bough.ConfigurationSpring("base_ry", stiffness=1.0)), 0.01),
        OF,
        "ConfigurationSpring acts on 'base_ry', a variable of the free base, which is a pose here",
        REFUSED,
    ),
    "element in Python": (
        lambda: bough.ReducedVI(with_element(Own()), 0.01),
        OF,
        "Own is written in Python as a function of q, in which the base has no angles here",
        REFUSED,
    ),
    "frame within the base": (
        lambda: bough.ReducedVI(with_element(bough.BodyWrench("#3", fx=1.0)), 0.01),
        OF,
        "BodyWrench acts on a frame between the joints of the free base",
        REFUSED,
    ),
    "not a model": (
        lambda: bough.ReducedVI(3, 0.01),
        "integrator of 3",
        "not a model",
        "give a model, made by system.build()",
    ),
    "tau": (
        lambda: bough.ReducedVI(rigid_body(), 0.01, tau="cay"),
        "retraction 'cay' in tau",
        "no retraction has this name; the nearest is 'cayley'",
        "correct the spelling",
    ),
    "q and g": (
        lambda: bough.ReducedVI(rigid_body(), 0.01).start(g=np.eye(4), q=np.zeros(6)),
        "q and g in start() of ReducedVI of model 'body'",
        "both, and q holds what the other gives",
        "give q, or g and r without q; here leave out q or g",
    ),
    "xi without base": (
        lambda: bough.ReducedVI(arm(), 0.01).start(xi=np.zeros(6)),
        "xi of ReducedVI of model 'arm'",
        "the model has no free base",
        "leave xi out, or add the base with system.world.free(...)",
    ),
    "reflected pose": (
        lambda: bough.ReducedVI(rigid_body(), 0.01).start(g=np.diag([1.0, 1.0, -1.0, 1.0])),
        "pose in ReducedVI of model 'body'",
        "its 3x3 part R is a reflection: det R = -1",
        "give a pose [[R, p], [0, 1]] with det R = +1, without mirrored axes",
    ),
    "two velocities of the base": (
        lambda: bough.ReducedVI(rigid_body(), 0.01).start(xi=np.ones(6), v={"base_rz": 1.0}),
        "v and xi of ReducedVI of model 'body'",
        "both hold a velocity of the base",
        "give the velocity of the base in xi, or the rates of its variables in v",
    ),
    "state of another model": (
        lambda: bough.ReducedVI(rigid_body(), 0.01).step(bough.ReducedVI(arm(), 0.01).start()),
        "start from a state with ReducedVI of model 'body'",
        "a state with 1 variable; the model has 6",
        "give a state of this model, made by start() or step()",
    ),
    "not a state": (
        lambda: bough.ReducedVI(rigid_body(), 0.01).step([0.0]),
        "step with ReducedVI of model 'body'",
        "[0.0], which is not a state",
        "give a state of this model, made by start() or step()",
    ),
    "option of another integrator": (
        lambda: bough.simulate(arm(), duration=0.1, integrator="reduced", rtol=1e-3),
        "option 'rtol' in a simulation of model 'arm' with integrator 'reduced'",
        "an option of 'dop853', 'rk45', 'rk23', 'scipy-dop853', 'radau', 'bdf', 'lsoda'; those of 'reduced' are"
        " 'tolerance', 'max_iterations', 'max_halvings', 'order', 'alpha', 'tau'",
        "leave rtol out, or use integrator='dop853'",
    ),
    "another tau than that of the integrator": (
        lambda: bough.simulate(arm(), duration=0.1, integrator=bough.ReducedVI(arm(), 0.01), tau="exp"),
        "tau='exp' in a simulation of model 'arm'",
        "the integrator has tau='cayley' of its own",
        "leave tau out, or give the integrator by name",
    ),
    "stabilization with an integrator": (
        lambda: bough.simulate(
            arm(), duration=0.1, integrator=bough.ReducedVI(arm(), 0.01), stabilization="projection"
        ),
        "stabilization='projection' in a simulation of model 'arm'",
        "a variational integrator, which meets the constraints at every step",
        "leave stabilization out, or use another integrator, such as 'dop853'",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case):
    check_message(*CASES[case])


def folding() -> bough.Model:
    """A massless base that carries point masses: stretched out, all of them are on one line."""
    system = bough.System("rod", gravity=None)
    hub = system.world.free("base")
    hub.tx(1.0, mass=1.0)
    hub.ry("hinge").tx(-1.0, mass=1.0).rz("last").tx(0.5, mass=1.0)
    return system.build()


def test_singular_locked_inertia():
    vi = bough.ReducedVI(folding(), 0.01)
    with pytest.raises(bough.BoughError) as caught:
        vi.start(r=[0.0, 0.0])
    assert str(caught.value) == (
        "velocity of model 'rod'\n"
        "  found: the mass matrix is singular in this configuration\n"
        "  do: give the base a mass and an inertia, or move away from this configuration"
    )


def test_a_step_that_cannot_be_made():
    vi = bough.ReducedVI(satellite().build(), 0.5, max_iterations=1, max_halvings=0)
    state = vi.start(xi=(3.0, 9.0, -5.0, 0, 0, 0), v=[20.0, 30.0, -10.0])
    with pytest.raises(bough.ConvergenceError) as caught:
        vi.step(state)
    assert caught.value.asked == "step from t = 0 to 0.5 with ReducedVI of model 'satellite'"
    assert caught.value.found.startswith(
        "Newton's method did not converge in 1 iteration, nor after 0 halvings of the step;"
    )
    with pytest.raises(bough.ConvergenceError) as caught:
        bough.simulate(vi.model, state, integrator=vi, duration=1.0)
    assert len(caught.value.trajectory) == 1
    stopped = bough.simulate(vi.model, state, integrator=vi, duration=1.0, on_failure="stop")
    assert stopped.status == "failed"
