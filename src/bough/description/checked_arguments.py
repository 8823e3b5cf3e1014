"""Arguments that do not fit a class, said in the same way as values that do not."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from typing import Any

from bough import validate
from bough.errors import ModelError, nearest, quoted


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
                raise _misfit(cls, signature, args, kwargs, str(error)) from None
            raise


def _misfit(
    cls: type, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any], found: str
) -> ModelError:
    taken = list(signature.parameters.values())[1:]
    names = [parameter.name for parameter in taken]
    unknown = next((name for name in kwargs if name not in names), None)
    close = nearest(unknown, [name for name in names if name not in kwargs], 1) if unknown else []
    if close:
        found = f"no argument is called {unknown!r}; the nearest is {quoted(close)}"
    given = [*map(validate.shown, args), *(f"{name}={validate.shown(x)}" for name, x in kwargs.items())]
    form = ", ".join(f"{x.name}=" if x.kind is inspect.Parameter.KEYWORD_ONLY else x.name for x in taken)
    origin = "bough." if cls.__module__.split(".")[0] == "bough" else ""
    return ModelError(
        asked=f"{cls.__name__}({', '.join(given)})", found=found, do=f"give {origin}{cls.__name__}({form})"
    )
