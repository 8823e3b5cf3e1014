"""The tests of the solvers in C++, cpp/tests: beside dense solutions, or polynomials in closed form."""

from __future__ import annotations

import subprocess

import pytest

from support.cpp import program


def run(long: bool) -> set[str]:
    """Runs the cases, or the long ones, and returns the first words of their names."""
    tests = program()
    cases = subprocess.run([tests], capture_output=True, text=True, timeout=60).stdout.split()
    cases = [case for case in cases if case.startswith("verify_") is long]
    done = subprocess.run([tests, *cases], capture_output=True, text=True, timeout=600 if long else 60)
    assert done.returncode == 0, done.stdout + done.stderr
    return {case.split("_")[0] for case in cases}


def test_solvers() -> None:
    kinds = {
        "bracket",
        "cone",
        "geometry",
        "history",
        "impact",
        "pattern",
        "planar",
        "products",
        "rank",
        "recurrence",
        "tree",
    }
    assert run(long=False) == kinds


@pytest.mark.verify
def test_solvers_for_long() -> None:
    assert run(long=True) == {"verify"}
