"""Files are replaced only by complete ones: whatever goes wrong while one is written, the old one stays."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import bough
from bough.cli._files import write_system
from bough.cli._plot import save_plot
from bough.write import replacing, write_text

OLD = "the old file"


def pendulum() -> bough.System:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    return system


def run() -> bough.Trajectory:
    return bough.simulate(pendulum().build(), {"angle": 0.5}, duration=0.05)


def comparison() -> bough.Comparison:
    return bough.compare(pendulum().build(), {"angle": 0.5}, duration=0.1, integrators=["rk4"], effort=0.1)


WRITERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "save": ("model.sexp", lambda path: bough.save(pendulum(), path)),
    "description": ("model.json", lambda path: write_system(pendulum(), str(path))),
    "npz": ("run.npz", lambda path: run().save(path)),
    "csv": ("run.csv", lambda path: run().save(path)),
    "netcdf": ("run.nc", lambda path: run().save(path)),
    "html": ("run.html", lambda path: bough.export_html(run(), path)),
    "comparison": ("report.html", lambda path: comparison().save_html(path)),
    "plot": ("run.png", lambda path: save_plot(run(), path)),
    "video": ("run.gif", lambda path: bough.export_video(run(), path, size=(64, 48))),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_a_missing_folder_is_told(kind: str, tmp_path: Path) -> None:
    name, write = WRITERS[kind]
    folder = tmp_path / "new"
    with pytest.raises(bough.BoughError) as caught:
        write(folder / name)
    assert caught.value.found.endswith(f"no folder {str(folder)!r}")
    assert not folder.exists()


def test_a_folder_in_the_place_of_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "run.npz").mkdir()
    with pytest.raises(bough.ModelError) as caught:
        run().save(tmp_path / "run.npz")
    assert (caught.value.found, caught.value.do) == ("a folder", "give the path of a file in it")


@pytest.mark.parametrize("kind", WRITERS)
def test_a_full_disk_leaves_the_old_file(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full when the new file is complete but for its name, which is the last moment it can be."""
    name, write = WRITERS[kind]
    path = tmp_path / name
    path.write_text(OLD)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        with pytest.raises(OSError, match="space"):
            write(path)
    assert path.read_text() == OLD
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    write(path)  # and now there is space
    assert path.read_bytes() != OLD.encode()
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_disk_that_is_really_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.sexp"
    path.write_text(OLD)
    original = Path.write_text

    def to_full(self: Path, *args: object, **options: object) -> int:
        return original(Path("/dev/full"), *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "write_text", to_full)
    with pytest.raises(OSError, match="space"):
        bough.save(pendulum(), path)
    assert path.read_text() == OLD


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text(OLD)
    real.chmod(0o640)
    link.symlink_to(real)
    write_text(link, "new\n")
    assert link.is_symlink()
    assert real.read_bytes() == b"new\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_what_is_not_a_file_is_written_to() -> None:
    write_text("/dev/null", "gone")
    assert not Path("/dev/null").is_file()


def test_an_error_of_the_writer_is_raised(tmp_path: Path) -> None:
    def half() -> None:
        with replacing(tmp_path / "a.txt") as part:
            part.write_text("ha")
            raise ValueError("half")

    with pytest.raises(ValueError, match="half"):
        half()
    assert list(tmp_path.iterdir()) == []


def test_a_protected_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text(OLD)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(PermissionError, match="denied"):
        write_text(path, "new")
    assert path.read_text() == OLD


# --- what a run was given is its own ---


def arm() -> bough.Model:
    system = bough.System("arm")
    base = system.world.tx(bough.kinematic("slide"))
    base.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    system.add(bough.ConfigurationForce("shoulder", "torque"))
    return system.build()


@pytest.mark.parametrize("integrator", ["midpoint", "rk4", "dop853", "velocity"])
def test_a_run_does_not_change_with_the_arrays_it_was_given(integrator: str, tmp_path: Path) -> None:
    u, k = np.full((10, 1), 0.3), np.linspace(0.0, 0.1, 11)[:, None]
    q, v = np.array([0.2, 0.0]), np.array([0.1, 0.1])
    made = bough.simulate(arm(), q, v, u=u, k=k, duration=0.1, integrator=integrator)
    kept = made.save(tmp_path / "before.npz").read_bytes()
    for array in (u, k, q, v):
        array[:] = 7.0
    assert made.save(tmp_path / "after.npz").read_bytes() == kept
    assert made.rerun() == made


def test_a_constant_input_is_copied() -> None:
    u = np.array([0.3])
    made = bough.simulate(arm(), u=u, duration=0.1)
    u[:] = 7.0
    assert made.rerun() == made


def test_plots_of_figures_are_of_the_suffix(tmp_path: Path) -> None:
    assert save_plot(run(), tmp_path / "run.svg").read_text().startswith("<?xml")
