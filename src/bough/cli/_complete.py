"""What the shell offers when a word of a command is completed with the tab key."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import typer

from bough.cli._files import read_system
from bough.errors import BoughError
from bough.system import System


def variable_values(ctx: typer.Context, incomplete: str) -> list[str]:
    """`NAME=` for each variable of the model that stands before."""
    return [
        f"{name}=" for name in _names(ctx, lambda system: system.variables) if name.startswith(incomplete)
    ]


def variables(ctx: typer.Context, incomplete: str) -> list[str]:
    """The dynamic variables of the model that stands before."""
    return [name for name in _names(ctx, lambda system: system.dynamic) if name.startswith(incomplete)]


def _names(ctx: typer.Context, of: Callable[[System], tuple[str, ...]]) -> tuple[str, ...]:
    try:
        warnings.simplefilter("ignore")
        words = [ctx.params.get("model"), *ctx.args]  # the latter where the last option has no value yet
        return of(read_system(next(word for word in (*words, "") if word is not None)))
    except (BoughError, OSError):
        return ()
