"""Stores of some lanes: what is written, and that nothing else is."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from rushlight.kernels.codegen.ir import F32, F64, I8, I16, I32, I64, PTR, Module, vector
from rushlight.kernels.runtime import jit

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

TYPES = {F32: np.float32, F64: np.float64, I8: np.int8, I16: np.int16, I32: np.int32, I64: np.int64}


def stored(e: str, n: int, by_instruction: bool) -> Any:
    """A function (to, value, bits): the lanes of a value whose bits are set are written."""
    module = Module(f"masked_{e}_{n}")
    f = module.function("stored", None, [("to", PTR), ("value", PTR), ("bits", I64)])
    bits = f.convert(f.args["bits"], I32)
    mask = (f.splat(bits, n) >> f.iota(vector(I32, n))) & 1 != 0
    f.args["to"].of(e).store_masked(f.args["value"].of(e).load(0, n), 1, mask)
    f.ret()
    code = jit.compiled(module.text(by_instruction))
    address = jit.link(f"{module.name}_{by_instruction}", code, ["stored"], {})["stored"]
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(address)
    return lambda to, value, bits: run(to.ctypes.data, value.ctypes.data, bits)


@pytest.mark.parametrize("by_instruction", [False, True])
@pytest.mark.parametrize("n", [2, 4, 8, 16])
@pytest.mark.parametrize("e", list(TYPES))
def test_the_lanes_of_the_mask_are_written_and_no_others(
    e: str, n: int, by_instruction: bool
) -> None:
    run = stored(e, n, by_instruction)
    value = np.arange(1, n + 1).astype(TYPES[e])
    some = range(1 << n) if n <= 8 else [*((1 << k) - 1 for k in range(n + 1)), 0xAAAA, 0x8000, 6]
    for bits in some:
        to = np.full(n + 2, -1, TYPES[e])
        run(to, value, bits)
        chosen = [value[i] if bits >> i & 1 else -1 for i in range(n)]
        assert to.tolist() == [-1, *chosen, -1], f"{bits:b}"


def test_a_text_says_how_once_for_each_type() -> None:
    module = Module("twice")
    f = module.function("run", None, [("to", PTR)])
    mask = f.iota(vector(I32, 4)) < 3
    for at in (0, 4):
        f.args["to"].of(F32).store_masked(f.const(vector(F32, 4), 1.0), at, mask)
    f.ret()
    text = module.text(by_instruction=False)
    assert text.count("define internal void @masked_store_v4f32(") == 1
    assert text.count("define internal void @some_lanes_v4f32(") == 1
    assert module.text(by_instruction=False) == text
