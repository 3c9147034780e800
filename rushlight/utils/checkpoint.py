"""Activation checkpointing: forget what a part of the network saved, and compute it again in
backward."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

from ..autograd import door
from ..autograd.backward import backward
from ..autograd.engine import current, innermost
from ..autograd.function import Function
from ..autograd.graph import saved_tensors_hooks
from ..blocks import contextmanager
from ..errors import message
from ..tensor import Tensor
from . import checkpoint_log
from .selective_checkpoint import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)
from .selective_checkpoint import _CachedTorchDispatchMode as _CachedTorchDispatchMode
from .selective_checkpoint import _CachingTorchDispatchMode as _CachingTorchDispatchMode

__all__ = [
    "CheckpointError",
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]
_early_stop = True
_debug: bool | None = None  # None: as each call says


class CheckpointError(RuntimeError):
    """The recomputation did not save what the first computation had saved.

    >>> from rushlight.utils.checkpoint import checkpoint
    >>> calls = []
    >>> def fickle(x):
    ...     calls.append(x)
    ...     return torch.exp(x) if len(calls) == 1 else torch.exp(x[:1])
    >>> y = checkpoint(fickle, torch.ones(3, requires_grad=True), use_reentrant=False)
    >>> try:
    ...     y.sum().backward()
    ... except torch.utils.checkpoint.CheckpointError:
    ...     print("the function does something else the second time")
    the function does something else the second time
    """


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tensors among `inputs` detached, each asking for a gradient as before.

    >>> x = torch.ones(1, requires_grad=True) * 2
    >>> torch.utils.checkpoint.detach_variable((x, 3))
    (tensor([2.], requires_grad=True), 3)
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            "Only tuple of tensors is supported. Got Unsupported input type: "
            f"{type(inputs).__name__}"
        )
    return tuple(
        x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in inputs
    )


def check_backward_validity(inputs: Any) -> None:
    """Warn if no tensor among `inputs` asks for a gradient: backward would reach none.

    >>> torch.utils.checkpoint.check_backward_validity([torch.ones(1, requires_grad=True)])
    """
    if not any(isinstance(x, Tensor) and x.requires_grad for x in inputs):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2
        )


def noop_context_fn() -> tuple[Any, Any]:
    """Two contexts that do nothing: `context_fn` of `checkpoint` unless another is given.

    >>> with torch.utils.checkpoint.noop_context_fn()[0]:
    ...     torch.ones(1)
    tensor([1.])
    """
    return nullcontext(), nullcontext()


class DefaultDeviceType:
    """The kind of device whose random state `checkpoint` keeps where no tensor tells: here it is
    the CPU's that counts, whatever is set.

    >>> torch.utils.checkpoint.DefaultDeviceType.get_device_type()
    'cuda'
    """

    _default_device_type = "cuda"

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Set it."""
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type() -> str:
        """Ask for it."""
        return DefaultDeviceType._default_device_type


@contextmanager
def _rng(preserve: bool, state: Any) -> Iterator[None]:
    from ..random import fork_rng, set_rng_state

    if not preserve:
        yield
        return
    with fork_rng(devices=[]):
        set_rng_state(state)
        yield


def _rng_state(preserve: bool) -> Any:
    from ..random import get_rng_state

    return get_rng_state() if preserve else None


def _casts() -> Callable[[], Any]:
    """What enters autocast as it is now: backward, which computes again, may run elsewhere."""
    from ..amp.autocast_mode import (
        autocast,
        get_autocast_dtype,
        is_autocast_cache_enabled,
        is_autocast_enabled,
    )

    dtype, on = get_autocast_dtype("cpu"), is_autocast_enabled("cpu")
    cached = is_autocast_cache_enabled()
    return lambda: autocast("cpu", dtype=dtype, enabled=on, cache_enabled=cached)


class _Enough(Exception):
    """Ends a recomputation when it has saved all that is needed."""

    def __init__(self, frame: Any) -> None:
        super().__init__()
        self.frame = frame


