"""The part of a model that finds configurations: on the constraints, at rest, and how it vibrates about a rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.arguments import Vector
from bough.model.evaluation import Evaluation

if TYPE_CHECKING:
    from bough.motion.equilibrium import Equilibrium
    from bough.motion.modes import Modes
    from bough.motion.state import State


class RestQuantities(Evaluation):
    """Configurations that meet the constraints, rests, and small motions about them."""

    def mobility(self, q: Vector) -> int | npt.NDArray[np.int64]:
        """The number of free dynamic variables: their number minus the rank of the constraints at q."""
        from bough.motion.assemble import mobility

        model: Any = self
        return mobility(model, self._vector(q, "q"))

    def assemble(
        self,
        q: Vector | None = None,
        v: Vector | None = None,
        *,
        hold: str | Iterable[str] = (),
        t: float = 0.0,
    ) -> State:
        """The state nearest to q and v that meets the constraints at time t, by the metric of kinetic energy.

        Values missing from q and v are those of the system's start, `model.start`, unless q is an array.
        Kinematic variables, and the dynamic ones named in `hold`, keep their values and velocities. Raises
        `ModelError` where no configuration is found, with the closest one as its `closest`.
        """
        from bough.motion.assemble import assemble

        model: Any = self
        return assemble(model, q, v, hold, t)

    def equilibrium(
        self,
        q: Vector | None = None,
        u: Vector | None = None,
        *,
        hold: str | Iterable[str] = (),
        t: float = 0.0,
        nearest: bool = False,
    ) -> Equilibrium:
        """A configuration at rest under potentials, forces and inputs u: the system falls to it from q.

        With `nearest`, a rest near q instead, stable or not, such as that of a pendulum upside down.
        Values missing from q are those of `model.start`, unless q is an array. Kinematic variables, and the
        dynamic ones named in `hold`, keep their values. Inputs are zero unless given; forces are those at rest
        and at time t, at which constraints hold too. Masses count by their weight alone. Stops, strings and
        contacts are ignored. Raises `ConvergenceError` if the forces do not cancel at the end, or only beyond
        one of these.
        """
        from bough.motion.equilibrium import equilibrium

        model: Any = self
        return equilibrium(model, q, u, hold, t, nearest)

    def modes(
        self,
        q: Vector | Equilibrium | State | None = None,
        u: Vector | None = None,
        *,
        hold: str | Iterable[str] = (),
        t: float = 0.0,
    ) -> Modes:
        """Natural frequencies, damping and shapes of small vibrations about a rest, linearised there.

        q is the rest: an `Equilibrium`, a state or a configuration at which the forces cancel under the inputs u;
        by default `equilibrium(u=u)`. Kinematic variables, and the dynamic ones named in `hold`, stay.
        """
        from bough.motion.modes import modes

        model: Any = self
        return modes(model, q, u, hold, t)
