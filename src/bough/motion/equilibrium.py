"""Configurations at rest under potentials, forces and inputs, with the constraints held."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.arguments import Array, Vector
from bough.errors import ConvergenceError
from bough.model.holonomic import need_holonomic
from bough.model.projection import free_places
from bough.model.units import gap_units
from bough.motion.assemble import assemble
from bough.motion.assemble_contacts import penetrated
from bough.motion.consistent_start import single
from bough.motion.nearest_rest import nearest_rest
from bough.motion.rest_stability import has_potential, stability_at
from bough.motion.statics import Point, Search
from bough.validate import counted

if TYPE_CHECKING:
    from bough.model.model import Model

NOT_KNOWN = "equilibrium() ignores stops, strings and contacts"


@dataclass(frozen=True)
class Equilibrium:
    """A configuration at rest.

    Attributes
    ----------
    q : array (nq,)
    lam : array (nc,)
        The constraint forces, with the sign of `acceleration_and_multipliers`.
    energy : float
        The potential energy; the work of forces is not part of it.
    eigenvalues : array
        Squares of the angular frequencies of small vibrations without damping, smallest first, one for each
        direction that the constraints leave free; complex ones, of flutter, only if `has_potential` is false.
    stability : str
        "stable", "unstable", or "neutral" if the smallest eigenvalue is zero to round-off. If forces have no
        potential, or feed energy in, the linearised equations of motion decide. "not judged" if they leave it
        open, or if the constraints are singular at q.
    has_potential : bool
        Whether the forces near q have a potential: those that follow a body in space have none.
    iterations : int
    start : array (nq,)
        The configuration from which it was sought, on the constraints.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> rest = system.build().equilibrium({"angle": 0.3})
    >>> rest.stability, rest.eigenvalues.round(6)
    ('stable', array([9.81]))
    """

    q: Array
    lam: Array
    energy: float
    eigenvalues: npt.NDArray[Any]
    stability: str
    has_potential: bool = True
    iterations: int = field(default=0, compare=False)
    start: Array | None = field(default=None, compare=False, repr=False)

    @property
    def stable(self) -> bool:
        """Whether the system stays near after any small push."""
        return self.stability == "stable"


def equilibrium(
    model: Model,
    q: Vector | None,
    u: Vector | None,
    hold: str | Iterable[str],
    t: float = 0.0,
    nearest: bool = False,
) -> Equilibrium:
    """The equilibrium that the system falls to from q, or that nearest to q; see `Model.equilibrium`."""
    where = f"equilibrium() of model {model.name!r}"
    need_holonomic(model, where, "with which a system can be at rest in many places", "leave it out")
    held = [hold] if isinstance(hold, str) else list(hold)
    free = free_places(model, held, where)
    inputs = np.zeros(model.nu) if u is None else single(u, model.inputs, "u", where, "inputs")
    q0 = assemble(model, q, None, held, t, "equilibrium()").q
    search = Search(model, free, inputs, t, q0)
    first = search.point(q0)
    point, iterations = nearest_rest(search, first) if nearest else search.newton(first)
    if not search.converged(point):
        raise _unfinished(search, point, iterations, where)
    if model.gaps:
        _refuse_crossed(model, point.q, t, where)
    potential = has_potential(search, point)
    stability, eigenvalues = stability_at(search, point, potential)
    return Equilibrium(point.q, point.lam, point.energy, eigenvalues, stability, potential, iterations, q0)


def _refuse_crossed(model: Model, q: Array, t: float, where: str) -> None:
    """Raise if the configuration is beyond a stop, a string or a contact, none of which statics knows."""
    crossed = penetrated(model, q, t)
    if not crossed:
        return
    gaps, units = model.gap(q, t), gap_units(model)
    worst = min(crossed, key=lambda i: gaps[i])
    raise ConvergenceError(
        asked=where,
        found=f"the forces cancel only beyond {model.gaps[worst]!r}, by {-gaps[worst]:.3g} {units[worst]}".rstrip()
        + f": {NOT_KNOWN}",
        do="let it come to rest by simulate() with some damping, or replace what holds it there by a constraint",
    )


def _unfinished(search: Search, point: Point, iterations: int, where: str) -> ConvergenceError:
    model = search.model
    worst = int(np.argmax(point.errors))
    name = model.variables[search.free[worst]]
    flat = abs(point.rest[worst]) >= 0.1 * point.size[worst]
    place = model._coordinate_places.get(name)
    at = "" if place is None else f" at {name} = {point.q[place]:.6g}"  # a rate of a ball has no value
    return ConvergenceError(
        asked=where,
        found=f"no equilibrium after {counted(iterations, 'iteration')}: the force on {name!r} is still"
        f" {-point.rest[worst]:.3g}{at}, V = {point.energy:.6g} J"
        + ("; the energy may have no minimum" if flat else "")
        + (f"; {NOT_KNOWN}" if model.gaps else ""),
        do=f"hold {name!r} or give it a spring or a constraint"
        if flat
        else "start from a q nearer to the equilibrium",
        iterations=iterations,
        residual=point.error,
    )
