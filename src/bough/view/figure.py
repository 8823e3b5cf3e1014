"""Pyplot figures that a notebook shows only once."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """A figure that a notebook shows once, although it is both the value of a cell and open in pyplot.

    The backend for notebooks shows all open figures at the end of a cell, and closes them. A figure that was
    shown before, as the value of the cell, is closed here.
    """

    def _ipython_display_(self) -> None:
        import matplotlib
        import matplotlib.pyplot as plt
        from IPython.display import display

        number = getattr(self, "number", None)
        is_open = number is not None and plt.fignum_exists(number)
        inline = "inline" in matplotlib.get_backend()
        if is_open and not inline and plt.isinteractive():
            return  # it has a window of its own
        stream = io.BytesIO()
        self.savefig(stream, format="png", bbox_inches="tight")
        data: dict[str, Any] = {"image/png": stream.getvalue(), "text/plain": repr(self)}
        display(data, raw=True)
        if is_open and inline:
            plt.close(self)
