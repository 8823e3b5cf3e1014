"""Functions of time on the command line: `2*sin(3*t)`, or columns of tables.

An expression is parsed and its operations are evaluated one by one; it is never run as Python.
"""

from __future__ import annotations

import ast
import csv
import math
import operator
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.cli._files import pairs
from bough.errors import BoughError, nearest, quoted, unknown_name
from bough.io._arithmetic import CONSTANTS, FUNCTIONS

OfTime = Callable[[float], float]

TABLE = ".csv"
OPERATIONS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
NUMBERS = {name: value for name, value in CONSTANTS.items() if type(value) is float}
ONE: dict[str, Callable[[float], float]] = {**FUNCTIONS, "exp": math.exp, "log": math.log, "abs": abs}
SEVERAL: dict[str, Callable[..., float]] = {"min": min, "max": max}
WORDS = ("t", *NUMBERS, *ONE, *SEVERAL)
DEPTH = 50  # largest nesting depth of operations


def functions(words: Sequence[str] | None, option: str, names: Sequence[str]) -> dict[str, Any]:
    """The values by name of `NAME=NUMBER`, `NAME=EXPRESSION` and `FILE.csv` words: numbers or functions of t.

    Parameters
    ----------
    option : such as "--u", whose letter stands before the names of columns of a run, as in `u.torque`
    names : the names that columns of a table may have
    """
    files = [word for word in words or () if "=" not in word and word.lower().endswith(TABLE)]
    found: dict[str, Any] = {}
    for name, value in pairs([word for word in words or () if word not in files], option).items():
        asked = f"{option} {name}={value}"
        if str(value).lower().endswith(TABLE):
            raise _wrong(
                asked,
                "a file in the place of a value",
                f"give the file alone, {option} {value}, with columns t and {name}",
            )
        found[name] = value if _is_number(value) else expression(str(value), asked)
    for file in files:
        for name, column in table(file, option, names).items():
            if name in found:
                raise BoughError(
                    asked=f"{option} {file}", found=f"{name!r} has a value already", do="give each name once"
                )
            found[name] = column
    return found


def _is_number(value: Any) -> bool:
    return type(value) is float and math.isfinite(value)


# --- expressions ---


