"""Arithmetic in files: of numbers at once, of parameters as formulas that are evaluated again."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from bough.description.expression import PARAMETER, Expression, cos, sin, sqrt, tan
from bough.io._places import errors_at
from bough.io.sexpr import NUMBER, Symbol, written
from bough.validate import counted

FUNCTIONS: dict[str, Callable[[Any], Any]] = {"sqrt": sqrt, "sin": sin, "cos": cos, "tan": tan}
INFIX: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
ARITHMETIC = (*INFIX, "**", *FUNCTIONS)
CONSTANTS: dict[str, Any] = {"true": True, "false": False, "none": None, "pi": math.pi}
WORD = re.compile(r"[^\s()\";“”„‘’'`+\-.0-9][^\s()\";]*\Z")


def computed(head: Symbol, numbers: Sequence[Any]) -> Any:
    """The result of an operation: a number, or a formula if a parameter is among the numbers."""
    word = head.word
    wanted = 1 if word in FUNCTIONS else 2 if word == "**" else 0
    if not numbers or (wanted and len(numbers) != wanted):
        raise head.error(
            asked=f"({word} ...)",
            found=f"{counted(len(numbers), 'number')} where {('1 or more are', '1 is', '2 are')[wanted]} needed",
            do=f"write ({word} 2)" if wanted == 1 else f"write ({word} 2 3)",
        )
    if any(isinstance(number, Expression) for number in numbers):
        with errors_at(head, {}):
            return _formula(word, numbers)
    try:
        result = _number(word, numbers)
    except (ArithmeticError, ValueError):
        result = math.nan
    if isinstance(result, complex) or not math.isfinite(result):
        raise head.error(
            asked=f"({word} ...)", found="the result is not a finite number", do="give other numbers"
        )
    return result


def formula_text(formula: Any) -> str:
    """A formula of a description as text, which reads back as the same formula."""
    if isinstance(formula, str):
        known = formula.lower() in (*CONSTANTS, *ARITHMETIC)
        plain = WORD.match(formula) and not known and not NUMBER.match(formula)
        return formula if plain else f"({PARAMETER} {written(formula)})"
    if isinstance(formula, float | int):
        return number_text(formula)
    operation, *arguments = formula
    return f"({'-' if operation == 'neg' else operation} {' '.join(map(formula_text, arguments))})"


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def _formula(word: str, numbers: Sequence[Any]) -> Any:
    """An operation with parameters, from left to right."""
    first, *rest = numbers
    if word in FUNCTIONS:
        return FUNCTIONS[word](first)
    if word == "**":
        return first ** rest[0]
    if rest:
        return reduce(INFIX[word], rest, first)
    return -first if word == "-" else 1.0 / first if word == "/" else first


def _number(word: str, numbers: Sequence[float]) -> Any:
    first, rest = numbers[0], numbers[1:]
    if word in FUNCTIONS:
        return FUNCTIONS[word](first)
    if word == "**":
        return first ** rest[0]
    if word == "+":
        return math.fsum(numbers) if len(numbers) > 2 else sum(numbers)
    if word == "*":
        return math.prod(numbers)
    if word == "-":
        return first - sum(rest) if rest else -first
    return first / math.prod(rest) if rest else 1.0 / first
