"""`ReducedVI.linearize(state, u, k)`: the exact first derivatives of one reduced step, by name."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bough._core import core
from bough.arguments import Array, Vector
from bough.description import rotation
from bough.errors import ConvergenceError
from bough.model.retraction import Retraction
from bough.motion.grid import step_size

if TYPE_CHECKING:
    from bough.integrators.reduced import ReducedVI
    from bough.motion.state import State

NAME = re.compile(r"(g|r|mu|p)_d(g|r|mu|p|u|k|dt)")
ROWS, COLUMNS = ("g", "r", "mu", "p"), ("g", "r", "mu", "p", "u", "k", "dt")


class ReducedLinearization:
    """The derivatives of one reduced step, as blocks `g_dg`, `r_dp`, `mu_du`, `p_ddt` and so on.

    A name has what changes, the pose g, the shape r, the spatial momentum mu or the momenta p of the shape at the end
    of the step, and what it changes by: those at its start, the inputs u, the ends k of the kinematic variables, or
    its length dt. Moves of g are twists (angular, linear) of the base in its own axes, of either end its own.

    Attributes
    ----------
    A, B : the derivatives of (g, r, mu, p) by (g, r, mu, p), and by (u, k)

    Examples
    --------
    >>> import numpy as np
    >>> import bough
    >>> system = bough.System("satellite", gravity=None)
    >>> hull = system.world.free("hull", mass=10.0, inertia=(1, 2, 3))
    >>> vi = bough.ReducedVI(system.build(), dt=0.01)
    >>> step = vi.linearize(vi.start(xi=(0.1, 2.0, 0, 0, 0, 0)))
    >>> step.g_dg.shape, bool(np.abs(step.mu_dmu - np.eye(6)).max() < 1e-14)
    ((6, 6), True)
    """

    def __init__(self, J: Array, sizes: dict[str, int], controls: int) -> None:
        self._J, self._sizes, self._controls = J, sizes, controls

    @property
    def A(self) -> Array:
        """The derivative of (g, r, mu, p) by itself."""
        return self._J[:, : len(self._J)]

    @property
    def B(self) -> Array:
        """The derivative of (g, r, mu, p) by (u, k)."""
        return self._J[:, len(self._J) : len(self._J) + self._controls]

    @cached_property
    def _places(self) -> dict[str, slice]:
        ends = np.cumsum([self._sizes[name] for name in COLUMNS])
        return {name: slice(e - self._sizes[name], e) for name, e in zip(COLUMNS, ends.tolist(), strict=True)}

    def __getattr__(self, name: str) -> Array:
        found = None if name.startswith("__") else NAME.fullmatch(name)
        if found is None:
            raise AttributeError(
                f"a linearization has no {name!r}: blocks are named (g|r|mu|p)_d(g|r|mu|p|u|k|dt), such as g_dmu"
            )
        block: Array = self._J[self._places[found[1]], self._places[found[2]]]
        return block[:, 0] if found[2] == "dt" else block

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(f"{a}_d{b}" for a in ROWS for b in COLUMNS)]


def reduced_kernel(vi: ReducedVI) -> Any:
    """The derivatives of the core for steps of this integrator."""
    limits = (vi.tolerance, vi.max_iterations, vi.max_halvings, vi.order)
    return core.ReducedLinearization(vi.model._core, vi.alpha, Retraction(vi.tau)._code, *limits)


class ReducedDifferentiable:
    """The part of the reduced integrator that differentiates its steps."""

    def linearize(
        self: Any,
        state: State,
        u: Vector | None = None,
        k: Vector | None = None,
        dt: float | None = None,
    ) -> ReducedLinearization:
        """The exact first derivatives of the step from a state, with the arguments of `step`.

        Returns
        -------
        ReducedLinearization
            With `A`, `B` and blocks by name, such as `g_dmu`, `r_du` or `p_ddt`.
        """
        vi: ReducedVI = self
        model = vi.model
        size = vi.dt if dt is None else step_size(dt, vi._where)
        begin = vi.of_state(state)
        held = np.asarray(state.q)[model.nq - model.nk :]
        end = held if k is None else vi._kinematic(k, held)
        nb, nr = len(model.base_variables), len(begin.r)
        x = np.concatenate([begin.r, begin.p])
        if nb:
            Q = rotation.from_matrix(np.asarray(begin.g)[:3, :3], "g", vi._where)
            x = np.concatenate([np.asarray(begin.g)[:3, 3], Q, begin.r, begin.mu, begin.p])
        sizes = {"g": nb, "r": nr, "mu": nb, "p": nr - model.nk, "u": model.nu, "k": model.nk, "dt": 1}
        J, x1 = np.empty((2 * nb + 2 * nr - model.nk, sum(sizes.values()))), np.empty_like(x)
        kernel = reduced_kernel(vi)
        status = kernel.linearize(size, state.t, x, np.concatenate([vi._inputs(u), end]), J, x1)
        if status:
            residual, worst, iterations = kernel.failure()
            raise ConvergenceError(
                asked=f"linearize of {vi._where}",
                found=vi.failure_text(status, residual * vi.unit(worst), worst),
                do="take a smaller dt; if that fails too, the motion may run into a singular configuration",
                time=state.t,
                iterations=iterations,
                residual=residual * vi.unit(worst),
            )
        return ReducedLinearization(J, sizes, model.nu + model.nk)
