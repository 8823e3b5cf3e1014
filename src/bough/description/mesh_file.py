"""The triangles of meshes, read from their files once."""

from __future__ import annotations

import os
import stat
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.description.shapes import Mesh
from bough.validate import Array

Triangles: TypeAlias = "tuple[Array, npt.NDArray[np.int64]]"

SUFFIXES = (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf", ".off", ".3mf")


class UnreadableMesh(Exception):
    """The file of a mesh is missing or cannot be read."""


def mesh_triangles(mesh: Mesh) -> Triangles:
    """The corners (n, 3) of a mesh in m, and the numbers of the corners of each triangle, (m, 3).

    A scale that mirrors the mesh turns its triangles around, so that they stay counterclockwise from outside. Raises
    `UnreadableMesh` if there is no such file.
    """
    if mesh.path is None:
        vertices, faces = np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces, dtype=np.int64)
    else:
        path = os.fspath(mesh.path)
        vertices, faces = _file(path, _modification_time(path))
    scale = np.asarray(mesh.scale)
    return vertices * scale, faces if np.prod(scale) > 0.0 else faces[:, ::-1]


def _modification_time(path: str) -> int:
    """The modification time of the file of a mesh; only files of meshes are ever opened."""
    if not path.lower().endswith(SUFFIXES):
        raise UnreadableMesh(f"{path}: not one of {', '.join(SUFFIXES)}")
    try:
        status = os.stat(path)
    except OSError as error:
        raise UnreadableMesh(f"{path}: {error.strerror}") from None
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableMesh(f"{path}: not a file")
    return status.st_mtime_ns


@lru_cache(maxsize=256)
def _file(path: str, changed: int) -> Triangles:
    import trimesh

    try:
        loaded: Any = trimesh.load(path, force="mesh")
        vertices, faces = np.array(loaded.vertices, dtype=np.float64), np.array(loaded.faces, dtype=np.int64)
    except Exception as error:  # readers of meshes raise anything
        raise UnreadableMesh(f"{path}: {type(error).__name__}: {error}") from error
    if len(faces) == 0:
        raise UnreadableMesh(f"{path}: no triangles in it")
    return vertices, faces
