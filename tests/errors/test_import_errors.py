"""Broken URDF and MJCF files: the exact message for each mistake."""

from __future__ import annotations

import builtins
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bough
from bough.io._xml import DEEPEST
from bough.io.mjcf import load_mjcf
from bough.io.urdf import load_urdf


def arm(content: str) -> str:
    return f'<robot name="arm">\n  <link name="base"/>\n  <link name="upper"/>\n{content}\n</robot>\n'


def jointed(content: str) -> str:
    ends = '<parent link="base"/><child link="upper"/>'
    return arm(f'  <joint name="j" type="revolute">\n    {ends}\n    {content}\n  </joint>')


def world(content: str) -> str:
    return f"<mujoco>\n  <worldbody>\n{content}\n  </worldbody>\n</mujoco>\n"


URDF = {
    "unclosed": (
        '<robot name="arm">\n  <link name="base">\n</robot>\n',
        "3:3",
        "not well-formed XML: mismatched tag",
        "close <link> of line 2",
    ),
    "truncated": (
        '<robot name="arm">\n  <link name="base"/>\n',
        "3:1",
        "not well-formed XML: no element found",
        "close <robot> of line 1",
    ),
    "doctype": (
        ('<?xml version="1.0"?>\n<!DOCTYPE robot [<!ENTITY a "aaaa">]>\n<robot name="&a;"/>'),
        "2:17",
        "a document type (<!DOCTYPE>), which can hold entities and name other files",
        "remove it, with the entities",
    ),
    "external": (
        ('<!DOCTYPE robot SYSTEM "file:///etc/passwd">\n<robot name="arm"/>'),
        "1:44",
        "a document type (<!DOCTYPE>), which can hold entities and name other files",
        "remove it, with the entities",
    ),
    "root": ("<mujoco/>", "1:1", "<mujoco> where <robot> should be", "give a file that begins <robot>"),
    "no name": ("<robot>\n</robot>", "1:1", "<robot> without 'name'", 'give <robot> name="..."'),
    "no links": ('<robot name="arm"/>', "1:1", "no <link> in <robot>", "describe at least one link"),
    "duplicate": (
        arm('  <link name="base"/>'),
        "4:9",
        "another <link> has the name 'base', in line 2",
        "choose another name",
    ),
    "unknown link": (
        arm('  <joint name="j" type="fixed">\n    <parent link="bas"/><child link="upper"/>\n  </joint>'),
        "5:13",
        "no link has the name 'bas'; the nearest is 'base'",
        "correct the spelling",
    ),
    "unknown type": (
        arm('  <joint name="j" type="revolut">\n    <parent link="base"/><child link="upper"/>\n  </joint>'),
        "4:19",
        "type='revolut' of joint 'j' is unknown",
        "use 'revolute'",
    ),
    "no child": (
        arm('  <joint name="j" type="fixed"><parent link="base"/></joint>'),
        "4:3",
        "<joint> without <child>",
        "add <child> to it",
    ),
    "not a number": (
        jointed('<origin xyz="0 0 one"/>'),
        "6:13",
        "xyz='0 0 one' in <origin>: 'one' is not a finite number",
        "give 3 finite numbers",
    ),
    "count": (jointed('<origin xyz="0 0"/>'), "6:13", "xyz='0 0' in <origin>: 2 numbers", "give 3 numbers"),
    "infinite": (
        jointed('<origin rpy="0 0 inf"/>'),
        "6:13",
        "rpy='0 0 inf' in <origin>: 'inf' is not a finite number",
        "give 3 finite numbers",
    ),
    "zero axis": (
        jointed('<axis xyz="0 0 0"/>'),
        "6:5",
        "the axis of joint 'j' is zero",
        'give a direction, such as xyz="0 0 1"',
    ),
    "two roots": (
        arm(""),
        "3:3",
        "2 links without a parent: 'base', 'upper'",
        "join them, so that one remains",
    ),
    "two parents": (
        jointed(
            "\n"
            "  </joint>\n"
            '  <joint name="k" type="revolute">\n'
            '    <parent link="base"/><child link="upper"/>\n'
            "    "
        ),
        "9:26",
        "link 'upper' is already the child of joint 'j'",
        "give every link one parent; close a loop with a constraint of bough",
    ),
    "circle": (
        (
            '<robot name="r"><link name="a"/>\n'
            '<link name="b"/>\n'
            '<link name="c"/>\n'
            '<joint name="j" type="fixed"><parent link="b"/><child link="c"/></joint>\n'
            '<joint name="k" type="fixed"><parent link="c"/><child link="b"/></joint></robot>'
        ),
        "5:1",
        "a circle of joints through link 'b'",
        "give every link one parent; close a loop with a constraint of bough",
    ),
    "mimic unknown": (
        jointed('<mimic joint="jj"/>'),
        "6:12",
        "no joint has the name 'jj'; the nearest is 'j'",
        "correct the spelling",
    ),
    "mimic itself": (
        jointed('<mimic joint="j"/>'),
        "6:5",
        "joint 'j' follows itself",
        "let one joint of the circle be free",
    ),
    "no mass": (
        arm('  <link name="x"><inertial>\n    <inertia ixx="1" iyy="1" izz="1"/></inertial></link>'),
        "4:18",
        "<inertial> without <mass>",
        "add <mass> to it",
    ),
    "no moment": (
        arm('  <link name="x"><inertial><mass value="1"/>\n    <inertia ixx="1" iyy="1"/></inertial></link>'),
        "5:5",
        "<inertia> without 'izz'",
        'give <inertia> izz="..."',
    ),
    "negative mass": (
        arm(
            '  <link name="x"><inertial>\n'
            '    <mass value="-1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
        ),
        "5:11",
        "mass -1 is negative",
        "give zero or more, in kg",
    ),
    "negative damping": (
        jointed('<dynamics damping="-1"/>'),
        "6:15",
        "the damping of joint 'j' is negative",
        "give zero or more",
    ),
    "mimic floating": (
        (
            '<robot name="arm">\n'
            '  <link name="base"/>\n'
            '  <link name="upper"/><link name="tip"/>\n'
            '  <joint name="f" type="floating"><parent link="upper"/><child link="tip"/></joint>\n'
            '  <joint name="j" type="revolute">\n'
            '    <parent link="base"/><child link="upper"/>\n'
            '    <mimic joint="f"/>\n'
            "  </joint>\n"
            "</robot>\n"
        ),
        "7:5",
        "joint 'j' follows the floating joint 'f'",
        "follow a joint of one variable",
    ),
}
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
        "more than 100000 elements",
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


