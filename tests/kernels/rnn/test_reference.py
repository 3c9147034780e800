"""Recurrent layers by NumPy: against steps written out, and gradients against differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rushlight.kernels.rnn import reference

SIZES = [(1,), (3, 3), (3, 2, 2, 1)]
H = 4  # hidden size


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def rows_of(sizes: Any, reverse: bool) -> list[tuple[int, int, int]]:
    """(time, first row, rows), in the order in which a layer goes."""
    at = [sum(sizes[:t]) for t in range(len(sizes))]
    found = list(zip(range(len(sizes)), at, sizes, strict=True))
    return found[::-1] if reverse else found


def plain(
    kind: str, part: Any, h: Any, c: Any, u: Any, b: Any, w_hr: Any, sizes: Any, reverse: bool
) -> tuple[Any, Any, Any]:
    """States of all rows, and the last ones, one row at a time, by the definitions."""
    h, c = h.copy(), None if c is None else c.copy()
    out = np.zeros((len(part), h.shape[1]))
    for _, first, count in rows_of(sizes, reverse):
        for n in range(count):
            x, past = part[first + n], u @ h[n]
            if kind == "lstm":
                i, f, g, o = np.split(x + past, 4)
                c[n] = sigmoid(f) * c[n] + sigmoid(i) * np.tanh(g)
                y = sigmoid(o) * np.tanh(c[n])
                h[n] = y if w_hr is None else w_hr @ y
            elif kind == "gru":
                past = past + (0 if b is None else b)
                (r, z, new), (pr, pz, pn) = np.split(x, 3), np.split(past, 3)
                z = sigmoid(z + pz)
                h[n] = (1 - z) * np.tanh(new + sigmoid(r + pr) * pn) + z * h[n]
            else:
                h[n] = np.tanh(x + past) if kind == "tanh" else np.maximum(x + past, 0)
            out[first + n] = h[n]
    return out, h, c


GATES = {"lstm": 4, "gru": 3, "tanh": 1, "relu": 1}


def given(kind: str, sizes: Any, rng: np.random.Generator, projected: bool = False) -> Any:
    """The input's part, states, weights."""
    size = H - 1 if projected else H
    part = rng.standard_normal((sum(sizes), GATES[kind] * H))
    h, u = rng.standard_normal((sizes[0], size)), rng.standard_normal((GATES[kind] * H, size))
    c = rng.standard_normal((sizes[0], H)) if kind == "lstm" else None
    b = rng.standard_normal(3 * H) if kind == "gru" else None
    return part, h, c, u, b, rng.standard_normal((size, H)) if projected else None


def forward(
    kind: str, part: Any, h: Any, c: Any, u: Any, b: Any, w_hr: Any, sizes: Any, reverse: bool
) -> Any:
    if kind == "lstm":
        return reference.lstm_forward(part.copy(), h, c, u, w_hr, sizes, reverse)
    if kind == "gru":
        return reference.gru_forward(part.copy(), h, u, b, sizes, reverse)
    return reference.rnn_forward(part.copy(), h, u, sizes, reverse, kind == "relu")


