"""autocast: matrix products and convolutions in bfloat16, sensitive losses in float32.

A watcher at the door casts operands as their op's record says (`autocast=`, after PyTorch's lists
for the CPU). On a CPU without bfloat16 arithmetic this gives PyTorch's rounding, not speed. Not
here: loss scaling (`grad_scaler.py`).
"""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rushlight import dtypes
from rushlight.autograd import door, watch
from rushlight.autograd.node import TensorBase
from rushlight.errors import message
from rushlight.once import users_level
from rushlight.ops.shape.convert import cast

_DEVICES = ("cpu", "cuda", "mps", "xpu", "hpu", "mtia", "ipu", "xla", "privateuseone")


class _State(threading.local):
    """Whether this thread casts, and to what."""

    enabled = False
    dtype = dtypes.bfloat16
    cache = True


_state = _State()


def _cast_operands(following: Callable[..., Any], op: Any, inputs: Any, kw: Any) -> Any:
    """The watcher: see the operands of `op` to the type that its record's policy says."""
    if _state.enabled and op.autocast is not None:
        into = _target(op, [t._a.dtype for t in inputs if isinstance(t, TensorBase)])
        inputs = tuple([_to(t, into) for t in inputs])
    return following(op, inputs, kw)


def _target(op: Any, types: list[Any]) -> dtypes.dtype:
    """The type that the floats among the operands of `op` come in."""
    if op.autocast == "lower":
        return _state.dtype
    if op.autocast == "float32":
        return dtypes.float32
    floats = [d for d in map(dtypes.from_numpy, types) if _casts(d)]
    return functools.reduce(dtypes.promote_types, floats) if floats else dtypes.float32


def _casts(d: dtypes.dtype) -> bool:
    """Whether autocast touches a type: no integers, no float64."""
    return d.is_floating_point and d is not dtypes.float64


class _Casting:
    """What others are told of autocast while it is on (`door.state.autocast`)."""

    @staticmethod
    def types(op: Any, types: list[Any]) -> list[Any]:
        """What the types of operands are once they have been cast (see `door.arriving`)."""
        if op.autocast is None:
            return types
        into = _target(op, types).np
        return [into if _casts(dtypes.from_numpy(d)) else d for d in types]

    @staticmethod
    def call(policy: str, fn: Any, args: Any, kw: Any) -> Any:
        """A function that is made of ops, of operands cast as `policy` says: what it is made of is
        computed in the types that come."""
        into = _state.dtype if policy == "lower" else dtypes.float32
        with autocast("cpu", enabled=False):
            return fn(*_cast_all(args, into), **_cast_all(kw, into))


def _to(t: Any, dtype: dtypes.dtype) -> Any:
    if isinstance(t, TensorBase):
        now = dtypes.from_numpy(t._a.dtype)
        if _casts(now) and now is not dtype:
            return cast(t, dtype)
    return t


