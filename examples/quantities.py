"""Poses, Jacobians, the mass matrix and the derivatives of the Lagrangian of a small arm."""

import numpy as np

import bough

# a turning base, an upper arm with its centre of mass off the axis, a forearm, and a massless tool frame
system = bough.System("arm")
base = system.world.tz(0.3).rz("base", name="base", mass=4.0, inertia=(0.04, 0.04, 0.02))
upper = base.tz(0.2).ry("shoulder", name="upper", mass=2.0, inertia=(0.02, 0.02, 0.004), com=(0, 0.05, 0.25))
fore = upper.tz(0.5).ry("elbow", name="fore", mass=1.2, inertia=(0.01, 0.01, 0.002), com=(0, 0, 0.2))
tool = fore.tz(0.4, name="tool")
model = system.build()

np.set_printoptions(precision=4, suppress=True, linewidth=110)
q = np.array([0.3, 0.8, -1.1])
v = np.array([0.5, -0.2, 1.0])
print("variables      ", model.variables)
print("tool position  ", model.pose("tool", q)[:3, 3])
print("its derivative by the shoulder angle", model.pose_dq("tool", q)[1, :3, 3])

# three Jacobians of one frame: a twist (angular, linear) per variable
for kind in ("body", "spatial", "hybrid"):
    print(f"{kind} Jacobian times v", model.jacobian("tool", q, kind=kind) @ v)
print("body velocity       ", model.body_velocity("tool", q, v))

# the Lagrangian and all its first and second derivatives
mass = model.mass_matrix(q)
print("mass matrix\n", mass)
print("L, L_dq, L_dv  ", model.lagrangian(q, v), model.L_dq(q, v), model.L_dv(q, v))
print("L_dqdq\n", model.L_dqdq(q, v))
print("L_dqdv\n", model.L_dqdv(q, v))

# the same quantity computed twice
assert np.allclose(model.L_dvdv(q, v), mass)
assert np.isclose(0.5 * v @ mass @ v, model.kinetic_energy(q, v))
assert np.allclose(mass @ v, model.momentum(q, v))

# holding still against gravity: forces at zero velocity and acceleration
hold = model.inverse_dynamics(q, np.zeros(3), np.zeros(3))
print("holding forces ", hold)
assert np.allclose(model.acceleration(q, np.zeros(3), force=hold), 0.0, atol=1e-12)

# how that holding stiffness changes on the way: the third derivative of the potential energy
third = model.potential_energy_dqdqdq(q)
print("change of d2V/dq dq by the shoulder angle\n", third[1])
assert np.array_equal(third, third.transpose(2, 0, 1))
assert np.allclose(third[0], 0.0)  # the base turns about the vertical
