"""How views and rearrangements can be carried out on parts: where a cut goes when dimensions move,
join or split.

A dimension along which something is taken, turned or spread must be whole. What is still to be
added up passes through all of them, for they only move numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ._dispatch import REPLICATE, Call, Way, everywhere, local_shape, locals_of
from ._rules import placed, rule
from .placement_types import Partial, Placement, Shard

Moves = Callable[[Call, int, int], int | None]  # (call, dimension, of the mesh) -> where it goes


def mover(*names: str, linear: bool = True) -> Callable[[Moves], Moves]:
    """Register a function that says where a cut dimension of the first operand is in the result;
    None: it must be whole. `linear`: what is still to be added up may go through."""

    def put(fn: Moves) -> Moves:
        def ways(call: Call, i: int) -> list[Way]:
            p = placed(call, i)[0]
            results = len(call.result) if isinstance(call.result, (tuple, list)) else 1
            found = [everywhere(call, results)]
            rest = (REPLICATE,) * (len(call.tensors) - 1)
            if linear and isinstance(p, Partial) and p.linear:
                found.insert(0, Way(p if results == 1 else (p,) * results, (p, *rest)))
            if isinstance(p, Shard):
                to = fn(call, p.dim, i)
                if to is not None:
                    out: Placement = p.at(to)
                    found.append(Way(out if results == 1 else (out,) * results, (p, *rest)))
            return found

        rule(*names)(ways)
        return fn

    return put


def counted(d: Any, n: int) -> int:
    return int(d) % max(n, 1)


@mover("permute")
def permute(call: Call, d: int, i: int) -> int | None:
    n = len(call.shape())
    return [counted(k, n) for k in call.parameter("dims", 1)].index(d)


@mover("transpose", "t", "linalg_transpose")
def transpose(call: Call, d: int, i: int) -> int | None:
    n = len(call.shape())
    if call.name == "t":
        return d if n < 2 else 1 - d
    a, b = counted(call.parameter("dim0", 1), n), counted(call.parameter("dim1", 2), n)
    return b if d == a else a if d == b else d


@mover("unsqueeze")
def unsqueeze(call: Call, d: int, i: int) -> int | None:
    return d + (counted(call.parameter("dim", 1), len(call.shape()) + 1) <= d)


@mover("squeeze")
def squeeze(call: Call, d: int, i: int) -> int | None:
    shape, dims = call.shape(), call.parameter("dim", 1)
    given = range(len(shape)) if dims is None else as_list(dims)
    gone = {counted(k, len(shape)) for k in given}
    gone = {k for k in gone if shape[k] == 1}
    return None if d in gone else d - sum(k < d for k in gone)


@mover("select")
def select(call: Call, d: int, i: int) -> int | None:
    at = counted(call.parameter("dim", 1), len(call.shape()))
    return None if d == at else d - (at < d)


@mover("select_backward")
def select_backward(call: Call, d: int, i: int) -> int | None:
    at = counted(call.parameter("dim", 2), len(call.result.shape))
    return d + (at <= d)


@mover("unbind")
def unbind(call: Call, d: int, i: int) -> int | None:
    at = counted(call.parameter("dim", 1, 0), len(call.shape()))
    return None if d == at else d - (at < d)


@mover("slice", "split", "cumsum", "cumsum_back")
@mover("cumprod", "unit", "softmax", "log_softmax", "glu", "_softmax", "_log_softmax",
       "logcumsumexp", linear=False)  # fmt: skip
def along(call: Call, d: int, i: int) -> int | None:
    """One dimension must be whole."""
    place = {"split": 2}.get(call.name, 1)
    default = -1 if call.name == "glu" else 0
    return None if d == counted(call.parameter("dim", place, default), len(call.shape())) else d


@mover("view_as_real")
def pairs(call: Call, d: int, i: int) -> int | None:
    """A dimension of two numbers comes last, and the others stay."""
    return d


def local_pairs(call: Call, ways: list[Way], given: list[Any]) -> Any:
    """Of conjugates (those of a gradient) in memory of their own: only a part's bit says it."""
    return call.func(given[0].resolve_conj())


