"""Autocast switched by hand: what libraries call that save, change and restore its state themselves
(`torch.set_autocast_enabled` and its like). Programs say `with torch.autocast("cpu"):`.
"""

from __future__ import annotations

import threading
import warnings
from typing import Any

from rushlight import dtypes
from rushlight.autograd import door, watch
from rushlight.device import device

from .autocast_mode import _cast_operands, _Casting, _state


class _Own(threading.local):
    """Whether autocast stands at this thread's door because of a call here, and how deep it is."""

    stands = False
    depth = 0
    watcher: Any = None


_own = _Own()


def _need(name: str, argument: str, place: int, value: Any, kind: type, said: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {place}) must be {said}, not "
            f"{type(value).__name__}"
        )


def set_autocast_enabled(*given: Any, **named: Any) -> None:
    """Switch autocast on or off in this thread: `set_autocast_enabled(device_type, enabled)`, or
    `set_autocast_enabled(enabled)`, which in PyTorch means "cuda" and does nothing here.

    Raises:
        TypeError: what is not a bool.
        RuntimeError: a kind of device that there is not.

    >>> torch.set_autocast_enabled("cpu", True)
    >>> (torch.ones(1, 1) @ torch.ones(1, 1)).dtype
    torch.bfloat16
    >>> torch.set_autocast_enabled("cpu", False)
    """
    values = [*given, *(named[k] for k in ("device_type", "enabled") if k in named)]
    _need("set_autocast_enabled", "enabled", len(values), values[-1], bool, "bool")
    kind = device(values[0]).type if len(values) > 1 else "cuda"
    if kind != "cpu":
        return  # nothing is computed there
    on = values[-1]
    if on is not _own.stands:
        if _own.watcher is None:
            _own.watcher = watch.watching(_cast_operands)
        if on:
            _own.watcher.__enter__()
        else:
            _own.watcher.leave()
        _own.stands = on
    _state.enabled = on
    door.state.autocast = _Casting if on else None


def set_autocast_dtype(device_type: str, dtype: Any) -> None:
    """Say which type autocast casts to on the CPU from now on; other devices are not there, and
    nothing is kept of them.

    >>> torch.set_autocast_dtype("cpu", torch.float16)
    >>> torch.get_autocast_dtype("cpu")
    torch.float16
    >>> torch.set_autocast_dtype("cpu", torch.bfloat16)
    """
    _need("set_autocast_dtype", "dtype", 2, dtype, dtypes.dtype, "torch.dtype")
    if device(device_type).type == "cpu":
        _state.dtype = dtype


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Kept and told by `is_autocast_cache_enabled`; casts are not cached here.

    >>> torch.set_autocast_cache_enabled(True)
    """
    _need("set_autocast_cache_enabled", "enabled", 1, enabled, bool, "bool")
    _state.cache = enabled


def clear_autocast_cache() -> None:
    """Nothing to clear: casts are not cached.

    >>> torch.clear_autocast_cache()
    """


def autocast_increment_nesting() -> int:
    """One block of autocast more; returns how many there are.

    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    _own.depth += 1
    return _own.depth


def autocast_decrement_nesting() -> int:
    """One block of autocast less; returns how many are left.

    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    _own.depth -= 1
    return _own.depth


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """The older spelling of `set_autocast_enabled("cpu", enabled)`."""
    _old("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def set_autocast_cpu_dtype(dtype: Any) -> None:
    """The older spelling of `set_autocast_dtype("cpu", dtype)`."""
    _old("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def set_autocast_gpu_dtype(dtype: Any) -> None:
    """The older spelling of `set_autocast_dtype("cuda", dtype)`, which changes nothing here."""
    _old("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)


def _old(was: str, now: str) -> None:
    text = f"torch.{was} is deprecated. Please use torch.{now} instead."
    warnings.warn(text, DeprecationWarning, stacklevel=3)
