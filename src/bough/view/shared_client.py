"""One script for many exported pages: the client of viser in a file beside them, which the browser keeps.

A page of viser is its client, one packed script in the head, and a recording. The client is 0.8 MB and the same
in all pages, so that pages which share it hold little more than their recording. Script files open from the disk
too, other than what a page fetches.
"""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from bough.errors import BoughError
from bough.write import write_text

CLIENT = "viser-client.js"
LEAST = 100_000  # length of the packed script, at least
_MAKE = """(() => {
  const client = document.createElement("script");
  for (const [name, value] of Object.entries(%s)) client.setAttribute(name, value);
  client.textContent = %s;
  document.head.append(client);
})();
"""


class _FirstScript(HTMLParser):
    """The attributes and the text of the first script of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.attributes: dict[str, str] | None = None
        self.text = ""
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script" and self.attributes is None:
            self.attributes = {name: value or "" for name, value in attrs}
            self._inside = True

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._inside = False


def share_client(page: str, folder: Path, where: str) -> str:
    """The page without the client of viser, which is written beside it unless it is there."""
    found = _FirstScript()
    found.feed(page)
    if found.attributes is None or len(found.text) + sum(map(len, found.attributes.values())) < LEAST:
        raise BoughError(
            asked=f"client='shared' in {where}",
            found="a page of viser whose first script is not its client: this viser lays out its pages differently",
            do="leave client out, so that the page holds everything; or install the viser that bough is tested with",
        )
    client = _MAKE % (json.dumps(found.attributes), json.dumps(found.text))
    file = folder / CLIENT
    if not file.is_file() or file.read_text(encoding="utf-8") != client:
        write_text(file, client)
    begin = page.index("<script")
    end = page.index("</script>", begin) + len("</script>")
    rest = page[:begin] + page[end:]
    # after the recording, which is a script of the head
    return re.sub(r"</head>", lambda _: f'<script src="{CLIENT}"></script></head>', rest, count=1)
