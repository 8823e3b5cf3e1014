"""Every measured number of the README and the pages is that of a run which is made here again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bough
from support.claims import CLAIMS, ROOT, STATED, Claim, last_digit, printed
from support.gallery_table import HEAD
from support.long_runs import HEAD as HEAD_OF_LONG_RUNS

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PEERS = "| µs per step | bough | Pinocchio | MuJoCo Euler | ODE |"  # rows of the benchmarks, see below
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(
    r"(?<![\w.])\d+(?:\.\d+)?e[-+−]?\d+|10[⁻⁰¹²³⁴-⁹]+|\d+(?:\.\d+)? (?:%|times|(?:rad|J|mm|µs|ms|s|N|m)\b)"
)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(c, marks=pytest.mark.verify if c.long else (), id=f"{c.page}: {c.says[:40]}")
        for c in CLAIMS
    ],
)
@pytest.mark.filterwarnings("ignore::bough.DerivativeWarning", "ignore::bough.CoarseStepWarning")
def test_the_number_is_that_of_a_run(claim: Claim) -> None:
    said = claim.found(text_of(ROOT / claim.page)).groups()
    if claim.needs is not None and claim.needs.installed_version() is None:
        pytest.skip(claim.needs.MISSING)
    measured = claim.measured()
    assert len(measured) == len(said)
    rules = claim.rule if isinstance(claim.rule, tuple) else (claim.rule,) * len(said)
    wrong = [
        f"printed {text}, measured {value:.4g}"
        for text, value, rule in zip(said, measured, rules, strict=True)
        if not rule(text, value)
    ]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_other_number_is_measured(page: Path) -> None:
    """Numbers with a unit, a power of ten or a percentage: claimed, stated, or of a table that is tested by itself."""
    text = FENCE.sub(
        lambda block: re.sub(r"[^\n]", " ", block[0]), text_of(page)
    )  # code, which runs by itself
    name = page.relative_to(ROOT).as_posix()
    covered = [claim.found(text_of(page)).span() for claim in CLAIMS if claim.page == name]
    for words in STATED.get(name, ()):
        places = [match.span() for match in re.finditer(re.escape(words), text)]
        assert places, f"{name} does not say {words!r}"
        covered += places
    for head in (HEAD, HEAD_OF_LONG_RUNS, PEERS):
        if head in text:
            begin = text.index(head)
            covered.append((begin, text.index("\n\n", begin)))
    loose = [
        match[0]
        for match in NUMBER.finditer(text)
        if not any(begin <= match.start() and match.end() <= end for begin, end in covered)
        and not text[text.rfind("\n", 0, match.start()) + 1 :].startswith("    ")
    ]
    assert loose == []


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_table_of_peers_holds_rows_of_the_benchmarks(page: str) -> None:
    rows = table_after(text_of(ROOT / "benchmarks" / "README.md"), "| N | bough | MuJoCo Euler |")
    rows |= table_after(text_of(ROOT / "benchmarks" / "README.md"), "| system | bough | ODE | MuJoCo Euler |")
    shown = table_after(text_of(ROOT / page), PEERS)
    assert len(shown) >= 6
    for label, cells in shown.items():
        links = re.fullmatch(r"pendulum, (\d+) links?", label)
        measured = rows[links[1] if links else label]
        given = {name: number for name, number in cells.items() if number}
        assert given == {name: measured[name] for name in given}, label
        assert set(given) == {"bough", "MuJoCo Euler", "ODE"} | ({"Pinocchio"} if links else set()), label


def table_after(text: str, head: str) -> dict[str, dict[str, str]]:
    """The cells of a table by row and column."""
    begin = text.index(head)
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text[begin : text.index("\n\n", begin)].splitlines()
    ]
    names = [name.removesuffix(" `aba`") for name in lines[0]]
    return {row[0]: dict(zip(names[1:], row[1:], strict=True)) for row in lines[2:]}


@pytest.mark.verify
def test_the_table_of_a_comparison() -> None:
    """docs/compare.md: energy drift, trend and constraints; the motion is chaotic, hence a factor of two."""
    model = bough.load(ROOT / "examples" / "closed_chain.sexp").build()
    start = model.assemble({"J": 0.5, "H": -0.3, "A": 0.5}, hold=("J", "H", "A"))  # as the command line does
    found = bough.compare(model, q=start.q, duration=120.0, dt=0.01, effort=0.01)
    unit = max(float(row.run.kinetic_energy().max()) for row in found.rows if row.label == "dop853")
    table = text_of(ROOT / "docs" / "compare.md").split("time to 0.001 m\n", 1)[1].split("\n\n", 1)[0]
    rows = [re.split(r"\s{2,}", line.strip()) for line in table.splitlines()]
    assert [row[0] for row in rows] == [row.label for row in found.rows]
    for printed_row, row in zip(rows, found.rows, strict=True):
        label, drift, held = printed_row[0], printed_row[3], printed_row[6]
        assert (drift == "-") == (row.failure is not None), label
        if drift != "-":
            assert 0.5 < row.energy_drift / unit / float(drift) < 2.0, label
            assert max(row.constraint_drift, 1e-11) / max(float(held), 1e-11) == pytest.approx(
                1.0, abs=1.0
            ), label


def test_printed_numbers_are_read() -> None:
    assert [printed(text) for text in ("0.031", "−1.3", "+0.02", "10⁻¹²", "4e-5")] == [
        0.031,
        -1.3,
        0.02,
        1e-12,
        4e-5,
    ]
    assert [last_digit(text) for text in ("0.031", "−15.8", "4e-5", "17")] == [0.001, 0.1, 1e-5, 1.0]
