"""The reader of s-expressions."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough.io.sexpr import NUMBER, TOKEN, Form, Node, Number, Source, String, Symbol, read, written
from support.patterns import ambiguities


def plain(node: Node) -> Any:
    if isinstance(node, Form):
        return [plain(item) for item in node.items]
    return (
        node.text
        if isinstance(node, Symbol)
        else ("text", node.value)
        if isinstance(node, String)
        else node.value
    )


def items(text: str) -> list[Any]:
    return [plain(node) for node in read(Source(text, "x.sexp"))]


def test_items() -> None:
    assert items('(tz -1.5 "a b" (Name "J")) x ()') == [
        ["tz", -1.5, ("text", "a b"), ["Name", ("text", "J")]], "x", [],
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["1", "-1", "+1", "1.", ".5", "-.5e3", "1E-2", "007"])
def test_numbers(text: str) -> None:
    assert items(text) == [float(text)]


@pytest.mark.parametrize(
    "text", ["-", "+", ".", "1.2.3", "1e", "0x10", "nan", "inf", "1_0", "1,5", "e5", "--1", "١"]
)
def test_words_that_are_not_numbers(text: str) -> None:
    assert items(text) == [text]


def test_comments_and_space() -> None:
    assert items('; one\n(a ; two ( "\n\t\r\nb);three') == [["a", "b"]]
    assert items('("a;b" c;d\n)') == [[("text", "a;b"), "c"]]


def test_neighbours_need_no_space() -> None:
    assert items('(a"b"(c)1"d"e)') == [["a", ("text", "b"), ["c"], 1.0, ("text", "d"), "e"]]


def test_positions() -> None:
    text = '(a\n  (b "c" 1.5))'
    (form,) = read(Source(text, "x.sexp"))
    assert isinstance(form, Form)
    inner = form.items[1]
    assert isinstance(inner, Form)
    assert [text[node.start] for node in (form, form.items[0], inner, *inner.items)] == list('(a(b"1')
    error = inner.items[2].error(asked="asked", found="found", do="do")
    assert (error.path, error.line, error.column, error.source) == ("x.sexp", 2, 10, '  (b "c" 1.5))')
    assert str(error) == ('x.sexp:2:10: asked\n      (b "c" 1.5))\n             ^\n  found: found\n  do: do')


@given(st.text())
def test_any_string_reads_back(text: str) -> None:
    form = written(text)
    assert "\n" not in form
    assert form.isprintable()
    assert items(form) == [("text", text)]


@given(st.recursive(st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5), st.lists))
def test_any_list_reads_back(value: Any) -> None:
    def text_of(item: Any) -> str:
        if isinstance(item, list):
            return f"({' '.join(map(text_of, item))})"
        return written(item) if isinstance(item, str) else repr(item)

    def tagged(item: Any) -> Any:
        return (
            [tagged(x) for x in item]
            if isinstance(item, list)
            else ("text", item)
            if isinstance(item, str)
            else item
        )

    assert items(text_of(value)) == [tagged(value)]


def test_any_depth() -> None:
    depth = 200_000
    (node,) = read(Source("(" * depth + ")" * depth, "x.sexp"))
    for _ in range(depth - 1):
        assert isinstance(node, Form)
        (node,) = node.items


def test_long_lines_are_cut_in_messages() -> None:
    text = "(" + "a " * 1000 + '"'
    with pytest.raises(Exception, match="it is not closed on its line") as caught:
        read(Source(text, "x.sexp"))
    shown, caret = str(caught.value).splitlines()[1:3]
    assert len(shown) < 110
    assert shown[len(caret) - 1] == '"'


def test_number_is_a_node() -> None:
    (node,) = read(Source("2", "x.sexp"))
    assert isinstance(node, Number)
    assert node.shown == "the number 2"


@pytest.mark.parametrize("pattern", [TOKEN, NUMBER])
def test_patterns_go_through_a_text_once(pattern: re.Pattern[str]) -> None:
    assert ambiguities(pattern) == []


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"[0-9]+\.?[0-9]*\Z", ["'0' after '0'"]),  # quadratic for 999...9x
        ("(a+)+b", ["'a' after 'a'"]),  # exponential for aaa...a
        ("(a?b?)*c", ["'b' after 'a'"]),
        (r"\s*[^\d]", ["'\\t' after '\\t'"]),
        (r"[0-9]+(?:\.[0-9]*)?\Z", []),
        (r"\s*\S*|x.", []),
    ],
)
def test_patterns_that_go_through_a_text_often_are_seen(pattern: str, found: list[str]) -> None:
    assert ambiguities(re.compile(pattern)) == found
