"""The papers' equations as printed, slow and obvious; tests compare the core with them, figures time them."""

from bough.reference.recursion import PaperRecursion

__all__ = ["PaperRecursion"]
