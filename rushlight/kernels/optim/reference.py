"""The array side of the optimisers: in-place primitives over NumPy, scratch memory and blocking.

`Arrays` is the namespace `xp` that the update formulas of `formulas.py` are written against.
A method whose name ends in an underscore overwrites its first argument; every other one puts its
result into scratch memory that belongs to the namespace and is taken back at the next parameter.
Nothing here knows a Tensor or the name of an optimiser. Not here: when machine code does this
(`select.py`). Read `formulas.py` next.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from .. import dense, tuning

_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_REAL = {np.dtype(np.complex64): _SINGLE, np.dtype(np.complex128): _DOUBLE}

Update = Callable[..., Any]
Flags = tuple[tuple[str, bool], ...]
Names = tuple[str | None, ...]


def work_dtype(dtype: Any) -> Any:
    """The type in which parameters of a type are updated: narrow ones in float32, complex ones as
    pairs of real numbers."""
    if dtype in _REAL:
        return _REAL[dtype]
    return dtype if dtype.itemsize > 2 and dtype.kind != "W" else _SINGLE


def update(
    arrays: list[Any], numbers: np.ndarray, *, formula: Update, flags: Flags,
    taken: tuple[str, ...], states: Names,
) -> None:  # fmt: skip
    """Apply `formula(xp, k, p, g, *states)` to many parameters of one dtype, in place.

    Args:
        arrays: parameter, gradient and the states that are there, parameter after parameter.
        numbers: the formula's numbers in the working type; `taken` has their names.
        flags: names and values of its flags.
        states: names of the states that the formula takes; None: this one is not there.
    """
    xp = _namespace.arrays
    dtype = arrays[0].dtype
    width = len(states) + 2 - states.count(None)
    # A 0-d array operand costs a ufunc call half of what a Python float does.
    k = SimpleNamespace(**dict(flags), known=xp.known(dtype))
    k.__dict__.update((name, numbers[i, ...]) for i, name in enumerate(taken))
    with np.errstate(all="ignore"):
        for at in range(0, len(arrays), width):
            given = iter(arrays[at + 2 : at + width])
            others = [None if name is None else next(given) for name in states]
            xp.run(formula, k, arrays[at], arrays[at + 1], *others)


class Arrays:
    """Elementwise primitives on ndarrays without allocation, and the blocks that run a formula."""

    def __init__(self) -> None:
        self._flat: dict[tuple[np.dtype, int], np.ndarray] = {}
        self._views: dict[np.dtype, dict[tuple[int, ...], list[np.ndarray]]] = {}
        self._pool: list[np.ndarray] = []
        self._like: np.ndarray = np.empty(0)
        self._used = 1

    # ---- running a formula ------------------------------------------------------------------

    def known(self, dtype: np.dtype) -> Any:
        """Scratch memory by shape, for parameters that are updated in their own type."""
        return self._views.setdefault(dtype, {}) if dtype in (_SINGLE, _DOUBLE) else None

    def run(self, update: Update, k: SimpleNamespace, p: np.ndarray, *others: Any) -> None:
        """Apply `update(xp, k, p, *others)` in place by NumPy, whatever dtype, size and strides."""
        known = k.known
        if known is not None:
            pool = known.get(p.shape)
            if pool is not None:
                self._pool = pool
                self._used = 1
                self._like = p
                update(self, k, p, *others)
            else:
                self._blocks(update, k, [p, *others])
        elif p.dtype in _REAL:
            real = _REAL[p.dtype]
            parts = [None if a is None else a[..., None].view(real) for a in (p, *others)]
            self._blocks(update, k, parts)
        else:
            # float16 and bfloat16 are computed in float32 and rounded once, at the end.
            # complex32 has its parts in pairs.
            held = [None if a is None else dense.parts(a) for a in (p, *others)]
            wide = [None if a is None else a.astype(np.float32) for a in held]
            self._blocks(update, k, wide)
            for position, (low, high) in enumerate(zip(held, wide, strict=True)):
                if low is not None and position != 1:  # 1 is the gradient: never written
                    low[...] = high

    def _blocks(self, update: Update, k: SimpleNamespace, arrays: list[Any]) -> None:
        p, block = arrays[0], tuning.OPTIM_BLOCK
        flat = None if p.size <= block else _flatten(arrays)
        if flat is None:
            self._begin(p)
            update(self, k, *arrays)
            return
        for start in range(0, p.size, block):
            part: list[Any] = [None if a is None else a[start : start + block] for a in flat]
            self._begin(part[0])
            update(self, k, *part)

    def _begin(self, like: np.ndarray) -> None:
        """Take all scratch back and lay it out in the shape of `like`."""
        self._used = 1
        self._like = like
        views = self._views.get(like.dtype)
        if views is None:
            views = self._views[like.dtype] = {}
        pool = views.get(like.shape)
        if pool is None or like.size > tuning.OPTIM_BLOCK:
            pool = [self._scratch(like, 0)]
            if like.size <= tuning.OPTIM_BLOCK:
                views[like.shape] = pool
        self._pool = pool

    def _scratch(self, like: np.ndarray, index: int) -> np.ndarray:
        if like.size > tuning.OPTIM_BLOCK:  # arrays that cannot be cut into blocks: strided ones
            return np.empty_like(like)
        key = (like.dtype, index)
        flat = self._flat.get(key)
        if flat is None:
            flat = self._flat[key] = np.empty(tuning.OPTIM_BLOCK, like.dtype)
        return flat[: like.size].reshape(like.shape)

    def _new(self) -> np.ndarray:
        """The next free scratch array; number 0 is kept for use inside one primitive."""
        index = self._used
        self._used = index + 1
        pool = self._pool
        if index == len(pool):
            pool.append(self._scratch(self._like, index))
        return pool[index]

    # ---- primitives that overwrite x --------------------------------------------------------

    def mul_(self, x: Any, a: Any) -> Any:
        """x * a."""
        return np.multiply(x, a, x)

    def div_(self, x: Any, a: Any) -> Any:
        """x / a."""
        return np.divide(x, a, x)

    def plus_(self, x: Any, a: Any) -> Any:
        """x + a."""
        return np.add(x, a, x)

    def sqrt_(self, x: Any) -> Any:
        """The square root of x."""
        return np.sqrt(x, x)

    def maximum_(self, x: Any, a: Any) -> Any:
        """max(x, a)."""
        return np.maximum(x, a, out=x)

    def clip_(self, x: Any, low: Any, high: Any) -> Any:
        """x brought into [low, high]."""
        return np.minimum(np.maximum(x, low, out=x), high, out=x)

    def axpy_(self, x: Any, y: Any, a: Any) -> Any:
        """x + a * y."""
        t = self._pool[0]
        np.multiply(y, a, t)
        return np.add(x, t, x)

    def mix_(self, x: Any, y: Any, a: Any, b: Any) -> Any:
        """a * x + b * y: a running average."""
        t = self._pool[0]
        np.multiply(x, a, x)
        np.multiply(y, b, t)
        return np.add(x, t, x)

    def addcmul_(self, x: Any, a: Any, b: Any, c: Any) -> Any:
        """x + c * a * b."""
        t = self._pool[0]
        np.multiply(a, b, t)
        np.multiply(t, c, t)
        return np.add(x, t, x)

    def addcdiv_(self, x: Any, a: Any, b: Any, c: Any) -> Any:
        """x + c * a / b."""
        t = self._pool[0]
        np.divide(a, b, t)
        np.multiply(t, c, t)
        return np.add(x, t, x)

    def set_(self, x: Any, y: Any) -> Any:
        """y, copied into x."""
        np.copyto(x, y)
        return x

    # ---- primitives with a new result -------------------------------------------------------

    def neg(self, x: Any) -> Any:
        """-x."""
        return np.negative(x, self._new())

    def axpy(self, x: Any, y: Any, a: Any) -> Any:
        """x + a * y."""
        t = self._new()
        np.multiply(y, a, t)
        return np.add(x, t, t)

    def mul(self, x: Any, y: Any) -> Any:
        """x * y."""
        return np.multiply(x, y, self._new())

    def plus(self, x: Any, a: Any) -> Any:
        """x + a."""
        return np.add(x, a, self._new())

    def minus(self, x: Any, y: Any) -> Any:
        """x - y."""
        return np.subtract(x, y, self._new())

    def sqrt(self, x: Any) -> Any:
        """The square root of x."""
        return np.sqrt(x, self._new())

    def abs(self, x: Any) -> Any:
        """|x|."""
        return np.absolute(x, self._new())

    def sign(self, x: Any) -> Any:
        """-1, 0 or 1; 0 for NaN."""
        y = np.sign(x, self._new())
        np.copyto(y, 0, where=x != x)
        return y

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        """a where the condition holds, else b."""
        out = self._new()
        np.copyto(out, b)
        np.copyto(out, a, where=condition)
        return out


class _Namespace(threading.local):
    """Scratch memory of a thread's own: updates of several threads run side by side."""

    def __init__(self) -> None:
        self.arrays = Arrays()


_namespace = _Namespace()


def _flatten(arrays: list[Any]) -> list[Any] | None:
    """One-dimensional views of all arrays in one common element order, or None."""
    given = [a for a in arrays if a is not None]
    if all(a.flags.c_contiguous for a in given):
        return [None if a is None else a.reshape(-1) for a in arrays]
    # Other dense layouts (channels last, transposed) share an order if they share their strides.
    first = given[0]
    order = sorted(range(first.ndim), key=lambda d: -first.strides[d])
    if all(a.strides == first.strides for a in given) and first.transpose(order).flags.c_contiguous:
        return [None if a is None else a.transpose(order).reshape(-1) for a in arrays]
    return None
