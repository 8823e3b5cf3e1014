"""The papers' equations as printed, slow and obvious: what the tests judge the core by, and what figures time."""

from bough.reference.recursion import PaperRecursion

__all__ = ["PaperRecursion"]
