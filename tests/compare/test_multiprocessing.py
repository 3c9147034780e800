"""Shared tensors: what PyTorch's multiprocessing does and says, and what ours does."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import warnings
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np
import pytest

import rushlight
import rushlight.multiprocessing as mp

torch = pytest.importorskip("torch")
import torch.multiprocessing as tmp  # noqa: E402

BOTH = pytest.mark.parametrize("lib", [torch, rushlight], ids=["torch", "rushlight"])


def both(f: Any) -> tuple[Any, Any]:
    """What `f(library)` gives or raises with each."""

    def one(lib: Any) -> Any:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                result = f(lib)
            except Exception as e:
                result = type(e), str(e)
        # a name in an address of a lambda differs
        return result, [(w.category, str(w.message).split(" on tensor ")[-1]) for w in warned]

    return one(torch), one(rushlight)


def through(x: Any) -> Any:
    return pickle.loads(ForkingPickler.dumps(x))


def views_move(lib: Any) -> Any:
    a = lib.arange(6.0)
    v = a[2:4]
    s = a.untyped_storage()
    v.share_memory_()
    v[0] = 7
    return a.is_shared(), v.is_shared(), s.is_shared(), a.data_ptr() == s.data_ptr(), a.tolist()


def copies(lib: Any) -> Any:
    t = lib.zeros(3).share_memory_()
    return t.clone().is_shared(), t[1:].is_shared(), t.detach().is_shared(), (t + 1).is_shared()


def module(lib: Any) -> Any:
    m = lib.nn.Linear(2, 2)
    m(lib.ones(1, 2)).sum().backward()
    return m.share_memory() is m, m.weight.is_shared(), m.weight.grad.is_shared()


def lazy_module(lib: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = lib.nn.LazyLinear(2)
    m.share_memory()


def non_leaf(lib: Any) -> Any:
    ForkingPickler.dumps(lib.ones(2, requires_grad=True) * 2)


def non_leaf_shared(lib: Any) -> Any:
    return (lib.ones(2, requires_grad=True) * 2).share_memory_().is_shared()


def round_trip(lib: Any) -> Any:
    a = lib.arange(6.0).reshape(2, 3).t()
    b, c = through([a, a[1:]])
    s = through(a.untyped_storage())
    same = b.data_ptr() == a.data_ptr(), s == a.untyped_storage()
    return same, b.stride(), c.storage_offset(), b.is_shared(), c.tolist()


def flags(lib: Any) -> Any:
    w = lib.ones(2, requires_grad=True)
    w.grad = lib.ones(2)
    w.note = 1
    got = through(w)
    p = through(lib.nn.Parameter(lib.ones(2), requires_grad=False))
    whole = got.requires_grad, got.is_leaf, got.grad is None, hasattr(got, "note")
    return whole, type(p).__name__, p.requires_grad, p.is_shared()


def hooks(lib: Any) -> Any:
    w = lib.ones(2, requires_grad=True)
    w.register_hook(lambda g: g)
    return through(w).tolist()


def quiet_hooks(lib: Any) -> Any:
    w = lib.ones(2, requires_grad=True)
    w.register_hook(lib.utils.hooks.unserializable_hook(lambda g: g))
    return through(w).tolist()


def empties(lib: Any) -> Any:
    e = through(lib.empty(0, 3))
    return tuple(e.shape), lib.empty(0).share_memory_().is_shared(), lib.empty(0).is_shared()


def meta(lib: Any) -> Any:
    m = through(lib.empty(3, 4, device="meta").t())
    return tuple(m.shape), m.stride(), m.device.type


def meta_storage(lib: Any) -> Any:
    ForkingPickler.dumps(lib.empty(3, device="meta").untyped_storage())


def storages(lib: Any) -> Any:
    s = lib.UntypedStorage(4)
    before = s.is_shared()
    return before, s.share_memory_() is s, s.is_shared(), lib.UntypedStorage._new_shared(8).nbytes()


def numpy_shares(lib: Any) -> Any:
    t = lib.zeros(3).share_memory_()
    n = t.numpy()
    n[1] = 5
    return t.tolist(), lib.from_numpy(np.ones(2)).share_memory_().tolist()


CASES = [
    views_move,
    copies,
    module,
    lazy_module,
    non_leaf,
    non_leaf_shared,
    round_trip,
    flags,
    hooks,
    quiet_hooks,
    empties,
    meta,
    meta_storage,
    storages,
    numpy_shares,
]


@pytest.mark.parametrize("case", CASES, ids=lambda f: f.__name__)
def test_the_same_result_or_error(case: Any) -> None:
    theirs, ours = both(case)
    assert ours == theirs


def test_names() -> None:
    public = {n for n in tmp.__all__ if not n.startswith("_")}
    assert public <= set(mp.__all__)
    ours = {n for n in dir(mp) if not n.startswith("_")}
    assert {n for n in dir(tmp) if not n.startswith("_")} - ours <= {"torch"}
    for name in ("pool", "queue", "reductions"):
        assert hasattr(__import__(f"rushlight.multiprocessing.{name}"), "multiprocessing")


def test_strategies() -> None:
    def bad(module: Any) -> Any:
        try:
            module.set_sharing_strategy("x")
        except AssertionError as e:
            return str(e).split(",")[0]

    assert bad(mp) == bad(tmp)
    assert mp.get_sharing_strategy() == tmp.get_sharing_strategy()
    assert mp.get_all_sharing_strategies() == tmp.get_all_sharing_strategies()


def fail(i: int, how: str) -> None:
    if how == "raise":
        raise ValueError("wrong")
    if how == "exit":
        os._exit(3)
    os.kill(os.getpid(), 9)


@pytest.mark.parametrize("how", ["raise", "exit", "kill"])
def test_errors_of_processes(how: str) -> None:
    def outcome(module: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # forks with threads
            try:
                module.start_processes(fail, (how,), nprocs=1, start_method="fork")
            except Exception as e:
                lines = str(e).splitlines()
                code = getattr(e, "exit_code", None), getattr(e, "signal_name", None)
                return type(e).__name__, lines[:4], lines[-1], code

    before = multiprocessing.active_children()  # what other tests of this process have left
    assert outcome(mp) == outcome(tmp)
    assert {*multiprocessing.active_children()} <= {*before}
