"""Every Python block of the README and the documentation runs as it is printed.

The blocks of one page share a namespace and run in order, in an empty folder. A block that cannot run is
marked by an HTML comment directly above it, `<!-- not-run: reason -->`, and is reported as skipped.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import pytest
from matplotlib import pyplot

import bough

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

FENCE = re.compile(r"^```(?:\{code-cell\} )?(\w*)[^\n]*\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!--\s*not-run:\s*(?P<reason>.+?)\s*-->\s*\Z", re.DOTALL)
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]+)(?:#[^)]*)?\)")


@dataclass(frozen=True)
class Block:
    line: int
    code: str
    not_run: str | None


def blocks_of(text: str) -> list[Block]:
    """The Python blocks of a page, with the line each starts on and the reason not to run it."""
    blocks = []
    for match in FENCE.finditer(text):
        if match[1] == "python":
            mark = NOT_RUN.search(text[: match.start()])
            blocks.append(Block(text.count("\n", 0, match.start(2)) + 1, match[2], mark and mark["reason"]))
    return blocks


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


WITH_CODE = [page for page in PAGES if blocks_of(page.read_text(encoding="utf-8"))]
MARKED = [
    pytest.param(block.not_run, id=f"{name_of(page)}:{block.line}")
    for page in WITH_CODE
    for block in blocks_of(page.read_text(encoding="utf-8"))
    if block.not_run
]


# the page of elements of one's own shows some that leave derivatives to bough
OWN_ELEMENTS = pytest.mark.filterwarnings("ignore::bough.DerivativeWarning")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=OWN_ELEMENTS if page.name == "user_elements.md" else (), id=name_of(page))
        for page in WITH_CODE
    ],
)
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks_of(page.read_text(encoding="utf-8")):
        if block.not_run:
            continue
        # blank lines in front make tracebacks show the line of the page
        exec(compile("\n" * (block.line - 1) + block.code, str(page), "exec"), namespace)
    pyplot.close("all")


if MARKED:

    @pytest.mark.parametrize("reason", MARKED)
    def test_block_marked_not_run(reason: str):
        pytest.skip(reason)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path):
    targets = LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_menu_lists_every_page_once():
    """Tables of contents are the only list of pages: a new page is added to one of them."""
    docs = ROOT / "docs"
    listed = ["index.md"]
    for page in docs.rglob("*.md"):
        for block in TOCTREE.findall(page.read_text(encoding="utf-8")):
            entries = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed += [os.path.relpath(page.parent / f"{entry}.md", docs) for entry in entries]
    assert sorted(listed) == sorted(page.relative_to(docs).as_posix() for page in docs.rglob("*.md"))


def test_the_reference_lists_every_public_name():
    pages = {
        page.stem: page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md")
    }
    modules = {"control": bough.control, "gallery": bough.gallery}
    listed = {
        name: re.findall(r"^   (\w+)$", text, re.MULTILINE)
        for name, text in pages.items()
        if name not in modules
    }
    public = [name for name in bough.__all__ if name not in ("__version__", *modules)]
    assert sorted(name for names in listed.values() for name in names) == sorted(public)
    for name, module in modules.items():
        assert sorted(re.findall(r"^   (\w+)$", pages[name], re.MULTILINE)) == sorted(module.__all__)


def test_marks_are_found():
    text = "<!-- not-run: needs a screen -->\n```python\nshow()\n```\n\n```python\nx = 1\n```\n```text\n```\n"
    assert blocks_of(text) == [Block(3, "show()\n", "needs a screen"), Block(7, "x = 1\n", None)]
