"""A scissor lift without constraints: every joint of it follows one variable, by `ratio` and `offset`.

The energies are compared with the closed form for N segments (docs/theory/errata.md).
"""

import math

import numpy as np

import bough

length, link_mass, inertia, slider_mass = 1.0, 0.8, 0.07, 0.5


def scissor_lift(segments: int) -> bough.System:
    """`segments` crossed pairs of links, hanging from the world; theta is the angle from the horizontal."""
    system = bough.System("scissor-lift")
    link = {"mass": link_mass, "inertia": (0.0, inertia, inertia)}
    corner = system.world
    for n in range(segments):
        unfold = {"ratio": 2.0, "offset": -math.pi} if n else {}
        # one link runs down to the right, the other is pinned to its middle and runs down to the left
        right = corner.ry("theta", **unfold).tx(length / 2, name=f"right{n}", **link)
        left = right.ry("theta", ratio=-2.0, offset=math.pi, name=f"left{n}", **link)
        if n == 0:
            left.tx(-length / 2, name="slider", mass=slider_mass)
        corner = left.tx(length / 2, name=f"corner{n}")
    return system


def closed_form(segments: int, theta: float, rate: float) -> tuple[float, float]:
    """Kinetic and potential energy of the lift as a system of one degree of freedom."""
    n = np.arange(1, segments + 1) - 0.5
    sine, cosine = math.sin(theta), math.cos(theta)
    links = link_mass * length**2 * (n**2 * cosine**2 + sine**2 / 4) + inertia
    kinetic = links.sum() * rate**2 + 0.5 * slider_mass * (length * sine * rate) ** 2
    return float(kinetic), float(-2 * link_mass * 9.81 * length * sine * n.sum())


segments = 5
model = scissor_lift(segments).build()
theta, rate = 0.6, -1.3
print(f"{segments} segments, {2 * segments} joints, variables {model.variables}")
print("slider  ", model.pose("slider", [theta])[:3, 3], "should be", [length * math.cos(theta), 0, 0])
print("lowest  ", model.pose(f"corner{segments - 1}", [theta])[:3, 3])

kinetic, potential = closed_form(segments, theta, rate)
print(f"T = {model.kinetic_energy([theta], [rate]):.12f}, closed form {kinetic:.12f}")
print(f"V = {model.potential_energy([theta]):.12f}, closed form {potential:.12f}")
assert math.isclose(model.kinetic_energy([theta], [rate]), kinetic, rel_tol=1e-12)
assert math.isclose(model.potential_energy([theta]), potential, rel_tol=1e-12)
