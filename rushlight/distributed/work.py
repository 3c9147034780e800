"""Work: a collective that has been begun, and the lane in which collectives go one behind another.

Ranks must carry out the collectives of a job in one order. Each process has one `Lane`: a call that
wants its result goes in at once when nothing is before it; `async_op=True` leaves it to the lane's
thread, and the program goes on.
"""

from __future__ import annotations

import contextlib
import datetime
import queue
import threading
from collections.abc import Callable
from typing import Any

from ..futures import Future
from .errors import DistBackendError


class Work:
    """What `async_op=True` returns.

    A collective's tensors may be read, and its inputs changed, after `wait()`.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> x = torch.ones(2)
    >>> work = dist.all_reduce(x, async_op=True)
    >>> work.wait(), work.is_completed()
    (True, True)
    >>> dist.destroy_process_group()
    """

    def __init__(self, result: list[Any], source: int = -1) -> None:
        self._result, self._source = result, source
        self._done = threading.Event()
        self._error: BaseException | None = None
        self._future: Future[Any] = Future()

    def _finish(self, error: BaseException | None = None) -> None:
        self._error = error
        if error is None:
            self._future.set_result(self._result)
        else:
            self._future.set_exception(error)
        self._done.set()

    def is_completed(self) -> bool:
        """Whether it is over, well or not."""
        return self._done.is_set()

    def is_success(self) -> bool:
        """Whether it has ended well."""
        return self._done.is_set() and self._error is None

    def exception(self) -> BaseException | None:
        """Why it failed; None if it did not."""
        return self._error

    def wait(self, timeout: datetime.timedelta | None = None) -> bool:
        """Wait until it is over; True.

        Raises:
            DistBackendError: it failed, or is not over within `timeout`.
        """
        limit = timeout.total_seconds() if timeout is not None else None
        if limit == 0:  # PyTorch's kNoTimeout
            limit = None
        if not self._done.wait(limit):
            raise DistBackendError(f"Timed out waiting {limit:g} s for a collective to complete")
        if self._error is not None:
            raise self._error
        return True

    def synchronize(self) -> None:
        """`wait`: there are no streams here."""
        self.wait()

    def block_current_stream(self) -> None:
        """`wait`: there are no streams here."""
        self.wait()

    def result(self) -> list[Any]:
        """The tensors that were written."""
        self.wait()
        return self._result

    def get_future(self) -> Future[Any]:
        """A Future of the tensors that are written."""
        return self._future

    def get_future_result(self) -> Future[Any]:
        """A Future of 0, the code of what has ended well."""
        return self._future.then(lambda done: (done.value(), 0)[1])

    def _source_rank(self) -> int:
        return self.source_rank()

    def source_rank(self) -> int:
        """Where a message came from."""
        if self._source < 0:
            raise RuntimeError(
                "sourceRank() may only be called on work objects that correspond to a recv or "
                "recv-from-any call."
            )
        return self._source


class Lane:
    """Runs collectives one behind another: those that are waited for in the caller's thread, the
    others in a thread of its own.

    What a callback of a future calls, in that thread, runs at once, before what is queued: so it
    does on all ranks, however far their programs are.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.todo: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.waiting = 0  # given to the thread and not over yet
        self.thread: threading.Thread | None = None

    def inside(self) -> bool:
        """Whether this is the lane's own thread."""
        return self.thread is not None and threading.get_ident() == self.thread.ident

    def now(self, fn: Callable[[bool], None]) -> None:
        """Run `fn(False)` behind whatever is under way."""
        if self.waiting and not self.inside():
            work = Work([])
            self.later(fn, work)
            work.wait()
            return
        with self.lock:
            fn(False)

    def later(self, fn: Callable[[bool], None], work: Work) -> None:
        """Let the thread run `fn(True)` in its turn, and finish `work`."""
        if self.inside():
            self._do(fn, work)
            return
        if self.thread is None:
            self.thread = threading.Thread(target=self._run, name="rushlight-lane", daemon=True)
            self.thread.start()
        self.waiting += 1
        self.todo.put((fn, work))

    def _run(self) -> None:
        while True:
            self._do(*self.todo.get())
            self.waiting -= 1  # behind its callbacks: what they call comes before all others

    def _do(self, fn: Callable[[bool], None], work: Work) -> None:
        error = None
        try:
            with self.lock:
                fn(True)
        except BaseException as why:
            error = why
        with contextlib.suppress(Exception):  # a callback of the future that raises
            work._finish(error)
