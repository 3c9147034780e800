"""What functions that make random tensors share: how their arguments are taken apart, the memory
that numbers go to, and the short ways of few numbers.

Not here: the functions themselves (`factories.py`); filling in place, and its checks (`fill.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import changes, door, views
from ...autograd.door import state, wrap
from ...autograd.node import LEAF, TensorBase
from ...autograd.steps import Step
from ...device import CPU, META, refuse_pinned, usable
from ...device import device as Device
from ...dtypes import float32, get_default_dtype
from ...errors import message
from ...kernels import dense
from ...kernels.meta import MetaArray
from ...kernels.random.mersenne_twister import INTEGERS, Twister
from ...random import Generator, default_generator
from ..core.publication import write_out
from ..create.arguments import in_layout, order_of, ordered, type_of_out
from .fill import stream


def memory_of(shape: tuple[int, ...], d: dtypes.dtype, meta: bool = False) -> Any:
    """New memory for numbers, or what stands for it."""
    if meta:
        return MetaArray(shape, d.np)
    if state.observers:
        return door.perform(_memory, (), {"shape": shape, "dtype": d.np})
    return np.empty(shape, d.np)


_memory = Step("memory", np.empty)


def size_of(args: tuple[Any, ...], kw: dict[str, Any], name: str) -> tuple[int, ...]:
    """The shape from ``f(2, 3)``, ``f((2, 3))`` or ``f(size=(2, 3))``."""
    if "size" in kw:
        args = (kw.pop("size"), *args)
    elif not args:
        raise TypeError(
            message(
                f"{name}() received an invalid combination of arguments - got ()",
                wanted=f"{name}(*size) or {name}(size)",
            )
        )
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    for n in args:
        if n.__class__ is not int or n < 0:
            break
    else:
        return args
    shape = []
    for i, n in enumerate(args):
        if isinstance(n, TensorBase):
            n = n.item()  # type: ignore[attr-defined]
        if isinstance(n, (bool, float)) or not hasattr(n, "__index__"):
            kind = type(n).__name__
            raise TypeError(
                message(
                    f"{name}(): argument 'size' (position {i + 1}) must be tuple of ints, "
                    f"not {kind}"
                )
            )
        shape.append(int(n))
    if any(n < 0 for n in shape):
        bad = next(n for n in shape if n < 0)
        raise RuntimeError(
            message(f"Trying to create tensor with negative dimension {bad}: {shape}")
        )
    return tuple(shape)


def no_more(name: str, kw: dict[str, Any]) -> None:
    """TypeError for arguments that nobody has taken."""
    if kw:
        raise TypeError(
            message(
                f"{name}() received an invalid combination of arguments",
                f"keywords {', '.join(sorted(kw))}",
            )
        )


class Plan:
    """What the keyword arguments of a function that makes a tensor ask for."""

    def __init__(
        self,
        name: str,
        kw: dict[str, Any],
        default: dtypes.dtype | None = None,
        like: Any = None,
    ) -> None:
        self.name = name
        if not kw:  # nothing is asked for: what is below comes to these
            self.out = None
            self.order = "K"
            self.rng = stream(None, name)
            self.dtype: dtypes.dtype = default or dtypes.get_default_dtype()
            if like is not None:
                self.meta = like._a.__class__ is MetaArray
            else:
                self.meta = usable(None) is META
            self.requires_grad = False
            return
        self.out = kw.pop("out", None)
        self.rng = stream(kw.pop("generator", None), name)
        d = kw.pop("dtype", None)
        if self.out is not None:
            d = type_of_out(self.out, d)
        if d is None:
            d = default or dtypes.get_default_dtype()
        self.dtype = dtypes.of(d)
        device = kw.pop("device", None)
        if device is None and like is not None:
            self.meta = like._a.__class__ is MetaArray
        else:
            self.meta = usable(device) is META
        self.requires_grad = kw.pop("requires_grad", False)
        if (layout := kw.pop("layout", None)) is not None:
            in_layout(name, layout, ())
        self.order = "K"
        if like is not None:
            self.order = order_of(kw.pop("memory_format", None), like._a.ndim)
        pinned = kw.pop("pin_memory", False)
        if pinned and self.out is None:
            refuse_pinned(name, pinned, META if self.meta else None)
        if kw.pop("names", None) is not None:
            raise TypeError(message(f"{name}(): named tensors are not supported", hint="no names="))
        no_more(name, kw)

    def finish(self, a: Any) -> Any:
        """The tensor around a filled array."""
        if self.out is not None and self.out._a is a:
            views.cell(self.out).bump(self.name)
            return self.out
        t = door.wrap(a)
        if self.out is not None:
            return write_out(self.name, self.out, t)
        if self.requires_grad:
            if a.dtype.kind in "biu":
                raise RuntimeError(
                    message(
                        "Only Tensors of floating point and complex dtype can require gradients"
                    )
                )
            t._fn = LEAF
        return t

    def memory(self, shape: tuple[int, ...]) -> Any:
        """Where the numbers go: new memory, or that of `out=`, in whose order they are drawn."""
        out = self.out
        if out is None or not isinstance(out, TensorBase) or out._a.__class__ is MetaArray:
            return memory_of(shape, self.dtype, self.meta)
        if out._a.shape != shape:
            out.resize_(shape)  # type: ignore[attr-defined]
        changes.check_inplace(out, self.name)
        return out._a

    def fill(self, a: Any, record: Any, *args: Any) -> Any:
        """The tensor around an array filled with numbers of a distribution."""
        if a.__class__ is not MetaArray:
            door.perform(record.into, (a, self.rng), {"args": args})
        return self.finish(a)


def few(kind: int, size: Any, kw: dict[str, Any], numbers: tuple[Any, ...] = ()) -> Any:
    """A tensor of few numbers of the default type, by one native call; None where more must be
    looked at (`Twister.few`), which nothing here has done."""
    rng = asked(kw) if kw else default_generator._rng
    if (
        rng is None
        or (kind < INTEGERS and get_default_dtype() is not float32)
        or state.observers
        or usable(None) is META
    ):
        return None
    made = rng.few(size, kind, numbers)
    return None if made is None else wrap(made)


def few_like(
    kind: int, input: Any, kw: dict[str, Any], numbers: tuple[Any, ...] = ()
) -> Any:
    """`few` for the shape, type and order of a tensor."""
    a = input._a
    if a.__class__ is not np.ndarray or a.dtype is not door.F32:
        return None
    if not a.flags.c_contiguous or 0 in a.strides:
        return None
    return few(kind, a.shape, kw, numbers)


def asked(kw: dict[str, Any]) -> Twister | None:
    """The stream of a call that asks for no more than that, and the CPU; else None."""
    rng = default_generator._rng
    for k, v in kw.items():
        if k == "generator" and (v is None or v.__class__ is Generator):
            rng = rng if v is None else v._rng
        elif k != "device" or not (
            v is None or v is CPU or (v.__class__ in (str, Device) and str(v) == "cpu")
        ):
            return None
    return rng


def bare(size: tuple[Any, ...]) -> bool:
    """Whether a call of nothing but a size needs no more checks: ints, and no device set."""
    for n in size:
        if n.__class__ is not int or n < 0:
            return False
    return bool(size) and usable(None) is not META


def _draw(rng: Twister, *, choose: Any, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    a = np.empty(shape, dtype)
    rng.fill(choose, a)
    return a


# Calls of nothing but a size: a new array of the default stream and type.
RAND = Step("rand", _draw, mutates=(0,))
RANDN = Step("randn", _draw, mutates=(0,))


def drawn(step: Step, choose: Any, shape: tuple[int, ...]) -> Any:
    """A tensor of numbers of the default stream and type, for a call that `bare` has looked at."""
    rng, dtype = default_generator._rng, dtypes.get_default_dtype().np
    if state.observers:
        kw = {"choose": choose, "shape": shape, "dtype": dtype}
        return door.wrap(door.perform(step, (rng,), kw))
    return door.wrap(_draw(rng, choose=choose, shape=shape, dtype=dtype))


def array_like(input: Any, plan: Plan) -> Any:
    """Memory in the shape and order of a tensor."""
    if plan.meta or input._a.__class__ is MetaArray:
        return memory_of(input._a.shape, plan.dtype, plan.meta)
    lying = door.memory(input._a)
    if state.observers:
        kw = {"dtype": plan.dtype.np, "order": plan.order}
        return door.perform(_memory_like, (lying,), kw)
    return _like(lying, plan.dtype.np, plan.order)


def _like(a: Any, dtype: Any, order: str) -> Any:
    return dense.empty_like(a, dtype) if order == "K" else ordered(a.shape, dtype, order)


_memory_like = Step("memory_like", _like)
