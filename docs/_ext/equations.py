"""Equations of the theory, typeset: indented blocks of Unicode become TeX, which KaTeX sets from local files.

The pages hold equations as the sources cite them, in plain characters that an editor shows, such as
`p_i = ∂L/∂v_i = J_i · hc_i`. Every line is an equation; its number, such as (L2), is shown at the right and is the
target of links. What is a table of words, a command or a program stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

FOLDER = "theory/"
LABEL = re.compile(r"\s{2,}\(([A-Z]{1,3}\d{1,2}|CP|Jacobi)\)\s*$")
PLAIN = re.compile(r"PYTHONPATH|^\s*(?:\$|>>>|from |import )|```|^\[.\s")
SUPER = dict(zip("ᵀ⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹ᵐᵇˢⁿ", (r"\top", *"-+0123456789mbsn"), strict=True))
SUB = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋ₖₜᵢⱼₘₙ", "0123456789+-ktijmn", strict=True))
MARKS = {
    "\u0304": r"\bar",
    "\u0307": r"\dot",
    "\u0302": r"\hat",
    "\u0303": r"\tilde",
    "\u0308": r"\ddot",
    "\u0338": r"\not",
}
SIGNS = {
    "−": "-",
    "·": r"\cdot ",
    "×": r"\times ",
    "∂": r"\partial ",
    "Σ": r"\textstyle\sum",
    "∫": r"\textstyle\int",
    "½": r"\tfrac12 ",
    "¼": r"\tfrac14 ",
    "≤": r"\le ",
    "≥": r"\ge ",
    "′": "'",
    "″": "''",
    "‴": "'''",
    "⁗": "''''",
    "…": r"\dots ",
    "←": r"\leftarrow ",
    "‖": r"\|",
    "⊗": r"\otimes ",
    "⟨": r"\langle ",
    "⟩": r"\rangle ",
    "∇": r"\nabla ",
    "→": r"\to ",
    "±": r"\pm ",
    "𝒵": r"\mathcal{Z}",
    "𝓔": r"\mathcal{E}",
    "∈": r"\in ",
    "∞": r"\infty ",
    "≈": r"\approx ",
    "≠": r"\ne ",
    "Δ": r"\Delta ",
    "Γ": r"\Gamma ",
    "Ω": r"\Omega ",
    "Π": r"\Pi ",
    "Φ": r"\Phi ",
    "Ψ": r"\Psi ",
    "Λ": r"\Lambda ",
    "Θ": r"\Theta ",
    "Ξ": r"\Xi ",
    "ϕ": r"\phi ",
    "ℓ": r"\ell ",
    "√": r"\surd ",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
}
OTHER_NAMES = {"λ": "lambda", "ε": "varepsilon", "φ": "varphi"}
GREEK = {
    letter: OTHER_NAMES.get(letter) or unicodedata.name(letter).split()[-1].lower()
    for letter in "αβγδεζηθικλμνξπρστυφχψω"
}
FUNCTIONS = {"exp", "log", "max", "min", "cos", "sin", "tan", "det", "arccos", "arctan"}
OPERATORS = {"Ad", "ad", "diag", "clip", "sym", "ext", "dexp", "tr", "rank", "sign", "span", "blockdiag"}
SYMBOLS = {
    "dt": r"\mathit{dt}",
    "Ld": "L_d",
    "Ic": "{I^c}",
    "hc": "{h^c}",
    "Fc": "{F^c}",
    "Dh": r"D\!h",
    "fd": "f_d",
    "lam": r"\lambda",
    "kp": "k_p",
    "kd": "k_d",
    "qm": "q_m",
    "vm": "v_m",
    "mc": r"\mathit{mc}",
}
BINARY = "=+−<>≤≥·×/,;:←→⊗±≈"
WORDS = re.compile(r"(?: (?:[a-z]{3,}|at|or|of|if|to|is|in|on|by|no|it|an)(?![\w(^ᵀ]))+")
NAME = re.compile(r"[A-Za-z]+")


def tex_of(text: str) -> str:
    """One line of Unicode as TeX."""
    return _Line(unicodedata.normalize("NFD", text)).read()


class _Line:
    """Reads a line from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def read(self, end: str = "") -> str:
        out: list[str] = []
        while self.at < len(self.text) and self.text[self.at] not in (end or "\0"):
            out.append(self.piece())
        return "".join(out)

    def piece(self) -> str:
        sign = self.text[self.at]
        if sign == " ":
            return self.space()
        if sign == "[":
            return self.bracket()
        if sign == "{":
            self.at += 1
            inner = self.read("}")
            self.at += 1
            return rf"\{{{inner}\}}"
        if sign in SUPER:
            return "^{" + self.run(SUPER) + "}"
        if sign in SUB:
            return "_{" + self.run(SUB) + "}"
        if sign in "_^":
            return self.index()
        if sign.isascii() and sign.isalpha():
            return self.name()
        self.at += 1
        if sign in GREEK:
            return self.marked(rf"\{GREEK[sign]} ")
        return self.marked(SIGNS.get(sign, sign))

    def space(self) -> str:
        begin = self.at
        while self.at < len(self.text) and self.text[self.at] == " ":
            self.at += 1
        if self.at - begin > 1:
            return r"\qquad " if self.at - begin > 2 else r"\quad "
        beside = self.text[max(begin - 1, 0)] + self.text[self.at : self.at + 1]
        return " " if set(beside) & set(BINARY) else r"\,"  # a product is set apart by a thin space

    def run(self, signs: dict[str, str]) -> str:
        out = ""
        while self.at < len(self.text) and self.text[self.at] in signs:
            out += signs[self.text[self.at]]
            self.at += 1
        return out

    def marked(self, tex: str) -> str:
        """A sign with the marks over it."""
        while self.at < len(self.text) and self.text[self.at] in MARKS:
            tex = f"{MARKS[self.text[self.at]]}{{{tex}}}"
            self.at += 1
        return tex

    def index(self) -> str:
        """What follows _ or ^: braces, parentheses, or letters and digits."""
        kind = self.text[self.at]
        partial = self.text[: self.at].endswith("∂")  # ∂_jm is the derivative of m by variable j
        self.at += 1
        rest = self.text[self.at :]
        if rest.startswith("{"):
            self.at += 1
            inner = self.read("}")
            self.at += 1
            return f"{kind}{{{inner}}}"
        if rest.startswith("(") and kind == "^":
            self.at += 1
            inner = self.read(")")
            self.at += 1
            return f"^{{({inner})}}"
        found = re.match(
            r"[A-Za-z]{3,}|[A-Za-z0-9\u03b1-\u03c9][\u0302-\u0308]?(?:,(?=[a-z])|[a-z0-9\u03b1-\u03c9][\u0302-\u0308]?)*",
            rest,
        )
        if found is None:
            return r"\_" if kind == "_" else r"\hat{}"
        word = found[0][0] if partial else found[0]
        self.at += len(word)
        if re.fullmatch(r"[a-z]{3,}", word) and not set(word) <= set("ijklmnqvrs"):
            return rf"{kind}{{\text{{{word}}}}}"
        return f"{kind}{{{_Line(word).letters()}}}"

    def letters(self) -> str:
        """Indices: every letter by itself."""
        out = ""
        while self.at < len(self.text):
            sign = self.text[self.at]
            self.at += 1
            out += self.marked(rf"\{GREEK[sign]} " if sign in GREEK else sign)
        return out

    def name(self) -> str:
        found = NAME.match(self.text, self.at)
        assert found is not None
        word = found[0]
        self.at = found.end()
        digits = re.match(r"\d+", self.text[self.at :])
        if word in FUNCTIONS:
            return rf"\{word} "
        if word in OPERATORS:
            return rf"\operatorname{{{word}}}"
        if word in SYMBOLS or len(word) == 1 or (len(word) == 2 and word[0] in "dD" and word not in ("do",)):
            tex = SYMBOLS.get(word) or (word if len(word) == 1 else f"{word[0]}{word[1]}")
            if digits:
                self.at += digits.end()
                return self.numbered(tex, digits[0])
            return self.marked(tex)
        if digits:
            self.at += digits.end()
            word += digits[0]
        more = WORDS.match(self.text, self.at)
        if more is not None and not digits:
            word += more[0]
            self.at = more.end()
        return rf"\;\text{{{word}}}\;"

    def numbered(self, tex: str, digits: str) -> str:
        """q0 is q with the index 0; D1_0 has both indices."""
        more = ""
        if self.text.startswith("_", self.at) and not self.text.startswith("_{", self.at):
            more = "," + self.index()[2:-1]
        return f"{{{tex}}}_{{{digits}{more}}}"

    def bracket(self) -> str:
        """A matrix if there are semicolons between its brackets, otherwise brackets."""
        depth, rows = 0, [[self.at + 1]]
        for end in range(self.at, len(self.text)):
            sign = self.text[end]
            depth += (sign in "[({") - (sign in "])}")
            if depth == 1 and sign == ";":
                rows.append([end + 1])
            elif depth == 1 and sign == ",":
                rows[-1].append(end + 1)
            elif depth == 0:
                break
        else:
            self.at += 1
            return "["
        if len(rows) == 1:
            self.at += 1
            return "["
        starts = [start for row in rows for start in row]
        ends = [*(start - 1 for start in starts[1:]), end]
        cells = {
            start: _Line(self.text[start:stop].strip()).read()
            for start, stop in zip(starts, ends, strict=True)
        }
        self.at = end + 1
        body = r" \\ ".join(" & ".join(cells[start] for start in row) for row in rows)
        return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


def is_mathematics(node: nodes.literal_block) -> bool:
    """Whether an indented block holds equations."""
    lines = [line for line in node.astext().splitlines() if line.strip()]
    return (
        bool(lines)
        and not any(PLAIN.search(line) for line in lines)
        and all(re.search(r"[=≤<·←]|\+=", line) for line in lines)
    )


def typeset(app: Sphinx, doctree: nodes.document) -> None:
    if not app.env.docname.startswith(FOLDER):
        return
    for block in list(doctree.findall(nodes.literal_block)):
        if block.get("language", "default") not in ("default", "none", "text") or not is_mathematics(block):
            continue
        made: list[nodes.Node] = []
        for line in block.astext().splitlines():
            if not line.strip():
                continue
            found = LABEL.search(line)
            body = LABEL.sub("", line).strip().rstrip(",").rstrip()
            label = found[1] if found else None
            options = {"nowrap": False, "number": label, "label": label, "docname": app.env.docname}
            equation = nodes.math_block(body, tex_of(body), **options)
            equation["classes"].append("bough-equation")
            if found:
                target = f"equation-{found[1].lower()}"
                equation["ids"].append(target)
            made.append(equation)
        block.replace_self(made)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", typeset)
    return {"parallel_read_safe": True}
