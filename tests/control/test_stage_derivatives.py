"""The derivatives of a step of a floating body, and the sweep that uses them, against independent truths."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough._core import core
from support.finite_difference import derivative
from support.floating import START, satellite

STEPS, H, N, NX = 5, 0.2, 3, 12
MU = np.array([0.5, -0.3, 0.8, 0.2, 0.1, -0.3])
CASES = [(dynamic, mu) for dynamic in (False, True) for mu in (np.zeros(0), MU)]


def reconstructed(model, rates, dynamic, mu):
    """Shapes, poses, momenta and efforts, the recursion of the momenta written out."""
    r = np.vstack((START, START + np.cumsum(H * rates, axis=0)))
    g = np.zeros((STEPS + 1, 4, 4))
    g[0] = np.eye(4)
    D1, D2 = np.empty((STEPS, N)), np.empty((STEPS, N))
    assert core.reconstruct(model._core, H, dynamic, mu, rates, r, g, D1, D2) == 0
    p = np.zeros((STEPS + 1, N))
    for k in range(STEPS):
        p[k + 1] = D2[k] - D1[k] - p[k]
    return r, g, p, -2.0 * (p[:-1] + D1) / H


@pytest.mark.parametrize(("dynamic", "mu"), CASES)
def test_gradient_and_hessian_of_a_motion(dynamic, mu):
    model = satellite().build()
    rng = np.random.default_rng(0)
    rates, last, gamma = rng.normal(size=(STEPS, N)) * 0.5, rng.normal(size=NX), rng.normal(size=(STEPS, N))
    r, g, _, _ = reconstructed(model, rates, dynamic, mu)
    back = np.linalg.inv(g[-1])
    tau = bough.Retraction("cayley")

    def lagrangian(flat):
        shapes, poses, p, f = reconstructed(model, flat.reshape(STEPS, N), dynamic, mu)
        state = np.concatenate((tau.inverse(back @ poses[-1]), shapes[-1], p[-1]))
        return last @ state + np.sum(gamma * f)

    J, _, H_k, by_rates = differentiated(model, rates, g, r, dynamic, mu, gamma, last)
    expected, error = derivative(lagrangian, rates.ravel(), step=0.02)
    np.testing.assert_array_less(np.abs(by_rates.ravel() - expected), 10 * error + 1e-9)

    # the second derivatives of all steps, put together along the chain, against differences of the value
    hessian = np.zeros((STEPS * N, STEPS * N))
    X = np.zeros((NX, STEPS * N))
    for k in range(STEPS):
        own = np.zeros((N, STEPS * N))
        own[:, k * N : (k + 1) * N] = np.eye(N)
        Z = np.vstack((X, own))
        hessian += Z.T @ H_k[k] @ Z
        X = J[k] @ Z
    direction = rng.normal(size=STEPS * N)

    def along(t):
        return lagrangian(rates.ravel() + t[0] * direction)

    slope = lambda t: derivative(along, t, step=0.02)[0]  # noqa: E731
    second, error = derivative(slope, np.zeros(1), step=0.05)
    assert abs(direction @ hessian @ direction - second.item()) < 10 * error.item() + 1e-6 * abs(
        second.item()
    )


def differentiated(model, rates, g, r, dynamic, mu, gamma, last):
    nz = NX + N
    J, F = np.empty((STEPS, NX, nz)), np.empty((STEPS, N, nz))
    H_k, costate, by_rates = np.empty((STEPS, nz, nz)), np.zeros((STEPS + 1, NX)), np.empty((STEPS, N))
    costate[-1] = last
    direct = np.zeros((STEPS, nz))
    core.differentiate(model._core, H, dynamic, mu, rates, g, r, gamma, direct, J, F, H_k, costate, by_rates)
    return J, F, H_k, by_rates


@pytest.mark.parametrize("mu", [np.zeros(0), MU], ids=["zero momentum", "momentum"])
def test_base_moves_as_momentum_says(mu):
    """P of (CM1) from the core's own reduced quantities: its spatial value is mu at every node."""
    model = satellite().build()
    rates = np.random.default_rng(1).normal(size=(STEPS, N)) * 0.5
    r, g, _, _ = reconstructed(model, rates, True, mu)
    tau = bough.Retraction("cayley")
    quantities = model.reduced(r, order=0)
    for k in range(STEPS):
        xi = tau.inverse(np.linalg.inv(g[k]) @ g[k + 1]) / H
        locked = 0.5 * (quantities.I[k] + quantities.I[k + 1])
        P = locked @ (xi + 0.5 * (quantities.A[k] + quantities.A[k + 1]) @ rates[k])
        node = tau.d_inverse(H * xi).T @ P  # at the start of the step, in the frame of the base
        R, x = g[k, :3, :3], g[k, :3, 3]
        force = R @ node[3:]
        spatial = np.concatenate((R @ node[:3] + np.cross(x, force), force))
        np.testing.assert_allclose(spatial, mu if mu.size else 0.0, atol=1e-13)