def message(path: str, text: str, place: str, found: str, do: str) -> str:
    """The whole message of a mistake at line:column."""
    line, column = map(int, place.split(":"))
    lines = text.splitlines()
    shown = f"    {lines[line - 1]}\n    {' ' * (column - 1)}^\n" if line <= len(lines) else ""
    return f"{path}:{place}: reading a model file\n{shown}  found: {found}\n  do: {do}"


@pytest.mark.parametrize(("text", "place", "found", "do"), URDF.values(), ids=URDF)
def test_urdf(text: str, place: str, found: str, do: str):
    Path("arm.urdf").write_text(text)
    with pytest.raises(bough.ParseError) as caught:
        load_urdf("arm.urdf")
    assert str(caught.value) == message("arm.urdf", text, place, found, do)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


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
    assert str(caught.value) == message("arm.xml", text, place, said, do)


def test_the_whole_message():
    Path("arm.urdf").write_text(URDF["not a number"][0])
    with pytest.raises(bough.ParseError) as caught:
        load_urdf("arm.urdf")
    assert str(caught.value) == (
        "arm.urdf:6:13: reading a model file\n"
        '        <origin xyz="0 0 one"/>\n'
        "                ^\n"
        "  found: xyz='0 0 one' in <origin>: 'one' is not a finite number\n"
        "  do: give 3 finite numbers"
    )


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


def test_two_joints_with_the_same_variable():
    joints = "".join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/></joint>'
        for name, kind, parent, child in (("f", "floating", "a", "b"), ("f_tx", "revolute", "b", "c"))
    )
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    Path("arm.urdf").write_text(f'<robot name="arm">{links}{joints}</robot>')
    with pytest.raises(bough.ParseError) as caught:
        load_urdf("arm.urdf")
    assert str(caught.value) == (
        "arm.urdf: variable 'f_tx'\n  found: the joints 'f' and 'f_tx' both have it\n  do: rename one of them"
    )


@pytest.mark.parametrize(("load", "path"), [(load_urdf, "none.urdf"), (load_mjcf, "none.xml")])
def test_no_file(load: Callable[..., bough.System], path: str):
    with pytest.raises(bough.ParseError) as caught:
        load(path)
    assert str(caught.value) == (
        f"{path}: reading a model file\n"
        "  found: no such file or directory\n"
        "  do: give the path of a file that exists"
    )


def test_a_folder():
    with pytest.raises(bough.ParseError) as caught:
        load_urdf(".")
    assert str(caught.value) == ".: reading a model file\n  found: not a file\n  do: give the path of a file"


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


def test_entities_do_not_grow():
    """Nine entities of ten times the one before are refused at the first line."""
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha"}">' for n in range(10))
    Path("arm.urdf").write_text(f'<!DOCTYPE robot [{entities}]>\n<robot name="&e9;"/>')
    with pytest.raises(bough.ParseError, match="a document type"):
        load_urdf("arm.urdf")
