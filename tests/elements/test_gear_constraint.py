"""Linear relations between variables: gears, differentials, driven joints."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough import GearConstraint, PiecewisePolynomial, Sinusoid, System, kinematic
from support.constraint_checks import assert_constraint


@pytest.mark.parametrize(
    "element",
    [
        GearConstraint({"twist": 2.0, "slide": -0.3}, offset=0.2),
        GearConstraint({"twist": 2.0, "screw": 1.0, "left": -3.0, "reach": 1.0}),
        GearConstraint({"twist": 2.0, "screw": 1.0}, offset=kinematic("drive")),
        GearConstraint({"twist": 2.0, "screw": 1.0}, offset=kinematic("reach")),
        GearConstraint({"twist": 1.0}, offset=Sinusoid(0.3, 2.0, 0.5, 0.1)),
        GearConstraint({"turn": 1.0}, offset=PiecewisePolynomial.through([0, 0.5, 1, 2], [0, 1, 0, 3])),
    ],
    ids=lambda element: f"{len(element.coefficients)} variables, offset {type(element.offset).__name__}",
)
def test_derivatives(element: GearConstraint) -> None:
    assert_constraint(element)


def pair(teeth: tuple[int, int], inertia: tuple[float, float]) -> System:
    system = System("gears", gravity=None)
    for i in range(2):
        system.world.tx(0.3 * i).rz(f"gear {i}", mass=1.0, inertia=(1.0, 1.0, inertia[i]))
    system.add(GearConstraint({"gear 0": teeth[0], "gear 1": teeth[1]}, name="mesh"))
    system.add(bough.ConfigurationForce("gear 0", "motor"))
    return system


def test_pair_of_gears() -> None:
    """n0 q0 + n1 q1 = 0: (I0 + I1 (n0/n1)^2) alpha = torque, and the teeth carry lam per tooth."""
    n0, n1, I0, I1, torque = 12, 30, 0.2, 1.7, 0.6
    model = pair((n0, n1), (I0, I1)).build()
    assert (model.constraints, model.nc, model.mobility({})) == (("mesh",), 1, 1)
    run = bough.simulate(model, u={"motor": torque}, duration=2.0, dt=0.01)
    alpha = torque / (I0 + I1 * (n0 / n1) ** 2)
    assert np.allclose(run["gear 0"], 0.5 * alpha * run.t**2, rtol=0, atol=1e-12)
    assert np.allclose(run["gear 1"], -0.5 * n0 / n1 * alpha * run.t**2, rtol=0, atol=1e-12)
    assert np.allclose(run.lam[1:], (I0 * alpha - torque) / n0, rtol=1e-8)
    work = torque * run["gear 0"]
    assert np.allclose(run.kinetic_energy(), work, rtol=0, atol=1e-10)


def test_differential() -> None:
    """The carrier turns with the mean of the wheels, whatever their difference."""
    system = System("differential", gravity=None)
    for name, inertia in (("left", 1.0), ("right", 1.0), ("carrier", 4.0)):
        system.world.rx(name, mass=1.0, inertia=(inertia, 3.0, 3.0))
    system.add(GearConstraint({"left": 0.5, "right": 0.5, "carrier": -1.0}))
    system.add(bough.ConfigurationForce("carrier", 3.0))
    model = system.build()
    assert model.mobility({}) == 2
    run = bough.simulate(model, v={"left": 1.0, "right": -1.0}, duration=1.0, dt=0.02)
    alpha = 3.0 / 6.0  # left, right and carrier turn together
    for name, v in (("left", 1.0), ("right", -1.0), ("carrier", 0.0)):
        assert np.allclose(run[name], v * run.t + 0.5 * alpha * run.t**2, rtol=0, atol=1e-12)


def test_offset_by_a_kinematic_variable() -> None:
    """A winch that moves no frame: the drum follows it."""
    system = System("drum", gravity=None)
    system.world.rz("drum", mass=1.0, inertia=(1.0, 1.0, 0.5))
    system.add(GearConstraint({"drum": 0.1}, offset=kinematic("rope")))
    model = system.build()
    assert model.kinematic == ("rope",)
    run = bough.simulate(model, k={"rope": lambda t: 0.2 * t**2}, duration=1.0, dt=0.01)
    assert np.allclose(run["drum"], 2.0 * run.t**2, rtol=0, atol=1e-12)
    assert np.allclose(run.lam[2:-2] * 0.1, 0.5 * 4.0, rtol=1e-6)
