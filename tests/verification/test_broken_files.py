"""Whatever is in a file, reading it gives a system or an error with a position, and nothing else.

The work of it is in proportion to the length of the file: the calls, and the characters that calls on the
text of the file look at. That the patterns of the reader go through a text once is tested with the reader.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bough
from bough.io.system_file import parse_system, system_text
from support.broken_files import ATOMS, BASES, broken
from support.counting import Text, calls

CALLS = 50  # of Python for a character, of files that are right about 20
LOOKS = 10  # at a character


def outcome(text: str, file: Path | None = None) -> str:
    """What comes of a file: "system", or the error's first words."""
    try:
        system = parse_system(text, path="x.sexp", file=file)
    except bough.ParseError as error:
        check_position(error)
        return error.found[:20]
    assert parse_system(system_text(system)).to_dict() == system.to_dict()
    return "system"


def check_position(error: bough.ParseError) -> None:
    assert error.path is not None
    assert error.line is not None
    assert error.column is not None
    assert str(error).startswith(f"{error.path}:{error.line}:{error.column}: ")
    assert len(str(error)) < 2000


def run(seeds: range, file: Path, seconds: float) -> Counter[str]:
    found: Counter[str] = Counter()
    end = time.monotonic() + seconds
    for seed in seeds:
        text = Text(broken(seed))
        try:
            work = calls(lambda text=text: found.update([outcome(text, file)]))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r} from\n{text}") from error
        assert work < CALLS * len(text) + 2000, f"seed {seed} makes {work} calls:\n{text}"
        assert text.looked_at <= LOOKS * len(text), f"seed {seed} looks at {text.looked_at}:\n{text}"
        if time.monotonic() > end:
            break
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "part.sexp").write_text('(let ((M 2)) (tz 1 (name "part") (mass M)))')
    return tmp_path / "x.sexp"


def test_the_files_are_right_before_they_are_broken(file: Path) -> None:
    assert {outcome(text, file) for text in BASES} == {"system"}


@pytest.mark.filterwarnings("error")
def test_broken_files(file: Path) -> None:
    found = run(range(3000), file, seconds=30.0)
    assert found["system"] > 10
    assert len(found) > 30  # the mistakes are of many kinds


@pytest.mark.filterwarnings("error")
@pytest.mark.verify
def test_many_broken_files(file: Path) -> None:
    run(range(100_000, 105_000), file, seconds=60.0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(range(105_000, 205_000), file, seconds=1200.0)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 50_000  # kB


@settings(max_examples=300)
@given(st.lists(st.sampled_from(ATOMS) | st.text(max_size=3), max_size=30), st.integers(0, len(BASES) - 1))
def test_words_in_any_order(words: list[str], base: int) -> None:
    outcome(" ".join(words))
    head, tail = BASES[base].split("(at", 1)
    outcome(f"{head} {' '.join(words)} (at{tail}")


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.sexp")
        path.write_bytes(data)
        with pytest.raises(bough.ParseError) as caught:
            bough.load(path)
        assert caught.value.line is not None


@pytest.mark.parametrize(
    "text",
    [
        "(" * 200_000,
        "(system " + "(tz 1 " * 100_000,
        "(system (damping " + "(" * 100_000 + ")" * 100_000 + "))",
        "(system (tz " + "(+ 1 " * 50_000 + ")" * 50_000 + "))",
        "(system " + "(let ((a 1)) " * 50_000 + "(tz b)" + ")" * 50_001,
        "(system (tz " + "9" * 1_000_000 + "))",
        "(system (tz " + "9" * 1_000_000 + "x))",
        '(system (tz "' + "\\" * 1_000_000,
        "(system (gravity " + "0 " * 300_000 + "))",
        "(system (tz 1 " + '(name "a") ' * 100_000 + "))",
        "; " * 500_000,
        "x" * 1_000_000,
    ],
    ids=range(12),
)
def test_large_and_wrong(text: str) -> None:
    found: list[str] = []
    text = Text(text)
    assert calls(lambda: found.append(outcome(text))) < 10 * len(text)
    assert text.looked_at <= LOOKS * len(text)
    assert found != ["system"]
