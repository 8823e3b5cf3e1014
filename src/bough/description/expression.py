"""Numbers with a name: parameters of a system, and formulas of them that are evaluated again.

    (PX1)  value  = operation(values of the arguments)
    (PX2)  d value = sum over the arguments of  d operation / d argument * d argument

An expression is not a number of Python: `math.sin(length)` is refused by Python instead of dropping the name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from bough.errors import ModelError, unknown_name

PARAMETER = "parameter"  # the operation of a parameter itself; its one argument is its name
SIZE, DEPTH = 500, 40  # largest number of operations in a formula, and of those inside each other


class Operation(NamedTuple):
    """The value of an operation and its partial derivatives, one function for each argument."""

    value: Callable[..., Any]
    partials: tuple[Callable[..., float], ...]


OPERATIONS: dict[str, Operation] = {
    "+": Operation(lambda a, b: a + b, (lambda a, b: 1.0, lambda a, b: 1.0)),
    "-": Operation(lambda a, b: a - b, (lambda a, b: 1.0, lambda a, b: -1.0)),
    "*": Operation(lambda a, b: a * b, (lambda a, b: b, lambda a, b: a)),
    "/": Operation(lambda a, b: a / b, (lambda a, b: 1.0 / b, lambda a, b: -a / (b * b))),
    "**": Operation(lambda a, b: a**b, (lambda a, b: b * a ** (b - 1.0), lambda a, b: a**b * math.log(a))),
    "neg": Operation(lambda a: -a, (lambda a: -1.0,)),
    "abs": Operation(abs, (lambda a: math.copysign(1.0, a),)),
    "sqrt": Operation(math.sqrt, (lambda a: 0.5 / math.sqrt(a),)),
    "sin": Operation(math.sin, (math.cos,)),
    "cos": Operation(math.cos, (lambda a: -math.sin(a),)),
    "tan": Operation(math.tan, (lambda a: 1.0 + math.tan(a) ** 2,)),
}
INFIX = ("+", "-", "*", "/", "**")


class Expression:
    """A parameter of a system, or a formula of parameters. Made by `System.parameter` and by arithmetic.

    Attributes
    ----------
    value : float
        The number that it stands for.
    names : frozenset of str
        The parameters that it depends on.
    """

    __slots__ = ("arguments", "depth", "names", "operation", "size", "value")
    __array_ufunc__ = None  # NumPy leaves arithmetic with arrays to this class

    value: float

    def __init__(self, operation: str, arguments: tuple[Any, ...], value: float | None = None) -> None:
        self.operation = operation
        self.arguments = arguments
        inner = [part for part in arguments if isinstance(part, Expression)]
        self.names: frozenset[str] = (
            frozenset(arguments)
            if operation == PARAMETER
            else frozenset().union(*(part.names for part in inner))
        )
        self.size: int = 1 + sum(part.size for part in inner)
        self.depth: int = 1 + max((part.depth for part in inner), default=0)
        if self.size > SIZE or self.depth > DEPTH:
            raise ModelError(
                asked="a formula of parameters",
                found=f"more than {SIZE} operations in it, or more than {DEPTH} inside each other",
                do="name a part of it as a parameter of its own, or compute the number in Python",
            )
        self.value = self._computed() if value is None else value

    def at(self, values: Mapping[str, float]) -> Expression:
        """The same formula with other values of its parameters."""
        other = Expression.__new__(Expression)
        other.operation, other.names, other.size, other.depth = (
            self.operation,
            self.names,
            self.size,
            self.depth,
        )
        if self.operation == PARAMETER:
            other.arguments, other.value = self.arguments, values[self.arguments[0]]
        else:
            other.arguments = tuple(
                part.at(values) if type(part) is Expression else part for part in self.arguments
            )
            other.value = other._computed()
        return other

    def derivatives(self) -> dict[str, float]:
        """The exact derivative by each parameter that it depends on, at its value (PX2)."""
        if self.operation == PARAMETER:
            return {self.arguments[0]: 1.0}
        numbers = [_number(part) for part in self.arguments]
        total: dict[str, float] = {}
        for part, partial in zip(self.arguments, OPERATIONS[self.operation].partials, strict=True):
            if isinstance(part, Expression):
                try:
                    factor = partial(*numbers)
                except (ArithmeticError, ValueError):
                    factor = math.inf
                for name, derivative in part.derivatives().items():
                    total[name] = total.get(name, 0.0) + factor * derivative
        for name, derivative in total.items():
            if not math.isfinite(derivative):
                raise ModelError(
                    asked=f"derivative of {self} by {name!r}",
                    found=f"it is not finite at {name} = {_value_of(self, name):g}",
                    do="give the parameter another value, at which the formula is smooth",
                )
        return total

    def _computed(self) -> float:
        """(PX1)"""
        numbers = [_number(part) for part in self.arguments]
        try:
            value = OPERATIONS[self.operation].value(*numbers)
        except (ArithmeticError, ValueError):
            value = math.nan
        if isinstance(value, complex) or not math.isfinite(value):
            raise ModelError(
                asked=f"the formula {self}",
                found="its value is not a finite real number at "
                + ", ".join(f"{name} = {_value_of(self, name):g}" for name in sorted(self.names)),
                do="give the parameters other values",
            )
        return float(value)

    # --- arithmetic ---

    def __add__(self, other: Any) -> Any:
        return _binary("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return _binary("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return _binary("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _binary("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return _binary("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _binary("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _binary("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _binary("/", other, self)

    def __pow__(self, other: Any) -> Any:
        return _binary("**", self, other)

    def __rpow__(self, other: Any) -> Any:
        return _binary("**", other, self)

    def __neg__(self) -> Expression:
        return Expression("neg", (self,))

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return Expression("abs", (self,))

    # --- identity ---

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and (self.operation, self.arguments, self.value) == (
            other.operation,
            other.arguments,
            other.value,
        )

    def __hash__(self) -> int:
        return hash((self.operation, self.arguments, self.value))

    def __reduce__(self) -> tuple[Any, ...]:
        return Expression, (self.operation, self.arguments, self.value)

    def __repr__(self) -> str:
        return _text(self)


def sqrt(x: Any) -> Any:
    """The square root of a number or a formula of parameters.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("square")
    >>> area = system.parameter("area", 4.0)
    >>> corner = system.world.tx(bough.sqrt(area), name="corner")
    >>> float(bough.sqrt(4.0))
    2.0
    """
    return _unary("sqrt", x)


def sin(x: Any) -> Any:
    """The sine of a number or a formula of parameters, in rad.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("slope")
    >>> tilt = system.parameter("tilt", 0.1)
    >>> 9.81 * bough.sin(tilt)
    9.81 * sin(tilt)
    """
    return _unary("sin", x)


def cos(x: Any) -> Any:
    """The cosine of a number or a formula of parameters, in rad.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("ramp")
    >>> angle = system.parameter("angle", 0.0)
    >>> foot = system.world.tx(2.0 * bough.cos(angle), name="foot")
    >>> float(bough.cos(0.0))
    1.0
    """
    return _unary("cos", x)


def tan(x: Any) -> Any:
    """The tangent of a number or a formula of parameters, in rad.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("ramp")
    >>> slope = system.parameter("slope", 0.0)
    >>> top = system.world.tx(2.0).tz(2.0 * bough.tan(slope), name="top")
    >>> float(bough.tan(0.0))
    0.0
    """
    return _unary("tan", x)


def plain_expression(expression: Expression) -> Any:
    """A formula as the name of a parameter, or as a list [operation, argument, ...]."""
    if expression.operation == PARAMETER:
        return expression.arguments[0]
    return [expression.operation, *(_plain(part) for part in expression.arguments)]


def plain_formulas(value: Any) -> Any:
    """Lists, mappings and numbers with {"formula": ...} in place of every formula."""
    if isinstance(value, Expression):
        return {"formula": plain_expression(value)}
    if isinstance(value, Mapping):
        return {name: plain_formulas(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_formulas(item) for item in value]
    return value


def read_formulas(data: Any, parameters: Mapping[str, Expression]) -> Any:
    """The inverse of `plain_formulas`."""
    if isinstance(data, Mapping):
        if set(data) == {"formula"}:
            return expression_of(data["formula"], parameters)
        return {name: read_formulas(item, parameters) for name, item in data.items()}
    if isinstance(data, list | tuple):
        return [read_formulas(item, parameters) for item in data]
    return data


def expression_of(data: Any, parameters: Mapping[str, Expression]) -> Expression:
    """The inverse of `plain_expression`."""
    if isinstance(data, str):
        if data not in parameters:
            raise unknown_name("parameter", data, parameters, "a formula of a description")
        return parameters[data]
    operation = data[0] if isinstance(data, list | tuple) and data else None
    if not isinstance(operation, str) or operation not in OPERATIONS:
        raise _bad_formula(data, f"use one of {', '.join(OPERATIONS)}")
    if len(data) != 1 + len(OPERATIONS[operation].partials):
        raise _bad_formula(data, f"give {operation!r} {len(OPERATIONS[operation].partials)} arguments")
    arguments = []
    for part in data[1:]:
        if isinstance(part, bool) or not isinstance(part, str | int | float | list | tuple):
            raise _bad_formula(part, "give numbers, names of parameters and lists of these")
        arguments.append(float(part) if isinstance(part, int | float) else expression_of(part, parameters))
    return Expression(operation, tuple(arguments))


def _bad_formula(data: Any, do: str) -> ModelError:
    return ModelError(asked="formula of a description", found=repr(data)[:60], do=do)


def _plain(part: Any) -> Any:
    return plain_expression(part) if isinstance(part, Expression) else part


def _number(part: Any) -> float:
    return part.value if isinstance(part, Expression) else part


def _value_of(expression: Expression, name: str) -> float:
    """The value of a parameter in a formula."""
    if expression.operation == PARAMETER:
        return expression.value
    part = next(x for x in expression.arguments if isinstance(x, Expression) and name in x.names)
    return _value_of(part, name)


def _binary(operation: str, a: Any, b: Any) -> Any:
    for part, other in ((a, b), (b, a)):
        if isinstance(part, np.ndarray) and part.ndim > 0:  # an array of formulas
            entries = [
                _binary(operation, x, other) if part is a else _binary(operation, other, x) for x in part
            ]
            return np.array(entries, dtype=object)
    operands: list[Any] = []
    for part in (a, b):
        if isinstance(part, Expression):
            operands.append(part)
        elif isinstance(part, int | float | np.integer | np.floating) and not isinstance(part, bool):
            operands.append(float(part))
        else:
            return NotImplemented
    # Neutral elements change no bit, and formulas stay readable without them.
    if operation in ("*", "/", "**") and type(operands[1]) is float and operands[1] == 1.0:
        return operands[0]
    if operation == "*" and type(operands[0]) is float and operands[0] == 1.0:
        return operands[1]
    if operation in ("+", "-") and type(operands[1]) is float and operands[1] == 0.0:
        return operands[0]
    if operation == "+" and type(operands[0]) is float and operands[0] == 0.0:
        return operands[1]
    return Expression(operation, tuple(operands))


def _unary(operation: str, x: Any) -> Any:
    if isinstance(x, Expression):
        return Expression(operation, (x,))
    return OPERATIONS[operation].value(x)


def _text(part: Any, inner: bool = False) -> str:
    """A formula as people write it: `mass * (length ** 2) / 3`."""
    if not isinstance(part, Expression):
        text = f"{part:.15g}"
        return f"({text})" if inner and part < 0.0 else text
    if part.operation == PARAMETER:
        return str(part.arguments[0])
    if part.operation in INFIX:
        first, second = part.arguments
        chain = part.operation in ("+", "*", "/") and isinstance(first, Expression)
        same = chain and first.operation in (("*", "/") if part.operation in ("*", "/") else ("+", "-"))
        text = f"{_text(first, not same)} {part.operation} {_text(second, True)}"
        return f"({text})" if inner else text
    (argument,) = part.arguments
    return f"-{_text(argument, True)}" if part.operation == "neg" else f"{part.operation}({_text(argument)})"
