"""The part of a trajectory that differentiates it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from bough.sensitivity import Gradient, Sensitivity


class RunDerivatives:
    """Derivatives of a whole run."""

    @overload
    def sensitivity(self, of: None = None, *, parameters: Iterable[str] | None = None) -> Sensitivity: ...
    @overload
    def sensitivity(self, of: Mapping[str, Any], *, parameters: Iterable[str] | None = None) -> Gradient: ...
    def sensitivity(
        self, of: Mapping[str, Any] | None = None, *, parameters: Iterable[str] | None = None
    ) -> Sensitivity | Gradient:
        """The exact derivatives of this run by its start, its inputs and the parameters of its model.

        For runs with a fixed step of "midpoint" and "trapezoidal". Inputs that came from a feedback are held.

        Parameters
        ----------
        of : derivatives of a scalar by arrays of the run, such as {"q": array of the shape of run.q, "v": ...}
            The gradient of the scalar is then made in one backward sweep, from the recorded rows as checkpoints.
            Without it, the derivatives of all rows are made forward.
        parameters : names, by default all

        Returns
        -------
        Gradient or Sensitivity

        Examples
        --------
        >>> import bough
        >>> import numpy as np
        >>> system = bough.System("pendulum")
        >>> bob = system.world.ry("angle").tz(-system.parameter("length", 1.0), name="bob", mass=1.0)
        >>> run = bough.simulate(system.build(), q={"angle": 0.5}, duration=1.0, dt=0.01)
        >>> last = np.zeros_like(run.q)
        >>> last[-1] = 1.0
        >>> gradient = run.sensitivity(of={"q": last})
        >>> whole = run.sensitivity()
        >>> bool(abs(gradient.parameters["length"] - whole.q_dtheta[-1, 0, 0]) < 1e-10)
        True
        """
        from bough.motion.trajectory import Trajectory
        from bough.sensitivity import sensitivity

        assert isinstance(self, Trajectory)
        return sensitivity(self, of, parameters)
