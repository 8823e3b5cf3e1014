"""The geoms of a MuJoCo model as things to draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.description.heightfield import Heightfield
from bough.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Sphere
from bough.validate import Array

if TYPE_CHECKING:
    from bough.io.mjcf import Imported

VISIBLE = 3  # number of geom groups that MuJoCo shows by default; collision geoms are often in the others
UNTOLD = (0.5, 0.5, 0.5, 1.0)  # the colour that MuJoCo gives geoms without one


def keep_shapes(imported: Imported) -> None:
    """Add every geom that MuJoCo would show to the shapes of the system."""
    from bough.io.mjcf import pose_of

    model, mujoco = imported.model, imported.mujoco
    for geom in range(model.ngeom):
        if model.geom_group[geom] >= VISIBLE:
            continue
        kind = mujoco.mjtGeom(model.geom_type[geom]).name.removeprefix("mjGEOM_").lower()
        pose = pose_of(model.geom_pos[geom], model.geom_quat[geom])
        if kind == "mesh":
            mesh = int(model.geom_dataid[geom])
            path = _path(imported, mesh)
            if path is None:
                imported.report.unused("meshes without a file", model.geom(geom).name)
                continue
            shape: Geometry = Mesh(path, model.mesh_scale[mesh].tolist())
            # MuJoCo moves a mesh to its centre of mass and principal axes
            pose = pose @ np.linalg.inv(pose_of(model.mesh_pos[mesh], model.mesh_quat[mesh]))
        elif kind == "hfield":
            shape = heightfield(model, int(model.geom_dataid[geom]))
        elif kind in SIMPLE:
            shape = SIMPLE[kind](model.geom_size[geom])
        else:
            imported.report.unused(f"shapes of kind {kind}", model.geom(geom).name)
            continue
        frame = imported.frames[model.geom_bodyid[geom]]
        imported.system.shape(frame, shape, pose=pose, color=_color(model, geom))


def _color(model: Any, geom: int) -> Array | None:
    """The colour of a geom or of its material; none if it has only MuJoCo's grey, in which bodies and floor are one."""
    own, material = model.geom_rgba[geom], int(model.geom_matid[geom])
    if not np.allclose(own, UNTOLD):
        return np.asarray(np.clip(own, 0.0, 1.0))
    return np.asarray(np.clip(model.mat_rgba[material], 0.0, 1.0)) if material >= 0 else None


#: From the three sizes of a geom, which are half lengths and radii.
SIMPLE: dict[str, Callable[[Array], Geometry]] = {
    "box": lambda size: Box((2.0 * size).tolist()),
    "plane": lambda size: Plane((2.0 * size[:2]).tolist()),
    "sphere": lambda size: Sphere(size[0]),
    "ellipsoid": lambda size: Ellipsoid(size.tolist()),
    "cylinder": lambda size: Cylinder(size[0], 2.0 * size[1]),
    "capsule": lambda size: Capsule(size[0], 2.0 * size[1]),
}


def heightfield(model: Any, number: int) -> Heightfield:
    """The ground of a model: heights from zero to one times its elevation, in rows along y."""
    rows, columns, first = (int(x[number]) for x in (model.hfield_nrow, model.hfield_ncol, model.hfield_adr))
    across, along, elevation, _ = (float(length) for length in model.hfield_size[number])
    heights = np.asarray(model.hfield_data[first : first + rows * columns], dtype=float)
    return Heightfield(
        np.linspace(-across, across, columns),
        np.linspace(-along, along, rows),
        elevation * heights.reshape(rows, columns).T,
    )


def _path(imported: Imported, mesh: int) -> str | None:
    start = int(imported.model.mesh_pathadr[mesh])
    if start < 0:
        return None
    name = imported.model.paths[start:].split(b"\0", 1)[0].decode("utf-8", "replace")
    file = imported.path.resolve().parent / name
    return str(file) if file.is_file() else None
