"""Equations of the theory in plain characters become TeX that KaTeX can set."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("sphinx", reason="the packages of the extra 'docs' are not installed")
DOCS = Path(__file__).parents[2] / "docs"


def extension() -> ModuleType:
    spec = importlib.util.spec_from_file_location("equations", DOCS / "_ext" / "equations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


equations = extension()


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("p0 + D1(q0, q1)", "{p}_{0} + {D}_{1}({q}_{0}, {q}_{1})"),
        ("Dh(q0)ᵀ μ", r"D\!h({q}_{0})^{\top}\,\mu "),
        (
            "[K, 0; Dh, 1] [x; y]",
            r"\begin{bmatrix} K & 0 \\ D\!h & 1 \end{bmatrix}\,\begin{bmatrix} x \\ y \end{bmatrix}",
        ),
        ("[J_a, J_j]", "[J_{a}, J_{j}]"),
        ("D1_0 − L_qq", "{D}_{1,0} - L_{qq}"),
        ("½ ṙ + ŷ⁻¹", r"\tfrac12 \,\dot{r} + \hat{y}^{-1}"),
        ("∂_jm = Ic_i J_i", r"\partial _{j}m = {I^c}_{i}\,J_{i}"),
        ("f_i    for l at or above j", r"f_{i}\qquad \;\text{for}\;\,l\,\;\text{at or above}\;\,j"),
        ("P_world = Σ_{k ≥ i} I_k", r"P_{\text{world}} = \textstyle\sum_{k \ge  i}\,I_{k}"),
    ],
)
def test_plain_characters_become_tex(text: str, tex: str) -> None:
    assert equations.tex_of(text) == tex


def lines() -> list[str]:
    """All lines of indented blocks of the theory that are equations."""
    found = []
    for page in sorted((DOCS / "theory").glob("*.md")):
        found += re.findall(
            r"^    (\S.*[=≤<].*?)(?:\s{2,}\([A-Z]{1,2}\d{1,2}\))?$",
            page.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    return found


def test_no_equation_has_open_braces_or_two_exponents() -> None:
    assert len(lines()) > 200
    for line in lines():
        tex = equations.tex_of(line)
        bare = tex.replace(r"\{", "").replace(r"\}", "")
        assert bare.count("{") == bare.count("}"), line
        assert not re.search(r"\^\{[^{}]*\}(?:\^|')", tex), line
        assert not re.search(r"_\{[^{}]*\}_", tex), line
