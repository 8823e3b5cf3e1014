"""Packages that bough can do without: imported when something needs them, and their versions."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from bough.errors import BoughError


def package(name: str, asked: str, extra: str, otherwise: str = "") -> Any:
    """A package by name, or an error that says what it is needed for and which extra of bough installs it."""
    try:
        return import_module(name)
    except ImportError:
        raise BoughError(
            asked=asked,
            found=f"the package {name} is not installed",
            do=f"install it: pip install 'bough[{extra}]'{otherwise}",
        ) from None


def version_of(name: str) -> str | None:
    """The version of a package, or None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
