"""Every message for a broken file, word for word.

parse_errors.txt holds broken files, each followed by its message.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import bough
from bough.io.system_file import parse_system

TEXT = Path(__file__).with_name("parse_errors.txt").read_text(encoding="utf-8")
CASES = [case.removesuffix("\n").split("\n---- message\n") for case in TEXT.split("==== file\n")[1:]]


@pytest.mark.parametrize(("text", "message"), CASES, ids=[case[1].split("\n")[0] for case in CASES])
def test_message(text: str, message: str) -> None:
    with pytest.raises(bough.ParseError) as caught:
        parse_system(text, path="x.sexp")
    error = caught.value
    assert str(error) == message
    assert error.path == "x.sexp"
    assert error.line is not None
    assert error.column is not None
    assert error.source == text.split("\n")[error.line - 1]
    assert 1 <= error.column <= len(error.source) + 1


def message_of(path: Path, text: str | bytes, **parameters: float) -> str:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(bough.BoughError) as caught:
        bough.load(path, **parameters)
    return str(caught.value).replace(str(path.parent), "here")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.sexp"


def test_not_utf8(path: Path) -> None:
    assert message_of(path, b'(system\n (tz "H\xf6he"))') == (
        "here/x.sexp:2:8: byte 0xf6\n"
        '     (tz "H\n'
        "           ^\n"
        "  found: it is not text in UTF-8\n"
        "  do: save the file in UTF-8"
    )


def test_included_file_with_a_mistake(path: Path) -> None:
    path.with_name("part.sexp").write_text('(tz 1\n (Nam "G"))')
    assert message_of(path, '(system (include "part.sexp"))') == (
        "here/part.sexp:2:3: word 'Nam' in a frame\n"
        '     (Nam "G"))\n'
        "      ^\n"
        "  found: there is no such word; the nearest is 'name'\n"
        "  do: correct the spelling"
    )


def test_name_in_two_files(path: Path) -> None:
    path.with_name("part.sexp").write_text('(tz 1 (name "a"))')
    assert message_of(path, '(system (tz 1 (name "a")) (include "part.sexp"))') == (
        "here/part.sexp:1:13: name 'a'\n"
        '    (tz 1 (name "a"))\n'
        "                ^\n"
        "  found: another frame has this name, in line 1 of here/x.sexp\n"
        "  do: choose another name"
    )


@pytest.mark.parametrize(
    ("name", "found", "do"),
    [
        ("part.sexp", "there is no such file", "check the path"),
        ("x.sexp", "the file includes itself", "remove this include"),
        ("link.sexp", "it is a link to another folder", "put the file itself beside this one"),
        ("folder.sexp", "there is no such file", "check the path"),
    ],
)
def test_include(path: Path, name: str, found: str, do: str) -> None:
    folder = path.with_name("folder.sexp")
    folder.mkdir()
    (folder / "secret.sexp").write_text("(secret)")
    path.with_name("link.sexp").symlink_to(folder / "secret.sexp")
    text = f'(system (include "{name}"))'
    message = message_of(path, text)
    assert message.startswith(f"here/x.sexp:1:18: include {name!r}\n    {text}\n")
    assert message.endswith(f"  found: {found}\n  do: {do}")


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "../x.sexp",
        "a/b.sexp",
        "..",
        "",
        "C:x.sexp",
        "a\\\\b.sexp",
        "notes.txt",
        "x.sexp\\u{0}",
    ],
)
def test_only_files_beside_can_be_included(path: Path, name: str) -> None:
    message = message_of(path, f'(system (include "{name}"))')
    assert (
        "found: not the plain name of a .sexp file: only files beside this one can be included\n" in message
    )


def test_includes_cannot_multiply(path: Path) -> None:
    for level in range(20):
        include = f'(include "p{level + 1}.sexp")'
        path.with_name(f"p{level}.sexp").write_text(f"{include}\n{include}")
    path.with_name("p20.sexp").write_text("(tz 1)")
    message = message_of(path, '(system (include "p0.sexp"))')
    assert "found: more than 256 includes\n  do: remove this include" in message


def test_no_such_file() -> None:
    with pytest.raises(bough.ParseError) as caught:
        bough.load("nowhere.sexp")
    assert str(caught.value) == "load('nowhere.sexp')\n  found: there is no such file\n  do: check the path"


@pytest.mark.parametrize(
    ("path", "how"),
    [
        ("run.npz", "the system of a run is bough.load_trajectory(path).model.system"),
        ("arm.json", "the system of a description is bough.System.from_dict(json.load(file))"),
    ],
)
def test_files_that_other_functions_read(path: str, how: str) -> None:
    with pytest.raises(bough.ParseError) as caught:
        bough.load(path)
    assert caught.value.do == (
        "give a file that ends with .sexp (s-expressions), .urdf, or .xml (MJCF), or 'gallery:NAME'; " + how
    )


@pytest.mark.parametrize(
    ("path", "found"), [("arm.txt", "the suffix '.txt'"), ("arm", "a path without a suffix")]
)
def test_suffix(path: str, found: str) -> None:
    with pytest.raises(bough.ParseError) as caught:
        bough.load(path)
    assert str(caught.value) == (
        f"load({path!r})\n"
        f"  found: {found}\n"
        "  do: give a file that ends with .sexp (s-expressions), .urdf, or .xml (MJCF), or 'gallery:NAME'"
    )
    with pytest.raises(bough.ModelError) as saved:
        bough.save(bough.System("arm"), path)
    assert (
        str(saved.value)
        == f"save(System, {path!r})\n  found: {found}\n  do: give a path that ends with .sexp"
    )


def test_unknown_parameter(path: Path) -> None:
    assert message_of(path, "(let ((length 1)) (system (tz length)))", lenght=2) == (
        "parameter 'lenght' in load('here/x.sexp')\n"
        "  found: no parameter has this name; the nearest is 'length'\n"
        "  do: correct the spelling"
    )


def test_parameter_that_is_no_number(path: Path) -> None:
    assert message_of(path, "(let ((L 1)) (system (tz L)))", L=[1]) == (  # type: ignore[arg-type]
        "L=[1] in load\n"
        "  found: parameter L is neither a number nor a string\n"
        "  do: give a number or a string"
    )


def test_save_takes_a_system() -> None:
    with pytest.raises(bough.ModelError) as caught:
        bough.save("arm", "arm.sexp")  # type: ignore[arg-type]
    assert str(caught.value) == (
        "save(str, 'arm.sexp')\n"
        "  found: this is not a system\n"
        "  do: save the system that the model was built from"
    )


def push(t: float, q: object, v: object) -> float:
    return 1.0


def test_functions_are_not_saved() -> None:
    system = bough.System("pendulum")
    system.world.ry("angle", mass=1.0)
    system.add(bough.FunctionForce("angle", push))
    with pytest.raises(bough.ModelError) as caught:
        bough.save(system, "pendulum.sexp")
    assert str(caught.value) == (
        "file of FunctionForce\n"
        "  found: it holds a function of Python, which a file cannot hold\n"
        "  do: add the element in Python after loading the file"
    )


def test_pickles() -> None:
    with pytest.raises(bough.ParseError) as caught:
        parse_system("(system (tz))", path="x.sexp")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert (copy.path, copy.line, copy.column, copy.source) == ("x.sexp", 1, 10, "(system (tz))")
