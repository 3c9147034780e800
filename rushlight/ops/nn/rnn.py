"""Recurrent layers: one op for one layer in one direction, over all times.

The forward and the ordinary backward run in `kernels/rnn/select.py`. A backward that is recorded
itself (create_graph) differentiates `_lstm_steps` and its like, the same recurrence written with
ops.

Layers put together and cells: `rnn_public.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...autograd import door
from ...autograd.backward import grad
from ...autograd.node import TensorBase
from ...kernels.meta import MetaArray
from ...kernels.rnn import formulas
from ...kernels.rnn import select as kernel
from ..core.record import op
from ..core.samples import case
from ..elementwise.activation import relu, sigmoid
from ..elementwise.formulas import tanh
from ..shape.views import cat
from .linear import linear

Sizes = tuple[int, ...]
N, B, X, H, P = 7, 3, 4, 3, 2  # of the samples: rows, batch, features, hidden and projected size
PACKED = {"sizes": (3, 3, 1), "reverse": False}
BACK = {"sizes": (3, 3, 1), "reverse": True}

# -- the second way: written with ops ------------------------------------------------------------


class Recorded:
    """Tensors as a reader of the cells (`kernels/rnn/formulas.py`)."""

    sigmoid, tanh, relu = sigmoid, tanh, relu


def recorded(
    steps: Callable[..., Any], g: Any, inputs: tuple[Any, ...], needs: tuple[bool, ...]
) -> tuple[Any, ...]:
    """Gradients of `steps(*inputs)` as Tensors with a history of their own.

    Each input stands in for itself through a view, so that one input's history does not count as
    another's.
    """
    with door.grad_enabled(True):
        own = [x if x is None else x.view(x.shape) for x in inputs]
        outs = steps(*own)
        pairs = [(y, gy) for y, gy in zip(outs, g, strict=False) if gy is not None]
        wanted = [x for x, need in zip(own, needs, strict=True) if need]
        found = grad(
            [y for y, _ in pairs],
            wanted,
            [gy for _, gy in pairs],
            create_graph=True,
            allow_unused=True,
        )
    rest = iter(found)
    return tuple(next(rest) if need else None for need in needs)


def unrolled(
    x: Any, states: tuple[Any, ...], sizes: Sizes, reverse: bool, cell: Callable[..., Any]
) -> tuple[Any, ...]:
    """(all states, last states): `cell(row of x, *states)` for each time, on Tensors."""
    outs = []
    for rows, n in kernel.times(sizes, reverse):
        new = cell(x[rows], *(s[:n] for s in states))
        outs.append(new[0])
        whole = n == states[0].shape[0]
        states = new if whole else tuple(
            cat(y, s[n:], dim=0) for y, s in zip(new, states, strict=True)
        )  # fmt: skip
    return (cat(*(outs[::-1] if reverse else outs), dim=0), *states)


def _lstm_steps(sizes: Sizes, reverse: bool) -> Callable[..., Any]:
    def steps(
        x: Any, h0: Any, c0: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, w_hr: Any
    ) -> Any:
        def cell(a: Any, h: Any, c: Any) -> Any:
            gates = affine(a, w_ih, b_ih) + affine(h, w_hh, b_hh)
            i, f, g, o = gates.chunk(4, 1)
            *_gates, c, h = formulas.lstm(Recorded, i, f, g, o, c)
            return (h if w_hr is None else affine(h, w_hr, None)), c

        return unrolled(x, (h0, c0), sizes, reverse, cell)

    return steps


def _gru_steps(sizes: Sizes, reverse: bool) -> Callable[..., Any]:
    def steps(x: Any, h0: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
        def cell(a: Any, h: Any) -> Any:
            r, z, n = affine(a, w_ih, b_ih).chunk(3, 1)
            from_r, from_z, from_n = affine(h, w_hh, b_hh).chunk(3, 1)
            return formulas.gru(Recorded, r, z, n, from_r, from_z, from_n, h)[-1:]

        return unrolled(x, (h0,), sizes, reverse, cell)

    return steps


def _rnn_steps(sizes: Sizes, reverse: bool, act: Callable[..., Any]) -> Callable[..., Any]:
    def steps(x: Any, h0: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
        def cell(a: Any, h: Any) -> Any:
            return (act(Recorded, affine(a, w_ih, b_ih) + affine(h, w_hh, b_hh)),)

        return unrolled(x, (h0,), sizes, reverse, cell)

    return steps


def affine(x: Any, w: Any, b: Any) -> Any:
    return linear.call((x, w, b), {})


# -- the ops -------------------------------------------------------------------------------------

_WEIGHTS = ((4 * H, X), (4 * H, H), (4 * H,), (4 * H,))


@op(
    autocast="promote",
    samples=[
        case((N, X), (B, H), (B, H), *_WEIGHTS, **PACKED),
        case((N, X), (B, H), (B, H), *_WEIGHTS[:2], **BACK),
        case((N, X), (B, P), (B, H), (4 * H, X), (4 * H, P), None, None, (P, H), **PACKED),
    ],
    public="",
    fresh=True,
    outputs=5,
    differentiable=(0, 1, 2),
    name="lstm_layer",
    node="MkldnnRnnLayerBackward0",
)
def lstm_layer(
    input: Any,
    h0: Any,
    c0: Any,
    w_ih: Any,
    w_hh: Any,
    b_ih: Any = None,
    b_hh: Any = None,
    w_hr: Any = None,
    *,
    sizes: Sizes,
    reverse: bool,
) -> Any:
    """(states, last state, last cell, gates, cells) of a long short-term memory.

    i, f, o = sigmoid(W x + U h + b), g = tanh(...); c' = f c + i g; h' = o tanh(c') (projected
    by w_hr). Hochreiter and Schmidhuber, 1997; Sak et al., 2014, arXiv:1402.1128.
    """
    return kernel.lstm_forward(input, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, reverse)


lstm_layer.planned(lambda *a, **kw: kernel.plan_of(kernel.LSTM)(*a, **kw))


def _lstm_shape(
    x: Any, h0: Any, c0: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, w_hr: Any, **_: Any
) -> tuple[MetaArray, ...]:
    n, gates, hidden = x.shape[0], w_ih.shape[0], w_ih.shape[0] // 4
    out = h0.shape[1]
    shapes = ((n, out), h0.shape, c0.shape, (n, gates), (n, hidden))
    return tuple(MetaArray(s, x.dtype) for s in shapes)


lstm_layer.shape(_lstm_shape)


@lstm_layer.joint
def _(
    g: Any, y: Any, x: Any, h0: Any, c0: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any,
    w_hr: Any, *, sizes: Sizes, reverse: bool, needs: Any,
) -> Any:  # fmt: skip
    if isinstance(x, TensorBase):
        inputs = (x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr)
        return recorded(_lstm_steps(sizes, reverse), g[:3], inputs, needs)
    dx, dh, dc, dw, du, db, dr = kernel.lstm_backward(
        g[0],
        g[1],
        g[2],
        y[0],
        y[3],
        y[4],
        x,
        h0,
        c0,
        w_ih,
        w_hh,
        w_hr,
        sizes,
        reverse,
        needs[0],
    )
    return dx, dh, dc, dw, du, db, db + 0, dr


_WEIGHTS = ((3 * H, X), (3 * H, H), (3 * H,), (3 * H,))


@op(
    autocast="promote",
    samples=[
        case((N, X), (B, H), *_WEIGHTS, **PACKED),
        case((N, X), (B, H), *_WEIGHTS[:2], **BACK),
    ],
    public="",
    fresh=True,
    outputs=4,
    differentiable=(0, 1),
    name="gru_layer",
    node="MkldnnRnnLayerBackward0",
)
def gru_layer(
    input: Any,
    h0: Any,
    w_ih: Any,
    w_hh: Any,
    b_ih: Any = None,
    b_hh: Any = None,
    *,
    sizes: Sizes,
    reverse: bool,
) -> Any:
    """(states, last state, gates, the state's part of n) of a gated recurrent unit.

    r, z = sigmoid(W x + U h + b); n = tanh(W x + b + r (U h + b)); h' = (1 - z) n + z h.
    Cho et al., 2014, arXiv:1406.1078.
    """
    return kernel.gru_forward(input, h0, w_ih, w_hh, b_ih, b_hh, sizes, reverse)


gru_layer.planned(lambda *a, **kw: kernel.plan_of(kernel.GRU)(*a, **kw))


def _gru_shape(
    x: Any, h0: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, **_: Any
) -> tuple[MetaArray, ...]:
    n, out = x.shape[0], h0.shape[1]
    shapes = ((n, out), h0.shape, (n, w_ih.shape[0]), (n, out))
    return tuple(MetaArray(s, x.dtype) for s in shapes)


gru_layer.shape(_gru_shape)


@gru_layer.joint
def _(
    g: Any, y: Any, x: Any, h0: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any,
    *, sizes: Sizes, reverse: bool, needs: Any,
) -> Any:  # fmt: skip
    if isinstance(x, TensorBase):
        inputs = (x, h0, w_ih, w_hh, b_ih, b_hh)
        return recorded(_gru_steps(sizes, reverse), g[:2], inputs, needs)
    return kernel.gru_backward(
        g[0], g[1], y[0], y[2], y[3], x, h0, w_ih, w_hh, sizes, reverse, needs[0]
    )


_WEIGHTS = ((H, X), (H, H), (H,), (H,))


@op(
    autocast="promote",
    samples=[
        case((N, X), (B, H), *_WEIGHTS, nonlinearity="tanh", **PACKED),
        case((N, X), (B, H), *_WEIGHTS[:2], nonlinearity="tanh", **BACK),
    ],
    public="",
    fresh=True,
    outputs=2,
    name="rnn_layer",
    node="MkldnnRnnLayerBackward0",
)
def rnn_layer(
    input: Any,
    h0: Any,
    w_ih: Any,
    w_hh: Any,
    b_ih: Any = None,
    b_hh: Any = None,
    *,
    sizes: Sizes,
    reverse: bool,
    nonlinearity: str,
) -> Any:
    """(states, last state): h' = tanh(W x + U h + b), or relu. Elman, 1990."""
    relu_ = nonlinearity == "relu"
    return kernel.rnn_forward(input, h0, w_ih, w_hh, b_ih, b_hh, sizes, reverse, relu_)


def _rnn_shape(
    x: Any, h0: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, **_: Any
) -> tuple[MetaArray, MetaArray]:
    return MetaArray((x.shape[0], h0.shape[1]), x.dtype), MetaArray(h0.shape, x.dtype)


rnn_layer.shape(_rnn_shape)


@rnn_layer.joint
def _(
    g: Any, y: Any, x: Any, h0: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any,
    *, sizes: Sizes, reverse: bool, nonlinearity: str, needs: Any,
) -> Any:  # fmt: skip
    if isinstance(x, TensorBase):
        act = formulas.relu if nonlinearity == "relu" else formulas.tanh
        steps = _rnn_steps(sizes, reverse, act)
        return recorded(steps, g, (x, h0, w_ih, w_hh, b_ih, b_hh), needs)
    dx, dh, dw, du, db = kernel.rnn_backward(
        g[0],
        g[1],
        y[0],
        x,
        h0,
        w_ih,
        w_hh,
        sizes,
        reverse,
        nonlinearity == "relu",
        needs[0],
    )
    return dx, dh, dw, du, db, db + 0
