"""Systems, numbers by name and paths from the words of a command line."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import bough
from bough.arguments import Array
from bough.description.start import from_start
from bough.description.system import System
from bough.errors import BoughError, ModelError, ParseError
from bough.io import GALLERY
from bough.io.trajectory_file import load_trajectory
from bough.model.model import Model
from bough.motion.trajectory import Trajectory
from bough.motion.trajectory_export import need_xarray
from bough.write import write_text

RUN = ".npz"
BALLS = {"--q": "1,0,0,0", "--v": "0,0,0.5"}  # how a ball is written
DESCRIPTION = ".json"
MODELS = (".sexp", ".urdf", ".xml", DESCRIPTION)


def is_run(path: str) -> bool:
    """Whether a path is that of a trajectory."""
    return Path(path).suffix.lower() == RUN


def read_system(path: str, parameters: Sequence[str] | None = None) -> System:
    """The system of a model file, of a description in JSON or of a run."""
    given = pairs(parameters, "--param")
    if Path(path).suffix.lower() not in (RUN, DESCRIPTION):
        return _load(path, given)
    system = load_trajectory(path).model.system if is_run(path) else read_description(path)
    if given and not system.parameters:
        raise BoughError(
            asked=f"--param {next(iter(given))} for {path!r}",
            found="its system has no parameters",
            do="leave --param out",
        )
    return system.build().with_parameters(**given).system if given else system


def read_run(path: str, command: str) -> Trajectory:
    """The run of a file, for a command of this name."""
    if path.startswith(GALLERY) or Path(path).suffix.lower() in MODELS:
        raise BoughError(
            asked=f"bough {command} {path}",
            found="a model, not a run of it",
            do=f"simulate it first: bough simulate {path} -o run.npz, then bough {command} run.npz",
        )
    return load_trajectory(path)


def _load(path: str, parameters: Mapping[str, Any]) -> System:
    suffix = Path(path).suffix.lower()
    if suffix not in MODELS and not path.startswith(GALLERY):
        raise BoughError(
            asked=f"model {path!r}",
            found=f"the suffix {suffix!r}" if suffix else "a path without a suffix",
            do="give a file that ends with .sexp (s-expressions), .urdf, .xml (MJCF) or .json (a"
            " description), a run (.npz), or gallery:NAME",
        )
    try:
        system: System = bough.load(path, **parameters)
    except TypeError as error:
        if not parameters or "argument" not in str(error):
            raise
        raise BoughError(
            asked=f"--param {' --param '.join(parameters)} for {path!r}",
            found="a parameter that this kind of file does not have",
            do="leave it out, or correct the spelling",
        ) from None
    return system


def read_description(path: str) -> System:
    """The system of a `.json` file: what `System.to_dict` gives."""
    asked = f"{path}: description"
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ParseError(
            asked=f"{path}:{error.lineno}:{error.colno}: description",
            found=f"not JSON: {error.msg}",
            do="correct the file at this place",
        ) from None
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        kind = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else "not JSON that can be read"
        raise ParseError(asked=asked, found=kind, do="give a description made by System.to_dict()") from None
    if not isinstance(data, dict):
        raise ParseError(
            asked=asked, found="not a JSON object", do="give a description made by System.to_dict()"
        )
    try:
        return System.from_dict(data)
    except ModelError as error:
        raise ParseError(asked=f"{path}: {error.asked}", found=error.found, do=error.do) from None


def write_system(system: System, path: str) -> None:
    """Write a model file by its suffix."""
    if Path(path).suffix.lower() == DESCRIPTION:
        write_text(path, json.dumps(system.to_dict(), indent=1) + "\n")
    else:
        bough.save(system, path)


def pairs(words: Sequence[str] | None, option: str) -> dict[str, Any]:
    """The values by name of `NAME=VALUE` words; what is not a number stays a word."""
    values: dict[str, Any] = {}
    for word in words or ():
        name, equals, value = word.rpartition("=")
        name, value = name.strip(), value.strip()
        if not (name and equals and value):
            raise BoughError(
                asked=f"{option} {word}",
                found="not a name and a value with = between them",
                do=f"write it like {option} {(name or value or 'angle')}=0.5",
            )
        if name in values:
            raise BoughError(
                asked=f"{option} {word}", found=f"{name!r} has a value already", do="give each name once"
            )
        values[name] = _value(value)
    return values


def numbers(words: Sequence[str] | None, option: str, balls: Collection[str] = ()) -> dict[str, Any]:
    """The numbers by name of `NAME=VALUE` words; of balls several with commas between them, in a tuple."""
    values = pairs(words, option)
    for name, value in values.items():
        if name in balls and isinstance(value, str):
            value = values[name] = tuple(_value(part) for part in value.split(","))
        parts = value if isinstance(value, tuple) else (value,)
        if not all(isinstance(part, float) and math.isfinite(part) for part in parts):
            shown, many = ",".join(map(str, parts)), name in balls
            raise BoughError(
                asked=f"{option} {name}={shown}",
                found=f"{shown!r} is not {'a row of finite numbers' if many else 'a finite number'}",
                do=f"write it like {option} {name}={BALLS[option] if many else '0.5'}",
            )
    return values


def configuration(model: Model, words: Sequence[str] | None) -> Array:
    """The configuration that `--q` asks for: the start of the system with single values changed."""
    q: Array = model.configuration(from_start(model, numbers(words, "--q", model.balls))[0] or {})
    return q


def check_run_file(path: Path, option: str) -> None:
    """Raise, before any work, if a run could not be written."""
    check_writable(path, option)
    if path.suffix.lower() == ".nc":
        need_xarray()


def check_writable(path: Path, option: str) -> None:
    """Raise, before any work, if a file could not be written."""
    if path.is_dir() or not path.parent.is_dir():
        raise BoughError(
            asked=f"{option} {str(path)!r}",
            found="this is a folder" if path.is_dir() else f"there is no folder {str(path.parent)!r}",
            do="give the path of a file in a folder that exists",
        )


def _value(text: str) -> float | bool | str:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return float(text)
    except ValueError:
        return text
