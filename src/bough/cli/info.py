"""`bough info`: what is in a model, and how far it can move."""

from __future__ import annotations

from typing import Any

import typer

from bough.cli import _files
from bough.cli._analysis import Mobility, mobility
from bough.cli._app import AsJson, ModelFile, Parameters, Q, app, show_json
from bough.description.element import Constraint
from bough.description.system import System
from bough.description.tree_text import tree_text
from bough.errors import ModelError, quoted
from bough.model.model import Model
from bough.model.text import model_text
from bough.validate import counted

EXAMPLE = "bough info closed_chain.sexp"


@app.command("info", short_help="Tree, variables, masses, mobility of a model.", epilog=f"Example: {EXAMPLE}")
def command(model: ModelFile, q: Q = None, param: Parameters = None, as_json: AsJson = False) -> None:
    """Show the tree, variables, masses, constraints and mobility of a model.

    The mobility is that of the nearest configuration to --q which meets the constraints.
    """
    system = _files.read_system(model, param)
    tree = tree_text(system, with_elements=False)
    try:
        built = system.build()
    except ModelError:
        if not as_json:
            typer.echo(tree)
        raise
    found = mobility(built, _files.configuration(built, q))
    advice = suggestions(built, found, model)
    if as_json:
        show_json({"file": model, **_data(system, built, found), "suggestions": advice})
        return
    tables = model_text(built).split("\n", 1)[1]
    lines = [tree, "", tables, "", _mobility_text(built, found)]
    if advice:
        lines += ["", "suggestions", *(f"  - {line}" for line in advice)]
    typer.echo("\n".join(lines))


def suggestions(model: Model, found: Mobility, path: str) -> list[str]:
    """What is worth knowing before a simulation."""
    lines = []
    if found.unmet is not None:
        return [f"{found.unmet.found}: {found.unmet.do}"]
    if found.assembled:
        begin = "that of the file" if model.start.q else "zero"
        lines.append(
            f"the start ({begin} unless --q says otherwise) is off the constraints: simulate assembles it"
            f" first, and `bough assemble {path}` shows the result"
        )
    if found.redundant:
        several = len(found.redundant) > 1
        lines.append(
            f"{quoted(found.redundant)} {'depend' if several else 'depends'} on the constraints before"
            f" {'them' if several else 'it'}: the motion is well defined, but the constraint forces are not"
        )
    if model.nd and found.mobility == 0:
        lines.append("nothing can move: remove a constraint, or add a variable")
    if model.nk:
        held = [name for name in model.kinematic if name not in model.start.q]
        if held:
            verb = "stay" if len(held) > 1 else "stays"
            lines.append(f"{quoted(held)} {verb} at zero unless --q gives another value")
    if model.nu:
        lines.append(
            f"{quoted(model.inputs)} {'are' if model.nu > 1 else 'is'} zero unless --u gives a value"
        )
    return lines


def _mobility_text(model: Model, found: Mobility) -> str:
    if found.mobility is None:
        return f"mobility unknown: {counted(model.nd, 'dynamic variable')}, constraints that cannot be met"
    if model.nc == 0:
        return f"mobility {found.mobility}: {counted(model.nd, 'dynamic variable')}, no constraints"
    rank = model.nd - found.mobility
    return (
        f"mobility {found.mobility}: {counted(model.nd, 'dynamic variable')}"
        f" less {rank} independent of {counted(model.nc, 'constraint row')}"
    )


def _data(system: System, model: Model, found: Mobility) -> dict[str, Any]:
    bodies = [frame for frame in system.frames if frame._mass]
    return {
        "model": model.name,
        "frames": len(system.frames),
        "dynamic": list(model.dynamic),
        "kinematic": list(model.kinematic),
        "inputs": list(model.inputs),
        "mass": model.total_mass,
        "bodies": [{"frame": frame.label, "mass": frame._mass} for frame in bodies],
        "elements": [
            {"kind": type(element).__name__, "name": element.name}
            for element in system.elements
            if not isinstance(element, Constraint)
        ],
        "constraints": list(model.constraints),
        "redundant": list(found.redundant),
        "mobility": found.mobility,
        "assembled": found.assembled and found.unmet is None,
        "q": dict(zip(model.coordinates, found.q.tolist(), strict=True)),
    }
