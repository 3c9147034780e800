"""The cells of recurrent layers, each written once, and their gradients.

`m` is who reads the text: machine code (`cells.py`), NumPy (`reference.py`) or Tensors
(`ops/nn/rnn.py`); it has `sigmoid`, `tanh` and, for Elman's network, `relu`. Everything else is
+ - *. The order of operations is part of the text: all readers round in the same places.

Names: i f g o the gates of a long short-term memory, r z n those of a gated recurrent unit, h and
c states, d gradients. `inner` is the state's part of n.
"""

from __future__ import annotations

from typing import Any

V = Any  # a value: a vector of LLVM's, an array, a Tensor


def lstm(m: Any, i: V, f: V, g: V, o: V, c: V) -> tuple[V, V, V, V, V, V]:
    """i, f, o = sigmoid; g = tanh; c' = f c + i g; h' = o tanh(c').

    Returns (i, f, g, o, c', h'). Hochreiter and Schmidhuber, 1997.
    """
    i, f, o = m.sigmoid(i), m.sigmoid(f), m.sigmoid(o)
    g = m.tanh(g)
    c = f * c + i * g
    return i, f, g, o, c, m.tanh(c) * o


def lstm_gradient(
    m: Any, i: V, f: V, g: V, o: V, cell: V, before: V, dh: V, dc: V
) -> tuple[V, V, V, V, V]:
    """(di, df, dg, do: of what enters the gates, dc of the cell before); `cell` is c', `before` c.

    With t = tanh(c') and d = dc + dh (1 - t^2) o, what reaches c':
        di = d (1 - i) i g,  df = d (1 - f) f c,  dg = d (1 - g^2) i,  do = dh (1 - o) o t
    """
    t = m.tanh(cell)
    d = dc + dh * ((1.0 - t * t) * o)
    return (
        d * (((1.0 - i) * i) * g),
        d * (((1.0 - f) * f) * before),
        d * ((1.0 - g * g) * i),
        dh * (((1.0 - o) * o) * t),
        d * f,
    )


def gru(
    m: Any, r: V, z: V, n: V, from_r: V, from_z: V, from_n: V, h: V
) -> tuple[V, V, V, V]:
    """r, z = sigmoid; n = tanh(x + r inner); h' = n + z (h - n).

    Returns (r, z, n, h'). r z n are the input's parts, `from_…` the state's. Cho et al., 2014,
    arXiv:1406.1078.
    """
    r = m.sigmoid(r + from_r)
    z = m.sigmoid(z + from_z)
    n = m.tanh(n + r * from_n)
    return r, z, n, (h - n) * z + n


def gru_gradient(
    m: Any, r: V, z: V, n: V, inner: V, before: V, dh: V
) -> tuple[V, V, V, V, V]:
    """(dr, dz: of what enters the gates, of inner, of what enters n, of h; the last without what
    comes through the products)."""
    d = dh * ((1.0 - z) * (1.0 - n * n))
    return (
        d * inner * (r * (1.0 - r)),
        dh * ((before - n) * (z * (1.0 - z))),
        d * r,
        d,
        dh * z,
    )


def tanh(m: Any, x: V) -> V:
    """h' = tanh(x). Elman, 1990."""
    return m.tanh(x)


def tanh_gradient(m: Any, y: V, dh: V) -> V:
    """The gradient of what enters tanh, whose result is y."""
    return (1.0 - y * y) * dh


def relu(m: Any, x: V) -> V:
    """h' = max(x, 0)."""
    return m.relu(x)


def relu_gradient(m: Any, y: V, dh: V) -> V:
    """The gradient of what enters relu, whose result is y."""
    return m.passed(y, dh)
