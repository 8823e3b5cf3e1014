"""Films: how many pictures, of what size, showing what."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import bough
from bough.progress import Progress
from bough.view import video
from bough.view.video import Film, frame_times
from support import console

SIZE = (320, 240)


@pytest.fixture(scope="module")
def run() -> bough.Trajectory:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    return bough.simulate(system.build(), q={"angle": 1.2}, duration=0.7, dt=0.01)


def ball(pixels: np.ndarray) -> tuple[float, float]:
    """The middle of what is blue, right and up, relative to the size."""
    red, blue = pixels[..., 0].astype(int), pixels[..., 2].astype(int)
    rows, columns = np.nonzero(blue - red > 100)
    assert len(rows) > 5
    return columns.mean() / pixels.shape[1], 1.0 - rows.mean() / pixels.shape[0]


def test_a_gif_runs_in_time(run: bough.Trajectory, tmp_path: Path):
    path = bough.export_video(run, tmp_path / "run.gif", fps=20, size=SIZE)
    with Image.open(path) as film:
        assert film.size == SIZE
        assert film.n_frames == 15  # 0, 0.05, ..., 0.7
        assert film.info["duration"] == 50
        first = ball(np.asarray(film.convert("RGB")))
        film.seek(14)
        last = ball(np.asarray(film.convert("RGB")))
    # it swings from left to right, as run.pose says
    assert np.sign(last[0] - first[0]) == np.sign(run.pose("bob")[-1, 0, 3] - run.pose("bob")[0, 0, 3])
    assert abs(last[0] - first[0]) > 0.1


def test_an_mp4_has_the_same_pictures(run: bough.Trajectory, tmp_path: Path):
    program = video.ffmpeg()
    if program is None:
        pytest.skip("no ffmpeg: pip install 'bough[video]'")
    path = bough.export_video(run, tmp_path / "run.mp4", fps=20, speed=0.5, size=SIZE, trace="bob")
    command = [program, "-loglevel", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    pixels = np.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, dtype=np.uint8)
    pictures = pixels.reshape(-1, SIZE[1], SIZE[0], 3)
    assert len(pictures) == 29
    x = [ball(picture)[0] for picture in pictures]
    rows = [round(0.025 * k / 0.01) for k in range(29)]
    # places in the picture are a linear function of places in the world
    fit = np.polyfit(run.pose("bob")[rows, 0, 3], x, 1)
    np.testing.assert_allclose(np.polyval(fit, run.pose("bob")[rows, 0, 3]), x, atol=0.03)


def test_progress_is_shown_on_demand(
    run: bough.Trajectory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    bough.export_video(run, tmp_path / "run.gif", fps=10, size=SIZE, progress=True)
    said = capsys.readouterr()
    assert said.out == ""
    assert "run.gif" in said.err
    assert "0.7 of 0.7 s" in said.err
    assert "pictures/s" in said.err


def test_times_of_pictures():
    np.testing.assert_allclose(frame_times(np.array((1.0, 2.0)), 4.0), (1.0, 1.25, 1.5, 1.75, 2.0))
    np.testing.assert_allclose(frame_times(np.array((0.0, 1.0)), 2.0, speed=4.0), (0.0,))
    assert len(frame_times(np.linspace(0.0, 10.0, 100_001), 30.0)) == 301


MESSAGES: dict[str, tuple[Callable[[bough.Trajectory], Any], str, str, str]] = {
    "suffix": (
        lambda run: bough.export_video(run, "run.avi"),
        "export_video('run.avi')",
        "the suffix '.avi'",
        "end the path in .mp4 or .gif or .webp",
    ),
    "folder": (
        lambda run: bough.export_video(run, "nowhere/run.gif"),
        "export_video('nowhere/run.gif')",
        "no folder 'nowhere'",
        "make the folder first, or correct the path",
    ),
    "fps": (
        lambda run: bough.export_video(run, "run.gif", fps=0),
        "fps=0 in export_video('run.gif')",
        "not a number above zero",
        "give a number above zero",
    ),
    "size": (
        lambda run: bough.export_video(run, "run.gif", size=(161, 120)),
        "size=(161, 120) in export_video('run.gif')",
        "not two even numbers of pixels",
        "give width and height, such as (1280, 720)",
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_message(case: str, run: bough.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    make, asked, found, do = MESSAGES[case]
    with pytest.raises(bough.ModelError) as caught:
        make(run)
    assert (caught.value.asked, caught.value.found, caught.value.do) == (asked, found, do)
    assert list(tmp_path.iterdir()) == []


def test_from_a_shell(run: bough.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    run.save("run.npz")
    command = "bough video run.npz -o film.gif --fps 10 --speed 0.5 --size 160x120 --trace bob --quiet"
    assert console.run(command) == (0, "film.gif\n", "")
    same = bough.export_video(run, "same.gif", fps=10, speed=0.5, size=(160, 120), trace="bob")
    assert Path("film.gif").read_bytes() == same.read_bytes()
    monkeypatch.setattr(video, "ffmpeg", lambda: None)
    assert console.run("bough video run.npz") == (
        2,
        "",
        "error: export_video('run.mp4')\n"
        "  found: neither the program ffmpeg nor the package imageio-ffmpeg is installed\n"
        "  do: install one: pip install 'bough[video]'; or end the path in .gif or .webp\n",
    )


def test_without_ffmpeg(run: bough.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(video, "ffmpeg", lambda: None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(bough.BoughError) as caught:
        bough.export_video(run, "run.mp4")
    assert str(caught.value) == (
        "export_video('run.mp4')\n"
        "  found: neither the program ffmpeg nor the package imageio-ffmpeg is installed\n"
        "  do: install one: pip install 'bough[video]'; or end the path in .gif or .webp"
    )


def test_what_ffmpeg_says_is_passed_on(
    run: bough.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\necho Unknown encoder libx264 >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(video, "ffmpeg", lambda: str(program))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(bough.BoughError) as caught:
        bough.export_video(run, "run.mp4", size=SIZE)
    assert caught.value.found == "ffmpeg failed: Unknown encoder libx264"
    assert caught.value.do == "check that the path can be written, or end it in .gif"


def test_a_film_that_is_interrupted_leaves_the_one_before(
    run: bough.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "run.gif"
    path.write_bytes(b"before")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(video.Film, "pictures", interrupted)
    run.save(tmp_path / "run.npz")
    code, _, stderr = console.run(f"bough video {tmp_path / 'run.npz'} -o {path}")
    assert (code, stderr) == (1, "interrupted\n")
    assert path.read_bytes() == b"before"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.gif", "run.npz"]


@pytest.mark.parametrize("spatial", [False, True])
def test_a_film_follows_a_frame(spatial: bool) -> None:
    """What is followed stays where it is in the picture; without, it leaves its place."""
    system = bough.System("sled")
    sled = system.world.tx("x", name="sled", mass=1.0)
    sled = sled.rx("roll", name="seat", mass=0.1, inertia=(0.1, 0.1, 0.1)) if spatial else sled
    sled.ry("angle").tz(-0.5, name="bob", mass=0.2)
    model = system.build()
    q = np.zeros((3, model.nq))
    q[:, model.index("x")] = (0.0, 2.0, 7.0)
    run = bough.Trajectory(model, [0.0, 1.0, 2.0], q)

    def places(follow: str | None) -> np.ndarray:
        film = Film(run, (320, 240), None, follow)
        plot, found = film._stage.plot, []
        with Progress("film", 1.0, False) as bar:
            for row, _ in enumerate(film.pictures([0, 1, 2], bar)):
                point = film._stage.projection(model.pose("sled", q[row])[None, :3, 3])[0][0]
                found.append(plot.transData.transform(point))
        return np.array(found)

    followed = places("sled")
    np.testing.assert_allclose(followed, followed[[0, 0, 0]], atol=1e-6)
    assert np.abs(np.diff(places(None)[:, 0])).min() > 10.0
    with pytest.raises(bough.ModelError) as error:
        bough.export_video(run, "sled.gif", follow="sledge")
    assert "'sled'" in str(error.value)
