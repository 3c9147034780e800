"""vmap: a function of single examples applied to a batch.

It is honest about what it is: a loop over the slices, whose results are stacked. The values and
derivatives are those of PyTorch's vmap; the speed is that of the loop. Only a `Function` with a
`vmap` staticmethod sees the whole batch. What PyTorch's cannot do it refuses as well: a program
that asks for the value of a slice, by `.item()` or as a condition (`refusing`).
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd import changes, door, watch
from ..autograd.function import Function, with_defaults
from ..autograd.node import TensorBase
from ..errors import message
from ..ops.core import overrides
from ..ops.elementwise.complex import view_as_complex, view_as_real
from ..ops.index import getitem
from ..ops.shape import public
from ..ops.shape.views import stack
from ..tensor import Tensor
from .randomness import Level, random_error, state
from .trees import leaves, matched, rebuild, tree_map

__all__ = ["vmap"]


class VmapInfo:
    """What `Function.vmap` is told: the size of the batch and how random numbers behave."""

    def __init__(self, batch_size: int, randomness: str) -> None:
        self.batch_size = batch_size
        self.randomness = randomness


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that applies `func` to each slice of its inputs and stacks the results.

    The slices are computed one after the other; a `Function` given by its `apply` and having a
    `vmap` staticmethod is called once with the whole batch.

    Args:
        func: takes tensors (or trees of them) without the mapped dimension and returns tensors.
        in_dims: which dimension of each input is mapped; None for an input that every slice sees
        whole.
            One number for all, or a tree of the form of the inputs.
        out_dims: where the mapped dimension goes in each output.
        randomness: "error": random numbers in `func` raise; "same": every slice draws the same
        ones;
            "different": each slice its own.
        chunk_size: how many slices draw random numbers together; they are computed one at a time
            in any case.

    Raises:
        ValueError: the inputs have no common mapped size, or in_dims does not fit them.
        RuntimeError: random numbers with randomness="error".

    >>> import rushlight as torch
    >>> torch.vmap(torch.dot)(torch.ones(3, 2), torch.ones(3, 2))
    tensor([2., 2., 2.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. Got "
            f"{randomness}"
        )
    if chunk_size is not None and chunk_size < 1:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")
    name = getattr(func, "__name__", repr(func))

    @functools.wraps(func)
    def mapped(*args: Any, **kw: Any) -> Any:
        dims, size = check_inputs(name, in_dims, args)
        owner = getattr(func, "__self__", None)
        if (
            isinstance(owner, type)
            and issubclass(owner, Function)
            and owner.vmap is not Function.vmap
        ):
            return whole_batch(owner, dims, args, kw, size, out_dims, randomness)
        parts = leaves(args)
        empty = size == 0
        if empty:  # the form of the results is that of a slice's, whatever is in it
            parts = [
                x if d is None else x.new_zeros((*x.shape[:d], 1, *x.shape[d + 1 :]))
                for x, d in zip(parts, dims, strict=True)
            ]
        form, rows, batched, _ = over_slices(
            func, args, kw, parts, dims, size or 1, randomness, chunk_size
        )
        made = together(name, form, rows, out_dims, batched, parts)
        return without_slices(made, form, out_dims) if empty else made

    return mapped


def over_slices(
    func: Callable[..., Any],
    args: Any,
    kw: Any,
    parts: list[Any],
    dims: list[Any],
    size: int,
    randomness: str,
    chunk_size: int | None = None,
) -> tuple[Any, list[list[Any]], list[bool], list[Any]]:
    """Call `func` with each slice of the inputs.

    Args:
        args: the inputs, for their form; parts: their leaves; dims: what is mapped of each.

    Returns:
        What the last slice gave, for its form; the leaves of what each slice gave; of each leaf,
        whether slices may differ in it; the leaves that the first slice got.
    """
    whole = [
        np.moveaxis(x._a, d, 0)
        for x, d in zip(parts, dims, strict=True)
        if d is not None and isinstance(x._a, np.ndarray)
    ]
    shared = [x for x, d in zip(parts, dims, strict=True) if d is None] + from_outside(func)
    rows: list[list[Any]] = []
    batched: list[bool] = []
    form = first = None
    with Level(randomness, size, chunk_size, whole) as level:
        for i in range(size):
            level.begin(i)
            here = [x if d is None else x.select(d, i) for x, d in zip(parts, dims, strict=True)]
            first = first or here
            own = [x for x, d in zip(here, dims, strict=True) if d is not None]
            with refusing(() if i else own, shared, randomness) as guard:
                form = func(*rebuild(args, here), **kw)
                rows.append(leaves(form))
                if not i:
                    batched = [guard.batched(x) for x in rows[0]]
                guard.free(rows[i])
    return form, rows, batched, first or []


def from_outside(func: Any) -> list[Any]:
    """The tensors that a function sees by names that are not its own: all slices share them."""
    code = getattr(func, "__code__", None)
    if code is None:
        return []
    seen = [func.__globals__.get(name) for name in code.co_names]
    for cell in func.__closure__ or ():
        try:
            seen.append(cell.cell_contents)
        except ValueError:  # a variable that has no value yet
            continue
    return [x for x in seen if isinstance(x, TensorBase)]


def restore_vmap(
    func: Callable[..., Any], in_dims: Any, batch_size: int, randomness: str
) -> Callable[..., Any]:
    """`vmap` that says where the mapped dimension of each output is, and leaves outputs that all
    slices share as they are: the function returns (outputs, their dimensions or None)."""

    @functools.wraps(func)
    def mapped(*args: Any, **kw: Any) -> Any:
        parts, dims = leaves(args), matched(in_dims, args, ValueError)
        form, rows, batched, first = over_slices(
            func, args, kw, parts, dims, batch_size, randomness
        )
        outs, places = [], []
        for column, differs in zip(zip(*rows, strict=True), batched, strict=True):
            whole = [(x, d) for x, d, f in zip(parts, dims, first, strict=True) if f is column[0]]
            stacked = (stack(*column, dim=0), 0) if differs else (column[0], None)
            out, place = whole[0] if whole else stacked
            outs.append(out)
            places.append(place)
        return rebuild(form, outs), rebuild(form, places)

    return mapped


def chunk_vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    chunks: int = 2,
) -> Callable[..., Any]:
    """`vmap` whose batch is taken in `chunks` parts: the same here, as slices come one by one."""
    return vmap(func, in_dims, out_dims, randomness)


def check_inputs(name: str, in_dims: Any, args: tuple[Any, ...]) -> tuple[list[Any], int]:
    """The mapped dimension of each leaf of the inputs (None: not mapped), and their common size."""
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a "
            f"(potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are "
            "trying to vmap over a function with no inputs. The latter is unsupported."
        )

    def misfit() -> Exception:
        return ValueError(
            message(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with "
                "the structure of `inputs`.",
                got=f"{len(args)} inputs",
                wanted="one number for all inputs, or a tuple of their form",
            )
        )

    dims = matched(in_dims, args, misfit)
    sizes = []
    for place, (x, d) in enumerate(zip(leaves(args), dims, strict=True)):
        if d is None:
            continue
        if not isinstance(d, int):
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for an input but "
                "in_dim must be either an integer dimension or None."
            )
        if not isinstance(x, TensorBase):
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for an input but "
                "the input is of type "
                f"{type(x)}. We cannot vmap over non-Tensor arguments, please use None as the "
                "respective in_dim"
            )
        ndim = x._a.ndim
        if not -ndim <= d < ndim:
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for some input, "
                "but that input is a Tensor "
                f"of dimensionality {ndim} so expected in_dim to satisfy -{ndim} <= in_dim < "
                f"{ndim}."
            )
        dims[place] = d % ndim
        sizes.append(x._a.shape[d])
    if not sizes:
        raise ValueError(
            "vmap: Expected at least one Tensor to vmap over: "
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)"
        )
    if len(set(sizes)) > 1:
        raise ValueError(
            message(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got "
                f"sizes {sizes} for the mapped dimension",
                hint="in_dims=None for an input that every slice sees whole",
            )
        )
    return dims, sizes[0]


def together(
    name: str, form: Any, rows: list[list[Any]], out_dims: Any, batched: list[bool], parts: Any
) -> Any:
    """Stack the outputs of all slices along out_dims.

    Args:
        batched: of each output, whether slices may differ in it.
        parts: the inputs, which come back where outputs are slices of them.
    """
    if any(d is not None and not isinstance(d, int) for d in leaves(out_dims)):
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
            "collection of ints representing where in the outputs the vmapped dimension should "
            "appear."
        )
    def misfit() -> Exception:
        return ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with "
            "the structure of `outputs`."
        )

    if isinstance(out_dims, tuple) and len(out_dims) == 1 and isinstance(form, TensorBase):
        out_dims = out_dims[0]
    dims = matched(out_dims, form, misfit)
    out = []
    for i, (column, d) in enumerate(zip(zip(*rows, strict=True), dims, strict=True)):
        if d is None:
            if batched[i]:
                raise ValueError(
                    f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is "
                    "None: each slice has another value"
                )
            out.append(column[0])
            continue
        if not isinstance(column[0], TensorBase):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type "
                f"{type(column[0])}. Did you mean to set out_dims= to None for output?"
            )
        ndim = column[0]._a.ndim + 1
        if not -ndim <= d < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but "
                f"got {d})"
            )
        whole = as_one_view(column, d % ndim, parts)
        out.append(stack(*column, dim=d % ndim) if whole is None else whole)
    return rebuild(form, out)


def as_one_view(column: Any, d: int, parts: Any) -> Any:
    """Results that are views of one tensor at equal distances, as one view of it, or as the mapped
    input that they are all of; else None.

    PyTorch's vmap gives views of its inputs, so a change in place is seen on both sides.
    """
    first = column[0]
    if not isinstance(first._a, np.ndarray):
        return None
    a = first._a
    base = None if first._v is None else first._v.base
    if base is None or any(y._v is None or y._v.base is not base for y in column):
        # what `detach` gives, and views of that, lie in the memory of an input, too
        whole = next((x for x in parts if all(detached_from(y, x) for y in column)), None)
        if whole is None:
            return None
        base, parts = whole.detach(), ()
    for y in column:
        if y._a.strides != a.strides or y._a.shape != a.shape:
            return None
    places = [y._a.__array_interface__["data"][0] for y in column]
    step = places[1] - places[0] if len(places) > 1 else a.nbytes
    if a.size == 0:
        places, step = [0], 0
    steps = (*a.strides[:d], step, *a.strides[d:])
    if any(p != places[0] + i * step for i, p in enumerate(places)) or min(steps) < 0:
        return None
    shape = (*a.shape[:d], len(column), *a.shape[d:])
    for x in parts:
        if isinstance(x, TensorBase) and lies_so(x._a, a, shape, steps):
            return x
    if a.dtype == base._a.dtype:
        return laid(base, shape, [s // a.itemsize for s in steps], first.storage_offset())
    if base._a.dtype.kind in "cW" and a.dtype == base._a.real.dtype:  # its real or imaginary parts
        of: Any = view_as_real(base)
        return laid(of, shape, [s // a.itemsize for s in steps], first.storage_offset())
    if "c" not in (a.dtype.kind, base._a.dtype.kind):
        bits = laid(base, (numbers_of_both(base, a.itemsize),), (1,), 0).view(first.dtype)
        return laid(bits, shape, [s // a.itemsize for s in steps], first.storage_offset())
    if a.dtype.kind in "cW" and base._a.dtype == a.real.dtype:
        half = base._a.itemsize
        pairs = [*(s // half for s in steps), 1]
        halves = laid(base, (*shape, 2), pairs, 2 * first.storage_offset())
        return view_as_complex(halves)
    return None


def detached_from(y: Any, x: Any) -> bool:
    """Whether a tensor without history has elements of another one's memory."""
    a, whole = y._a, getattr(x, "_a", None)
    if y._fn is not None or not (isinstance(a, np.ndarray) and isinstance(whole, np.ndarray)):
        return False
    return np.may_share_memory(a, whole)


