"""Broken MJCF files: the exact message for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

import bough
from bough.io._xml import DEEPEST
from bough.io.mjcf import load_mjcf
from support.messages import file_message


def world(content: str) -> str:
    return f"<mujoco>\n  <worldbody>\n{content}\n  </worldbody>\n</mujoco>\n"


MJCF = {
    "unknown element": (world("    <bodi/>"), "3:5", "MuJoCo says: ", "correct the file at this place"),
    "unknown attribute": (
        world('    <body poss="1 0 0"/>'),
        "3:5",
        "MuJoCo says: ",
        "correct the file at this place",
    ),
    "bad number": (
        world('    <body pos="1 0 x"/>'),
        "3:5",
        "MuJoCo says: ",
        "correct the file at this place",
    ),
    "no mass": (
        world('    <body name="a"><joint/></body>'),
        "3:5",
        "MuJoCo says: ",
        "correct the file at this place",
    ),
    "include outside": (
        '<mujoco>\n  <include file="../other.xml"/>\n</mujoco>',
        "2:12",
        "the file '../other.xml' is not in the folder of the model",
        "move it there, and give its name",
    ),
    "include absolute": (
        '<mujoco>\n  <include file="/etc/passwd"/>\n</mujoco>',
        "2:12",
        "the file '/etc/passwd' is not in the folder of the model",
        "move it there, and give its name",
    ),
    "include missing": (
        '<mujoco>\n  <include file="other.xml"/>\n</mujoco>',
        "2:12",
        "the file 'other.xml' does not exist",
        "correct its name",
    ),
    "mesh outside": (
        ('<mujoco>\n  <asset>\n    <mesh file="/etc/hostname.stl"/>\n  </asset>\n</mujoco>'),
        "3:11",
        "the file '/etc/hostname.stl' is not in the folder of the model",
        "move it there, and give its name",
    ),
    "meshdir outside": (
        (
            "<mujoco>\n"
            '  <compiler meshdir="../../"/>\n'
            "  <asset>\n"
            '    <mesh file="a.stl"/>\n'
            "  </asset>\n"
            "</mujoco>"
        ),
        "4:11",
        "the file 'a.stl' is not in the folder of the model",
        "move it there, and give its name",
    ),
    "mesh missing": (
        ('<mujoco>\n  <asset>\n    <mesh file="a.stl"/>\n  </asset>\n</mujoco>'),
        "3:11",
        "the file 'a.stl' does not exist",
        "correct its name",
    ),
    "replicate": (
        world(
            '    <replicate count="1000">\n'
            '      <replicate count="1000"><body/></replicate>\n'
            "    </replicate>"
        ),
        "4:7",
        "counts that make more than 10000 elements",
        "make a smaller model",
    ),
    "submodel": (
        '<mujoco>\n  <asset><model file="a.xml"/></asset>\n</mujoco>',
        "2:10",
        "a model within the model",
        "put its bodies into the file with <include>",
    ),
    "nan": (
        world('    <body name="a" pos="0 nan 0"><joint/><geom size="1"/></body>'),
        "3:20",
        "pos='0 nan 0' in <body>: 'nan' is not a number",
        "give numbers",
    ),
    "doctype": (
        ('<!DOCTYPE mujoco [<!ENTITY a SYSTEM "/etc/passwd">]>\n<mujoco model="&a;"/>'),
        "1:18",
        "a document type (<!DOCTYPE>), which can hold entities and name other files",
        "remove it, with the entities",
    ),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop.xml").write_text('<mujocoinclude>\n  <include file="loop.xml"/>\n</mujocoinclude>')


@pytest.mark.parametrize(("text", "place", "found", "do"), MJCF.values(), ids=MJCF)
def test_mjcf(text: str, place: str, found: str, do: str):
    """What MuJoCo says differs between its versions, the place does not."""
    if found.startswith("MuJoCo"):
        pytest.importorskip("mujoco")
    Path("arm.xml").write_text(text)
    with pytest.raises(bough.ParseError) as caught:
        load_mjcf("arm.xml")
    said = caught.value.found if found.startswith("MuJoCo") else found
    assert said.startswith(found)
    assert str(caught.value) == file_message("arm.xml", text, place, said, do)


def test_a_mistake_in_an_included_file():
    Path("arm.xml").write_text('<mujoco>\n  <include file="loop.xml"/>\n</mujoco>')
    with pytest.raises(bough.ParseError) as caught:
        load_mjcf("arm.xml")
    assert str(caught.value) == (
        "loop.xml:2:12: reading a model file\n"
        '      <include file="loop.xml"/>\n'
        "               ^\n"
        "  found: the file 'loop.xml' is already included\n"
        "  do: include it once"
    )


def test_elements_nested_too_deep():
    Path("arm.xml").write_text("<mujoco>\n" + "<body>\n" * DEEPEST + "</body>" * DEEPEST + "</mujoco>")
    with pytest.raises(bough.ParseError) as caught:
        load_mjcf("arm.xml")
    assert str(caught.value) == (
        "arm.xml:401:1: reading a model file\n"
        "    <body>\n"
        "    ^\n"
        "  found: <body> within 400 other elements\n"
        "  do: nest at most 400 elements"
    )
