"""The contacts of geoms of a MuJoCo model: which pairs touch, and with which friction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bough.description.shapes import Geometry, Plane
from bough.elements.contact_group import ContactGroup, geometry_and_pose
from bough.elements.shape_contact import unknown
from bough.io._hulls import convex_hull
from bough.io._mjcf_shapes import SIMPLE, heightfield

if TYPE_CHECKING:
    from bough.io.mjcf import Imported

SOFT: dict[str, Any] = {
    "geom_solref": (0.02, 1.0),
    "geom_solimp": (0.9, 0.95, 0.001, 0.5, 2.0),
    "geom_margin": 0.0,
    "geom_gap": 0.0,
}  # what makes contacts soft, and MuJoCo's defaults
SLIDING = 3  # condim of a contact without torsional and rolling friction


def add_contacts(imported: Imported) -> None:
    """Add the contacts of geoms, one group for each coefficient of friction, and report what is not used."""
    model = imported.model
    shapes = {geom: shape for geom in range(model.ngeom) if (shape := _shape(imported, geom)) is not None}
    by_friction: dict[float, list[tuple[int, int]]] = {}
    soft: set[int] = set()
    for (a, b), friction in _pairs(imported).items():
        if a not in shapes or b not in shapes or unknown(shapes[a].kind, shapes[b].kind):
            for geom in (a, b):
                imported.report.unused("contacts of geoms of kinds that do not touch", model.geom(geom).name)
            continue
        by_friction.setdefault(friction, []).append((a, b))
        soft |= {a, b}
    _report_soft(imported, sorted(soft))
    for number, (friction, pairs) in enumerate(sorted(by_friction.items())):
        geoms = sorted({geom for pair in pairs for geom in pair})
        place = {geom: i for i, geom in enumerate(geoms)}
        imported.system.add(
            ContactGroup(
                [imported.frames[model.geom_bodyid[geom]] for geom in geoms],
                shapes=[_described(imported, geom, shapes[geom]) for geom in geoms],
                pairs=[(place[a], place[b]) for a, b in pairs],
                friction=friction,
                name="contacts" if number == 0 else f"contacts {number}",
            )
        )


def _described(imported: Imported, geom: int, shape: Geometry) -> dict[str, Any]:
    from bough.io.mjcf import pose_of

    model = imported.model
    pose = pose_of(model.geom_pos[geom], model.geom_quat[geom])
    return geometry_and_pose({**shape.to_dict(), "pose": pose.tolist()})


def _shape(imported: Imported, geom: int) -> Geometry | None:
    """What a geom touches with: of a mesh its convex hull, as in MuJoCo; None if it has no counterpart."""
    model = imported.model
    kind = imported.mujoco.mjtGeom(model.geom_type[geom]).name.removeprefix("mjGEOM_").lower()
    if kind == "plane":
        return Plane()
    if kind in SIMPLE:
        return SIMPLE[kind](model.geom_size[geom])
    if kind == "hfield":
        return heightfield(model, int(model.geom_dataid[geom]))
    if kind != "mesh":
        return None
    mesh = int(model.geom_dataid[geom])
    first = int(model.mesh_vertadr[mesh])
    return convex_hull(np.asarray(model.mesh_vert[first : first + model.mesh_vertnum[mesh]], dtype=float))


def _pairs(imported: Imported) -> dict[tuple[int, int], float]:
    """The pairs of geoms that MuJoCo lets touch, with their sliding friction."""
    model = imported.model
    found: dict[tuple[int, int], float] = {}
    excluded = {int(signature) for signature in model.exclude_signature}
    for a in range(model.ngeom):
        for b in range(a + 1, model.ngeom):
            if _may_touch(imported, a, b, excluded):
                found[a, b] = _friction(imported, a, b)
    for pair in range(model.npair):
        a, b = sorted((int(model.pair_geom1[pair]), int(model.pair_geom2[pair])))
        found[a, b] = 0.0 if model.pair_dim[pair] == 1 else float(model.pair_friction[pair][0])
    return found


def _may_touch(imported: Imported, a: int, b: int, excluded: set[int]) -> bool:
    model = imported.model
    bits = (model.geom_contype[a] & model.geom_conaffinity[b]) | (
        model.geom_contype[b] & model.geom_conaffinity[a]
    )
    one, other = int(model.geom_bodyid[a]), int(model.geom_bodyid[b])
    if not bits or (min(one, other) << 16) + max(one, other) in excluded:
        return False
    welded = [int(model.body_weldid[body]) for body in (one, other)]
    if welded[0] == welded[1]:
        return False
    parents = [int(model.body_weldid[model.body_parentid[body]]) for body in welded]
    disabled = model.opt.disableflags & imported.mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
    adjacent = (parents[0] == welded[1] or parents[1] == welded[0]) and 0 not in welded
    return bool(disabled) or not adjacent


def _friction(imported: Imported, a: int, b: int) -> float:
    """Of the geom with the higher priority, or the larger one of two that are equal."""
    model = imported.model
    first, second = int(model.geom_priority[a]), int(model.geom_priority[b])
    geoms = [a, b] if first == second else [a] if first > second else [b]
    dim = max(int(model.geom_condim[geom]) for geom in geoms)
    if dim > SLIDING:
        for geom in geoms:
            if model.geom_condim[geom] > SLIDING:
                _once(imported, "torsional and rolling friction (condim above 3)", geom)
    return 0.0 if dim == 1 else max(float(model.geom_friction[geom][0]) for geom in geoms)


def _report_soft(imported: Imported, geoms: list[int]) -> None:
    model = imported.model
    for geom in geoms:
        for field, default in SOFT.items():
            if not np.allclose(getattr(model, field)[geom], default):
                imported.report.unused(
                    "softness of contacts (solref, solimp, margin, gap)", model.geom(geom).name
                )
                break
    if model.opt.impratio != 1.0:
        imported.report.unused("softness of contacts (impratio)", "")


def _once(imported: Imported, what: str, geom: int) -> None:
    name = imported.model.geom(geom).name
    seen = imported.__dict__.setdefault("_reported", set())
    if (what, geom) not in seen:
        seen.add((what, geom))
        imported.report.unused(what, name)
