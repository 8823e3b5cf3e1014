"""The executor of an ensemble, whatever the user means by it, and what to do when one of its workers dies."""

from __future__ import annotations

import os
import re
import sys
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from typing import Any

from bough import validate
from bough.errors import BoughError
from bough.packages import package

ADDRESS = re.compile(r"[a-z+]+://\S+|[\w.-]+:\d+")
CONNECT = 10.0  # time in which a scheduler has to answer, in s


class Pool:
    """An executor that survives the death of a worker.

    Dask starts another worker by itself. Processes of `concurrent.futures` are all lost with the first that dies;
    then a pool of the same kind takes the place of the user's.

    Attributes
    ----------
    executor : Executor
    workers : int
    why : str
        What the last worker that died has left.
    """

    def __init__(self, given: Any, workers: int | None, cores: int) -> None:
        self._asked = f"executor={validate.shown(given)} of an ensemble"
        self._client: Any = None  # to be closed at the end
        self._processes: ProcessPoolExecutor | None = None  # made here, and closed at the end
        self._of: dict[Future[Any], Executor] = {}
        self._broken = False
        self.why = ""
        self.executor, count = self._opened(given, cores)
        self.workers = workers or count

    def submit(self, *task: Any) -> Future[Any]:
        """Begin a task, a function and its arguments; on a new pool, if the last one is broken."""
        if self._broken:
            self._renew()
        try:
            future = self.executor.submit(*task)
        except BrokenExecutor as error:
            self._lost(error, self.executor)
            return self.submit(*task)
        except RuntimeError as error:
            raise BoughError(
                asked=self._asked,
                found=f"it takes no tasks: {error}",
                do="make the study while the executor is open, inside its with block",
            ) from error
        if not isinstance(future, Future):
            raise BoughError(
                asked=self._asked,
                found=f"its submit() returns {validate.shown(future)}, not a future of concurrent.futures",
                do="give concurrent.futures.ProcessPoolExecutor(), or a client of dask.distributed",
            )
        self._of[future] = self.executor
        return future

    def result(self, future: Future[Any]) -> Any:
        """What a task returned; None if its worker died."""
        executor = self._of.pop(future)
        try:
            return future.result()
        except Exception as error:
            if not _died(error):
                raise
            self._lost(error, executor)
            return None

    def close(self) -> None:
        """Close what was opened here, and nothing of the user's."""
        if self._client is not None:
            self._client.close()
        if self._processes is not None:
            self._processes.shutdown(cancel_futures=True)

    def _lost(self, error: Exception, executor: Executor) -> None:
        self.why = f"{type(error).__name__}: {error}"
        if executor is self.executor:  # and not one that was replaced before
            self._broken = isinstance(error, BrokenExecutor)

    def _renew(self) -> None:
        old = self.executor
        if not isinstance(old, ProcessPoolExecutor):
            raise BoughError(
                asked=self._asked,
                found=f"a worker died, and the executor with it: {self.why}",
                do="give ProcessPoolExecutor() or a client of Dask, which survive this; with store= the next call"
                " makes only what is missing",
            )
        if self._processes is not None:
            self._processes.shutdown()
        made_with: Any = old  # private names, the same in all versions of Python
        new = ProcessPoolExecutor(
            made_with._max_workers, made_with._mp_context, made_with._initializer, made_with._initargs
        )
        self.executor, self._processes, self._broken = new, new, False
        try:
            new.submit(os.getpid).result()
        except BrokenExecutor as error:
            raise BoughError(
                asked=self._asked,
                found=f"its processes die before they do anything: {error}",
                do='look at what they print; a script that starts processes needs `if __name__ == "__main__":`'
                " around what it does",
            ) from error

    def _opened(self, given: Any, cores: int) -> tuple[Executor, int]:
        """The executor that a user means, and the number of its workers."""
        if isinstance(given, type):
            raise self._refused(
                f"the class {given.__name__}, not an executor made of it", f"{given.__name__}()"
            )
        status = str(getattr(given, "status", "")).rpartition(".")[2]  # of a client or a cluster of Dask
        if status in ("closed", "closing", "failed"):
            raise self._refused(f"it is {status}", "one that is open")
        if getattr(given, "asynchronous", False) is True:
            raise self._refused("it is asynchronous", "dask.distributed.Client(..., asynchronous=False)")
        address = given if isinstance(given, str) else getattr(given, "scheduler_address", None)
        if address is not None:
            given = self._client = self._connected(str(address))
        if hasattr(given, "get_executor"):  # a client of Dask
            return given.get_executor(pure=False, retries=3), max(sum(given.nthreads().values()), 1)
        if not callable(getattr(given, "submit", None)):
            raise self._refused(
                "neither an executor, a client or cluster of Dask nor the address of a scheduler",
                "concurrent.futures.ProcessPoolExecutor(), dask.distributed.Client(...) or 'tcp://host:port'",
            )
        return given, getattr(given, "_max_workers", None) or cores

    def _connected(self, address: str) -> Any:
        if not ADDRESS.fullmatch(address):
            raise self._refused("a text that is not the address of a scheduler", "it like 'tcp://host:8786'")
        distributed = package("dask.distributed", self._asked, "dask")
        try:
            return distributed.Client(address, timeout=CONNECT)
        except (OSError, ValueError) as error:
            raise BoughError(
                asked=self._asked,
                found=f"no scheduler answers there: {error}",
                do="start one with `dask scheduler`, and workers with `dask worker ADDRESS`",
            ) from None

    def _refused(self, found: str, give: str) -> BoughError:
        return BoughError(
            asked=self._asked, found=found, do=f"give {give}, or leave executor= out for threads"
        )


def _died(error: Exception) -> bool:
    """Whether an error says that a worker died."""
    dask = sys.modules.get("distributed")
    return isinstance(error, BrokenExecutor) or (dask is not None and isinstance(error, dask.KilledWorker))
