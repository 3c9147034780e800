"""An operation on DTensors: its rule says how operands are to lie on each dimension of the mesh and
how the result lies then; operands are brought there, and each rank computes on its local tensors.

A rule (`_rules.py`, `_rules_nn.py`) gives a list of ways for one dimension of the mesh. For each
dimension the way is taken that sends the fewest bytes; the first of equals. What a whole result is
(shape, strides, type) is what the operation says of tensors without data.
"""

from __future__ import annotations

import atexit
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from ... import dtypes
from ...autograd import door, no_grad
from ...autograd.node import TensorBase
from ...errors import message
from ...ops.core import dispatch
from ...ops.core.record import registry
from ..device_mesh import DeviceMesh
from ._dtensor_spec import DTensorSpec, TensorMeta, local_shapes
from ._redistribute import redistribute_local_tensor
from .placement_types import Partial, Placement, Replicate, chunk

REPLICATE = Replicate()


class Way(NamedTuple):
    """How an operation can be carried out on one dimension of a mesh: how its results lie then, and
    how its tensor operands must."""

    out: Any  # a placement, or a tuple of them for several results
    operands: tuple[Placement, ...]


class Call:
    """One call as rules see it.

    Attributes:
        name: the operator's, without namespace and overload: "add", "_softmax".
        args, kw: with DTensors in them.
        tensors: the DTensors among them, in their order.
        metas: tensors without data in the places of args, and in kw's.
        result: what the operation gives for those.
        mesh: that of the operands.
    """

    __slots__ = ("args", "func", "kw", "mesh", "name", "result", "tensors")

    def __init__(self, func: Any, args: Any, kw: Any, tensors: list[Any], mesh: Any) -> None:
        self.func, self.args, self.kw = func, args, kw
        self.name: str = func.overloadpacket.__name__
        self.tensors, self.mesh = tensors, mesh
        self.result: Any = None

    @property
    def record(self) -> Any:
        """The record that the operator is, or is the form in place of; None for others."""
        return self.func.record or registry.get(self.name.removesuffix("_"))

    def shape(self, i: int = 0) -> tuple[int, ...]:
        """The shape of a tensor operand as a whole."""
        return tuple(self.tensors[i].shape)

    def parameter(self, name: str, place: int, default: Any = None) -> Any:
        """A parameter that was given by place or by name."""
        if name in self.kw:
            return self.kw[name]
        return self.args[place] if place < len(self.args) else default

    def cutters(self, i: int) -> list[int]:
        """The sizes of the mesh's dimension i and of all that cut an operand: a dimension may be
        cut by several of them."""
        return [
            self.mesh.size(j)
            for j in range(self.mesh.ndim)
            if j == i or any(t._spec.placements[j].is_shard() for t in self.tensors)
        ]

    def cuts_evenly(self, size: int, i: int) -> bool:
        """Whether all ranks get as much of `size`."""
        return size % math.prod(self.cutters(i)) == 0

    def reaches_all(self, size: int, i: int) -> bool:
        """Whether all ranks get some of `size`."""
        for n in self.cutters(i):
            size = chunk(size, n, n - 1)[0]
        return size > 0


Rule = Callable[[Call, int], list[Way]]
rules: dict[str, Rule] = {}
# Operations that are carried out otherwise: (call, redistributed locals) -> local results.
locals_of: dict[str, Callable[..., Any]] = {}
# Operations that take the whole thing over: (func, args, kw) -> result.
instead: dict[str, Callable[..., Any]] = {}


def everywhere(call: Call, results: int = 1) -> Way:
    """Everything replicated."""
    out: Any = REPLICATE if results == 1 else (REPLICATE,) * results
    return Way(out, (REPLICATE,) * len(call.tensors))


# -- what is to be sent ----------------------------------------------------------------------------


def cost(p: Placement, q: Placement, nbytes: int, n: int) -> float:
    """About how many bytes bring an operand from p to q on a dimension of n ranks."""
    if p == q:
        return 0.0
    if isinstance(q, Partial):  # only the sum of what is there, for those who ask for it
        return 2.0 if isinstance(p, Replicate) else math.inf
    if isinstance(p, Replicate):
        return 1.0  # nothing is sent; but where nothing is to be done, nothing is
    share = nbytes * (n - 1) / n + 16
    if isinstance(p, Partial):
        return 2 * share if isinstance(q, Replicate) else share
    return share if isinstance(q, Replicate) else share / n + 8


