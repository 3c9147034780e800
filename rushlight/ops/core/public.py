"""`@face`: a composite with what every public function of PyTorch takes besides its own parameters.

`out=` writes the result into given tensors; `axis=` and `keepdims=` are NumPy's words for `dim=`
and
`keepdim=`; `inplace=True` publishes the form with an underscore too. Examples: `reduce/public.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograd import door, views
from ...autograd.node import TensorBase
from .record import Composite, composite, composites, write_out

NUMPY_WORDS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input"}


def face(
    fn: Callable[..., Any] | None = None,
    *,
    public: str = "torch Tensor",
    aliases: str = "",
    name: str | None = None,
    inplace: bool = False,
) -> Any:
    """Publish a function of Tensors that also takes `out=` and NumPy's parameter names."""
    if fn is None:
        return lambda f: face(f, public=public, aliases=aliases, name=name, inplace=inplace)
    own = set(fn.__code__.co_varnames[: fn.__code__.co_argcount + fn.__code__.co_kwonlyargcount])
    called = name or fn.__name__.rstrip("_")
    dims = "dims" if "dim" not in own and "dims" in own else "dim"

    @functools.wraps(fn)
    def shown(*args: Any, **kw: Any) -> Any:
        if not kw:
            return fn(*args)
        out = kw.pop("out", None)
        for theirs, ours in NUMPY_WORDS.items():
            if theirs in kw and theirs not in own:
                kw[dims if ours == "dim" else ours] = kw.pop(theirs)
        result = fn(*args, **kw)
        return result if out is None else write_out(called, out, result)

    published = composite(shown, public=public, aliases=aliases, name=name)
    if inplace:
        again = inplace_of(fn, called)
        spaces = " ".join(s for s in public.split() if s in ("torch", "Tensor"))
        composite(
            again,
            public=spaces,
            name=called + "_",
            aliases=" ".join(a + "_" for a in aliases.split()),
        )
    return published


def attribute(fn: Any, name: str, setter: Any = None) -> Any:
    """Publish a function of one Tensor as a property: `x.T`."""
    record = Composite(fn, "Tensor", "", False, ())
    record.name = name
    record.fn = property(fn, setter, doc=fn.__doc__)  # type: ignore[assignment]
    composites[f"Tensor.{name}"] = record
    return fn


def inplace_of(fn: Any, name: str) -> Any:
    """The in-place form of a composite: compute on a copy of the old value, then write."""

    def again(input: Any, *args: Any, **kw: Any) -> Any:
        if not isinstance(input, TensorBase):
            raise TypeError(
                f"{name}_(): argument 'input' (position 1) must be Tensor, not "
                f"{type(input).__name__}"
            )
        views.check_inplace(input, name + "_")
        old = input
        if door.state.enabled and views.needs_grad((input,)):
            old = input.clone()  # type: ignore[attr-defined]
        return store(input, fn(old, *args, **kw), name + "_")

    again.__name__ = name + "_"
    again.__doc__ = f"In-place form of `{name}`: writes the result into this tensor and returns it."
    return again


def store(target: Any, result: Any, name: str) -> Any:
    """Write a computed tensor into `target`, if its shape and category of type allow."""
    from ... import dtypes
    from ...errors import message

    if result._a.shape != target._a.shape:
        raise RuntimeError(
            message(
                f"{name}: output with shape {list(target._a.shape)} doesn't match the broadcast "
                f"shape {list(result._a.shape)}",
                hint="the out-of-place form, which makes a new tensor",
            )
        )
    source, into = dtypes.from_numpy(result._a.dtype), dtypes.from_numpy(target._a.dtype)
    if not dtypes.can_cast(source, into):
        raise RuntimeError(
            message(
                f"result type {views.type_name(source)} can't be cast to the desired output type "
                f"{views.type_name(into)}",
                hint=f"x = x.to({source!r}) first, or the out-of-place form",
            )
        )
    return target.copy_(result)


def need_tensor(name: str, x: Any, place: int = 1, argument: str = "input") -> None:
    """TypeError in PyTorch's words unless `x` is a tensor."""
    if not isinstance(x, TensorBase):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {place}) must be Tensor, not "
            f"{type(x).__name__}"
        )


def sizes(args: tuple[Any, ...], name: str = "view", argument: str = "size") -> tuple[int, ...]:
    """`f(2, 3)`, `f((2, 3))`, `f(size)`: the sizes as plain ints."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    for n in args:
        if n.__class__ is not int:
            return tuple(whole(n, name, argument) for n in args)
    return args


def named(args: tuple[Any, ...], kw: dict[str, Any], argument: str) -> tuple[Any, ...]:
    """The variable arguments of a method, or their name: `x.tile(2, 3)`, `x.tile(dims=(2, 3))`."""
    if kw:
        wrong = [k for k in kw if k != argument]
        if wrong or args:
            raise TypeError(f"got an unexpected keyword argument '{(wrong or [argument])[0]}'")
        return (tuple(kw[argument]),)
    return args


def whole(n: Any, name: str, argument: str) -> int:
    """One size as an int; TypeError for floats and the like."""
    if isinstance(n, (float, str)) or not hasattr(n, "__index__"):
        raise TypeError(
            f"{name}(): argument '{argument}' (position 1) must be tuple of ints, but found "
            "element of type "
            f"{type(n).__name__}"
        )
    return int(n.__index__())


def number(x: Any) -> Any:
    """A Python number of a number, a 0-d tensor or a NumPy scalar."""
    if isinstance(x, (TensorBase, np.generic)):
        return x.item()  # type: ignore[union-attr]
    return x