locals_of["view_as_real"] = local_pairs


@mover("view_as_complex")
def no_pairs(call: Call, d: int, i: int) -> int | None:
    return d if d < len(call.shape()) - 1 else None


@mover("pixel_shuffle", "pixel_unshuffle")
def images(call: Call, d: int, i: int) -> int | None:
    """Channels and positions must be whole."""
    return d if d < len(call.shape()) - 3 else None


@mover("channel_shuffle")
def channels(call: Call, d: int, i: int) -> int | None:
    return None if d == 1 else d


@mover("repeat_interleave", "interleave", "interleave_sum")
def interleaved(call: Call, d: int, i: int) -> int | None:
    """Another dimension than that along which elements are repeated."""
    return None if d == counted(call.kw["dim"], len(call.shape())) else d


@mover("one_hot", linear=False)
def one_hot(call: Call, d: int, i: int) -> int | None:
    return d


@mover("slice_backward")
def slice_backward(call: Call, d: int, i: int) -> int | None:
    return None if d == counted(call.parameter("dim", 2), len(call.result.shape)) else d


@mover("flip")
def flip(call: Call, d: int, i: int) -> int | None:
    n = len(call.shape())
    return None if d in [counted(k, n) for k in as_list(call.parameter("dims", 1))] else d


@mover("roll")
def roll(call: Call, d: int, i: int) -> int | None:
    dims = call.parameter("dims", 2)
    if dims is None:
        return None
    return None if d in [counted(k, len(call.shape())) for k in as_list(dims)] else d


@mover("tril", "triu")
def triangles(call: Call, d: int, i: int) -> int | None:
    return None if d >= len(call.shape()) - 2 else d


@mover("unfold")
def unfold(call: Call, d: int, i: int) -> int | None:
    return None if d == counted(call.parameter("dimension", 1), len(call.shape())) else d


@mover("unfold_backward")
def unfold_backward(call: Call, d: int, i: int) -> int | None:
    n = len(call.result.shape)
    return None if d == n or d == counted(call.parameter("dimension", 2), n) else d


@mover("diagonal", "diagonal_backward", "as_strided", "as_strided_backward", "read_strided",
       "take_diagonal", "put_diagonal", "argwhere", "median_of_all", "trace", "view_dtype",
       "im2col", "col2im")  # fmt: skip
@mover("linalg_inv", "linalg_det", "linalg_svd", "linalg_eigh", "linalg_qr", "linalg_cholesky",
       "linalg_solve", "linalg_pinv", "linalg_slogdet", linear=False)  # fmt: skip
def whole(call: Call, d: int, i: int) -> int | None:
    """Computed on whole operands."""
    return None


@mover("sort_values", "topk_values", "kth_values", "median_values", "mode_values", "sort", "topk",
       "cummax_pair", "cummin_pair", linear=False)  # fmt: skip
def ordered(call: Call, d: int, i: int) -> int | None:
    return None if d == counted(call.parameter("dim", 1, -1), len(call.shape())) else d


def as_list(v: Any) -> list[Any]:
    return list(v) if isinstance(v, (tuple, list)) else [v]


# -- expanding and repeating -----------------------------------------------------------------------


@mover("expand")
def expand(call: Call, d: int, i: int) -> int | None:
    own, shape = call.shape(), call.result.shape
    to = d + len(shape) - len(own)
    return to if shape[to] == own[d] else None


def local_expand(call: Call, ways: list[Way], given: list[Any]) -> Any:
    return given[0].expand(local_shape(call, ways, call.result.shape))


locals_of["expand"] = local_expand


@mover("repeat")
def repeat(call: Call, d: int, i: int) -> int | None:
    repeats = call.parameter("repeats", 1)
    to = d + len(repeats) - len(call.shape())
    return to if repeats[to] == 1 else None


