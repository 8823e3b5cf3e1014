"""What the panels share: lines of numbers, messages, what is drawn on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from bough.errors import BoughError
from bough.view._page import Page

if TYPE_CHECKING:
    from bough.view._stage import Stage


class Options:
    """A folder with what is drawn on demand: names and axes of frames."""

    def __init__(self, page: Page, stage: Stage) -> None:
        with page.server.gui.add_folder("Show", expand_by_default=False):
            for title, show in (("Names", stage.show_names), ("Axes of frames", stage.show_axes)):
                box = page.server.gui.add_checkbox(title, initial_value=False)
                box.on_update(_poster(page, show))


def _poster(page: Page, show: Callable[[bool], None]) -> Callable[[Any], None]:
    def changed(event: Any) -> None:
        wanted = bool(event.target.value)
        page.post(show, lambda: show(wanted))

    return changed


def readout(rows: Mapping[str, str]) -> str:
    """Names and values as a table in Markdown."""
    lines = [f"| {name} | {value} |" for name, value in rows.items()]
    return "\n".join(["| | |", "|:--|--:|", *lines])


def message(handle: Any, text: str) -> None:
    """Show a message in the panel, or none."""
    handle.content = f"**{text}**" if text else ""
    handle.visible = bool(text)


def said(error: Exception) -> str:
    """An error in one line."""
    return (
        f"{error.found}: {error.do}" if isinstance(error, BoughError) else f"{type(error).__name__}: {error}"
    )
