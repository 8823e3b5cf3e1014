"""Every example of the reference runs, and every public name of bough and of bough.control has one."""

from __future__ import annotations

import doctest
import inspect
import io
from pathlib import Path
from typing import Any

import pytest

import bough

MODULES = {"": bough, "control.": bough.control, "gallery.": bough.gallery}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
PUBLIC = {
    prefix + name: getattr(module, name)
    for prefix, module in MODULES.items()
    for name in module.__all__
    if inspect.isclass(getattr(module, name)) or inspect.isroutine(getattr(module, name))
}


def examples(thing: Any, name: str) -> list[doctest.DocTest]:
    """The examples of a public name, with those of its methods."""
    found = doctest.DocTestFinder(recurse=False).find(thing, name, globs={})
    if inspect.isclass(thing):
        for own in dir(thing):
            member = inspect.getattr_static(thing, own)
            member = member.fget if isinstance(member, property) else member
            member = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if not own.startswith("_") and inspect.isfunction(member):
                found += doctest.DocTestFinder(recurse=False).find(member, f"{name}.{own}", globs={})
    return [each for each in found if each.examples]


@pytest.mark.filterwarnings("ignore::bough.BoughWarning")
@pytest.mark.parametrize("name", PUBLIC)
def test_examples_of_the_reference_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for each in examples(PUBLIC[name], name):
        out = io.StringIO()
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        runner.run(each, out=out.write)
        assert runner.failures == 0, out.getvalue()


@pytest.mark.parametrize("name", [name for name in PUBLIC if not name.startswith("gallery.")])
def test_every_name_has_an_example(name: str) -> None:
    assert ">>>" in (inspect.getdoc(PUBLIC[name]) or "")
