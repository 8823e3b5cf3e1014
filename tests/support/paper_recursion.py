"""The papers' literal recursion, which the figures time, too."""

from bough.reference.recursion import PaperRecursion, recursion

__all__ = ["PaperRecursion", "recursion"]
