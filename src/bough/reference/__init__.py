"""The papers' equations as printed, slow and obvious: the tests judge the core by them, figures time them."""

from bough.reference.recursion import PaperRecursion

__all__ = ["PaperRecursion"]
