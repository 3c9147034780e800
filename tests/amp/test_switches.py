"""Autocast switched by hand, alone and inside of blocks."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import rushlight as torch
from rushlight.autograd import door

X = torch.ones(2, 2)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    watchers = door.state.watchers
    yield
    torch.set_autocast_enabled("cpu", False)
    torch.set_autocast_dtype("cpu", torch.bfloat16)
    assert door.state.watchers == watchers
    assert door.state.autocast is None


def test_on_and_off() -> None:
    torch.set_autocast_enabled("cpu", True)
    torch.set_autocast_enabled("cpu", True)
    assert torch.is_autocast_enabled("cpu")
    assert (X @ X).dtype is torch.bfloat16
    seen = []
    thread = threading.Thread(target=lambda: seen.append((X @ X).dtype))
    thread.start()
    thread.join()
    assert seen == [torch.float32]  # it is this thread's
    torch.set_autocast_dtype("cpu", torch.float16)
    assert (X @ X).dtype is torch.float16
    torch.set_autocast_enabled("cpu", False)
    assert not torch.is_autocast_enabled("cpu")
    assert (X @ X).dtype is torch.float32


def test_inside_of_blocks() -> None:
    with torch.autocast("cpu"):
        torch.set_autocast_enabled("cpu", False)
        assert (X @ X).dtype is torch.float32
        torch.set_autocast_enabled("cpu", True)
        assert (X @ X).dtype is torch.bfloat16
    assert (X @ X).dtype is torch.float32
    assert not torch.is_autocast_enabled("cpu")
    torch.set_autocast_enabled("cpu", True)
    with torch.autocast("cpu", enabled=False):
        assert (X @ X).dtype is torch.float32
    assert (X @ X).dtype is torch.bfloat16


def test_other_devices_and_old_spellings() -> None:
    torch.set_autocast_enabled(True)  # "cuda": nothing is computed there
    assert not torch.is_autocast_enabled()
    assert (X @ X).dtype is torch.float32
    with pytest.warns(DeprecationWarning, match=r"set_autocast_enabled\('cpu', enabled\)"):
        torch.set_autocast_cpu_enabled(True)
    assert torch.is_autocast_enabled("cpu")
    with pytest.warns(DeprecationWarning, match=r"set_autocast_dtype\('cpu', dtype\)"):
        torch.set_autocast_cpu_dtype(torch.float16)
    with pytest.warns(DeprecationWarning, match="'cuda'"):
        torch.set_autocast_gpu_dtype(torch.float16)
    torch.set_autocast_cache_enabled(False)
    assert not torch.is_autocast_cache_enabled()
    torch.set_autocast_cache_enabled(True)
    assert torch.autocast_increment_nesting() == 1
    assert torch.autocast_decrement_nesting() == 0


def test_wrong_arguments() -> None:
    for call in (
        lambda: torch.set_autocast_enabled("cpu", 1),
        lambda: torch.set_autocast_enabled(1),
        lambda: torch.set_autocast_dtype("cpu", 3),
        lambda: torch.set_autocast_cache_enabled(0),
        lambda: torch.set_anomaly_enabled(1),
    ):
        with pytest.raises(TypeError, match="must be"):
            call()
    with pytest.raises(RuntimeError, match="foo"):
        torch.set_autocast_enabled("foo", True)


def test_anomaly_mode() -> None:
    torch.set_anomaly_enabled(True, check_nan=False)
    assert torch.is_anomaly_enabled()
    assert not torch.is_anomaly_check_nan_enabled()
    torch.set_anomaly_enabled(False)
    assert not torch.is_anomaly_enabled()