class _Frame:
    """What one checkpointed call saved: shapes first, the values again when backward asks.

    Each backward computes them anew and drops each value once it was used. One may come while the
    call still runs, which differentiates within: it gets what has been saved so far.
    """

    def __init__(
        self, run: Callable[[], Any], preserve: bool, determinism_check: str, early_stop: bool
    ) -> None:
        self.run = run
        self.early_stop = early_stop
        self.preserve = preserve
        self.state = _rng_state(preserve)
        self.casts = _casts()
        self.check = determinism_check
        self.metas: list[tuple[Any, Any]] = []
        self.complete = False  # the call has returned
        self.logs: Any = None  # of the operations of the call, and of the last recomputation
        self.values: Any = weakref.WeakKeyDictionary()  # by backward

    def pack(self, t: Any) -> int:
        self.metas.append((tuple(t.shape), t.dtype))
        return len(self.metas) - 1

    def unpack(self, i: int) -> Any:
        backward = innermost()
        if backward is None:  # somebody looks at what a node saved
            return self.recompute()[i]
        values = self.values.get(backward)
        if values is None or i not in values:
            values = self.values[backward] = dict(enumerate(self.recompute()))
        value = values.pop(i)
        if not values:
            del self.values[backward]
        return value

    def recompute(self) -> list[Any]:
        if self.logs is None:
            return self.values_again()
        with self.logs[1].writing():
            try:
                return self.values_again()
            except CheckpointError as error:
                raise CheckpointError(checkpoint_log.told(error, *self.logs)) from error

    def values_again(self) -> list[Any]:
        values: list[Any] = []
        wanted = len(self.metas)

        def keep(t: Any) -> Any:
            if len(values) == wanted:
                if self.complete:
                    raise CheckpointError(
                        "torch.utils.checkpoint: trying to save more tensors during recomputation "
                        f"than during the original forward pass ({wanted})."
                    )
                return t.detach()
            values.append(t.detach() if t.requires_grad else t)
            if self.early_stop and len(values) == wanted:
                raise _Enough(self)
            return values[-1]

        with (
            door.grad_enabled(True),
            saved_tensors_hooks(keep, lambda t: t),
            _rng(self.preserve, self.state),
            self.casts(),
        ):
            try:
                self.run()
            except _Enough as stop:
                if stop.frame is not self:
                    raise
        if len(values) != wanted:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {wanted}\n"
                f"Number of tensors saved during recomputation: {len(values)}"
            )
        if self.check != "none":
            for i, (v, meta) in enumerate(zip(values, self.metas, strict=False)):
                if (tuple(v.shape), v.dtype) != meta:
                    raise CheckpointError(
                        "torch.utils.checkpoint: Recomputed values for the following tensors "
                        "have different metadata than "
                        f"during the forward pass.\ntensor at position {i}:\nsaved metadata: "
                        f"{meta}\n"
                        f"recomputed metadata: {(tuple(v.shape), v.dtype)}"
                    )
        return values


