"""The random trees hold what the suite claims to test: a suite over too simple trees would prove little."""

from __future__ import annotations

import numpy as np

from support.cases import SEEDS, case
from support.transforms import RX, RZ, TWIST, TX


def test_the_seeds_cover_everything() -> None:
    cases = [case(seed) for seed in SEEDS]
    nodes = [node for c in cases for node in c.tree.nodes]
    moving = [node for c in cases for node in c.tree.moving]
    six = {"tx", "ty", "tz", "rx", "ry", "rz"}
    assert {node.kind for node in moving} == six | {"twist"}
    assert {node.kind for node in nodes if not isinstance(node.parameter, str)} == six | {"fixed", "twist"}
    assert any(node.kinematic for node in moving)
    assert any(node.ratio < 0.0 for node in moving)
    assert any(node.offset != 0.0 for node in moving)
    assert sum(c.nq < len(c.tree.moving) for c in cases) >= 3  # shared variables
    assert any(node.com is not None for node in nodes)
    assert any(node.mass and node.inertia is None for node in nodes)
    forms = [
        c.flat["screw"][k] for c in cases for k in range(len(c.flat["kind"])) if c.flat["kind"][k] == TWIST
    ]
    pitches = [float(s[:3] @ s[3:]) for s in forms]
    assert any(not np.any(s[:3]) for s in forms)
    assert any(np.any(s[:3]) and abs(p) < 1e-12 for s, p in zip(forms, pitches, strict=True))
    assert any(abs(p) > 1e-3 for p in pitches)


def test_trees_branch_at_joints() -> None:
    branching = 0
    for seed in SEEDS:
        c = case(seed)
        above = []
        for k in c.paper.moving:
            ancestors = [i for i in c.paper.moving if i in c.paper.ancestors[k] and i != k]
            above.append(max(ancestors, default=-1))
        branching += len(above) > len(set(above))
    assert branching >= len(SEEDS) // 2


def test_several_masses_on_one_link() -> None:
    for seed in SEEDS:
        c = case(seed)
        link_of = [
            max((i for i in c.paper.moving if i in c.paper.ancestors[k]), default=-1) for k in c.paper.masses
        ]
        if len(link_of) > len(set(link_of)):
            return
    raise AssertionError("no link of any seed carries two masses")


def test_kinds_are_numbered_as_the_flat_arrays_say() -> None:
    """The generator's words against the numbers of the flat arrays, which all oracles read."""
    numbers = {
        "fixed": 0,
        "tx": TX,
        "ty": TX + 1,
        "tz": TX + 2,
        "rx": RX,
        "ry": RX + 1,
        "rz": RZ,
        "twist": TWIST,
    }
    for seed in SEEDS:
        c = case(seed)
        for k, name in c.frames:
            node = c.tree.nodes[int(name[1:])]
            assert c.flat["kind"][k] == numbers[node.kind]
            parent = -1 if c.flat["parent"][k] == 0 else int(dict(c.frames)[c.flat["parent"][k]][1:])
            assert parent == node.parent
            assert c.flat["mass"][k] == node.mass
            if isinstance(node.parameter, str):
                assert c.variables[c.flat["variable"][k]] == node.parameter
                assert (c.flat["ratio"][k], c.flat["offset"][k]) == (node.ratio, node.offset)
                assert (c.flat["variable"][k] >= c.nd) == node.kinematic
            elif node.kind != "fixed":
                assert (c.flat["variable"][k], c.flat["value"][k]) == (-1, node.parameter)


def test_mass_matrix_is_well_conditioned() -> None:
    for seed in SEEDS:
        assert case(seed).condition < 1e4
