"""Sizes that keep the sources readable: lines of a file, private fields of a class."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST_FILE = 400  # lines
MOST_FIELDS = 20  # private ones of a class


def files(*folders: str) -> list[Path]:
    return sorted(
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".cpp", ".hpp", ".js") and "katex" not in path.parts
    )


SOURCES = files("src", "cpp")
OTHERS = files("tests", "examples", "benchmarks", "docs", ".ci")
CORE = [path for path in SOURCES if path.suffix == ".hpp" or (ROOT / "cpp") in path.parents]


def test_no_file_is_long():
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in (*SOURCES, *OTHERS)
    }
    assert len(lengths) > 800
    assert {Path(path).suffix for path in lengths} == {".py", ".cpp", ".hpp", ".js"}
    assert {path: lines for path, lines in lengths.items() if lines > LONGEST_FILE} == {}


def test_no_class_has_many_private_fields():
    fields = {
        name: private_fields(body)
        for path in CORE
        for name, body in classes(without_comments(path.read_text()))
    }
    assert len(fields) > 300
    assert fields["ReducedNode"] == ["momentum_", "dynamic_", "llt_"]  # the private part of a struct
    assert {name: found for name, found in fields.items() if len(found) > MOST_FIELDS} == {}


def test_no_class_of_python_has_many_private_fields():
    fields = {
        f"{path.stem}.{node.name}": private_attributes(node)
        for path in SOURCES
        if path.suffix == ".py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }
    assert len(fields) > 150
    assert max(len(found) for found in fields.values()) > 10
    assert {name: found for name, found in fields.items() if len(found) > MOST_FIELDS} == {}


def private_attributes(node: ast.ClassDef) -> set[str]:
    """The names of the private attributes that a class declares, or that its methods set."""
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            found.add(part.target.id)
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            found |= {part.attr} if ast.unparse(part.value) == "self" else set()
    return {name for name in found if name.startswith("_") and not name.startswith("__")}


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("int a_; public: int b; private: double c_ = 1.0, d_[3];", ["a_", "c_", "d_"]),
        ("int f(int x) const { return y; } std::vector<std::pair<int, int>> a_, b_{1, 2};", ["a_", "b_"]),
        ("struct Part { int x, y; }; Part part_{}; using T = int; static constexpr int n = 3;", ["part_"]),
        (
            "void g(); const Model& model_; std::unique_ptr<Node> start_, end_; bool on_ = f(1, 2);",
            ["model_", "start_", "end_", "on_"],
        ),
    ],
)
def test_fields_are_counted_by_name(body, names):
    assert private_fields(body) == names


def without_comments(text: str) -> str:
    return re.sub(r'"(\\.|[^"\\])*"', '""', re.sub(r"//[^\n]*", "", text))


def classes(text: str) -> Iterator[tuple[str, str]]:
    """Name and body of each class; that of a struct begins with what is public."""
    for match in re.finditer(r"(?<!enum )\b(class|struct)\s+(\w+)(?:\s+final)?\s*(?::[^{;]*)?\{", text):
        depth, place = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[place], 0)
            place += 1
        yield match[2], ("public: " if match[1] == "struct" else "") + text[match.end() : place - 1]


def private_fields(body: str) -> list[str]:
    """The names of the private data members of a class."""
    flat = without_nested(without_nested(without_nested(body, "{}"), "()"), "<>")
    flat = re.sub(r"\(\)[^;{]*\{\}", "();", flat)  # bodies of functions
    names, private = [], True
    for part in re.split(r"\b(public|private|protected)\s*:(?!:)", flat):
        if part in ("public", "private", "protected"):
            private = part == "private"
        elif private:
            names += [name for statement in part.split(";") for name in declared(statement)]
    return names


def without_nested(text: str, pair: str) -> str:
    """The text with whatever stands between a pair of brackets taken out, the brackets left."""
    depth, kept = 0, []
    for letter in text:
        if letter == pair[1] and depth:
            depth -= 1
        if depth == 0:
            kept.append(letter)
        if letter == pair[0]:
            depth += 1
    return "".join(kept)


def declared(statement: str) -> list[str]:
    """The names of data that a statement declares."""
    text = re.sub(r"=[^,]*|\{\}|\[[^\]]*\]", "", statement).strip()
    if "(" in text or re.match(r"(using|friend|struct|class|enum|template|static|typedef)\b", text):
        return []
    return [part.split()[-1].lstrip("&*") for part in text.split(",") if len(part.split()) > 0]
