"""The assembler: what Python text says is what the CPU does."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rushlight.kernels.codegen.ir import F32, F64, I32, I64, PTR, Function, Module, vector
from rushlight.kernels.runtime import jit

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def compiled(name: str, body: Callable[[Function], None], arrays: int = 2) -> Any:
    """`body` as a function of pointers and a number n."""

    def build() -> Module:
        module = Module(name)
        args = [*((f"p{k}", PTR) for k in range(arrays)), ("n", I64)]
        f = module.function("run", None, args)
        body(f)
        f.ret()
        return module

    address = jit.load((f"test_ir_{name}",), build, ["run"])["run"]
    run = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * (arrays + 1))(address)
    return lambda *given, n: run(*(a.ctypes.data for a in given), n)


def test_loops_conditions_and_variables() -> None:
    def body(f: Function) -> None:
        x, y = f.args["p0"].of(I64), f.args["p1"].of(I64)
        total = f.var(0)
        with f.range(f.args["n"]) as i:
            with f.when(x[i] > 2) as branch:
                total.set(total.get() + x[i])
            with branch.otherwise():
                total.set(total.get() - 1)
        y[0] = total.get()

    x, y = np.array([1, 5, 2, 7], np.int64), np.zeros(1, np.int64)
    compiled("loops", body)(x, y, n=4)
    assert y[0] == 5 + 7 - 2


def test_repeat_until() -> None:
    def body(f: Function) -> None:
        y = f.args["p1"].of(I64)
        steps = f.var(0)
        value = f.var(f.args["n"])
        with f.repeat() as loop:
            loop.stop_if(value.get() <= 1)
            odd = (value.get() & 1) != 0
            value.set(f.select(odd, value.get() * 3 + 1, value.get() >> 1))
            steps.set(steps.get() + 1)
        y[0] = steps.get()

    y = np.zeros(1, np.int64)
    compiled("repeat", body)(y, y, n=27)
    assert y[0] == 111


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 30])
def test_vectors_and_masks(n: int) -> None:
    """y = fma(x, 2, 1) in vectors of 8, the last one masked; nothing is written beyond the end."""

    def body(f: Function) -> None:
        x, y, count = f.args["p0"].of(F32), f.args["p1"].of(F32), f.args["n"]
        lanes = f.iota(vector(I32, 8))
        with f.range(0, count, 8) as i:
            mask = lanes < f.convert(count - i, I32)
            v = x.load_masked(i, mask)
            two = f.splat(f.const(F32, 2.0), 8)
            y.store_masked(f.fma(v, two, f.splat(f.const(F32, 1.0), 8)), i, mask)

    x, y = np.arange(n, dtype=np.float32), np.full(n + 9, -1, np.float32)
    compiled("vectors", body)(x, y, n=n)
    np.testing.assert_array_equal(y[:n], x * 2 + 1)
    assert (y[n:] == -1).all()


@pytest.mark.parametrize(("e", "n"), [(F32, 1), (F32, 4), (F32, 16), (F64, 2), (F64, 8)])
def test_a_number_of_memory_times_a_vector(e: str, n: int) -> None:
    """`fma_of` computes what `fma` does, rounded once, in one instruction or in two."""
    if n * (4 if e == F32 else 8) == 64 and jit.target().lanes < 16:
        pytest.skip("no vectors of 512 bits here")

    def body(f: Function) -> None:
        a, x = f.args["p0"].of(e), f.args["p1"].of(e)
        with f.range(f.args["n"]) as i:
            b, c = x.load(0, n), x.load(n, n)
            x.store(f.fma_of(a.at(i), b, c), (i + 1) * (2 * n))
            x.store(f.fma(f.splat(a[i], n), b, c), (i + 1) * (2 * n) + n)

    rng = np.random.default_rng(7)
    a = rng.standard_normal(5).astype(np.float32 if e == F32 else np.float64)
    a[3] = np.inf
    x = rng.standard_normal(12 * n).astype(a.dtype)
    b, c = x[:n].astype(np.longdouble), x[n : 2 * n].astype(np.longdouble)
    exact = a.astype(np.longdouble)[:, None] * b + c
    compiled(f"fma_of_{e}_{n}", body)(a, x, n=5)
    got = x[2 * n :].reshape(5, 2, n)
    np.testing.assert_array_equal(got[:, 0], got[:, 1])
    np.testing.assert_array_max_ulp(got[:, 0], exact.astype(a.dtype), 1)


def test_conversions_and_bits() -> None:
    def body(f: Function) -> None:
        x, y = f.args["p0"].of(F64), f.args["p1"].of(I64)
        y[0] = f.convert(x[0], I64)
        y[1] = f.bits(x[0], I64)
        y[2] = f.convert(f.convert(f.args["n"], F32), I64)

    x, y = np.array([-3.75]), np.zeros(3, np.int64)
    compiled("conversions", body)(x, y, n=9)
    assert y[0] == -3
    assert y[1] == x.view(np.int64)[0]
    assert y[2] == 9


def test_shuffles_and_lanes() -> None:
    def body(f: Function) -> None:
        x, y = f.args["p0"].of(F32), f.args["p1"].of(F32)
        a, b = x.load(0, 4), x.load(4, 4)
        y.store(f.shuffle(a, b, [0, 4, 3, 7]), 0)
        y[4] = f.lane(a, 2)
        y.store(f.with_lane(b, f.const(F32, 9.0), 1), 5)

    x, y = np.arange(8, dtype=np.float32), np.zeros(9, np.float32)
    compiled("shuffles", body)(x, y, n=0)
    np.testing.assert_array_equal(y, [0, 4, 3, 7, 2, 4, 9, 6, 7])


def test_a_python_branch_on_a_value_is_refused() -> None:
    def body(f: Function) -> None:
        if f.args["n"] > 2:
            f.line("unreachable")

    with pytest.raises(TypeError):
        compiled("branch", body)(np.zeros(1), np.zeros(1), n=1)
