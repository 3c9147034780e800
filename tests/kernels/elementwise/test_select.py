"""Formulas by kernels and by NumPy agree: forward and rules, over values, types and layouts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime, tuning
from rushlight.kernels.codegen import lower
from rushlight.kernels.elementwise import select
from rushlight.ops.core.record import registry

from .calls import by_kernel

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
FORMULAS = [
    op
    for op in registry.values()
    if op.kind == "elementwise" and (op.ufunc is None or op.name in lower.TABLE)
]
EXTREMES = [0.0, -0.0, 1.0, -1.0, 80.0, -80.0, 800.0, -800.0, np.inf, -np.inf, np.nan, 1e-40, 0.5]


@pytest.fixture(autouse=True)
def _every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels for small arrays too."""
    monkeypatch.setattr(tuning, "ELEMENTWISE_LEAST", 1)
    monkeypatch.setattr(tuning, "ELEMENTWISE_FUNCTION_LEAST", 1)
    monkeypatch.setattr(tuning, "ELEMENTWISE_ARITHMETIC_LEAST", 1)


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
            got = by_kernel(seen, op.name, tuple(arrays), kw)
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
                got = by_kernel(rule, op.name, (g, y, *arrays), picked)
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
        if arrays and by_kernel(op.formula, op.name, tuple(arrays), kw) is None:
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


@pytest.mark.parametrize("name", ["leaky_relu", "elu", "hardtanh", "softplus", "celu", "threshold"])
def test_one_kernel_serves_all_constants(name: str) -> None:
    """Forward and rule, given as floats and as ints, agree with NumPy and are two kernels each."""
    rng = np.random.default_rng(0)
    op = registry[name]
    x, g = rng.uniform(-3, 3, (2, 100)).astype(np.float32)
    rule = op.get_rules()[0]
    forward, backward = select.Formula(op.formula, name), select.Formula(rule, name)
    for k in range(70):
        kw: dict[str, Any] = {n: float(rng.uniform(0.1, 2)) for n in op.defaults}
        if k % 10 == 0:
            kw = {n: k + 1 for n in op.defaults}
        y = op.formula(x, **kw)
        got = forward(x, **kw)
        np.testing.assert_allclose(got, y, rtol=1e-6, atol=1e-7)
        picked = {n: kw[n] for n in (op.rule_names[0] if op.rule_names else ())}
        got = backward(g, y, x, **picked)
        np.testing.assert_allclose(got, rule(g, y, x, **picked), rtol=1e-6, atol=1e-7)
    assert len(forward.lowered) == len(backward.lowered) == 2
    assert all(forward.lowered.values())
    assert all(backward.lowered.values())


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


WHOLE = [np.int8, np.uint8, np.int16, np.int32, np.int64]


@pytest.mark.parametrize("dtype", [np.float16, select.BFLOAT16], ids=str)
@pytest.mark.parametrize("name", ["mul", "add", "div", "maximum", "exp", "tanh", "gelu", "silu"])
def test_narrow_floats_are_rounded_once(name: str, dtype: Any) -> None:
    """The same as computing in float32 and rounding, over all values of the type."""
    a = np.arange(65536, dtype=np.uint16).view(dtype)
    arrays = (a, a[::-1].copy()) if registry[name].required == 2 else (a,)
    wide = tuple(x.astype(np.float32) for x in arrays)
    seen = registry[name] if registry[name].ufunc is not None else registry[name].formula
    kw = registry[name].defaults
    with np.errstate(all="ignore"):
        wanted = by_kernel(seen, name, wide, kw).astype(dtype)
        got = by_kernel(seen, name, arrays, kw)
        assert got.dtype == dtype
        finite = ~np.isnan(wanted.astype(np.float32))
        np.testing.assert_array_equal(np.isnan(got.astype(np.float32)), ~finite)
        np.testing.assert_array_equal(got.view(np.uint16)[finite], wanted.view(np.uint16)[finite])


@pytest.mark.parametrize("dtype", WHOLE)
@pytest.mark.parametrize(
    "name",
    ["add", "sub", "mul", "neg", "maximum", "minimum", "relu", "eq", "ne", "lt", "le", "gt",
     "ge", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "logical_and", "logical_or",
     "logical_xor", "logical_not"],
)  # fmt: skip
def test_integers(name: str, dtype: Any) -> None:
    op = registry[name]
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(0)
    edges = [limits.min, limits.max, 0, 1, limits.max // 2, 0]
    a = np.concatenate([rng.integers(limits.min, limits.max, 2005, dtype, True), edges])
    b = np.concatenate([rng.integers(limits.min, limits.max, 2005, dtype, True), edges[::-1]])
    arrays = (a.astype(dtype), b.astype(dtype))[: op.required]
    seen = op if op.ufunc is not None else op.formula
    with np.errstate(all="ignore"):
        wanted = op.formula(*arrays)
    got = by_kernel(seen, name, arrays, {})
    assert got is not None
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)
    rows = tuple(np.resize(x, (4, 500)) for x in arrays)
    if len(rows) == 2:  # and broadcast
        got = by_kernel(seen, name, (rows[0], rows[1][0]), {})
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(got, op.formula(rows[0], rows[1][0]))


