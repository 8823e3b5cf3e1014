"""`run.sensitivity(...)`: derivatives of a whole run by its start, its inputs and the parameters of its model.

The nodes that a run recorded are its checkpoints: the steps between two of them are made again before they are
differentiated, so that memory grows with the recorded rows alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import ModelError, quoted
from bough.integrators import gauss_run_derivatives
from bough.integrators.contact_run import ContactRun, contact_run
from bough.integrators.linearization import check_differentiable, new_kernel, step_failure
from bough.integrators.variational import VARIATIONAL, VariationalIntegrator, from_settings
from bough.model.model import Model
from bough.model.variation import Variation, variation
from bough.motion.trajectory import Trajectory
from bough.repeat import plan_of

WHERE = "run.sensitivity()"
BLOCK = re.compile(r"(q|p|v)_d(q|p|v|u|k|theta)")


@dataclass(frozen=True)
class Gradient:
    """The gradient of a scalar of a run, made in one backward sweep by `run.sensitivity(of=...)`.

    Attributes
    ----------
    q, v : arrays (nv,)
        By the start. q holds v, and v holds q; the kinematic part of q is that of the start alone. Of balls, by
        turns in their own axes.
    p : array (nd,)
        By the momenta of the start, at fixed q.
    u : array (steps, nu)
        By the inputs of each step; what a scalar depends on them directly is left to the caller.
    k : array (steps + 1, nk)
        By the kinematic variables at each node.
    parameters : dict
        By the parameters of the model, at the start (q, v).
    by_momentum : Gradient
        The same with (q, p) as the start: q and parameters hold p.
    """

    q: Array
    v: Array
    p: Array
    u: Array
    k: Array
    parameters: dict[str, float]
    by_momentum: Gradient | None = None


class Sensitivity:
    """The derivatives of all rows of a run, as blocks `q_dq`, `v_du`, `p_dtheta` and so on, (rows, n, m).

    A name has what changes, q, p or v in every row, and what it changes by: q or v of the start, p of the start
    (at fixed q), u, a change of the inputs in all steps alike, k, a shift of the kinematic variables at all
    nodes, or theta, the parameters in the order of `names`. The start is (q, v): `_dq` and `_dtheta` hold v.

    Attributes
    ----------
    t : array (rows,)
    names : tuple of str
    """

    def __init__(
        self,
        run: Trajectory,
        S: Array,
        by: Variation,
        start: tuple[Array, Array, Array],
        velocities: Array | None = None,
    ) -> None:
        self.t, self.names = run.t, by.names
        self._run, self._S, self._variation, self._start, self._known = run, S, by, start, velocities

    def __getattr__(self, name: str) -> Array:
        found = None if name.startswith("__") else BLOCK.fullmatch(name)
        if found is None:
            raise AttributeError(
                f"a sensitivity has no {name!r}: blocks are named (q|p|v)_d(q|p|v|u|k|theta), such as q_dv"
            )
        of, by = found[1], found[2]
        if of == "v":
            return self._velocities @ self._by(by)
        nq = self._run.model.nv
        return (self._S[:, :nq] if of == "q" else self._S[:, nq:]) @ self._by(by)

    @cached_property
    def _velocities(self) -> Array:
        """The rows of v, by the columns of S."""
        if self._known is not None:
            return self._known
        nd, nq = self._run.model.nd, self._run.model.nv
        rows = _velocity_rows(self._run) @ self._S
        first = rows.shape[2] - len(self.names)
        for i in range(nd):
            weights = np.zeros((len(self._run), nq))
            weights[:, i] = 1.0
            rows[:, i, first:] += _velocity_by_parameters(self._run, self._variation, weights)
        return rows

    def _by(self, by: str) -> Array:
        """The columns of S that a block is made of."""
        model = self._run.model
        nq, nx = model.nv, model.nv + model.nd
        L_vq, M, M_theta = self._start
        ends = np.cumsum([nq, model.nd, model.nu, model.nk, len(self.names)])
        E = np.eye(ends[-1])
        if by == "q":
            E[nq:nx, :nq] = L_vq
        if by == "v":
            return E[:, nq:nx] @ M
        if by == "theta":
            E[nq:nx, ends[3] :] = M_theta
        first = {"q": 0, "p": 1, "u": 2, "k": 3, "theta": 4}[by]
        return E[:, ([0, *ends])[first] : ends[first]]


class _Chain(NamedTuple):
    """The steps of a run and how to differentiate them."""

    vi: VariationalIntegrator
    kernel: Any
    by: Variation
    t: Array  # of the starts of steps
    dt: Array
    control: Array
    rows: Any  # numbers of the recorded nodes
    contacts: ContactRun | None = None

    @property
    def calls(self) -> tuple[Any, Any]:
        """What differentiates rows of steps, and the variations by parameters as it takes them."""
        return (gauss_run_derivatives, self.by) if self.vi._staged else (core, self.by.core)

    @property
    def whole(self) -> bool:
        """Whether every node is recorded."""
        return len(self.rows) == len(self.dt) + 1


def sensitivity(
    run: Trajectory, of: Mapping[str, Any] | None, parameters: Iterable[str] | None
) -> Sensitivity | Gradient:
    """The derivatives of a run: those of all its rows, or the gradient of one scalar."""
    chain = _chain(run, parameters)
    return _forward(run, chain) if of is None else _backward(run, chain, _weights(run, of))


def _chain(run: Trajectory, parameters: Iterable[str] | None) -> _Chain:
    plan, model = plan_of(run, WHERE), run.model
    settings = plan.settings
    reason = None
    if settings["integrator"] not in VARIATIONAL:
        reason = f"integrator {settings['integrator']!r}, whose steps have no derivatives"
    elif settings.get("control") is not None or settings.get("t_eval"):
        reason = "steps chosen by a tolerance, or rows between the nodes"
    elif run._parts or "joined" in settings:
        reason = "a joined run"
    if reason is not None:
        raise ModelError(
            asked=f"{WHERE} of a run of model {model.name!r}",
            found=reason,
            do=f"simulate with dt and an integrator of {quoted(tuple(VARIATIONAL))}, one run at a time",
        )
    vi = from_settings(model, settings)
    check_differentiable(vi, WHERE)
    if vi._staged:
        gauss_run_derivatives.check_held(plan, vi.order, f"{WHERE} of a run of model {model.name!r}")
    grid = plan.grid
    nodes = grid.nodes()
    dt = np.full(grid.steps, grid.dt)
    if grid.steps:
        dt[-1] = grid.last
    inputs = plan.inputs.at(np.arange(grid.steps)) if model.nu else np.zeros((grid.steps, 0))
    held = np.broadcast_to(np.asarray(run.q)[0, model.nq - model.nk :], (grid.steps, model.nk))
    ends = plan.prescribed[1 : grid.steps + 1] if len(plan.prescribed) else held
    control = np.ascontiguousarray(np.concatenate([inputs, ends], axis=1))
    rows = grid.recorded(grid.steps)
    by = variation(model, parameters, WHERE)
    contacts = None
    if model.gaps:
        contacts = contact_run(run, vi, dt, control, by)
    return _Chain(vi, new_kernel(vi), by, nodes[:-1].copy(), dt, control, rows, contacts)


def _segments(run: Trajectory, chain: _Chain, backwards: bool) -> Iterator[tuple[int, slice, Array]]:
    """Row, steps and states of the parts between recorded rows: one part if every node is recorded."""
    x = np.ascontiguousarray(np.concatenate([run.q, run.p], axis=1))
    if chain.whole:
        yield 0, slice(0, len(chain.dt)), x
        return
    order = range(len(chain.rows) - 1)
    for row in reversed(order) if backwards else order:
        steps = slice(int(chain.rows[row]), int(chain.rows[row + 1]))
        states = np.empty((steps.stop - steps.start + 1, x.shape[1]))
        states[0] = x[row]
        arguments = (chain.dt[steps], chain.t[steps], states, chain.control[steps])
        _check(chain, chain.calls[0].roll_steps(chain.kernel, *arguments), steps)
        states[-1] = x[row + 1]
        yield row, steps, states


def _check(chain: _Chain, ended: tuple[int, int], steps: slice) -> None:
    status, step = ended
    if status != core.StepStatus.fine:
        t = float(chain.t[steps][step])
        where = f"{WHERE}, in the step from t = {t:g} s"
        raise step_failure(chain.vi, chain.kernel, status, where, t, made=True)


def _weights(run: Trajectory, of: Mapping[str, Any]) -> dict[str, Array]:
    """The gradients of the scalar by the arrays of the run."""
    model = run.model
    sizes = {"q": model.nv, "p": model.nd, "v": model.nv}
    found = {}
    for name, value in of.items():
        if name not in sizes:
            raise ModelError(
                asked=f"of[{name!r}] in {WHERE}",
                found="derivatives of a scalar are given by q, p and v of the run",
                do="give a mapping such as {'q': array of the shape of run.q}",
            )
        shape = (len(run), sizes[name])
        array = np.asarray(value, dtype=float)
        if array.shape != shape or not np.isfinite(array).all():
            raise ModelError(
                asked=f"of[{name!r}] in {WHERE}",
                found=f"shape {array.shape}, or entries that are not finite",
                do=f"give finite numbers of shape {shape}: the derivative of the scalar by run.{name}",
            )
        found[name] = array
    return found


def _backward(run: Trajectory, chain: _Chain, of: dict[str, Array]) -> Gradient:
    model = run.model
    nx, nd, nq = model.nv + model.nd, model.nd, model.nv
    w = np.zeros((len(run), nx))
    theta = np.zeros(len(chain.by.names))
    w[:, :nq] += of.get("q", 0.0)
    w[:, nq:] += of.get("p", 0.0)
    if "v" in of and not chain.contacts:
        w += np.einsum("ri,rij->rj", of["v"], _velocity_rows(run))
        theta += _velocity_by_parameters(run, chain.by, of["v"]).sum(axis=0)
    lam, by_control = np.zeros(nx), np.zeros_like(chain.control)
    if chain.contacts:
        weights, of_v = np.zeros((len(chain.dt) + 1, nx)), np.zeros((len(chain.dt) + 1, nq))
        weights[list(chain.rows)], of_v[list(chain.rows)] = w, of.get("v", 0.0)
        lam, by_control, theta = chain.contacts.backward(weights, of_v)
        w[0] = 0.0
    for row, steps, x in () if chain.contacts else _segments(run, chain, backwards=True):
        weights = np.zeros((len(x), nx))
        if chain.whole:
            weights[:] = w
        else:
            weights[-1] = w[row + 1]
        parts = (
            chain.dt[steps],
            chain.t[steps],
            x,
            chain.control[steps],
            weights,
            lam,
            by_control[steps],
            theta,
        )
        calls, by = chain.calls
        _check(chain, calls.run_backward(chain.kernel, by, *parts), steps)
    lam += w[0]
    q, v, p = np.asarray(run.q)[0], np.asarray(run.v)[0], lam[nq:]
    L_vq, M = model.L_dqdv(q, v).T[:nd], model.mass_matrix(q)[:nd]
    u, k = by_control[:, : model.nu], np.concatenate([lam[None, nd:nq], by_control[:, model.nu :]])
    at_p = Gradient(lam[:nq].copy(), p @ M, p, u, k, dict(zip(chain.by.names, theta.tolist(), strict=True)))
    tau = np.zeros((1, nq))
    tau[0, :nd] = p
    extra = np.zeros((1, len(theta)))
    chain.by.core.momentum_gradient(q[None].copy(), v[None].copy(), tau, extra)
    total = dict(zip(chain.by.names, (theta + extra[0]).tolist(), strict=True))
    return replace(at_p, q=lam[:nq] + p @ L_vq, parameters=total, by_momentum=at_p)


def _forward(run: Trajectory, chain: _Chain) -> Sensitivity:
    model = run.model
    nx, nd, nq, nu, nk = model.nv + model.nd, model.nd, model.nv, model.nu, model.nk
    S = np.zeros((len(run), nx, nx + nu + nk + len(chain.by.names)))
    S[0, :, :nx] = np.eye(nx)
    S[0, nd:nq, nx + nu : nx + nu + nk] = np.eye(nk)
    now = S[0].copy()
    velocities = None
    if chain.contacts:
        nodes, rates = chain.contacts.forward(now)
        S[:], velocities = nodes[list(chain.rows)], rates[list(chain.rows)]
    for row, steps, x in () if chain.contacts else _segments(run, chain, backwards=False):
        parts = [(row, steps, x)]
        if chain.whole:
            parts = [(k, slice(k, k + 1), x[k : k + 2]) for k in range(len(x) - 1)]
        for place, some, states in parts:
            arguments = (chain.dt[some], chain.t[some], states, chain.control[some], now)
            calls, by = chain.calls
            _check(chain, calls.run_forward(chain.kernel, by, *arguments), some)
            S[place + 1] = now
    q, v = np.asarray(run.q)[0], np.asarray(run.v)[0]
    M_theta = np.zeros((nd, len(chain.by.names)))
    for i in range(nd):
        tau = np.zeros((1, nq))
        tau[0, i] = 1.0
        chain.by.core.momentum_gradient(q[None].copy(), v[None].copy(), tau, M_theta[i : i + 1])
    start = (model.L_dqdv(q, v).T[:nd], model.mass_matrix(q)[:nd], M_theta)
    return Sensitivity(run, S, chain.by, start, velocities)


def _velocity_rows(run: Trajectory) -> Array:
    """dv/d(q, p) in every row, (rows, nq, nq + nd), with the velocities of kinematic variables held (DF5)."""
    model = run.model
    q, v = np.asarray(run.q), np.asarray(run.v)
    nq, nd, nc = model.nv, model.nd, model.nc
    rows = np.zeros((len(run), nq, nq + nd))
    M, L_vq = model.mass_matrix(q)[:, :nd, :nd], np.swapaxes(model.L_dqdv(q, v), 1, 2)[:, :nd]
    if nc == 0:
        right = np.concatenate([-L_vq, np.broadcast_to(np.eye(nd), M.shape)], axis=2)
        rows[:, :nd] = np.linalg.solve(M, right)
        return rows
    for i, (matrix, first, second, _) in enumerate(_projections(run)):
        right = np.concatenate(
            [np.concatenate([first, np.eye(nd)], axis=1), np.pad(second, ((0, 0), (0, nd)))]
        )
        rows[i, :nd] = np.linalg.lstsq(matrix, right, rcond=None)[0][:nd]
    return rows


def _projections(run: Trajectory) -> Iterator[tuple[Array, Array, Array, Array]]:
    """The matrix of (DF5) in each row, the derivatives of its right-hand sides by q, and y."""
    model = run.model
    q, v, p, t = (np.asarray(x) for x in (run.q, run.v, run.p, run.t))
    nd, nc = model.nd, model.nc
    for i in range(len(run)):
        M, Dh, DDh = (
            model.mass_matrix(q[i]),
            model.constraint_dq(q[i], t[i]),
            model.constraint_dqdq(q[i], t[i]),
        )
        matrix = np.block([[M[:nd, :nd], -Dh[:, :nd].T], [Dh[:, :nd], np.zeros((nc, nc))]])
        y = np.linalg.lstsq(Dh[:, :nd].T, M[:nd] @ v[i] - p[i], rcond=None)[0]
        first = np.tensordot(y, DDh, 1)[:nd] - model.L_dqdv(q[i], v[i]).T[:nd]
        yield matrix, first, -np.einsum("cij,i->cj", DDh, v[i]), y


def _velocity_by_parameters(run: Trajectory, by: Variation, weights: Array) -> Array:
    """The derivative of weights·v by parameters at fixed q and p, in every row."""
    model = run.model
    nq, nd = model.nv, model.nd
    out = np.zeros((len(run), len(by.names)))
    if not by.names:
        return out
    q, v, t = (np.asarray(x) for x in (run.q, run.v, run.t))
    a = np.zeros((len(run), nq))
    if model.nc == 0:
        M = model.mass_matrix(q)[:, :nd, :nd]
        a[:, :nd] = np.linalg.solve(M, weights[:, :nd, None])[..., 0]
    else:
        for i, (matrix, _, _, y) in enumerate(_projections(run)):
            both = np.linalg.lstsq(
                matrix.T, np.concatenate([weights[i, :nd], np.zeros(model.nc)]), rcond=None
            )[0]
            a[i, :nd] = both[:nd]
            Dh_theta = by.difference(partial(Model.constraint_dq, q=q[i], t=t[i]))
            h_theta = by.difference(partial(Model.constraint_dt, q=q[i], t=t[i]))
            out[i] += np.einsum("r,rij,i->j", y, Dh_theta, a[i])
            out[i] -= both[nd:] @ (np.einsum("rij,i->rj", Dh_theta, v[i]) + h_theta)
    by.core.momentum_gradient(np.ascontiguousarray(q), np.ascontiguousarray(v), -a, out)
    return out