# -- joined and split dimensions -------------------------------------------------------------------


def groups(a: Sequence[int], b: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """The dimensions of two shapes of one size in groups that hold the same elements.

    >>> groups((2, 3, 4), (6, 4))
    [([0, 1], [0]), ([2], [1])]
    >>> groups((6, 4), (2, 3, 4))
    [([0], [0, 1]), ([1], [2])]
    """
    out: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(a) or j < len(b):
        xs, ys, m, n = [], [], 1, 1
        if i < len(a):
            xs, m, i = [i], a[i], i + 1
        if j < len(b):
            ys, n, j = [j], b[j], j + 1
        while m != n:
            if m < n and i < len(a):
                m, i = m * a[i], i + 1
                xs.append(i - 1)
            elif j < len(b):
                n, j = n * b[j], j + 1
                ys.append(j - 1)
            else:
                break
        out.append((xs, ys))
    return out


@mover("view_as_shape", "view", "reshape", "_unsafe_view", "reshape_copy")
def view(call: Call, d: int, i: int) -> int | None:
    """A cut of the first of joined dimensions is one of what they become, and the other way."""
    own, shape = call.shape(), tuple(call.result.shape)
    if math.prod(own) == 0:
        return d if own == shape else None
    n = call.mesh.size(i)
    for xs, ys in groups(own, shape):
        if d not in xs:
            continue
        left = [k for k in xs if own[k] != 1 or k == d]
        right = [k for k in ys if shape[k] != 1] or ys[:1]
        if not right or left[0] != d:
            return None
        if own[d] == shape[right[0]]:
            return right[0]
        even = own[d] % n == 0 and shape[right[0]] % n == 0
        # cut by several dimensions of the mesh: all of them together must divide
        both = call.tensors[0]._spec.placements
        total = math.prod(call.mesh.size(j) for j, p in enumerate(both) if p.is_shard(d))
        even = even and own[d] % total == 0 and shape[right[0]] % total == 0
        return right[0] if even else None
    return None


def local_view(call: Call, ways: list[Way], given: list[Any]) -> Any:
    """The local tensor in the local part's shape: a view wherever it can be one."""
    return given[0].reshape(local_shape(call, ways, call.result.shape))


for _name in ("view_as_shape", "view", "reshape", "_unsafe_view", "reshape_copy"):
    locals_of[_name] = local_view


def shaped(place: int) -> Callable[..., Any]:
    """Operations that are told the whole result's shape: each rank tells that of its part."""

    def local(call: Call, ways: list[Way], given: list[Any]) -> Any:
        shape = tuple(local_shape(call, ways, call.result.shape))
        rest = list(call.args)
        kw = dict(call.kw)
        if "shape" in kw:
            kw["shape"] = shape
        else:
            rest[place] = shape
        return call.func(*given, *rest[len(given) :], **kw)

    return local


for _name in ("select_backward", "slice_backward", "sum_to_shape", "unfold_backward",
              "interleave_sum"):  # fmt: skip
    locals_of[_name] = shaped(1)


# -- joining ---------------------------------------------------------------------------------------


@rule("cat", "stack")
def joined(call: Call, i: int) -> list[Way]:
    """Cuts along other dimensions than that which is joined."""
    ndim = len(call.result.shape)
    dim = counted(call.parameter("dim", 1, 0), ndim)
    now = placed(call, i)
    ways = [everywhere(call)]
    if all(isinstance(p, Partial) and p == now[0] for p in now):
        ways.insert(0, Way(now[0], tuple(now)))
    for p in dict.fromkeys(now):
        if not isinstance(p, Shard):
            continue
        to = p.dim + (call.name == "stack" and dim <= p.dim)
        if to == dim or any(len(t.shape) <= p.dim for t in call.tensors):
            continue
        ways.append(Way(p.at(to), (p,) * len(now)))
    return ways
