"""Recurrent layers: which way computes one layer in one direction over all its times.

With kernels, a time is one product by a matrix that is packed once for all times, and one pass over
the cell; all times of a layer are one native call. NumPy (`reference.py`) takes other types and
projected states.

Rows of all times stand one after the other; `sizes` says how many each time has (never more than
the time before). Not here: the cells (`formulas.py`, `cells.py`), how layers are put together
(`ops/nn/rnn.py`).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ... import config
from .. import tuning
from ..dense import rows as in_rows
from ..elementwise.sums import add_into
from ..keys import Plans
from ..matmul.packed import AmxPacked, packing, packs, packs_for_amx
from ..matmul.select import ELEMENTS, linear, product
from ..matmul.select import steps as strides_of
from ..plan import Launch, Plan, Series
from ..reduce.select import add_reduce
from ..runtime import few
from . import reference
from .reference import previous, times

Array = np.ndarray
Sizes = tuple[int, ...]


def usable(sizes: Sizes, w_hh: Array, *others: Any) -> bool:
    """Whether these are arrays of one float type that kernels read."""
    if not sizes or not sizes[0]:
        return False
    known = few.layouts(w_hh, *others)
    found = plans_usable.get(known)
    return plans_usable.make(known, w_hh, *others) if found is None else found


@Plans
def plans_usable(w_hh: Array, *others: Any) -> bool:
    """`usable` of some time."""
    dtype = w_hh.dtype
    if dtype not in ELEMENTS:
        return False
    return all(a is None or a.dtype == dtype for a in others) and packs(w_hh) and packs(w_hh.T)


# -- the steps of a layer ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Steps:
    """What a direction of a layer does at each time: a cell and a product, in this order or, where
    `product_first`, in the other.

    Attributes:
        cell: its name in `cells.py`.
        rows: operands that have rows for all times, with how many parts of H side by side.
        states: operands of the size of the batch.
        before: the cell reads the state before each time, as `before`.
        factor, into: the product is `factor` times the weights, written to `into`, or added to it.
    """

    cell: str
    rows: tuple[tuple[str, int], ...]
    states: tuple[str, ...]
    factor: str
    into: str
    adds: bool = False
    product_first: bool = False
    before: bool = False

    def operands(self, outside: bool) -> tuple[str, ...]:
        """The names of the cell's operands; `outside`: with gradients of the states."""
        rows = [k for k, _ in self.rows if outside or k != "g_out"]
        return (*rows, *self.states, *(("before",) if self.before else ()))


LSTM = Steps("lstm", (("gates", 4), ("cell", 1), ("out", 1)), ("c", "h"), "h", "gates",
             adds=True, product_first=True)  # fmt: skip
LSTM_GRADIENT = Steps(
    "lstm_gradient", (("gates", 4), ("g_out", 1), ("cell", 1), ("dgates", 4)), ("dh", "dc"),
    "dgates", "dh", before=True,
)  # fmt: skip
GRU = Steps("gru", (("gates", 3), ("inner", 1), ("out", 1)), ("product", "h"), "h", "product",
            product_first=True)  # fmt: skip
GRU_GRADIENT = Steps(
    "gru_gradient", (("gates", 3), ("g_out", 1), ("inner", 1), ("dgates", 3), ("to_new", 1)),
    ("dh",), "dgates", "dh", adds=True, before=True,
)  # fmt: skip
TANH = Steps("tanh", (("out", 1),), ("h",), "h", "out", adds=True, product_first=True)
TANH_GRADIENT = Steps(
    "tanh_gradient", (("out", 1), ("g_out", 1), ("dpart", 1)), ("dh",), "dpart", "dh"
)  # fmt: skip


