"""Formulas by kernels and by NumPy agree: forward and rules, over values, types and layouts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import fused
from rushlight.kernels.llvm import lower
from rushlight.ops.record import registry

pytestmark = pytest.mark.skipif(not fused.jit(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
FORMULAS = [
    op
    for op in registry.values()
    if op.kind == "elementwise" and (op.ufunc is None or op.name in lower.TABLE)
]
EXTREMES = [0.0, -0.0, 1.0, -1.0, 80.0, -80.0, 800.0, -800.0, np.inf, -np.inf, np.nan, 1e-40, 0.5]


@pytest.fixture(autouse=True)
def _every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels for small arrays too."""
    monkeypatch.setattr(fused, "LEAST", 1)


def operands(op: Any, dtype: Any) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """The float samples of an op as arrays of one shape, and the extremes with its parameters."""
    rng = np.random.default_rng(0)
    for case in op.samples:
        args, params = case.make(rng)
        if not all(isinstance(a, np.ndarray) and a.dtype.kind == "f" for a in args):
            continue
        shape = np.broadcast_shapes(*(a.shape for a in args))
        if any(a.shape != shape for a in args):
            continue
        kw = {**op.defaults, **params}
        yield [a.astype(dtype) for a in args], kw
        n = len(args)
        grid = np.array(np.meshgrid(*[EXTREMES] * n)).reshape(n, -1).astype(dtype)
        yield list(grid), kw


def close(got: Any, wanted: Any, dtype: Any) -> None:
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    if got.dtype == bool:
        np.testing.assert_array_equal(got, wanted)
        return
    eps = np.finfo(dtype).eps
    with np.errstate(all="ignore"):
        size = np.abs(wanted[np.isfinite(wanted)]).max(initial=1.0)
        tiny = float(np.finfo(dtype).tiny)
        np.testing.assert_allclose(got, wanted, rtol=40 * eps, atol=20 * eps * min(size, 10) + tiny)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("op", FORMULAS, ids=lambda op: op.name)
def test_forward(op: Any, dtype: Any) -> None:
    tried = 0
    for arrays, kw in operands(op, dtype):
        with np.errstate(all="ignore"):
            wanted = op.formula(*arrays, **kw)
            seen = op if op.ufunc is not None else op.formula
            got = fused.large(seen, op.name, {}, tuple(arrays), kw)
        if got is None:
            pytest.skip("computed by NumPy")
        close(got, wanted, dtype)
        tried += 1
    if not tried:
        pytest.skip("no samples of floats of one shape")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("op", FORMULAS, ids=lambda op: op.name)
def test_rules(op: Any, dtype: Any) -> None:
    tried = 0
    for i, rule in enumerate(op.get_rules() or ()):
        if rule is None:
            continue
        for arrays, kw in operands(op, dtype):
            if not all(np.isfinite(a).all() for a in arrays):
                continue
            names = op.rule_names[i] if op.rule_names else ()
            picked = {n: kw[n] for n in names if n in kw}
            with np.errstate(all="ignore"):
                y = op.formula(*arrays, **kw)
                g = np.linspace(-2, 2, y.size, dtype=dtype).reshape(y.shape)
                wanted = rule(g, y, *arrays, **picked)
                got = fused.large(rule, op.name, {}, (g, y, *arrays), picked)
            if got is None:
                continue
            keep = np.isfinite(y)
            close(got[keep], np.broadcast_to(wanted, got.shape)[keep], dtype)
            tried += 1
    if not tried:
        pytest.skip("computed by NumPy")


def test_most_formulas_have_kernels() -> None:
    without = []
    for op in FORMULAS:
        if op.ufunc is not None:
            continue
        arrays, kw = next(operands(op, np.float32), ([], {}))
        if arrays and fused.large(op.formula, op.name, {}, tuple(arrays), kw) is None:
            without.append(op.name)
    assert set(without) <= {"frac", "deg2rad", "rad2deg"}, without  # written with NumPy's names


@pytest.mark.parametrize(
    "layout", ["dense", "transposed", "channels_last", "strided", "broadcast", "empty", "one"]
)
def test_layouts(layout: str) -> None:
    x = np.linspace(-3, 3, 120, dtype=np.float32)
    a: Any = {
        "dense": x.reshape(2, 3, 4, 5),
        "transposed": x.reshape(10, 12).T,
        "channels_last": x.reshape(2, 4, 5, 3).transpose(0, 3, 1, 2),
        "strided": x[::2],
        "broadcast": np.broadcast_to(x[:5], (4, 5)),
        "empty": x[:0],
        "one": x[:1].reshape(1, 1, 1),
    }[layout]
    silu = registry["silu"]
    got = silu.fn(a)
    np.testing.assert_allclose(got, a / (1 + np.exp(-a)), rtol=1e-5, atol=1e-7)
    assert got.shape == a.shape


def test_mixed_operands() -> None:
    lerp = registry["lerp"]
    a, b = np.arange(8, dtype=np.float32), np.ones(8, np.float32)
    for weight in (np.float32(0.25), np.array(0.25, np.float32), np.full(8, 0.25, np.float32)):
        np.testing.assert_allclose(lerp.fn(a, b, weight), a + 0.25 * (b - a))
    np.testing.assert_allclose(lerp.fn(a[:, None], b[None], a[:, None]).shape, (8, 8))


def test_many_constants_do_not_make_many_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused, "MOST_VARIANTS", 8)
    kernels: dict[Any, Any] = {}
    leaky = registry["leaky_relu"]
    x = np.linspace(-1, 1, 64, dtype=np.float32)
    made = 0
    for k in range(20):
        kw = {"negative_slope": k / 100}
        y = fused.large(leaky.formula, "leaky_relu", kernels, (x,), kw)
        made += y is not None
        wanted = np.where(x > 0, x, x * np.float32(k / 100))
        np.testing.assert_array_equal(leaky.fn(x, **kw), wanted)
    assert made == fused.MOST_VARIANTS


@pytest.mark.parametrize("size", [1, 5, 16, 100, 70_001, 300_000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_results(monkeypatch: pytest.MonkeyPatch, dtype: Any, size: int) -> None:
    x = np.linspace(-6, 6, size, dtype=dtype)
    wanted = registry["mish"].fn(x)
    monkeypatch.setattr(fused, "FAR", 1)
    room = np.empty(size + 17, dtype)
    monkeypatch.setattr(np, "empty_like", lambda *_: room[start : start + size])
    for start in range(17):  # a result begins anywhere in a line of the cache
        room[:] = 7
        np.testing.assert_array_equal(registry["mish"].fn(x), wanted)
        assert (room[:start] == 7).all()
        assert (room[start + size :] == 7).all()


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    before = rushlight.get_num_threads()
    x = np.linspace(-6, 6, 100_003, dtype=np.float32)
    try:
        rushlight.set_num_threads(1)
        alone = registry["mish"].fn(x)
        rushlight.set_num_threads(threads)
        np.testing.assert_array_equal(registry["mish"].fn(x), alone)
    finally:
        rushlight.set_num_threads(before)


def test_gradients_pass_gradcheck_through_kernels() -> None:
    rushlight.manual_seed(0)
    x = rushlight.randn(5, 7, dtype=rushlight.float64, requires_grad=True)
    for f in (rushlight.nn.functional.gelu, rushlight.sigmoid, rushlight.nn.functional.mish):
        assert rushlight.autograd.gradcheck(f, (x,))
        assert rushlight.autograd.gradgradcheck(f, (x,))