@pytest.mark.parametrize("name", ["eq", "ne", "bitwise_and", "bitwise_not", "logical_xor"])
def test_booleans(name: str) -> None:
    op = registry[name]
    a, b = np.random.default_rng(0).random((2, 1003)) < 0.5
    arrays = (a, b)[: op.required]
    np.testing.assert_array_equal(by_kernel(op, name, arrays, {}), op.formula(*arrays))


def test_what_integers_do_not_have() -> None:
    """Quotients and functions of integers are floats: their callers bring them there."""
    x = np.arange(1, 100)
    for name in ("div", "exp", "pow"):
        arrays = (x, x)[: registry[name].required]
        assert by_kernel(registry[name], name, arrays, {}) is None
    assert by_kernel(registry["leaky_relu"].formula, "leaky", (x,),
                       {"negative_slope": 0.5}) is None  # fmt: skip


@pytest.mark.parametrize("exponent", [2, 3, 0.5, -1, -2, 1])
def test_exponents_that_are_products(exponent: float) -> None:
    """Powers and their slopes by products, as NumPy computes them, also of negative numbers."""
    x = np.linspace(-3, 3, 4001, dtype=np.float32)
    op = registry["pow"]
    known = op.fn.planned
    b = np.array(exponent, np.float32)
    with np.errstate(all="ignore"):
        got = known(x, b)
        np.testing.assert_allclose(got, op.formula(x, b), rtol=3e-7)
        rule = op.get_rules()[0]
        slope = op.plain_node.rules[0].planned
        got = slope(x, x, x, b)
        np.testing.assert_allclose(got, rule(x, None, x, b), rtol=6e-7)
    assert "x3" not in slope.plan(x, x, x, b).launches[0].arrays  # the exponent is in the code
    assert known.plan(x, b).operands == ("x0", "x1")
    assert known.plan(x, b).launches[0].arrays == ("x0", "y")


def test_a_stand_in_beside_a_large_array_is_refused() -> None:
    """A kernel would read memory that is not there."""
    x = rushlight.ones(1 << 20)
    y = x * rushlight.ones(1 << 20, device="meta")
    assert y.is_meta
    assert y.shape == x.shape


@pytest.mark.parametrize("low", select.LOW)
def test_narrow_operands_at_any_place_are_computed_wide(low: Any) -> None:
    """The result is of the first narrow type; what is given beside it stays as it is."""
    seen = []

    def product(a: Any, b: Any) -> Any:
        seen.append((a.dtype, b.dtype))
        return a * b

    fused = select.fuse(product, "product_of_two", alone=False)
    wide, narrow = np.ones(3, np.float32), np.ones(3, low)
    for given in ((wide, narrow), (narrow, wide), (narrow, narrow)):
        assert fused(*given).dtype == low
    assert set(seen) == {(np.dtype(np.float32),) * 2}
    assert fused(wide, wide).dtype == np.float32


def test_what_is_found_is_what_was_chosen(limits: Any) -> None:
    """A plan that is made of few elements is not for calls that NumPy computes: whether a kernel
    does is a matter of sizes, never of what was called before."""
    sigmoid = registry["sigmoid"]
    x = np.linspace(-9, 9, 13, dtype=np.float32)
    by_numpy = sigmoid.fn(x)
    by_kernel = sigmoid.fn.planned(x)
    assert by_numpy.tobytes() == sigmoid.fn(x).tobytes()
    with limits(ELEMENTWISE_LEAST=1, ELEMENTWISE_FUNCTION_LEAST=1, ELEMENTWISE_STEPS_LEAST=1):
        for _ in range(2):
            np.testing.assert_array_max_ulp(sigmoid.fn(x), by_kernel, 8)
    assert by_numpy.tobytes() == sigmoid.fn(x).tobytes()


def test_numbers_are_not_part_of_what_is_found() -> None:
    slope = registry["leaky_relu"].fn
    large = np.linspace(-1, 1, 50000, dtype=np.float32)
    for number in (0.1, 0.25, 3.0):
        for _ in range(2):
            y = slope(large, negative_slope=number)
            np.testing.assert_array_equal(y, np.where(large > 0, large, large * np.float32(number)))
    before = len(slope.planned.runs)
    slope(large, negative_slope=0.7)
    assert len(slope.planned.runs) == before
    for other in (large.reshape(500, 100).T, large[::2], large.astype(np.float64)):
        wanted = np.where(other > 0, other, other * other.dtype.type(0.1))
        for _ in range(2):
            np.testing.assert_array_equal(slope(other, negative_slope=0.1), wanted)
