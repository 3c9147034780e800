"""`torch._C._nn`: what PyTorch's layers call; here the functions of `nn.functional`."""

from __future__ import annotations

from typing import Any


def _parse_to(*args: Any, **kw: Any) -> tuple[Any, Any, bool, Any]:
    """The overloads of `to` as (device, dtype, non_blocking, memory_format).

    >>> _parse_to("cpu", non_blocking=True)
    (device(type='cpu'), None, True, None)
    """
    from rushlight.nn._convert import _parse_to

    return _parse_to(*args, **kw)


def __getattr__(name: str) -> Any:
    """The function of this name in `nn.functional`."""
    import rushlight

    if not name.startswith("__") and hasattr(rushlight.nn.functional, name):
        return getattr(rushlight.nn.functional, name)
    raise AttributeError(f"module 'torch._C._nn' has no attribute '{name}'")
