"""Figures of pyplot that a notebook shows once."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """A figure whose value in the last line of a cell is not shown beside what pyplot shows of it."""

    def _ipython_display_(self) -> None:
        import matplotlib.pyplot as plt
        from IPython.display import display  # type: ignore[import-not-found,unused-ignore]

        number = getattr(self, "number", None)
        if number is not None and plt.fignum_exists(number) and _pyplot_shows():
            return  # at the end of the cell
        stream = io.BytesIO()
        self.savefig(stream, format="png")
        data: dict[str, Any] = {"image/png": stream.getvalue(), "text/plain": repr(self)}
        display(data, raw=True)


def _pyplot_shows() -> bool:
    """Whether pyplot shows open figures by itself: as every backend does that is not for files alone."""
    import matplotlib

    backend = matplotlib.get_backend().lower()
    return backend not in ("agg", "pdf", "ps", "svg", "pgf", "cairo", "template")
