"""Pinocchio from the PyPI package `pin`, called in C++ loops (see `pinocchio.cpp`)."""

from __future__ import annotations

import ctypes
import math
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np

from bough.arguments import Array
from bough.errors import BoughError
from bough.model.model import Model
from bough.packages import version_of
from bough.peers.compiler import library
from bough.peers.links import TWIST, Links

MISSING = "not installed (pip install 'bough[peers]')"

Convention = Literal["local", "world"]
Build = Literal["portable", "native"]
Quantity = Literal["forward_dynamics", "mass_matrix", "inverse_dynamics", "acceleration_derivatives"]

# the definitions that Pinocchio's own CMake targets carry
DEFINITIONS = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)


class Pinocchio:
    """The tree of a model in Pinocchio; springs, forces and constraints are left out.

    Parameters
    ----------
    model : Model
        Of translations and rotations along axes, one for each variable.
    build : "portable" or "native"
        The native build uses all instructions of this processor; it has only what it makes faster, crba in
        the local convention and computeABADerivatives.

    Examples
    --------
    >>> import bough, numpy as np
    >>> from bough.peers import pinocchio
    >>> model = bough.gallery.pendulum(2).build()
    >>> q, v = np.array([[0.3, 0.4]]), np.zeros((1, 2))
    >>> theirs = pinocchio.Pinocchio(model).value("mass_matrix", "local", q, v, v)
    >>> np.allclose(np.triu(theirs[0]), np.triu(model.mass_matrix(q[0])))
    True
    """

    def __init__(self, model: Model, build: Build = "portable") -> None:
        links = Links(model, model.neutral(), "Pinocchio")
        if model.balls:
            links.refuse(
                "balls, whose loops are not compiled", "load the robot in Pinocchio, and convert its states"
            )
        kinds = links.arrays["kind"][links.moving].astype(np.int32)
        if np.any(kinds == TWIST) or np.any(links.arrays["ratio"][links.moving] != 1.0) or model.nk:
            links.refuse("twists, ratios or kinematic variables")
        bodies = [links.body(link) for link in links.moving]
        parents = [links.moving.index(p) if p else -1 for p in map(links.parent, links.moving)]
        numbers = [
            np.array([links.local(links.parent(link), link) for link in links.moving]),
            np.array([mass for mass, _, _ in bodies]),
            np.array([com for _, com, _ in bodies]),
            np.array([inertia for _, _, inertia in bodies]),
            np.array(model.system.gravity, dtype=float),
        ]
        self.n = model.nv
        self._library = _load(build)
        self._peer = ctypes.c_void_p(
            self._library.peer_create(
                self.n, np.array(parents, dtype=np.int32).ctypes, kinds.ctypes, *map(_pointer, numbers)
            )
        )

    def __del__(self) -> None:
        if hasattr(self, "_peer"):
            self._library.peer_destroy(self._peer)

    def loop(self, quantity: Quantity, convention: Convention, q: Array, v: Array, x: Array) -> None:
        """Compute the quantity for every row of (q, v, x) and leave it in `pinocchio::Data`."""
        self._call(quantity, convention, q, v, x, None)

    def value(self, quantity: Quantity, convention: Convention, q: Array, v: Array, x: Array) -> Array:
        """The quantity for every row: (batch, n), (batch, n, n), or (batch, 3, n, n) for the derivatives."""
        batch, n = q.shape
        shape = {"mass_matrix": (n, n), "acceleration_derivatives": (3, n, n)}.get(quantity, (n,))
        out = np.empty((batch, *shape))
        self._call(quantity, convention, q, v, x, out)
        return out

    def semi_implicit_euler(self, convention: Convention, steps: int, dt: float, q: Array, v: Array) -> None:
        """Advance q and v in place: `v += dt aba(q, v); q += dt v`."""
        self._library.semi_implicit_euler(
            self._peer, int(convention == "world"), steps, ctypes.c_double(dt), _pointer(q), _pointer(v)
        )

    def runge_kutta(self, convention: Convention, steps: int, dt: float, q: Array, v: Array) -> None:
        """Advance q and v in place by the classical method of fourth order on `aba`."""
        self._library.runge_kutta(
            self._peer, int(convention == "world"), steps, ctypes.c_double(dt), _pointer(q), _pointer(v)
        )

    def _call(
        self, quantity: Quantity, convention: Convention, q: Array, v: Array, x: Array, out: Array | None
    ) -> None:
        getattr(self._library, quantity)(
            self._peer,
            int(convention == "world"),
            len(q),
            _pointer(q),
            _pointer(v),
            _pointer(x),
            None if out is None else _pointer(out),
        )


def installed_version() -> str | None:
    """The version of `pin`, or None if it is not installed."""
    return version_of("pin")


def memory_needed(n: int) -> float:
    """Bytes that the constructor of `pinocchio::Data` takes for n joints: four tensors n x n x n."""
    return 4.4 * 8 * n**3


def available_memory() -> float:
    """The free memory in bytes; infinite if the system does not report it."""
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    return math.inf


@cache
def _load(build: Build) -> ctypes.CDLL:
    found = find_spec("cmeel")  # which is not imported: it leaves a temporary directory
    if found is None or found.origin is None:
        raise BoughError(asked="Pinocchio", found=MISSING, do="install it, or leave it out")
    prefix = Path(found.origin).parent.parent / "cmeel.prefix"
    lib = prefix / "lib"
    flags = [f"-isystem{prefix}/include", f"-isystem{prefix}/include/eigen3", *DEFINITIONS]
    if build == "native":
        flags += ["-DNATIVE", "-march=native"]
    else:
        flags += [f"-L{lib}", "-lpinocchio_default", f"-Wl,-rpath,{lib}"]
    loaded = library("pinocchio.cpp", flags)
    loaded.peer_create.restype = ctypes.c_void_p
    return loaded


def _pointer(array: Array) -> ctypes.c_void_p:
    assert array.flags.c_contiguous
    assert array.dtype == np.float64
    return ctypes.c_void_p(array.ctypes.data)