def numbers_of_both(base: Any, itemsize: int) -> int:
    """How many numbers of a tensor's memory, from its beginning, are whole numbers of that many
    bytes too."""
    nbytes, own = base.untyped_storage().nbytes(), base._a.itemsize
    each = max(own, itemsize)
    return int(nbytes // each * each // own)


def laid(base: Any, shape: Any, steps: Any, start: int) -> Any:
    """`base.as_strided(shape, steps, start)` as outside of all vmaps."""
    before, state.level = state.level, None
    try:
        return base.as_strided(shape, steps, start)
    finally:
        state.level = before


def lies_so(x: Any, first: np.ndarray, shape: tuple[int, ...], steps: tuple[int, ...]) -> bool:
    """Whether an array is the one of this shape and these strides that begins where `first`
    does."""
    return (
        isinstance(x, np.ndarray)
        and x.dtype == first.dtype
        and x.shape == shape
        and x.ctypes.data == first.ctypes.data
        and all(n == 1 or a == b for n, a, b in zip(shape, x.strides, steps, strict=True))
    )


def whole_batch(
    owner: Any,
    dims: list[Any],
    args: tuple[Any, ...],
    kw: dict[str, Any],
    size: int,
    out_dims: Any,
    randomness: str,
) -> Any:
    """`Function.vmap` computes the whole batch and says where its batch dimension is."""
    if owner.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {owner.__name__}, but it has both generate_vmap_rule=True and "
            "an overridden vmap staticmethod. Please set generate_vmap_rule=False or delete the "
            "overridden vmap staticmethod to avoid ambiguity."
        )
    if any(isinstance(x, TensorBase) for x in leaves(tuple(kw.values()))):
        raise NotImplementedError(
            message(
                "Run vmap on autograd.Function with kwarg-only Tensor args. Please do not pass "
                "kwarg-only Tensors to autograd.Function.",
                got=", ".join(kw),
                hint=f"{owner.__name__}.apply with the tensors in their places, without names",
            )
        )
    in_dims = tuple(rebuild(args, dims))
    if not kw and owner.setup_context is not Function.setup_context:  # else forward begins with ctx
        rest = with_defaults(owner.forward, args, kw)[len(args) :]  # what was left out
        in_dims = (*in_dims, *tree_map(lambda _: None, rest))
        args = (*args, *rest)
    result = owner.vmap(VmapInfo(size, randomness), in_dims, *args, **kw)
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuntimeError(
            f"Expected the vmap staticmethod of {owner.__name__} to have two returns, an output "
            f"and out_dims with pytree structure compatible with the output. Got "
            f"{len(result) if isinstance(result, tuple) else 1}."
        )
    got, got_dims = result

    def misfit() -> Exception:
        return RuntimeError(
            f"{owner.__name__}.vmap returned an incompatible (output, out_dims) tuple: out_dims "
            f"{got_dims} for an output of another form"
        )

    if isinstance(got_dims, (tuple, list)) and type(got_dims) is not type(got):
        raise misfit()
    places = matched(got_dims, got, misfit)
    goals = matched(out_dims, got, misfit)
    out = []
    for x, place, goal in zip(leaves(got), places, goals, strict=True):
        if place is None:
            x, place = x.unsqueeze(0).expand(size, *x.shape), 0
        out.append(x.movedim(place, goal) if place != goal else x)
    return rebuild(got, out)


