"""The metaclass of shapes and elements: arguments that do not fit are said in three parts, like values that do not."""

from __future__ import annotations

import inspect
from typing import Any

from bough import validate
from bough.errors import ModelError


class CheckedCall(type):
    """A class whose instances are made with a message of bough if the arguments do not fit."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except TypeError:
            signature = inspect.signature(cls.__init__)  # type: ignore[misc]  # of this class
            try:
                signature.bind(None, *args, **kwargs)
            except TypeError as error:
                raise ModelError(
                    asked=f"{cls.__name__}({_call_text(args, kwargs)})",
                    found=str(error),
                    do=f"give {_signature_text(cls, signature)}",
                ) from None
            raise


def _call_text(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    return ", ".join([*map(validate.shown, args), *(f"{k}={validate.shown(x)}" for k, x in kwargs.items())])


def _signature_text(cls: type, signature: inspect.Signature) -> str:
    """`bough.Damping(coefficient, *, name)`; a class of the user has no module before its name."""
    given = list(signature.parameters.values())[1:]
    names = [each.name for each in given if each.kind is not each.KEYWORD_ONLY]
    keywords = [each.name for each in given if each.kind is each.KEYWORD_ONLY]
    listed = ", ".join([*names, *(["*", *keywords] if keywords else [])])
    return f"{'bough.' if cls.__module__.startswith('bough.') else ''}{cls.__name__}({listed})"
