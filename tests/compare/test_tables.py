"""What was missing of PyTorch's tables: windows, masked reductions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

WINDOWS: list[tuple[str, dict[str, Any]]] = [
    ("bartlett", {}), ("blackman", {}), ("cosine", {}), ("exponential", {}),
    ("exponential", {"tau": 3.0, "center": 2.0, "sym": False}), ("gaussian", {"std": 2.5}),
    ("general_cosine", {"a": [0.46, 0.23, 0.31]}), ("general_hamming", {"alpha": 0.6}),
    ("hamming", {}), ("hann", {}), ("kaiser", {}), ("kaiser", {"beta": 3.0}), ("nuttall", {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kw"), WINDOWS)
@pytest.mark.parametrize("m", [0, 1, 2, 7, 10])
@pytest.mark.parametrize("sym", [True, False])
def test_windows(name: str, kw: dict[str, Any], m: int, sym: bool) -> None:
    for dtype in ("float32", "float64"):
        mine, theirs = (
            getattr(t.signal.windows, name)(m, **{"sym": sym, **kw}, dtype=getattr(t, dtype))
            for t in (rushlight, torch)
        )
        tolerance = 3e-6 if dtype == "float32" else 1e-13
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), atol=tolerance)
        assert str(mine.dtype) == str(theirs.dtype)


WRONG = [
    lambda w, t: w.hann(-1), lambda w, t: w.hann(3, dtype=t.float16),
    lambda w, t: w.gaussian(3, std=-1), lambda w, t: w.kaiser(3, beta=-1),
    lambda w, t: w.exponential(3, tau=0), lambda w, t: w.general_cosine(3, a=[]),
    lambda w, t: w.exponential(3, center=1.0), lambda w, t: w.general_cosine(3, a=1.0),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_windows_refuse(number: int) -> None:
    words = []
    for t in (rushlight, torch):
        with pytest.raises((ValueError, TypeError)) as caught:
            WRONG[number](t.signal.windows, t)
        words.append((caught.type, str(caught.value)))
    assert words[0] == words[1]


REDUCTIONS = ["sum", "prod", "amax", "amin", "mean", "logsumexp", "norm", "var", "std"]


def both(fn: Any, **tolerance: Any) -> None:
    found = []
    for t in (rushlight, torch):
        x = t.tensor([[0.5, -1.0, 2.0], [3.0, 0.25, -0.75]], dtype=t.float64, requires_grad=True)
        mask = t.tensor([[True, False, True], [False, True, True]])
        y = fn(t, x, mask)
        held = [y.detach().numpy()]
        if y.requires_grad:
            y.sum().backward()
            held.append(x.grad.numpy())
        found.append(held)
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dim", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("masked", [True, False])
def test_masked_reductions(name: str, dim: Any, masked: bool) -> None:
    for keepdim in (False, True):
        both(
            lambda t, x, m, k=keepdim: getattr(t.masked, name)(
                x, dim=dim, keepdim=k, mask=m if masked else None
            )
        )


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin", "cumsum", "cumprod"])
@pytest.mark.parametrize("dim", [0, 1])
def test_masked_normalisations(name: str, dim: int) -> None:
    keep = "log" not in name
    both(
        lambda t, x, m: (lambda y: t.where(m, y, t.zeros_like(y)) if not keep else y)(
            getattr(t.masked, name)(x, dim, mask=m)
        )
    )


def test_masked_others() -> None:
    both(lambda t, x, m: t.masked.normalize(x, 2.0, 1, mask=m))
    both(lambda t, x, m: t.masked.median(x, 1, mask=m))
    both(lambda t, x, m: t.masked.argmax(x, 1, mask=m))
    both(lambda t, x, m: t.masked.argmin(x, 0, mask=m))
    both(lambda t, x, m: t.masked.norm(x, 1.0, 1, mask=m))
    both(lambda t, x, m: t.masked.logaddexp(x, x * 2, input_mask=m, other_mask=~m))
    both(lambda t, x, m: t.masked.sum((x * 4).int(), 1, mask=m))
    with pytest.raises(NotImplementedError, match="tensors that carry a mask"):
        rushlight.masked.masked_tensor(rushlight.ones(2), rushlight.ones(2) > 0)


CHECKS = [
    lambda t: t._check(False), lambda t: t._check(False, lambda: "so"), lambda t: t._check(1),
    lambda t: t._check(t.tensor(True)), lambda t: t._check_index(False, lambda: "i"),
    lambda t: t._check_value(False), lambda t: t._check_type(False, lambda: "t"),
    lambda t: t._check_not_implemented(False, lambda: "n"), lambda t: t._check(False, "text"),
    lambda t: t._check_tensor_all(t.tensor([True, False])), lambda t: t._check_tensor_all(True),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CHECKS)))
def test_checks(number: int) -> None:
    words = []
    for t in (rushlight, torch):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the two are compared
            CHECKS[number](t)
        words.append((caught.type, str(caught.value).split("<class")[0]))
    assert words[0] == words[1]
    rushlight._check(True)


def test_names() -> None:
    assert rushlight.GradScaler is rushlight.amp.GradScaler
    assert rushlight.utils.deterministic.fill_uninitialized_memory is True
