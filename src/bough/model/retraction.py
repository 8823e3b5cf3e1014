"""Maps from twists to rigid motions, for integrators and controls on the group: docs/theory/reduced.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bough import validate
from bough._core import core
from bough.arguments import Array
from bough.errors import ModelError, unknown_name

KINDS = {kind.name: kind for kind in core.Retraction}


class Retraction:
    """A map tau from se(3) to SE(3), or from so(3) to SO(3), with its derivatives: "cayley" or "exp".

    Twists are (angular, linear), arrays (..., 6), or angular alone, arrays (..., 3); any axes before the last
    are a batch. tau(0) is the identity and tau(-x) the inverse of tau(x). The Cayley map reaches every motion
    but half turns.

    Examples
    --------
    >>> import numpy as np, bough
    >>> tau = bough.Retraction("exp")
    >>> tau([0.0, 0.0, np.pi / 2]).round(12) @ [1, 0, 0]
    array([0., 1., 0.])
    """

    def __init__(self, kind: str = "cayley") -> None:
        if not isinstance(kind, str) or kind.lower() not in KINDS:
            raise unknown_name("retraction", str(kind), KINDS, "tau")
        self.kind = kind.lower()
        self._code = KINDS[self.kind]

    def __call__(self, x: npt.ArrayLike) -> Array:
        """tau(x): 4x4 poses (..., 4, 4), or rotations (..., 3, 3)."""
        rows, shape, full = _twists(x, "x")
        out = np.empty((len(rows), 4, 4))
        core.tau(self._code, rows, out)
        return out.reshape(*shape, 4, 4) if full else out[:, :3, :3].reshape(*shape, 3, 3)

    def inverse(self, g: npt.ArrayLike) -> Array:
        """The twist x nearest to zero with tau(x) = g, for poses (..., 4, 4) or rotations (..., 3, 3)."""
        poses = _poses(g)
        full = poses.shape[-1] == 4
        rows = np.zeros((int(np.prod(poses.shape[:-2])), 4, 4))
        rows[:, : poses.shape[-1], : poses.shape[-1]] = poses.reshape(-1, *poses.shape[-2:])
        out = np.empty((len(rows), 6))
        core.tau_inverse(self._code, rows, out)
        return (out if full else out[:, :3]).reshape(*poses.shape[:-2], 6 if full else 3)

    def d(self, x: npt.ArrayLike) -> Array:
        """The right-trivialised derivative dtau_x, (..., 6, 6): d(tau) tau^-1 = dtau_x dx."""
        return self._matrix(core.dtau, x)

    def d_inverse(self, x: npt.ArrayLike) -> Array:
        """The inverse of dtau_x, (..., 6, 6)."""
        return self._matrix(core.dtau_inverse, x)

    def dd(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
        """The derivative of dtau_x in the direction y, (..., 6, 6)."""
        return self._matrix(core.dtau_derivative, x, y)

    def dd_inverse(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Array:
        """The derivative of dtau_x^-1 in the direction y, (..., 6, 6)."""
        return self._matrix(core.dtau_inverse_derivative, x, y)

    def _matrix(self, quantity: Any, *twists: npt.ArrayLike) -> Array:
        both = np.broadcast_arrays(*(_numbers(x, name) for x, name in zip(twists, "xy", strict=False)))
        parts = [_twists(x, "x") for x in both]
        rows, shape, full = parts[0]
        out = np.empty((len(rows), 6, 6))
        quantity(self._code, *(part[0] for part in parts), out)
        n = 6 if full else 3
        return out[:, :n, :n].reshape(*shape, n, n)

    def __repr__(self) -> str:
        return f"Retraction({self.kind!r})"


def _numbers(x: npt.ArrayLike, what: str) -> Array:
    try:
        array = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(())
    if array.ndim == 0 or array.shape[-1] not in (3, 6):
        raise ModelError(
            asked=f"{what} of a retraction",
            found=f"shape {array.shape}" if array.ndim else validate.shown(x),
            do="give twists of shape (..., 6), or angular velocities of shape (..., 3)",
        )
    return array


def _twists(x: npt.ArrayLike, what: str) -> tuple[Array, tuple[int, ...], bool]:
    """Rows of six numbers, the shape of the batch, and whether they were full twists."""
    array = _numbers(x, what)
    full = array.shape[-1] == 6
    rows = np.zeros((int(np.prod(array.shape[:-1])), 6))
    rows[:, : array.shape[-1]] = array.reshape(-1, array.shape[-1])
    return rows, array.shape[:-1], full


def _poses(g: npt.ArrayLike) -> Array:
    try:
        array = np.asarray(g, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(())
    if array.shape[-2:] not in ((3, 3), (4, 4)):
        raise ModelError(
            asked="g of a retraction",
            found=f"shape {array.shape}",
            do="give poses of shape (..., 4, 4), or rotations of shape (..., 3, 3)",
        )
    return array
