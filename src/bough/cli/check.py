"""`bough check`: find mistakes in a model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import typer

from bough.cli import _files
from bough.cli._analysis import Mobility, mobility
from bough.cli._app import FAILED, AsJson, ModelFile, Parameters, Q, app, show_json, table
from bough.errors import ModelError, quoted
from bough.model.check import check
from bough.model.model import Model
from bough.motion.consistent_start import PENETRATION

EXAMPLE = "bough check closed_chain.sexp"
SINGULAR = 1e-12  # smallest eigenvalue of a regular mass matrix, scaled to a diagonal of ones


class Finding(NamedTuple):
    """The result of one check; verdict is "ok", "note" or "wrong"."""

    what: str
    verdict: str
    text: str


@app.command("check", short_help="Find mistakes in a model.", epilog=f"Example: {EXAMPLE}")
def command(model: ModelFile, q: Q = None, param: Parameters = None, as_json: AsJson = False) -> None:
    """Check derivatives, constraints, redundancy and the mass matrix of a model.

    The exit code is 1 if something is wrong.
    """
    system = _files.read_system(model, param)
    try:
        built = system.build()
    except ModelError as error:
        if "the mass matrix is singular" not in error.found:
            raise
        findings = [Finding("mass matrix", "wrong", f"{error.found}; {error.do}")]
    else:
        found = mobility(built, _files.configuration(built, q))
        findings = [_derivatives(built, found), *_constraints(built, found), *_contacts(built, found)]
        findings.append(_mass_matrix(built, found))
    ok = all(finding.verdict != "wrong" for finding in findings)
    if as_json:
        show_json(
            {
                "file": model,
                "model": system.name,
                "ok": ok,
                "checks": {f.what: {"verdict": f.verdict, "text": f.text} for f in findings},
            }
        )
    else:
        title = f"{system.name}: {'sound' if ok else 'something is wrong'}"
        typer.echo("\n".join([title, *table([(f.verdict, f.what, f.text) for f in findings])]))
    if not ok:
        raise typer.Exit(FAILED)


def _derivatives(model: Model, found: Mobility) -> Finding:
    result = check(model, q=found.q, show=False)
    if result.ok:
        return Finding("derivatives", "ok", f"all {len(result.rows)} agree with finite differences")
    wrong = [f"{row.derivative} of {row.element}: {row.worst}" for row in result.wrong]
    return Finding("derivatives", "wrong", f"{len(wrong)} of {len(result.rows)}: " + "; ".join(wrong))


def _constraints(model: Model, found: Mobility) -> list[Finding]:
    if model.nc == 0:
        return [Finding("constraints", "ok", "there are none")]
    if found.unmet is not None:
        return [Finding("constraints", "wrong", f"{found.unmet.found}; {found.unmet.do}")]
    where = "at the assembled configuration" if found.assembled else "at the configuration given"
    findings = [Finding("constraints", "ok", f"they hold {where}")]
    rank = model.nd - found.freedom
    if found.redundant:
        text = f"{rank} of {model.nc} rows are independent; superfluous: {quoted(found.redundant)}"
        return [*findings, Finding("redundancy", "note", text)]
    return [*findings, Finding("redundancy", "ok", f"all {model.nc} rows are independent")]


def _contacts(model: Model, found: Mobility) -> list[Finding]:
    if not model.gaps:
        return []
    gap, scale = model.gap(found.q), model.gap_scale(found.q)
    beyond = [name for name, x, size in zip(model.gaps, gap, scale, strict=True) if x < -PENETRATION * size]
    if beyond:
        text = f"the configuration is beyond {quoted(beyond)}; start elsewhere, or let simulate assemble"
        return [Finding("contacts", "wrong", text)]
    closed = [name for name, x, size in zip(model.gaps, gap, scale, strict=True) if x <= PENETRATION * size]
    text = f"closed at the start: {quoted(closed)}" if closed else f"all {len(model.gaps)} are open"
    return [Finding("contacts", "ok", text)]


def _mass_matrix(model: Model, found: Mobility) -> Finding:
    M = model.mass_matrix(found.q)[: model.nd, : model.nd]
    diagonal = np.sqrt(np.maximum(np.diag(M), 0.0))
    still = [model.dynamic[i] for i in np.flatnonzero(diagonal == 0.0)]
    least = 0.0 if still else np.linalg.eigvalsh(M / np.outer(diagonal, diagonal))[0] if model.nd else 1.0
    if least > SINGULAR:
        return Finding("mass matrix", "ok", "positive definite")
    which = f": {quoted(still)} moves no mass there" if still else ""
    return Finding(
        "mass matrix",
        "wrong",
        f"singular at the configuration checked{which};"
        " start elsewhere with --q, or choose another order of rotations",
    )
