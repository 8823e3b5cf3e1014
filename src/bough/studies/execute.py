"""Where the chunks of an ensemble run: threads of the core, any executor of `concurrent.futures`, a Dask cluster."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from bough.errors import BoughError
from bough.problem import Problem
from bough.studies.chunk import compute
from bough.studies.design import Design
from bough.studies.pool import Pool
from bough.studies.store import Store
from bough.studies.task import Part, Task

AHEAD = 3  # tasks that wait for each worker of an executor
Chunk = tuple[int, int]  # the first run, and the first that is not in it


class Study(NamedTuple):
    """All that a worker needs to make any chunk."""

    problem: Problem
    design: Design
    keep: Callable[..., Any] | None
    store: Store | None


def available() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parts_here(study: Study, chunks: list[Chunk], workers: int) -> Generator[Part, None, None]:
    """Make chunks one after the other, each on all threads."""
    for first, last in chunks:
        yield make(study, first, last, workers)


def parts_of(pool: Pool, study: Study, chunks: list[Chunk]) -> Generator[Part, None, None]:
    """Make chunks with an executor; a few tasks wait for each worker, however many chunks there are.

    What was under way when a worker died is made again at the end, one chunk at a time.
    """
    lost: list[Chunk] = []
    waiting: dict[Future[Part], Chunk] = {}
    queue = iter(chunks)
    try:
        begin = _task(pool, study)
        while True:
            for chunk in islice(queue, AHEAD * pool.workers - len(waiting)):
                waiting[pool.submit(*begin, *chunk)] = chunk
            if not waiting:
                break
            done = wait(waiting, return_when=FIRST_COMPLETED).done
            for future, chunk in [(future, waiting.pop(future)) for future in done]:
                part = pool.result(future)
                if part is None:
                    lost.append(chunk)
                else:
                    yield part
        for chunk in lost:
            yield from _made_alone(pool, study, begin, chunk)
    finally:
        for future in waiting:
            future.cancel()
        pool.close()


def _task(pool: Pool, study: Study) -> tuple[Any, ...]:
    """The function that makes a chunk on an executor, and its first argument."""
    if not isinstance(pool.executor, ThreadPoolExecutor):
        return make_packed, pack(study, pool.executor)
    varied = study.design.axes.get("u", ())
    if pool.workers > 1 and (study.problem._drive.inputs.resets or any(hasattr(u, "reset") for u in varied)):
        raise BoughError(
            asked="u of an ensemble on ThreadPoolExecutor",
            found="a controller with a memory (it has a method reset), which several threads would share",
            do="give an executor of processes, or workers=1",
        )
    return make, study


def _made_alone(pool: Pool, study: Study, begin: tuple[Any, ...], chunk: Chunk) -> Iterator[Part]:
    """Make a chunk while nothing else runs, in halves if its worker dies again: the run that ends it is a row."""
    halves = [chunk]
    while halves:
        first, last = halves.pop()
        part = pool.result(pool.submit(*begin, first, last))
        if part is None and last - first > 1:
            middle = (first + last) // 2
            halves += [(middle, last), (first, middle)]
            continue
        if part is None:
            part = Part(first, last, np.zeros(1, dtype=np.int8))
            part.fail(first, f"the process that made this run died: {pool.why}")
            if study.store is not None:
                study.store.write(part)
        yield part


def make(study: Study, first: int, last: int, threads: int = 1) -> Part:
    """Make one chunk, and write it if there is a store; then only its status returns.

    A chunk that is stored already is not made again: its worker may have been lost before it could say so.
    """
    if study.store is not None:
        stored = study.store.part(first, last)
        if stored is not None:
            return stored
    part = compute(Task(study.problem, study.design, first, last, study.keep, threads))
    if study.store is not None:
        study.store.write(part)
        part.values = {}
    return part


def make_packed(packed: bytes, first: int, last: int) -> Part:
    """Make one chunk in another process."""
    return make(_unpacked(packed), first, last)


@lru_cache(maxsize=4)
def _unpacked(packed: bytes) -> Study:
    study: Study = pickle.loads(packed)
    return study


def pack(study: Study, executor: Executor) -> bytes:
    """The study for other processes; functions and elements that cannot go there are refused by name."""
    try:  # sends functions by value, and comes with Dask
        from cloudpickle import dumps
    except ImportError:
        from pickle import dumps
    given = [(f"{name} of the problem", value) for name, value in study.problem.arguments.items()]
    given += [(f"axis {name!r}", values) for name, values in study.design.axes.items()]
    for name, value in (("keep", study.keep), *given, ("problem", study.problem)):
        try:
            dumps(value)
        except Exception as error:
            raise BoughError(
                asked=f"{name} of an ensemble on {type(executor).__name__}",
                found=f"it cannot be sent to another process: {_reason(error)}",
                do="define functions and classes at the top level of a module, or leave executor= out: threads"
                " need no copies",
            ) from error
    return bytes(dumps(study))


def _reason(error: Exception) -> str:
    return error.found if isinstance(error, BoughError) else str(error)
