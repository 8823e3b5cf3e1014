"""A step as a function of CasADi, with exact first and second derivatives: `bough.control.adapters.casadi`."""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np

from bough.arguments import Array
from bough.control._step import Step
from bough.model.configurations import refuse_balls


def casadi_step(step: Step, name: str = "step") -> Any:
    """The function x1 = f(x, c) of CasADi that a step is, for `nlpsol`, `Opti`, IPOPT.

    First derivatives are those of `step.jacobians`, and the Hessian of a Lagrangian is made of `step.hessian`,
    which is what IPOPT asks for by default. Keep the function as long as graphs that use it.

    Parameters
    ----------
    step : Step
    name : of the function

    Examples
    --------
    >>> import casadi
    >>> import bough
    >>> from bough.control.adapters.casadi import casadi_step
    >>> model = bough.gallery.cart_pole().build()
    >>> f = casadi_step(bough.control.Step(model, dt=0.02))
    >>> x, c = casadi.MX.sym("x", 4), casadi.MX.sym("c", 1)
    >>> J = casadi.Function("J", [x, c], [casadi.jacobian(f(x, c), x)])
    >>> J([0.0, 0.1, 0.0, 0.0], [0.5]).shape
    (4, 4)
    """
    refuse_balls(step.model, "casadi_step()", "use bough.control.optimize, which knows them")
    return _Step(step, name)


class _Base(casadi.Callback):
    """A callback with dense inputs and outputs of given sizes."""

    def __init__(
        self, step: Step, name: str, inputs: list[tuple[int, int]], outputs: list[tuple[int, int]]
    ) -> None:
        casadi.Callback.__init__(self)
        self.step, self.inputs, self.outputs = step, inputs, outputs
        self.kept: list[Any] = []  # CasADi does not keep the derivatives that it asks for
        self.construct(name, {})

    def get_n_in(self) -> int:
        return len(self.inputs)

    def get_n_out(self) -> int:
        return len(self.outputs)

    def get_sparsity_in(self, i: int) -> Any:
        return casadi.Sparsity.dense(*self.inputs[i])

    def get_sparsity_out(self, i: int) -> Any:
        return casadi.Sparsity.dense(*self.outputs[i])

    def keep(self, other: Any) -> Any:
        self.kept.append(other)
        return other

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self.step.states), len(self.step.controls)


def _flat(value: Any) -> Array:
    return np.array(value, dtype=float).ravel(order="F")


class _Step(_Base):
    """x1 = f(x, c)."""

    def __init__(self, step: Step, name: str) -> None:
        nx, nc = len(step.states), len(step.controls)
        super().__init__(step, name, [(nx, 1), (nc, 1)], [(nx, 1)])

    def eval(self, arg: Any) -> Any:
        return [self.step(_flat(arg[0]), _flat(arg[1]))]

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, *_: Any) -> Any:
        return self.keep(_Jacobian(self.step, name))

    def has_reverse(self, count: int) -> bool:
        return count == 1

    def get_reverse(self, count: int, name: str, *_: Any) -> Any:
        return self.keep(_Reverse(self.step, name))


class _Jacobian(_Base):
    """A and B at (x, c)."""

    def __init__(self, step: Step, name: str) -> None:
        nx, nc = len(step.states), len(step.controls)
        super().__init__(step, name, [(nx, 1), (nc, 1), (nx, 1)], [(nx, nx), (nx, nc)])

    def eval(self, arg: Any) -> Any:
        return list(self.step.jacobians(_flat(arg[0]), _flat(arg[1])))


class _Reverse(_Base):
    """Aᵀw and Bᵀw at (x, c, x1, w)."""

    def __init__(self, step: Step, name: str) -> None:
        nx, nc = len(step.states), len(step.controls)
        super().__init__(step, name, [(nx, 1), (nc, 1), (nx, 1), (nx, 1)], [(nx, 1), (nc, 1)])

    def eval(self, arg: Any) -> Any:
        return list(self.step.vjp(_flat(arg[0]), _flat(arg[1]), _flat(arg[3])))

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, *_: Any) -> Any:
        return self.keep(_ReverseJacobian(self.step, name))


class _ReverseJacobian(_Base):
    """The derivatives of (Aᵀw, Bᵀw) by x, c, x1 and w: the blocks of the Hessian of w·f, zero, Aᵀ and Bᵀ."""

    def __init__(self, step: Step, name: str) -> None:
        nx, nc = len(step.states), len(step.controls)
        given = [(nx, 1), (nc, 1), (nx, 1), (nx, 1), (nx, 1), (nc, 1)]
        super().__init__(
            step, name, given, [(row, column) for row in (nx, nc) for column in (nx, nc, nx, nx)]
        )

    def eval(self, arg: Any) -> Any:
        nx, nc = self.sizes
        x, c, w = _flat(arg[0]), _flat(arg[1]), _flat(arg[3])
        H = self.step.hessian(x, c, w)
        A, B = self.step.jacobians(x, c)
        first = [H[:nx, :nx], H[:nx, nx:], np.zeros((nx, nx)), A.T]
        return [*first, H[nx:, :nx], H[nx:, nx:], np.zeros((nc, nx)), B.T]
