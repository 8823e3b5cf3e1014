"""Nothing in the core allocates per step or per row: twice the work makes the same number of allocations.

A small library, compiled here and loaded before all others, counts the calls of the C library's allocator
(C++'s `new` and Eigen go through it too). Another process does the work twice: a short and a long run, each
with its arrays made before, and the counter read before and after.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COUNTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

static unsigned long calls;
static char early[65536];  /* what the loader asks for before the real functions are known */
static size_t used;

unsigned long allocation_count(void) { return __atomic_load_n(&calls, __ATOMIC_RELAXED); }

static void *next(void **function, const char *name) {
  if (!*function) *function = dlsym(RTLD_NEXT, name);
  __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  return *function;
}

void *malloc(size_t size) {
  static void *real;
  return ((void *(*)(size_t))next(&real, "malloc"))(size);
}

void *calloc(size_t count, size_t size) {
  static void *real;
  static int looking;
  if (!real && looking) {  /* dlsym itself calls calloc */
    void *block = early + used;
    used += (count * size + 15) / 16 * 16;
    return used <= sizeof early ? block : NULL;
  }
  looking = 1;
  void *(*function)(size_t, size_t) = (void *(*)(size_t, size_t))next(&real, "calloc");
  looking = 0;
  return function(count, size);
}

void *realloc(void *block, size_t size) {
  static void *real;
  return ((void *(*)(void *, size_t))next(&real, "realloc"))(block, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  static void *real;
  return ((int (*)(void **, size_t, size_t))next(&real, "posix_memalign"))(block, alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  static void *real;
  return ((void *(*)(size_t, size_t))next(&real, "aligned_alloc"))(alignment, size);
}

void *memalign(size_t alignment, size_t size) {
  static void *real;
  return ((void *(*)(size_t, size_t))next(&real, "memalign"))(alignment, size);
}

void free(void *block) {
  static void (*real)(void *);
  if ((char *)block >= early && (char *)block < early + sizeof early) return;
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "free");
  real(block);
}
"""

HERE = Path(__file__).parent
WORK = HERE / "allocations_work.py"


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The counting library."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not sys.platform.startswith("linux"):
        pytest.skip("libraries are loaded first through LD_PRELOAD, which is Linux's")
    if compiler is None:
        pytest.skip("no C compiler for the counting library")
    folder = tmp_path_factory.mktemp("counter")
    source, library = folder / "counter.c", folder / "counter.so"
    source.write_text(COUNTER)
    built = subprocess.run(
        [compiler, "-O1", "-fno-builtin", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    return library


@pytest.fixture(scope="module")
def counts(counter: Path) -> dict[str, tuple[int, int]]:
    """For every piece of work the allocations of a short and of a long run, all from one process."""
    paths = [str(HERE.parent), *sys.path]
    environment = os.environ | {
        "LD_PRELOAD": str(counter),
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    done = subprocess.run(
        [sys.executable, str(WORK), str(counter)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        name, short, long = line.rsplit(" ", 2)
        found[name] = int(short), int(long)
    if found.pop("control")[0] == 0:
        pytest.skip("LD_PRELOAD has no effect here (a static or protected interpreter)")
    return found


STEPPING = [
    "step: tree",
    "step: joint springs and damping",
    "step: springs between links",
    "step: forces on frames",
    "step: shared and kinematic variables",
    "step: constraints",
    "step: redundant constraints",
    "step: contacts that stick",
    "step: contacts that slide",
    "step: halved",
    "step: trapezoidal",
    "step: trapezoidal with forces on frames",
    "step: trapezoidal with constraints",
    "step: order 4",
    "step: order 6 with forces on frames",
    "step: order 8 with shared and kinematic variables",
    "step: order 4 with constraints",
    "step: order 6 with redundant constraints",
    "step: order 4 of a stiff system",
    "step: reduced",
    "step: reduced with forces on frames",
    "step: velocity",
    "step: velocity with shared and kinematic variables",
    "step: velocity with constraints, projected",
    "step: penalty-explicit",
    "step: penalty-implicit",
    "step: semi-implicit-euler",
    "step: rk4",
    "step: rk4 with constraints and projection",
    "step: dop853",
    "step: dop853 with constraints and projection",
    "step: implicit-midpoint",
    "step: implicit-midpoint of a stiff system",
]
QUANTITIES = [
    "rows: acceleration",
    "rows: generalized_force_dq",
    "rows: acceleration with constraints",
    "rows: mass_matrix",
    "rows: lagrangian_derivatives",
    "rows: inverse_dynamics",
    "rows: pose",
    "rows: velocity",
    "rows: constraint_dq",
]


DERIVATIVES = [
    f"derivatives: {what} {name}"
    for what in ("jacobians", "jvp", "vjp", "hessian")
    for name in (
        "of a tree",
        "of a trapezoidal step",
        "with constraints",
        "of a composed step",
        "with forces on frames",
    )
]


@pytest.mark.parametrize("work", STEPPING)
def test_steps_allocate_nothing(counts: dict[str, tuple[int, int]], work: str) -> None:
    short, long = counts[work]
    assert long == short, f"the short run made {short} allocations, the long one {long}"


@pytest.mark.parametrize("work", QUANTITIES)
def test_rows_allocate_nothing(counts: dict[str, tuple[int, int]], work: str) -> None:
    short, long = counts[work]
    assert long == short, f"1000 rows made {short} allocations, 4000 rows {long}"


@pytest.mark.parametrize("work", DERIVATIVES)
def test_derivatives_of_steps_allocate_nothing(counts: dict[str, tuple[int, int]], work: str) -> None:
    short, long = counts[work]
    assert long == short, f"200 steps made {short} allocations, 800 steps {long}"


def test_counter_counts(counts: dict[str, tuple[int, int]]) -> None:
    """A run of simulate in pieces of one step, through Python, allocates in each of them."""
    short, long = counts["allocating work"]
    assert long >= short + 1000


def test_nothing_is_left_out(counts: dict[str, tuple[int, int]]) -> None:
    assert {*STEPPING, *QUANTITIES, *DERIVATIVES, "allocating work"} == set(counts)