def expression(text: str, asked: str) -> OfTime:
    """The function of t that an expression such as `2*sin(3*t)` describes."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
        compute = _compile(tree.body, text.strip(), asked, 0)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        raise _wrong(asked, "not a number or an expression", "write it like 0.5 or 2*sin(3*t)") from None

    def function(t: float) -> float:
        try:
            value = compute(t)
        except (ArithmeticError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise _wrong(
                asked, f"the result is not a finite number at t = {t:g} s", "give another expression"
            )
        return value

    return function


def _compile(node: ast.expr, text: str, asked: str, depth: int) -> OfTime:
    if depth > DEPTH:
        raise _wrong(asked, f"operations nested more than {DEPTH} deep", "write it in a simpler way")
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        number = float(node.value)  # type: ignore[arg-type]
        return lambda t: number
    if isinstance(node, ast.Name):
        if node.id == "t":
            return lambda t: t
        if node.id in NUMBERS:
            constant: float = NUMBERS[node.id]
            return lambda t: constant
        raise _unknown(node.id, asked)
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATIONS:
        operate = OPERATIONS[type(node.op)]
        operand = _compile(node.operand, text, asked, depth + 1)
        return lambda t: operate(operand(t))
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        combine = OPERATIONS[type(node.op)]
        left, right = (_compile(side, text, asked, depth + 1) for side in (node.left, node.right))
        return lambda t: combine(left(t), right(t))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call(node, node.func.id, text, asked, depth)
    part = ast.get_source_segment(text, node) or text
    found = f"{part!r} is neither a number, t, an operation + - * / ** nor a function"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
        raise _wrong(asked, "a power written with ^", "write it with **, as in t**2")
    raise _wrong(asked, found, f"write it with t, numbers and {quoted(WORDS, len(WORDS))}")


def _call(node: ast.Call, name: str, text: str, asked: str, depth: int) -> OfTime:
    """The function of t that a call such as `sin(3*t)` or `min(t, 1)` describes."""
    if name not in ONE and name not in SEVERAL:
        raise _unknown(name, asked)
    plain = not node.keywords and not any(isinstance(item, ast.Starred) for item in node.args)
    if name in ONE and not (plain and len(node.args) == 1):
        raise _wrong(asked, f"{name} takes one number", f"write it like {name}(3*t)")
    if name in SEVERAL and not (plain and len(node.args) > 1):
        raise _wrong(asked, f"{name} takes two numbers or more", f"write it like {name}(3*t, 1)")
    arguments = [_compile(item, text, asked, depth + 1) for item in node.args]
    if name in SEVERAL:
        choose = SEVERAL[name]
        return lambda t: choose(argument(t) for argument in arguments)
    function, argument = ONE[name], arguments[0]
    return lambda t: function(argument(t))


def _unknown(name: str, asked: str) -> BoughError:
    close = nearest(name, WORDS)
    known = f"the nearest {'is' if len(close) == 1 else 'are'} {quoted(close)}" if close else ""
    return _wrong(
        asked,
        f"{name!r} has no meaning here" + (f"; {known}" if known else ""),
        "correct the spelling" if close else f"use {quoted(WORDS, len(WORDS))}",
    )


def _wrong(asked: str, found: str, do: str) -> BoughError:
    return BoughError(asked=asked, found=found, do=do)


# --- tables ---


def table(path: str, option: str, names: Sequence[str]) -> dict[str, OfTime]:
    """The columns of a CSV file that stand for `names`, as functions of its column `t`.

    Between the rows a function neither overshoots nor has a kink (PCHIP); before the first and after the last
    row it keeps their values. In a table with columns `q.NAME` and `u.NAME`, as a run is written, only those
    of the option count, and of these only the names that are wanted.
    """
    asked, prefixes = f"{option} {path}", ("q.", "k.") if option == "--k" else ("u.",)
    heads, rows = _read_table(path, asked)
    run = any(head[1:2] == "." for head in heads)
    found: dict[str, OfTime] = {}
    for column, head in enumerate(heads):
        name = next((head.removeprefix(prefix) for prefix in prefixes if head.startswith(prefix)), head)
        if head == "t" or (run and name not in names):
            continue
        if name not in names:
            raise unknown_name("column", head, names, f"{asked}, of which each needs a name of the model")
        found[name] = _interpolate(rows[:, heads.index("t")], rows[:, column])
    if not found:
        raise _wrong(asked, f"no column for {quoted(names)}", "give a column t and columns with these names")
    return found


def _read_table(path: str, asked: str) -> tuple[list[str], Array]:
    with Path(path).open(newline="", encoding="utf-8-sig") as file:  # spreadsheets begin with a mark
        try:
            lines = [[cell.strip() for cell in line] for line in csv.reader(file) if line]
        except (csv.Error, UnicodeDecodeError):
            raise _wrong(asked, "not a table in UTF-8 text", "give a table with commas") from None
    heads = lines[0] if lines else []
    if "t" not in heads or len(set(heads)) < len(heads):
        found = "no column t in the first line" if "t" not in heads else "two columns with one name"
        raise _wrong(asked, found, "give a first line such as t,torque")
    try:
        rows = np.array([[float(cell) for cell in line] for line in lines[1:]])
    except ValueError:
        rows = np.empty((0, 0))
    if rows.ndim != 2 or rows.shape[1] != len(heads) or not np.isfinite(rows).all():
        raise _wrong(asked, "rows that are not one finite number for each column", "correct the table")
    if not (np.diff(rows[:, heads.index("t")]) > 0.0).all():
        raise _wrong(asked, "times that do not increase", "sort the rows by t")
    return heads, rows


def _interpolate(times: Array, values: Array) -> OfTime:
    if len(times) == 1:
        return lambda t: float(values[0])
    from scipy.interpolate import PchipInterpolator

    curve = PchipInterpolator(times, values)
    return lambda t: float(curve(min(max(t, times[0]), times[-1])))