def chosen(call: Call, rule: Rule, target: Any) -> list[Way]:
    """The cheapest way for each dimension of the mesh."""
    found: list[Way] = []
    for i in range(call.mesh.ndim):
        n = call.mesh.size(i)
        best: Way | None = None
        least = math.inf
        for way in rule(call, i):
            if target is not None and way.operands[0] != target._spec.placements[i]:
                continue
            if target is not None and way.out != way.operands[0]:
                continue
            price = sum(
                cost(t._spec.placements[i], q, t._a.nbytes, n)
                for t, q in zip(call.tensors, way.operands, strict=True)
            )
            if price < least:
                best, least = way, price
        if best is None:
            refuse_change(call, target)
        found.append(best)
    return found


def refuse_change(call: Call, target: Any) -> NoReturn:
    where = ", ".join(str(t._spec) for t in call.tensors)
    if target is None:
        raise RuntimeError(
            message(f"{call.func}: Sharding propagation failed", got=where, hint="redistribute()")
        )
    raise RuntimeError(
        message(
            f"{call.func}: in-place operations that require placement changes are not supported",
            got=where,
            wanted=f"operands that leave {target._spec.placements} as it is",
            hint="the operation out of place, or redistribute() before it",
        )
    )


# -- carrying out ----------------------------------------------------------------------------------


def carry_out(func: Any, args: Any, kw: Any) -> Any:
    """What `DTensor.__torch_dispatch__` does: one operation, on this rank's parts."""
    name = func.overloadpacket.__name__
    own = instead.get(name)
    if own is not None:
        got = own(func, args, kw)
        if got is not NotImplemented:
            return got
    mesh, args, kw, tensors = operands(func, args, kw)
    call = Call(func, args, kw, tensors, mesh)
    changes = name.endswith("_") and not name.startswith("__") and bool(tensors)
    target = tensors[0] if changes else None
    key = key_of(func, args, kw)
    known = plans.get(key) if key is not None else None
    if known is None:
        rule = rule_of(call)
        call.result = None if changes else of_no_data(call)
        known = (call.result, chosen(call, rule, target), func)
        if key is not None:
            if len(plans) >= MOST_PLANS:
                plans.clear()
            plans[key] = known
    call.result, ways = known[:2]
    given = [brought(t, [w.operands[k] for w in ways]) for k, t in enumerate(tensors)]
    if mesh.get_coordinate() is None:
        local = None
    else:
        with no_grad():
            local = computed(call, ways, given)
    if changes:
        return target
    return wrapped(call.result, local, [w.out for w in ways], mesh, tensors[0])


# What was found for calls like this one: whole results without data, and ways (and the operator,
# which the key has by its id).
plans: dict[Any, tuple[Any, list[Way], Any]] = {}
MOST_PLANS = 4096
atexit.register(plans.clear)  # they hold meshes, whose stores close files while that can be done


def key_of(func: Any, args: Any, kw: Any) -> Any:
    """What a plan depends on: the operator, where its operands lie and what they are as a whole,
    and other arguments. None when one of those cannot be a key."""
    try:
        key = (id(func), values(args), values(kw.items()), dtypes.get_default_dtype())
        hash(key)
    except TypeError:
        return None
    return key


def values(args: Any) -> tuple[Any, ...]:
    """Arguments as parts of a key: 1, 1.0 and True are three."""
    found: list[Any] = []
    for v in args:
        if isinstance(v, TensorBase):
            found.append(v._spec)  # type: ignore[attr-defined]
        elif v.__class__ is tuple or v.__class__ is list:
            found.append((v.__class__, values(v)))
        else:
            found.append((v.__class__, v))
    return tuple(found)


def operands(func: Any, args: Any, kw: Any) -> tuple[DeviceMesh, Any, Any, list[Any]]:
    """The mesh of a call, its arguments with all tensors as DTensors, and these."""
    from ._api import DTensor

    mesh = next(t._spec.mesh for t in dispatch.leaves((*args, kw)) if isinstance(t, DTensor))
    tensors: list[Any] = []

    def taken(v: Any) -> Any:
        if isinstance(v, TensorBase):
            if not isinstance(v, DTensor):
                v = scalar(func, v, mesh)
            elif v._spec.mesh != mesh:
                raise RuntimeError(
                    message(
                        f"{func}: DTensor does not support cross-mesh operation",
                        got=f"{mesh} and {v._spec.mesh}",
                        wanted="operands on one mesh",
                    )
                )
            tensors.append(v)
            return v
        if v.__class__ is list or v.__class__ is tuple:
            return v.__class__([taken(x) for x in v])
        return v

    args = tuple([taken(v) for v in args])
    kw = {k: taken(v) for k, v in kw.items()}
    return mesh, args, kw, tensors


