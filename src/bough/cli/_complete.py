"""Completions that the shell offers for the words of a command."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, MutableMapping
from pathlib import Path

import typer

from bough.cli._files import MODELS, RUN, read_system
from bough.description.element import Force
from bough.description.system import System
from bough.errors import BoughError
from bough.io import GALLERY

_behind_colon = False  # whether the completed word lacks its `gallery:`


def join_words(environment: MutableMapping[str, str]) -> None:
    """Put `gallery:NAME` together again, which bash splits at the colon before it asks for completions.

    Bash replaces only the part of the word after the colon, so this part becomes the word.
    """
    global _behind_colon
    if not environment.get("_BOUGH_COMPLETE", "").endswith("_bash"):
        return
    text = environment.get("COMP_WORDS", "")
    mark = "\n" if "\n" in text else " "
    words, place = text.split(mark), int(environment.get("COMP_CWORD", "0"))
    for first in range(len(words) - 2, -1, -1):
        if words[first : first + 2] == [GALLERY[:-1], ":"]:
            end = first + 2 if place == first + 1 else first + 3  # nothing is typed after the colon yet
            typed = "".join(words[first + 2 : end])
            completed = first < place < end
            words[first:end] = [typed if completed else f"{GALLERY}{typed}"]
            place = first if completed else place - 2 if place >= end else place
            _behind_colon |= completed
    environment["COMP_WORDS"], environment["COMP_CWORD"] = mark.join(words), str(place)


def models(incomplete: str) -> list[str]:
    """Systems of the gallery; nothing otherwise, so that the shell offers files."""
    if not _behind_colon and not (
        incomplete and (GALLERY.startswith(incomplete) or incomplete.startswith(GALLERY))
    ):
        return []  # the shell offers files
    from bough import gallery  # slow to import

    if _behind_colon:
        return [name for name in gallery.names() if name.startswith(incomplete)]
    offered = [f"{GALLERY}{name}" for name in gallery.names() if f"{GALLERY}{name}".startswith(incomplete)]
    files = sorted(Path().glob(f"{incomplete}*")) if ":" not in incomplete else []
    offered += [str(file) for file in files if file.suffix.lower() in (*MODELS, RUN)]
    return offered + [f"{file}{os.sep}" for file in files if file.is_dir()]


def motions(ctx: typer.Context, incomplete: str) -> list[str]:
    """The motions of the system named before on the line."""
    from bough import gallery

    name = _model(ctx).removeprefix(GALLERY)
    return [motion for motion in (*gallery.motions(name), "none") if motion.startswith(incomplete)]


def inputs(ctx: typer.Context, incomplete: str) -> list[str]:
    """`NAME=` for each input of the model named before on the line."""
    return [f"{name}=" for name in _names(ctx, _inputs_of) if name.startswith(incomplete)]


def kinematic(ctx: typer.Context, incomplete: str) -> list[str]:
    """`NAME=` for each kinematic variable of the model named before on the line."""
    return [
        f"{name}=" for name in _names(ctx, lambda system: system.kinematic) if name.startswith(incomplete)
    ]


def variable_values(ctx: typer.Context, incomplete: str) -> list[str]:
    """`NAME=` for each variable of the model named before on the line."""
    return [
        f"{name}=" for name in _names(ctx, lambda system: system.variables) if name.startswith(incomplete)
    ]


def variables(ctx: typer.Context, incomplete: str) -> list[str]:
    """The dynamic variables of the model named before on the line."""
    return [name for name in _names(ctx, lambda system: system.dynamic) if name.startswith(incomplete)]


def _model(ctx: typer.Context) -> str:
    """The model named before on the line; it is in `args` if the last option has no value yet."""
    words = [ctx.params.get("model"), *ctx.args]
    return next(str(word) for word in (*words, "") if word is not None)


def _inputs_of(system: System) -> tuple[str, ...]:
    forces = (element for element in system.elements if isinstance(element, Force))
    return tuple(dict.fromkeys(name for force in forces for name in force.inputs()))


def _names(ctx: typer.Context, of: Callable[[System], tuple[str, ...]]) -> tuple[str, ...]:
    try:
        warnings.simplefilter("ignore")
        return of(read_system(_model(ctx)))
    except (BoughError, OSError):
        return ()
