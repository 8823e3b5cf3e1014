"""The tree of a system as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bough.description.element_text import element_text
from bough.description.frame import Frame
from bough.validate import counted

if TYPE_CHECKING:
    from bough.description.system import System

# Levels drawn as branches; deeper frames show how many are omitted, which keeps the text linear in size.
LEVELS = 24
ELEMENTS = 40  # lines of elements before the list is cut


def tree_text(system: System, *, with_elements: bool = True) -> str:
    """One line about the system, then one line per frame and per element."""
    frames = system._frames
    mass = sum(frame._mass for frame in frames)
    counts = f"{len(system.dynamic)} dynamic and {len(system.kinematic)} kinematic variables"
    lines = [f"{system.name}: {counted(len(frames), 'frame')}, {counts}, mass {mass:g} kg", "world"]
    # Each entry: the frame, its level, the branches to the left of it, and whether a sibling follows.
    waiting = [(child, 1, "", more) for child, more in _last_first(frames[0])]
    while waiting:
        index, level, left, more = waiting.pop()
        frame = frames[index]
        skipped = f"⋯{level - LEVELS} " if level > LEVELS else ""
        lines.append(f"{skipped}{left}{'├─ ' if more else '└─ '}{frame_text(frame)}")
        below = (left + ("│  " if more else "   "))[-3 * (LEVELS - 1) :]
        waiting.extend((child, level + 1, below, more) for child, more in _last_first(frame))
    elements = system.elements if with_elements else ()
    lines.extend(element_text(element) for element in elements[:ELEMENTS])
    if len(elements) > ELEMENTS:
        lines.append(f"... and {counted(len(elements) - ELEMENTS, 'more element')}")
    return "\n".join(lines)


def frame_text(frame: Frame) -> str:
    """`tz(-1)  'bob'  mass 1`."""
    parts = [frame._transform_text()]
    if frame._name is not None:
        parts.append(repr(frame._name))
    if frame._mass:
        parts.append(f"mass {frame._mass:g}")
    if frame._com is not None and frame._com.any():
        parts.append("com ({:g}, {:g}, {:g})".format(*frame._com))
    if frame._inertia is not None and frame._inertia.any():
        diagonal = "({:g}, {:g}, {:g})".format(*frame._inertia.diagonal())
        coupled = frame._inertia[0, 1] or frame._inertia[0, 2] or frame._inertia[1, 2]
        parts.append(f"inertia {diagonal}{' and products' if coupled else ''}")
    return "  ".join(parts)


def _last_first(frame: Frame) -> list[tuple[int, bool]]:
    """The children, last first, each with whether a sibling follows it."""
    children = frame._children
    return [(child, child != children[-1]) for child in reversed(children)]