def scalar(func: Any, v: Any, mesh: DeviceMesh) -> Any:
    """A plain tensor of one element, which all ranks have; others are refused."""
    from ._api import DTensor

    if v.numel() != 1 and not implicit.on:
        raise RuntimeError(
            message(
                f"{func} got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to "
                "DTensor before calling distributed operators!",
                got=f"a torch.Tensor of shape {tuple(v.shape)}",
                hint="DTensor.from_local(x, mesh), or distribute_tensor(x, mesh)",
            )
        )
    meta = TensorMeta(v.shape, tuple(v.stride()), v.dtype)
    return DTensor._made(v.detach(), DTensorSpec(mesh, (REPLICATE,) * mesh.ndim, meta))


class _Implicit:
    """Whether plain tensors are taken as replicated (`implicit_replication`)."""

    on = False


implicit = _Implicit()


def rule_of(call: Call) -> Rule:
    """The rule of an operation; NotImplementedError where there is none."""
    name = call.name
    rule = rules.get(name)
    if rule is None and name.endswith("_"):
        rule = rules.get(name.removesuffix("_"))
    if rule is None and call.record is not None:
        rule = rules.get(f"kind:{call.record.kind}") or rules.get(call.record.name)
    if rule is None:
        raise NotImplementedError(
            message(
                f"Operator {call.func} does not have a sharding strategy registered.",
                got=", ".join(str(t._spec) for t in call.tensors),
                hint="x.full_tensor(), or x.to_local() where each rank's part is enough",
            )
        )
    return rule


def of_no_data(call: Call) -> Any:
    """What the operation gives for tensors without data: the whole results' shapes and strides."""
    args, kw = replaced(call, [door.wrap(t._a.meta()) for t in call.tensors])
    return call.func(*args, **kw)


def replaced(call: Call, values: Sequence[Any]) -> tuple[Any, Any]:
    """The arguments with other tensors in the places of the call's."""
    rest = iter(values)

    def put(v: Any) -> Any:
        if isinstance(v, TensorBase):
            return next(rest)
        if v.__class__ is list or v.__class__ is tuple:
            return v.__class__([put(x) for x in v])
        return v

    return tuple([put(v) for v in call.args]), {k: put(v) for k, v in call.kw.items()}


def brought(t: Any, placements: list[Placement]) -> Any:
    """The local tensor of an operand that is to lie like this."""
    spec = t._spec
    if list(spec.placements) == placements:
        return t._local_tensor
    return redistribute_local_tensor(t._local_tensor, spec, spec.with_placements(placements))


def computed(call: Call, ways: list[Way], given: list[Any]) -> Any:
    """The local results."""
    own = locals_of.get(call.name)
    if own is not None:
        return own(call, ways, given)
    args, kw = replaced(call, given)
    return call.func(*args, **kw)


def local_shape(call: Call, ways: list[Way], shape: Sequence[int]) -> list[int]:
    """The shape of this rank's part of a result of a whole shape."""
    return local_shapes(shape, call.mesh, [w.out for w in ways])[-1]


def wrapped(result: Any, local: Any, out: list[Any], mesh: DeviceMesh, like: Any) -> Any:
    """The local results as DTensors."""
    from ._api import DTensor

    if isinstance(result, (list, tuple)):
        made = []
        for k, r in enumerate(result):
            where = [p[k] if isinstance(p, tuple) else p for p in out]
            part = None if local is None else local[k]
            made.append(wrapped(r, part, where, mesh, like))
        return result.__class__(made) if type(result) in (list, tuple) else tuple(made)
    if not isinstance(result, TensorBase):
        return result if local is None else local
    if local is None:
        local = like._local_tensor.new_empty(0, dtype=result.dtype)
    meta = TensorMeta(result.shape, tuple(result.stride()), result.dtype)
    return DTensor._made(local, DTensorSpec(mesh, out, meta))

