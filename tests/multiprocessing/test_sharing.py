"""Shared tensors: storages move whole, both sides see writes, under every start method."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np
import pytest

import rushlight as torch
import rushlight.multiprocessing as mp
from rushlight import nn

METHODS = mp.get_all_start_methods()


@pytest.fixture(params=sorted(mp.get_all_sharing_strategies()))
def strategy(request: Any) -> Iterator[str]:
    before = mp.get_sharing_strategy()
    mp.set_sharing_strategy(request.param)
    yield request.param
    mp.set_sharing_strategy(before)


def through(x: Any) -> Any:
    return pickle.loads(ForkingPickler.dumps(x))


# -- what runs in other processes ----------------------------------------------------------------


def add_one(t: Any) -> None:
    with torch.no_grad():
        t += 1


def answer(queue: Any, answers: Any) -> None:
    """Put back what arrives, with what this side sees of it, until None arrives."""
    while (got := queue.get()) is not None:
        tensors = [t for t in got if isinstance(t, torch.Tensor)]
        seen = [(type(t).__name__, t.requires_grad, t.is_shared()) for t in tensors]
        one = len({t.untyped_storage().data_ptr() for t in tensors})
        with torch.no_grad():
            for t in tensors:
                t.add_(1)
        answers.put((got, seen, one))
    answers.put(None)


def make_and_end(answers: Any) -> None:
    answers.put(torch.arange(5.0))


def _hogwild(seed: int, model: nn.Module, steps: int) -> None:
    torch.manual_seed(seed)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        x = torch.randn(16, 3)
        loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def grad_of(t: Any, answers: Any) -> None:
    answers.put(t.grad)
    (t * 2).sum().backward()
    answers.put(t.grad)


def double(t: Any) -> Any:
    return t * 2


class Kept(torch.Tensor):
    pass


# -- storages ------------------------------------------------------------------------------------


def test_all_views_move_together() -> None:
    a = torch.arange(6.0)
    v, s = a[2:4], a.untyped_storage()
    assert not a.is_shared()
    assert v.share_memory_() is v
    assert a.is_shared()
    assert s.is_shared()
    assert a.data_ptr() == s.data_ptr()
    v[0] = 9
    assert a.tolist() == [0, 1, 9, 3, 4, 5]
    assert s.nbytes() == 24
    assert v.storage_offset() == 2


def test_sharing_from_a_storage_moves_its_tensors() -> None:
    a = torch.arange(6.0).reshape(2, 3)
    t = a.t()
    assert a.untyped_storage().share_memory_().is_shared()
    a[0, 1] = 7
    assert t[1, 0] == 7
    assert t.stride() == (1, 3)
    assert not torch.UntypedStorage(4).is_shared()
    assert torch.UntypedStorage._new_shared(8).is_shared()
    assert torch.FloatTensor(3).storage().share_memory_().is_shared()


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float32", "float8_e5m2", "int8", "bool", "complex64"]
)
def test_dtypes_and_layouts_survive(dtype: str) -> None:
    t = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(getattr(torch, dtype)).t()
    got = through(t)
    assert got.dtype == t.dtype
    assert got.stride() == t.stride()
    assert got.is_shared()
    assert got.float().tolist() == t.float().tolist() if dtype != "complex64" else True
    assert got.data_ptr() == t.data_ptr()


def test_memory_of_numpy_is_left_behind() -> None:
    a = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    t = torch.from_numpy(a)
    t.share_memory_()
    t[0, 0] = 5
    assert a[0, 0] == 0
    assert t.tolist() == [[5, 1, 2], [3, 4, 5]]
    assert t.stride() == (1, 2)


def test_copies_are_private_and_views_are_shared() -> None:
    t = torch.zeros(3).share_memory_()
    assert t[1:].is_shared()
    assert t.detach().is_shared()
    assert not t.clone().is_shared()
    assert not copy.deepcopy(t).is_shared()
    assert not pickle.loads(pickle.dumps(t)).is_shared()


def test_a_tensor_on_the_tape_may_move() -> None:
    w = torch.ones(3, requires_grad=True)
    y = w * w
    w.share_memory_()
    y.share_memory_()
    y.sum().backward()
    assert w.grad.tolist() == [2, 2, 2]
    assert w.is_leaf
    assert w.is_shared()


def test_shared_memory_does_not_grow() -> None:
    t = torch.zeros(3).share_memory_()
    t.resize_(2)
    with pytest.raises(RuntimeError, match="not resizable"):
        t.resize_(100)


def test_empty_and_meta_tensors() -> None:
    assert torch.empty(0).share_memory_().is_shared()
    assert through(torch.empty(0, 3)).shape == (0, 3)
    m = through(torch.empty(3, device="meta"))
    assert m.device.type == "meta"
    assert not m.share_memory_().is_shared()


def test_a_module_shares_one_block_with_its_gradients() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    model(torch.randn(5, 3)).sum().backward()
    before = {k: v.clone() for k, v in model.state_dict().items()}
    files = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    assert model.share_memory() is model
    assert all(t.is_shared() for t in (*model.parameters(), *model.buffers()))
    assert all(p.grad.is_shared() for p in model.parameters())
    assert {k: v.tolist() for k, v in model.state_dict().items()} == {
        k: v.tolist() for k, v in before.items()
    }
    if sys.platform == "linux":
        assert len(os.listdir("/proc/self/fd")) <= files + 1
    with pytest.raises(RuntimeError, match="uninitialized parameter"):
        nn.LazyLinear(3).share_memory()


def test_what_nobody_else_looks_at_moves_without_asking_everybody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from rushlight.multiprocessing import sharing

    monkeypatch.setattr(sharing, "lookers", lambda: pytest.fail("asked"))
    torch.zeros(3).share_memory_()
    torch.randn(2, 3).share_memory_()
    nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).share_memory()
    through(torch.ones(4))
    with pytest.raises(pytest.fail.Exception, match="asked"):
        torch.arange(6.0)[2:].share_memory_()


# -- what is sent --------------------------------------------------------------------------------


def test_a_round_trip_is_the_same_memory(strategy: str) -> None:
    a = torch.arange(6.0)
    b = a[2:4]
    x, y, p = through([a, b, nn.Parameter(torch.ones(2), requires_grad=False)])
    assert x.data_ptr() == a.data_ptr()
    assert y.untyped_storage() == x.untyped_storage()
    assert type(p) is nn.Parameter
    assert not p.requires_grad
    s = through(a.untyped_storage())
    assert s == a.untyped_storage()
    typed = through(a.storage())
    assert typed.tolist() == a.tolist()


def test_gradients_attributes_and_history_stay_behind() -> None:
    w = torch.ones(2, requires_grad=True)
    w.grad = torch.ones(2)
    w.note = 3
    got = through(w)
    assert got.requires_grad
    assert got.grad is None
    assert not hasattr(got, "note")
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor"):
        ForkingPickler.dumps(w * 2)
    assert through((w * 2).detach()).tolist() == [2, 2]


def test_hooks_are_warned_of() -> None:
    w = torch.ones(2, requires_grad=True)
    handle = w.register_hook(lambda g: g)
    with pytest.warns(UserWarning, match="will not be serialized"):
        through(w)
    handle.remove()
    w.register_hook(torch.utils.hooks.unserializable_hook(lambda g: g))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        through(w)


def test_subclasses_keep_their_class_and_are_shared() -> None:
    t = torch.ones(2).as_subclass(Kept)
    got = through(t)
    assert type(got) is Kept
    assert got.is_shared()
    assert got.data_ptr() == t.data_ptr()


def test_storages_of_meta_tensors_are_refused() -> None:
    with pytest.raises(RuntimeError, match="meta storage"):
        ForkingPickler.dumps(torch.empty(2, device="meta").untyped_storage())


# -- processes -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_both_sides_see_writes(strategy: str, method: str) -> None:
    context: Any = mp.get_context(method)
    t = torch.zeros(3, requires_grad=True)
    process = context.Process(target=add_one, args=(t.share_memory_(),))
    process.start()
    process.join()
    assert process.exitcode == 0
    assert t.tolist() == [1, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_queues(strategy: str, method: str) -> None:
    context: Any = mp.get_context(method)
    queue, answers = context.Queue(), context.SimpleQueue()
    process = context.Process(target=answer, args=(queue, answers))
    process.start()
    a = torch.zeros(4, requires_grad=True)
    queue.put((a, a.detach()[1:3], 5))
    (x, y, number), seen, storages = answers.get()
    assert seen == [("Tensor", True, True), ("Tensor", False, True)]
    assert storages == 1
    assert a.tolist() == [1, 2, 2, 1]
    assert number == 5
    assert x.data_ptr() == a.data_ptr()
    assert y.tolist() == [2, 2]
    queue.put((nn.Parameter(torch.ones(2)), torch.ones(2)))
    (p, _), seen, storages = answers.get()
    assert seen == [("Parameter", True, True), ("Tensor", False, True)]
    assert storages == 2
    assert p.tolist() == [2, 2]
    queue.put(None)
    assert answers.get() is None
    process.join()
    queue.close()


@pytest.mark.slow
def test_a_sender_may_end_before_its_tensor_is_received(strategy: str) -> None:
    answers: Any = mp.get_context("spawn").Queue()
    process: Any = mp.get_context("spawn").Process(target=make_and_end, args=(answers,))
    process.start()
    process.join()
    assert answers.get().tolist() == [0, 1, 2, 3, 4]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_hogwild_learns(method: str) -> None:
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    model.share_memory()
    mp.start_processes(_hogwild, (model, 60), nprocs=2, start_method=method)
    assert (model.weight - 1).abs().max() < 0.1
    assert model.weight.grad is None


@pytest.mark.skipif("fork" not in METHODS, reason="fork")
def test_gradients_of_forked_processes() -> None:
    context: Any = mp.get_context("fork")
    t = torch.zeros(2, requires_grad=True).share_memory_()
    t.grad = torch.ones(2).share_memory_()
    answers = context.SimpleQueue()
    process = context.Process(target=grad_of, args=(t, answers))
    process.start()
    assert answers.get().tolist() in ([1, 1], [3, 3])
    assert answers.get().tolist() == [3, 3]
    process.join()
    assert t.grad.tolist() == [3, 3]  # added in place, on memory that both have


@pytest.mark.slow
def test_pools() -> None:
    from rushlight.multiprocessing.pool import Pool

    with Pool(2, context=mp.get_context("spawn")) as pool:
        assert [t.tolist() for t in pool.map(double, [torch.ones(2), torch.ones(1) * 3])] == [
            [2, 2],
            [6],
        ]
        pool.close()
        pool.join()
    with mp.get_context("fork").Pool(1) as pool:  # the standard one
        assert pool.apply(double, (torch.ones(2),)).tolist() == [2, 2]
        pool.close()
        pool.join()


def test_queues_without_a_context() -> None:
    from rushlight.multiprocessing.queue import ConnectionWrapper, Queue, SimpleQueue

    t = torch.zeros(2)
    simple = SimpleQueue()
    simple.put(t)
    assert simple.get().data_ptr() == t.data_ptr()
    queue: Any = Queue()
    queue.put(t)
    assert queue.get(timeout=30).data_ptr() == t.data_ptr()
    queue.close()
    queue.join_thread()
    here, there = mp.Pipe()
    ConnectionWrapper(here).send(t)
    assert ConnectionWrapper(there).recv().data_ptr() == t.data_ptr()
    here.close()
    there.close()


def test_strategies() -> None:
    assert mp.get_sharing_strategy() in mp.get_all_sharing_strategies()
    with pytest.raises(AssertionError, match="invalid sharing strategy 'x'"):
        mp.set_sharing_strategy("x")


def test_every_name_of_the_standard_module_is_there() -> None:
    import multiprocessing

    assert all(getattr(mp, n) is getattr(multiprocessing, n) for n in multiprocessing.__all__)
    assert set(multiprocessing.__all__) < set(mp.__all__)


@pytest.mark.slow
def test_a_program_leaves_nothing_and_says_nothing() -> None:
    """Tensors still shared, sent and not fetched, at the exit of a program with children."""
    program = (
        "import rushlight as torch, rushlight.multiprocessing as mp\n"
        "def f(q): q.put(torch.ones(3)); q.put(torch.ones(4))\n"
        "if __name__ == '__main__':\n"
        "    for s in sorted(mp.get_all_sharing_strategies()):\n"
        "        mp.set_sharing_strategy(s)\n"
        "        kept = torch.ones(5).share_memory_()\n"
        "        for m in mp.get_all_start_methods():\n"
        "            q = mp.get_context(m).Queue()\n"
        "            p = mp.get_context(m).Process(target=f, args=(q,))\n"
        "            p.start(); p.join(); print(q.get().sum().item())\n"
        "            q.put(kept)\n"
    )
    import tempfile

    from rushlight.shared_memory import blocks

    before = set(os.listdir(blocks.folder()))
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program)
        env = {k: v for k, v in os.environ.items() if k != "RUSHLIGHT_SHARED_ROOT"}
        with subprocess.Popen(
            # (from 3.12 on Python says of every process with threads that it forks)
            [sys.executable, "-W", "always", "-W", "ignore:This process:DeprecationWarning", path],
            env=env, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as done:  # fmt: skip
            out, errors = done.communicate()
    assert errors == ""
    assert done.returncode == 0
    assert set(out.split()) == {"3.0"}
    left = set(os.listdir(blocks.folder())) - before  # its own: others may run at the same time
    assert not {n for n in left if n.startswith(f"rushlight-{done.pid}-")}


@pytest.mark.slow
def test_nothing_is_imported_before_it_is_needed() -> None:
    program = (
        "import sys, rushlight as torch\n"
        "torch.nn.Linear(2, 2)\n"
        "assert not torch.ones(2).is_shared()\n"
        "assert 'multiprocessing' not in sys.modules\n"
        "assert 'rushlight.shared_memory' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    gc.collect()
