"""Counting floating-point operations: what the operations of a block cost.

`FlopCounterMode` observes the door; each product, convolution and attention that is computed,
backward too, is counted by the formula of its record's name, as in PyTorch: a multiplication and an
addition are two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from math import prod
from typing import Any

import numpy as np

from ..autograd import door

__all__ = ["FlopCounterMode", "flop_registry", "register_flop_formula"]

Shape = tuple[int, ...]


def mm_flop(a_shape: Shape, b_shape: Shape, *args: Any, out_shape: Any = None, **kw: Any) -> int:
    """2 m k n of a matrix product."""
    (m, k), (k2, n) = a_shape, b_shape
    if k != k2:
        raise AssertionError(f"matmul: inner dimensions must match (k == k2), got {k} and {k2}")
    return 2 * m * k * n


def addmm_flop(
    self_shape: Shape, a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kw: Any
) -> int:
    """That of the product."""
    return mm_flop(a_shape, b_shape)


def bmm_flop(a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kw: Any) -> int:
    """2 b m k n of a batch of products."""
    b, m, k = a_shape
    return 2 * b * m * k * b_shape[2]


def conv_flop_count(
    x_shape: Shape, w_shape: Shape, out_shape: Shape, transposed: bool = False
) -> int:
    """2 for each weight, once for each place: of the output, or of a transposed one's input."""
    places = prod((x_shape if transposed else out_shape)[2:])
    return 2 * places * x_shape[0] * prod(w_shape)


def matmul_flop(a: Shape, b: Shape, out: Shape) -> int:
    """Of any product: each element of the result is a sum over the inner size."""
    return 2 * prod(out) * a[-1]


flop_registry: dict[Any, Callable[..., int]] = {}  # of users' own, by operator


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Any], Any]:
    """Count operators by a formula `f(*shapes, out_shape=...)`; a decorator."""

    def decorate(formula: Any) -> Any:
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = formula
        return formula

    return decorate


def cost(record: Any, arrays: Any, kw: Any, results: Any) -> int:
    """What one computation on arrays cost."""
    name = getattr(record, "name", "")
    shapes = [a.shape for a in arrays if isinstance(a, np.ndarray)]
    out = results[0] if isinstance(results, (tuple, list)) else results
    shape = getattr(out, "shape", ())
    if len(shapes) < 2:
        return 0
    if name in PRODUCTS:
        return matmul_flop(shapes[0], shapes[1], shape) if shapes[0] else 0
    if name in SUMS_OF_PRODUCTS:
        return matmul_flop(shapes[1], shapes[2], shape)
    if name == "addbmm":
        return bmm_flop(shapes[1], shapes[2])
    if name == "convolution":
        return conv_flop_count(shapes[0], shapes[1], shape, kw.get("transposed", False))
    if name in ATTENTION and len(shapes) > 2:
        q, k, v = shapes[:3]
        return 2 * prod(q) * k[-2] + 2 * prod(q[:-1]) * k[-2] * v[-1]
    return 0


def backward_cost(name: str, arrays: Any, kw: Any, results: Any) -> int:
    """What one derivative rule cost: each gradient of a product is a product."""
    found = results if isinstance(results, (tuple, list)) else (results,)
    shapes: Any = [getattr(a, "shape", None) for a in arrays]
    g, inputs = shapes[0], shapes[2:]
    wanted = [(i, r.shape) for i, r in enumerate(found[:2]) if getattr(r, "ndim", 0) > 1]
    if name.startswith("ConvolutionBackward"):
        if None in inputs[:2]:
            return 0
        transposed = kw.get("transposed", False)
        return len(wanted) * conv_flop_count(inputs[0], inputs[1], g, transposed)
    if name.startswith(RULES) and g:
        if name.startswith(("Addmm", "Linear")):
            return sum(2 * prod(g) * shape[-1] for _, shape in wanted)
        first = int(name.partition("[")[2].rstrip("]") or 0)  # which rule it is
        return sum(2 * prod(shape) * (g[-2] if first + i else g[-1]) for i, shape in wanted)
    return 0


RULES = ("MmBackward", "BmmBackward", "MatmulBackward", "AddmmBackward", "LinearBackward")
PRODUCTS = frozenset(("matmul", "mm", "bmm", "mv", "dot", "linear"))
SUMS_OF_PRODUCTS = frozenset(("addmm", "addmv", "baddbmm"))
ATTENTION = frozenset(("scaled_dot_product_attention", "attention_by_blocks"))


