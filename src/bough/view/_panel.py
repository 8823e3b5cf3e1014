"""The parts common to all panels: numbers, messages, and drawing options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from bough.arguments import Array
from bough.errors import BoughError
from bough.view._framing import Framing
from bough.view._page import Page

if TYPE_CHECKING:
    from bough.view._stage import Stage

NOTHING = "(nothing)"


class Options:
    """A button that lets the camera see everything, and a folder of drawing options.

    Parameters
    ----------
    shown : returns the configurations (rows, nq) and inputs (rows, nu) that the button frames
    """

    def __init__(
        self, page: Page, stage: Stage, shown: Callable[[], tuple[Array, Array | None]], follow: str | None
    ) -> None:
        self.framing = framing = Framing(page, stage)

        def fit(event: Any) -> None:
            if event.client is not None:
                page.post(("fit", event.client_id), lambda: framing.fit(event.client, *shown()))

        page.server.gui.add_button("Fit").on_click(fit)
        with page.server.gui.add_folder("Show", expand_by_default=False):
            for title, show in (("Names", stage.show_names), ("Axes of frames", stage.show_axes)):
                box = page.server.gui.add_checkbox(title, initial_value=False)
                box.on_update(_poster(page, show))
            frames = [name for name in stage.scene.frames if not name.startswith("#") and name != "world"]
            choice = page.server.gui.add_dropdown(
                "Follow", (NOTHING, *frames), initial_value=NOTHING if follow is None else follow
            )

            def followed(event: Any) -> None:
                name = event.target.value
                page.post("follow", lambda: stage.follow(None if name == NOTHING else name))

            choice.on_update(followed)


def _poster(page: Page, show: Callable[[bool], None]) -> Callable[[Any], None]:
    def changed(event: Any) -> None:
        wanted = bool(event.target.value)
        page.post(show, lambda: show(wanted))

    return changed


def readout(rows: Mapping[str, str]) -> str:
    """Names and values as a table in HTML."""
    lines = [
        f'<tr><td>{escape(name)}</td><td style="text-align:right">{escape(value)}</td></tr>'
        for name, value in rows.items()
    ]
    return f'<table style="width:100%;padding:0 0.6em;font-size:0.875em">{"".join(lines)}</table>'


def words(text: str, weight: int = 400) -> str:
    """Plain text as HTML: nothing in it is a tag, and long words are broken."""
    style = "padding:0.2em 0.6em;font-size:0.875em;white-space:pre-wrap;overflow-wrap:anywhere"
    return f'<div style="{style};font-weight:{weight}">{escape(text)}</div>' if text else ""


def message(handle: Any, text: str) -> None:
    """Show a message in the panel, or none."""
    handle.content = words(text, weight=700)
    handle.visible = bool(text)


def said(error: Exception) -> str:
    """An error in one line."""
    return (
        f"{error.found}: {error.do}" if isinstance(error, BoughError) else f"{type(error).__name__}: {error}"
    )
