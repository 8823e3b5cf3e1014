"""Broken URDF files: the exact message for each mistake."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import bough
from bough.io.urdf import load_urdf
from support.messages import file_message


def arm(content: str) -> str:
    return f'<robot name="arm">\n  <link name="base"/>\n  <link name="upper"/>\n{content}\n</robot>\n'


def jointed(content: str) -> str:
    ends = '<parent link="base"/><child link="upper"/>'
    return arm(f'  <joint name="j" type="revolute">\n    {ends}\n    {content}\n  </joint>')


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


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("text", "place", "found", "do"), URDF.values(), ids=URDF)
def test_urdf(text: str, place: str, found: str, do: str):
    Path("arm.urdf").write_text(text)
    with pytest.raises(bough.ParseError) as caught:
        load_urdf("arm.urdf")
    assert str(caught.value) == file_message("arm.urdf", text, place, found, do)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


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


def test_two_joints_with_the_same_variable():
    pytest.importorskip("yourdfpy")
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


def test_a_folder():
    with pytest.raises(bough.ParseError) as caught:
        load_urdf(".")
    assert str(caught.value) == ".: reading a model file\n  found: not a file\n  do: give the path of a file"


def test_entities_do_not_grow():
    """Nine entities of ten times the one before are refused at the first line."""
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha"}">' for n in range(10))
    Path("arm.urdf").write_text(f'<!DOCTYPE robot [{entities}]>\n<robot name="&e9;"/>')
    with pytest.raises(bough.ParseError, match="a document type"):
        load_urdf("arm.urdf")
