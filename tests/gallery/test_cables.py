"""Cables: energies of [NM], the shape at rest, and the runs of its figures."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough import gallery


def test_elastic_energy_is_that_of_the_paper() -> None:
    """[NM] (16)-(19): in axes of the segment only the turn at its start and its elongation remain."""
    EA, EI, segments, length = 50.0, 0.02, 6, 1.2
    system = gallery.cable(segments, elastic=EA, bending=EI, length=length)
    system.gravity = None
    model = system.build()
    part = length / segments
    K = np.diag([4.0 * EI / part, EA / part])
    for q in np.random.default_rng(0).normal(scale=0.03, size=(5, model.nd)):
        x = q.reshape(segments, 2)  # turn and stretch of each segment
        expected = 0.5 * np.einsum("ni,ij,nj->", x, K, x)
        assert model.potential_energy(q) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("elastic", [None, 50.0])
def test_sizes(elastic: float | None) -> None:
    plane = gallery.cable(7, elastic=elastic).build()
    space = gallery.cable(7, elastic=elastic, spatial=True).build()
    stretches = 0 if elastic is None else 7
    assert (plane.nd, space.nd) == (7 + stretches, 14 + stretches)
    assert plane.total_mass == pytest.approx(1.0)
    level = plane.pose("node7", np.zeros(plane.nq))[:3, 3]
    assert level == pytest.approx([2.0, 0.0, 0.0])


def test_stretching_of_a_vertical_cable() -> None:
    """Below each segment hangs the mass of the nodes below: elongation = weight * length / EA."""
    EA, segments = 200.0, 5
    model = gallery.cable(segments, elastic=EA, length=1.0, mass=2.0).build()
    hung = model.equilibrium({"angle1": np.pi / 2})
    stretch = [hung.q[model.variables.index(f"stretch{i}")] for i in range(1, segments + 1)]
    below = 2.0 / segments * np.arange(segments, 0, -1)
    np.testing.assert_allclose(stretch, below * 9.81 * (1.0 / segments) / EA, rtol=1e-9)


def test_constraint_error_of_the_elastic_cable() -> None:
    """[NM] Fig. 6."""
    run = bough.simulate(gallery.elastic_cable().build())
    assert np.abs(run.constraint_error()).max() <= 1e-13
    assert np.ptp(run.pose("node5")[:, 2, 3]) > 0.05
    across = np.abs(run.pose("node5")[:, 1, 3]).max()
    assert across == 0.0


def test_the_spatial_cable_leaves_the_plane() -> None:
    run = bough.simulate(gallery.spatial_cable().build())
    y = run.pose("node5")[:, 1, 3]
    assert y.max() > 0.05
    assert y.min() < -0.05
    assert np.abs(run.constraint_error()).max() <= 1e-13
    # the middle starts across with 1 m/s
    assert (y[1] - y[0]) / (run.t[1] - run.t[0]) == pytest.approx(1.0, rel=0.05)


@pytest.mark.parametrize("segments", [4, 11, 30])
def test_hanging_cable_at_rest(segments: int) -> None:
    """The rods hang by the equilibrium of forces, and by the least energy."""
    span, length = 1.2, 2.0
    model = gallery.hanging_cable(segments, span=span, length=length).build()
    rest = model.equilibrium()
    assert rest.stable
    angles = np.cumsum(rest.q)
    np.testing.assert_allclose(angles, gallery.hanging_angles(segments, span, length), rtol=0, atol=1e-8)
    start = gallery.hanging_cable(segments, span=span, length=length, shape="catenary").start.q
    np.testing.assert_allclose(list(start.values()), rest.q, rtol=0, atol=1e-8)


def test_many_rods_hang_in_a_catenary() -> None:
    span, length = 1.5, 2.0
    errors = []
    for segments in (10, 20, 40):
        system = gallery.hanging_cable(segments, span=span, length=length, shape="catenary")
        model, q = system.build(), system.start.q
        nodes = np.array([model.pose(f"node{i}", q)[:3, 3] for i in range(1, segments)])
        errors.append(np.abs(nodes[:, 2] - gallery.catenary(nodes[:, 0], span, length)).max())
    assert errors[-1] < 1e-3
    ratios = np.array(errors[:-1]) / errors[1:]
    np.testing.assert_allclose(ratios, 4.0, rtol=0.05)
    assert gallery.catenary([0.0, span], span, length) == pytest.approx([0.0, 0.0], abs=1e-12)


def test_suspended_load_has_the_size_of_the_paper() -> None:
    system = gallery.suspended_load()
    model = system.build()
    assert (model.nd, model.nc, system.start.dt) == (34, 2, 0.02)
    q = model.configuration(system.start.q)
    # at rest but for the push: the start is the equilibrium
    np.testing.assert_allclose(model.equilibrium(q).q, q, rtol=0, atol=1e-8)
    run = bough.simulate(model, duration=30.0)
    energy = run.energy()
    assert np.abs(energy - energy[0]).max() < 1e-3 * run.kinetic_energy().max()
    assert np.ptp(run.pose("load")[:, 0, 3]) > 1.0
