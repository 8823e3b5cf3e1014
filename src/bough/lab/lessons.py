"""All lessons, in order."""

from __future__ import annotations

from bough.lab import cat, catenary, energy, lift, loop, strings
from bough.lab.lesson import Lesson

LESSONS: dict[str, Lesson] = {
    module.LESSON.name: module.LESSON for module in (energy, lift, cat, catenary, strings, loop)
}
