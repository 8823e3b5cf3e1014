"""What bough imports is stated in pyproject.toml."""

from __future__ import annotations

import ast
import re
import sys
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "IPython": "ipython",
    "PIL": "pillow",
    "imageio_ffmpeg": "imageio-ffmpeg",
}  # where names differ
OF_THE_USER = {"jax"}  # of those who write elements with it


def imported() -> set[str]:
    """The packages outside of the standard library that files of bough import."""
    found = set()
    for path in (ROOT / "src" / "bough").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "package":
                names = [ast.literal_eval(node.args[0])]
            found |= {name.partition(".")[0] for name in names}
    return found - sys.stdlib_module_names - {"bough"}


def test_every_package_is_stated() -> None:
    tomllib = pytest.importorskip("tomllib", reason="needs Python 3.11")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stated = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {re.split(r"[\[<>=]", requirement)[0] for requirement in stated}
    used = {PACKAGES.get(name, name) for name in imported() - OF_THE_USER}
    assert {"numpy", "viser", "trimesh", "pillow", "pandas", "xarray", "zarr", "dask"} <= used
    assert used <= names


def test_the_readme_of_a_package_index_has_no_links_to_files() -> None:
    """There the README stands alone: its words are kept, links and pictures beside it are not."""
    tomllib = pytest.importorskip("tomllib", reason="needs Python 3.11")
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "](docs/" in text
    for each in tools["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert all(link.startswith("http") for link in links), links
    assert "| Tutorials | ten minutes each" in text
    assert "![" not in text
