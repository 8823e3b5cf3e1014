"""An MJCF file with its includes as one text for MuJoCo, reduced to what a system is made of.

Files are read from the folder of the model alone, and counts that would grow without bound are refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path

from bough.errors import ParseError
from bough.io._report import Report
from bough.io._xml import LARGEST_FILE, Node, parse_error, read_xml, to_text

MOST_ELEMENTS = 10_000  # largest number of elements made by counts in the file; MuJoCo takes quadratic time
SECTIONS = {  # sections that have no counterpart in a system
    "sensor": "sensors",
    "keyframe": "keyframes",
    "custom": "custom data",
    "deformable": "deformables",
}
CONTACTS = {"contact": "contact pairs"}  # a section that has one if contacts are asked for
DRAWN = ("visual", "statistic", "size", "texture", "skin", "camera", "light", "layer")
BUILTIN = {"sphere": 7}  # largest parameter of a mesh that MuJoCo generates
LINE = re.compile(r",?\s*\bline (\d+)")


def read_mjcf(path: Path, report: Report, contacts: bool = False) -> tuple[str, list[Node]]:
    """The text for MuJoCo, and the element that each of its lines comes from; with its contacts if they are used."""
    root = read_xml(path, "mujoco")
    _include(root, path, {path.resolve()})
    _reduce(root, report, SECTIONS if contacts else {**SECTIONS, **CONTACTS})
    _check_files(root, path)
    _check_counts(root)
    return to_text(root)


def from_mujoco(path: Path, error: Exception, nodes: list[Node]) -> ParseError:
    """An error of MuJoCo, at its position in the file."""
    text = str(error)
    found = LINE.search(text)
    lines = [line.strip(" ,") for line in LINE.sub("", text).splitlines()]
    message = "; ".join(line for line in lines if line).removeprefix("XML Error: ").removeprefix("Error: ")
    if found is not None and 1 <= int(found[1]) <= len(nodes):
        return nodes[int(found[1]) - 1].error(f"MuJoCo says: {message}", "correct the file at this place")
    return parse_error(path, f"MuJoCo says: {message}", "correct the file")


def _include(root: Node, path: Path, read: set[Path]) -> None:
    """Replace each <include> by the content of its file."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children: list[Node] = []
        for child in node.children:
            if child.tag != "include":
                children.append(child)
                continue
            file = _beside(child, child.text("file"), path.resolve().parent)
            if file in read:
                raise child.error(
                    f"the file {child.text('file')!r} is already included", "include it once", "file"
                )
            if not file.is_file():
                raise child.error(
                    f"the file {child.text('file')!r} does not exist", "correct its name", "file"
                )
            read.add(file)
            included = read_any(path.parent / child.attributes["file"])
            _include(included, path, read)
            children.extend(included.children)
        node.children = children
        waiting.extend(children)


def read_any(path: Path) -> Node:
    """The root of an included file: <mujoco> or <mujocoinclude>."""
    try:
        return read_xml(path, "mujocoinclude")
    except ParseError as error:
        if not error.found.startswith("<mujoco> "):
            raise
        return read_xml(path, "mujoco")


def _reduce(root: Node, report: Report, sections: Mapping[str, str]) -> None:
    """Remove elements that are only drawn or measured, sections that are not used, and what needs a plugin."""
    for node in root.walk():
        kept = []
        for child in node.children:
            if node is root and child.tag in sections:
                for item in child.children:
                    report.unused(sections[child.tag], item.attributes.get("name", ""))
            elif node.tag == "actuator" and child.tag == "plugin":
                report.unused("actuators without a counterpart", child.attributes.get("name", ""))
            elif child.tag == "option":
                for name in child.attributes:
                    if name != "gravity":
                        report.unused("options", name)
                kept.append(child)
            elif child.tag not in DRAWN:
                kept.append(child)
        node.children = kept
        if node.tag == "material":
            node.attributes.pop("texture", None)


def _check_files(root: Node, path: Path) -> None:
    folder = path.resolve().parent
    folders = [
        value
        for node in root.walk()
        if node.tag == "compiler"
        for name, value in node.attributes.items()
        if name in ("meshdir", "assetdir")
    ]
    stripped = any("strippath" in node.attributes for node in root.walk())
    for node in root.walk():
        if node.tag == "model" and "file" in node.attributes:
            raise node.error("a model within the model", "put its bodies into the file with <include>")
        for name, value in node.attributes.items():
            if name != "name" and "nan" in value.lower().split():
                raise node.error(
                    f"{name}={value!r} in <{node.tag}>: 'nan' is not a number", "give numbers", name
                )
            if name.startswith("file"):
                files = [_beside(node, value, folder / start, folder) for start in folders or ("",)]
                if not stripped and not any(file.is_file() for file in files):
                    raise node.error(f"the file {value!r} does not exist", "correct its name", name)
                for file in files:
                    if file.is_file() and file.stat().st_size > LARGEST_FILE:
                        raise node.error(f"{value!r} has {file.stat().st_size} bytes", "use a smaller file")


def _beside(node: Node, name: str, start: Path, folder: Path | None = None) -> Path:
    """A file in the folder of the model."""
    folder = folder or start
    try:
        file = (start / name).resolve()
        if ":" not in name and file.is_relative_to(folder):
            return file
    except (OSError, ValueError):
        pass
    raise node.error(
        f"the file {name!r} is not in the folder of the model", "move it there, and give its name", "file"
    )


def _check_counts(root: Node) -> None:
    total = 0.0
    waiting = [(root, 1.0)]
    while waiting:
        node, factor = waiting.pop()
        if node.tag in ("replicate", "composite", "flexcomp"):
            factor *= _product(node, "count") * (5.0 if node.tag == "composite" else 1.0)
        if node.tag == "hfield":
            total += _product(node, "nrow", "ncol") / 1000
        if node.tag == "mesh" and "builtin" in node.attributes:
            largest = BUILTIN.get(node.attributes["builtin"].strip(), 300)
            for word in node.attributes.get("params", "").split():
                if _count(word) > largest:
                    raise node.error(
                        f"params={node.attributes['params']!r} of a mesh", f"use at most {largest}"
                    )
        if factor > 1.0:
            total += factor
        if total > MOST_ELEMENTS:
            raise node.error(f"counts that make more than {MOST_ELEMENTS} elements", "make a smaller model")
        waiting.extend((child, factor) for child in node.children)


def _product(node: Node, *names: str) -> float:
    words = " ".join(node.attributes.get(name, "") for name in names).split()
    return math.prod(max(1.0, _count(word)) for word in words)


def _count(word: str) -> float:
    """A number that MuJoCo may use as a count; MuJoCo itself rejects anything else."""
    try:
        value = abs(float(word))
    except ValueError:
        digits = re.match(r"\s*[-+]?(\d+)", word)
        value = float(digits[1]) if digits else 0.0
    return value if value < math.inf else MOST_ELEMENTS + 1.0
