"""Worker threads: the same interface as `process_pool.py`, in this process.

Threads start at once, need nothing pickled and share the data set; they run side by side as far as
what they do releases the GIL (decoding images, reading files, NumPy on large arrays). Each has
random generators of its own: `get_worker_info().rng`, and the default generator of Rushlight is the
thread's own while it reads. Python's `random` and NumPy's global generator are the process's.
"""

from __future__ import annotations

import queue
import threading
import time
from typing import Any

from ....random import Generator, default_generator
from .worker import Job, Reader, Start, begin_thread

_own = threading.local()  # .rng: the stream of a worker thread


class _DefaultGenerator(Generator):
    """The default generator once there are worker threads: each of them sees its own stream."""

    __slots__ = ()
    __module__ = "rushlight"

    @property
    def _rng(self) -> Any:  # type: ignore[override]
        own = getattr(_own, "rng", None)
        return _slot.__get__(self) if own is None else own

    @_rng.setter
    def _rng(self, value: Any) -> None:
        _slot.__set__(self, value)


_DefaultGenerator.__name__ = _DefaultGenerator.__qualname__ = "Generator"  # what users see
_slot: Any = Generator.__dict__["_rng"]


class ThreadPool:
    """Worker threads that do one job."""

    kind = "thread"

    def __init__(self, job: Job) -> None:
        default_generator.__class__ = _DefaultGenerator
        self._closed = False
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._tasks: list[queue.SimpleQueue[Any]] = []
        self._threads = []
        self._pass = 0
        for i in range(job.num_workers):
            tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
            thread = threading.Thread(
                target=_run,
                args=(job, i, tasks, self._answers),
                name=f"DataLoaderWorker-{i}",
                daemon=True,  # a thread that hangs in the data set does not keep the program
            )
            self._tasks.append(tasks)
            self._threads.append(thread)
            thread.start()

    def begin_pass(self, number: int, starts: list[Start]) -> None:
        """Forget all tasks, and let each worker begin a pass."""
        self._pass = number
        for tasks, start in zip(self._tasks, starts, strict=True):
            _empty(tasks)
            tasks.put(("pass", number, start))

    def task(self, i: int, number: int, index: Any) -> None:
        """Let a worker read a batch."""
        self._tasks[i].put(("task", number, index))

    def receive(self, timeout: float | None) -> tuple[int, int, int, Any, Any] | None:
        """The next answer: worker, pass, task, value, state of the data set; None after `timeout`
        seconds without one."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                answer: Any = self._answers.get(timeout=left)
            except queue.Empty:
                return None
            if isinstance(answer, BaseException):
                raise RuntimeError(f"DataLoader worker thread ended unexpectedly: {answer!r}")
            if answer[1] == self._pass:
                return answer  # type: ignore[no-any-return]

    def retire(self, i: int) -> None:
        """This worker has nothing more to do."""
        self._tasks[i].put(None)

    @property
    def processes(self) -> list[threading.Thread]:
        """The worker threads, under the name of the other pool's processes."""
        return self._threads

    @property
    def closed(self) -> bool:
        """Whether the workers have been told to end."""
        return self._closed

    def shutdown(self, grace: float = 0.0) -> None:
        """Tell all workers to end. One that is reading ends after that."""
        if self._closed:
            return
        self._closed = True
        for tasks in self._tasks:
            _empty(tasks)
            tasks.put(None)
        deadline = time.monotonic() + grace
        for thread in self._threads:
            if grace:
                thread.join(max(0.0, deadline - time.monotonic()))


def _empty(tasks: queue.SimpleQueue[Any]) -> None:
    try:
        while True:
            tasks.get_nowait()
    except queue.Empty:
        return


def _run(job: Job, i: int, tasks: Any, answers: Any) -> None:
    try:
        _own.rng = begin_thread(job, i).torch_generator._rng
        reader = Reader(job, i, f"in DataLoader worker thread {i}")
        number = 0
        while (what := tasks.get()) is not None:
            kind, first, second = what
            if kind == "pass":
                number = first
                reader.new_pass(second)
                continue
            value = reader.read(second)
            if value is not None:
                answers.put((i, number, first, value, reader.state()))
            del value, what, second
    except BaseException as error:  # SystemExit in a data set: the parent must not wait for ever
        answers.put(error)