def operator_of(record: Any, arrays: Any) -> Any:
    """The operator of `torch.ops.aten` that a computation is counted as."""
    from .. import _ops

    name = getattr(record, "name", "")
    if "Backward" in name:
        # The gradients of a product are products; those of a convolution have an operator.
        batch = getattr(arrays[0], "ndim", 0) > 2 and not name.startswith(("Addmm", "Linear"))
        convolution = name.startswith("Convolution")
        of = "convolution_backward" if convolution else "bmm" if batch else "mm"
        return getattr(_ops.namespace("aten"), of)
    if name == "linear":
        return getattr(_ops.namespace("aten"), "mm" if arrays[2] is None else "addmm")
    return _ops.packet_of(record, tuple(arrays)).overloadpacket


class FlopCounterMode:
    """A block in which operations are counted.

    Args:
        mods: not needed: every module that is called counts, under its class and the names of
            the attributes it was reached by. What backward does is counted under "Global" alone.
        depth: how deep the table shows modules.
        display: whether the table is printed at the end.
        custom_mapping: {operator of `torch.ops`: formula of shapes, with `out_shape=`}.

    >>> import rushlight
    >>> with FlopCounterMode(display=False) as counter:
    ...     _ = rushlight.ones(3, 4) @ rushlight.ones(4, 5)
    >>> counter.get_total_flops()
    120
    """

    def __init__(
        self,
        mods: Any = None,
        depth: int = 2,
        display: bool = True,
        custom_mapping: dict[Any, Any] | None = None,
    ) -> None:
        self.depth, self.display = depth, display
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.formulas = {**flop_registry, **(custom_mapping or {})}
        self._names: list[tuple[Any, str]] = []  # the modules that are being called
        self._block: Any = None

    def _see(self, record: Any, arrays: Any, kw: Any, results: Any) -> None:
        name = getattr(record, "name", "")
        if "Backward" in name:
            n, where = backward_cost(name, arrays, kw, results), []
        else:
            n, where = self._cost(record, arrays, kw, results), self._names
        if n:
            operator = operator_of(record, arrays)
            for place in dict.fromkeys(["Global", *(name for _, name in where)]):
                self.flop_counts[place][operator] += n

    def _cost(self, record: Any, arrays: Any, kw: Any, results: Any) -> int:
        if self.formulas and hasattr(record, "inputs"):
            packet = operator_of(record, arrays)
            formula = self.formulas.get(packet) or self.formulas.get(packet.default)
            if formula is not None:
                out = results[0] if isinstance(results, (tuple, list)) else results
                shapes = [a.shape for a in arrays if isinstance(a, np.ndarray)]
                return int(formula(*shapes, out_shape=out.shape))
        return cost(record, arrays, kw, results)

    def _enter_module(self, module: Any, inputs: Any) -> None:
        name = type(module).__name__
        if self._names:
            parent, path = self._names[-1]
            known = (k for k, child in parent.named_children() if child is module)
            name = f"{path}.{next(known, name)}"
        self._names.append((module, name))

    def _leave_module(self, module: Any, inputs: Any, output: Any) -> None:
        self._names.pop()

    def get_total_flops(self) -> int:
        """All of them."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """By module and operator, all of them under "Global"."""
        return {k: dict(v) for k, v in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """A line for each module and each operator in it."""
        depth = self.depth if depth is None else depth
        total = self.get_total_flops() or 1
        lines = [f"{'Module':40} {'FLOP':>16} {'% Total':>9}"]
        for place, counts in sorted(self.flop_counts.items(), key=lambda item: item[0] != "Global"):
            level = place.count(".") + (place != "Global")
            if level > depth:
                continue
            for name, n in [(place, sum(counts.values())), *counts.items()]:
                shown = " " * level + (place if name is place else f" - {name}")
                lines.append(f"{shown:40} {n:16,} {100 * n / total:8.2f}%")
        return "\n".join(lines)

    def __enter__(self) -> FlopCounterMode:
        from ..nn import _hooks

        self.flop_counts.clear()
        self._names.clear()
        self._block = ExitStack()
        self._block.callback(_hooks.register_module_forward_pre_hook(self._enter_module).remove)
        leave = _hooks.register_module_forward_hook(self._leave_module, always_call=True)
        self._block.callback(leave.remove)
        self._block.enter_context(door.observing(self._see))
        return self

    def __exit__(self, *error: Any) -> None:
        self._block.close()
        if self.display:
            print(self.get_table(self.depth))