@functools.lru_cache(maxsize=256)
def plan_steps(
    steps: Steps, element: str, sizes: Sizes, reverse: bool, size: int, outside: bool,
    lies: tuple[int, int], bias: bool = False, gathered: bool = False, threads: int = 1,
) -> Plan:  # fmt: skip
    """All times of a direction: operands are those of the cell (`before`: the first state), then
    `history`, the states after each time (or, where `gathered`, before each row), `b`, the weights
    (K, N) of the product, which are packed first, and `bias`. Everything is written in place.

    Args:
        reverse: the order of the steps.
        size: H.
        outside: there are gradients of the states, `g_out`.
        lies: how many elements rows and columns of the weights are apart.
        bias: the product adds one.
        gathered: `history` holds the state before each row.
        threads: how many may take a share of the batch each (`shares_of`).
    """
    from ..matmul import gemm
    from .cells import ELEMENTS as CHUNK
    from .cells import kernel

    itemsize = 8 if element == "double" else 4
    operands, widths = steps.operands(outside), dict(steps.rows)
    k = size * widths.get(steps.factor, 1)
    n = 3 * size if steps.into == "product" else size * widths.get(steps.into, 1)
    cell, row = kernel(steps.cell, element, operands, steps.states), size * itemsize
    earlier: dict[int, int] = {}  # where the time before a time begins, by where that begins
    if steps.before:
        order = [rows.start for rows, _ in times(sizes, not reverse)]
        earlier = {after: begin for begin, after in pairwise(order)}

    def launches_of(first: int, last: int, is_share: bool = True) -> list[Launch]:
        """The steps of some sequences of the batch; `is_share`: one thread takes them."""
        some = [(rows.start + first, min(count, last) - first)
                for rows, count in times(sizes, reverse) if count > first]  # fmt: skip
        # One thread packs rows once for all columns. Threads that share a step would each do.
        reading = gemm.PACKED if is_share else gemm.rows_read(element, last - first)
        heights = {h for _, count in some for h in gemm.panel_heights(element, count)}
        multiply = gemm.kernel(element, tuple(sorted(heights)), reading)
        made: list[Launch] = []
        follows = [after - start for (start, _), (after, _) in pairwise(some)]
        for (start, count), following in zip(some, [*follows, 0], strict=True):
            place: dict[str, Any] = {}
            for name in (*operands, steps.factor, steps.into):
                own, at = (widths[name], start) if name in widths else (1, first)
                place[name] = (name, at * (3 if name == "product" else own) * row)
            if gathered:
                place["before"] = ("history", start * row)
            elif start - first in earlier:
                place["before"] = ("history", (earlier[start - first] + first) * row)
            of_time = [
                Launch(cell, **{o: place[o] for o in operands}, n=size, rows=count,
                       each=max(1, CHUNK // size), next=following),
                Launch(
                    multiply, a=place[steps.factor], a_row=k, a_col=1, a_batch=0, b="panels",
                    b_row=0, b_col=0, b_batch=0, c=place[steps.into], c_row=n, c_batch=0,
                    bias_col="bias" if bias else None, packed="panels", m=count, n=n, k=k, batch=1,
                    accumulate=int(steps.adds), mode=2, rows=reading,
                    block=gemm.KC, depth=gemm.blocks_of(k) * gemm.KC,
                    chunks=1 if is_share else gemm.CHUNKS,
                ),
            ]  # fmt: skip
            made += reversed(of_time) if steps.product_first else of_time
        return made

    shares = shares_of(sizes, k * n, itemsize, threads)
    series = Series(
        launches_of(0, sizes[0], False), [launches_of(*ends) for ends in pairwise(shares)]
    )  # fmt: skip
    written = {"gates", "c", "h", "dh", "dc", "product", "cell", "out", "inner", "dgates",
               "to_new", "dpart"}  # fmt: skip
    return Plan(
        f"rnn.{steps.cell}", (*operands, "history", "b", "bias"), {},
        [packing(element, k, n, *lies), series],
        workspace={"panels": gemm.whole_size(element, n, k) * itemsize},
        mutates=tuple(o for o in operands if o in written), flops=2 * sum(sizes) * k * n,
        bytes=itemsize * sum(sizes) * size * sum(widths.get(o, 1) for o in operands),
    )  # fmt: skip


def shares_of(sizes: Sizes, weights: int, itemsize: int, threads: int) -> list[int]:
    """Where shares of the batch begin, and the end; none where threads had better share each step.

    Sequences know nothing of each other: threads that take some each, over all times, need not wait
    for each other at every step, and find states and gates in their own caches. But each reads all
    weights then (`weights` elements), which must stay in its second-level cache.
    """
    each, work = sizes[0] // threads, sum(sizes) * weights
    fits = weights * itemsize <= tuning.RNN_SHARE_WEIGHTS
    few, most = tuning.RNN_SHARE_ROWS
    if threads < 2 or not few <= each <= most or not fits or work < tuning.RNN_SHARE_LEAST:
        return []
    return [sizes[0] * i // threads for i in range(threads + 1)]


def run_steps(
    steps: Steps, size: int, arrays: dict[str, Any], w: Array, sizes: Sizes, reverse: bool,
    bias: Array | None = None, history: Array | None = None, gathered: bool = False,
) -> None:  # fmt: skip
    """All times of a direction, in place; `w` (K, N) are the weights of the product."""
    arrays = {k: a for k, a in arrays.items() if a is not None}
    if packs_for_amx(w, sizes[0]):
        matrix = AmxPacked(w)
        one_by_one(steps, size, arrays, matrix, sizes, reverse, bias, history, gathered)
        return
    element, outside = ELEMENTS[w.dtype], "g_out" in arrays
    made = plan_steps(
        steps, element, sizes, reverse, size, outside, strides_of(w), bias is not None, gathered,
        config.current.num_threads,
    )  # fmt: skip
    given = [arrays[o] for o in steps.operands(outside)]
    made.run(*given, history, w, bias)


def one_by_one(
    steps: Steps, size: int, arrays: dict[str, Any], matrix: AmxPacked, sizes: Sizes,
    reverse: bool, bias: Array | None, history: Array | None, gathered: bool,
) -> None:  # fmt: skip
    """`run_steps` with a product on the matrix unit, which may hand numbers back to vectors."""
    widths, operands = dict(steps.rows), steps.operands("g_out" in arrays)
    order = [rows.start for rows, _ in times(sizes, not reverse)]
    earlier = {after: begin for begin, after in pairwise(order)}
    for rows, count in times(sizes, reverse):
        now = {k: a[rows] if k in widths else a for k, a in arrays.items()}
        if steps.before and history is not None and gathered:
            now["before"] = history[rows]
        elif steps.before and history is not None and rows.start in earlier:
            begin = earlier[rows.start]
            now["before"] = history[begin : begin + count]
        factor = now[steps.factor][:count]
        into = now[steps.into][:count]
        if steps.product_first:
            matrix.into(factor, into, bias, steps.adds)
        made = plan_cell(steps, "float", operands, size, count)
        made.run(*(now[o] for o in operands))
        if not steps.product_first:
            matrix.into(factor, into, bias, steps.adds)


@functools.lru_cache(maxsize=256)
def plan_cell(
    steps: Steps, element: str, operands: tuple[str, ...], size: int, rows: int
) -> Plan:
    """One time of a cell, in place."""
    from .cells import ELEMENTS as CHUNK
    from .cells import kernel

    launch = Launch(
        kernel(steps.cell, element, operands, steps.states), **{o: o for o in operands}, n=size,
        rows=rows, each=max(1, CHUNK // size), next=0,
    )  # fmt: skip
    return Plan(f"rnn.{steps.cell}", operands, {}, [launch], mutates=operands)


def begun(g: Any, like: Array) -> Array:
    """A gradient that will be changed; zeros for None."""
    return np.zeros(like.shape, like.dtype) if g is None else np.array(g, like.dtype, order="C")


def dense(a: Any) -> Any:
    return None if a is None else in_rows(a)


# -- layers --------------------------------------------------------------------------------------


def affine(x: Array, w: Array, *biases: Array | None) -> Array:
    """x w^T + biases."""
    some = [b for b in biases if b is not None]
    bias = None if not some else some[0] if len(some) == 1 else some[0] + some[1]
    return linear(x, w.T, bias)


def state_weights(d: Array, states: Array, first: Array, sizes: Sizes, reverse: bool) -> Array:
    """The gradient of the weights of the state: d^T previous(states); for padded sequences without
    laying the states out anew."""
    n, rows = sizes[0], len(states)
    if sizes[-1] != n or n == rows:
        return product(d.T, previous(states, first, sizes, reverse))
    begins, rest = (
        (slice(rows - n, rows), slice(rows - n)) if reverse else (slice(n), slice(n, rows))
    )
    seen = slice(n, rows) if reverse else slice(rows - n)
    y = product(d[rest].T, states[seen])
    add_into(y, product(d[begins].T, first))
    return y


def history_of(states: Array, first: Array, sizes: Sizes, reverse: bool) -> tuple[Array, bool]:
    """The states from which a cell reads the one before a time: those after each time, or, where a
    time may follow a shorter one, those before each row."""
    if reverse and sizes[0] != sizes[-1]:
        return previous(states, first, sizes, reverse), True
    return in_rows(states), False


def plan_of(steps: Steps) -> Any:
    """What gives the plan of a layer's steps, for the arrays of its record (the product with the
    input is another plan, that of a linear layer)."""

    def plan(x: Any, *arrays: Any, sizes: Sizes, reverse: bool, **_other: Any) -> Plan:
        h0 = arrays[0]
        element, size = ELEMENTS.get(x.dtype), h0.shape[1]
        if element is None:
            raise TypeError(f"no kernel of recurrent layers computes {x.dtype}")
        lies = (1, size)  # of weights (N, K) in rows, turned
        return plan_steps(steps, element, tuple(sizes), reverse, size, False, lies, steps is GRU)

    return plan


def lstm_forward(
    x: Array, h0: Array, c0: Array, w_ih: Array, w_hh: Array, b_ih: Any, b_hh: Any, w_hr: Any,
    sizes: Sizes, reverse: bool,
) -> tuple[Array, Array, Array, Array, Array]:  # fmt: skip
    """(states, last state, last cell, gates (N, 4H) in the order i f g o, cells (N, H))."""
    gates = affine(x, w_ih, b_ih, b_hh)
    if w_hr is not None or not usable(sizes, w_hh, gates, h0, c0):
        return reference.lstm_forward(gates, h0, c0, w_hh, w_hr, sizes, reverse)
    size = w_hh.shape[1]
    h, c = np.array(h0, order="C"), np.array(c0, order="C")
    out, cells = np.empty((2, len(gates), size), gates.dtype)
    arrays = {"gates": gates, "cell": cells, "out": out, "c": c, "h": h}
    run_steps(LSTM, size, arrays, w_hh.T, sizes, reverse)
    return out, h, c, gates, cells


def lstm_backward(
    g_out: Any, g_h: Any, g_c: Any, out: Array, gates: Array, cells: Array, x: Array, h0: Array,
    c0: Array, w_ih: Array, w_hh: Array, w_hr: Any, sizes: Sizes, reverse: bool,
    need_x: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """Gradients of x, h0, c0, w_ih, w_hh, the biases, w_hr."""
    dw_hr = None
    if w_hr is None and usable(sizes, w_hh, gates, cells, h0, c0, g_out, g_h, g_c):
        dh, dc = begun(g_h, h0), begun(g_c, c0)
        dgates = np.empty_like(gates)
        history, gathered = history_of(cells, c0, sizes, reverse)
        arrays = {"gates": gates, "g_out": dense(g_out), "cell": cells, "dgates": dgates, "dh": dh,
                  "dc": dc, "before": dense(c0)}  # fmt: skip
        run_steps(LSTM_GRADIENT, w_hh.shape[1], arrays, w_hh, sizes, not reverse, None, history,
                  gathered)  # fmt: skip
    else:
        dgates, dh, dc, dw_hr = reference.lstm_backward(
            g_out, g_h, g_c, gates, cells, h0, c0, w_hh, w_hr, sizes, reverse
        )
    dw_hh = state_weights(dgates, out, h0, sizes, reverse)
    dx = product(dgates, w_ih) if need_x else None
    return dx, dh, dc, product(dgates.T, x), dw_hh, add_reduce(dgates, (0,)), dw_hr


def gru_forward(
    x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Any, b_hh: Any, sizes: Sizes,
    reverse: bool,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """(states, last state, gates (N, 3H) in the order r z n, the state's part of n (N, H))."""
    gates = affine(x, w_ih, b_ih)
    if not usable(sizes, w_hh, gates, h0, b_hh):
        return reference.gru_forward(gates, h0, w_hh, b_hh, sizes, reverse)
    size = w_hh.shape[1]
    h = np.array(h0, order="C")
    out, inner = np.empty((2, len(gates), size), gates.dtype)
    whole = np.empty((len(h), 3 * size), gates.dtype)
    if b_hh is not None and b_hh.size != 3 * size:
        b_hh = np.broadcast_to(b_hh, (3 * size,))
    arrays = {"gates": gates, "inner": inner, "out": out, "product": whole, "h": h}
    run_steps(GRU, size, arrays, w_hh.T, sizes, reverse, dense(b_hh))
    return out, h, gates, inner


def gru_backward(
    g_out: Any, g_h: Any, out: Array, gates: Array, inner: Array, x: Array, h0: Array, w_ih: Array,
    w_hh: Array, sizes: Sizes, reverse: bool, need_x: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """Gradients of x, h0, w_ih, w_hh, b_ih, b_hh."""
    size = w_hh.shape[1]
    if usable(sizes, w_hh, gates, inner, h0, g_out, g_h):
        dh = begun(g_h, h0)
        dgates, to_new = np.empty_like(gates), np.empty_like(inner)
        history, gathered = history_of(out, h0, sizes, reverse)
        arrays = {"gates": gates, "g_out": dense(g_out), "inner": inner, "dgates": dgates,
                  "to_new": to_new, "dh": dh, "before": dense(h0)}  # fmt: skip
        run_steps(GRU_GRADIENT, size, arrays, w_hh, sizes, not reverse, None, history, gathered)
    else:
        dgates, to_new, dh = reference.gru_backward(
            g_out, g_h, out, gates, inner, h0, w_hh, sizes, reverse
        )
    dw_hh, db_hh = state_weights(dgates, out, h0, sizes, reverse), add_reduce(dgates, (0,))
    dgates[:, 2 * size :] = to_new
    dx = product(dgates, w_ih) if need_x else None
    return dx, dh, product(dgates.T, x), dw_hh, add_reduce(dgates, (0,)), db_hh


def rnn_forward(
    x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Any, b_hh: Any, sizes: Sizes,
    reverse: bool, relu: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """(states, last state)."""
    out = affine(x, w_ih, b_ih, b_hh)
    if relu or not usable(sizes, w_hh, out, h0):
        return reference.rnn_forward(out, h0, w_hh, sizes, reverse, relu)
    h = np.array(h0, order="C")
    run_steps(TANH, w_hh.shape[1], {"out": out, "h": h}, w_hh.T, sizes, reverse)
    return out, h


def rnn_backward(
    g_out: Any, g_h: Any, out: Array, x: Array, h0: Array, w_ih: Array, w_hh: Array, sizes: Sizes,
    reverse: bool, relu: bool, need_x: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """Gradients of x, h0, w_ih, w_hh, the biases."""
    if not relu and usable(sizes, w_hh, out, h0, g_out, g_h):
        dh, dpart = begun(g_h, h0), np.empty_like(out)
        arrays = {"out": out, "g_out": dense(g_out), "dpart": dpart, "dh": dh}
        run_steps(TANH_GRADIENT, w_hh.shape[1], arrays, w_hh, sizes, not reverse)
    else:
        dpart, dh = reference.rnn_backward(g_out, g_h, out, h0, w_hh, sizes, reverse, relu)
    dx = product(dpart, w_ih) if need_x else None
    dw_hh = state_weights(dpart, out, h0, sizes, reverse)
    return dx, dh, product(dpart.T, x), dw_hh, add_reduce(dpart, (0,))
