"""The beam element: its stiffness matrix, its invariance, motions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

import bough
from bough import BeamElement, System
from support.messages import check_message
from support.potential_checks import assert_energy_kept, assert_potential, random_pairs

L, EA, EI, GJ = 0.8, 300.0, 7.0, 4.0


def test_derivatives_on_random_trees() -> None:
    axis = np.array([1.0, 0.4, -0.3])

    def fits(a: np.ndarray, b: np.ndarray) -> bool:
        d, turn = b[:3, 3] - a[:3, 3], Rotation.from_matrix(a[:3, :3].T @ b[:3, :3]).magnitude()
        unit = axis / np.linalg.norm(axis)
        along = [pose[:3, :3] @ unit @ d for pose in (a, b)]
        return bool(turn < 2.0 and np.linalg.norm(d) > 0.4 and min(np.abs(along)) > 0.25)

    for system, q, a, b in random_pairs(8, fits, joints=9):
        system.add(BeamElement(a, b, length=0.6, axial=10.0, bending=3.0, torsion=2.0, axis=axis))
        assert_potential(system.build(), q, step=0.02)


@pytest.mark.parametrize("bending", [(3.0, 5.0), (0.0, 5.0), (3.0, 0.0)])
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1)])
def test_derivatives_of_a_bent_beam(axis: tuple[int, int, int], bending: tuple[float, float]) -> None:
    system = System("beam", gravity=None)
    for name in ("a", "b"):
        start = 0.8 * np.array(axis) if name == "b" else np.zeros(3)
        pose = np.eye(4)
        pose[:3, 3] = start
        system.world.fixed(pose).free(name, name=name, mass=1.0, inertia=(1, 1, 1))
    system.add(BeamElement("a", "b", 0.8, 30.0, bending, torsion=2.0, axis=axis))
    assert_potential(system.build(), np.random.default_rng(1).uniform(-0.15, 0.15, 12), step=0.02)


def planar(axis: tuple[int, int, int] = (1, 0, 0)) -> bough.Model:
    """Two nodes in the plane of x and y."""
    system = System("plane", gravity=None)
    a = system.world.tx("x0").ty("y0").rz("r0", mass=1.0, inertia=(1, 1, 1))
    b = system.world.tx(L).tx("x1").ty("y1").rz("r1", mass=1.0, inertia=(1, 1, 1))
    system.add(BeamElement(a, b, L, EA, EI, axis=axis))
    return system.build()


def test_stiffness_matrix_in_the_plane() -> None:
    """Equation (16) of Nichols and Murphey, with the last entry of its second row 6EI/L^2."""
    x, s, m, c, d = EA / L, 12 * EI / L**3, 6 * EI / L**2, 4 * EI / L, 2 * EI / L
    K = np.array(
        [
            [x, 0, 0, -x, 0, 0],
            [0, s, m, 0, -s, m],
            [0, m, c, 0, -m, d],
            [-x, 0, 0, x, 0, 0],
            [0, -s, -m, 0, s, -m],
            [0, m, d, 0, -m, c],
        ]
    )
    model = planar()
    np.testing.assert_allclose(-model.L_dqdq(np.zeros(6), np.zeros(6)), K, atol=1e-11)


def test_stiffness_matrix_in_space() -> None:
    """Stretching, torsion, and bending about y and z with the signs of right-handed rotations."""
    EIy, EIz = 5.0, 9.0
    system = System("space", gravity=None)
    a = system.world.free("a", mass=1.0, inertia=(1, 1, 1))
    b = system.world.tx(L).free("b", mass=1.0, inertia=(1, 1, 1))
    system.add(BeamElement(a, b, L, EA, (EIy, EIz), GJ))
    model = system.build()
    K = np.zeros((12, 12))
    pairs = {(0, 6): EA / L, (3, 9): GJ / L}  # order x y z, turns about x y z
    for (i, j), k in pairs.items():
        K[np.ix_([i, j], [i, j])] += k * np.array([[1, -1], [-1, 1]])
    for (w1, r1, w2, r2), bending, sign in (((1, 5, 7, 11), EIz, 1), ((2, 4, 8, 10), EIy, -1)):
        block = bending / L**3 * np.array(
            [
                [12, 6 * L, -12, 6 * L],
                [6 * L, 4 * L**2, -6 * L, 2 * L**2],
                [-12, -6 * L, 12, -6 * L],
                [6 * L, 2 * L**2, -6 * L, 4 * L**2],
            ]
        )  # fmt: skip
        signs = np.array([1, sign, 1, sign])
        K[np.ix_([w1, r1, w2, r2], [w1, r1, w2, r2])] += block * np.outer(signs, signs)
    order = [
        model.variables.index(f"{node}_{kind}")
        for node in "ab"
        for kind in ("tx", "ty", "tz", "rx", "ry", "rz")
    ]
    ours = -np.asarray(model.L_dqdq(np.zeros(12), np.zeros(12)))[np.ix_(order, order)]
    np.testing.assert_allclose(ours, K, atol=1e-11)


def test_energy_in_the_axes_of_the_chord() -> None:
    """A stretched chord at an angle, the ends turned by known angles against it."""
    chord, length, alpha, beta = 1.1, 1.05 * L, 0.3, -0.2
    q = np.array([0.4, -0.3, chord + alpha, 0, 0, chord + beta])
    q[3:5] = q[:2] + length * np.array([np.cos(chord), np.sin(chord)]) - (L, 0)
    expected = EA * (length - L) ** 2 / (2 * L) + 2 * EI * (alpha**2 + alpha * beta + beta**2) / L
    assert planar().potential_energy(q) == pytest.approx(expected, rel=1e-13)


def test_moving_the_whole_beam_takes_no_energy() -> None:
    """Also far, by any turn, and from whichever end it is seen."""
    generator = np.random.default_rng(3)
    system = System("space", gravity=None)
    base = system.world.free("base", mass=1.0, inertia=(1, 1, 1))
    a = base.spherical("a", mass=1.0, inertia=(1, 1, 1))
    b = base.tx(L).free("b", mass=1.0, inertia=(1, 1, 1))
    system.add(BeamElement(a, b, L, EA, EI, GJ))
    other = System.from_dict({**system.to_dict(), "elements": []})
    other.add(BeamElement(b.label, a.label, L, EA, EI, GJ, axis=(-1, 0, 0)))
    model, reverse = system.build(), other.build()
    q = generator.uniform(-0.2, 0.2, model.nq)
    base_variables = [model.variables.index(name) for name in model.variables if name.startswith("base")]
    reference = model.potential_energy(q)
    assert reference > 0.1
    assert reverse.potential_energy(q) == pytest.approx(reference, rel=1e-12)
    for size in (1.0, 3.0, 100.0):
        q[base_variables] = generator.uniform(-size, size, 6)
        assert model.potential_energy(q) == pytest.approx(reference, rel=1e-10)
    assert not np.asarray(model.L_dq(q, np.zeros(model.nq)))[base_variables].any()


def test_small_oscillations_are_those_of_the_matrices() -> None:
    """A clamped beam with a body at its tip, let go from rest, against the modes of K x = w^2 M x."""
    system = System("clamped", gravity=None)
    tip = system.world.tx(L).tx("u").ty("w").rz("slope", mass=0.5, inertia=(0.01, 0.01, 0.01))
    system.add(BeamElement("world", tip, L, EA, EI))
    model = system.build()
    q0 = 1e-6 * np.array([0.3, 1.0, -0.5])
    run = bough.simulate(model, q=q0, duration=0.5, dt=0.01, integrator="dop853", rtol=1e-11, atol=1e-18)
    K = np.array([[EA / L, 0, 0], [0, 12 * EI / L**3, -6 * EI / L**2], [0, -6 * EI / L**2, 4 * EI / L]])
    squares, modes = eigh(K, np.diag([0.5, 0.5, 0.01]))
    amplitudes = np.linalg.solve(modes, q0)
    expected = (np.cos(np.sqrt(squares) * run.t[:, None]) * amplitudes) @ modes.T
    np.testing.assert_allclose(run.q, expected, atol=3e-11)


def test_energy() -> None:
    system = System("whirl", gravity=None)
    a = system.world.rz("spin", name="hub", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b = a.tx(L).free("b", mass=0.5, inertia=(0.05, 0.05, 0.05))
    system.add(BeamElement(a, b, L, EA, EI, GJ))
    model = system.build()
    v = np.zeros(model.nq)
    v[model.variables.index("spin")] = 1.0
    v[model.variables.index("b_tz")] = 0.3
    assert_energy_kept(model, np.zeros(model.nq), v)


def test_steps_of_variables_that_stay_at_round_off() -> None:
    """Stretching of a stiff beam near q = 0: its forces are differences of positions far larger than q."""
    system = System("stiff")
    tip = system.world.tx(L).tx("u").tz("w").ry("turn", mass=0.05, inertia=(1e-5, 1e-5, 1e-5))
    system.add(BeamElement("world", tip, L, 1e7, EI))
    run = bough.simulate(system.build(), q=np.zeros(3), duration=0.5, dt=0.001)
    assert run.statistics["halvings"] == 0
    assert run.statistics["iterations"] < 3 * 500
    energy = run.energy()
    assert np.abs(energy - energy[0]).max() < 1e-3 * run.kinetic_energy().max()


def beam(**changes: object) -> BeamElement:
    options: dict[str, object] = {"length": L, "axial": EA, "bending": EI}
    return BeamElement("world", "tip", **{**options, **changes})  # type: ignore[arg-type]


def cantilever(element: BeamElement) -> System:
    system = System("cantilever")
    system.world.tx(L).ty("w", name="tip", mass=1.0)
    system.add(element)
    return system


def test_description() -> None:
    system = cantilever(beam(bending=[1, 2], torsion=3, axis=(0, 0, 2), name="rod"))
    assert system.elements[0] == BeamElement(
        "world", "tip", L, EA, (1.0, 2.0), 3.0, (0.0, 0.0, 1.0), name="rod"
    )
    assert System.from_dict(system.to_dict()).elements == system.elements
    assert str(system).splitlines()[-1] == (
        "BeamElement 'rod'  world, tip  length 0.8, axial 300, bending (1, 2), torsion 3, axis (0, 0, 1)"
    )


CASES = {
    "unknown frame": (
        lambda: cantilever(BeamElement("word", "tip", L, EA, EI)),
        "frame 'word' in field 'a' of BeamElement",
        "no frame has this name; the nearest is 'world'",
        "correct the spelling",
    ),
    "one frame": (
        lambda: cantilever(BeamElement("tip", "tip", L, EA, EI)),
        "BeamElement between 'tip' and 'tip'",
        "both ends are on one frame, so that nothing depends on the configuration",
        "give two different frames",
    ),
    "zero length": (
        lambda: beam(length=0),
        "length=0 in BeamElement",
        "length is zero",
        "give length above zero, in m",
    ),
    "negative length": (
        lambda: beam(length=-1.0, name="rod"),
        "length=-1.0 in BeamElement 'rod'",
        "length is negative",
        "give length above zero, in m",
    ),
    "negative axial stiffness": (
        lambda: beam(axial=-1.0),
        "axial=-1.0 in BeamElement",
        "axial is negative",
        "give axial as zero or more, in N",
    ),
    "negative bending stiffness": (
        lambda: beam(bending=(1.0, -1.0)),
        "bending[1]=-1.0 in BeamElement",
        "bending[1] is negative",
        "give bending[1] as zero or more, in N m^2",
    ),
    "three bending stiffnesses": (
        lambda: beam(bending=(1.0, 1.0, 1.0)),
        "bending in BeamElement",
        "bending has shape (3,)",
        "give bending as one number or two, in N m^2",
    ),
    "two bending stiffnesses about nothing": (
        lambda: beam(bending=(1.0, 2.0), axis=(1, 1, 0)),
        "bending=(1.0, 2.0) in BeamElement",
        "the axis of the beam is not along x, y or z, so that two stiffnesses have no axes",
        "give bending as one number, or add a frame with an axis along the beam",
    ),
    "zero axis": (
        lambda: beam(axis=(0, 0, 0)),
        "axis in BeamElement",
        "axis is (0, 0, 0), which has no direction",
        "give axis a component other than zero; its length does not matter",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input(case: str) -> None:
    check_message(*CASES[case])
