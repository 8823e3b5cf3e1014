"""`bough.ensemble`: one problem simulated many times."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

import numpy as np

from bough import validate
from bough.errors import BoughError, CoarseStepWarning, ModelError, warn
from bough.motion.trajectory import Trajectory
from bough.problem import Problem
from bough.progress import Progress
from bough.studies.chunk import observed
from bough.studies.design import Design, design, inner_dims
from bough.studies.execute import Study, available, parts_here, parts_of
from bough.studies.keep import other_shape
from bough.studies.pool import Pool
from bough.studies.result import Ensemble
from bough.studies.store import Store
from bough.studies.task import MISSING, Lost, Part, check_lost

CHUNK_STEPS = 200_000  # steps of a chunk for each thread that makes it: some tenths of a second
LANES = 4  # runs that share registers
MOST_RUNS = 20_000  # runs of a chunk
PARTS = (
    32  # least number of chunks, if there are as many runs and they are made by Python or by other workers
)
TIMED = ("dt", "duration", "every", "t0", "tol")  # axes with which runs record other instants


def ensemble(
    problem: Problem,
    axes: Mapping[str, Any] | None = None,
    *,
    samples: Any = None,
    keep: Callable[[Trajectory], Mapping[str, Any]] | None = None,
    store: Any = None,
    executor: Any = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> Ensemble:
    """Simulate a problem many times, with starts, inputs, parameters or options that vary.

    Parameters
    ----------
    problem : Problem
    axes : mapping
        What varies and its values: "q.NAME", "v.NAME", "p.NAME", "u.NAME", "k.NAME", "parameter.NAME"; "q", "v", "p"
        with whole rows or mappings by name; or an argument of `simulate` such as "dt", or "u" with controllers. The
        values of "q.BALL" are rotations in any form, those of "v.BALL" three rates each. All combinations are run.
    samples : table
        Instead of axes, one run for each row: a mapping from the same names to columns, a list of
        dictionaries, or a data frame.
    keep : function of a trajectory
        Returns a dictionary of numbers or arrays, which are kept instead of the motion. It is called for the
        runs that finish.
    store : path of a Zarr store
        Chunks are written as they are finished. The same call again makes only what is missing.
    executor : executor of `concurrent.futures`, client, cluster or address of a scheduler of Dask
        By default, threads inside the core.
    workers : int
        The number of threads, or of tasks at a time; by default all cores.
    progress : bool or None
        Show a progress bar; by default in a terminal, in studies longer than a second.

    Results are bit for bit the same for every executor and any number of workers. A run that fails is a row
    with its status and message. On Ctrl-C, the `KeyboardInterrupt` carries what is done as its `.ensemble`.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-system.parameter("length", 1.0), name="bob", mass=1.0)
    >>> problem = bough.Problem(system.build(), duration=1.0, dt=0.01)
    >>> study = bough.ensemble(problem, {"q.angle": [0.1, 0.5, 1.0], "parameter.length": [0.5, 1.0]})
    >>> study
    <Ensemble of 'pendulum': 3 x 2 runs over q.angle, parameter.length, all finished>
    >>> study.q.shape
    (3, 2, 101, 1)
    """
    if not isinstance(problem, Problem):
        raise ModelError(
            asked=f"ensemble({validate.shown(problem)}, ...)",
            found="not a problem",
            do="give bough.Problem(model, q=..., duration=..., dt=...)",
        )
    chosen = design(problem, axes, samples)
    if workers is not None and (not validate.is_whole(workers) or workers < 1):
        raise ModelError(
            asked=f"workers={validate.shown(workers)} in ensemble",
            found="not a whole number above zero",
            do="give the number of threads, or leave workers out for all cores",
        )
    if keep is not None and not callable(keep):
        raise ModelError(
            asked=f"keep={validate.shown(keep)} in ensemble",
            found="not a function",
            do="give a function of a trajectory that returns a dictionary of numbers",
        )
    timed = [repr(name) for name in chosen.axes if name in TIMED]
    if keep is None and (timed or observed(problem)):
        found = f"axis {', '.join(timed)}" if timed else "events, t_eval or dense"
        raise ModelError(
            asked=f"an ensemble of model {problem.model.name!r}",
            found=f"{found}, with which motions have instants of their own",
            do="give keep=, a function of each run that returns the numbers to keep",
        )
    return _run(problem, chosen, keep, store, executor, workers, progress)


def _runs_of_a_chunk(steps: int, count: int, threads: int) -> int:
    """As many runs as keep the threads busy to the end of a chunk: each has as many registers full as the others."""
    size = max(1, min(CHUNK_STEPS * threads // max(steps, 1), MOST_RUNS, count))
    even = LANES * threads
    return size - size % even if size > even else size


def _run(
    problem: Problem,
    chosen: Design,
    keep: Any,
    store: Any,
    executor: Any,
    workers: int | None,
    progress: bool | None,
) -> Ensemble:
    by_python = keep is not None or "u" in chosen.axes or callable(problem.arguments.get("u"))
    threads = 1 if executor is not None or by_python else workers or available()
    size = _runs_of_a_chunk(problem.grid.steps, chosen.count, threads)
    if executor is not None or by_python:
        size = min(size, -(-chosen.count // PARTS))
    kept = None
    if store is not None:
        kept = Store(str(store), chosen.count, size, inner_dims(problem.model))
        kept.open(problem, chosen, keep, problem.grid.time(problem.grid.recorded(problem.grid.steps)))
        size = kept.chunk
    gathered = Gathered(problem, chosen, kept)
    chunks = [
        (first, min(first + size, chosen.count))
        for first in range(0, chosen.count, size)
        if (gathered.status[first : first + size] == MISSING).any()
    ]
    study = Study(problem, chosen, keep, kept)
    bar = Progress(
        f"{problem.model.name}: ensemble", chosen.count, progress, chosen.count, "runs", unit="runs"
    )
    try:
        if executor is None:
            parts = parts_here(study, chunks, workers or available())
        else:
            parts = parts_of(Pool(executor, workers, available()), study, chunks)
        with closing(parts):
            for part in parts:
                gathered.add(part)
                bar.update(gathered.done, f", {gathered.failed} failed, {gathered.rate():,.0f} steps/s")
    except KeyboardInterrupt as stopped:
        stopped.ensemble = gathered.result()  # type: ignore[attr-defined]
        raise
    finally:
        bar.close()
    return gathered.result(check=True)


class Gathered:
    """The results of the chunks that are done."""

    def __init__(self, problem: Problem, chosen: Design, store: Store | None) -> None:
        self._problem, self._design, self._store = problem, chosen, store
        self._begin = time.perf_counter()
        self._values: dict[str, Any] = {}
        self._steps = self._coarse = 0
        self._refused, self._changed = Lost(), Lost()
        self.messages: dict[int, str] = {}
        if store is None:
            self.status = np.zeros(chosen.count, dtype=np.int8)
        else:
            self.status, self.messages, _ = store.read()

    @property
    def done(self) -> int:
        """The number of runs made."""
        return int(np.count_nonzero(self.status))

    @property
    def failed(self) -> int:
        """The number of runs that failed."""
        return len(self.messages)

    def rate(self) -> float:
        """Steps per second so far."""
        return self._steps / max(time.perf_counter() - self._begin, 1e-9)

    def add(self, part: Part) -> None:
        """Take the results of a chunk."""
        rows = slice(part.first, part.last)
        self.messages |= part.messages
        self._steps += part.steps
        self._coarse += part.coarse
        self._refused.add(part.refused.first, part.refused.count)
        self._changed.add(part.changed.first, part.changed.count)
        for name, values in part.values.items():
            if name not in self._values:
                try:
                    self._values[name] = np.full((self._design.count, *values.shape[1:]), np.nan)
                except MemoryError:
                    raise _too_large(self._problem, self._design) from None
            if self._values[name].shape[1:] != values.shape[1:]:
                raise other_shape(name, self._values[name].shape[1:], values.shape[1:])
            self._values[name][rows] = values
        self.status[rows] = part.status

    def result(self, check: bool = False) -> Ensemble:
        """The ensemble; with `check`, warn of starts that are not those asked for, and of steps that are too long."""
        wall = time.perf_counter() - self._begin
        statistics = {
            "runs": self.done,
            "failed": self.failed,
            "steps": self._steps,
            "coarse": self._coarse,
            "wall_time": wall,
        }
        if check:
            check_lost(self._problem.model.name, self._design, self._refused, self._changed)
        if check and self._coarse:
            warn(
                f"the steps of {self._coarse} of {self._design.count} runs of {self._problem.model.name!r} are too"
                f" long for what happens in them: try a smaller dt than {self._problem.settings['dt']:g};"
                " study.rerun(index) tells more of a run",
                CoarseStepWarning,
            )
        messages = dict(sorted(self.messages.items()))
        problem, chosen = self._problem, self._design
        return Ensemble(problem, chosen, self.status, messages, self._values, statistics, self._store)


def _too_large(problem: Problem, chosen: Design) -> BoughError:
    return BoughError(
        asked=f"an ensemble of {validate.counted(chosen.count, 'run')} with"
        f" {validate.counted(problem.grid.rows, 'row')} each",
        found="more than fits into the memory",
        do="record fewer rows with every=, keep a few numbers with keep=, or give store=",
    )
