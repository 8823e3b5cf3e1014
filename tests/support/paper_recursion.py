"""The papers' literal recursion, which the figures time, too."""

from bough.reference.recursion import PaperRecursion
from bough.reference.tree_recursion import recursion

__all__ = ["PaperRecursion", "recursion"]
