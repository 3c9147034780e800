"""`torch.futures`: a value that another thread will set."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")


class Future(Generic[T]):
    """A value that may not be there yet.

    >>> future = Future()
    >>> double = future.then(lambda done: 2 * done.value())
    >>> future.set_result(21)
    >>> future.done(), double.wait()
    (True, 42)
    """

    def __init__(self, *, devices: Any = None) -> None:
        self._inner: concurrent.futures.Future[T] = concurrent.futures.Future()

    def done(self) -> bool:
        """Whether a value or an error has been set."""
        return self._inner.done()

    def wait(self) -> T:
        """The value, as soon as it is there; an error that was set is raised."""
        return self._inner.result()

    def value(self) -> T:
        """The value of a future that is done."""
        if not self.done():
            raise RuntimeError("the future is not completed: value() before it is done; use wait()")
        return self._inner.result()

    def then(self, callback: Callable[[Future[T]], Any]) -> Future[Any]:
        """A future of what `callback(self)` returns when this one is done."""
        out: Future[Any] = Future()

        def call(_: Any) -> None:
            try:
                out.set_result(callback(self))
            except Exception as error:
                out.set_exception(error)

        self._inner.add_done_callback(call)
        return out

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Call `callback(self)` when this one is done, at once if it is already."""
        self._inner.add_done_callback(lambda _: callback(self))

    def set_result(self, result: T) -> None:
        """Set the value, once."""
        if self.done():
            raise RuntimeError("Future can only be set once: it is completed already")
        self._inner.set_result(result)

    def set_exception(self, result: BaseException) -> None:
        """Set an error, which `wait` raises."""
        if not isinstance(result, BaseException):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        if self.done():
            raise RuntimeError("Future can only be set once: it is completed already")
        self._inner.set_exception(result)


def collect_all(futures: list[Future[Any]]) -> Future[list[Future[Any]]]:
    """A future of the list of `futures`, done when all of them are."""
    import threading

    out: Future[list[Future[Any]]] = Future()
    left, lock = [len(futures)], threading.Lock()

    def one(_: Any) -> None:
        with lock:
            left[0] -= 1
            last = left[0] == 0
        if last:
            out.set_result(futures)

    if not futures:
        out.set_result(futures)
    for future in futures:
        future.add_done_callback(one)
    return out


def wait_all(futures: list[Future[Any]]) -> list[Any]:
    """The values of all.

    >>> a, b = Future(), Future()
    >>> a.set_result(1); b.set_result(2)
    >>> wait_all([a, b])
    [1, 2]
    """
    return [future.wait() for future in collect_all(futures).wait()]
