"""The drive of a run of `bough simulate`: motions of kinematic variables, and contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bough.cli._functions import functions
from bough.elements.no_slip import Rolling, Skate
from bough.errors import BoughError, unknown_name
from bough.io import GALLERY
from bough.io._kinds import kind_of
from bough.io._values import Values
from bough.io.sexpr import Form, Source, Symbol, read, unknown_word
from bough.model.model import Model

NONE = "none"  # value of --motion for no motion of the gallery
KINDS = {kind.word: kind for kind in map(kind_of, (Rolling, Skate))}


class Driven:
    """The motion of the kinematic variables.

    Attributes
    ----------
    k : numbers and functions of time by name
    motion : the name of the script they come from, if there is one
    """

    def __init__(
        self,
        model: Model,
        path: str,
        start: Mapping[str, float],
        words: Sequence[str] | None,
        motion: str | None,
    ) -> None:
        given = functions(words, "--k", model.kinematic)
        script, self.motion = _script(model, path, motion)
        asked_for = motion is not None or not (given or script.keys() & start.keys())
        if not asked_for:
            script, self.motion = {}, None
        self.k: dict[str, Any] = {**script, **given}


def _script(model: Model, path: str, motion: str | None) -> tuple[dict[str, Any], str | None]:
    """The functions of a motion of the gallery, and its name."""
    from bough import gallery

    label = path.removeprefix(GALLERY) if path.startswith(GALLERY) else None
    entry = next((entry for entry in gallery.entries() if entry.name == label), None)
    known = entry.motions if entry else ()
    if motion == NONE or (motion is None and not known):
        return {}, None
    if entry is None or entry.script is None:
        raise BoughError(
            asked=f"--motion {motion} for {path!r}",
            found="this system has no motions of its own",
            do="give the motion of its kinematic variables with --k, or simulate gallery:marionette",
        )
    name = known[0] if motion is None else motion
    if name not in known:
        raise unknown_name("motion", name, (*known, NONE), path)
    return dict(entry.script(name, model.system)), name


def contacts(words: Sequence[str]) -> list[Rolling | Skate]:
    """The contacts that expressions of the language of model files describe."""
    found: list[Rolling | Skate] = []
    for word in words:
        source = Source(word, "--contact")
        for node in read(source):
            head = node.items[0] if isinstance(node, Form) and node.items else None
            if not isinstance(node, Form) or not isinstance(head, Symbol):
                raise node.error(
                    asked="contact", found=node.shown, do='write it like (rolling "wheel" (radius 0.3))'
                )
            if head.word not in KINDS:
                raise unknown_word(head, KINDS, "contact", "a run")
            data, _ = Values({}).arguments(node, KINDS[head.word])
            found.append(KINDS[head.word].cls(**data))
    return found
