"""Texts of URDF files, and the systems that they are read as."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("yourdfpy", reason="yourdfpy is not installed: pip install 'bough[urdf]'")

import bough
from bough.io.urdf import load_urdf

BODY = '<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def joint(kind: str, parent: str, child: str, content: str = "", name: str | None = None) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name or child + " joint"}" type="{kind}">{ends}{content}</joint>'


def links(*names: str) -> str:
    return "".join(f'<link name="{name}">{BODY}</link>' for name in names)


def load(folder: Path, content: str, **options: object) -> bough.System:
    file = folder / "robot.urdf"
    file.write_text(f'<robot name="robot">{content}</robot>')
    return load_urdf(file, **options)