def test_stagewise_newton_is_the_dense_solution():
    rng = np.random.default_rng(2)
    steps, nx, nu, columns = 6, 4, 2, 3
    nz = nx + nu
    J, b = rng.normal(size=(steps, nx, nz)), rng.normal(size=(steps, nz))
    root = rng.normal(size=(steps, nz, nz))
    H_k = root @ np.swapaxes(root, 1, 2)
    S, c = np.eye(nx), rng.normal(size=(nx, columns))
    G, w, P, s = (np.empty(x) for x in ((steps, nu, nx), (steps, nu, columns), (nx, nx), (nx, columns)))
    assert core.stagewise_backward(J, H_k, b, S, c, 0.3, G, w, P, s) == -1
    x, u = np.zeros((steps + 1, nx, columns)), np.empty((steps, nu, columns))
    core.stagewise_forward(J, G, w, x, u)
    # all states as linear functions of all controls
    X = np.zeros((nx, steps * nu))
    matrix, right = 0.3 * np.eye(steps * nu), np.zeros((steps * nu, columns))
    for k in range(steps):
        own = np.zeros((nu, steps * nu))
        own[:, k * nu : (k + 1) * nu] = np.eye(nu)
        Z = np.vstack((X, own))
        matrix += Z.T @ H_k[k] @ Z
        right[:, 0] += Z.T @ b[k]
        X = J[k] @ Z
    matrix += X.T @ S @ X
    right += X.T @ c
    dense = np.linalg.solve(matrix, -right)
    np.testing.assert_allclose(u.reshape(steps * nu, columns), dense, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(x[-1], X @ dense, rtol=1e-9, atol=1e-9)


def test_stagewise_newton_tells_the_stage_that_is_not_convex():
    J, H_k = np.zeros((3, 1, 2)), np.zeros((3, 2, 2))
    H_k[:, 1, 1] = (1.0, -1.0, 1.0)
    G, w, one = np.empty((3, 1, 1)), np.empty((3, 1, 1)), np.empty((1, 1))
    b, S, c = np.zeros((3, 2)), np.eye(1), np.zeros((1, 1))
    assert core.stagewise_backward(J, H_k, b, S, c, 0.0, G, w, one, one.copy()) == 1


@pytest.mark.parametrize("n", [6, 18])
def test_gradient_with_many_joints(n):
    """Two joints follow one variable, at another ratio."""
    system = bough.System("chain", gravity=(0, 0, 0))
    frame = system.world.free("base", name="base", mass=3.0, inertia=(0.3, 0.2, 0.4))
    for i, turn in enumerate(("rx", "ry", "rz") * (n // 3)):
        frame = getattr(frame, turn)(f"joint {i}", ratio=1.0 + 0.1 * i, offset=0.2)
        frame = frame.tx(0.3, mass=0.5, inertia=(0.01, 0.02, 0.02))
    frame.rx("joint 0", ratio=-0.7).ty(0.2, mass=0.4)
    model, steps = system.build(), 3
    rng = np.random.default_rng(5)
    rates, last, gamma = (
        rng.normal(size=(steps, n)) * 0.5,
        rng.normal(size=6 + 2 * n),
        rng.normal(size=(steps, n)),
    )

    def motion(flat):
        r = np.vstack((np.zeros(n), np.cumsum(H * flat.reshape(steps, n), axis=0)))
        g = np.zeros((steps + 1, 4, 4))
        g[0] = np.eye(4)
        D1, D2 = np.empty((steps, n)), np.empty((steps, n))
        assert core.reconstruct(model._core, H, True, MU, flat.reshape(steps, n), r, g, D1, D2) == 0
        p = np.zeros((steps + 1, n))
        for k in range(steps):
            p[k + 1] = D2[k] - D1[k] - p[k]
        return r, g, p, -2.0 * (p[:-1] + D1) / H

    r, g, _, _ = motion(rates.ravel())
    back, tau = np.linalg.inv(g[-1]), bough.Retraction("cayley")

    def lagrangian(flat):
        shapes, poses, p, f = motion(flat)
        state = np.concatenate((tau.inverse(back @ poses[-1]), shapes[-1], p[-1]))
        return last @ state + np.sum(gamma * f)

    nx, nz = 6 + 2 * n, 6 + 3 * n
    J, F, H_k = np.empty((steps, nx, nz)), np.empty((steps, n, nz)), np.empty((steps, nz, nz))
    costate, by_rates = np.zeros((steps + 1, nx)), np.empty((steps, n))
    costate[-1] = last
    direct = np.zeros((steps, nz))
    core.differentiate(model._core, H, True, MU, rates, g, r, gamma, direct, J, F, H_k, costate, by_rates)
    expected, error = derivative(lagrangian, rates.ravel(), step=0.02)
    np.testing.assert_array_less(np.abs(by_rates.ravel() - expected), 10 * error + 1e-8)
    np.testing.assert_allclose(H_k, np.swapaxes(H_k, 1, 2), atol=1e-12)
