"""Values that another thread sets."""

from __future__ import annotations

import threading

import pytest

from rushlight.futures import Future, collect_all, wait_all


def test_a_value_set_by_another_thread() -> None:
    future: Future[int] = Future()
    seen = []
    future.add_done_callback(lambda done: seen.append(done.value()))
    chained = future.then(lambda done: done.value() + 1).then(lambda done: 2 * done.wait())
    assert not future.done()
    with pytest.raises(RuntimeError, match="not completed"):
        future.value()
    thread = threading.Thread(target=future.set_result, args=(4,))
    thread.start()
    assert future.wait() == 4
    assert chained.wait() == 10
    thread.join()
    assert seen == [4]
    with pytest.raises(RuntimeError, match="only be set once"):
        future.set_result(5)


def test_errors_travel() -> None:
    future: Future[int] = Future()
    after = future.then(lambda done: done.value())
    future.set_exception(KeyError("x"))
    for one in (future, after):
        with pytest.raises(KeyError):
            one.wait()
    with pytest.raises(AssertionError, match="not an Exception"):
        Future().set_exception("x")
    with pytest.raises(RuntimeError, match="only be set once"):
        future.set_exception(KeyError())


def test_several() -> None:
    futures: list[Future[int]] = [Future() for _ in range(3)]
    together = collect_all(futures)
    for i, future in enumerate(futures):
        assert not together.done()
        future.set_result(i)
    assert [f.value() for f in together.wait()] == [0, 1, 2]
    assert wait_all(futures) == [0, 1, 2]
    assert collect_all([]).wait() == []