def without_slices(made: Any, form: Any, out_dims: Any) -> Any:
    """Results of a batch of no slices, from those of one slice."""
    if isinstance(out_dims, tuple) and len(out_dims) == 1 and isinstance(form, TensorBase):
        out_dims = out_dims[0]
    dims = matched(out_dims, form, AssertionError)
    return rebuild(
        made,
        [x if d is None else x.narrow(d, 0, 0) for x, d in zip(leaves(made), dims, strict=True)],
    )


class Slice(Tensor):
    """A slice of what is mapped, or what was computed of one: its value may not lead the program,
    which PyTorch runs once for all slices."""

    __slots__ = ()
    value_is_hidden = True  # (who fills with a number takes it as a tensor)

    def item(self) -> Any:
        """Refused: each slice has another value."""
        raise RuntimeError(
            message(
                "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap "
                "over calling .item() on a Tensor, please try to rewrite what you're doing with "
                "other operations.",
                got=f"a slice of shape {tuple(self._a.shape)}",
                wanted="operations on tensors",
                hint="torch.where in place of a condition, or a Python loop over the slices",
            )
        )

    tolist = item

    def __bool__(self) -> bool:
        raise RuntimeError(
            message(
                "vmap: It looks like you're attempting to use a Tensor in some data-dependent "
                "control flow. We don't support that yet",
                got=f"a slice of shape {tuple(self._a.shape)} as a condition",
                wanted="one program for all slices",
                hint="torch.where(condition, a, b), or a Python loop over the slices",
            )
        )


