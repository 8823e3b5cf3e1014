"""One mechanism by several integrators: what each costs, and what it loses.

python compare_integrators.py [report.html]
"""

import sys
from pathlib import Path

import bough

model = bough.load(Path(__file__).with_name("closed_chain.sexp")).build()
found = bough.compare(
    model,
    q={"J": 0.5, "H": -0.3, "A": 0.5},  # the nearest configuration that closes the loops
    assemble=True,
    duration=5.0,
    dt=0.01,
    integrators=["midpoint", "semi-implicit-euler", "rk4", "rk4+projection", "implicit-midpoint"],
    effort=0.5,
)
print(found)

best = min((row for row in found.rows if row.time_to_error), key=lambda row: row.time_to_error)
print(f"\nquickest to an error of {found.error} m: {best.label}, in {1e3 * best.time_to_error:.0f} ms")
if len(sys.argv) > 1:
    print("written:", found.save_html(sys.argv[1]))