KINDS = [("lstm", False), ("lstm", True), ("gru", False), ("tanh", False), ("relu", False)]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("kind", "projected"), KINDS)
def test_forward(
    kind: str, projected: bool, reverse: bool, sizes: Any, rng: np.random.Generator
) -> None:
    """Rows that end early keep their state; the operands stay as they are."""
    operands = given(kind, sizes, rng, projected)
    before = [None if a is None else a.copy() for a in operands]
    out, h, *more = forward(kind, *operands, sizes, reverse)
    best, last, cell = plain(kind, *operands, sizes, reverse)
    np.testing.assert_allclose(out, best, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(h, last, rtol=1e-12, atol=1e-14)
    if kind == "lstm":
        np.testing.assert_allclose(more[0], cell, rtol=1e-12, atol=1e-14)
    for a, b in zip(operands, before, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("kind", "projected"), KINDS)
def test_backward(
    kind: str, projected: bool, reverse: bool, sizes: Any, rng: np.random.Generator
) -> None:
    """The derivative along a direction of all inputs, from gradients of all results."""
    operands = list(given(kind, sizes, rng, projected))
    _, h, c, u, _, w_hr = operands
    found = forward(kind, *operands, sizes, reverse)
    g_out, g_h = rng.standard_normal(found[0].shape), rng.standard_normal(h.shape)
    g_c = rng.standard_normal(c.shape) if kind == "lstm" else None
    direction = [None if a is None else rng.standard_normal(a.shape) for a in operands]

    def total(step: float) -> float:
        moved = [
            None if a is None else a + step * d for a, d in zip(operands, direction, strict=True)
        ]
        out, last, cell = plain(kind, *moved, sizes, reverse)
        return float((out * g_out).sum() + (last * g_h).sum()
                     + (0 if g_c is None else (cell * g_c).sum()))  # fmt: skip

    wanted = (total(1e-6) - total(-1e-6)) / 2e-6
    before = reference.previous(found[0], h, sizes, reverse)
    along = {}
    if kind == "lstm":
        dgates, dh, dc, dw_hr = reference.lstm_backward(
            g_out, g_h, g_c, found[3], found[4], h, c, u, w_hr, sizes, reverse
        )
        along = {0: dgates, 1: dh, 2: dc, 3: dgates.T @ before, 5: dw_hr}
    elif kind == "gru":
        dgates, to_new, dh = reference.gru_backward(
            g_out, g_h, found[0], found[2], found[3], h, u, sizes, reverse
        )
        to_part = np.concatenate([dgates[:, : 2 * H], to_new], 1)
        along = {0: to_part, 1: dh, 3: dgates.T @ before, 4: dgates.sum(0)}
    else:
        dpart, dh = reference.rnn_backward(
            g_out, g_h, found[0], h, u, sizes, reverse, kind == "relu"
        )
        along = {0: dpart, 1: dh, 3: dpart.T @ before}
    got = sum(float((d * direction[k]).sum()) for k, d in along.items() if d is not None)
    assert got == pytest.approx(wanted, rel=2e-6, abs=2e-6)


def test_gradients_that_nobody_has(rng: np.random.Generator) -> None:
    """None counts as zeros, and what is given is not changed."""
    part, h, c, u, *_ = given("lstm", (2, 1), rng)
    found = forward("lstm", part, h, c, u, None, None, (2, 1), False)
    g_h = rng.standard_normal(h.shape)
    kept = g_h.copy()
    some = reference.lstm_backward(None, g_h, None, *found[3:], h, c, u, None, (2, 1), False)
    zeros = np.zeros_like(found[0]), g_h, np.zeros_like(c)
    all_ = reference.lstm_backward(*zeros, *found[3:], h, c, u, None, (2, 1), False)
    for a, b in zip(some[:3], all_[:3], strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(g_h, kept)


def test_times_and_what_was_before() -> None:
    assert [(r.start, r.stop, n) for r, n in reference.times((3, 2), False)] == [
        (0, 3, 3), (3, 5, 2),
    ]  # fmt: skip
    assert [n for _, n in reference.times((3, 2), True)] == [2, 3]
    states, first = np.array([[1.0], [2], [3], [4], [5]]), np.array([[7.0], [8], [9]])
    ahead = reference.previous(states, first, (3, 2), False)
    assert ahead.reshape(-1).tolist() == [7, 8, 9, 1, 2]
    back = reference.previous(states, first, (3, 2), True)
    assert back.reshape(-1).tolist() == [4, 5, 9, 7, 8]
    assert first.reshape(-1).tolist() == [7, 8, 9]


def test_extremes_of_the_cells_functions() -> None:
    """Large numbers come to the ends of the range; NaN stays."""
    x = np.array([-np.inf, -800.0, 0.0, 800.0, np.inf, np.nan])
    with np.errstate(over="ignore"):
        y = reference.Numpy.sigmoid(x)
    np.testing.assert_array_equal(y, [0, 0, 0.5, 1, 1, np.nan])
    np.testing.assert_array_equal(reference.Numpy.relu(x), [0, 0, 0, 800, np.inf, np.nan])
    np.testing.assert_array_equal(reference.Numpy.passed(x, np.arange(6.0)), [0, 0, 0, 3, 4, 5])
    assert reference.Numpy.tanh(1.0) == math.tanh(1.0)


def test_a_matrix_that_many_products_read_is_laid_out_anew() -> None:
    w = np.ones((3, 2))
    assert not reference.transposed(w, (1, 1)).flags.c_contiguous
    assert reference.transposed(w, (1, 1, 1)).flags.c_contiguous
