"""The second part of a record: types, memory and shapes of an op's results.

Operands of mixed types are brought together (`promote`), types below float32 are computed in
float32 (`low`), and the result's shape and type are known without computing it (`infer`), which is
what meta tensors run. A formula about one element has the shape of its operands broadcast; any
other op states its own with `op.shape(...)`, or says that it depends on data.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...autograd.steps import Step
from ...errors import message
from ...kernels.elementwise.formula import Fixed
from ...kernels.elementwise.select import BY_NUMPY
from ...kernels.meta import MetaArray
from .accepted import Accepted
from .types import Forward, ShapeRule

ndarray = np.ndarray


def in_place(op: Any) -> Step:
    """A formula's result written over the first operand."""
    ufunc = op.numerics.ufunc
    fn = ufunc if isinstance(ufunc, np.ufunc) else op.formula
    over = functools.partial(op.fn.planned.into, fn)
    return Step(op.inplace_name, over, outputs=0, mutates=(0,))


def in_place_by(
    op: Any, over: Any, indices: Sequence[int] = (), strided: bool = False
) -> None:  # fmt: skip
    """Let `over(a, *rest, **parameters)`, which checks before it writes, be the in-place form of an
    op; `indices` and `strided` as in `Step`."""
    op.into = op.numerics.into = Step(
        op.inplace_name, over, outputs=0, mutates=(0,), indices=indices, strided=strided
    )


class Numerics:
    """What the results of an op are.

    Attributes:
        kind: "elementwise", "reduction" or "op".
        promote: None, "common" or "float": how operands of mixed types are brought together.
        rounds: numbers are rounded to the type of narrow tensors beside them (0.1 is the 0.1 of
            float16), as PyTorch's comparisons, differences and remainders take them; elsewhere
            they keep float32's digits.
        low: what happens with types below float32. "compute": the forward gets them as float32 and
            its result is rounded; "own": it takes them as they are, rules get float32; "keep" and
            "inside": they are moved or seen to by the op itself.
        autocast: the types that operands come in under autocast. "lower": the narrow one that it
            is set to; "float32"; "promote": the widest of those that are there; None: as they are.
        view: the result shares memory with the first input.
        fresh: the result is never an operand, nor a view of one.
        rows: the result lies in rows where the first operand is a number.
        outputs: how many results there are (more than one come as a tuple).
        ufunc: the ufunc that an elementwise op is, or that a reduction repeats.
        combine, identity: of a reduction, the formula of two partial results and where it starts.
        data_dependent: the result's shape is a matter of values, so meta tensors cannot have it.
        into: the in-place form, a Step, for memory that may simply be written to. An op that is a
            ufunc has one by itself.
        mutates: names of parameters that a call changes: a generator of random numbers.
        exact_out: `out=` must be of the result's own type; otherwise results are converted to it. A
            text: what is said of another one.
        unmixed: raises unless two operands have one type, of which the forward, which gets narrow
            ones as float32, would not know.
        apart: operands that overlap with the memory that is written to, in place or as `out=`, are
            refused: "partly" unless they are all of it, "wholly" always. Formulas: "partly".
        numpy: how NumPy computes a formula, which decides from how many elements on a kernel does
            (`kernels/elementwise/select.py`, `least_for`).
        fixed: of a formula, which of its operands decides on the code where it is one of some
            numbers, as the exponent 2 does: (which, the numbers). By the number of the derivative
            rule, whose operands are (g, y, *inputs); None: of the formula itself.
        accepts: the types that it takes (`accepted.py`); None: what its function takes.
        shape: the rule that gives shape and type.
        bits: of a view, what it makes of an UnresolvedArray; None: a view of its memory that is
            read in the same way.
    """

    def __init__(
        self,
        kind: str,
        promote: str | None = None,
        low: str = "compute",
        rounds: bool = False,
        autocast: str | None = None,
        view: bool = False,
        fresh: bool = False,
        rows: bool = False,
        outputs: int = 1,
        ufunc: Any = None,
        combine: Forward | None = None,
        identity: float | None = None,
        data_dependent: bool = False,
        into: Step | None = None,
        mutates: tuple[str, ...] = (),
        accepts: Any = None,
        exact_out: bool | str = False,
        unmixed: Any = None,
        apart: str | None = None,
        numpy: str | None = None,
        fixed: dict[int | None, Fixed] | None = None,
    ) -> None:
        self.kind = kind
        self.promote = promote
        self.low = low
        self.rounds = rounds
        self.autocast = autocast
        self.view = view
        self.fresh = fresh
        self.rows = rows
        self.outputs = outputs
        self.ufunc = ufunc
        self.combine = combine
        self.identity = identity
        self.data_dependent = data_dependent
        self.into = into
        self.mutates = mutates
        self.exact_out = exact_out
        if numpy not in (BY_NUMPY if kind == "elementwise" else (None,)):
            raise TypeError(f"numpy={numpy!r} says nothing of a record of kind {kind!r}")
        self.numpy = numpy
        if fixed and kind != "elementwise":
            raise TypeError(f"fixed={fixed!r} says nothing of a record of kind {kind!r}")
        self.fixed = fixed or {}
        if numpy == "arithmetic" and any(i is not None for i in self.fixed):
            raise TypeError(f"fixed={fixed!r} names a rule, but those of arithmetic have no kernel")
        self.accepts = None if accepts is None else Accepted(accepts)
        self.unmixed = unmixed
        self.apart = "partly" if apart is None and kind == "elementwise" else apart
        self.shape: ShapeRule | None = None
        self.bits: Forward | None = None

    @property
    def compute(self) -> bool:
        """Whether types below float32 are computed in float32 (False: pure data movement)."""
        return self.low in ("compute", "own")

    @property
    def widen(self) -> bool:
        """Whether the forward is given them as float32; rules always are."""
        return self.low == "compute"

    def infer(self, name: str, fn: Forward, arrays: list[Any], kw: dict[str, Any]) -> Any:
        """Shape and type of the result as MetaArray(s). Nothing is computed: a view is taken of one
        element with these sizes and strides, a formula is run on no elements."""
        if self.shape is not None:
            return self.shape(*arrays, **kw)
        if self.kind == "elementwise":
            shape = np.broadcast_shapes(
                *(a.shape for a in arrays if isinstance(a, (ndarray, MetaArray)))
            )
            tiny = [
                np.ones(0, a.dtype) if isinstance(a, (ndarray, MetaArray)) else a for a in arrays
            ]
            return MetaArray(shape, fn(*tiny, **kw).dtype)
        if self.data_dependent:
            raise DependsOnData(depends_on_data(name))
        if not self.view:
            raise NotImplementedError(
                message(f"{name}: its record states no shape", hint=f"{name}.shape(rule)")
            )
        out = fn(*[a.standin() if isinstance(a, MetaArray) else a for a in arrays], **kw)
        return tuple(meta_of(a) for a in out) if isinstance(out, tuple) else meta_of(out)


class DependsOnData(NotImplementedError):
    """A meta tensor reaches an op whose result's shape depends on data."""


def depends_on_data(name: str) -> str:
    """The text of the error when a meta tensor reaches an op whose shape depends on data."""
    return message(
        f"aten::{name}: attempted to run this operator with Meta tensors, but its result's shape "
        "depends on the values of its operands",
        hint="a tensor with data (device='cpu'), or a form of a given size (nonzero_static)",
    )


def meta_of(a: Any) -> MetaArray:
    """The metadata of an array."""
    a = np.asarray(a)
    return MetaArray(a.shape, a.dtype, a.strides if a.size else None)
