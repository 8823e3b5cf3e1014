"""The argument `stabilization`, which selects a remedy against drift off the constraints."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough import validate
from bough.errors import ModelError


def stabilization(value: Any, where: str) -> Any:
    """The checked argument, in plain values: None, "projection" or ["baumgarte", g1, g2]."""
    if value is None or (isinstance(value, str) and value == "projection"):
        return value
    named = isinstance(value, list | tuple) and len(value) == 3 and value[0] == "baumgarte"
    gains = [float(gain) if validate.is_real(gain) else -1.0 for gain in value[1:]] if named else [-1.0]
    if not all(0.0 <= gain < np.inf for gain in gains):
        raise ModelError(
            asked=f"stabilization={validate.shown(value)} in {where}",
            found="a gain that is not a number of zero or more" if named else "not a method of stabilisation",
            do="give 'projection', or ('baumgarte', g1, g2) with gains in 1/s,"
            " such as ('baumgarte', 10.0, 10.0)",
        )
    return ["baumgarte", *gains]


def no_stabilization(value: Any, where: str) -> None:
    """Raise if a variational integrator is given the argument."""
    if value is not None:
        raise ModelError(
            asked=f"stabilization={validate.shown(value)} in {where}",
            found="a variational integrator, which meets the constraints at every step",
            do="leave stabilization out, or use another integrator, such as 'dop853'",
        )


def stabilized(value: Any) -> tuple[bool, tuple[float, float]]:
    """Whether to project, and the gains of Baumgarte."""
    kind, *gains = value if isinstance(value, list) else [value]
    return kind == "projection", (gains[0], gains[1]) if kind == "baumgarte" else (0.0, 0.0)
