"""Wrenches and point forces as external forces of Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import pinocchio as pin

import bough
from bough.model.flatten import flatten
from support.forces import SEEDS, tree
from support.pinocchio_tree import PinocchioTree
from support.random_trees import random_state

FORCE, MOMENT, POINT = np.array([1.0, -0.7, 0.4]), np.array([-1.3, 0.5, 2.0]), np.array([0.3, -0.2, 0.5])
COMPONENTS: dict[str, Any] = dict(
    zip(("fx", "fy", "fz", "tx", "ty", "tz"), map(float, (*FORCE, *MOMENT)), strict=True)
)
PUSH: dict[str, Any] = {"fx": 1.0, "fy": -0.7, "fz": 0.4, "point": POINT}


def in_frame(kind: str, place: Any) -> Any:
    """The element as a force in the axes and at the origin of the frame at `place`."""
    turned = place.rotation.T
    return {
        "body": lambda: pin.Force(FORCE, MOMENT),
        "hybrid": lambda: pin.Force(turned @ FORCE, turned @ MOMENT),
        "spatial": lambda: place.actInv(pin.Force(FORCE, MOMENT)),
        "point in body axes": lambda: pin.Force(FORCE, np.cross(POINT, FORCE)),
        "point in world axes": lambda: pin.Force(turned @ FORCE, np.cross(POINT, turned @ FORCE)),
    }[kind]()


ELEMENTS = {
    "body": lambda frame: bough.BodyWrench(frame, **COMPONENTS),
    "hybrid": lambda frame: bough.HybridWrench(frame, **COMPONENTS),
    "spatial": lambda frame: bough.SpatialWrench(frame, **COMPONENTS),
    "point in body axes": lambda frame: bough.PointForce(frame, **PUSH, axes="body"),
    "point in world axes": lambda frame: bough.PointForce(frame, **PUSH),
}


@pytest.mark.parametrize("kind", ELEMENTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_dynamics_with_an_external_force(seed: int, kind: str) -> None:
    system, frames = tree(seed)
    system.add(ELEMENTS[kind](frames[0]))
    model, flat = system.build(), flatten(system)
    q, v, a = random_state(model.nq, seed)
    other = PinocchioTree(flat.arrays)
    s = other.s(q)
    pin.framesForwardKinematics(other.model, other.data, s)
    index = other.model.getFrameId(f"frame{flat.frame_labels.index(frames[0])}")
    frame = other.model.frames[index]
    external = pin.StdVec_Force()
    external.extend([pin.Force.Zero()] * other.model.njoints)
    external[frame.parentJoint] = frame.placement.act(in_frame(kind, other.data.oMf[index]))
    tau = pin.rnea(other.model, other.data, s, other.chain @ v, other.chain @ a, external)
    found = model.inverse_dynamics(q, v, a) - model.generalized_force(q, v)
    np.testing.assert_allclose(found, other.chain.T @ tau, rtol=1e-10, atol=1e-10)
