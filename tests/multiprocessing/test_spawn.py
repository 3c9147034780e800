"""`spawn`: processes that work, raise, leave, are killed."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import time
from typing import Any

import pytest

import rushlight as torch
import rushlight.multiprocessing as mp


def mark(i: int, t: Any) -> None:
    t[i] = i + 1


def raise_in_one(i: int) -> None:
    if i == 1:
        raise ValueError("one is wrong")
    time.sleep(60)


def leave(i: int, code: int) -> None:
    os._exit(code)


def killed(i: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def interrupted(i: int) -> None:
    raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("method", mp.get_all_start_methods())
def test_every_process_gets_its_index(method: str) -> None:
    t = torch.zeros(3).share_memory_()
    assert mp.start_processes(mark, (t,), nprocs=3, start_method=method) is None
    assert t.tolist() == [1, 2, 3]


@pytest.mark.slow
def test_spawn_without_join_gives_a_context() -> None:
    t = torch.zeros(2).share_memory_()
    context: Any = mp.spawn(mark, (t,), nprocs=2, join=False)
    assert isinstance(context, mp.ProcessContext)
    assert len(context.pids()) == 2
    while not context.join(timeout=30):
        pass
    assert t.tolist() == [1, 2]
    assert context.join()


def test_parallel_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_MP_PARALLEL_START", "1")
    t = torch.zeros(3).share_memory_()
    mp.start_processes(mark, (t,), nprocs=3, start_method="forkserver")
    assert t.tolist() == [1, 2, 3]


def test_an_exception_stops_the_others(caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.ERROR),
        pytest.raises(mp.ProcessRaisedException, match="one is wrong") as e,
    ):
        mp.start_processes(raise_in_one, nprocs=3, start_method="fork")
    assert "-- Process 1 terminated with the following error:\nTraceback" in str(e.value)
    assert e.value.error_index == 1
    again = pickle.loads(pickle.dumps(e.value))
    assert again.error_pid == e.value.error_pid


def test_exit_codes_and_signals() -> None:
    with pytest.raises(
        mp.ProcessExitedException, match="process 0 terminated with exit code 7"
    ) as e:
        mp.start_processes(leave, (7,), start_method="fork")
    assert e.value.exit_code == 7
    with pytest.raises(
        mp.ProcessExitedException, match="process 0 terminated with signal SIGKILL"
    ) as e:
        mp.start_processes(killed, start_method="fork")
    assert e.value.signal_name == "SIGKILL"
    assert pickle.loads(pickle.dumps(e.value)).exit_code == -9
    mp.start_processes(interrupted, start_method="fork")


@pytest.mark.slow
def test_other_start_methods_are_warned_of() -> None:
    t = torch.zeros(1).share_memory_()
    with pytest.warns(FutureWarning, match="only supports start_method=spawn"):
        mp.spawn(mark, (t,), start_method="fork")
    with pytest.warns(UserWarning, match="renamed to ProcessContext"):
        mp.SpawnContext([], [])
