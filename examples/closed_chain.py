"""A mechanism with closed loops from a file: assemble it, simulate it, look at its energy and constraints.

python closed_chain.py [seconds]        20 s by default; 120 s in [JM09]
"""

import sys
from pathlib import Path

import numpy as np

import bough

duration = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
system = bough.load(Path(__file__).with_name("closed_chain.sexp"))
model = system.build()
print(system)

# with all angles zero every link hangs straight, and the loops are open: the nearest closed position
start = model.assemble()
print(
    "assembled:",
    ", ".join(f"{name} {angle:.3f}" for name, angle in zip(model.variables, start.q, strict=True)),
)
rows = model.constraint_dq(start.q)
mobility = model.nd - np.linalg.matrix_rank(rows)
print(f"{model.nd} angles, {len(rows)} rows of constraints: mobility {mobility}")

run = bough.simulate(model, q=start.q, duration=duration, dt=0.01, constraint_tolerance=1e-14)
energy = run.energy()
print(f"{len(run.t) - 1} steps to t = {run.t[-1]:g} s")
print(f"energy {energy[0]:.4f} J, largest change {np.abs(energy - energy[0]).max():.1e} J")
print(f"largest error of a constraint {np.abs(model.constraint(run.q)).max():.1e} m")
