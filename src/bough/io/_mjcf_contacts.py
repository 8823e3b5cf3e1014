"""The contacts of geoms of a MuJoCo model: which pairs touch, and with which friction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bough.description.hulls import convex_hull
from bough.description.shapes import Geometry, Plane
from bough.elements.contact_group import ContactGroup, geometry_and_pose
from bough.elements.shape_contact import unknown
from bough.io._mjcf_shapes import SIMPLE, heightfield

if TYPE_CHECKING:
    from bough.io.mjcf import Imported

SOFT: dict[str, Any] = {
    "solref": (0.02, 1.0),
    "solimp": (0.9, 0.95, 0.001, 0.5, 2.0),
    "margin": 0.0,
    "gap": 0.0,
}  # what makes contacts soft, and MuJoCo's defaults
SLIDING = 3  # condim of a contact without torsional and rolling friction
KINDS = "contacts of geoms of kinds that do not touch"
SPINNING = "torsional and rolling friction (condim above 3)"
SOFTNESS = "softness of contacts (solref, solimp, margin, gap)"


class Touch(NamedTuple):
    """Two geoms that MuJoCo lets touch, with their sliding friction, and who says so."""

    friction: float
    kind: str  # "geom", or "pair" of the file
    places: tuple[int, ...]  # the geoms that say how rough they are, or the pair


def add_contacts(imported: Imported) -> None:
    """Add the contacts of geoms, one group for each coefficient of friction, and report what is not used."""
    model = imported.model
    shapes = {geom: shape for geom in range(model.ngeom) if (shape := _shape(imported, geom)) is not None}
    by_friction: dict[float, list[tuple[int, int]]] = {}
    unused: dict[tuple[str, str, int], None] = {}  # what, of a geom or a pair, each once
    for (a, b), touch in _touching(imported).items():
        if a not in shapes or b not in shapes or unknown(shapes[a].kind, shapes[b].kind):
            unused |= dict.fromkeys((KINDS, "geom", geom) for geom in (a, b))
            continue
        by_friction.setdefault(touch.friction, []).append((a, b))
        unused |= dict.fromkeys(_left_out(model, touch, (a, b)))
    for what, kind, number in sorted(unused):
        imported.report.unused(what, _name(model, kind, number))
    if by_friction and model.opt.impratio != 1.0:
        imported.report.unused("softness of contacts (impratio)", "")
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


def _left_out(model: Any, touch: Touch, geoms: tuple[int, int]) -> Iterator[tuple[str, str, int]]:
    """What a contact has beyond sliding friction: what, and the geom or the pair that says so."""
    dim = model.geom_condim if touch.kind == "geom" else model.pair_dim
    yield from ((SPINNING, touch.kind, place) for place in touch.places if dim[place] > SLIDING)
    for place in geoms if touch.kind == "geom" else touch.places:
        fields = {name: getattr(model, f"{touch.kind}_{name}")[place] for name in SOFT}
        if any(not np.allclose(fields[name], default) for name, default in SOFT.items()):
            yield SOFTNESS, touch.kind, place


def _name(model: Any, kind: str, place: int) -> str:
    """The name of a geom, or of a pair, which without one has those of its geoms."""
    if kind == "geom":
        return str(model.geom(place).name)
    geoms = [str(model.geom(int(geom[place])).name) for geom in (model.pair_geom1, model.pair_geom2)]
    return str(model.pair(place).name) or (" and ".join(geoms) if all(geoms) else "")


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


def _touching(imported: Imported) -> dict[tuple[int, int], Touch]:
    """The pairs of geoms that MuJoCo lets touch; pairs of the file go before those of the bits of geoms."""
    model = imported.model
    found: dict[tuple[int, int], Touch] = {}
    excluded = {int(signature) for signature in model.exclude_signature}
    for a in range(model.ngeom):
        for b in range(a + 1, model.ngeom):
            if _may_touch(imported, a, b, excluded):
                found[a, b] = _of_geoms(model, a, b)
    for pair in range(model.npair):
        a, b = sorted((int(model.pair_geom1[pair]), int(model.pair_geom2[pair])))
        friction = 0.0 if model.pair_dim[pair] == 1 else float(model.pair_friction[pair][0])
        found[a, b] = Touch(friction, "pair", (pair,))
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


def _of_geoms(model: Any, a: int, b: int) -> Touch:
    """The friction of the geom with the higher priority, or the larger one of two that are equal."""
    first, second = int(model.geom_priority[a]), int(model.geom_priority[b])
    geoms = (a, b) if first == second else (a,) if first > second else (b,)
    dim = max(int(model.geom_condim[geom]) for geom in geoms)
    friction = 0.0 if dim == 1 else max(float(model.geom_friction[geom][0]) for geom in geoms)
    return Touch(friction, "geom", geoms)
