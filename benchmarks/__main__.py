"""Run the benchmarks: ``python -m benchmarks [name ...]``; without names all of them.

Prints one table and writes ``benchmarks/results.json``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import traceback
from datetime import datetime, timezone
from pathlib import Path

from benchmarks.harness import Row
from benchmarks.machine import machine
from benchmarks.table import show

BENCHMARKS = (
    "forward_dynamics",
    "mass_matrix",
    "inverse_dynamics",
    "lagrangian_derivatives",
    "step_derivatives",
    "pendulum",
    "ensemble",
    "lively",
    "balls",
    "work_precision",
    "closed_chain",
    "maximal",
    "scissor_lift",
    "marionette",
    "cable",
    "contact",
    "load_file",
    "motion_control",
    "optimal_control",
    "python_calls",
)
RESULTS = Path(__file__).parent / "results.json"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Time bough beside other engines."
    )
    parser.add_argument("names", nargs="*", metavar="name", help=f"one of: {', '.join(BENCHMARKS)}")
    names = parser.parse_args().names or BENCHMARKS
    for name in names:
        if name not in BENCHMARKS:
            parser.error(f"no benchmark {name!r}; there are: {', '.join(BENCHMARKS)}")
    found: list[Row] = []
    failed = False
    for name in names:
        try:
            for row in importlib.import_module(f"benchmarks.{name}").rows():
                print(f"{row.benchmark}, {row.system}: done", flush=True)
                found.append(row)
        except Exception:
            traceback.print_exc()
            failed = True  # the others still run, and what was measured is kept
    here = machine()
    show(found, here)
    results = {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "machine": here,
        "rows": [row.as_json() for row in found],
    }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    print(f"written: {RESULTS}")
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
