"""Systems from and to files. The suffix of a path says what the file holds."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import Any

from bough import validate
from bough.description.system import System
from bough.errors import ModelError, ParseError, unknown_name
from bough.io.system_file import load_sexp, save_sexp

__all__ = ["GALLERY", "load", "save"]

GALLERY = "gallery:"  # prefix of the name of a gallery system


def load(path: str | PathLike[str], **parameters: Any) -> System:
    """The system that a file describes.

    Parameters
    ----------
    path : str or path
        .sexp (s-expressions), .urdf, or .xml (MJCF); or "gallery:NAME", a system of `bough.gallery`.
    **parameters
        For .sexp, values that replace those of parameters in the file; for .urdf and .xml, the options of `load_urdf`
        and `load_mjcf`; for a system of the gallery, the parameters of its function.

    Examples
    --------
    >>> import bough
    >>> model = bough.load("pendulum.sexp", L=2.0).build()  # doctest: +SKIP
    """
    if not isinstance(path, str | PathLike):
        raise ModelError(
            asked=f"load({validate.shown(path)})",
            found="not a path",
            do="give the path of a file, or 'gallery:NAME'; a system is built by system.build(), and a model is"
            " simulated as it is",
        )
    if isinstance(path, str) and path.startswith(GALLERY):
        from bough import gallery

        return gallery.system(path.removeprefix(GALLERY), **parameters)
    suffix = Path(path).suffix.lower()
    if suffix == ".sexp":
        return load_sexp(path, **parameters)
    if suffix == ".urdf":
        from bough.io.urdf import load_urdf

        _check_options(
            path,
            parameters,
            ("floating", "packages", "actuate", "limits", "massless", "rotation", "contacts", "friction"),
        )
        return load_urdf(path, **parameters)
    if suffix == ".xml":
        from bough.io.mjcf import load_mjcf

        _check_options(path, parameters, ("limits", "rotation", "contacts"))
        return load_mjcf(path, **parameters)
    others = {
        ".npz": "; the system of a run is bough.load_trajectory(path).model.system",
        ".json": "; the system of a description is bough.System.from_dict(json.load(file))",
    }
    raise ParseError(
        asked=f"load({fspath(path)!r})",
        found=f"the suffix {suffix!r}" if suffix else "a path without a suffix",
        do="give a file that ends with .sexp (s-expressions), .urdf, or .xml (MJCF), or 'gallery:NAME'"
        + others.get(suffix, ""),
    )


def save(system: System, path: str | PathLike[str]) -> None:
    """Write a system to a .sexp file, from which `load` makes the same system.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> bough.save(system, "pendulum.sexp")  # doctest: +SKIP
    """
    asked = f"save({type(system).__name__}, {fspath(path)!r})"
    if not isinstance(system, System):
        raise ModelError(
            asked=asked,
            found="this is not a system",
            do="save the system that the model was built from",
        )
    suffix = Path(path).suffix
    if suffix.lower() != ".sexp":
        raise ModelError(
            asked=asked,
            found=f"the suffix {suffix!r}" if suffix else "a path without a suffix",
            do="give a path that ends with .sexp",
        )
    save_sexp(system, path)


def _check_options(path: str | PathLike[str], given: dict[str, Any], known: tuple[str, ...]) -> None:
    for name in given:
        if name not in known:
            raise unknown_name("option", name, known, f"load({fspath(path)!r})")
