"""Benchmarks: every engine on one thread, unless a benchmark says otherwise."""

import os

# Eigen takes as many threads for a product of matrices as OpenMP has, also inside of crocoddyl and Pinocchio, where
# they cost more than they save; OpenMP reads the number once, when it is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")
