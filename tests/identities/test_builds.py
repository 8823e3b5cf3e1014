"""The portable build of the core gives the numbers of the one tuned to this processor."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from bough._core import core
from support.cases import SEEDS, case
from support.compare import compare
from support.quantities import QUANTITIES, core_value

PROGRAM = """
import pickle, sys
import numpy as np
from bough._core import core
models = pickle.load(sys.stdin.buffer)
assert core.__name__.endswith("_core_base"), core.__name__
values = [[m.mass_matrix(q), m.L_dqdq(q, v), m.L_dqdv(q, v), m.L_dq(q, v), m.L_dv(q, v),
           m.inverse_dynamics(q, v, a), m.acceleration(q, v, force=u), m.pose_dqdq(f, q),
           m.body_velocity_dqdq(f, q, v)]
          for m, f, q, v, a, u in models]
pickle.dump(values, sys.stdout.buffer)
"""


@pytest.mark.skipif(
    find_spec("bough._core_base") is None or not core.__name__.endswith("_core_avx2"),
    reason="this build has one core only (BOUGH_CORES=all builds both)",
)
def test_portable_build() -> None:
    cases = [case(seed) for seed in SEEDS]
    given = [(c.model, c.frames[-1][1], c.q, c.v, c.a, c.u) for c in cases]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=pickle.dumps(given),
        capture_output=True,
        env={**os.environ, "BOUGH_CORE": "base"},
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr.decode()
    names = (
        "mass_matrix",
        "L_dqdq",
        "L_dqdv",
        "L_dq",
        "L_dv",
        "inverse_dynamics",
        "acceleration",
        "pose_dqdq",
    )
    names = (*names, "body_velocity_dqdq")
    by_name = {quantity.name: quantity for quantity in QUANTITIES}
    for c, values in zip(cases, pickle.loads(done.stdout), strict=True):
        for name, value in zip(names, values, strict=True):
            quantity = by_name[name]
            here = core_value(quantity, c, c.frames[-1][1])
            size = max(quantity.size(c), float(np.max(np.abs(here))))
            compare(value, here, rtol=1e-13, scale=size, what=f"{name}: {core.__name__} and base")
