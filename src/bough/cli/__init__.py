"""The command line: `bough simulate model.sexp --duration 10`. One file for each command."""

from __future__ import annotations

import io
import os
import sys

# in the order of --help
from bough.cli import simulate, study, compare, info, check, assemble  # isort: skip
from bough.cli import plot, view, video, convert, gallery, figures, lab  # isort: skip
from bough.cli._app import app
from bough.cli._complete import join_words

__all__ = [
    "app",
    "assemble",
    "check",
    "compare",
    "convert",
    "figures",
    "gallery",
    "info",
    "lab",
    "main",
    "plot",
    "simulate",
    "study",
    "video",
    "view",
]


def main() -> None:
    """Run the command that the arguments of the process name."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a tree is drawn with lines that not every terminal has
    join_words(os.environ)
    app(prog_name="bough")
