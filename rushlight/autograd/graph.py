"""Hooks on the graph as a whole: saved tensors, several tensors at once, increments of versions.

`saved_tensors_hooks`, `save_on_cpu`, `disable_saved_tensors_hooks`, `register_multi_grad_hook`,
`get_gradient_edge`, `increment_version`, `allow_mutation_on_saved_tensors`.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from ..blocks import contextmanager
from . import changes, door, engine, views, watch
from .hooks import RemovableHandle
from .node import LEAF, GradientEdge, Node, Out, TensorBase, accumulator

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """Where the gradient of `tensor` goes (its AccumulateGrad when it is a leaf)."""
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require "
            "gradients."
        )
    fn = tensor._fn
    if fn is LEAF:
        return GradientEdge(accumulator(tensor), 0)
    return GradientEdge(fn.node, fn.nr) if fn.__class__ is Out else GradientEdge(fn, 0)


def increment_version(tensor: Any) -> None:
    """Count an in-place change that autograd did not see."""
    for t in (tensor,) if isinstance(tensor, TensorBase) else tensor:
        views.cell(t).bump("increment_version")


class _unsafe_preserve_version_counter:
    """A block whose changes of tensors in place are not counted: what was saved of them is then
    used as it is."""

    def __init__(self, tensors: Any) -> None:
        self.tensors = (tensors,) if isinstance(tensors, TensorBase) else tuple(tensors)

    def __enter__(self) -> None:
        cells = [views.cell(t) for t in self.tensors]
        self.before = [(c, [getattr(c, name) for name in c.__slots__]) for c in cells]

    def __exit__(self, *args: object) -> None:
        for cell, values in self.before:
            for name, value in zip(cell.__slots__, values, strict=True):
                setattr(cell, name, value)


_forbidden: list[str] = []


class saved_tensors_hooks:
    """Pass every tensor that operations save through `pack_hook`, and back through `unpack_hook`
    in backward.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t):
    ...     y = x.exp()
    >>> y.sum().backward()
    >>> x.grad
    tensor([5.4366, 5.4366])
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        if _forbidden:
            raise RuntimeError(_forbidden[-1])
        pair = (self.pack_hook, self.unpack_hook)
        watch.come(("packer", id(pair)))
        door.state.packers = (*door.state.packers, pair)

    def __exit__(self, *args: object) -> None:
        if not door.state.packers:
            return
        *others, pair = door.state.packers
        try:
            watch.go(("packer", id(pair)))
        except BaseException:
            watch.go(("packer", id(pair)))
            raise
        finally:
            door.state.packers = (*others,)


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors in CPU memory: everything is there already, so they are kept as they
    are."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda t: t, lambda t: t)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Make the use of saved_tensors_hooks an error within a block."""
    if door.state.packers:
        raise RuntimeError(error_message)
    try:
        _forbidden.append(error_message)
        yield
    finally:
        _forbidden.pop()


class _Kept:
    """A saved value within `allow_mutation_on_saved_tensors`: nodes that save it share one."""

    __slots__ = ("__weakref__",)


class _AllowMutationOnSavedContext(changes.ChangeWatcher):
    """What an `allow_mutation_on_saved_tensors` block has saved, and copied before a change.

    Attributes:
        tid_to_weakhandle: what was saved, by memory and version.
        original: the values that nobody has changed; cloned: copies of those that were.
    """

    def __init__(self) -> None:
        self.open = True
        self.tid_to_weakhandle: Any = weakref.WeakValueDictionary()
        self.original: Any = weakref.WeakKeyDictionary()
        self.cloned: Any = weakref.WeakKeyDictionary()

    def clear(self) -> None:
        """Forget the copies: backwards of this block's graphs raise from now on."""
        self.open = False
        self.tid_to_weakhandle.clear()
        self.original.clear()
        self.cloned.clear()

    def pack(self, t: Any) -> _Kept:
        """A handle of a tensor that is saved."""
        if t.__dict__.get("_of_result"):  # not the tensor itself: its changes are not seen
            kept = _Kept()
            self.cloned[kept] = t.detach().clone()
            return kept
        cell = views.cell(t)
        key = (id(cell), cell.count, t.data_ptr(), t.shape, t.stride())
        kept = self.tid_to_weakhandle.get(key)
        if kept is None:
            kept = self.tid_to_weakhandle[key] = _Kept()
            self.original[kept] = t.detach()
        return kept

    def unpack(self, kept: _Kept) -> Any:
        """The value as it was when it was saved."""
        if not self.open:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context "
                "in which the graph was originally recorded."
            )
        return self.cloned[kept] if kept in self.cloned else self.original[kept]

    def before(self, target: Any) -> None:
        """Copy what was saved of the memory that is about to change."""
        cell = target._vc
        for kept, t in list(self.original.items()) if cell is not None else ():
            if t._vc is cell:
                with door.grad_enabled(False):
                    self.cloned[kept] = t.clone()
                del self.original[kept]


_allowing: list[_AllowMutationOnSavedContext] = []


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutationOnSavedContext]:
    """Saved tensors may be changed in place within a block: they are copied before that.
    Backwards of its graphs run inside it, too.
    """
    if _allowing:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    context = _AllowMutationOnSavedContext()
    try:
        _allowing.append(context)
        changes.change_watchers.append(context)
        with saved_tensors_hooks(context.pack, context.unpack):
            yield context
    finally:
        _allowing.clear()
        changes.change_watchers[:] = [w for w in changes.change_watchers if w is not context]
        context.clear()


class _MultiHandle(RemovableHandle):
    def __init__(self, handles: tuple[Any, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        for h in self.handles:
            h.remove()


def register_multi_grad_hook(
    tensors: Any, fn: Callable[..., Any], *, mode: str = "all"
) -> RemovableHandle:
    """Call `fn` when the gradients of all `tensors` were computed (mode "all": with the list of
    them, None where there is none), or of the first one (mode "any": with that gradient), once a
    backward.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors = tuple(tensors)
    lock = threading.Lock()
    if mode == "any":
        last: list[Any] = [None]

        def first(g: Any) -> None:
            with lock:
                fresh = last[0] is not engine.current()
                last[0] = engine.current()
            if fresh:
                fn(g)

        return _MultiHandle(tuple(t.register_hook(first) for t in tensors))
    seen: dict[Any, dict[int, Any]] = {}

    def one(i: int) -> Callable[[Any], None]:
        def hook(g: Any) -> None:
            run = engine.current()
            with lock:
                if not any(r is run for r in seen):
                    seen.clear()
                got = seen.setdefault(run, {})
                got[i] = g
                expected = [j for j, t in enumerate(tensors) if run.will_reach(t)]
                complete = all(j in got for j in expected)
            if complete:
                fn([got.get(j) for j in range(len(tensors))])

        return hook

    return _MultiHandle(tuple(t.register_hook(one(i)) for i, t in enumerate(tensors)))
