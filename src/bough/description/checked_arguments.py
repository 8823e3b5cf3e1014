"""Arguments that do not fit a class, or a function that reads as one, said in the same way as values that do not."""

from __future__ import annotations

import functools
import inspect
from abc import ABCMeta
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from bough import validate
from bough.errors import ModelError, nearest, quoted

P = ParamSpec("P")
R = TypeVar("R")

#: What other programs call an argument, and its name here.
WORDS = {
    "mu": "friction",
    "mu_s": "friction",
    "mu_k": "friction",
    "coefficient_of_friction": "friction",
    "friction_coefficient": "friction",
    "e": "restitution",
    "cor": "restitution",
    "bounce": "restitution",
    "elasticity": "restitution",
    "k": "stiffness",
    "c": "coefficient",
    "damping": "coefficient",
    "limit": "effort",
    "max_torque": "effort",
    "torque_limit": "effort",
}


class CheckedArguments(ABCMeta):
    """The class of shapes and elements. It is one of abstract classes so that users may derive from both."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except TypeError:
            signature = inspect.signature(cls.__init__)  # type: ignore[misc]  # of this class
            try:
                signature.bind(None, *args, **kwargs)
            except TypeError as error:
                taken = list(signature.parameters.values())[1:]
                raise _misfit(cls, taken, args, kwargs, str(error)) from None
            raise


def checked_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """A function that makes an element, whose arguments are checked as those of a class."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            raise _misfit(function, list(signature.parameters.values()), args, kwargs, str(error)) from None
        return function(*args, **kwargs)

    return call


def _misfit(
    made: Any, taken: list[inspect.Parameter], args: tuple[Any, ...], kwargs: dict[str, Any], found: str
) -> ModelError:
    names = [parameter.name for parameter in taken]
    unknown = next((name for name in kwargs if name not in names), None)
    close = nearest(unknown, [name for name in names if name not in kwargs], 1) if unknown else []
    other = WORDS.get(unknown.lower()) if unknown else None
    if other in names and other not in kwargs:
        found = f"no argument is called {unknown!r}; here it is {other!r}"
    elif close:
        found = f"no argument is called {unknown!r}; the nearest is {quoted(close)}"
    given = [*map(validate.shown, args), *(f"{name}={validate.shown(x)}" for name, x in kwargs.items())]
    form = ", ".join(f"{x.name}=" if x.kind is inspect.Parameter.KEYWORD_ONLY else x.name for x in taken)
    origin = "bough." if made.__module__.split(".")[0] == "bough" else ""
    return ModelError(
        asked=f"{made.__name__}({', '.join(given)})", found=found, do=f"give {origin}{made.__name__}({form})"
    )
