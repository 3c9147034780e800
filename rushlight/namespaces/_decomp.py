"""`torch._decomp`: operators in terms of others.

An operator here is a record, which has one function and is not made of operators; what is made of
them is a composite, of which nobody is told. So there is little to decompose: records of a formula
about one element that is written with other operations (`silu` is `x / (1 + exp(-x))`), and what
programs register. For other operators PyTorch's table has a function, and this one none.

    make_fx(f, decomposition_table=get_decompositions([torch.ops.aten.silu]))
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from rushlight.kernels.codegen import expr, lower
from rushlight.ops.core.record import Op, registry

from . import _ops

__all__ = [
    "core_aten_decompositions",
    "decomposition_table",
    "get_decompositions",
    "register_decomposition",
    "remove_decompositions",
]

Table = dict[_ops.OpOverload, Callable[..., Any]]


def by_formula(op: Op, *args: Any, **kw: Any) -> Any:
    """A record computed as its formula says, operation by operation.

    args, kw: as classes and modes are told of the record.
    """
    n = len(op.inputs)
    given = dict(zip(op.defaults, args[n:], strict=False))
    return op.formula(*op.signature.pad(args[:n]), **given, **kw)


def is_formula(op: Op) -> bool:
    """Whether a record is written with other operations, and looks at no array."""
    if op.kind != "elementwise" or op.ufunc is not None or op.name in lower.TABLE:
        return False
    if op.part_of is not None:  # the operator is that of the other record
        return False
    trace = expr.Trace()
    try:
        op.formula(*map(trace.variable, op.inputs), **op.defaults)
    except (AttributeError, TypeError):  # it asks for the type of an array, or calls NumPy
        return False
    return True


def written() -> Table:
    """The operators that are formulas of others."""
    found: Table = {}
    for op in registry.values():
        if is_formula(op):
            made = functools.partial(by_formula, op)
            functools.update_wrapper(made, op.formula)
            found[_ops.packet_of(op)] = made
    return found


decomposition_table: Table = written()


def overloads(aten_op: Any) -> list[_ops.OpOverload]:
    """The operators that are meant: one, or all known overloads of a packet, in lists as well."""
    if isinstance(aten_op, (list, tuple)):
        return [one for op in aten_op for one in overloads(op)]
    if isinstance(aten_op, _ops.OpOverloadPacket):
        return [getattr(aten_op, name) for name in aten_op.overloads()]
    if not isinstance(aten_op, _ops.OpOverload):
        raise TypeError(f"an operator was expected, such as torch.ops.aten.silu, not {aten_op!r}")
    return [aten_op]


def register_decomposition(
    aten_op: Any, registry: Table | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: the function is what an operator, or each of several, is made of.

    Args:
        aten_op: an operator, a packet of them, or a list.
        registry: the table that it is put into; `decomposition_table` by default.

    Raises:
        RuntimeError: the operator is in the table already.
    """
    table = decomposition_table if registry is None else registry

    def put(fn: Callable[..., Any]) -> Callable[..., Any]:
        for op in overloads(aten_op):
            if op in table:
                raise RuntimeError(f"duplicate registrations for {op}")
            table[op] = fn
        return fn

    return put


def get_decompositions(aten_ops: Iterable[Any]) -> Table:
    """The part of `decomposition_table` that is about these operators."""
    return {
        op: decomposition_table[op]
        for op in overloads(list(aten_ops))
        if op in decomposition_table
    }


def remove_decompositions(decompositions: Table, aten_ops: Iterable[Any]) -> None:
    """Take operators out of a table."""
    for op in overloads(list(aten_ops)):
        decompositions.pop(op, None)


def core_aten_decompositions() -> Table:
    """A copy of all decompositions: what remains is what kernels compute."""
    return dict(decomposition_table)
