"""Recurrent layers in machine code against NumPy: packed and padded rows, both directions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.rnn import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

SIZES = [(5,) * 4, (3, 3, 1), (7, 2, 2, 1), (1,), (33, 20)]


def inputs(kind: str, sizes: Any, hidden: int, dtype: Any) -> list[Any]:
    rng = np.random.default_rng(hidden)
    gates = {"lstm": 4, "gru": 3, "rnn": 1}[kind] * hidden
    shapes = [(sum(sizes), 6), (sizes[0], hidden)]
    shapes += [(sizes[0], hidden)] if kind == "lstm" else []
    shapes += [(gates, 6), (gates, hidden), (gates,), (gates,)]
    found = [rng.standard_normal(s).astype(dtype) for s in shapes]
    found[-3] /= np.sqrt(hidden)  # or else the recurrence magnifies the errors of rounding
    return found


def both_ways(kind: str, sizes: Any, reverse: bool, given: list[Any]) -> list[Any]:
    """All results of forward, then of backward."""
    rng = np.random.default_rng(1)
    x, h0 = given[:2]
    rest: tuple[Any, ...] = (sizes, reverse)
    rest = {"lstm": (None, *rest), "gru": rest, "rnn": (*rest, False)}[kind]
    y = getattr(select, f"{kind}_forward")(*given, *rest)
    g_out, g_h, g_c = (rng.standard_normal(a.shape).astype(x.dtype) for a in (y[0], h0, h0))
    if kind == "lstm":
        c0, w, u = given[2:5]
        d = select.lstm_backward(g_out, None, g_c, y[0], y[3], y[4], x, h0, c0, w, u, *rest)
    elif kind == "gru":
        w, u = given[2:4]
        d = select.gru_backward(g_out, g_h, y[0], y[2], y[3], x, h0, w, u, *rest)
    else:
        w, u = given[2:4]
        d = select.rnn_backward(None, g_h, y[0], x, h0, w, u, *rest)
    return [np.array(a) for a in (*y, *d) if a is not None]


@pytest.mark.parametrize("kind", ["lstm", "gru", "rnn"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_as_numpy(kind: str, reverse: bool, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    close = {"rtol": 1e-3, "atol": 2e-5} if dtype == np.float32 else {"rtol": 1e-9, "atol": 1e-12}
    for sizes in SIZES:
        for hidden in (1, 7, 16, 37):
            given = inputs(kind, sizes, hidden, dtype)
            before = [a.copy() for a in given]
            assert select.usable(sizes, given[-3], *given)
            got = both_ways(kind, sizes, reverse, given)
            with monkeypatch.context() as m:
                m.setattr(select, "usable", lambda *_: False)
                wanted = both_ways(kind, sizes, reverse, given)
            for a, b in zip(got, wanted, strict=True):
                assert a.dtype == dtype
                np.testing.assert_allclose(a, b, **close)
            for a, b in zip(given, before, strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", ["lstm", "gru", "rnn"])
def test_the_same_bits_for_any_number_of_threads(kind: str) -> None:
    given = inputs(kind, (40,) * 3, 130, np.float32)
    threads = rushlight.get_num_threads()
    try:
        found = []
        for n in (1, 2, 3, 8):
            rushlight.set_num_threads(n)
            found.append(both_ways(kind, (40,) * 3, False, given))
    finally:
        rushlight.set_num_threads(threads)
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_large_and_missing_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    given = inputs("lstm", (2, 2), 17, np.float32)
    given[0][0, 0], given[0][1, 1] = np.nan, np.inf
    given[0][2] *= 1e30
    with np.errstate(all="ignore"):
        got = both_ways("lstm", (2, 2), False, given)[:3]
        with monkeypatch.context() as m:
            m.setattr(select, "usable", lambda *_: False)
            wanted = both_ways("lstm", (2, 2), False, given)[:3]
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
