"""A choice of names in the panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from bough.view._panel import words

if TYPE_CHECKING:
    import viser

BOXES = 10  # largest number of names that have a box each
CHOOSE = "choose…"


class Choices:
    """A folder in which names are ticked, or picked from a list if there are many.

    Parameters
    ----------
    changed : called with the names chosen, in the order of all names
    """

    def __init__(
        self,
        server: viser.ViserServer,
        title: str,
        names: Sequence[str],
        chosen: Sequence[str],
        changed: Callable[[list[str]], None],
    ) -> None:
        self._names, self._changed = list(names), changed
        self._chosen = set(chosen)
        self._shown: Any = None
        with server.gui.add_folder(title, expand_by_default=False):
            if len(names) <= BOXES:
                for name in names:
                    box = server.gui.add_checkbox(name, initial_value=name in self._chosen)
                    box.on_update(self._on_tick(name))
                return
            picker = server.gui.add_dropdown("Add or remove", (CHOOSE, *names), initial_value=CHOOSE)
            picker.on_update(self._on_pick)
            clear = server.gui.add_button("Remove all")
            clear.on_click(lambda event: self._clear())
            self._shown = server.gui.add_html(words(", ".join(self.chosen)))

    @property
    def chosen(self) -> list[str]:
        """The names chosen."""
        return [name for name in self._names if name in self._chosen]

    def _on_tick(self, name: str) -> Callable[[Any], None]:
        def ticked(event: Any) -> None:
            (self._chosen.add if event.target.value else self._chosen.discard)(name)
            self._tell()

        return ticked

    def _on_pick(self, event: Any) -> None:
        if event.client_id is None or event.target.value == CHOOSE:
            return
        self._chosen ^= {event.target.value}
        event.target.value = CHOOSE
        self._tell()

    def _clear(self) -> None:
        self._chosen.clear()
        self._tell()

    def _tell(self) -> None:
        if self._shown is not None:
            self._shown.content = words(", ".join(self.chosen))
        self._changed(self.chosen)
