"""Numbers of equations: each has one meaning over pages and sources; every number that a source cites exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "theory").glob("*.md"))
SOURCES = sorted(
    path
    for folder in ("cpp", "src", "tests")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".hpp", ".cpp", ".py")
)
LABEL = re.compile(r"\(([A-Z]{1,2}\d{1,2})\)")
RANGE = re.compile(r"\(([A-Z]{1,2})(\d{1,2})\)[–-]\(\1(\d{1,2})\)")
DEFINED_IN_PAGE = re.compile(r"^    .*\s\(([A-Z]{1,2}\d{1,2})\)$", re.MULTILINE)
AT_THE_RIGHT = re.compile(r"\s{2,}\(([A-Z]{1,2}\d{1,2})\)$", re.MULTILINE)
AT_THE_LEFT = re.compile(r"^(?://\s*|    )\(([A-Z]{1,2}\d{1,2})\) ", re.MULTILINE)


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def mentioned(words: str) -> set[str]:
    """Labels in a text; (A1)–(A3) mentions (A2) too."""
    between = {f"{a}{i}" for a, first, last in RANGE.findall(words) for i in range(int(first), int(last) + 1)}
    return set(LABEL.findall(words)) | between


def test_a_label_is_defined_once():
    labels = [label for page in PAGES for label in DEFINED_IN_PAGE.findall(text(page))]
    assert len(labels) > 100
    assert sorted(labels) == sorted(set(labels))


def test_a_letter_belongs_to_one_page():
    """So that labels which a page defines in its text cannot be those of another page either."""
    pages: dict[str, set[str]] = {}
    for page in PAGES:
        for label in DEFINED_IN_PAGE.findall(text(page)):
            pages.setdefault(label.rstrip("0123456789"), set()).add(page.name)
    assert {letter: names for letter, names in pages.items() if len(names) > 1} == {}


def letters(label: str) -> str:
    return label.rstrip("0123456789")


def head(source: Path) -> str:
    """The comment or docstring at the top of a source, which states its equations."""
    if source.suffix == ".py":
        match = re.match(r'"""(.*?)"""', text(source), re.DOTALL)
        return match[1] if match else ""
    return re.match(r"(?://[^\n]*\n)*", text(source))[0]


def stated() -> dict[str, set[str]]:
    """Labels at the right or left end of lines in the heads of sources, with the paths of these."""
    found: dict[str, set[str]] = {}
    for source in SOURCES:
        if not source.is_relative_to(ROOT / "tests"):
            for label in AT_THE_RIGHT.findall(head(source)) + AT_THE_LEFT.findall(head(source)):
                found.setdefault(label, set()).add(source.relative_to(ROOT).as_posix())
    return found


def test_one_source_states_an_equation():
    found = stated()
    assert len(found) > 100
    assert {label: sorted(paths) for label, paths in found.items() if len(paths) > 1} == {}


def test_a_page_names_the_sources_of_its_equations():
    """So that a reader of a page finds the code, and no source uses the letters of a page for something else."""
    pages = {letters(label): page for page in PAGES for label in DEFINED_IN_PAGE.findall(text(page))}
    lost = {
        f"({label}) of {path} in {page.name}"
        for label, paths in stated().items()
        if (page := pages.get(letters(label))) is not None
        for path in paths
        if path not in text(page)
    }
    assert lost == set()


def test_every_equation_of_a_page_is_found_in_the_code():
    """A line of a source carries its number, or the table at the end of the page says where it is."""
    cited = {
        label
        for path in SOURCES
        if not path.is_relative_to(ROOT / "tests")
        for label in mentioned(text(path))
    }
    lost = {}
    for page in PAGES:
        table = text(page).partition("\n## In the code")[2]
        missing = set(DEFINED_IN_PAGE.findall(text(page))) - cited - mentioned(table)
        if missing:
            lost[page.name] = missing
    assert lost == {}


def test_the_table_of_a_page_has_all_its_equations():
    """So that the way from an equation to its file is one look."""
    cores = [path for path in SOURCES if not path.is_relative_to(ROOT / "tests")]
    known = {label for path in cores for label in mentioned(text(path))}
    lost = {}
    for page in PAGES:
        body, found, table = text(page).partition("\n## In the code")
        missing = (set(DEFINED_IN_PAGE.findall(body)) & known) - mentioned(table)
        if found and missing:
            lost[page.name] = sorted(missing)
    assert lost == {}


def test_every_equation_of_a_source_is_on_a_page():
    """So that a reader of a kernel finds the derivation."""
    known = {label for page in PAGES for label in mentioned(text(page))}
    assert {label: paths for label, paths in stated().items() if label not in known} == {}


def test_the_index_leads_from_letters_to_pages():
    known = {page.name: {letters(label) for label in mentioned(text(page))} for page in PAGES}
    owners = {letters(label): page.name for page in PAGES for label in DEFINED_IN_PAGE.findall(text(page))}
    rows = re.findall(
        r"^\| ([A-Z, ]+) \| .*\]\((\w+\.md)\) \|$", text(PAGES[0].parent / "index.md"), re.MULTILINE
    )
    listed = [(letter, page) for names, page in rows for letter in names.split(", ")]
    assert len(listed) == len(dict(listed)) > 40
    cited = {letters(label) for path in SOURCES for label in mentioned(text(path))}
    assert (set(owners) | cited) - set(dict(listed)) == set()
    for letter, page in listed:
        assert owners.get(letter, page) == page
        assert letter in known[page]


@pytest.mark.parametrize("folder", ["cpp", "src", "tests"])
def test_cited_labels_exist(folder):
    known = {label for page in PAGES for label in mentioned(text(page))} | set(stated())
    here = [path for path in SOURCES if path.is_relative_to(ROOT / folder) and path != Path(__file__)]
    unknown = {path.name: lost for path in here if (lost := mentioned(text(path)) - known)}
    assert unknown == {}
