"""How operations can be carried out on parts: element by element, sums, products, joining.

A rule is (call, dimension of the mesh) -> ways. Views have theirs in `_rules_view.py`, layers in
`_rules_nn.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ._dispatch import REPLICATE, Call, Rule, Way, everywhere, rules
from .placement_types import Partial, Placement, Shard


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register the rule of operations."""

    def put(fn: Rule) -> Rule:
        for name in names:
            rules[name] = fn
        return fn

    return put


def placed(call: Call, i: int) -> list[Placement]:
    """How the operands lie on a dimension of the mesh."""
    return [t._spec.placements[i] for t in call.tensors]


# -- element by element ----------------------------------------------------------------------------

# What of sums is the sum of what of parts: name -> which operands are added up; the others are
# factors, and must be whole.
LINEAR = {
    "neg": (0,), "clone": (0,), "_to_copy": (0,), "mul": (0, 1), "div": (0,), "positive": (0,),
    "view_as_real": (0,), "deg2rad": (0,), "rad2deg": (0,), "copy": (0,), "detach": (0,),
    "contiguous": (0,), "zeros_like": (0,), "alias": (0,), "_lazy_clone": (0,),
}  # fmt: skip
ADDED = {"add", "sub"}


@rule("kind:elementwise", "clone", "_lazy_clone", "_to_copy", "copy", "where", "round", "abs",
      "sgn", "addcmul", "addcdiv", "nan_to_num", "masked_fill", "fill", "angle", "logit",
      "polygamma_n", "conj_physical", "_conj", "_neg_view", "complex", "polar", "close",
      "frexp_parts", "detach", "zero", "ones_like", "zeros_like", "full_like", "empty_like",
      "bits_combined", "alias", "contiguous",
      "real_view", "imag_view")  # fmt: skip
def elementwise(call: Call, i: int) -> list[Way]:
    """Each element of the result is of the elements in its place: any cut will do."""
    shape = broadcast(call)
    ways = []
    now = placed(call, i)
    if call.name.endswith("_like") and isinstance(now[0], Partial):
        return [Way(REPLICATE, (now[0],))]  # nothing of its values is asked
    cuts = [p.dim + len(shape) - len(call.shape(k)) for k, p in enumerate(now)
            if isinstance(p, Shard)]  # fmt: skip
    kind = next((p for p in now if isinstance(p, Shard)), Shard(0))
    ways += list(added_up(call, now))
    ways.append(everywhere(call, len(call.result) if isinstance(call.result, tuple) else 1))
    for d in dict.fromkeys(cuts):
        ways.append(cut_along(call, d, shape, kind))
    return ways


def broadcast(call: Call) -> tuple[int, ...]:
    """The shape that operands are broadcast to."""
    ndim = max(len(call.shape(k)) for k in range(len(call.tensors)))
    shape = [1] * ndim
    for k in range(len(call.tensors)):
        for d, n in enumerate(reversed(call.shape(k))):
            if n != 1:
                shape[ndim - 1 - d] = n
    return tuple(shape)


def cut_along(call: Call, d: int, shape: tuple[int, ...], kind: Shard) -> Way:
    """All operands cut along dimension d of what they are broadcast to."""
    operands: list[Placement] = []
    for k in range(len(call.tensors)):
        own = call.shape(k)
        at = d - len(shape) + len(own)
        cut = at >= 0 and (own[at] != 1 or shape[d] == 1)
        operands.append(kind.at(at) if cut else REPLICATE)
    return Way(kind.at(d), tuple(operands))


def added_up(call: Call, now: list[Placement]) -> Iterator[Way]:
    """Ways that leave what is still to be added as it is."""
    partial = next((p for p in now if isinstance(p, Partial)), None)
    if partial is None:
        return
    name = call.name.removesuffix("_")
    linear = partial.linear
    if name in ("clone", "detach", "alias", "contiguous", "_lazy_clone", "copy"):
        yield Way(partial, (partial,) * len(now))
    elif name == "zero":
        yield Way(partial, (partial,))
    elif not linear:
        if (name, partial.reduce_op) in (("maximum", "max"), ("minimum", "min")):
            yield Way(partial, (partial, partial))
    elif name in ADDED and len(now) == 2:
        yield Way(partial, (partial, partial))
    elif name in LINEAR and (name != "_to_copy" or kept_kind(call)):
        for k in LINEAR[name]:
            there = k < min(len(now), len(call.args)) and call.tensors[k] is call.args[k]
            if there and now[k] == partial:
                yield Way(partial, tuple(partial if j == k else REPLICATE for j in range(len(now))))


