"""One configuration and its velocities, as users give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bough import validate
from bough.arguments import Array
from bough.description.rotation import expanded
from bough.errors import ModelError
from bough.model.configurations import configuration
from bough.model.model import Model
from bough.motion.consistent_start import single


def single_configuration(model: Model, value: Any, where: str, what: str = "q") -> Array:
    """One configuration, not a batch; None stands for `model.neutral()`."""
    if value is None:
        return model.neutral()
    if not model._balls:
        return single(value, model.variables, what, where)
    q = configuration(model, value, what, where)
    if q.ndim == 1:
        return q
    raise ModelError(
        asked=f"{what} of {where}",
        found=f"shape {q.shape}, but the model has {validate.counted(model.nq, 'coordinate')}",
        do=f"give {validate.counted(model.nq, 'number')}, or a mapping from names to numbers and rotations",
    )


def single_velocity(model: Model, value: Any, where: str, what: str = "v") -> Array:
    """Velocities of one state; None stands for rest."""
    if value is None:
        return np.zeros(model.nv)
    if model._balls and isinstance(value, Mapping):
        value = expanded(value, what, where, model._balls)
    return single(value, model.variables, what, where)