class _Reentrant(Function):
    @staticmethod
    def forward(ctx: Any, run: Any, preserve: bool, *args: Any) -> Any:
        ctx.run, ctx.preserve = run, preserve
        ctx.state = _rng_state(preserve)
        ctx.casts = _casts()
        ctx.args = [None if isinstance(a, Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*[a for a in args if isinstance(a, Tensor)])
        return run(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if current().needed is not None:
            raise RuntimeError(
                message(
                    "When use_reentrant=True, torch.utils.checkpoint is incompatible with "
                    ".grad() or passing an `inputs` parameter to .backward().",
                    got="a backward for chosen inputs only",
                    wanted="loss.backward(), which gives every leaf its gradient",
                    hint="checkpoint(..., use_reentrant=False)",
                )
            )
        args = list(ctx.args)
        for i, t in zip(ctx.places, ctx.saved_tensors, strict=True):
            again = t.detach()
            again.requires_grad = t.requires_grad
            args[i] = again
        with door.grad_enabled(True), _rng(ctx.preserve, ctx.state), ctx.casts():
            outs = ctx.run(*args)
        outs = (outs,) if isinstance(outs, Tensor) else tuple(outs)
        pairs = [
            (o, g)
            for o, g in zip(outs, grads, strict=True)
            if isinstance(o, Tensor) and o.requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        backward([o for o, _ in pairs], [g for _, g in pairs])
        return (
            None,
            None,
            *[a.grad if isinstance(a, Tensor) and a.requires_grad else None for a in args],
        )


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Any] | None = None,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Call `function(*args)` without keeping what it saves; backward computes it again.

    Args:
        use_reentrant: True for the old way (an own backward inside backward: some input must
            require grad); False for recomputation when a saved value is asked for.
        early_stop: end the recomputation as soon as it has saved what is needed (not re-entrant
            only).
        preserve_rng_state: the recomputation sees the same random numbers.
        context_fn: returns two context managers, for the forward and for the recomputation (not
            re-entrant only).
        determinism_check: "default" compares shapes and dtypes of the saved values, "none" nothing.
        debug: keep a log of the operations, for the error when a recomputation saves something
            else (not re-entrant only).

    Raises:
        CheckpointError: the recomputation saved something else.

    >>> from rushlight.utils.checkpoint import checkpoint
    >>> def block(x):
    ...     print("computed")
    ...     return torch.tanh(x) ** 2
    >>> x = torch.tensor([0.0, 1.0], requires_grad=True)
    >>> y = checkpoint(block, x, use_reentrant=False)
    computed
    >>> y.sum().backward()
    computed
    >>> x.grad
    tensor([0.0000, 0.6397])
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. "
            "use_reentrant=False is "
            "recommended, but if you need to preserve the current default behavior, you can "
            "pass use_reentrant=True.",
            UserWarning,
            stacklevel=2,
        )
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not None:
            raise ValueError("Passing `context_fn` is only supported when use_reentrant=False.")
        if door.state.enabled and not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            warnings.warn(
                "None of the inputs have requires_grad=True. Gradients will be None",
                UserWarning,
                stacklevel=2,
            )
        return _Reentrant.apply(function, preserve_rng_state, *args)
    forward_context, again_context = (
        context_fn() if context_fn is not None else (nullcontext(), nullcontext())
    )

    def run() -> Any:
        with again_context:
            return function(*args, **kwargs)

    if (debug if _debug is None else _debug) and context_fn is not None:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    if not door.state.enabled:
        return function(*args, **kwargs)
    for given in args:  # which stay until backward
        if isinstance(given, Tensor) and door.is_inference(given):
            raise door.inference_error("checkpoint", given)
    frame = _Frame(run, preserve_rng_state, determinism_check, early_stop and _early_stop)
    if debug if _debug is None else _debug:
        frame.logs = checkpoint_log.Log(), checkpoint_log.Log()
        forward_context = frame.logs[0].writing()
    with saved_tensors_hooks(frame.pack, frame.unpack), forward_context:
        out = function(*args, **kwargs)
    frame.complete = True
    return out


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Run a sequence of modules in `segments` parts, all but the last checkpointed.

    Args:
        functions: a `Sequential`, or a list of modules or functions.
        segments: of as equal a number of modules as can be; each keeps its input only.
        input: of the first.
        use_reentrant: as for `checkpoint`.

    >>> from rushlight.utils.checkpoint import checkpoint_sequential
    >>> net = nn.Sequential(*(nn.Linear(4, 4) for _ in range(6)))
    >>> x = torch.randn(2, 4)
    >>> torch.equal(checkpoint_sequential(net, 3, x, use_reentrant=False), net(x))
    True
    """
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))

    def part(start: int, end: int) -> Callable[[Any], Any]:
        def forward(x: Any) -> Any:
            for f in functions[start:end]:
                x = f(x)
            return x

        return forward

    functions = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(functions) // segments
    end = 0
    for k in range(segments - 1):
        start, end = k * size, (k + 1) * size
        input = checkpoint(
            part(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve
        )
    return part(end, len(functions))(input)


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Within the block, checkpoints end their recomputation early (or not), whatever their
    argument says.

    >>> from rushlight.utils.checkpoint import checkpoint, set_checkpoint_early_stop
    >>> def block(x):
    ...     y = torch.tanh(x)
    ...     print("end of the block")
    ...     return y
    >>> x = torch.ones(1, requires_grad=True)
    >>> with set_checkpoint_early_stop(False):
    ...     y = checkpoint(block, x, use_reentrant=False)
    end of the block
    >>> y.backward()  # all of it is computed again
    end of the block
    """
    global _early_stop
    before, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = before


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Within the block, checkpoints are made with `debug=enabled`, whatever their argument says;
    None leaves it to them.

    >>> with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):
    ...     y = torch.utils.checkpoint.checkpoint(torch.exp, torch.zeros(1), use_reentrant=False)
    >>> y
    tensor([1.])
    """
    global _debug
    before, _debug = _debug, enabled
    try:
        yield
    finally:
        _debug = before


def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """The devices of the tensors among `args` and their generators' states: none but the CPU's,
    which is not among them."""
    return [], []


def set_device_states(devices: Any, states: Any, *, device_type: str | None = None) -> None:
    """Harmless: no device but the CPU has a generator."""


def _infer_device_type(*args: Any) -> str:
    """Where the tensors are."""
    return "cpu"
