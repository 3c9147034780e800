"""Formulas in instructions: kernels and NumPy agree, forward and rules, over values and types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.codegen import lower
from rushlight.kernels.elementwise import lowered
from rushlight.ops.core.record import registry

from .calls import by_kernel

pytestmark = [
    pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0"),
    pytest.mark.usefixtures("every_size"),
]
FORMULAS = [
    op
    for op in registry.values()
    if op.kind == "elementwise" and (op.ufunc is None or op.name in lower.TABLE)
]
EXTREMES = [0.0, -0.0, 1.0, -1.0, 80.0, -80.0, 800.0, -800.0, np.inf, -np.inf, np.nan, 1e-40, 0.5]


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


@pytest.mark.parametrize("dtype", [np.float16, lowered.BFLOAT16], ids=str)
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


WHOLE = [np.int8, np.uint8, np.int16, np.int32, np.int64]


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
