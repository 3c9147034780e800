"""float16 and bfloat16 in vectors: every number of 16 bits, widened and rounded."""

from __future__ import annotations

import ctypes

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels.codegen import half
from rushlight.kernels.codegen.ir import F32, I64, PTR, Module
from rushlight.kernels.runtime import jit

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
TYPES = {"half": np.float16, "bfloat": ml_dtypes.bfloat16}


def converter(e: str, back: bool) -> ctypes._CFuncPtr:
    def build() -> Module:
        module = Module("half")
        f = module.function("run", None, [("x", PTR), ("y", PTR), ("n", I64)])
        x, y = f.args["x"].of(F32 if back else e), f.args["y"].of(e if back else F32)
        with f.range(0, f.args["n"], 8) as i:
            half.store(f, y, i, half.load(f, x, i, 8, None), None)
        f.ret()
        return module

    address = jit.load(("test_half", e, back), build, ["run"])["run"]
    return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(address)


@pytest.mark.parametrize("e", TYPES)
def test_all_numbers_are_widened(e: str) -> None:
    if e == "half" and not half.has_half():
        pytest.skip("this CPU has no float16")
    x = np.arange(1 << 16, dtype=np.uint16).view(TYPES[e])
    y = np.empty(x.shape, np.float32)
    converter(e, False)(x.ctypes.data, y.ctypes.data, x.size)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(y, x.astype(np.float32))


@pytest.mark.parametrize("e", TYPES)
def test_rounding_is_to_the_nearest_even(e: str, rng: np.random.Generator) -> None:
    if e == "half" and not half.has_half():
        pytest.skip("this CPU has no float16")
    bits = rng.integers(0, 1 << 32, 1 << 16, dtype=np.uint32)
    x = bits.view(np.float32)
    x[~np.isfinite(x)] = 1.0
    x[:4] = [0.0, -0.0, np.inf, -np.inf]
    middle = np.array([1.00048828125, 1.00146484375, 1.00390625, 1.01171875], np.float32)
    x[4:8] = middle  # halfway between two numbers of 16 bits
    y = np.empty(x.shape, TYPES[e])
    converter(e, True)(x.ctypes.data, y.ctypes.data, x.size)
    with np.errstate(over="ignore"):
        wanted = x.astype(TYPES[e])
    np.testing.assert_array_equal(y.view(np.uint16), wanted.view(np.uint16))
