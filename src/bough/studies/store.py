"""Results of an ensemble in a Zarr store: workers write their chunks, a second call makes what is missing.

The runs are one axis, called "run", with what varies as coordinates along it: `xarray.open_zarr(path)` reads the
store. The status of a chunk is written after its values, so that a chunk that was interrupted is made again.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.errors import BoughError
from bough.packages import package
from bough.problem import Problem
from bough.studies.content import content_of
from bough.studies.design import RUN, Design
from bough.studies.keep import other_shape
from bough.studies.task import FAILED, MISSING, Part

FORMAT = 2
LETTERS = 240  # longest message of a failed run that is stored, in bytes


def need_zarr() -> Any:
    """The package zarr."""
    return package("zarr", "store= of an ensemble", "zarr")


class Store:
    """The store of one ensemble, opened by path in every process that writes to it."""

    def __init__(self, path: str, count: int, chunk: int, inner: dict[str, str]) -> None:
        self.path = path
        self.count = count
        self.chunk = chunk
        self.inner = inner  # names of the last axis of motions

    def open(self, problem: Problem, design: Design, keep: Any, t: Array) -> None:
        """Make the store, or check that an existing one belongs to this ensemble; its chunks are then kept."""
        zarr = need_zarr()
        identity = _identity(problem, design, keep)
        self._check_file()
        try:
            group = zarr.open_group(self.path, mode="r+")
        except (FileNotFoundError, zarr.errors.GroupNotFoundError):
            group = None
        if group is not None:
            self._check(dict(group.attrs), identity)
            self.chunk = int(group.attrs["chunk"])
            return
        self._check_folder()
        group = zarr.open_group(self.path, mode="w")
        self._array(group, "status", (), np.int8, MISSING)
        self._array(group, "message", (LETTERS,), np.uint8, 0, ("letter",))
        for name in design.axes:
            values = design.column(name, 0, self.count)
            # of whole rows, kept motions have the name, and begin with them
            if values.dtype.kind in "iuf" and not (keep is None and name in self.inner):
                dims = (name.replace(".", "_") + "_component",) * (values.ndim - 1)
                array = self._array(group, name, values.shape[1:], np.float64, np.nan, dims)
                array[:] = values
        times = group.create_array(
            "t", shape=t.shape, chunks=t.shape, dtype=np.float64, dimension_names=("time",)
        )
        times[:] = t
        group.attrs.update(
            {**identity, "chunk": self.chunk, "axes": list(design.axes), "shape": list(design.shape)}
        )

    def write(self, part: Part) -> None:
        """Write a chunk: values first, its status last."""
        group = need_zarr().open_group(self.path, mode="r+")
        rows = slice(part.first, part.last)
        for name, values in part.values.items():
            if name not in group:
                self._array_once(group, name, values.shape[1:])
            if group[name].shape[1:] != values.shape[1:]:
                raise other_shape(name, group[name].shape[1:], values.shape[1:])
            group[name][rows] = values
        if part.messages:
            letters = np.zeros((part.last - part.first, LETTERS), dtype=np.uint8)
            for number, message in part.messages.items():
                text = message.encode()[:LETTERS]
                letters[number - part.first, : len(text)] = np.frombuffer(text, dtype=np.uint8)
            group["message"][rows] = letters
        group["status"][rows] = part.status

    def part(self, first: int, last: int) -> Part | None:
        """The status of a chunk that is stored whole, without its values; None if it is not."""
        group = need_zarr().open_group(self.path, mode="r")
        status = group["status"][first:last]
        if (status == MISSING).any():
            return None
        return Part(first, last, status, _messages(group, status, first))

    def read(self) -> tuple[Any, dict[int, str], Any]:
        """Status and messages of all runs, and the group with the values."""
        group = need_zarr().open_group(self.path, mode="r")
        status = group["status"][:]
        messages: dict[int, str] = {}
        for first in range(0, self.count, self.chunk):
            messages |= _messages(group, status[first : first + self.chunk], first)
        return status, messages, group

    def _array(
        self,
        group: Any,
        name: str,
        shape: tuple[int, ...],
        dtype: Any,
        fill: Any,
        dims: tuple[str, ...] | None = None,
    ) -> Any:
        names = dims if dims is not None else self._dims(name, len(shape))
        return group.create_array(
            name,
            shape=(self.count, *shape),
            chunks=(min(self.chunk, self.count), *shape),
            dtype=dtype,
            fill_value=fill,
            dimension_names=(RUN, *names),
        )

    def _dims(self, name: str, count: int) -> tuple[str, ...]:
        if name in self.inner and count == 2:
            return ("time", self.inner[name])
        return tuple(f"{name}_{i}" for i in range(count))

    def _array_once(self, group: Any, name: str, shape: tuple[int, ...]) -> None:
        """Make an array unless another worker has just made it."""
        try:
            self._array(group, name, shape, np.float64, np.nan)
        except Exception:
            if name not in need_zarr().open_group(self.path, mode="r"):
                raise

    def _check_file(self) -> None:
        if Path(self.path).is_file():
            raise self._occupied("a file, not a store")

    def _check_folder(self) -> None:
        path = Path(self.path)
        if path.is_dir() and any(path.iterdir()):
            raise self._occupied("a folder with other files, not a store")

    def _occupied(self, found: str) -> BoughError:
        return BoughError(
            asked=f"store={self.path!r} of an ensemble",
            found=found,
            do="give the path of a new folder, such as 'study.zarr'",
        )

    def _check(self, attributes: dict[str, Any], identity: dict[str, Any]) -> None:
        if "format" not in attributes:
            raise self._occupied("a Zarr group that is not an ensemble")
        for key, what in (
            ("format", "another version of bough"),
            ("model", "another model"),
            ("problem", "another problem: start, drive or settings differ"),
            ("design", "other axes or samples"),
            ("keep", "another function keep="),
        ):
            if attributes.get(key) != identity[key]:
                raise BoughError(
                    asked=f"store={self.path!r} of an ensemble",
                    found=f"a store of {what}",
                    do="give another path, or remove the store",
                )


def _messages(group: Any, status: Any, first: int) -> dict[int, str]:
    """The messages of the runs that failed, of one chunk."""
    failed = np.flatnonzero(status == FAILED).tolist()
    if not failed:
        return {}
    letters = group["message"][first : first + len(status)]
    return {first + i: bytes(letters[i]).rstrip(b"\0").decode(errors="ignore") for i in failed}


def _identity(problem: Problem, design: Design, keep: Any) -> dict[str, Any]:
    """What a store belongs to; controllers with a memory are told apart without it."""
    varied = (getattr(u, "reset", None) for u in design.axes.get("u", ()))
    for reset in (*problem._drive.inputs.resets, *filter(callable, varied)):
        reset()
    arrays = [problem.q, problem.v, problem.p, problem._drive.inputs.rows, problem._drive.prescribed]
    settings = json.dumps(dict(problem.settings), sort_keys=True, default=repr)
    content = hashlib.sha256(settings.encode())
    for array in arrays:
        content.update(np.ascontiguousarray(array).tobytes())
    for name in ("u", "k", "events", "t_eval"):
        content.update(content_of(problem.arguments.get(name)).encode())
    return {
        "format": FORMAT,
        "model": problem.model.digest,
        "problem": content.hexdigest(),
        "design": design.digest(),
        "keep": content_of(keep),
    }
