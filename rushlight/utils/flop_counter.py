"""Counting floating-point operations: what the operations of a block cost.

`FlopCounterMode` observes the door; each product, convolution and attention that is computed,
backward too, is counted by the formula of its record's name, as in PyTorch: a multiplication and an
addition are two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
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


flop_registry: dict[Any, Callable[..., int]] = {}  # by record or operator


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Any], Any]:
    """Count operators by a formula `f(*shapes, out_shape=...)`; a decorator."""

    def decorate(formula: Any) -> Any:
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = formula
        return formula

    return decorate


def cost(record: Any, arrays: Any, results: Any) -> int:
    """What one computation on arrays cost."""
    name = getattr(record, "name", "")
    shapes = [a.shape for a in arrays if isinstance(a, np.ndarray)]
    out = results[0] if isinstance(results, (tuple, list)) else results
    shape = getattr(out, "shape", ())
    if name in flop_registry:
        return flop_registry[name](*shapes, out_shape=shape)
    if len(shapes) < 2:
        return 0
    if name in PRODUCTS:
        return matmul_flop(shapes[0], shapes[1], shape) if shapes[0] else 0
    if name in ("linear", "addmm"):
        x = shapes[0] if name == "linear" else shapes[1]
        return 2 * prod(shape) * x[-1]
    if name in ("convolution", "conv_transpose"):
        return conv_flop_count(shapes[0], shapes[1], shape, name == "conv_transpose")
    if name == "scaled_dot_product_attention" and len(shapes) > 2:
        q, k, v = shapes[:3]
        return 2 * prod(q) * k[-2] + 2 * prod(q[:-1]) * k[-2] * v[-1]
    return 0


def backward_cost(name: str, arrays: Any, results: Any) -> int:
    """What one derivative rule cost: each gradient of a product is a product."""
    found = results if isinstance(results, (tuple, list)) else (results,)
    shapes: Any = [getattr(a, "shape", None) for a in arrays]
    g, inputs = shapes[0], shapes[2:]
    wanted = [(i, r.shape) for i, r in enumerate(found[:2]) if getattr(r, "ndim", 0) > 1]
    if name.startswith("ConvolutionBackward"):
        if None in inputs[:2]:
            return 0
        # a transposed one is told by its places: the result has as many as the weight reaches
        return len(wanted) * conv_flop_count(inputs[0], inputs[1], g)
    if name.startswith(RULES) and g:
        if name.startswith(("Addmm", "Linear")):
            return sum(2 * prod(g) * shape[-1] for _, shape in wanted)
        first = int(name.partition("[")[2].rstrip("]") or 0)  # which rule it is
        return sum(2 * prod(shape) * (g[-2] if first + i else g[-1]) for i, shape in wanted)
    return 0


RULES = ("MmBackward", "BmmBackward", "MatmulBackward", "AddmmBackward", "LinearBackward")
PRODUCTS = frozenset(("matmul", "mm", "bmm", "mv", "dot", "matmul_plain", "baddbmm"))


class FlopCounterMode:
    """A block in which operations are counted.

    Args:
        mods: accepted; all modules are counted together, under "Global".
        depth, display: whether (and how deep) a table is printed at the end.
        custom_mapping: {record name: formula}.

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
        self.custom = dict(custom_mapping or {})
        self._block: Any = None

    def _see(self, record: Any, arrays: Any, kw: Any, results: Any) -> None:
        name = getattr(record, "name", "")
        if "Backward" in name:
            n = backward_cost(name, arrays, results)
            name = name.partition("Backward")[0].lower() + "_backward"
        else:
            n = cost(record, arrays, results)
        if n:
            self.flop_counts["Global"][name] += n

    def get_total_flops(self) -> int:
        """All of them."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """By module (all under "Global") and operation."""
        return {k: dict(v) for k, v in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """A line for each operation."""
        total = self.get_total_flops() or 1
        lines = [f"{'Operation':30} {'FLOP':>16} {'% Total':>9}"]
        for name, n in [("Global", total), *self.flop_counts["Global"].items()]:
            lines.append(f"{name:30} {n:16,} {100 * n / total:8.2f}%")
        return "\n".join(lines)

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self._block = door.observing(self._see)
        self._block.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._block.__exit__(*error)
        if self.display:
            print(self.get_table(self.depth))
