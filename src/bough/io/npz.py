"""Arrays of an `.npz` file from an untrusted source.

Everything in it is checked before use: an array is allocated only if the bytes that its header
announces are in the file. Compressed entries, of which a few bytes can announce gigabytes, are refused;
`Trajectory.save` writes none.
"""

from __future__ import annotations

import math
import re
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt

ENTRIES = 1024  # largest number of entries in one file
MAGIC = b"\x93NUMPY"
# The header that numpy writes, in format 1.0, with up to four axes.
HEADER = re.compile(
    rb"\{'descr': '([<>|=][A-Za-z]\d{0,3})', 'fortran_order': (False|True), "
    rb"'shape': \(([\d, ]{0,80})\), \} *\n"
)
# The exceptions of `zipfile` for inconsistent entries, besides BadZipFile.
ZIP_ERRORS = (OSError, ValueError, EOFError, RuntimeError, LookupError, ArithmeticError, struct.error)


class Damaged(Exception):
    """The file is damaged; the message says how."""


@contextmanager
def _reading() -> Iterator[None]:
    """Turn exceptions of `zipfile` into `Damaged`."""
    try:
        yield
    except zipfile.BadZipFile as error:
        raise Damaged(str(error)) from None
    except ZIP_ERRORS as error:
        raise Damaged(f"entries that cannot be read: {error}") from None


class Entry(NamedTuple):
    """The header of an array, and the position of its bytes."""

    info: zipfile.ZipInfo
    dtype: np.dtype[np.generic]
    fortran: bool
    shape: tuple[int, ...]


class Archive:
    """The arrays of a file that is open: their headers first, their numbers on request.

    Parameters
    ----------
    stream : the file
    size : of the file, in bytes

    Raises
    ------
    Damaged
        If an entry is not what its header and the size of the file allow.
    """

    def __init__(self, stream: IO[bytes], size: int) -> None:
        with _reading():
            self._zip = zipfile.ZipFile(stream)
            infos = self._zip.infolist()
        if len(infos) > ENTRIES:
            raise Damaged(f"{len(infos)} entries, where {ENTRIES} are the most that a run has")
        self._infos: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            name = info.filename.removesuffix(".npy")
            if name in self._infos:
                raise Damaged(f"two entries {name!r}")
            self._infos[name] = info
            if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
                raise Damaged(f"entry {name!r} is compressed or encrypted, as bough writes none")
            if info.file_size != info.compress_size:
                raise Damaged(f"entry {name!r} has two sizes, {info.file_size} and {info.compress_size}")
        if sum(info.file_size for info in infos) > size:
            raise Damaged("entries that are longer than the file")
        self._entries: dict[str, Entry] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._infos

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array of 64-bit floating point numbers."""
        return self._entry(name, "f8", "64-bit floating point numbers").shape

    def numbers(self, name: str, *shapes: tuple[int, ...]) -> npt.NDArray[np.float64]:
        """A read-only array of finite 64-bit floating point numbers, of one of these shapes."""
        shape = self.shape(name)
        if shape not in shapes:
            wanted = " or ".join(dict.fromkeys(str(choice) for choice in shapes))
            raise Damaged(f"array {name!r} has shape {shape} in place of {wanted}")
        entry = self._entries[name]
        order = "F" if entry.fortran else "C"
        array = np.frombuffer(self._data(entry), dtype=entry.dtype).reshape(shape, order=order)  # type: ignore[call-overload]
        native: npt.NDArray[np.float64] = np.ascontiguousarray(array, dtype=np.float64)
        native.flags.writeable = False
        if not np.isfinite(native).all():
            row = np.argwhere(~np.isfinite(native))[0]
            raise Damaged(f"array {name!r} holds {native[tuple(row)]} in row {int(row[0])}")
        return native

    def text(self, name: str) -> bytes:
        """The bytes of a text."""
        entry = self._entry(name, "u1", "bytes")
        if len(entry.shape) != 1:
            raise Damaged(f"array {name!r} has shape {entry.shape} in place of a row of bytes")
        return self._data(entry)

    def _entry(self, name: str, kind: str, words: str) -> Entry:
        if name not in self._entries:
            self._entries[name] = self._header(name)
        entry = self._entries[name]
        if entry.dtype.str[1:] != kind:
            raise Damaged(f"array {name!r} holds {entry.dtype} in place of {words}")
        return entry

    def _header(self, name: str) -> Entry:
        info = self._infos[name]
        with _reading(), self._zip.open(info) as stream:
            start = stream.read(len(MAGIC) + 4)
            length = int.from_bytes(start[-2:], "little")
            text = stream.read(length)
        match = HEADER.fullmatch(text)
        if start[:-2] != MAGIC + b"\x01\x00" or len(text) != length or match is None:
            raise Damaged(f"array {name!r} has a header that numpy does not write")
        descr, fortran, axes = (part.decode("ascii") for part in match.groups())
        if descr[1:] not in ("f8", "u1"):
            made = "a run is made of 64-bit floating point numbers and texts"
            raise Damaged(f"array {name!r} is of type {descr!r}; {made}")
        shape = tuple(int(axis) for axis in axes.replace(",", " ").split())
        dtype = np.dtype(descr)
        announced = math.prod(shape) * dtype.itemsize
        if announced != info.file_size - len(start) - length or len(shape) > 4:
            raise Damaged(f"array {name!r} has shape {shape}, which its {info.file_size} bytes do not hold")
        return Entry(info, dtype, fortran == "True", shape)

    def _data(self, entry: Entry) -> bytes:
        size = math.prod(entry.shape) * entry.dtype.itemsize
        with _reading(), self._zip.open(entry.info) as stream:
            stream.read(entry.info.file_size - size)
            data = stream.read()  # to the end, so that the checksum is compared
        if len(data) != size:
            raise Damaged(f"entry {entry.info.filename!r} was cut off")
        return data
