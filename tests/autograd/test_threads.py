"""Several threads: modes of their own, backward side by side, one graph shared."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import lines


def leaf(*values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


def together(*work: Callable[[], Any]) -> list[Any]:
    """Run functions in threads of their own that start at once; their results."""
    gate = threading.Barrier(len(work))
    results: list[Any] = [None] * len(work)

    def run(i: int) -> None:
        gate.wait()
        try:
            results[i] = work[i]()
        except Exception as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(work))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for r in results:
        if isinstance(r, Exception):
            raise r
    return results


def test_grad_mode_belongs_to_a_thread() -> None:
    with torch.no_grad():
        (inside,) = together(torch.is_grad_enabled)
        assert inside
        assert not torch.is_grad_enabled()

    def off() -> bool:
        torch.set_grad_enabled(False)
        return torch.is_grad_enabled()

    assert together(off) == [False]
    assert torch.is_grad_enabled()


def test_two_backwards_at_once() -> None:
    def train(k: float) -> list[float]:
        w = leaf(k, 1.0)
        for _ in range(200):
            w.grad = None
            ((w * w).exp() * 0.1).sum().backward()
            with torch.no_grad():
                w -= 0.01 * w.grad
        return w.tolist()

    alone = [train(0.5), train(-0.5)]
    assert together(lambda: train(0.5), lambda: train(-0.5)) == alone


def test_backward_in_another_thread_than_the_forward() -> None:
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    together(y.backward)
    assert x.grad.tolist() == [2.0, 4.0]


def test_hooks_and_callbacks_of_one_thread_do_not_run_in_another() -> None:
    seen: dict[str, list[int]] = {"a": [], "b": []}

    def work(name: str) -> None:
        me = threading.get_ident()
        x = leaf(1.0)

        def hook(_: Any) -> None:
            torch.autograd.Variable._execution_engine.queue_callback(
                lambda: seen[name].append(threading.get_ident())
            )

        x.register_hook(hook)
        for _ in range(50):
            (x * 2).sum().backward()
        assert seen[name] == [me] * 50

    together(lambda: work("a"), lambda: work("b"))


def test_watchers_of_one_thread_do_not_see_another() -> None:
    packed: list[int] = []
    started, done = threading.Event(), threading.Event()

    def watch() -> None:
        x = leaf(1.0)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(1) or t, lambda t: t):
            started.set()
            done.wait(10)
            x.exp()

    def other() -> None:
        started.wait(10)
        x = leaf(1.0)
        for _ in range(10):
            x.exp()
        done.set()

    together(watch, other)
    assert packed == [1]


def test_dual_levels_and_anomaly_mode_end_with_their_block() -> None:
    from rushlight.autograd import door, forward_ad

    before = door.apply
    with forward_ad.dual_level():
        assert door.apply is not before
    assert door.apply is before


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="collects between instructions alone")
def test_no_collection_while_looking_where_a_thread_stands() -> None:
    """Its finalisers would let the other thread leave the frames that are looked at."""
    during = []

    class Cycle:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            names: list[str] = []
            frame: Any = sys._getframe()
            while frame is not None:
                names.append(frame.f_code.co_name)
                frame = frame.f_back
            during.append("line_of" in names)

    before = gc.isenabled(), gc.get_threshold()
    try:
        gc.disable()
        gc.set_threshold(1)
        for _ in range(5):
            Cycle()
        gc.enable()  # the next object that is made begins a collection
        code, _ = lines.line_of(threading.get_ident())
        gc.collect()
    finally:
        gc.set_threshold(*before[1])
        (gc.enable if before[0] else gc.disable)()
    assert during == [False] * 5
    assert code is not None


def test_looking_leaves_the_collector() -> None:
    before = gc.isenabled()
    try:
        for state in (gc.disable, gc.enable):
            state()
            wanted = gc.isenabled()
            code, _ = lines.line_of(threading.get_ident())
            assert gc.isenabled() is wanted
            assert code is not None
            assert code.co_name == "test_looking_leaves_the_collector"
    finally:
        (gc.enable if before else gc.disable)()
