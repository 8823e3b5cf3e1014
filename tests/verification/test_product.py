"""Every kind of element in every kind of tree with every integrator, against SciPy's DOP853.

The whole product is in `make verify`; here a sample of it, in which every kind meets every integrator in trees of all
shapes and of few and many joints. Under `make sanitize` the sample is compared in the same way, and the steps of the
whole product are made without the comparison, which would take most of the time: that core stops at what is wrong.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import bough
from support.product import JOINTS, METHODS, SHAPES, Case, cases, disagreements, run_through
from support.product_elements import KINDS

SANITIZED = os.environ.get("BOUGH_CORE", "base") != "base"  # a core by its file: that of `make sanitize`
SMALL, LARGE = JOINTS[:4], JOINTS[4:]


def sample(kind: str) -> list[Case]:
    """One system of each shape, with few and many joints in turn, and with different companions."""
    found, place = [], KINDS.index(kind)
    for i, shape in enumerate(SHAPES):
        joints = (SMALL, LARGE)[(place + i) % 2]
        size = joints[(place // 2 + i) % len(joints)]
        companions = place + 3 * i  # bits: rows, kinematic, shared
        fitting = [case for case in cases(kind) if case.shape == shape and case.joints >= size]
        if not fitting:  # elements of users, which balls refuse
            continue
        least = [case for case in fitting if case.joints == fitting[0].joints]
        found.append(least[companions % len(least)])
    return found


def test_every_kind_is_in_the_product() -> None:
    bases = (bough.Potential, bough.Force, bough.Constraint)
    public = [getattr(bough, name) for name in bough.__all__]
    kinds = {x.__name__ for x in public if isinstance(x, type) and issubclass(x, bases) and x not in bases}
    assert kinds <= set(KINDS)


def test_the_page_tells_how_many_there_are() -> None:
    page = (Path(__file__).parents[2] / "docs" / "elements.md").read_text(encoding="utf-8")
    every = [case for kind in KINDS for case in cases(kind)]
    pairs = sum(method.takes(case) for case in every for method in METHODS)
    assert f"Each of the {len(KINDS)} kinds of elements is tested" in page
    assert f"The trees have {JOINTS[0]} to {JOINTS[-1]} joints" in page
    assert f"which makes {len(every)} systems" in page
    assert f"that accepts it: {pairs} pairs" in page


@pytest.mark.parametrize("kind", KINDS)
def test_sample(kind: str) -> None:
    found = [text for case in sample(kind) for text in disagreements(case)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("joints", [11, 14, 40])
@pytest.mark.parametrize("kind", ["LinearSpring", "TorsionSpring", "BeamElement", "LinearDamper", "Gravity"])
def test_local_elements_without_constraints(kind: str, joints: int) -> None:
    """The border of the tree has rows of elements, and none of constraints."""
    found = disagreements(Case(kind, "chain", joints, rows=False, kinematic=False, shared=False))
    assert not found, "\n".join(found)


@pytest.mark.verify
@pytest.mark.parametrize(
    ("kind", "shape"), sorted({(case.kind, case.shape) for kind in KINDS for case in cases(kind)})
)
def test_all(kind: str, shape: str) -> None:
    every = [case for case in cases(kind) if case.shape == shape]
    if SANITIZED:
        for case in every:
            run_through(case)
        return
    found = [text for case in every for text in disagreements(case)]
    assert not found, "\n".join(found)
