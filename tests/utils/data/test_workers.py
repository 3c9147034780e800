"""Workers: the same batches as without them, and what happens when things go wrong."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import loader_samples as samples
import numpy as np
import pytest

import rushlight as torch
from rushlight.utils.data import DataLoader, TensorDataset, get_worker_info
from rushlight.utils.data._utils.wrapper import ExceptionWrapper

KINDS: dict[str, dict[str, Any]] = {
    "process": {},
    "thread": {"worker_method": "thread"},
}
if "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin":
    KINDS["fork"] = {"multiprocessing_context": "fork"}


@pytest.fixture(params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Options for each kind of worker."""
    return KINDS[request.param]


@pytest.fixture(autouse=True)
def _limit() -> Iterator[None]:
    """A test that hangs fails: workers must never make anybody wait for ever."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def late(*_: Any) -> None:
        raise TimeoutError("two minutes are over")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def plain(batches: Any) -> list[Any]:
    return [
        [part.tolist() if isinstance(part, torch.Tensor) else part for part in b] for b in batches
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 4},
        {"batch_size": 4, "drop_last": True},
        {"batch_size": 3, "shuffle": True},
        {"batch_sampler": [[3, 1], [0], [5, 6, 7]]},
        {"batch_size": None},
    ],
)
def test_the_same_batches_as_without_workers(kind: Any, options: Any) -> None:
    data = samples.Rows(18)
    torch.manual_seed(3)
    alone = plain(DataLoader(data, **options))
    torch.manual_seed(3)
    loader = DataLoader(data, num_workers=2, **options, **kind)
    together = plain(loader)
    assert [b[:2] for b in together] == [b[:2] for b in alone]
    readers = [b[2] if isinstance(b[2], int) else b[2][0] for b in together]
    assert readers == [k % 2 for k in range(len(readers))]  # batch k is of worker k % n
    assert len(loader) == len(alone)


def test_spawn() -> None:
    data = samples.Rows(4)
    loader = DataLoader(data, num_workers=1, multiprocessing_context="spawn")
    assert plain(loader) == [[[data.table[i].tolist()], [i], [0]] for i in range(4)]


def test_getitems_and_tensor_data_sets(kind: Any) -> None:
    data = TensorDataset(torch.arange(10), torch.arange(20).reshape(10, 2))
    loader = DataLoader(data, batch_size=5, num_workers=2, **kind)
    assert plain(loader) == plain(DataLoader(data, batch_size=5))


# -- what arrives ----------------------------------------------------------------------------------

VALUES: list[Any] = [
    torch.arange(6.0).reshape(2, 3),
    torch.zeros(0, 3),
    torch.tensor(5),
    torch.ones(3, 4).bfloat16(),
    torch.ones(2, 2, dtype=torch.complex64),
    torch.ones(2, dtype=torch.bool),
    torch.arange(10_000.0),
    torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1),
    torch.arange(10.0)[::3],
    torch.zeros(2, 0).t(),
    np.arange(5000).reshape(50, 100),
    np.array("text"),
    np.zeros(0),
    {"a": [1, "x", None], "b": (torch.ones(2), np.float32(2.5))},
    "x" * 100_000,
    b"bytes",
    3.5,
]


def test_values_arrive_as_they_were() -> None:
    loader = DataLoader(
        samples.Returns(VALUES), batch_size=3, collate_fn=samples.as_list, num_workers=1
    )
    got = [value for batch in loader for value in batch]
    assert len(got) == len(VALUES)
    for value, back in zip(VALUES, got, strict=True):
        assert type(back) is type(value)
        if isinstance(value, torch.Tensor):
            assert back.dtype is value.dtype
            assert back.tolist() == value.tolist()
            if value.ndim == 3:
                assert back.stride() == value.stride()
            back[...] = back.clone()  # writable
        elif isinstance(value, np.ndarray):
            assert back.dtype == value.dtype
            np.testing.assert_array_equal(back, value)
        elif isinstance(value, dict):
            assert back["a"] == value["a"]
            assert back["b"][0].tolist() == [1, 1]
        else:
            assert back == value


def test_gradients_are_not_dragged_along() -> None:
    with pytest.raises(RuntimeError, match="non-leaf tensor"):
        list(DataLoader(samples.WithHistory(), num_workers=1))
    options: dict[str, Any] = {"collate_fn": samples.ones_that_require_grad, "num_workers": 1}
    (batch,) = DataLoader(samples.Rows(1), **options)
    assert batch.requires_grad
    assert batch.is_leaf


def test_batches_that_are_kept_stay_what_they_are() -> None:
    data = samples.Rows(60)
    kept = [x for x, _, _ in DataLoader(data, batch_size=2, num_workers=2)]
    gc.collect()
    assert torch.equal(torch.cat(kept), data.table)
    views = [x[1] for x, _, _ in DataLoader(data, batch_size=2, num_workers=2)]
    assert torch.equal(torch.stack(views), data.table[1::2])
    assert kept[0].untyped_storage().nbytes() == kept[0].numel() * 4
    assert kept[0].storage_offset() == 0


def test_blocks_of_memory_go_round() -> None:
    addresses = set()
    for x, _, _ in DataLoader(samples.Rows(80), batch_size=2, num_workers=1):
        addresses.add(x.data_ptr())
    assert len(addresses) <= 6  # of 40 batches


def test_batches_beyond_the_number_of_mappings(monkeypatch: pytest.MonkeyPatch) -> None:
    from rushlight.utils.data._utils import transport

    monkeypatch.setattr(transport, "MOST_LEASES", 3)
    data = samples.Rows(40)
    kept = [x for x, _, _ in DataLoader(data, batch_size=2, num_workers=2)]
    assert torch.equal(torch.cat(kept), data.table)


def test_a_worker_has_its_own_copy_of_the_data() -> None:
    data = samples.Writes()
    got = [x.tolist() for x in DataLoader(data, batch_size=None, num_workers=2)]
    assert got == [[1, 1], [1, 1], [2, 2], [2, 2]]
    assert data.table[0] == 0


def test_shared_memory_says_so() -> None:
    """A batch is not on memory that others may hold on to: sharing it makes a copy."""
    (x,) = [x for x, _, _ in DataLoader(samples.Rows(2), batch_size=2, num_workers=1)]
    before = x.clone()
    x.share_memory_()
    assert x.is_shared()
    assert torch.equal(x, before)


# -- who a worker is -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(KINDS))
def test_worker_info(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADER_SAMPLE", "seen")
    torch.manual_seed(11)
    loader = DataLoader(
        samples.Info(),
        batch_size=None,
        num_workers=2,
        worker_init_fn=samples.tell,
        **KINDS[name],
    )
    got = list(loader)
    torch.manual_seed(11)
    base = int(torch.empty((), dtype=torch.int64).random_().item())
    threads = name == "thread"
    for k, (i, n, seed, method, rng, (pid, _), told) in enumerate(got):
        assert (i, n, seed) == (k % 2, 2, base + k % 2)
        assert method == ("thread" if threads else "multiprocessing")
        assert rng == (seed if threads else None)
        assert (pid == os.getpid()) == threads
        assert told[0] == "seen"
        assert told[1] == f"hello {i}" or threads  # threads share the data set
    assert len({where[1] for *_, where, _ in got}) == 2
    assert get_worker_info() is None


def test_threads_draw_from_their_own_generators() -> None:
    def numbers(**options: Any) -> Any:
        torch.manual_seed(4)
        loader = DataLoader(samples.Draws(), batch_size=2, num_workers=2, **options)
        return [(i.tolist(), x.tolist(), n.tolist()) for i, _, _, x, n in loader]

    assert numbers(worker_method="thread") == numbers()
    assert repr(type(torch.default_generator)) == "<class 'rushlight.Generator'>"  # as before them
    torch.manual_seed(4)
    first = torch.rand(3).tolist()
    torch.manual_seed(4)
    assert torch.rand(3).tolist() == first


# -- streams ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_streams(kind: Any) -> None:
    loader = DataLoader(samples.Numbers(11), batch_size=2, num_workers=2, **kind)
    assert [b.tolist() for b in loader] == [[0, 2], [1, 3], [4, 6], [5, 7], [8, 10], [9]]
    twice = DataLoader(samples.Numbers(3, share=False), batch_size=None, num_workers=2, **kind)
    assert list(twice) == [0, 0, 1, 1, 2, 2]
    dropping = DataLoader(samples.Numbers(11), 2, num_workers=2, drop_last=True, **kind)
    assert [b.tolist() for b in dropping] == [[0, 2], [1, 3], [4, 6], [5, 7], [8, 10]]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This DataLoader will create")
@pytest.mark.parametrize("persistent", [False, True])
def test_workers_whose_streams_end_early(kind: Any, persistent: bool) -> None:
    loader = DataLoader(
        samples.Uneven(), batch_size=2, num_workers=3, persistent_workers=persistent, **kind
    )
    for _ in range(2):
        got = sorted(i for b in loader for i in b.tolist())
        assert got == [*range(100, 104), *range(200, 208)]


# -- passes ----------------------------------------------------------------------------------------


def test_persistent_workers(kind: Any) -> None:
    loader = DataLoader(
        samples.Info(), batch_size=None, num_workers=2, persistent_workers=True, **kind
    )
    places = [{tuple(where) for *_, where, _ in loader} for _ in range(3)]
    assert places[0] == places[1] == places[2]
    passing = iter(loader)
    next(passing)  # dropped in the middle
    assert len(list(loader)) == 8
    first, second = iter(loader), iter(loader)
    assert first is second


@pytest.mark.slow
def test_several_passes_at_once(kind: Any) -> None:
    loader = DataLoader(samples.Rows(8), batch_size=2, num_workers=2, **kind)
    pairs = [(a[1].tolist(), b[1].tolist()) for a, b in zip(loader, loader, strict=True)]
    assert [a for a, _ in pairs] == [b for _, b in pairs] == [[0, 1], [2, 3], [4, 5], [6, 7]]


def test_any_order(kind: Any) -> None:
    loader = DataLoader(samples.Rows(30), batch_size=3, num_workers=2, in_order=False, **kind)
    got = [b[1].tolist() for b in loader]
    assert sorted(got) == [[i, i + 1, i + 2] for i in range(0, 30, 3)]


def test_many_batches_ahead(kind: Any) -> None:
    loader = DataLoader(samples.Rows(400), batch_size=2, num_workers=2, prefetch_factor=99, **kind)
    assert [i for b in loader for i in b[1].tolist()] == list(range(400))


def test_large_indices_do_not_jam() -> None:
    sampler = [list(range(50)) * 2000] * 6
    loader = DataLoader(
        samples.Returns([1] * 50), batch_sampler=sampler, collate_fn=len, num_workers=2
    )
    assert list(loader) == [100_000] * 6


def test_after_the_end(kind: Any) -> None:
    passing = iter(DataLoader(samples.Rows(2), num_workers=1, **kind))
    list(passing)
    assert list(passing) == []


def test_a_subclass(kind: Any) -> None:
    class Loud(DataLoader[Any]):
        def __iter__(self) -> Any:
            for batch in super().__iter__():
                yield "loud", batch[1].tolist()

    got = list(Loud(samples.Rows(3), num_workers=1, **kind))
    assert got == [("loud", [i]) for i in range(3)]


# -- errors ----------------------------------------------------------------------------------------


def test_an_error_in_a_worker_comes_to_the_parent(kind: Any) -> None:
    where = "thread" if "worker_method" in kind else "process"
    loader = DataLoader(samples.Raises(ValueError("bad sample")), num_workers=2, **kind)
    passing = iter(loader)
    assert [next(passing).item() for _ in range(2)] == [0, 1]
    with pytest.raises(ValueError, match="bad sample") as caught:
        next(passing)
    text = str(caught.value)
    assert text.startswith(f"Caught ValueError in DataLoader worker {where} 0.\nOriginal Traceback")
    assert "loader_samples.py" in text
    assert "raise self.error" in text
    assert next(passing).item() == 3  # the next batch comes as if nothing had been
    with pytest.raises(StopIteration):
        next(passing)


def test_errors_of_special_classes(kind: Any) -> None:
    def text_of(error: Exception, cls: Any) -> str:
        with pytest.raises(cls) as caught:
            list(DataLoader(samples.Raises(error), num_workers=1, **kind))
        return str(caught.value)

    assert "Original Traceback" in text_of(KeyError("nine"), KeyError)
    assert "\\n" not in text_of(KeyError("nine"), KeyError)
    assert "Caught TwoArguments" in text_of(samples.TwoArguments(1, 2), RuntimeError)


def test_an_error_of_a_local_class() -> None:
    class Local(Exception):
        pass

    loader = DataLoader(samples.Raises(Local("here")), num_workers=1)
    with pytest.raises(RuntimeError, match=r"(?s)\(Local\) in DataLoader worker process 0.*here"):
        list(loader)


@pytest.mark.slow
def test_errors_before_the_first_batch(kind: Any) -> None:
    with pytest.raises(ValueError, match="not in worker 0"):
        list(DataLoader(samples.Rows(3), num_workers=2, worker_init_fn=samples.refuse, **kind))
    with pytest.raises(TypeError, match="must contain tensors"):
        list(DataLoader(samples.Returns([object()]), num_workers=2, **kind))


def test_a_sample_that_cannot_be_sent() -> None:
    with pytest.raises(Exception, match=r"(?s)worker process 0.*pickle"):
        list(DataLoader(samples.Unpicklable(), batch_size=None, num_workers=1))


HOWS = ["exit", "SIGKILL", "SIGSEGV"] if sys.platform != "win32" else ["exit"]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("name", [name for name in KINDS if name != "thread"])
def test_a_worker_that_dies_is_named(how: str, name: str) -> None:
    loader = DataLoader(samples.Fails(5, how), num_workers=2, **KINDS[name])
    passing = iter(loader)
    pids = passing._pool.pids  # type: ignore[attr-defined]
    begun = time.monotonic()
    with pytest.raises(RuntimeError, match="exited unexpectedly") as caught:
        list(passing)
    assert time.monotonic() - begun < 60
    text = str(caught.value)
    assert f"DataLoader worker (pid(s) {pids[1]}) exited unexpectedly" in text
    assert "worker 1" in text
    assert ("exit code 7" if how == "exit" else f"({how})") in text
    if how == "SIGKILL":
        assert "out-of-memory" in text
    with pytest.raises(RuntimeError, match="have ended"):
        next(passing)
    assert all(not _runs(pid) for pid in pids)


@pytest.mark.parametrize("name", KINDS)
def test_programs_see_the_workers_by_their_old_name(name: str) -> None:
    passing = iter(DataLoader(samples.Rows(8), num_workers=2, **KINDS[name]))
    workers = passing._workers  # type: ignore[attr-defined]
    assert len(workers) == 2
    assert all(worker.is_alive() for worker in workers)
    del passing
    for worker in workers:
        worker.join(10)
        assert not worker.is_alive()
        assert getattr(worker, "exitcode", 0) == 0  # a thread has none


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_worker_killed_while_it_is_idle() -> None:
    loader = DataLoader(samples.Rows(8), num_workers=2, persistent_workers=True)
    list(loader)
    os.kill(loader._iterator._pool.pids[0], signal.SIGKILL)
    words = r"worker 0: DataLoader worker \(pid \d+\) is killed by signal: .*SIGKILL"
    with pytest.raises(RuntimeError, match=words):
        list(loader)
    assert len(list(loader)) == 8  # with new workers


@pytest.mark.slow
def test_timeout(kind: Any) -> None:
    loader = DataLoader(samples.Stuck(), num_workers=1, timeout=0.5, **kind)
    passing = iter(loader)
    assert next(passing).item() == 0
    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 0\.5 seconds"):
        next(passing)


@pytest.mark.filterwarnings("ignore:This DataLoader will create")
def test_warnings_of_pytorch() -> None:
    with pytest.warns(UserWarning, match="will create 5000 worker processes"):
        DataLoader(range(2), num_workers=5000)
    loader = DataLoader(samples.Rows(1), num_workers=1, pin_memory=True)
    with pytest.warns(UserWarning, match="'pin_memory' argument is set as true but no accelerator"):
        list(loader)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"multiprocessing_context": "no such"}, ValueError, "valid start method"),
        ({"multiprocessing_context": 3}, TypeError, "valid context"),
        ({"worker_method": "no such"}, ValueError, "worker_method"),
        ({"num_workers": 0, "multiprocessing_context": "spawn"}, ValueError, "num_workers > 0"),
    ],
)
def test_wrong_options(options: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        DataLoader(**{"dataset": range(3), "num_workers": 1, **options})


# -- what cannot be pickled ------------------------------------------------------------------------

needs_fork = pytest.mark.skipif("fork" not in KINDS, reason="no fork here")


@needs_fork
def test_lambdas_and_local_classes_are_forked() -> None:
    class Local(samples.Rows):
        pass

    loader = DataLoader(
        Local(4), batch_size=2, collate_fn=lambda b: [i for _, i, _ in b], num_workers=2
    )
    assert list(loader) == [[0, 1], [2, 3]]


@pytest.mark.slow
@needs_fork
def test_a_class_that_workers_cannot_import_is_forked() -> None:
    import types

    module = types.ModuleType("nowhere_to_be_found")
    exec("class Data(list):\n    pass", module.__dict__)
    module.Data.__module__ = module.__name__  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module
    try:
        data = module.Data([1, 2, 3])  # type: ignore[attr-defined]
        assert [b.item() for b in DataLoader(data, num_workers=2)] == [1, 2, 3]
        with pytest.raises(RuntimeError, match=r"(?s)unpack the data set.*nowhere_to_be_found"):
            list(DataLoader(data, num_workers=2, multiprocessing_context="spawn"))
    finally:
        del sys.modules[module.__name__]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="no fork server here")
def test_a_fork_server_that_is_killed_or_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    from multiprocessing import forkserver

    data = samples.Rows(4)
    assert len(list(DataLoader(data, num_workers=1))) == 4
    pid = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    os.kill(pid, signal.SIGKILL)
    assert len(list(DataLoader(data, num_workers=1))) == 4

    def broken(fds: Any) -> Any:
        raise EOFError

    monkeypatch.setattr(forkserver, "connect_to_new_process", broken)
    assert len(list(DataLoader(data, num_workers=2))) == 4


def test_what_cannot_be_pickled_is_named() -> None:
    loader = DataLoader(
        samples.Rows(4),
        collate_fn=lambda batch: batch,
        num_workers=1,
        multiprocessing_context="spawn",
    )
    with pytest.raises(Exception, match=r"(?s)collate_fn cannot be pickled.*try ") as caught:
        iter(loader)
    assert type(caught.value).__name__ == "PicklingError"


# -- nothing is left -------------------------------------------------------------------------------


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _open_files() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def _shared_files() -> set[str]:
    """Names in shared memory that this process or its children have made."""
    from rushlight.shared_memory import blocks

    names = os.listdir(blocks.folder())
    return {name for name in names if name.startswith(f"rushlight-{blocks.TREE}")}


@pytest.mark.long
@pytest.mark.parametrize("early", [False, True])
def test_start_and_stop_leaves_nothing(kind: Any, early: bool) -> None:
    data = samples.Rows(12)

    def cycle() -> list[int]:
        passing = iter(DataLoader(data, batch_size=2, num_workers=2, **kind))
        pids = [] if "worker_method" in kind else passing._pool.pids  # type: ignore[attr-defined]
        for _ in passing:
            if early:
                break
        return pids

    cycle()
    gc.collect()
    files, shared = _open_files(), _shared_files()
    pids = [pid for _ in range(6) for pid in cycle()]
    gc.collect()
    assert _open_files() <= files
    assert _shared_files() <= shared
    assert not [pid for pid in pids if _runs(pid)]
    assert not [p for p in multiprocessing.active_children() if p.pid in pids]


def test_an_error_of_a_worker_holds_no_frames() -> None:
    """What is raised in the loop is in no cycle, so the iterator goes when it has been handled."""
    seen = []

    class Iterator_:
        pass

    def loop() -> None:
        iterator = Iterator_()
        seen.append(weakref.ref(iterator))
        try:
            raise KeyError(1)
        except KeyError:
            wrapped = ExceptionWrapper()
        wrapped.reraise()

    gc.disable()
    try:
        with contextlib.suppress(KeyError):
            loop()
        assert seen[0]() is None
    finally:
        gc.enable()