def kept_kind(call: Call) -> bool:
    """Whether a cast is from one floating-point type to another, which rounds and no more."""
    dtype = call.kw.get("dtype")
    return dtype is None or (dtype.is_floating_point and call.tensors[0].is_floating_point())


# -- sums and their like ---------------------------------------------------------------------------

# How what is left of a dimension that is cut is combined: None where the whole is needed.
COMBINED = {
    "sum": "sum", "sum_all": "sum", "nansum": "sum", "nan_sum": "sum", "mean": "avg",
    "amax": "max", "amin": "min", "max_all": "max", "min_all": "min", "prod": "product",
    "all": "product", "any": "sum",
}  # fmt: skip


def name_of(call: Call) -> str:
    """The record's name, which tells `max` of all from `max` along a dimension."""
    return call.record.name if call.record is not None else call.name


def as_dims(given: Any, ndim: int) -> tuple[int, ...]:
    """Dimensions as they may be given, counted from the first; None means all."""
    if given is None or (isinstance(given, (tuple, list)) and not given):
        return tuple(range(ndim))
    given = given if isinstance(given, (tuple, list)) else (given,)
    return tuple(d % max(ndim, 1) for d in given)


def kept(d: int, dims: tuple[int, ...], keepdim: bool) -> int:
    """Where a dimension is after others were reduced."""
    return d if keepdim else d - sum(r < d for r in dims)


@rule("sum", "sum_all", "nansum", "nan_sum", "mean", "amax", "amin", "max_all", "min_all", "prod",
      "all", "any", "max", "min", "var", "std", "var_mean", "std_mean", "logsumexp", "max_dim",
      "min_dim", "argmax", "argmin", "count_nonzero", "kind:reduction")  # fmt: skip
def reduction(call: Call, i: int) -> list[Way]:
    """A cut along a dimension that is left stays; one along a dimension that is reduced becomes
    what is still to be combined."""
    name, ndim = name_of(call), len(call.shape())
    bare = "dim" not in call.record.defaults if call.record is not None else False
    dims = as_dims(None if bare else call.parameter("dim", 1), ndim)
    keepdim = bool(call.parameter("keepdim", 2, False)) and not bare
    results = len(call.result) if isinstance(call.result, (tuple, list)) else 1
    p = placed(call, i)[0]
    ways = []
    if isinstance(p, Partial) and passes(name, p):
        ways.append(Way(p, (p,)))
    ways.append(everywhere(call, results))
    if isinstance(p, Shard):
        if p.dim not in dims:
            out: Any = p.at(kept(p.dim, dims, keepdim))
            ways.append(Way(out if results == 1 else (out,) * results, (p,)))
        else:
            kind = COMBINED.get(name)
            size = call.shape()[p.dim]
            if kind == "product" and name == "all":
                kind = "min"
            if kind == "sum" and name == "any":
                kind = "max"
            if kind == "avg" and not call.cuts_evenly(size, i):
                kind = None
            if kind in ("max", "min", "product") and not call.reaches_all(size, i):
                kind = None
            if kind is not None:
                ways.append(Way(Partial(kind), (p,)))
    return ways


def passes(name: str, p: Partial) -> bool:
    """Whether reducing what is still to be combined gives what is to be combined."""
    if p.linear:
        return name in ("sum", "sum_all", "mean")
    return (name, p.reduce_op) in (
        ("amax", "max"), ("max_all", "max"), ("amin", "min"), ("min_all", "min"),
    )  # fmt: skip


@rule("sum_to_shape")
def sum_to_shape(call: Call, i: int) -> list[Way]:
    """The gradient of broadcasting: dimensions that were not there, or were 1, are added up."""
    own, shape = call.shape(), tuple(call.result.shape)
    p = placed(call, i)[0]
    ways = [everywhere(call)]
    if isinstance(p, Partial) and p.linear:
        ways.insert(0, Way(p, (p,)))
    if isinstance(p, Shard):
        at = p.dim - len(own) + len(shape)
        if at >= 0 and shape[at] == own[p.dim]:
            ways.append(Way(p.at(at), (p,)))
        elif at < 0 or shape[at] == 1:
            ways.append(Way(Partial(), (p,)))
    return ways

