"""Steps: computations on arrays that are no operations, such as adding up gradients or an update.

A `Step` is the smallest kind of record that `door.perform` takes: a name, a function of arrays, how
many results it has, and which operands it writes to. Operations (`ops/core/record.py`) have the
same fields and more. Whoever changes an array outside an operation declares a Step for it, so that
observers see a complete program.

Not here: who observes (`observe.py`), derivative rules as steps (`op_node.OpNode`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..kernels import dense
from ..kernels.meta import turned


class Step:
    """One kind of computation on arrays.

    Attributes:
        name: what it is called, as an operation is.
        fn: (*arrays, **parameters) -> results.
        outputs: how many arrays come out; 0 when it only writes.
        mutates: places of operands, or names of parameters, that it writes to. A generator of
            random numbers counts as one, for drawing changes it.
        indices: places of operands of whole numbers, whatever the type of the others.
        strided: the array that it writes to may lie in memory in any order.
        view: whether the result shares memory with the first operand.
        shown: the name under which profilers show it, or "" for what they leave out.
    """

    __slots__ = ("fn", "indices", "mutates", "name", "outputs", "shown", "strided", "view")

    def __init__(
        self,
        name: str,
        fn: Callable[..., Any],
        outputs: int = 1,
        mutates: tuple[int | str, ...] = (),
        view: bool = False,
        shown: str = "",
        indices: Sequence[int] = (),
        strided: bool = False,
    ) -> None:
        self.name = name
        self.fn = fn
        self.outputs = outputs
        self.mutates = mutates
        self.view = view
        self.shown = shown
        self.indices = indices
        self.strided = strided

    def __repr__(self) -> str:
        return f"<step {self.name}>"

    def written(self, arrays: Any, kw: dict[str, Any]) -> tuple[int | str, ...]:
        """The places and names that one call writes to."""
        return self.mutates


def step(**options: Any) -> Callable[[Callable[..., Any]], Step]:
    """Make a Step of a function, under the function's name."""
    return lambda fn: Step(fn.__name__.strip("_"), fn, **options)


# -- making arrays ---------------------------------------------------------------------------------


@step()
def number(*, value: Any, dtype: Any) -> Any:
    """A Python number as an array of a type; whole numbers wrap, as PyTorch does."""
    if dtype.kind in "iu" and not isinstance(value, float):
        return np.asarray(int(value) & ((1 << 64) - 1), np.uint64).astype(dtype)
    return np.asarray(value, dtype)


@step()
def full(*, shape: Any, value: Any, dtype: Any) -> Any:
    """An array of one value."""
    return np.full(shape, value, dtype)


@step()
def full_like(a: Any, *, value: Any) -> Any:
    """An array of one value in the shape, type and memory order of another one."""
    if 0 not in a.strides:
        return np.zeros_like(a, subok=False) if value == 0 else np.full_like(a, value, subok=False)
    made = dense.empty_like(a)
    made.fill(value)
    return made


@step()
def empty_like(a: Any) -> Any:
    """Memory in the shape, type and order of an array."""
    return dense.empty_like(a)


@step()
def as_array(value: Any) -> Any:
    """A scalar of NumPy's, which its arithmetic makes of 0-d arrays, as an array again."""
    return np.asarray(value)


@step()
def copy(a: Any, *, order: str = "K") -> Any:
    """A copy, in the same memory order unless another one is asked for."""
    if a.__class__ is not np.ndarray or order not in "KC":
        return a.copy(order)
    return dense.copied(a) if order == "K" else dense.in_order(a)


@step()
def copy_laid(a: Any, *, strides: tuple[int, ...]) -> Any:
    """A copy whose elements lie `strides` bytes apart, with gaps if they say so."""
    last = sum([(n - 1) * s for n, s in zip(a.shape, strides, strict=True)])
    memory = np.zeros(last + a.itemsize if a.size else 0, np.uint8)
    y: Any = np.ndarray(a.shape, a.dtype, memory, 0, strides)
    np.copyto(y, a)
    return y


@step()
def cast(a: Any, *, dtype: Any) -> Any:
    """The values in another type."""
    return dense.copied(a, dtype) if a.__class__ is np.ndarray else a.astype(dtype)


@step()
def resolve(raw: Any, *, conj: bool, neg: bool) -> Any:
    """The conjugates, or the negatives, of an array's elements, which a tensor's bits stood for."""
    return turned(raw, conj, neg)


# -- writing to arrays -----------------------------------------------------------------------------


@step(outputs=0, mutates=(0,))
def write(into: Any, source: Any) -> None:
    """Store values in an array, cast to its type; by several threads where that pays."""
    dense.copy_into(into, source)


@step(outputs=0, mutates=(0,))
def write_changed(into: Any, source: Any) -> None:
    """Store those values that are not there already. Of an array whose elements share memory, what
    stays as it is would else be written over what has changed."""
    same = (into == source) | ((into != into) & (source != source))
    np.copyto(into, source, where=~same, casting="unsafe")


@step(outputs=0, mutates=(0,))
def store(into: Any, *, value: Any) -> None:
    """Store one value in all elements, by NumPy's rules of assignment."""
    into[...] = value


@step(outputs=0, mutates=(0,))
def fill(into: Any, *, value: Any) -> None:
    """Store one value in all elements."""
    into.fill(value)
