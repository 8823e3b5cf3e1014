"""Broken model files: a few random changes of a good text, the same for the same seed."""

from __future__ import annotations

import random
import re

NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
WORD = re.compile(r"[A-Za-z_]{2,}")
TAG = re.compile(r"<[^<>]*>")
NUMBERS = (
    "nan",
    "inf",
    "-1",
    "0",
    "1e308",
    "-1e308",
    "1e-320",
    "x",
    "",
    "1 2",
    "99999999999",
    "0x10",
    "1_0",
    "1,5",
)
LETTERS = "<>/\"'= &;()\x00\x07\n\t\\éЖ😀-.:01aZ"


def mutated(text: str, seed: int) -> str:
    """One to four changes of a text."""
    rng = random.Random(seed)
    for _ in range(rng.randint(1, 4)):
        text = rng.choice(CHANGES)(text, rng)
    return text


def _letters(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(LETTERS) * rng.choice((1, 1, 1, 40)) + text[at + rng.randrange(3) :]


def _cut(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + text[at + rng.randrange(60) :]


def _truncate(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


def _number(text: str, rng: random.Random) -> str:
    return _replaced(NUMBER, text, rng, rng.choice(NUMBERS))


def _word(text: str, rng: random.Random) -> str:
    words = WORD.findall(text) or [""]
    return _replaced(WORD, text, rng, rng.choice(words))


def _drop_tag(text: str, rng: random.Random) -> str:
    return _replaced(TAG, text, rng, "")


def _copy_tag(text: str, rng: random.Random) -> str:
    tags = TAG.findall(text) or [""]
    at = rng.choice([match.start() for match in TAG.finditer(text)] or [0])
    return text[:at] + rng.choice(tags) * rng.choice((1, 1, 3)) + text[at:]


def _replaced(pattern: re.Pattern[str], text: str, rng: random.Random, new: str) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    match = rng.choice(found)
    return text[: match.start()] + new + text[match.end() :]


CHANGES = (_letters, _cut, _truncate, _number, _number, _word, _word, _drop_tag, _copy_tag)
