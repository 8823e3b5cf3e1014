"""The package itself: names are found where they are first used, and nothing heavy is imported before."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import bough

ROOT = Path(__file__).parents[2]

HEAVY = ("matplotlib", "rich", "scipy", "trimesh", "typer", "viser")

RUN = """
import sys
import bough
system = bough.System("pendulum")
system.world.ry("angle").tz(-1.0, mass=1.0)
bough.simulate(system.build(), q=[0.5], duration=0.1, dt=0.01)
print(sorted(set(sys.argv[1:]) & set(sys.modules)))
"""


def test_a_simulation_imports_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", RUN, *HEAVY], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_found() -> None:
    for name in bough.__all__:
        assert getattr(bough, name) is not None, name
    assert set(bough.__all__) <= set(dir(bough))


def test_every_public_subpackage_is_found_without_an_import_of_its_own() -> None:
    text = "import bough; print(bough.control, bough.gallery, bough.gym, bough.peers)"
    pytest.importorskip("gymnasium")
    subprocess.run([sys.executable, "-c", text], check=True)


def test_a_name_that_is_not_there_is_an_ordinary_error() -> None:
    assert not hasattr(bough, "Pendulum")


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Damper", "; it has bough.LinearDamper"),
        ("Spring", "bough.LinearSpring, bough.NonlinearConfigurationSpring, bough.NonlinearSpring"),
        ("simulat", "; it has bough.simulate"),
        ("Motor", "ConfigurationForce('joint', 'input') or Servo"),
        ("RevoluteJoint", "frame.ry('angle')"),
        ("load_urdf", "bough.load('robot.urdf')"),
        ("qqqqqq", "has no attribute 'qqqqqq'"),
    ],
)
def test_an_unknown_name_says_what_may_be_meant(asked: str, meant: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(bough, asked)
    assert str(caught.value).startswith(f"module 'bough' has no attribute {asked!r}")
    assert meant in str(caught.value)


def test_view_stays_the_function_when_its_subpackage_is_imported() -> None:
    from bough.view import scene

    assert callable(bough.view)
    assert scene.__name__ == "bough.view.scene"


def test_a_release_has_one_number() -> None:
    """In the package, in how to cite it, and on top of the changelog."""
    found = {
        name: re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        for name, pattern in (
            ("pyproject.toml", r'^version = "([\d.]+)"$'),
            ("CITATION.cff", r"^version: ([\d.]+)$"),
            ("CHANGELOG.md", r"^## \[([\d.]+)\]"),
        )
    }
    numbers = {name: match and match[1] for name, match in found.items()}
    assert None not in numbers.values()
    assert len(set(numbers.values())) == 1, numbers
