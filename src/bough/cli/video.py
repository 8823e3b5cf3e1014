"""`bough video`: a run as a film."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bough.cli._app import app
from bough.cli._files import read_run
from bough.errors import BoughError

EXAMPLE = "bough video run.npz -o run.gif --fps 10 --speed 0.5"


@app.command("video", short_help="Make a film of a run.", epilog=f"Example: {EXAMPLE}")
def command(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run (.npz).", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help=".mp4, which needs ffmpeg or imageio-ffmpeg, or .gif.  [default: RUN with .mp4]",
            show_default=False,
        ),
    ] = None,
    fps: Annotated[float, typer.Option(help="Pictures per second of the film.")] = 30.0,
    speed: Annotated[float, typer.Option(help="How fast it is shown: 0.5 is slow motion.")] = 1.0,
    size: Annotated[
        str, typer.Option(metavar="WIDTHxHEIGHT", help="Of the pictures in pixels, even numbers.")
    ] = "960x720",
    trace: Annotated[
        str | None,
        typer.Option(metavar="FRAME", help="Draw the path of a frame so far.", show_default=False),
    ] = None,
    follow: Annotated[
        str | None,
        typer.Option(metavar="FRAME", help="Move the camera with a frame.", show_default=False),
    ] = None,
    forces: Annotated[
        bool, typer.Option("--forces", help="Colour strings, and the bodies they pull, by the force in them.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Make a film of a run, drawn without a screen."""
    from bough.view.video import export_video

    motion = read_run(run, "video")
    path = Path(run).with_suffix(".mp4") if output is None else output
    shown = False if quiet else None
    film = export_video(
        motion,
        path,
        fps=fps,
        speed=speed,
        size=_pixels(size),
        trace=trace,
        follow=follow,
        forces=forces,
        progress=shown,
    )
    typer.echo(str(film))


def _pixels(size: str) -> tuple[int, int]:
    width, _, height = size.lower().partition("x")
    try:
        return int(width), int(height)
    except ValueError:
        raise BoughError(
            asked=f"--size {size}",
            found="not a width and a height with x between them",
            do="write it like --size 1280x720",
        ) from None
