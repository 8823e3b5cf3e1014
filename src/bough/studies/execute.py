"""Where the chunks of an ensemble run: threads of the core, any executor of `concurrent.futures`, a Dask cluster."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from functools import lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

from bough.errors import BoughError
from bough.problem import Problem
from bough.studies.chunk import Part, Task, compute
from bough.studies.design import Design
from bough.studies.store import Store

AHEAD = 3  # tasks that wait for each worker of an executor


class Study(NamedTuple):
    """All that a worker needs to make any chunk."""

    problem: Problem
    design: Design
    keep: Callable[..., Any] | None
    store: Store | None


def available() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parts_here(study: Study, chunks: list[tuple[int, int]], workers: int) -> Iterator[Part]:
    """Make chunks one after the other, each on all threads."""
    for first, last in chunks:
        yield make(study, first, last, workers)


def parts_of(executor: Executor, study: Study, chunks: list[tuple[int, int]], workers: int) -> Iterator[Part]:
    """Make chunks with an executor; a few tasks wait for each worker, however many chunks there are."""
    submit: Callable[..., Future[Part]] = executor.submit
    if isinstance(executor, ThreadPoolExecutor):
        varied = study.design.axes.get("u", ())
        if workers > 1 and (study.problem._drive.inputs.resets or any(hasattr(u, "reset") for u in varied)):
            raise BoughError(
                asked="u of an ensemble on ThreadPoolExecutor",
                found="a controller with a memory (it has a method reset), which several threads would share",
                do="give an executor of processes, or workers=1",
            )
        begin = partial(submit, make, study)
    else:
        begin = partial(submit, make_packed, pack(study, executor))
    waiting: set[Future[Part]] = set()
    queue = iter(chunks)
    try:
        while True:
            for chunk in islice(queue, AHEAD * workers - len(waiting)):
                waiting.add(begin(*chunk))
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    finally:
        for future in waiting:
            future.cancel()


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


def executor_of(given: Any, workers: int | None) -> tuple[Executor, int, Any]:
    """The executor that a user means, the number of its workers, and a client to close at the end.

    given : an executor, a `dask.distributed.Client`, a cluster of Dask, or the address of a Dask scheduler
    """
    client = None
    address = given if isinstance(given, str) else getattr(given, "scheduler_address", None)
    if address is not None:
        given = client = _client(address)
    if hasattr(given, "get_executor"):  # a client of Dask
        count = sum(given.nthreads().values())
        return given.get_executor(pure=False, retries=3), workers or max(count, 1), client
    if not hasattr(given, "submit"):
        raise BoughError(
            asked=f"executor={given!r} of an ensemble",
            found="neither an executor, a client or cluster of Dask nor the address of a scheduler",
            do="give concurrent.futures.ProcessPoolExecutor(), dask.distributed.Client(...) or 'tcp://host:port'",
        )
    return given, workers or getattr(given, "_max_workers", None) or available(), None


def _client(address: str) -> Any:
    try:
        from dask.distributed import Client
    except ImportError:
        raise BoughError(
            asked=f"executor={address!r} of an ensemble",
            found="the package dask.distributed is not installed",
            do="install it: pip install 'bough[dask]'",
        ) from None
    try:
        return Client(address, timeout=10)
    except OSError as error:
        raise BoughError(
            asked=f"executor={address!r} of an ensemble",
            found=f"no scheduler answers there: {error}",
            do="start one with `dask scheduler`, and workers with `dask worker ADDRESS`",
        ) from None