class autocast:
    """Context manager and decorator under which products are computed in a narrower type.

    Args:
        device_type: "cpu"; "cuda" is accepted and, without such a device, disabled with a warning.
        dtype: bfloat16 (the default) or float16.
        enabled: False makes it do nothing, also inside another autocast.
        cache_enabled: accepted; casts are not cached.

    >>> import rushlight as torch
    >>> a = torch.ones(2, 2)
    >>> with torch.amp.autocast("cpu"):
    ...     (a @ a).dtype
    torch.bfloat16
    """

    def __init__(
        self,
        device_type: str,
        dtype: dtypes.dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(
                message(
                    f"User specified an unsupported autocast device_type '{device_type}'",
                    hint='autocast("cpu")',
                )
            )
        self.device = device_type
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self._cache_enabled = _state.cache if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warnings.warn(
                "CUDA is not available or torch_xla is imported. Disabling autocast.",
                stacklevel=users_level(),
            )
            enabled = False
        elif enabled and device_type != "cpu":
            warnings.warn(
                f"Device '{device_type}' is not available. Disabling autocast.", stacklevel=2
            )
            enabled = False
        elif enabled and self.fast_dtype not in (dtypes.bfloat16, dtypes.float16):
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.",
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled
        self._entered: tuple[Any, ...] = ()

    def __enter__(self) -> autocast:
        before = (_state.enabled, _state.dtype, _state.cache, door.state.autocast)
        watcher = None
        if self.device == "cpu" and self._enabled:
            watcher = watch.watching(_cast_operands)
            watcher.__enter__()
            _state.dtype = self.fast_dtype
        if self.device == "cpu":
            door.state.autocast = _Casting if self._enabled else None
            _state.enabled, _state.cache = self._enabled, self._cache_enabled
        self._entered = (*self._entered, (before, watcher))
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        *others, (before, watcher) = self._entered
        self._entered = (*others,)
        _state.enabled, _state.dtype, _state.cache, door.state.autocast = before
        if watcher is not None:
            try:
                watcher.leave()
            except BaseException:
                watcher.leave()
                raise

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(func):
            raise TypeError(
                message(
                    f"autocast()(func) requires a callable, but got {type(func).__name__}",
                    hint="with autocast(...): output = model(input)",
                )
            )

        @functools.wraps(func)
        def under_autocast(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return under_autocast


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast knows this kind of device (it need not be there).

    >>> torch.amp.is_autocast_available("cpu"), torch.amp.is_autocast_available("meta")
    (True, False)
    """
    return device_type in _DEVICES


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether autocast is on for a kind of device in this thread.

    >>> with torch.autocast("cpu"):
    ...     torch.is_autocast_enabled("cpu")
    True
    >>> torch.is_autocast_enabled("cpu")
    False
    """
    return device_type == "cpu" and _state.enabled


def get_autocast_dtype(device_type: str) -> dtypes.dtype:
    """The type that autocast casts to: bfloat16 on the CPU unless `autocast` was told another.

    >>> with torch.autocast("cpu", dtype=torch.float16):
    ...     torch.get_autocast_dtype("cpu")
    torch.float16
    >>> torch.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    return _state.dtype if device_type == "cpu" else dtypes.float16


def _old(name: str, now: str) -> None:
    text = f"torch.{name}() is deprecated. Please use torch.{now} instead."
    warnings.warn(text, DeprecationWarning, stacklevel=3)


def is_autocast_cpu_enabled() -> bool:
    """The older spelling of `is_autocast_enabled('cpu')`."""
    _old("is_autocast_cpu_enabled", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def get_autocast_cpu_dtype() -> dtypes.dtype:
    """The older spelling of `get_autocast_dtype('cpu')`."""
    _old("get_autocast_cpu_dtype", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> dtypes.dtype:
    """The older spelling of `get_autocast_dtype('cuda')`."""
    _old("get_autocast_gpu_dtype", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def is_autocast_cache_enabled() -> bool:
    """What `cache_enabled` was; casts are not cached here."""
    return _state.cache


def custom_fwd(
    fwd: Callable[..., Any] | None = None,
    *,
    device_type: str,
    cast_inputs: dtypes.dtype | None = None,
) -> Any:
    """Decorate the `forward` of a Function: with `cast_inputs` it casts and leaves autocast.

    Args:
        fwd: the `forward`; left out in the form with parentheses.
        device_type: the kind of device whose autocast counts.
        cast_inputs: under autocast, floating-point tensors are cast to this type and autocast is
            off inside; None: inputs come as they are and autocast stays on.

    Together with `custom_bwd`:

    >>> class Product(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    ...     def forward(ctx, a, b):
    ...         ctx.save_for_backward(a, b)
    ...         return a @ b
    ...
    ...     @staticmethod
    ...     @torch.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, g):
    ...         a, b = ctx.saved_tensors
    ...         return g @ b.T, a.T @ g
    >>> a = torch.ones(2, 2)
    >>> with torch.autocast("cpu"):
    ...     (a @ a).dtype, Product.apply(a, a).dtype
    (torch.bfloat16, torch.float32)
    """
    _check_device_type(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(*args: Any, **kwargs: Any) -> Any:
        context = args[0]
        context._dtype = get_autocast_dtype(device_type)
        context._fwd_used_autocast = False
        if cast_inputs is None:
            context._fwd_used_autocast = is_autocast_enabled(device_type)
            return fwd(*args, **kwargs)
        if not is_autocast_enabled(device_type):
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*_cast_all(args, cast_inputs), **_cast_all(kwargs, cast_inputs))

    return forward


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Any:
    """Decorate the `backward` of a Function: it runs under the autocast of its forward.

    Args:
        bwd: the `backward`; left out in the form with parentheses.
        device_type: as `custom_fwd` was given.

    >>> class Twice(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu")
    ...     def forward(ctx, x):
    ...         return x * 2
    ...
    ...     @staticmethod
    ...     @torch.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, g):
    ...         print(torch.is_autocast_enabled("cpu"))
    ...         return g * 2
    >>> x = torch.ones(1, requires_grad=True)
    >>> with torch.autocast("cpu"):
    ...     y = Twice.apply(x)
    >>> y.backward()
    True
    """
    _check_device_type(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(*args: Any, **kwargs: Any) -> Any:
        context = args[0]
        used = context._fwd_used_autocast
        with autocast(device_type, dtype=context._dtype, enabled=used):
            return bwd(*args, **kwargs)

    return backward


def _check_device_type(device_type: Any) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def _cast_all(value: Any, dtype: dtypes.dtype) -> Any:
    if isinstance(value, TensorBase):
        return _to(value, dtype)
    if isinstance(value, Mapping):
        return {k: _cast_all(v, dtype) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast_all(v, dtype) for v in value)
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return value if hasattr(value, "__array__") else (_cast_all(v, dtype) for v in value)
    return value
