"""The geoms of a MuJoCo model as things to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from bough.io.mjcf import Imported

#: How many of MuJoCo's three sizes belong to each kind.
SIZES = {"plane": 2, "sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}


def keep_shapes(imported: Imported) -> None:
    """Keep every geom that can be drawn in `System.shapes`; full lengths, as in a URDF."""
    from bough.io.mjcf import pose_of

    model, mujoco = imported.model, imported.mujoco
    for geom in range(model.ngeom):
        kind = mujoco.mjtGeom(model.geom_type[geom]).name.removeprefix("mjGEOM_").lower()
        pose = pose_of(model.geom_pos[geom], model.geom_quat[geom])
        frame = imported.frames[model.geom_bodyid[geom]].label
        shape: dict[str, Any] = {"frame": frame, "kind": kind}
        if kind == "mesh":
            mesh = int(model.geom_dataid[geom])
            path = _path(imported, mesh)
            if path is None:
                imported.report.unused("meshes without a file", model.geom(geom).name)
                continue
            shape |= {"path": path, "scale": model.mesh_scale[mesh].tolist()}
            # MuJoCo moves a mesh to its centre of mass and principal axes
            pose = pose @ np.linalg.inv(pose_of(model.mesh_pos[mesh], model.mesh_quat[mesh]))
        elif kind in SIZES:
            shape["size"] = _size(kind, model.geom_size[geom].tolist())
        else:
            imported.report.unused(f"shapes of kind {kind}", model.geom(geom).name)
            continue
        material = int(model.geom_matid[geom])
        own = model.geom_rgba[geom]
        color = model.mat_rgba[material] if material >= 0 and np.allclose(own, (0.5, 0.5, 0.5, 1.0)) else own
        shape |= {"pose": pose.tolist(), "color": [float(x) for x in color]}
        imported.system.shapes.append(shape)


def _size(kind: str, size: list[float]) -> list[float]:
    """Full lengths and radii: box, plane (x, y, z); cylinder, capsule (radius, length); radii of others."""
    if kind in ("box", "plane"):
        return [2.0 * x for x in size[: SIZES[kind]]]
    if kind in ("cylinder", "capsule"):
        return [size[0], 2.0 * size[1]]
    return size[: SIZES[kind]]


def _path(imported: Imported, mesh: int) -> str | None:
    start = int(imported.model.mesh_pathadr[mesh])
    if start < 0:
        return None
    name = imported.model.paths[start:].split(b"\0", 1)[0].decode("utf-8", "replace")
    file = imported.path.resolve().parent / name
    return str(file) if file.is_file() else None
