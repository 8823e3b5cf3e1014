"""The parts common to all commands: printing of errors, exit codes, shared arguments."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Sequence
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from bough.cli._complete import inputs, kinematic, models, variable_values
from bough.errors import BoughError, ConvergenceError
from bough.plain_text import in_terminal

FAILED = 1  # exit code of a run, an assembly or a check that failed
BAD = 2  # exit code of bad usage or a bad file
#: What other programs call a command.
OTHER_NAMES = {
    "run": "simulate",
    "sim": "simulate",
    "sweep": "study",
    "show": "view",
    "render": "video",
    "export": "convert",
}


class Commands(TyperGroup):
    """The commands; errors are printed in their three parts without a traceback, warnings in one line."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", UserWarning)
                warnings.showwarning = _show_warning
                return super().invoke(ctx)
        except BoughError as error:
            show_error(error)
            raise typer.Exit(exit_code(error)) from None
        except KeyboardInterrupt:  # in a command that keeps no partial result
            typer.echo("interrupted", err=True)
            raise typer.Exit(FAILED) from None
        except BrokenPipeError:
            raise  # the reader of the output has seen enough
        except OSError as error:
            show_error(file_error(error))
            raise typer.Exit(BAD) from None

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name; one that other programs have is told here."""
        if cmd_name in OTHER_NAMES and not ctx.resilient_parsing:
            ctx.fail(f"No such command {cmd_name!r}. Did you mean {OTHER_NAMES[cmd_name]!r}?")
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands, in the order in which they are used."""
        return list(self.commands)


app = typer.Typer(
    name="bough",
    cls=Commands,
    help="Simulation of articulated mechanical systems. MODEL is a file (.sexp, .urdf, .xml, .json), a system"
    " of the gallery (gallery:NAME), or a run (.npz), for its model.",
    epilog="Exit codes: 0 fine, 1 failed run or check, 2 bad usage or bad file.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        import platform
        from importlib.metadata import version

        from bough import __version__
        from bough._core import core

        packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "viser"))
        typer.echo(f"bough {__version__}")
        typer.echo(f"core {core.__name__.rpartition('_')[2]}, Python {platform.python_version()}, {packages}")
        typer.echo(platform.platform())
        raise typer.Exit


@app.callback()
def _bough(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Print the version, and those of what it runs with.",
        ),
    ] = False,
) -> None:
    pass


ModelFile = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model file, gallery:NAME, or a run (.npz).",
        show_default=False,
        autocompletion=models,
    ),
]
Q = Annotated[
    list[str] | None,
    typer.Option(
        "--q",
        metavar="NAME=VALUE",
        help="Configuration of a variable, or of a ball as NAME=w,x,y,z; others as in the start of the system, or 0."
        " Repeatable.",
        autocompletion=variable_values,
    ),
]
V = Annotated[
    list[str] | None,
    typer.Option(
        "--v",
        metavar="NAME=VALUE",
        help="Velocity of a variable, or of a ball as NAME=x,y,z; others as in the start of the system, or 0."
        " Repeatable.",
        autocompletion=variable_values,
    ),
]
U = Annotated[
    list[str] | None,
    typer.Option(
        "--u",
        metavar="NAME=VALUE",
        help="Value of one input: a number, a function of time such as '2*sin(3*t)', or a FILE.csv with a"
        " column t and one for each input; others are 0. Repeatable.",
        autocompletion=inputs,
    ),
]
K = Annotated[
    list[str] | None,
    typer.Option(
        "--k",
        metavar="NAME=VALUE",
        help="Motion of a kinematic variable, as with --u; others stay where they are. Repeatable.",
        autocompletion=kinematic,
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="NAME=VALUE", help="Value for a parameter of the file. Repeatable."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    typer.echo(in_terminal(f"warning: {message}"), err=True)


def show_error(error: BoughError) -> None:
    """Print an error on stderr."""
    typer.echo(in_terminal(f"error: {error}"), err=True)


def file_error(error: OSError) -> BoughError:
    """The error for a file that the operating system cannot read or write."""
    return BoughError(
        asked="a file" if error.filename is None else f"file {str(error.filename)!r}",
        found=(error.strerror or str(error)).lower(),
        do="correct the path, or make this possible",
    )


def exit_code(error: BoughError) -> int:
    """The exit code: 1 if a valid model could not be simulated or assembled, 2 for invalid input."""
    return FAILED if isinstance(error, ConvergenceError) or hasattr(error, "closest") else BAD


def error_data(error: BoughError) -> dict[str, Any]:
    """An error for JSON."""
    return {"kind": type(error).__name__, "asked": error.asked, "found": error.found, "do": error.do}


def show_json(data: Any) -> None:
    """Print data as JSON on stdout; numbers that are not finite, which JSON does not have, as null."""
    typer.echo(json.dumps(_finite(data), indent=2, ensure_ascii=False, allow_nan=False))


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Lines of aligned columns, indented."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
