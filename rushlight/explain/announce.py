"""What announces itself only while somebody records: calls of modules, numbers taken out of
tensors, and what cuts a tensor off its history.

The first recording puts functions that tell in place of `nn.Module.__call__`, `Tensor.item` and
their like; the last one puts the old ones back, so that a program that is not recorded runs what it
always ran. Not here: operations, nodes, optimisers, which announce themselves
(`autograd/observe.py`).
"""

from __future__ import annotations

import functools
import threading
from typing import Any

from .. import nn
from ..optim.optimizer import Optimizer
from ..tensor import Tensor

_looks: dict[int, Any] = {}  # by thread, who is told
_kept: list[tuple[type, str, Any]] = []  # what stood in the places
_lock = threading.Lock()
NUMBERS = ("item", "tolist", "__bool__", "__float__", "__int__", "__index__", "__complex__",
           "__repr__")  # fmt: skip
CUTS = ("numpy", "detach", "detach_")


def tell(look: Any) -> None:
    """Announce to `look` what this thread does, until `untell(look)`."""
    with _lock:
        if not _looks:
            swap()
        _looks[threading.get_ident()] = look


def untell(look: Any) -> None:
    """The opposite of `tell`."""
    with _lock:
        for thread in [k for k, v in _looks.items() if v is look]:
            del _looks[thread]
        if not _looks:
            restore()


def swap() -> None:
    """Put those that tell into the places."""
    put(nn.Module, "__call__", module_call)
    put(Optimizer, "__init__", optimizer_made)
    put(Tensor, "requires_grad_", frozen_by_method)
    for name in (*NUMBERS, *CUTS):
        if hasattr(Tensor, name):
            kind = "item" if name in NUMBERS else "op"
            put(Tensor, name, functools.partial(method, kind, name.strip("_")))
    put(Tensor, "data", data)


def pause() -> None:
    """Put everything back for a while: a compiler reads what stands there."""
    with _lock:
        restore()


def resume() -> None:
    """The opposite of `pause`."""
    with _lock:
        if _looks and not _kept:
            swap()


def put(cls: type, name: str, make: Any) -> None:
    """Put what `make` makes of the old one into a place of a class."""
    own = name in vars(cls)
    old = vars(cls)[name] if own else getattr(cls, name)
    _kept.append((cls, name, old if own else None))
    setattr(cls, name, make(old))


def restore() -> None:
    """Put everything back."""
    while _kept:
        cls, name, old = _kept.pop()
        if old is None:
            delattr(cls, name)
        else:
            setattr(cls, name, old)


def module_call(plain: Any) -> Any:
    """`Module.__call__` that tells."""

    @functools.wraps(plain)
    def __call__(module: Any, /, *args: Any, **kw: Any) -> Any:
        look = _looks.get(threading.get_ident())
        if look is None:
            return plain(module, *args, **kw)
        mark = look.enter_module(module, (*args, *kw.values()))
        result = None
        try:
            result = plain(module, *args, **kw)
        finally:
            look.leave_module(module, result, mark)
        return result

    return __call__


def method(kind: str, name: str, plain: Any) -> Any:
    """A method of Tensor that tells."""

    @functools.wraps(plain)
    def told(t: Any, /, *args: Any, **kw: Any) -> Any:
        look = _looks.get(threading.get_ident())
        if look is None:
            return plain(t, *args, **kw)
        mark = look.enter_method(kind, name, t)
        result = None
        try:
            result = plain(t, *args, **kw)
        finally:
            look.leave_method(result, mark)
        return result

    return told


def data(plain: Any) -> Any:
    """`Tensor.data` that tells when it is read."""
    return property(method("op", "data", plain.fget), plain.fset, plain.fdel, plain.__doc__)


def optimizer_made(plain: Any) -> Any:
    """`Optimizer.__init__` that tells."""

    @functools.wraps(plain)
    def __init__(self: Any, *args: Any, **kw: Any) -> None:
        plain(self, *args, **kw)
        look = _looks.get(threading.get_ident())
        if look is not None:
            look.optimizer_made(self)

    return __init__


def frozen_by_method(plain: Any) -> Any:
    """`Tensor.requires_grad_` that tells."""

    @functools.wraps(plain)
    def requires_grad_(t: Any, requires_grad: bool = True) -> Any:
        look = _looks.get(threading.get_ident())
        if look is not None:
            look.frozen(t, not requires_grad)
        return plain(t, requires_grad)

    return requires_grad_

