"""Text from files, made safe for figures and terminals that would interpret some characters."""

from __future__ import annotations


def in_figure(text: str) -> str:
    """Text for matplotlib, in which `$` begins a formula and a leading `_` hides a line from the legend."""
    plain = text.replace("$", r"\$")
    return f"\N{ZERO WIDTH SPACE}{plain}" if plain.startswith("_") else plain


def in_terminal(text: str) -> str:
    """Text for a terminal, with control characters, which could move the cursor, spelled out."""
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


def shortened(text: str, most: int) -> str:
    """A long text without its middle."""
    if len(text) <= most:
        return text
    head = (most - 1) * 2 // 3
    return f"{text[:head]}…{text[head + 1 - most :]}"