Slice.__name__ = Slice.__qualname__ = "Tensor"
Slice.__module__ = Tensor.__module__
overrides.add_ordinary(Slice)


def strided_within(t: Any, size: Any, stride: Any, storage_offset: Any) -> Any:
    """The offset of `as_strided`, which a program counts as if each slice began where the first
    one does; RuntimeError for what is outside of the slice."""
    level, a = state.level, t._a
    moved = None if level is None or not isinstance(a, np.ndarray) else level.behind_first(a)
    if moved is None:
        return storage_offset
    if len(size) != len(stride):
        raise RuntimeError(
            message(
                "Tensor.as_strided(size, stride, ...): size and stride must have the same length!",
                got=f"{tuple(size)} and {tuple(stride)}",
            )
        )
    own = t.storage_offset()
    start = own if storage_offset is None else storage_offset + moved // a.itemsize
    end = start + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    last = own + sum((n - 1) * step for n, step in zip(a.shape, t.stride(), strict=True))
    if 0 not in size and (start < own or end > last or not a.size):
        raise RuntimeError(
            message(
                "vmap: as_strided reaches beyond the slice. This is not supported inside of vmap",
                got=f"elements {start} to {end} of the storage",
                wanted=f"{own} to {last}",
                hint="the same in terms of views: narrow, select, expand, unfold",
            )
        )
    return start


