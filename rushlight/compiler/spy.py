"""Arrays that write down what NumPy does with them.

A `Spy` is an ndarray that passes for a plain one (`a.__class__ is ndarray`), computes as one, and
tells its trace of each of NumPy's functions that it meets: a ufunc and its `reduce`, a product, a
copy, a fill. What looks at a number (`float(a)`, `if a:`, `a[0]`) or is none of these is refused,
with its name. A 0-d result is what NumPy would give, a scalar, by its class; the Spy still has the
memory, so that `np.asarray` of it is an array that the trace knows.

Not here: what becomes of what was written down (`lower_plans.py`, `small.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = Any
CLIP: Any = np._core.umath.clip  # type: ignore[attr-defined]  # behind `np.clip`
MOST_WORK = 1 << 18  # multiplications of a product that may have a kernel of the same bits


class Refused(Exception):
    """This line is not launches alone; says why."""


class Event(NamedTuple):
    """One thing that NumPy did.

    Attributes:
        name: "ufunc", "reduce", "dot", "copy" (with a change of type, perhaps), "where" or "place"
            (of an extreme).
        what: the ufunc or function; None.
        arrays: operands: arrays, and numbers of Python's.
        out: where the result is.
        more: further parameters.
    """

    name: str
    what: Any
    arrays: tuple[Any, ...]
    out: Array
    more: tuple[tuple[str, Any], ...] = ()


class Spy(np.ndarray):
    """See above. `trace` is whoever is told, by `trace.event(event)`. One that is `known` is the
    same in each run: Python may look at its numbers; what is computed of such ones alone is known.
    """

    trace: Any = None
    scalar = False
    known = False

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self.dtype.type if self.scalar else np.ndarray

    def __array_finalize__(self, of: Any) -> None:
        if of is not None and type(of) is Spy:
            self.trace, self.known = of.trace, of.known

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **kw: Any) -> Any:
        out = kw.pop("out", None)
        trace = self.trace
        plain = [bare(a) for a in given]
        if ufunc.nout != 1 or method not in ("__call__", "reduce"):
            raise Refused(f"NumPy: {ufunc.__name__}.{method}")
        if ufunc is np.matmul:
            small_enough(*plain)
        target = None
        if out is not None and out is not Ellipsis and out[0] is not Ellipsis:
            target = out[0]
        more = tuple(sorted((k, v) for k, v in kw.items() if v is not np._NoValue))
        if method == "reduce" and len(plain) > 1:
            raise Refused(f"NumPy: {ufunc.__name__}.reduce")
        more = tuple([(k, v) for k, v in more if (k, v) != ("where", True)])
        if any(k not in ("axis", "keepdims", "dtype") for k, _ in more):
            raise Refused(f"NumPy: {ufunc.__name__} with {dict(more)}")
        if target is not None:
            kw["out"] = bare(target)
        elif out is not None:
            kw["out"] = ...
        result = getattr(ufunc, method)(*plain, **kw)
        if target is None and all(a.known for a in given if type(a) is Spy):
            return spied(result, trace, True)
        made = spied(result, trace) if target is None else target
        name = "ufunc" if method == "__call__" else "reduce"
        if ufunc is np.matmul:
            name = "dot"
        trace.event(Event(name, ufunc, tuple(plain), bare(made), more))
        return made

    def __array_function__(self, fn: Any, types: Any, args: Any, kw: Any) -> Any:
        known = FUNCTIONS.get(fn)
        if known is None:
            raise Refused(f"NumPy: {fn.__name__}")
        return known(self.trace, *args, **kw)

    # -- methods that do not pass there ----------------------------------------------------------

    def dot(self, other: Any, out: Any = None) -> Any:
        if out is not None:
            raise Refused("NumPy: dot with out")
        small_enough(self, other)
        known = self.known and (type(other) is not Spy or other.known)
        made = spied(bare(self).dot(bare(other)), self.trace, known)
        if known:
            return made
        self.trace.event(Event("dot", None, (bare(self), bare(other)), bare(made)))
        return made

    def copy(self, order: Any = "C") -> Any:
        return copied(self, bare(self).copy(order))

    def astype(self, *how: Any, **more: Any) -> Any:
        result = bare(self).astype(*how, **more)
        if np.may_share_memory(result, self):
            return self
        return copied(self, result)

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def flatten(self, order: Any = "C") -> Any:
        return copied(self, bare(self).flatten()) if order == "C" else refuse("flatten")

    def reshape(self, *shape: Any, **kw: Any) -> Any:
        result = bare(self).reshape(*shape, **kw)
        if self.size and not self.known and not np.may_share_memory(result, self):
            if kw:
                raise Refused("NumPy: reshape")
            return copied(self, result)
        return spied(result, self.trace, self.known)

    def ravel(self, order: Any = "C") -> Any:
        return self.reshape(-1) if order == "C" else refuse("ravel")

    def clip(self, *bounds: Any, **named: Any) -> Any:
        return _clip(self.trace, self, *bounds, **named)

    def argmax(self, *how: Any, **more: Any) -> Any:
        return np.argmax(self, *how, **more)

    def argmin(self, *how: Any, **more: Any) -> Any:
        return np.argmin(self, *how, **more)

    def fill(self, value: Any) -> None:
        bare(self).fill(bare(value))
        self.trace.event(Event("copy", None, (np.asarray(bare(value), self.dtype),), bare(self)))

    def __getitem__(self, key: Any) -> Any:
        found = bare(self)[key]
        if found.__class__ is not np.ndarray:  # one number, which nobody has looked at yet
            place = bare(self)[(*key, ...) if isinstance(key, tuple) else (key, ...)]
            one = spied(place, self.trace, self.known)
            one.scalar = True
            return one
        if not found.size or self.known or np.may_share_memory(found, self):
            return spied(found, self.trace, self.known)
        raise Refused("NumPy: an index that is an array")

    def __iter__(self) -> Any:
        return iter([self[k] for k in range(len(self))])

    def __setitem__(self, key: Any, value: Any) -> None:
        to = bare(self)[key] if not isinstance(key, np.ndarray) else None
        if to.__class__ is not np.ndarray:
            raise Refused("NumPy: an index that is an array")
        if to.size and not np.may_share_memory(to, self):
            raise Refused("NumPy: an index that is an array")
        given = bare(value)
        to[...] = given
        source = given if isinstance(given, np.ndarray) else np.asarray(given, to.dtype)
        self.trace.event(Event("copy", None, (source,), to))


def small_enough(a: Any, b: Any) -> None:
    """Refuse a product so large that BLAS cuts it in a way of its own."""
    if a.size * (b.shape[-1] if b.ndim > 1 else 1) > MOST_WORK:
        raise Refused("NumPy: a large product")


def refuse(name: str) -> Any:
    raise Refused(f"NumPy: {name}")


def _no(name: str) -> Any:
    def method(self: Any, *args: Any, **kw: Any) -> Any:
        if type(self) is Spy and self.known:
            return getattr(bare(self)[()] if self.scalar else bare(self), name)(*args, **kw)
        if name in LOOKS:
            raise Refused("Python looks at a number")
        raise Refused(f"NumPy: {name}")

    return method


LOOKS = ("__float__", "__int__", "__bool__", "__index__", "__complex__", "__contains__", "item",
         "tolist", "tobytes", "__str__", "__repr__", "__format__", "__reduce__",
         "__reduce_ex__", "dump", "dumps", "tofile")  # fmt: skip
for _name in (*LOOKS, "argpartition", "argsort", "byteswap", "choose",
              "compress", "cumprod", "cumsum", "diagonal", "nonzero", "partition", "put", "repeat",
              "resize", "round", "searchsorted", "sort", "take", "trace_", "trace"):  # fmt: skip
    if _name != "trace":
        setattr(Spy, _name, _no(_name))


def bare(a: Any) -> Any:
    """An array as it is; other things as they are."""
    if type(a) is not Spy:
        return a
    return a.view(np.ndarray)


def spied(a: Any, trace: Any, known: bool = False) -> Any:
    """An array that tells; a scalar's array tells, too."""
    if type(a) is Spy:
        return a
    scalar = not isinstance(a, np.ndarray)
    made = np.asarray(a).view(Spy)
    made.trace, made.scalar, made.known = trace, scalar, known
    return made


