"""Model files of every kind that cannot be read: no file, no package, no such option."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bough
from bough.io.mjcf import load_mjcf
from bough.io.urdf import load_urdf


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("load", "path"), [(load_urdf, "none.urdf"), (load_mjcf, "none.xml")])
def test_no_file(load: Callable[..., bough.System], path: str):
    with pytest.raises(bough.ParseError) as caught:
        load(path)
    assert str(caught.value) == (
        f"{path}: reading a model file\n"
        "  found: no such file or directory\n"
        "  do: give the path of a file that exists"
    )


@pytest.mark.parametrize("given", [bough.System("arm"), 3, None, b"arm.sexp"])
def test_what_is_no_path(given: Any):
    with pytest.raises(bough.ModelError) as caught:
        bough.load(given)
    assert (caught.value.found, caught.value.do.split(";")[0]) == (
        "not a path",
        "give the path of a file, or 'gallery:NAME'",
    )


@pytest.mark.parametrize(
    ("load", "path", "text", "package", "extra"),
    [
        (load_urdf, "arm.urdf", '<robot name="arm"><link name="base"/></robot>', "yourdfpy", "urdf"),
        (load_mjcf, "arm.xml", "<mujoco/>", "mujoco", "mujoco"),
    ],
)
def test_without_the_package(
    load: Callable[..., bough.System],
    path: str,
    text: str,
    package: str,
    extra: str,
    monkeypatch: pytest.MonkeyPatch,
):
    usual = builtins.__import__

    def absent(name: str, *arguments: Any, **options: Any) -> Any:
        if name == package:
            raise ImportError(name)
        return usual(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", absent)
    Path(path).write_text(text)
    with pytest.raises(bough.ParseError) as caught:
        load(path)
    assert str(caught.value) == (
        f"{path}: reading a model file\n"
        f"  found: the package {package} is not installed\n"
        f"  do: pip install 'bough[{extra}]'"
    )


@pytest.mark.parametrize(
    ("path", "option", "message"),
    [
        (
            "arm.urdf",
            "floatin",
            "option 'floatin' in load('arm.urdf')\n"
            "  found: no option has this name; the nearest are 'floating', 'rotation'\n"
            "  do: correct the spelling",
        ),
        (
            "arm.xml",
            "L",
            "option 'L' in load('arm.xml')\n"
            "  found: no option has this name; the names are 'limits', 'rotation', 'contacts'\n"
            "  do: use one of these names",
        ),
    ],
)
def test_an_option_that_does_not_exist(path: str, option: str, message: str):
    with pytest.raises(bough.ModelError) as caught:
        bough.load(path, **{option: 2.0})
    assert str(caught.value) == message


def test_as_given_takes_no_value():
    text = '(system (rz "a" (mass 1 1 1 3) (as-given 1)))'
    Path("arm.sexp").write_text(text)
    with pytest.raises(bough.ParseError) as caught:
        bough.load("arm.sexp")
    assert caught.value.found == "the number 1 after the word"
    assert caught.value.do == "write (as-given)"