public.slices.append(strided_within)


def index_differs(k: Any) -> bool:
    """Whether an index that is one number is another one in each slice of a vmap that runs."""
    level, found = state.level, hasattr(type(k), "value_is_hidden")
    while level is not None:
        found = level.differs(found) or found
        level = level.outer
    return found


getitem.hiding.append(index_differs)


def check_random(randomness: str, batched: bool) -> None:
    """Raise where an operation may not draw numbers, whatever generator it is given; `batched`:
    it reads slices (a tensor that is filled is not read)."""
    if randomness == "error":
        raise random_error()
    if randomness == "same" and batched:
        raise RuntimeError(
            message(
                "Vmap does not currently support same randomness with a batched tensor input.",
                hint="randomness='different'",
            )
        )


class refusing(changes.ChangeWatcher):
    """While a function runs on the first slices, values that depend on them may not be asked for.

    `free` takes the marks off tensors. Other slices run without: they go the same way. In nested
    vmaps a tensor may be a slice of one and shared by all slices of the other, so each knows its
    own, whatever the class says.
    """

    def __init__(self, slices: Any, shared: Any, randomness: str) -> None:
        self.shared = shared
        self.randomness = randomness
        self.slices = [x for x in slices if isinstance(x, TensorBase)]
        self.marked: list[Any] = []  # tensors that are of class Slice by this vmap
        self.own: dict[int, Any] = {}  # all slices of this vmap, weakly
        self.watcher = watch.watching(self.seen)

    def __enter__(self) -> refusing:
        self.depth = door.state.transforms
        try:
            if self.slices:
                self.mark(self.slices)
                self.watcher.__enter__()
                changes.change_watchers += [self]
            door.state.transforms = self.depth + 1
        except BaseException:
            self.leave()
            raise
        return self

    def __exit__(self, *args: object) -> None:
        try:
            self.leave()
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        """What `__exit__` does; where this is interrupted it is called again."""
        door.state.transforms = self.depth
        if self.slices:
            changes.change_watchers[:] = [w for w in changes.change_watchers if w is not self]
            self.watcher.leave()
        self.free([ref() for ref in self.marked])

    def mark(self, tensors: Any) -> None:
        for x in tensors:
            ref = self.own[id(x)] = weakref.ref(x)
            if x.__class__ is Tensor:
                x.__class__ = Slice
                self.marked.append(ref)

    def batched(self, x: Any) -> bool:
        """Whether x is a slice of this vmap."""
        ref = self.own.get(id(x))
        return ref is not None and ref() is x

    def free(self, tensors: Any) -> None:
        ordinary: Any = Tensor
        for x in tensors:
            if x.__class__ is Slice and any(ref() is x for ref in self.marked):
                x.__class__ = ordinary

    def check(self, target: Any, result: Any) -> None:
        """Raise where each slice would change what all of them are given, or see from outside."""
        if self.batched(result) and any(target is x for x in self.shared):
            raise RuntimeError(
                message(
                    "vmap: inplace arithmetic(self, *extra_args) is not possible because there "
                    "exists a Tensor `other` in extra_args that has more elements than `self`. "
                    "This happened due to `other` being vmapped over but `self` not being vmapped "
                    "over in a vmap. Please try to use out-of-place operators instead of inplace "
                    "arithmetic.",
                    hint="x.new_zeros(...) of a slice x: a tensor that each slice has for itself",
                )
            )

    def check_filled(self, target: Any, *others: Any) -> None:
        """Raise where each slice would fill an argument that all are given with its own numbers."""
        given = not any(map(self.batched, others))  # else `check` looks at the result
        if given and any(target is x for x in self.shared):
            raise RuntimeError(
                message(
                    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. "
                    "This will appear like same randomness.",
                    wanted="a tensor that each slice has for itself",
                    hint="torch.rand_like(x) or torch.normal(...), which make a new one",
                )
            )

    def seen(self, next_apply: Any, op: Any, inputs: Any, kw: Any) -> Any:
        """A watcher: results of slices are slices."""
        if "rng" in kw:
            written = "args" in kw or (op.name == "bernoulli" and len(inputs) == 2)
            read = inputs[1:] if written else inputs
            check_random(self.randomness, any(map(self.batched, read)))
            if written and self.randomness == "different":
                self.check_filled(*inputs)
        out = next_apply(op, inputs, kw)
        if any(map(self.batched, inputs)):
            self.mark([y for y in leaves(out) if isinstance(y, TensorBase)])
        return out
