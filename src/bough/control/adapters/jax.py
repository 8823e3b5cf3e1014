"""A step as a function of JAX, with jit, vmap, grad, jacfwd, jacrev and hessian: `bough.control.adapters.jax`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from bough.control._step import Step
from bough.model.configurations import refuse_balls


def jax_step(step: Step) -> Callable[[Any, Any], Any]:
    """The function x1 = f(x, c) of JAX that a step is.

    It runs in the core, on the processor; `vmap` becomes one call with a batch. Its first and second derivatives
    are exact. Enable 64 bits (`jax.config.update("jax_enable_x64", True)`): in 32 bits the results are rounded.

    Examples
    --------
    >>> import jax, numpy as np
    >>> import bough
    >>> from bough.control.adapters.jax import jax_step
    >>> jax.config.update("jax_enable_x64", True)
    >>> f = jax_step(bough.control.Step(bough.gallery.cart_pole().build(), dt=0.02))
    >>> jax.jacrev(f)(np.zeros(4), np.zeros(1)).shape
    (4, 4)
    """
    refuse_balls(step.model, "jax_step()", "use bough.control.optimize, which knows them")
    nx, nc = len(step.states), len(step.controls)

    def call(function: Callable[..., Any], shape: tuple[int, ...], x: Any, c: Any) -> Any:
        kind = jnp.result_type(x, c, jnp.float32)

        def host(x: Any, c: Any) -> Any:
            return np.asarray(function(np.asarray(x, float), np.asarray(c, float)), dtype=kind)

        return jax.pure_callback(host, jax.ShapeDtypeStruct(shape, kind), x, c, vmap_method="broadcast_all")

    def jacobian_of(x: Any, c: Any) -> Any:
        return np.concatenate(step.jacobians(x, c), axis=-1)

    def tensor_of(x: Any, c: Any) -> Any:
        return step.hessian(x[..., None, :], c[..., None, :], np.eye(nx))

    def jacobian_moves(given: Any, moves: Any) -> Any:
        tensor = call(tensor_of, (nx, nx + nc, nx + nc), *given)
        return jacobian(*given), tensor @ jnp.concatenate(moves)

    def step_moves(given: Any, moves: Any) -> Any:
        return f(*given), jacobian(*given) @ jnp.concatenate(moves)

    jacobian: Any = jax.custom_jvp(lambda x, c: call(jacobian_of, (nx, nx + nc), x, c))
    jacobian.defjvp(jacobian_moves)
    f: Any = jax.custom_jvp(lambda x, c: call(step, (nx,), x, c))
    f.defjvp(step_moves)

    def of_arrays(x: Any, c: Any) -> Any:
        kind = jnp.result_type(float)
        return f(jnp.asarray(x, kind), jnp.asarray(c, kind))

    return of_arrays
