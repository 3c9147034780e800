"""The kernels of attention: plans on arrays and on pointers, and what they say of themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.attention import flash, select
from rushlight.kernels.keys import forget_plans

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def layouts(*arrays: Any) -> Any:
    return [select.layout(a) for a in arrays]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", [(2, 3, 70, 16), (3, 9, 5)])
def test_pointers_give_the_bits_of_arrays(
    shape: Any, causal: bool, rng: np.random.Generator, on_pointers: Any
) -> None:
    q, k, v, g = (rng.standard_normal(shape).astype(np.float32) for _ in range(4))
    plan = select.plan_forward(*layouts(q, k, v), None, causal)
    out, kept = plan.run(q, k, v, None, 0.3)
    for a, b in zip(on_pointers(plan, q, k, v, None, scale=0.3), (out, kept), strict=True):
        np.testing.assert_array_equal(a, b)
    plan = select.plan_backward(*layouts(g, out, kept, q, k, v), None, causal)
    assert plan is not None
    given = (g, out, kept, q, k, v, None)
    for a, b in zip(on_pointers(plan, *given, scale=0.3), plan.run(*given, 0.3), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_plan_names_copies_and_strides(rng: np.random.Generator) -> None:
    q = rng.standard_normal((1, 2, 20, 8)).astype(np.float32)
    gaps = rng.standard_normal((1, 2, 20, 16)).astype(np.float32)[..., ::2]
    mask = np.ones((20, 1), bool)
    text = select.plan_forward(*layouts(q, gaps, q, mask), False).describe()
    assert "k_dense = numpy.ascontiguousarray(k)" in text
    assert "k=k_dense" in text
    assert "mask=mask_dense" in text
    assert "mask_batch=0 mask_head=0" in text
    assert f"{2 * 20 * 20 * (2 * 16 + 5):,} FLOPs" in text


def test_interfaces_have_strides_for_each_operand() -> None:
    assert "dq_row" in flash.BACKWARD.types
    assert "dq_row" not in flash.FORWARD.types
    assert "scale: float. factor of the scores" in flash.FORWARD.documentation()


def plain_attention(q: Any, k: Any, v: Any, g: Any, hidden: Any) -> list[Any]:
    """As it was before kernels took small work: the weights are kept."""
    scale = q.dtype.type(1 / np.sqrt(q.shape[-1]))
    w = (q * scale) @ k.swapaxes(-1, -2) + hidden.astype(q.dtype)
    w = np.exp(w - w.max(-1, keepdims=True))
    w /= w.sum(-1, keepdims=True)
    gw = g @ v.swapaxes(-1, -2) * w
    d = gw - w * gw.sum(-1, keepdims=True)
    return [w @ v, d @ k * scale, d.swapaxes(-1, -2) @ q * scale, w.swapaxes(-1, -2) @ g]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("rows", "keys"), [(64, 64), (100, 100), (40, 64), (64, 40), (150, 130)])
def test_halves_on_the_diagonal_change_no_bit(
    rows: int, keys: int, dtype: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What no query of a half sees is left out of products: it would have added zeros. What is not
    computed is not read either: a call before leaves NaN where scores lie."""
    nothing = np.full((40, 2, 64, 24), np.nan, dtype)
    q, g = (rng.standard_normal((40, 2, rows, 24)).astype(dtype) for _ in range(2))
    k, v = (rng.standard_normal((40, 2, keys, 24)).astype(dtype) for _ in range(2))
    found = []
    for half in (flash.HALF, flash.BLOCK * 3):  # the second leaves nothing out
        monkeypatch.setattr(flash, "HALF", half)
        flash.kernel.cache_clear()
        forget_plans()
        spoilt = select.forward(nothing, nothing, nothing, None, 0.2, False)
        select.backward(nothing, *spoilt, *(nothing,) * 3, None, 0.2, False)
        y = select.forward(q, k, v, None, 0.2, True)
        slopes = select.backward(g, *y, q, k, v, None, 0.2, True)
        assert slopes is not None
        assert np.isfinite(np.concatenate([a.ravel() for a in slopes])).all()
        found.append((*y, *slopes))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    monkeypatch.undo()
    flash.kernel.cache_clear()
    forget_plans()


@pytest.mark.slow
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("rows", "keys", "depth"), [(8, 8, 16), (5, 5, 8), (20, 20, 16),
                                                      (3, 150, 8), (70, 70, 16)])  # fmt: skip
def test_errors_of_small_work_are_not_larger(
    rows: int, keys: int, depth: int, causal: bool, not_larger: Any
) -> None:
    rng = np.random.default_rng(0)
    found: list[list[Any]] = [[], [], []]
    hidden = np.where(causal & (np.arange(keys) > np.arange(rows)[:, None]), -np.inf, 0.0)
    for _ in range(800):
        q, k, v, g = (
            (rng.standard_normal((1, 2, n, depth)) * 2 + 0.5).astype(np.float32)
            for n in (rows, keys, keys, rows)
        )
        scale = float(1 / np.sqrt(depth))
        y = select.forward(q, k, v, None, scale, causal)
        slopes = select.backward(g, *y, q, k, v, None, scale, causal)
        assert slopes is not None
        found[0].append([y[0], *slopes])
        found[1].append(plain_attention(q, k, v, g, hidden))
        found[2].append(plain_attention(*(a.astype(np.float64) for a in (q, k, v, g)), hidden))
    for kernel, plain, exact in zip(*(zip(*part, strict=True) for part in found), strict=True):
        not_larger(*(np.stack(a) for a in (kernel, plain, exact)))