def copied(source: Any, result: Any) -> Any:
    """A copy that NumPy made, told; in another shape, it is one of the elements in their order."""
    made = spied(result, source.trace, source.known)
    if not source.known:
        source.trace.event(Event("copy", None, (bare(source),), result.reshape(source.shape)))
    return made


# -- functions ------------------------------------------------------------------------------------


def _copyto(trace: Any, dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    if where is not True:
        raise Refused("NumPy: copyto where")
    to, given = bare(dst), bare(src)
    np.copyto(to, given, casting=casting)  # type: ignore[arg-type]
    source = given if isinstance(given, np.ndarray) else np.asarray(given, to.dtype)
    trace.event(Event("copy", None, (source,), to))


def _empty_like(trace: Any, a: Any, *args: Any, **kw: Any) -> Any:
    return trace.made_empty(np.empty_like(bare(a), *args, **kw))


def _filled_like(value: Any) -> Any:
    def fn(trace: Any, a: Any, *args: Any, **kw: Any) -> Any:
        args_ = list(args)
        number = args_.pop(0) if value is None and args_ else kw.pop("fill_value", value)
        if type(number) is Spy:
            raise Refused("NumPy: full_like of an array")
        made = np.full_like(bare(a), number, *args_, **kw)
        trace.event(Event("copy", None, (np.asarray(number, made.dtype),), made))
        return spied(made, trace)

    return fn


def _place(fn: Any) -> Any:
    def find(
        trace: Any, a: Any, axis: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        if out is not None:
            raise Refused(f"NumPy: {fn.__name__}")
        how = {"axis": axis, "keepdims": bool(keepdims)}
        made = spied(fn(bare(a), **how), trace, a.known)
        if not a.known:
            trace.event(Event("place", fn, (bare(a),), bare(made), tuple(how.items())))
        return made

    return find


def _roll(trace: Any, a: Any, shift: Any, axis: Any = None) -> Any:
    numpy: Any = np.roll
    return numpy.__wrapped__(a, shift, axis)  # copies of slices


def _tile(trace: Any, a: Any, reps: Any) -> Any:
    given = (reps,) if isinstance(reps, int) else tuple(reps)
    plain = bare(a)
    made = np.tile(plain, given)
    dims = made.ndim
    counts, sizes = (1,) * (dims - len(given)) + given, (1,) * (dims - plain.ndim) + plain.shape
    once = plain.reshape([n for size in sizes for n in (1, size)])
    all_ = made.reshape([n for pair in zip(counts, sizes, strict=True) for n in pair])
    if made.size:
        trace.event(Event("copy", None, (once,), all_))
    return spied(made, trace)


def _clip(trace: Any, a: Any, min: Any = None, max: Any = None) -> Any:
    if min is None or max is None:
        return np.maximum(a, min) if max is None else np.minimum(a, max)
    return CLIP(a, min, max)


def _triangle(lower: bool) -> Any:
    """`np.tril` and `np.triu`, which choose by a mask that is the same each time."""

    def fn(trace: Any, a: Any, k: int = 0) -> Any:
        mask = np.tri(a.shape[-2], a.shape[-1], k if lower else k - 1, bool)
        zero = np.zeros(1, a.dtype)
        return np.where(mask, a, zero) if lower else np.where(mask, zero, a)

    return fn


def _where(trace: Any, condition: Any, *given: Any) -> Any:
    if len(given) != 2:
        raise Refused("Python looks at numbers")
    plain = [bare(a) for a in (condition, *given)]
    made = spied(np.where(*plain), trace)
    trace.event(Event("where", None, tuple(plain), bare(made)))
    return made


def _joined(fn: Any) -> Any:
    def join(trace: Any, arrays: Any, axis: int = 0, **kw: Any) -> Any:
        if kw or not isinstance(axis, int):
            raise Refused(f"NumPy: {fn.__name__}")
        plain = [bare(a) for a in arrays]
        made = fn(plain, axis=axis)
        at = 0
        for a in plain:
            place: list[Any] = [slice(None)] * made.ndim
            if fn is np.stack:
                place[axis] = at
                at += 1
            else:
                place[axis] = slice(at, at + a.shape[axis])
                at += a.shape[axis]
            trace.event(Event("copy", None, (a,), made[tuple(place)]))
        return spied(made, trace)

    return join


def _view(fn: Any) -> Any:
    def view(trace: Any, a: Any, *args: Any, **kw: Any) -> Any:
        made = fn(bare(a), *args, **kw)
        if not np.may_share_memory(made, a):
            raise Refused(f"NumPy: {fn.__name__}")
        return spied(made, trace)

    return view


def _sum(trace: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
         keepdims: Any = False, **kw: Any) -> Any:  # fmt: skip
    if kw or dtype is not None or out is not None:
        raise Refused("NumPy: sum")
    return np.add.reduce(a, axis=axis, keepdims=keepdims)


def _shares(trace: Any, a: Any, b: Any, *args: Any) -> bool:
    return np.may_share_memory(bare(a), bare(b), *args)


def _plain(fn: Any) -> Any:
    """`np.ascontiguousarray` and the like, which NumPy lets nobody take over."""

    def made_of(a: Any, *how: Any, **more: Any) -> Any:
        if type(a) in (list, tuple) and len(a) == 1 and type(a[0]) is Spy and a[0].ndim == 0:
            spy, plain = a[0], [bare(a[0])]
            result = fn(plain, *how, **more)
            spy.trace.event(Event("copy", None, (bare(spy),), result.reshape(())))
            return spied(result, spy.trace)
        if type(a) is not Spy:
            return fn(a, *how, **more)
        result = fn(bare(a), *how, **more)
        if np.may_share_memory(result, a):
            return spied(result, a.trace, a.known)
        return copied(a, result)

    return made_of


# What a trace puts in the place of NumPy's functions: they pass on what is not a spy.
INSTEAD = {
    "asarray": _plain(np.asarray), "ascontiguousarray": _plain(np.ascontiguousarray),
    "asfortranarray": _plain(np.asfortranarray), "array": _plain(np.array),
}  # fmt: skip
EMPTY = np.empty
FUNCTIONS: dict[Any, Any] = {
    np.copyto: _copyto, np.empty_like: _empty_like, np.zeros_like: _filled_like(0),
    np.ones_like: _filled_like(1), np.full_like: _filled_like(None), np.where: _where,
    np.concatenate: _joined(np.concatenate), np.stack: _joined(np.stack),
    np.roll: _roll, np.tile: _tile, np.argmax: _place(np.argmax), np.argmin: _place(np.argmin),
    np.clip: _clip, np.tril: _triangle(True), np.triu: _triangle(False),
    np.may_share_memory: _shares, np.shares_memory: _shares, np.sum: _sum,
    **{fn: _view(fn) for fn in (np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis,
                                np.expand_dims, np.squeeze, np.broadcast_to, np.flip, np.diagonal,
                                np.lib.stride_tricks.as_strided)},
    np.shape: lambda trace, a: a.shape, np.ndim: lambda trace, a: a.ndim,
    np.size: lambda trace, a, axis=None: a.size if axis is None else a.shape[axis],
    np.result_type: lambda trace, *a: np.result_type(*[bare(x) for x in a]),
    np.dot: lambda trace, a, b: spied(a, trace).dot(b),
}  # fmt: skip
